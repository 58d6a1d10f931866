"""What TPFTL's paper claims: T1 to T46, in the order of the paper.

O1 to O5 are the orderings that it rests on, on all four workloads; A1 is ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from statistics import fmean, median

from ftlab.experiments.claims import (
    Claim,
    Figure,
    Finding,
    Runs,
    bound,
    change,
    order,
    ratio,
    value,
)
from ftlab.experiments.tpftl import reasons
from ftlab.experiments.tpftl.points import ALL, CACHES, FINANCIAL, MSR, NAMES, SHORT
from ftlab.experiments.tpftl.quantities import (
    AMPLIFICATION,
    HITS,
    RESPONSE,
    dirty_replacements,
    entry_bytes,
    erases,
    mean_dirty,
    per_page,
    samples,
    share_of_pages,
    tp_reads,
    tp_writes,
    utilization_gain,
)

WRITE_DOMINANT = ("financial1", *MSR)
RIVALS = {"dftl": "vs DFTL", "sftl": "vs S-FTL"}
FIN1 = "financial1"

Find = Callable[[Runs], Iterable[Finding]]


def means(figure: Figure, workloads: Sequence[str], **published: float) -> Find:
    """Return a finding for each rival: TPFTL's mean change over workloads."""
    return lambda runs: [
        change(RIVALS[rival], figure_, runs.mean_change(figure, "tpftl", rival, workloads))
        for rival, figure_ in published.items()
    ]


def losses(figure: Figure, published: Sequence[float]) -> Find:
    """Return a finding for each workload: what DFTL loses against the optimal FTL."""
    return lambda runs: [
        change(SHORT[name], figure_, loss(runs, figure, name))
        for name, figure_ in zip(ALL, published, strict=True)
    ]


def loss(runs: Runs, figure: Figure, workload: str) -> float:
    """Return 1 - optimal / DFTL (choices.md#tpftl-deviation)."""
    return -runs.change(figure, (workload, "page"), (workload, "dftl"))


def ablations(figure: Figure, **published: float) -> Find:
    """Return a finding for each set of techniques on Financial1: the change against none."""
    return lambda runs: [
        change(f"{features} vs -", figure_, ablation(runs, figure, features, "-"))
        for features, figure_ in published.items()
    ]


def ablation(runs: Runs, figure: Figure, new: str, old: str) -> float:
    """Return the change between two sets of techniques on Financial1."""
    return runs.change(figure, (FIN1, "tpftl", new), (FIN1, "tpftl", old))


def ordered(figure: Figure, names: dict[str, tuple[str, ...]], unit: str = "%") -> Find:
    """Return the finding that figures of points ascend in the order of their names."""
    return lambda runs: [order("", {name: runs(figure, *key) for name, key in names.items()}, unit)]


def each(workloads: Sequence[str], find: Callable[[Runs, str], Finding]) -> Find:
    """Return a finding for each workload."""
    return lambda runs: [find(runs, workload) for workload in workloads]


def together(*finds: Find) -> Find:
    """Return the findings of several."""
    return lambda runs: [finding for find in finds for finding in find(runs)]


def two(workload: str, figure: Figure, *ftls: str, unit: str = "%") -> Callable[[Runs], Finding]:
    """Return the finding that FTLs on a workload ascend by a figure."""
    return lambda runs: order(
        SHORT[workload], {NAMES.get(ftl, ftl): runs(figure, workload, ftl) for ftl in ftls}, unit
    )


def lists(*finds: Callable[[Runs], Finding]) -> Find:
    """Return findings one by one."""
    return lambda runs: [find(runs) for find in finds]


def over_caches(figure: Figure, rising: bool, unit: str = "%") -> Find:
    """Return a finding for each workload: the figure rises, or falls, with the cache."""
    shares = CACHES if rising else tuple(reversed(CACHES))
    return each(
        ALL,
        lambda runs, name: order(
            SHORT[name], {share: runs(figure, name, "tpftl", share) for share in shares}, unit
        ),
    )


