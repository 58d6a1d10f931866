"""What the paper argues and does not run, and what its last section leaves for later.

Each variant changes one thing, on one volume of each trace; what is expected of it is a claim of
ours, A2 to A10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING

from ftlab import Result
from ftlab.report.tables import Table
from ftlab_papers.cachftl.points import (
    AS_IT_IS,
    BUFFERS,
    CACHES,
    COLLECTED,
    FTLS,
    NAMES,
    PMRS,
    SCALED,
    SHORT,
    TEN_ROUNDS,
    TRACES,
    VARIANTS,
    VARIED_REQUESTS,
    longest,
)
from ftlab_papers.cachftl.quantities import to_bmr
from ftlab_papers.cachftl.reasons import WORDS
from ftlab_papers.charts import bars, lines, panels
from ftlab_papers.findings import EQUAL, Bound, Statement, rising
from ftlab_papers.inputs import Sources
from ftlab_papers.marks import Marks, Series
from ftlab_papers.measures import Measure, at, relative
from ftlab_papers.quantities import AMPLIFICATION, RESPONSE, cell, crossed, erases
from ftlab_papers.report import Part
from ftlab_papers.runs import Figure, Runs, ratio
from ftlab_papers.tables import Says

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from ftlab.style import Draw

SPREAD = "wear.erases_stddev"
TABLES = "ram_bytes.tables"

LEVELLED = "out of place, wear gap 2"

BY_CACHE = {size: f"cache of {size} KiB" for size in CACHES} | {2048: AS_IT_IS}
BY_BUFFER = {"C-lash": AS_IT_IS} | {buffer: buffer for buffer in BUFFERS}
BY_PMR = {share: f"PMR of {share} %" for share in PMRS} | {10: AS_IT_IS}
"""Variants by KiB of C-lash, by buffer, and by percent of the address space."""


def of_cachftl(figure: Figure, trace: str, variant: str = AS_IT_IS) -> Measure:
    """Return a figure of a variant of CACH-FTL."""
    return at(figure, trace, "cachftl", variant)


def changed(figure: Figure, trace: str, ftl: str, variant: str, old: str = AS_IT_IS) -> Measure:
    """Return a variant / another - 1 of an FTL's figure."""
    return relative(figure, (trace, ftl, variant), (trace, ftl, old))


def _rises(figure: Figure, unit: str, *variants: str) -> list[Statement]:
    """Return the order of CACH-FTL's variants by a figure, on each trace."""
    names = {trace: SHORT[trace] for trace in TRACES}
    return rising(lambda *named: of_cachftl(figure, *named), unit, variants, names)


def _costs(variant: str, old: str, most: float) -> list[Bound]:
    """Return by how much a variant of CACH-FTL may be slower than another, on each trace."""
    return [
        Bound(
            f"{SHORT[trace]}, response",
            changed(RESPONSE, trace, "cachftl", variant, old),
            below=most,
            unit="%+",
        )
        for trace in TRACES
    ]


def same_order(runs: Runs, buffer: str) -> float:
    """Return the share of pairs of systems that a buffer leaves in the order of C-lash."""

    def order(trace: str, pair: Sequence[str], variant: str) -> int:
        first, second = (runs(RESPONSE, trace, ftl, variant) for ftl in pair)
        if abs(first - second) <= EQUAL * max(first, second):
            return 0
        return 1 if first > second else -1

    return fmean(
        order(trace, pair, buffer) * order(trace, pair, AS_IT_IS) >= 0
        for trace in TRACES
        for pair in combinations(FTLS, 2)
    )


def _told(runs: Runs, figure: Figure, unit: str, variants: Sequence[str]) -> str:
    """Return a figure of variants of CACH-FTL on each trace, as a sentence."""
    return "; ".join(
        f"{variant} "
        + ", ".join(
            f"{SHORT[trace]} {cell(runs, of_cachftl(figure, trace, variant), unit)}"
            for trace in TRACES
        )
        for variant in variants
    )


def _groups(runs: Runs, *variants: str) -> str:
    return WORDS("groups", groups=_told(runs, to_bmr, "%", variants))


def filled(result: Result) -> float:
    """Return the share of the PMR that is valid at the end."""
    return ratio(result.own["cachftl.pmr_valid_pages"], result.own["cachftl.pmr_pages"])


def _collected(runs: Runs, *variants: str) -> str:
    return WORDS(
        "collected",
        amplification=_told(runs, AMPLIFICATION, "", variants),
        filled=_told(runs, filled, "%", variants),
    )


def _rounds(runs: Runs) -> str:
    counted = "; ".join(
        f"{SHORT[trace]} "
        + " and ".join(
            cell(runs, at("gc.runs", trace, "page", variant)) for variant in (AS_IT_IS, TEN_ROUNDS)
        )
        for trace in TRACES
    )
    return WORDS("rounds", counted=counted)


def sizes(found: Mapping[int, str]) -> list[str]:
    """Return the variants of a size, the smallest size first."""
    return [found[size] for size in sorted(found)]


