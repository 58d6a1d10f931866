"""What TPFTL's paper claims: T1 to T46, in the order of the paper.

O1 to O5 are the orderings that it rests on, on all four workloads; A1 is ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, median

from ftlab import Result
from ftlab_papers.findings import Bound, Change, Order, Statement, Value, number, of_each, rising
from ftlab_papers.measures import Measure, Term, at, least, mean, most, relative
from ftlab_papers.quantities import AMPLIFICATION, HITS, RESPONSE, erases
from ftlab_papers.runs import Figure
from ftlab_papers.tables import Says, claims
from ftlab_papers.tpftl.points import ALL, CACHES, FINANCIAL, MSR, NAMES, SHORT, THRESHOLDS
from ftlab_papers.tpftl.proofs import most_lost_in_msr
from ftlab_papers.tpftl.quantities import (
    dirty_replacements,
    entry_bytes,
    mean_dirty,
    per_page,
    samples_of,
    share_of_pages,
    tp_reads,
    tp_writes,
    utilization_gain,
)
from ftlab_papers.tpftl.reasons import REASONS, WORDS

WRITE_DOMINANT = ("financial1", *MSR)
LOSSES_OF_RESPONSE = (0.634, 0.526, 0.594, 0.582)
LOSSES_OF_ERASES = (0.459, 0.526, 0.304, 0.562)
"""What DFTL loses by Table 2, on each workload."""

RIVALS = {"dftl": "vs DFTL", "sftl": "vs S-FTL"}
FIN1 = "financial1"


def against(figure: Figure, workload: str, rival: str, ftl: str = "tpftl") -> Measure:
    """Return the change of an FTL's figure against a rival's."""
    return relative(figure, (workload, ftl), (workload, rival))


def mean_against(figure: Figure, workloads: Iterable[str], rival: str) -> Measure:
    """Return TPFTL's mean change against a rival."""
    return mean(against(figure, name, rival) for name in workloads)


def means(figure: Figure, workloads: Sequence[str], **published: float) -> list[Statement]:
    """Return TPFTL's mean change over workloads, against each rival."""
    return [
        Change(RIVALS[rival], said, mean_against(figure, workloads, rival))
        for rival, said in published.items()
    ]


def loss(figure: Figure, workload: str) -> Measure:
    """Return 1 - optimal / DFTL (choices.md#tpftl-deviation)."""
    return -relative(figure, (workload, "page"), (workload, "dftl"))


def losses(figure: Figure, *published: float) -> list[Statement]:
    """Return what DFTL loses against the optimal FTL, on each workload."""
    said = dict(zip(ALL, published, strict=True))
    return of_each(ALL, lambda name: Change(SHORT[name], said[name], loss(figure, name)))


def ablation(figure: Figure, new: str, old: str) -> Measure:
    """Return the change between two sets of techniques on Financial1."""
    return relative(figure, (FIN1, "tpftl", new), (FIN1, "tpftl", old))


def ablations(figure: Figure, **published: float) -> list[Statement]:
    """Return the change of each set of techniques on Financial1 against none."""
    return [
        Change(f"{features} vs -", said, ablation(figure, features, "-"))
        for features, said in published.items()
    ]


def ascending(figure: Figure, workload: str, *ftls: str, unit: str = "%") -> Statement:
    """Return that FTLs on a workload ascend by a figure."""
    return Order(SHORT[workload], {NAMES.get(f, f): at(figure, workload, f) for f in ftls}, unit)


def of_tpftl(
    figure: Figure, workloads: Sequence[str], *settings: str, unit: str = "%"
) -> list[Statement]:
    """Return for each workload that TPFTL's figure rises in this order of its settings."""
    names = {name: SHORT[name] for name in workloads}
    return rising(lambda name, each: at(figure, name, "tpftl", each), unit, settings, names)


def bounds_on(
    figure: Figure, workloads: Sequence[str], above: float = -math.inf, below: float = math.inf
) -> list[Statement]:
    """Return for each workload that TPFTL's figure keeps within bounds."""

    def bound(name: str) -> Statement:
        return Bound(SHORT[name], at(figure, name, "tpftl"), above=above, below=below, unit="%")

    return of_each(workloads, bound)


def lowered(workload: str, rival: str) -> Statement:
    """Return by how much TPFTL lowers the probability of replacing a dirty entry (T13).

    The published range is read as percentage points, as all of 5.2(1) (choices.md#tpftl-lowered).
    """
    points = at(dirty_replacements, workload, "tpftl") - at(dirty_replacements, workload, rival)
    what = f"{SHORT[workload]} {RIVALS[rival]}, points"
    return Bound(what, points, above=-0.884, below=-0.58, unit="%+", directed=True)


