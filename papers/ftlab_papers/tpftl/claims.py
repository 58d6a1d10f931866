"""What TPFTL's paper claims: T1 to T46, in the order of the paper.

O1 to O5 are the orderings that it rests on, on all four workloads; A1 is ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from statistics import fmean, median

from ftlab import Result
from ftlab_papers.claims import Claim
from ftlab_papers.findings import Bound, Change, Order, Statement, Value
from ftlab_papers.measures import Measure, at, least, mean, most, relative
from ftlab_papers.quantities import AMPLIFICATION, HITS, RESPONSE, erases
from ftlab_papers.runs import Figure, Key
from ftlab_papers.tpftl import reasons
from ftlab_papers.tpftl.points import (
    ALL,
    CACHES,
    FINANCIAL,
    MSR,
    NAMES,
    SHORT,
    THRESHOLDS,
)
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


CLAIMS = (
    Claim(
        "T1",
        "abstract",
        "random writes caused by address translation, mean against the state of the art",
        means(tp_writes, ALL, sftl=-0.62),
        reasons.translation_writes,
    ),
    Claim(
        "T2",
        "abstract",
        "response time, best against the state of the art",
        [Change("best", -0.241, least(against(RESPONSE, name, "sftl") for name in ALL))],
        reasons.responses,
    ),
    Claim(
        "T3",
        "1",
        "translation page reads and writes, mean against the state of the art",
        [*means(tp_reads, ALL, sftl=-0.266), *means(tp_writes, ALL, sftl=-0.62)],
        reasons.translation_writes,
    ),
    Claim(
        "T4",
        "3.2, Fig. 1a",
        "DFTL: mean of entries in a cached translation page, never above 150, mostly below 90",
        [
            each
            for name in ALL
            for each in (
                Bound(f"{SHORT[name]} most", at(most_entries, name, "dftl"), below=150),
                Bound(
                    f"{SHORT[name]} time below 90",
                    at(time_below_90, name, "dftl"),
                    above=0.5,
                    unit="%",
                ),
            )
        ],
        reasons.spread,
    ),
    Claim(
        "T5",
        "3.2, Fig. 1b",
        "DFTL: share of cached translation pages with more than one dirty entry, and their mean",
        [
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
        partial(reasons.spread, workloads=WRITE_DOMINANT),
    ),
    Claim(
        "T6",
        "3.2, Fig. 2b",
        "DFTL on Fin1: the number of cached translation pages falls sharply, and recovers",
        [
            Bound(
                "deepest fall below the median",
                at(deepest_fall, FIN1, "dftl"),
                above=0.25,
                unit="%",
            ),
            Bound(
                "highest of the median after it", at(recovered, FIN1, "dftl"), above=1.0, unit="%"
            ),
        ],
        reasons.falls,
    ),
    Claim(
        "T7",
        "3.3, Table 2",
        "what DFTL loses in response time against the optimal FTL",
        losses(RESPONSE, (0.634, 0.526, 0.594, 0.582)),
        reasons.losses,
    ),
    Claim(
        "T8",
        "3.3, Table 2",
        "what DFTL loses in erases against the optimal FTL",
        losses(erases, (0.459, 0.526, 0.304, 0.562)),
        reasons.losses,
    ),
    Claim(
        "T9",
        "3.3",
        "mean loss of DFTL in response time and in erases",
        [
            Change("response", 0.584, mean(loss(RESPONSE, name) for name in ALL)),
            Change("erases", 0.423, mean(loss(erases, name) for name in ALL)),
        ],
        reasons.losses,
    ),
    Claim(
        "T10",
        "4.1",
        "an entry takes 6 B in TPFTL, 8 B in DFTL (cache without nodes / entries)",
        [
            Value(NAMES[ftl], size, at(entry_bytes, FIN1, ftl), "B")
            for ftl, size in (("tpftl", 6), ("dftl", 8))
        ],
    ),
    Claim(
        "T11",
        "4.3",
        "a threshold of 3 recognises most sequential accesses: hits that prefetching adds",
        [Bound("of what the best one adds", recognised(), above=0.5, unit="%")],
    ),
    Claim(
        "T12",
        "5.2(1), Fig. 6a",
        "TPFTL: probability of replacing a dirty entry below 4 %",
        bounds_on(dirty_replacements, ALL, below=0.04),
        reasons.dirty,
    ),
    Claim(
        "T13",
        "5.2(1), Fig. 6a",
        "TPFTL: that probability is 58 to 88.4 points lower in write-dominant workloads",
        [lowered(name, rival) for name in WRITE_DOMINANT for rival in RIVALS],
        partial(reasons.dirty, workloads=WRITE_DOMINANT),
    ),
    Claim(
        "T14",
        "5.2(1), Fig. 6a",
        "every FTL replaces fewest dirty entries in Fin2, and TPFTL the fewest of all",
        [
            *(fewest_in_fin2(ftl) for ftl in ("dftl", "sftl", "tpftl")),
            *(ascending(dirty_replacements, "financial2", "tpftl", rival) for rival in RIVALS),
        ],
        reasons.dirty,
    ),
    Claim(
        "T15",
        "5.2(1), Fig. 6a",
        "S-FTL replaces fewer dirty entries than DFTL in Financial, more in MSR",
        [
            *(ascending(dirty_replacements, name, "sftl", "dftl") for name in FINANCIAL),
            *(ascending(dirty_replacements, name, "dftl", "sftl") for name in MSR),
        ],
        reasons.dirty,
    ),
    Claim(
        "T16",
        "5.2(1), Fig. 6b",
        "TPFTL: hit ratio in Financial, mean",
        means(HITS, FINANCIAL, dftl=0.148, sftl=0.155),
        partial(reasons.hits, workloads=FINANCIAL),
    ),
    Claim(
        "T17",
        "5.2(1), Fig. 6b",
        "TPFTL: hit ratio in MSR: mean against DFTL, as S-FTL, above 95 %",
        [*means(HITS, MSR, dftl=0.164, sftl=0.0), *bounds_on(HITS, MSR, above=0.95)],
        partial(reasons.hits, workloads=MSR),
    ),
    Claim(
        "T18",
        "5.2(1), Fig. 6b",
        "S-FTL's hit ratio is DFTL's in Financial, higher in MSR",
        [
            *(
                Change(SHORT[name], 0.0, against(HITS, name, "dftl", ftl="sftl"))
                for name in FINANCIAL
            ),
            *(ascending(HITS, name, "dftl", "sftl") for name in MSR),
        ],
        reasons.hits,
    ),
    Claim(
        "T19",
        "5.2(2), Fig. 6c",
        "TPFTL: translation page reads in Financial, mean",
        means(tp_reads, FINANCIAL, dftl=-0.442, sftl=-0.349),
        partial(reasons.translation_reads, workloads=FINANCIAL),
    ),
    Claim(
        "T20",
        "5.2(2), Fig. 6c",
        "TPFTL: translation page reads in MSR, mean",
        means(tp_reads, MSR, dftl=-0.877, sftl=-0.133),
        partial(reasons.translation_reads, workloads=MSR),
    ),
    Claim(
        "T21",
        "5.2(2), Fig. 6d",
        "TPFTL: translation page writes in Financial, mean",
        means(tp_writes, FINANCIAL, dftl=-0.505, sftl=-0.314),
        partial(reasons.translation_writes, workloads=FINANCIAL),
    ),
    Claim(
        "T22",
        "5.2(2), Fig. 6d",
        "TPFTL: translation page writes in MSR, mean",
        means(tp_writes, MSR, dftl=-0.988, sftl=-0.926),
        partial(reasons.translation_writes, workloads=MSR),
    ),
    Claim(
        "T23",
        "5.2(3), Fig. 6e",
        "TPFTL: response time in Fin1",
        means(RESPONSE, (FIN1,), dftl=-0.235, sftl=-0.241),
        partial(reasons.responses, workloads=(FIN1,)),
    ),
    Claim(
        "T24",
        "5.2(3), Fig. 6e",
        "TPFTL: response time in Fin2",
        means(RESPONSE, ("financial2",), dftl=-0.209, sftl=-0.117),
        partial(reasons.responses, workloads=("financial2",)),
    ),
    Claim(
        "T25",
        "5.2(3), Fig. 6e",
        "TPFTL: response time in MSR, mean against DFTL; as S-FTL and the optimal FTL",
        [
            *means(RESPONSE, MSR, dftl=-0.576, sftl=0.0),
            Change("vs optimal", 0.0, mean_against(RESPONSE, MSR, "page")),
        ],
        partial(reasons.responses, workloads=MSR),
    ),
    Claim(
        "T26",
        "5.2(3), Fig. 6e",
        "S-FTL's response time is a little above DFTL's in Fin1",
        [ascending(RESPONSE, FIN1, "dftl", "sftl", unit="us")],
        partial(reasons.responses, workloads=(FIN1,)),
    ),
    Claim(
        "T27",
        "5.2(4), Fig. 6f",
        "write amplification in MSR is close to 1",
        [
            Value(f"{SHORT[name]} {NAMES[ftl]}", 1.0, at(AMPLIFICATION, name, ftl))
            for name in MSR
            for ftl in NAMES
        ],
        partial(reasons.amplification, workloads=MSR),
    ),
    Claim(
        "T28",
        "5.2(4), Fig. 6f",
        "write amplification in Financial lies between 2.4 and 5.1",
        [
            Bound("lowest", least(AMPLIFICATIONS), above=2.4, below=5.1),
            Bound("highest", most(AMPLIFICATIONS), above=2.4, below=5.1),
        ],
        partial(reasons.amplification, workloads=FINANCIAL),
    ),
    Claim(
        "T29",
        "5.2(4), Fig. 6f",
        "TPFTL: write amplification in Financial, mean",
        means(AMPLIFICATION, FINANCIAL, dftl=-0.262, sftl=-0.131),
        partial(reasons.amplification, workloads=FINANCIAL),
    ),
    Claim(
        "T30",
        "5.2(4), Fig. 6f",
        "TPFTL: write amplification in MSR, mean",
        means(AMPLIFICATION, MSR, dftl=-0.138, sftl=-0.023),
        partial(reasons.amplification, workloads=MSR),
    ),
    Claim(
        "T31",
        "5.2(4), Fig. 7a",
        "TPFTL: erases, mean and best",
        [*erases_saved("dftl", -0.345, -0.556), *erases_saved("sftl", -0.118, -0.171)],
        reasons.amplification,
    ),
    Claim(
        "T32",
        "5.2(5), Fig. 7b",
        "Fin1: b lowers the probability of replacing a dirty entry much, c alone a little",
        [
            Order("drop", DROPS, "%+"),
            Bound("drop of b", DROPS["b"], above=0.5, unit="%+"),
            Bound("drop of c", DROPS["c"], above=0.0, below=0.25, unit="%+"),
        ],
        partial(reasons.techniques, workloads=(FIN1,)),
    ),
    Claim(
        "T33",
        "5.2(5), Fig. 7b",
        "Fin1: bc against b, probability of replacing a dirty entry",
        [Change("", -0.543, ablation(dirty_replacements, "bc", "b"))],
        partial(reasons.techniques, workloads=(FIN1,)),
    ),
    Claim(
        "T34",
        "5.2(5), Fig. 7b",
        "Fin1: rsbc replaces more dirty entries than bc",
        [
            ordered(
                dirty_replacements,
                {"bc": (FIN1, "tpftl", "bc"), "rsbc": (FIN1, "tpftl", "rsbc")},
            )
        ],
        partial(reasons.techniques, workloads=(FIN1,)),
    ),
    Claim(
        "T35",
        "5.2(5), Fig. 7c",
        "Fin1: hit ratio by prefetching",
        ablations(HITS, r=0.047, s=0.056, rs=0.11),
        partial(reasons.prefetching, workloads=(FIN1,)),
    ),
    Claim(
        "T36",
        "5.2(5), Fig. 7c",
        "Fin1: - hits a little more often than DFTL; replacement hardly matters",
        [
            ordered(HITS, {"DFTL": (FIN1, "dftl"), "-": (FIN1, "tpftl", "-")}),
            *ablations(HITS, b=0.0, c=0.0, bc=0.0),
        ],
        partial(reasons.prefetching, workloads=(FIN1,)),
    ),
    Claim(
        "T37",
        "5.2(5), Fig. 8a",
        "Fin1: response time by techniques; bc is better than rsbc",
        [
            *ablations(RESPONSE, bc=-0.249, rs=-0.104),
            ordered(
                RESPONSE,
                {"bc": (FIN1, "tpftl", "bc"), "rsbc": (FIN1, "tpftl", "rsbc")},
                "us",
            ),
        ],
        partial(reasons.techniques, workloads=(FIN1,)),
    ),
    Claim(
        "T38",
        "5.2(5), Fig. 8b",
        "Fin1: write amplification by techniques",
        ablations(AMPLIFICATION, bc=-0.211, rs=-0.091),
        partial(reasons.techniques, workloads=(FIN1,)),
    ),
    Claim(
        "T39",
        "5.2(6), Fig. 8c",
        "TPFTL: a larger cache replaces fewer dirty entries, the largest none",
        [
            *over_caches(dirty_replacements, rising=False),
            *(
                Value(f"{SHORT[name]} at 1", 0.0, at(dirty_replacements, name, "tpftl", "1"), "%")
                for name in ALL
            ),
        ],
        reasons.caches,
    ),
    Claim(
        "T40",
        "5.2(6), Fig. 9a",
        "TPFTL: a larger cache hits more often, the largest always",
        [
            *over_caches(HITS, rising=True),
            *(
                Bound(f"{SHORT[name]} at 1", at(HITS, name, "tpftl", "1"), above=1.0, unit="%")
                for name in ALL
            ),
        ],
        reasons.caches,
    ),
    Claim(
        "T41",
        "5.2(6), Fig. 9b, 9c",
        "TPFTL: response time and write amplification fall with the cache; in MSR little",
        [
            *over_caches(RESPONSE, rising=False, unit="us"),
            *over_caches(AMPLIFICATION, rising=False, unit=""),
            *map(little_effect, MSR),
        ],
        reasons.caches,
    ),
    Claim(
        "T42",
        "5.2(6)",
        "TPFTL in MSR: hit ratio above 92 %, dirty replacements below 8 % for every cache",
        [each for name in MSR for each in any_cache(name)],
        partial(reasons.caches, workloads=MSR),
    ),
    Claim(
        "T43",
        "5.2(7), Fig. 10",
        "TPFTL uses the cache better than DFTL, up to 33 %; more with its size, more in MSR",
        [
            *(each for name in ALL for each in gained(name)),
            Order(
                "at 1/128",
                {"Financial": most(gained_over(FINANCIAL)), "MSR": least(gained_over(MSR))},
                "%+",
            ),
        ],
        reasons.utilization,
    ),
    Claim(
        "T44",
        "5.1",
        "CDFTL performs worse than S-FTL",
        [ascending(RESPONSE, name, "sftl", "cdftl", unit="us") for name in ALL],
        reasons.cdftl,
    ),
    Claim(
        "T45",
        "5.2(3)",
        "against DFTL, response time gains less than translation page writes",
        [small_gain(name) for name in ALL],
        reasons.responses,
    ),
    Claim(
        "T46",
        "1",
        "1 TB in pages of 4 KB at 8 B is a table of 2 GB; an erase takes about 10 writes",
        [
            Value(
                "table of 1 TB, GiB",
                2,
                1024 / at("config.device.page", FIN1, "tpftl") * 8,
            ),
            Value(
                "erase / write",
                10,
                at("config.device.erase", FIN1, "tpftl")
                / at("config.device.program", FIN1, "tpftl"),
            ),
        ],
    ),
)

ORDERINGS = (
    Claim(
        "O1",
        "5.2(2)",
        "translation page writes: optimal ≤ TPFTL ≤ DFTL and S-FTL",
        [*chain(tp_writes, "dftl"), *chain(tp_writes, "sftl")],
        reasons.translation_writes,
    ),
    Claim(
        "O2",
        "5.2(3)",
        "mean response time, us: optimal ≤ TPFTL ≤ DFTL and S-FTL",
        [*chain(RESPONSE, "dftl"), *chain(RESPONSE, "sftl")],
        reasons.responses,
    ),
    Claim(
        "O3",
        "5.2(5)",
        "dirty replacements: bc < b < c, and bc < rsbc where random writes dominate (Financial)",
        [
            *of_techniques(dirty_replacements, ALL, "bc", "b", "c"),
            *of_techniques(dirty_replacements, FINANCIAL, "bc", "rsbc"),
        ],
        reasons.techniques,
    ),
    Claim(
        "O4",
        "5.2(5)",
        "hit ratio: r < rs, - < s",
        [*of_techniques(HITS, ALL, "r", "rs"), *of_techniques(HITS, ALL, "-", "s")],
        reasons.prefetching,
    ),
    Claim(
        "O5",
        "5.2(1)",
        "TPFTL's hit ratio in MSR is above 95 %",
        bounds_on(HITS, MSR, above=0.95),
        partial(reasons.hits, workloads=MSR),
    ),
    Claim(
        "A1",
        "ours",
        "tpftl-adaptive responds at most 1 % slower than the better of bc and rsbc",
        [adaptive(name) for name in ALL],
        reasons.adaptive,
    ),
)