def reductions(runs: Runs) -> Iterator[Finding]:
    """Yield by how much TPFTL lowers the probability of replacing a dirty entry (T13).

    The published range is read as percentage points (choices.md#tpftl-lowered).
    """
    for name in WRITE_DOMINANT:
        for rival, versus in RIVALS.items():
            ours, theirs = (runs(dirty_replacements, name, ftl) for ftl in ("tpftl", rival))
            lowered = ours - theirs
            what = f"{SHORT[name]} {versus}, points"
            yield bound(what, lowered, above=-0.884, below=-0.58, unit="%+", directed=True)


def lowest_workload(runs: Runs) -> Iterator[Finding]:
    """Yield that every FTL replaces fewest dirty entries in Financial2, TPFTL the fewest (T14)."""
    for ftl in ("dftl", "sftl", "tpftl"):
        least = min(runs(dirty_replacements, name, ftl) for name in WRITE_DOMINANT)
        own = runs(dirty_replacements, "financial2", ftl)
        yield order(NAMES[ftl], {"Fin2": own, "the others": least}, "%")
    for rival in RIVALS:
        yield two("financial2", dirty_replacements, "tpftl", rival)(runs)


def entries_per_page(runs: Runs) -> Iterator[Finding]:
    """Yield how many entries of a translation page DFTL has cached, over time (T4)."""
    for name in ALL:
        means = per_page(samples(runs, name, "dftl"))
        yield bound(f"{SHORT[name]} most", max(means), below=150)
        below = fmean(mean <= 90 for mean in means)
        yield bound(f"{SHORT[name]} time below 90", below, above=0.5, unit="%")


def dirty_per_page(runs: Runs) -> Iterator[Finding]:
    """Yield how many dirty entries of a translation page DFTL has cached (T5)."""
    for name in WRITE_DOMINANT:
        histogram = samples(runs, name, "dftl")["pages_by_dirty_entries"]
        several = share_of_pages(histogram, above=1)
        yield bound(f"{SHORT[name]} more than one", several, above=0.53, below=0.71, unit="%")
        yield bound(f"{SHORT[name]} mean", mean_dirty(histogram), above=15)


def sharp_falls(runs: Runs) -> Iterator[Finding]:
    """Yield how far the number of cached translation pages falls (T6).

    A fall is sharp that leads at least 25 % below the median; its end is a return to the median.
    """
    pages = samples(runs, FIN1, "dftl")["translation_pages"]
    usual = median(pages)
    lowest = min(range(len(pages)), key=pages.__getitem__)
    yield bound("deepest fall below the median", 1 - pages[lowest] / usual, above=0.25, unit="%")
    after = max(pages[lowest:]) / usual
    yield bound("highest of the median after it", after, above=1.0, unit="%")


def as_stated(runs: Runs) -> Iterator[Finding]:
    """Yield the arithmetic of the introduction (T46)."""
    device = runs[FIN1, "tpftl"]["config"]["device"]
    table_bytes = (1 << 40) / device["page"] * 8
    yield value("table of 1 TB, GiB", 2, table_bytes / (1 << 30))
    yield value("erase / write", 10, device["erase"] / device["program"])


def small_gains(runs: Runs) -> Iterator[Finding]:
    """Yield that the response time gains less than the writes of translation pages (T45)."""
    for name in ALL:
        new, old = (name, "tpftl"), (name, "dftl")
        gains = {
            "response": -runs.change(RESPONSE, new, old),
            "TP writes": -runs.change(tp_writes, new, old),
        }
        yield order(SHORT[name], gains, "%+")


def utilization(runs: Runs) -> Iterator[Finding]:
    """Yield what compressed entries gain (T43)."""
    for name in ALL:
        gains = {share: runs(utilization_gain, name, "tpftl", share) for share in CACHES}
        yield order(SHORT[name], gains, "%+")
        yield change(f"{SHORT[name]} largest", 0.33, max(gains.values()))
    least = min(runs(utilization_gain, name, "tpftl") for name in MSR)
    most = max(runs(utilization_gain, name, "tpftl") for name in FINANCIAL)
    yield order("at 1/128", {"Financial": most, "MSR": least}, "%+")


def little_effect(runs: Runs, name: str) -> Finding:
    """Return what the largest cache gains in MSR; at most 10 % is little (T41)."""
    largest, smallest = (name, "tpftl", CACHES[-1]), (name, "tpftl", CACHES[0])
    gain = -runs.change(RESPONSE, largest, smallest)
    return bound(f"{SHORT[name]} response, largest against smallest", gain, below=0.1, unit="%+")


