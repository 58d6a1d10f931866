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

from ftlab.experiments.cachftl.claims import to_bmr
from ftlab.experiments.cachftl.points import (
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
from ftlab.experiments.cells import cell
from ftlab.experiments.charts import bars, lines, panels
from ftlab.experiments.claims import Claim, Counterfactual, of
from ftlab.experiments.findings import EQUAL, Bound, Order
from ftlab.experiments.inputs import Sources
from ftlab.experiments.marks import Marks, Series
from ftlab.experiments.measures import Measure, at, relative
from ftlab.experiments.quantities import AMPLIFICATION, RESPONSE, erases
from ftlab.experiments.report import Part, Picture
from ftlab.experiments.runs import Figure, Runs, ratio
from ftlab.report.tables import Table
from ftlab.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from ftlab.experiments.charts import Draw

SPREAD = "wear.erases_stddev"
TABLES = "ram_bytes.tables"

LEVELLED = "out of place, wear gap 2"

BY_CACHE = {size: f"cache of {size} KiB" for size in CACHES} | {2048: AS_IT_IS}
BY_PMR = {share: f"PMR of {share} %" for share in PMRS} | {10: AS_IT_IS}
"""Variants by KiB of C-lash, and by percent of the address space."""


def of_cachftl(figure: Figure, trace: str, variant: str = AS_IT_IS) -> Measure:
    """Return a figure of a variant of CACH-FTL."""
    return at(figure, trace, "cachftl", variant)


def _changed(figure: Figure, trace: str, ftl: str, variant: str, old: str = AS_IT_IS) -> Measure:
    return relative(figure, (trace, ftl, variant), (trace, ftl, old))


def _rises(figure: Figure, unit: str, *variants: str) -> list[Order]:
    """Return the order of CACH-FTL's variants by a figure, on each trace."""
    return [
        Order(
            SHORT[trace],
            {variant: of_cachftl(figure, trace, variant) for variant in variants},
            unit,
        )
        for trace in TRACES
    ]


def _costs(variant: str, old: str, most: float) -> list[Bound]:
    """Return by how much a variant of CACH-FTL may be slower than another, on each trace."""
    return [
        Bound(
            f"{SHORT[trace]}, response",
            _changed(RESPONSE, trace, "cachftl", variant, old),
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
    return f"Groups that go to the BMR: {_told(runs, to_bmr, '%', variants)}."


def filled(result: Result) -> float:
    """Return the share of the PMR that is valid at the end."""
    return ratio(result.own["cachftl.pmr_valid_pages"], result.own["cachftl.pmr_pages"])


def _collected(runs: Runs, *variants: str) -> str:
    """Return what GC copies, and how full it leaves the PMR."""
    return (
        f"Write amplification: {_told(runs, AMPLIFICATION, '', variants)}. Valid pages of the PMR: "
        f"{_told(runs, filled, '%', variants)}."
    )


def _gc_of_pm(runs: Runs) -> str:
    """Return whether PM collects after each warm-up."""
    counted = "; ".join(
        f"{SHORT[trace]} "
        + " and ".join(
            cell(runs, at("gc.runs", trace, "page", variant)) for variant in (AS_IT_IS, TEN_ROUNDS)
        )
        for trace in TRACES
    )
    return f"GC runs of PM after two and ten rounds: {counted}."


def sizes(found: Mapping[int, str]) -> list[str]:
    """Return the variants of a size, the smallest size first."""
    return [found[size] for size in sorted(found)]


CLAIMS = (
    Claim(
        "A2",
        "5.1",
        "ten rounds of warm-up in place of two change the response by less than 2 %",
        [
            Bound(
                f"{SHORT[trace]}, {NAMES[ftl]}",
                _changed(RESPONSE, trace, ftl, TEN_ROUNDS),
                above=-0.02,
                below=0.02,
                unit="%+",
            )
            for trace in TRACES
            for ftl in VARIANTS[TEN_ROUNDS][0]
        ],
        _gc_of_pm,
    ),
    Claim(
        "A3",
        "4",
        "other buffers leave the four systems in the order of C-lash",
        [
            Bound(f"{buffer}, pairs", partial(same_order, buffer=buffer), above=1.0, unit="%")
            for buffer in BUFFERS
        ],
        lambda runs: _groups(runs, AS_IT_IS, *BUFFERS),
    ),
    Claim(
        "A4",
        "4.3.1",
        "the block with most superseded pages is a better victim than the oldest",
        _rises(RESPONSE, "us", AS_IT_IS, "FIFO"),
        lambda runs: _collected(runs, AS_IT_IS, "FIFO"),
    ),
    Claim(
        "A5",
        "7",
        "a victim by cost and benefit is a better one",
        _rises(RESPONSE, "us", "cost-benefit", AS_IT_IS),
        lambda runs: _collected(runs, "cost-benefit", AS_IT_IS),
    ),
    Claim(
        "A6",
        "7",
        "a PMR whose size adapts has a smaller map",
        _rises(TABLES, "B", "adaptive PMR", AS_IT_IS),
    ),
    Claim(
        "A7",
        "7",
        "it costs no more than 10 % of the response",
        _costs("adaptive PMR", AS_IT_IS, 0.1),
        lambda runs: _collected(runs, "adaptive PMR", AS_IT_IS),
    ),
    Claim(
        "A8",
        "7",
        "a wear leveller narrows the spread of erases, and costs no more than 2 % of the response",
        [
            *_rises(SPREAD, "", LEVELLED, "out of place"),
            *_costs(LEVELLED, "out of place", 0.02),
        ],
    ),
    Claim(
        "A9",
        "7",
        "the larger the cache the shorter the response",
        _rises(RESPONSE, "us", *sizes(BY_CACHE)[::-1]),
        lambda runs: _groups(runs, *sizes(BY_CACHE)),
    ),
    Claim(
        "A10",
        "7",
        "the larger the PMR the shorter the response",
        _rises(RESPONSE, "us", *sizes(BY_PMR)[::-1]),
    ),
)

COUNTERFACTUALS = (
    Counterfactual(
        "four rounds",
        "four rounds of warm-up in place of two, against ten",
        ("A2",),
        {"run": {"warmup": "replay:4"}},
        only=lambda key: key[2:] == (AS_IT_IS,),
    ),
    Counterfactual(
        "threshold 16",
        "groups of up to 16 pages to the PMR",
        ("A3", "A9"),
        {"cachftl": {"threshold": 16}},
        only=of("cachftl"),
    ),
    Counterfactual(
        "no padding",
        "BPLRU that does not complete the blocks that leave, so that groups stay as they are",
        ("A3",),
        {"buffer": {"padding": False}},
        only=lambda key: key[2:] == ("bplru",),
    ),
    Counterfactual(
        "16 pages",
        "PMR-GC of blocks with 16 superseded pages",
        ("A4",),
        {"cachftl": {"enough": 16}},
        only=of("cachftl"),
    ),
)


def part(runs: Runs, sources: Sources) -> Part:
    """Return the part of the report: tables of warm-ups, buffers and CACH-FTL, and charts."""
    there = [trace for trace in TRACES if longest(sources, trace)]
    return Part(
        "Variants",
        (f"{TEXT} Volumes: {', '.join(str(longest(sources, trace)) for trace in there)}.",),
        [
            _warmed(runs, there),
            *(table(runs, trace) for trace in there for table in (_buffers, _changed_one)),
        ],
        [
            Picture(
                "variants-systems",
                "(a) response after ten rounds of warm-up against two; (b) to (d) response in us "
                "below each buffer.",
                lambda: systems(runs, there),
            ),
            Picture(
                "variants-sizes",
                "CACH-FTL's response in us (a) over the size of C-lash, (b) over that of the PMR; "
                "(c) its map in bytes.",
                lambda: over_sizes(runs, there),
            ),
            Picture(
                "variants-gc",
                "CACH-FTL with other GC and wear levelling: (a) response in us, (b) standard "
                "deviation of erases.",
                lambda: collectors(runs, there),
            ),
        ],
    )


TEXT = (
    "One thing is changed at a time, on the volume of each trace that has most requests, of which "
    f"the first {VARIED_REQUESTS:,} are run: ten rounds of warm-up (5.1), other buffers (section "
    "4), other sizes of cache and PMR, GC and wear levelling (section 7). A wear gap moves blocks "
    "of the BMR, which are rewritten out of place for that."
)


def _warmed(runs: Runs, traces: Sequence[str]) -> Table:
    rows = [
        [NAMES[ftl]]
        + [
            cell(runs, term, unit)
            for trace in traces
            for term, unit in (
                (at(RESPONSE, trace, ftl, AS_IT_IS), ""),
                (_changed(RESPONSE, trace, ftl, TEN_ROUNDS), "%+"),
            )
        ]
        for ftl in VARIANTS[TEN_ROUNDS][0]
    ]
    header = [f"{SHORT[trace]}{what}" for trace in traces for what in (", us", ", ten rounds")]
    return Table(["warm-up", *header], rows)


def _buffers(runs: Runs, trace: str) -> Table:
    rows = [
        [name, *(cell(runs, at(RESPONSE, trace, ftl, variant)) for ftl in FTLS)]
        for name, variant in BY_BUFFER.items()
    ]
    return Table([f"{SHORT[trace]}, response, us", *(NAMES[ftl] for ftl in FTLS)], rows)


BY_BUFFER = {"C-lash": AS_IT_IS} | {buffer: buffer for buffer in BUFFERS}


def _changed_one(runs: Runs, trace: str) -> Table:
    figures: tuple[Figure, ...] = (RESPONSE, erases, SPREAD, AMPLIFICATION, TABLES)
    rows = [
        [variant, *(cell(runs, of_cachftl(figure, trace, variant)) for figure in figures)]
        for variant in (AS_IT_IS, *COLLECTED, *SCALED)
    ]
    header = ["response, us", "erases", "their spread", "write amplification", "map, B"]
    return Table([f"{SHORT[trace]}, CACH-FTL", *header], rows)


def systems(runs: Runs, traces: Sequence[str]) -> Drawing:
    """Draw the systems after each warm-up and below each buffer."""
    mark = Marks(runs, {})
    warmed = [
        Series(
            NAMES[ftl], [mark(_changed(RESPONSE, each, ftl, TEN_ROUNDS)) for each in traces], ftl
        )
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