SAYS: Says = {
    "A2": [
        Bound(
            f"{SHORT[trace]}, {NAMES[ftl]}",
            changed(RESPONSE, trace, ftl, TEN_ROUNDS),
            above=-0.02,
            below=0.02,
            unit="%+",
        )
        for trace in TRACES
        for ftl in VARIANTS[TEN_ROUNDS][0]
    ],
    "A3": [
        Bound(f"{buffer}, pairs", partial(same_order, buffer=buffer), above=1.0, unit="%")
        for buffer in BUFFERS
    ],
    "A4": _rises(RESPONSE, "us", AS_IT_IS, "FIFO"),
    "A5": _rises(RESPONSE, "us", "cost-benefit", AS_IT_IS),
    "A6": _rises(TABLES, "B", "adaptive PMR", AS_IT_IS),
    "A7": _costs("adaptive PMR", AS_IT_IS, 0.1),
    "A8": [*_rises(SPREAD, "", LEVELLED, "out of place"), *_costs(LEVELLED, "out of place", 0.02)],
    "A9": _rises(RESPONSE, "us", *sizes(BY_CACHE)[::-1]),
    "A10": _rises(RESPONSE, "us", *sizes(BY_PMR)[::-1]),
}

REASONS = {"groups": _groups, "collected": _collected, "rounds": _rounds}

NAMED = {"buffers": BUFFERS, "caches": sizes(BY_CACHE)}
"""Variants by the names that the table of claims has for several."""


def part(runs: Runs, sources: Sources) -> Part:
    """Return the part of the report: tables of warm-ups, buffers and CACH-FTL, and charts."""
    found = {trace: volume for trace in TRACES if (volume := longest(sources, trace))}
    there = list(found)
    by_trace = [table(runs, trace) for trace in there for table in (_buffers, _changed_one)]
    return WORDS.part(
        "Variants",
        [_warmed(runs, there), *by_trace],
        {
            "variants-systems": lambda: systems(runs, there),
            "variants-sizes": lambda: over_sizes(runs, there),
            "variants-gc": lambda: collectors(runs, there),
        },
        requests=VARIED_REQUESTS,
        volumes=", ".join(found.values()),
    )


def _warmed(runs: Runs, traces: Sequence[str]) -> Table:
    rows = [
        [NAMES[ftl]]
        + [
            cell(runs, term, unit)
            for trace in traces
            for term, unit in (
                (at(RESPONSE, trace, ftl, AS_IT_IS), ""),
                (changed(RESPONSE, trace, ftl, TEN_ROUNDS), "%+"),
            )
        ]
        for ftl in VARIANTS[TEN_ROUNDS][0]
    ]
    header = [f"{SHORT[trace]}{what}" for trace in traces for what in (", us", ", ten rounds")]
    return Table(["warm-up", *header], rows)


def _buffers(runs: Runs, trace: str) -> Table:
    ftls = {name: ftl for ftl, name in NAMES.items()}
    what = f"{SHORT[trace]}, response, us"
    return crossed(runs, what, BY_BUFFER, ftls, lambda each, ftl: at(RESPONSE, trace, ftl, each))


def _changed_one(runs: Runs, trace: str) -> Table:
    variants = {each: each for each in (AS_IT_IS, *COLLECTED, *SCALED)}
    figures: dict[str, Figure] = {
        "response, us": RESPONSE,
        "erases": erases,
        "their spread": SPREAD,
        "write amplification": AMPLIFICATION,
        "map, B": TABLES,
    }
    what = f"{SHORT[trace]}, CACH-FTL"
    return crossed(runs, what, variants, figures, lambda v, figure: of_cachftl(figure, trace, v))


def systems(runs: Runs, traces: Sequence[str]) -> Drawing:
    """Draw the systems after each warm-up and below each buffer."""
    mark = Marks(runs, {})
    warmed = [
        Series(NAMES[ftl], [mark(changed(RESPONSE, each, ftl, TEN_ROUNDS)) for each in traces], ftl)
        for ftl in VARIANTS[TEN_ROUNDS][0]
    ]

    def buffers(trace: str) -> Draw:
        series = [
            Series(name, [mark(at(RESPONSE, trace, ftl, each)) for each in BY_BUFFER.values()], ftl)
            for ftl, name in NAMES.items()
        ]
        return bars(SHORT[trace], list(BY_BUFFER), series)

    first = bars("ten rounds", [SHORT[trace] for trace in traces], warmed, percent=True)
    return panels([first, *map(buffers, traces)], columns=2)


def over_sizes(runs: Runs, traces: Sequence[str]) -> Drawing:
    """Draw CACH-FTL over the sizes of cache and PMR."""
    mark = Marks(runs, {})

    def over(what: str, figure: Figure, found: Mapping[int, str], label: str) -> Draw:
        series = [
            Series(SHORT[trace], [mark(of_cachftl(figure, trace, each)) for each in sizes(found)])
            for trace in traces
        ]
        return lines(what, sorted(found), series, label=label)

    return panels(
        [
            over("response", RESPONSE, BY_CACHE, "C-lash, KiB"),
            over("response", RESPONSE, BY_PMR, "PMR, %"),
            over("map", TABLES, BY_PMR, "PMR, %"),
        ]
    )


def collectors(runs: Runs, traces: Sequence[str]) -> Drawing:
    """Draw CACH-FTL with other GC and wear levelling."""
    mark = Marks(runs, {})

    def each(what: str, figure: Figure) -> Draw:
        series = [
            Series(variant, [mark(of_cachftl(figure, trace, variant)) for trace in traces])
            for variant in (AS_IT_IS, *COLLECTED)
        ]
        return bars(what, [SHORT[trace] for trace in traces], series)

    return panels([each("response", RESPONSE), each("spread of erases", SPREAD)], columns=2)
