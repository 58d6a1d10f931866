"""What the report shows of CACH-FTL's variants: tables, and three figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ftlab.report.tables import Table
from ftlab_papers.cachftl.claims import WORDS
from ftlab_papers.cachftl.points import (
    AS_IT_IS,
    BUFFERS,
    COLLECTED,
    FTLS,
    NAMES,
    SCALED,
    SHORT,
    TEN_ROUNDS,
    TRACES,
    VARIANTS,
    VARIED_REQUESTS,
    longest,
)
from ftlab_papers.cachftl.variants import (
    BY_CACHE,
    BY_PMR,
    SPREAD,
    TABLES,
    changed,
    of_cachftl,
    sizes,
)
from ftlab_papers.cells import cell
from ftlab_papers.charts import bars, lines, panels
from ftlab_papers.inputs import Sources
from ftlab_papers.marks import Marks, Series
from ftlab_papers.measures import at
from ftlab_papers.quantities import AMPLIFICATION, RESPONSE, erases
from ftlab_papers.report import Part
from ftlab_papers.runs import Figure, Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from ftlab.style import Draw


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
