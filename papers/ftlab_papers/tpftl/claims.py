"""What TPFTL's paper claims: T1 to T46, in the order of the paper.

O1 to O5 are the orderings that it rests on, on all four workloads; A1 is ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median

from ftlab import Result
from ftlab_papers.findings import Bound, Change, Order, Statement, Value
from ftlab_papers.measures import Measure, at, least, mean, most, relative
from ftlab_papers.quantities import AMPLIFICATION, HITS, RESPONSE, erases
from ftlab_papers.runs import Figure, Key
from ftlab_papers.tables import Says, claims
from ftlab_papers.tpftl.points import ALL, CACHES, FINANCIAL, MSR, NAMES, SHORT, THRESHOLDS
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
from ftlab_papers.tpftl.reasons import REASONS

WRITE_DOMINANT = ("financial1", *MSR)
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


def losses(figure: Figure, published: Sequence[float]) -> list[Statement]:
    """Return what DFTL loses against the optimal FTL, on each workload."""
    return [
        Change(SHORT[name], said, loss(figure, name))
        for name, said in zip(ALL, published, strict=True)
    ]


def ablation(figure: Figure, new: str, old: str) -> Measure:
    """Return the change between two sets of techniques on Financial1."""
    return relative(figure, (FIN1, "tpftl", new), (FIN1, "tpftl", old))


def ablations(figure: Figure, **published: float) -> list[Statement]:
    """Return the change of each set of techniques on Financial1 against none."""
    return [
        Change(f"{features} vs -", said, ablation(figure, features, "-"))
        for features, said in published.items()
    ]


def ordered(figure: Figure, names: Mapping[str, Key], unit: str = "%") -> Statement:
    """Return that figures of points ascend in the order of their names."""
    return Order("", {name: at(figure, *key) for name, key in names.items()}, unit)


def ascending(figure: Figure, workload: str, *ftls: str, unit: str = "%") -> Statement:
    """Return that FTLs on a workload ascend by a figure."""
    return Order(SHORT[workload], {NAMES.get(f, f): at(figure, workload, f) for f in ftls}, unit)


def of_techniques(figure: Figure, workloads: Sequence[str], *features: str) -> list[Statement]:
    """Return for each workload that sets of techniques ascend by a figure."""
    return [
        Order(SHORT[name], {each: at(figure, name, "tpftl", each) for each in features}, "%")
        for name in workloads
    ]


def over_caches(figure: Figure, *, rising: bool, unit: str = "%") -> list[Statement]:
    """Return for each workload that the figure rises, or falls, with the cache."""
    shares = CACHES if rising else tuple(reversed(CACHES))
    return [
        Order(SHORT[name], {share: at(figure, name, "tpftl", share) for share in shares}, unit)
        for name in ALL
    ]


def bounds_on(
    figure: Figure, workloads: Sequence[str], above: float = -math.inf, below: float = math.inf
) -> list[Statement]:
    """Return for each workload that TPFTL's figure keeps within bounds."""
    return [
        Bound(SHORT[name], at(figure, name, "tpftl"), above=above, below=below, unit="%")
        for name in workloads
    ]


def lowered(workload: str, rival: str) -> Statement:
    """Return by how much TPFTL lowers the probability of replacing a dirty entry (T13).

    The published range is read as percentage points (choices.md#tpftl-lowered).
    """
    points = at(dirty_replacements, workload, "tpftl") - at(dirty_replacements, workload, rival)
    what = f"{SHORT[workload]} {RIVALS[rival]}, points"
    return Bound(what, points, above=-0.884, below=-0.58, unit="%+", directed=True)


def fewest_in_fin2(ftl: str) -> Statement:
    """Return that an FTL replaces fewest dirty entries in Financial2 (T14)."""
    others = least(at(dirty_replacements, name, ftl) for name in WRITE_DOMINANT)
    own = at(dirty_replacements, "financial2", ftl)
    return Order(NAMES[ftl], {"Fin2": own, "the others": others}, "%")


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