def more_hits(workloads: Sequence[str], **published: float) -> list[Statement]:
    """Return by how many points TPFTL hits more often than each rival, in the mean (5.2(1))."""

    def points(rival: str) -> Measure:
        return mean(at(HITS, name, "tpftl") - at(HITS, name, rival) for name in workloads)

    return [
        Change(f"{RIVALS[rival]}, points", said, points(rival)) for rival, said in published.items()
    ]


def more_by(features: str) -> Measure:
    """Return by how many points techniques raise the hit ratio on Financial1."""
    return at(HITS, FIN1, "tpftl", features) - at(HITS, FIN1, "tpftl", "-")


def most_entries(result: Result) -> float:
    """Return the most entries that a cached translation page has on average, at any time."""
    return max(per_page(samples_of(result)))


def time_below_90(result: Result) -> float:
    """Return the share of time in which a cached translation page has 90 entries at most."""
    return fmean(entries <= 90 for entries in per_page(samples_of(result)))


def several_dirty(result: Result) -> float:
    """Return the share of cached translation pages with more than one dirty entry."""
    return share_of_pages(samples_of(result)["pages_by_dirty_entries"], above=1)


def dirty_of_a_page(result: Result) -> float:
    """Return the mean of dirty entries in a cached translation page."""
    return mean_dirty(samples_of(result)["pages_by_dirty_entries"])


def deepest_fall(result: Result) -> float:
    """Return how far the number of cached translation pages falls below its median (T6).

    A fall is sharp that leads at least 25 % below it; its end is a return to the median.
    """
    pages = samples_of(result)["translation_pages"]
    return float(1 - min(pages) / median(pages))


def recovered(result: Result) -> float:
    """Return the most cached translation pages after the deepest fall, of their median."""
    pages = samples_of(result)["translation_pages"]
    lowest = min(range(len(pages)), key=pages.__getitem__)
    return float(max(pages[lowest:]) / median(pages))


def gains(workload: str) -> dict[str, Term]:
    """Return what compressed entries gain on a workload with each cache (T43)."""
    return {share: at(utilization_gain, workload, "tpftl", share) for share in CACHES}


def recognised() -> Measure:
    """Return what a threshold of 3 adds to the hit ratios, of what the best one adds (T11).

    That is what selective prefetching adds to request-level prefetching, over all workloads.
    """

    def added(tried: Callable[[str], Measure]) -> Measure:
        return mean(tried(name) - at(HITS, name, "tpftl", "r") for name in ALL)

    def best(name: str) -> Measure:
        return most(at(HITS, name, "tpftl", f"threshold {each}") for each in THRESHOLDS)

    return added(lambda name: at(HITS, name, "tpftl")) / added(best)


def over_caches(workload: str, figure: Figure) -> list[Measure]:
    """Return TPFTL's figure with each cache."""
    return [at(figure, workload, "tpftl", share) for share in CACHES]


def erases_saved(rival: str, on_average: float, at_best: float) -> list[Statement]:
    """Return how many erases TPFTL saves, in the mean and at best (T31)."""
    found = [against(erases, name, rival) for name in ALL]
    return [
        Change(f"{RIVALS[rival]}, mean", on_average, mean(found)),
        Change(f"{RIVALS[rival]}, at best", at_best, least(found)),
    ]


def adaptive(workload: str) -> Statement:
    """Return how far adaptive prefetching is from the better of the fixed choices (A1)."""
    best = least(at(RESPONSE, workload, "tpftl", features) for features in ("bc", "rsbc"))
    worse = at(RESPONSE, workload, "tpftl-adaptive") / best - 1
    return Bound(SHORT[workload], worse, below=0.01, unit="%+")


def chain(figure: Figure, rival: str, unit: str = "") -> list[Statement]:
    """Return for each workload that optimal, TPFTL and a rival ascend by a figure."""
    return [ascending(figure, name, "page", "tpftl", rival, unit=unit) for name in ALL]


AMPLIFICATIONS = [at(AMPLIFICATION, name, ftl) for name in FINANCIAL for ftl in NAMES]
FALLING = CACHES[::-1]
"""Caches in the order in which figures rise that fall with them."""

DROPS = {name: -ablation(dirty_replacements, name, "-") for name in ("c", "b")}