def bounds_on(
    figure: Figure, workloads: Sequence[str], above: float = -math.inf, below: float = math.inf
) -> Find:
    """Return a finding for each workload: TPFTL's figure keeps within bounds."""
    return each(
        workloads,
        lambda runs, name: bound(
            SHORT[name], runs(figure, name, "tpftl"), above=above, below=below, unit="%"
        ),
    )


def any_cache(runs: Runs) -> Iterator[Finding]:
    """Yield TPFTL's worst figures over all caches in MSR (T42)."""
    for name in MSR:
        keys = [(name, "tpftl", share) for share in CACHES]
        hits = min(runs(HITS, *key) for key in keys)
        yield bound(f"{SHORT[name]} lowest hit ratio", hits, above=0.92, unit="%")
        dirty = max(runs(dirty_replacements, *key) for key in keys)
        yield bound(f"{SHORT[name]} highest P", dirty, below=0.08, unit="%")


def amplifications(runs: Runs) -> Iterator[Finding]:
    """Yield the lowest and highest write amplification in Financial (T28)."""
    found = [runs(AMPLIFICATION, name, ftl) for name in FINANCIAL for ftl in NAMES]
    yield bound("lowest", min(found), above=2.4, below=5.1)
    yield bound("highest", max(found), above=2.4, below=5.1)


def erase_counts(runs: Runs) -> Iterator[Finding]:
    """Yield how many erases TPFTL saves, in the mean and at best (T31)."""
    for rival, mean, best in (("dftl", -0.345, -0.556), ("sftl", -0.118, -0.171)):
        found = [runs.change(erases, (name, "tpftl"), (name, rival)) for name in ALL]
        yield change(f"{RIVALS[rival]}, mean", mean, fmean(found))
        yield change(f"{RIVALS[rival]}, at best", best, min(found))


def drops(runs: Runs) -> Iterator[Finding]:
    """Yield that batch updates lower the probability much, clean first alone a little (T32)."""
    found = {name: -ablation(runs, dirty_replacements, name, "-") for name in ("c", "b")}
    yield order("drop", found, "%+")
    yield bound("drop of b", found["b"], above=0.5, unit="%+")
    yield bound("drop of c", found["c"], above=0.0, below=0.25, unit="%+")


def adaptive(runs: Runs, name: str) -> Finding:
    """Return how far adaptive prefetching is from the better of the fixed choices (A1)."""
    best = min(runs(RESPONSE, name, "tpftl", features) for features in ("bc", "rsbc"))
    worse = ratio(runs(RESPONSE, name, "tpftl-adaptive"), best) - 1
    return bound(SHORT[name], worse, below=0.01, unit="%+")


def techniques(runs: Runs, name: str) -> Finding:
    """Return that bc replaces fewer dirty entries than b, and b than c (O3)."""
    found = {
        features: runs(dirty_replacements, name, "tpftl", features) for features in ("bc", "b", "c")
    }
    return order(SHORT[name], found, "%")


def of_techniques(figure: Figure, *features: str) -> Find:
    """Return a finding for each workload: sets of techniques ascend by a figure."""
    return each(
        ALL,
        lambda runs, name: order(
            SHORT[name], {each_: runs(figure, name, "tpftl", each_) for each_ in features}, "%"
        ),
    )