def gained(workload: str) -> list[Statement]:
    """Return what compressed entries gain on a workload (T43)."""
    gains = {share: at(utilization_gain, workload, "tpftl", share) for share in CACHES}
    return [
        Order(SHORT[workload], gains, "%+"),
        Change(f"{SHORT[workload]} largest", 0.33, most(gains.values())),
    ]


def gained_over(workloads: Iterable[str]) -> list[Measure]:
    """Return what compressed entries gain on workloads with the smallest cache."""
    return [at(utilization_gain, name, "tpftl") for name in workloads]


def recognised() -> Measure:
    """Return what a threshold of 3 adds to the hit ratios, of what the best one adds (T11).

    That is what selective prefetching adds to request-level prefetching, over all workloads.
    """

    def added(tried: Callable[[str], Measure]) -> Measure:
        return mean(tried(name) - at(HITS, name, "tpftl", "r") for name in ALL)

    def best(name: str) -> Measure:
        return most(at(HITS, name, "tpftl", f"threshold {each}") for each in THRESHOLDS)

    return added(lambda name: at(HITS, name, "tpftl")) / added(best)


def small_gain(workload: str) -> Statement:
    """Return that the response time gains less than the writes of translation pages (T45)."""
    gains = {
        "response": -against(RESPONSE, workload, "dftl"),
        "TP writes": -against(tp_writes, workload, "dftl"),
    }
    return Order(SHORT[workload], gains, "%+")


def little_effect(workload: str) -> Statement:
    """Return what the largest cache gains; at most 10 % is little (T41)."""
    largest, smallest = (workload, "tpftl", CACHES[-1]), (workload, "tpftl", CACHES[0])
    what = f"{SHORT[workload]} response, largest against smallest"
    return Bound(what, -relative(RESPONSE, largest, smallest), below=0.1, unit="%+")


def any_cache(workload: str) -> list[Statement]:
    """Return TPFTL's worst figures over all caches (T42)."""

    def over(figure: Figure) -> list[Measure]:
        return [at(figure, workload, "tpftl", share) for share in CACHES]

    dirty = most(over(dirty_replacements))
    return [
        Bound(f"{SHORT[workload]} lowest hit ratio", least(over(HITS)), above=0.92, unit="%"),
        Bound(f"{SHORT[workload]} highest P", dirty, below=0.08, unit="%"),
    ]


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
DROPS = {name: -ablation(dirty_replacements, name, "-") for name in ("c", "b")}