SAYS: Says = {
    "T1": means(tp_writes, ALL, sftl=-0.62),
    "T2": [
        Change("Fin1", -0.241, against(RESPONSE, FIN1, "sftl")),
        Order(
            "the best is",
            {
                "Fin1": against(RESPONSE, FIN1, "sftl"),
                "the others": least(against(RESPONSE, n, "sftl") for n in ALL if n != FIN1),
            },
            "%+",
        ),
    ],
    "T3": [*means(tp_reads, ALL, sftl=-0.266), *means(tp_writes, ALL, sftl=-0.62)],
    "T4": of_each(
        ALL,
        lambda n: Bound(f"{SHORT[n]} most", at(most_entries, n, "dftl"), below=150),
        lambda n: Bound(
            f"{SHORT[n]} time below 90", at(time_below_90, n, "dftl"), above=0.5, unit="%"
        ),
    ),
    "T5": of_each(
        WRITE_DOMINANT,
        lambda n: Bound(
            f"{SHORT[n]} more than one",
            at(several_dirty, n, "dftl"),
            above=0.53,
            below=0.71,
            unit="%",
        ),
        lambda n: Bound(f"{SHORT[n]} mean", at(dirty_of_a_page, n, "dftl"), above=15),
    ),
    "T6": [
        Bound(
            "deepest fall below the median", at(deepest_fall, FIN1, "dftl"), above=0.25, unit="%"
        ),
        Bound("highest of the median after it", at(recovered, FIN1, "dftl"), above=1.0, unit="%"),
    ],
    "T7": losses(RESPONSE, *LOSSES_OF_RESPONSE),
    "T8": losses(erases, *LOSSES_OF_ERASES),
    "T9": [
        Change("response", 0.584, mean(loss(RESPONSE, name) for name in ALL)),
        *losses(RESPONSE, *LOSSES_OF_RESPONSE),
        Change("erases", 0.423, mean(loss(erases, name) for name in ALL)),
        *losses(erases, *LOSSES_OF_ERASES),
    ],
    "T10": [
        Value(NAMES[ftl], size, at(entry_bytes, FIN1, ftl), "B")
        for ftl, size in (("tpftl", 6), ("dftl", 8))
    ],
    "T11": Bound("of what the best one adds", recognised(), above=0.5, unit="%"),
    "T12": bounds_on(dirty_replacements, ALL, below=0.04),
    "T13": [lowered(name, rival) for name in WRITE_DOMINANT for rival in RIVALS],
    "T14": [
        *of_each(
            ("dftl", "sftl", "tpftl"),
            lambda ftl: Order(
                NAMES[ftl],
                {
                    "Fin2": at(dirty_replacements, "financial2", ftl),
                    "the others": least(at(dirty_replacements, n, ftl) for n in WRITE_DOMINANT),
                },
                "%",
            ),
        ),
        *of_each(RIVALS, lambda each: ascending(dirty_replacements, "financial2", "tpftl", each)),
    ],
    "T15": [
        *of_each(FINANCIAL, lambda n: ascending(dirty_replacements, n, "sftl", "dftl")),
        *of_each(MSR, lambda n: ascending(dirty_replacements, n, "dftl", "sftl")),
    ],
    "T16": more_hits(FINANCIAL, dftl=0.148, sftl=0.155),
    "T17": [*more_hits(MSR, dftl=0.164, sftl=0.0), *bounds_on(HITS, MSR, above=0.95)],
    "T18": [
        *of_each(FINANCIAL, lambda n: Change(SHORT[n], 0.0, against(HITS, n, "dftl", ftl="sftl"))),
        *of_each(MSR, lambda n: ascending(HITS, n, "dftl", "sftl")),
    ],
    "T19": means(tp_reads, FINANCIAL, dftl=-0.442, sftl=-0.349),
    "T20": means(tp_reads, MSR, dftl=-0.877, sftl=-0.133),
    "T21": means(tp_writes, FINANCIAL, dftl=-0.505, sftl=-0.314),
    "T22": means(tp_writes, MSR, dftl=-0.988, sftl=-0.926),
    "T23": means(RESPONSE, (FIN1,), dftl=-0.235, sftl=-0.241),
    "T24": means(RESPONSE, ("financial2",), dftl=-0.209, sftl=-0.117),
    "T25": [
        *means(RESPONSE, MSR, dftl=-0.576, sftl=0.0),
        Change("vs optimal", 0.0, mean_against(RESPONSE, MSR, "page")),
    ],
    "T26": [ascending(RESPONSE, FIN1, "dftl", "sftl", unit="us")],
    "T27": [
        Value(f"{SHORT[name]} {NAMES[ftl]}", 1.0, at(AMPLIFICATION, name, ftl))
        for name in MSR
        for ftl in NAMES
    ],
    "T28": [
        Bound("lowest", least(AMPLIFICATIONS), above=2.4, below=5.1),
        Bound("highest", most(AMPLIFICATIONS), above=2.4, below=5.1),
    ],
    "T29": means(AMPLIFICATION, FINANCIAL, dftl=-0.262, sftl=-0.131),
    "T30": means(AMPLIFICATION, MSR, dftl=-0.138, sftl=-0.023),
    "T31": [*erases_saved("dftl", -0.345, -0.556), *erases_saved("sftl", -0.118, -0.171)],
    "T32": [
        Order("drop", DROPS, "%+"),
        Bound("drop of b", DROPS["b"], above=0.5, unit="%+"),
        Bound("drop of c", DROPS["c"], above=0.0, below=0.25, unit="%+"),
    ],
    "T33": Change("", -0.543, ablation(dirty_replacements, "bc", "b")),
    "T34": Order(
        "", {each: at(dirty_replacements, FIN1, "tpftl", each) for each in ("bc", "rsbc")}, "%"
    ),
    "T35": [
        Change(f"{features} vs -, points", said, more_by(features))
        for features, said in (("r", 0.047), ("s", 0.056), ("rs", 0.11))
    ],
    "T36": [
        Order("", {"DFTL": at(HITS, FIN1, "dftl"), "-": at(HITS, FIN1, "tpftl", "-")}, "%"),
        *ablations(HITS, b=0.0, c=0.0, bc=0.0),
    ],
    "T37": [
        *ablations(RESPONSE, bc=-0.249, rs=-0.104),
        Order("", {each: at(RESPONSE, FIN1, "tpftl", each) for each in ("bc", "rsbc")}, "us"),
    ],
    "T38": ablations(AMPLIFICATION, bc=-0.211, rs=-0.091),
    "T39": [
        *of_tpftl(dirty_replacements, ALL, *FALLING),
        *of_each(
            ALL,
            lambda n: Value(f"{SHORT[n]} at 1", 0.0, at(dirty_replacements, n, "tpftl", "1"), "%"),
        ),
    ],
    "T40": [
        *of_tpftl(HITS, ALL, *CACHES),
        *of_each(
            ALL, lambda n: Bound(f"{SHORT[n]} at 1", at(HITS, n, "tpftl", "1"), above=1.0, unit="%")
        ),
    ],
    "T41": [
        *of_tpftl(RESPONSE, ALL, *FALLING, unit="us"),
        *of_tpftl(AMPLIFICATION, ALL, *FALLING, unit=""),
        *of_each(
            MSR,
            lambda n: Bound(
                f"{SHORT[n]} response, largest against smallest",
                -relative(RESPONSE, (n, "tpftl", CACHES[-1]), (n, "tpftl", CACHES[0])),
                below=0.1,
                unit="%+",
            ),
        ),
    ],
    "T42": of_each(
        MSR,
        lambda n: Bound(
            f"{SHORT[n]} lowest hit ratio", least(over_caches(n, HITS)), above=0.92, unit="%"
        ),
        lambda n: Bound(
            f"{SHORT[n]} highest P", most(over_caches(n, dirty_replacements)), below=0.08, unit="%"
        ),
    ),
    "T43": [
        *of_each(
            ALL,
            lambda n: Order(SHORT[n], gains(n), "%+"),
            lambda n: Change(f"{SHORT[n]} largest", 0.33, most(gains(n).values())),
        ),
        Order(
            "at 1/128",
            {
                "Financial": most(at(utilization_gain, n, "tpftl") for n in FINANCIAL),
                "MSR": least(at(utilization_gain, n, "tpftl") for n in MSR),
            },
            "%+",
        ),
    ],
    "T44": of_each(ALL, lambda n: ascending(RESPONSE, n, "sftl", "cdftl", unit="us")),
    "T45": of_each(
        ALL,
        lambda n: Order(
            SHORT[n],
            {
                "response": -against(RESPONSE, n, "dftl"),
                "TP writes": -against(tp_writes, n, "dftl"),
            },
            "%+",
        ),
    ),
    "T46": [
        Value("table of 1 TB, GiB", 2, 1024 / at("config.device.page", FIN1, "tpftl") * 8),
        Value(
            "erase / write",
            10,
            at("config.device.erase", FIN1, "tpftl") / at("config.device.program", FIN1, "tpftl"),
        ),
    ],
    "O1": [*chain(tp_writes, "dftl"), *chain(tp_writes, "sftl")],
    "O2": [*chain(RESPONSE, "dftl"), *chain(RESPONSE, "sftl")],
    "O3": [
        *of_tpftl(dirty_replacements, ALL, "bc", "b", "c"),
        *of_tpftl(dirty_replacements, FINANCIAL, "bc", "rsbc"),
    ],
    "O4": [*of_tpftl(HITS, ALL, "r", "rs"), *of_tpftl(HITS, ALL, "-", "s")],
    "O5": bounds_on(HITS, MSR, above=0.95),
    "A1": of_each(ALL, adaptive),
}

PROOFS = dict.fromkeys(("T7", "T25"), WORDS("proof of MSR", most=number(most_lost_in_msr(), "%")))

CLAIMS = claims(
    __package__,
    SAYS,
    REASONS,
    PROOFS,
    names={"Financial": FINANCIAL, "MSR": MSR, "write-dominant": WRITE_DOMINANT},
)