def chain(figure: Figure, rival: str, unit: str = "") -> Find:
    """Return a finding for each workload: optimal, TPFTL and a rival ascend by a figure."""
    return lists(*(two(name, figure, "page", "tpftl", rival, unit=unit) for name in ALL))


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
        lambda runs: [
            change(
                "best",
                -0.241,
                min(runs.change(RESPONSE, (name, "tpftl"), (name, "sftl")) for name in ALL),
            )
        ],
        reasons.responses,
    ),
    Claim(
        "T3",
        "1",
        "translation page reads and writes, mean against the state of the art",
        together(means(tp_reads, ALL, sftl=-0.266), means(tp_writes, ALL, sftl=-0.62)),
        reasons.translation_writes,
    ),
    Claim(
        "T4",
        "3.2, Fig. 1a",
        "DFTL: mean of entries in a cached translation page, never above 150, mostly below 90",
        entries_per_page,
        reasons.spread,
    ),
    Claim(
        "T5",
        "3.2, Fig. 1b",
        "DFTL: share of cached translation pages with more than one dirty entry, and their mean",
        dirty_per_page,
        partial(reasons.spread, workloads=WRITE_DOMINANT),
    ),
    Claim(
        "T6",
        "3.2, Fig. 2b",
        "DFTL on Fin1: the number of cached translation pages falls sharply, and recovers",
        sharp_falls,
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
        lambda runs: [
            change("response", 0.584, fmean(loss(runs, RESPONSE, name) for name in ALL)),
            change("erases", 0.423, fmean(loss(runs, erases, name) for name in ALL)),
        ],
        reasons.losses,
    ),
    Claim(
        "T10",
        "4.1",
        "an entry takes 6 B in TPFTL, 8 B in DFTL (cache without nodes / entries)",
        lambda runs: [
            value(NAMES[ftl], size, runs(entry_bytes, FIN1, ftl), "B")
            for ftl, size in (("tpftl", 6), ("dftl", 8))
        ],
    ),
    Claim(
        "T11",
        "4.3",
        "the threshold of selective prefetching is 3 (as set here)",
        lambda runs: [value("", 3, runs("config.tpftl.threshold", FIN1, "tpftl"))],
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
        reductions,
        partial(reasons.dirty, workloads=WRITE_DOMINANT),
    ),
    Claim(
        "T14",
        "5.2(1), Fig. 6a",
        "every FTL replaces fewest dirty entries in Fin2, and TPFTL the fewest of all",
        lowest_workload,
        reasons.dirty,
    ),
    Claim(
        "T15",
        "5.2(1), Fig. 6a",
        "S-FTL replaces fewer dirty entries than DFTL in Financial, more in MSR",
        lists(
            *(two(name, dirty_replacements, "sftl", "dftl") for name in FINANCIAL),
            *(two(name, dirty_replacements, "dftl", "sftl") for name in MSR),
        ),
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
        together(
            means(HITS, MSR, dftl=0.164, sftl=0.0),
            bounds_on(HITS, MSR, above=0.95),
        ),
        partial(reasons.hits, workloads=MSR),
    ),
    Claim(
        "T18",
        "5.2(1), Fig. 6b",
        "S-FTL's hit ratio is DFTL's in Financial, higher in MSR",
        together(
            lambda runs: [
                change(SHORT[name], 0.0, runs.change(HITS, (name, "sftl"), (name, "dftl")))
                for name in FINANCIAL
            ],
            lists(*(two(name, HITS, "dftl", "sftl") for name in MSR)),
        ),
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
        together(
            means(RESPONSE, MSR, dftl=-0.576, sftl=0.0),
            lambda runs: [
                change("vs optimal", 0.0, runs.mean_change(RESPONSE, "tpftl", "page", MSR))
            ],
        ),
        partial(reasons.responses, workloads=MSR),
    ),
    Claim(
        "T26",
        "5.2(3), Fig. 6e",
        "S-FTL's response time is a little above DFTL's in Fin1",
        lists(two(FIN1, RESPONSE, "dftl", "sftl", unit="us")),
        partial(reasons.responses, workloads=(FIN1,)),
    ),
    Claim(
        "T27",
        "5.2(4), Fig. 6f",
        "write amplification in MSR is close to 1",
        lambda runs: [
            value(f"{SHORT[name]} {NAMES[ftl]}", 1.0, runs(AMPLIFICATION, name, ftl))
            for name in MSR
            for ftl in NAMES
        ],
        partial(reasons.amplification, workloads=MSR),
    ),
    Claim(
        "T28",
        "5.2(4), Fig. 6f",
        "write amplification in Financial lies between 2.4 and 5.1",
        amplifications,
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
        erase_counts,
        reasons.amplification,
    ),
    Claim(
        "T32",
        "5.2(5), Fig. 7b",
        "Fin1: b lowers the probability of replacing a dirty entry much, c alone a little",
        drops,
        partial(reasons.techniques, workloads=(FIN1,)),
    ),
    Claim(
        "T33",
        "5.2(5), Fig. 7b",
        "Fin1: bc against b, probability of replacing a dirty entry",
        lambda runs: [change("", -0.543, ablation(runs, dirty_replacements, "bc", "b"))],
        partial(reasons.techniques, workloads=(FIN1,)),
    ),
    Claim(
        "T34",
        "5.2(5), Fig. 7b",
        "Fin1: rsbc replaces more dirty entries than bc",
        ordered(dirty_replacements, {"bc": (FIN1, "tpftl", "bc"), "rsbc": (FIN1, "tpftl", "rsbc")}),
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
        together(
            ordered(HITS, {"DFTL": (FIN1, "dftl"), "-": (FIN1, "tpftl", "-")}),
            ablations(HITS, b=0.0, c=0.0, bc=0.0),
        ),
        partial(reasons.prefetching, workloads=(FIN1,)),
    ),
    Claim(
        "T37",
        "5.2(5), Fig. 8a",
        "Fin1: response time by techniques; bc is better than rsbc",
        together(
            ablations(RESPONSE, bc=-0.249, rs=-0.104),
            ordered(
                RESPONSE,
                {"bc": (FIN1, "tpftl", "bc"), "rsbc": (FIN1, "tpftl", "rsbc")},
                "us",
            ),
        ),
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
        together(
            over_caches(dirty_replacements, rising=False),
            each(
                ALL,
                lambda runs, name: value(
                    f"{SHORT[name]} at 1", 0.0, runs(dirty_replacements, name, "tpftl", "1"), "%"
                ),
            ),
        ),
        reasons.caches,
    ),
    Claim(
        "T40",
        "5.2(6), Fig. 9a",
        "TPFTL: a larger cache hits more often, the largest always",
        together(
            over_caches(HITS, rising=True),
            each(
                ALL,
                lambda runs, name: bound(
                    f"{SHORT[name]} at 1", runs(HITS, name, "tpftl", "1"), above=1.0, unit="%"
                ),
            ),
        ),
        reasons.caches,
    ),
    Claim(
        "T41",
        "5.2(6), Fig. 9b, 9c",
        "TPFTL: response time and write amplification fall with the cache; in MSR little",
        together(
            over_caches(RESPONSE, rising=False, unit="us"),
            over_caches(AMPLIFICATION, rising=False, unit=""),
            each(MSR, little_effect),
        ),
        reasons.caches,
    ),
    Claim(
        "T42",
        "5.2(6)",
        "TPFTL in MSR: hit ratio above 92 %, dirty replacements below 8 % for every cache",
        any_cache,
        partial(reasons.caches, workloads=MSR),
    ),
    Claim(
        "T43",
        "5.2(7), Fig. 10",
        "TPFTL uses the cache better than DFTL, up to 33 %; more with its size, more in MSR",
        utilization,
        reasons.utilization,
    ),
    Claim(
        "T44",
        "5.1",
        "CDFTL performs worse than S-FTL",
        lists(*(two(name, RESPONSE, "sftl", "cdftl", unit="us") for name in ALL)),
        reasons.cdftl,
    ),
    Claim(
        "T45",
        "5.2(3)",
        "against DFTL, response time gains less than translation page writes",
        small_gains,
        reasons.responses,
    ),
    Claim(
        "T46",
        "1",
        "1 TB in pages of 4 KB at 8 B is a table of 2 GB; an erase takes about 10 writes",
        as_stated,
    ),
)

ORDERINGS = (
    Claim(
        "O1",
        "5.2(2)",
        "translation page writes: optimal ≤ TPFTL ≤ DFTL and S-FTL",
        together(chain(tp_writes, "dftl"), chain(tp_writes, "sftl")),
        reasons.translation_writes,
    ),
    Claim(
        "O2",
        "5.2(3)",
        "mean response time, us: optimal ≤ TPFTL ≤ DFTL and S-FTL",
        together(chain(RESPONSE, "dftl"), chain(RESPONSE, "sftl")),
        reasons.responses,
    ),
    Claim(
        "O3",
        "5.2(5)",
        "dirty replacements: bc < b < c, and bc < rsbc",
        together(each(ALL, techniques), of_techniques(dirty_replacements, "bc", "rsbc")),
        reasons.techniques,
    ),
    Claim(
        "O4",
        "5.2(5)",
        "hit ratio: r < rs, - < s",
        together(of_techniques(HITS, "r", "rs"), of_techniques(HITS, "-", "s")),
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
        each(ALL, adaptive),
        reasons.adaptive,
    ),
)