SAYS: Says = {
    "T1": means(tp_writes, ALL, sftl=-0.62),
    "T2": Change("best", -0.241, least(against(RESPONSE, name, "sftl") for name in ALL)),
    "T3": [*means(tp_reads, ALL, sftl=-0.266), *means(tp_writes, ALL, sftl=-0.62)],
    "T4": [
        each
        for name in ALL
        for each in (
            Bound(f"{SHORT[name]} most", at(most_entries, name, "dftl"), below=150),
            Bound(
                f"{SHORT[name]} time below 90", at(time_below_90, name, "dftl"), above=0.5, unit="%"
            ),
        )
    ],
    "T5": [
        each
        for name in WRITE_DOMINANT
        for each in (
            Bound(
                f"{SHORT[name]} more than one",
                at(several_dirty, name, "dftl"),
                above=0.53,
                below=0.71,
                unit="%",
            ),
            Bound(f"{SHORT[name]} mean", at(dirty_of_a_page, name, "dftl"), above=15),
        )
    ],
    "T6": [
        Bound(
            "deepest fall below the median", at(deepest_fall, FIN1, "dftl"), above=0.25, unit="%"
        ),
        Bound("highest of the median after it", at(recovered, FIN1, "dftl"), above=1.0, unit="%"),
    ],
    "T7": losses(RESPONSE, (0.634, 0.526, 0.594, 0.582)),
    "T8": losses(erases, (0.459, 0.526, 0.304, 0.562)),
    "T9": [
        Change("response", 0.584, mean(loss(RESPONSE, name) for name in ALL)),
        Change("erases", 0.423, mean(loss(erases, name) for name in ALL)),
    ],
    "T10": [
        Value(NAMES[ftl], size, at(entry_bytes, FIN1, ftl), "B")
        for ftl, size in (("tpftl", 6), ("dftl", 8))
    ],
    "T11": Bound("of what the best one adds", recognised(), above=0.5, unit="%"),
    "T12": bounds_on(dirty_replacements, ALL, below=0.04),
    "T13": [lowered(name, rival) for name in WRITE_DOMINANT for rival in RIVALS],
    "T14": [
        *(fewest_in_fin2(ftl) for ftl in ("dftl", "sftl", "tpftl")),
        *(ascending(dirty_replacements, "financial2", "tpftl", rival) for rival in RIVALS),
    ],
    "T15": [
        *(ascending(dirty_replacements, name, "sftl", "dftl") for name in FINANCIAL),
        *(ascending(dirty_replacements, name, "dftl", "sftl") for name in MSR),
    ],
    "T16": means(HITS, FINANCIAL, dftl=0.148, sftl=0.155),
    "T17": [*means(HITS, MSR, dftl=0.164, sftl=0.0), *bounds_on(HITS, MSR, above=0.95)],
    "T18": [
        *(Change(SHORT[name], 0.0, against(HITS, name, "dftl", ftl="sftl")) for name in FINANCIAL),
        *(ascending(HITS, name, "dftl", "sftl") for name in MSR),
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
    "T34": [
        ordered(dirty_replacements, {"bc": (FIN1, "tpftl", "bc"), "rsbc": (FIN1, "tpftl", "rsbc")})
    ],
    "T35": ablations(HITS, r=0.047, s=0.056, rs=0.11),
    "T36": [
        ordered(HITS, {"DFTL": (FIN1, "dftl"), "-": (FIN1, "tpftl", "-")}),
        *ablations(HITS, b=0.0, c=0.0, bc=0.0),
    ],
    "T37": [
        *ablations(RESPONSE, bc=-0.249, rs=-0.104),
        ordered(RESPONSE, {"bc": (FIN1, "tpftl", "bc"), "rsbc": (FIN1, "tpftl", "rsbc")}, "us"),
    ],
    "T38": ablations(AMPLIFICATION, bc=-0.211, rs=-0.091),
    "T39": [
        *over_caches(dirty_replacements, rising=False),
        *(
            Value(f"{SHORT[name]} at 1", 0.0, at(dirty_replacements, name, "tpftl", "1"), "%")
            for name in ALL
        ),
    ],
    "T40": [
        *over_caches(HITS, rising=True),
        *(
            Bound(f"{SHORT[name]} at 1", at(HITS, name, "tpftl", "1"), above=1.0, unit="%")
            for name in ALL
        ),
    ],
    "T41": [
        *over_caches(RESPONSE, rising=False, unit="us"),
        *over_caches(AMPLIFICATION, rising=False, unit=""),
        *map(little_effect, MSR),
    ],
    "T42": [each for name in MSR for each in any_cache(name)],
    "T43": [
        *(each for name in ALL for each in gained(name)),
        Order(
            "at 1/128",
            {"Financial": most(gained_over(FINANCIAL)), "MSR": least(gained_over(MSR))},
            "%+",
        ),
    ],
    "T44": [ascending(RESPONSE, name, "sftl", "cdftl", unit="us") for name in ALL],
    "T45": [small_gain(name) for name in ALL],
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
        *of_techniques(dirty_replacements, ALL, "bc", "b", "c"),
        *of_techniques(dirty_replacements, FINANCIAL, "bc", "rsbc"),
    ],
    "O4": [*of_techniques(HITS, ALL, "r", "rs"), *of_techniques(HITS, ALL, "-", "s")],
    "O5": bounds_on(HITS, MSR, above=0.95),
    "A1": [adaptive(name) for name in ALL],
}

CLAIMS = claims(
    __package__,
    SAYS,
    REASONS,
    names={"Financial": FINANCIAL, "MSR": MSR, "write-dominant": WRITE_DOMINANT},
)
