"""The report: Table 2 compared with ours, RAM, and the proofs about the table itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ftlab.report.tables import ABSENT, Table
from ftlab_papers.claims import Judged
from ftlab_papers.findings import number
from ftlab_papers.inputs import Sources
from ftlab_papers.marks import Marks, Series
from ftlab_papers.measures import At, Term, at, relative
from ftlab_papers.mnftl import variants
from ftlab_papers.mnftl.claims import WORDS, all_copies, copies, data_copies, ram
from ftlab_papers.mnftl.proofs import (
    BLOCKS,
    MOST_BLOCKS,
    PAGES_PER_BLOCK,
    checked,
    mnftl_response_us,
)
from ftlab_papers.mnftl.published import FTLS, KIB, NAMES, RAM_BYTES, TABLE_2, TRACES, Cell
from ftlab_papers.quantities import RESPONSE, cell, erases
from ftlab_papers.report import Part, claim_parts
from ftlab_papers.runs import Figure, NotMeasuredError, Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from ftlab.style import Draw


def parts(runs: Runs, sources: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the report: set-up, claims, Table 2, RAM, the table against itself."""
    part, table_2 = WORDS.part, [_table(runs, *column) for column in COLUMNS]
    wrong = part(
        "Cells of Table 2 that cannot be right",
        [_proofs(), _bounds()],
        blocks=BLOCKS,
        most=MOST_BLOCKS,
    )
    return [
        part("Set-up", [_inputs(runs, sources)]),
        *claim_parts(judged),
        part("Table 2", table_2, {"table-2": lambda: drawn(runs)}),
        part("Copies of MNFTL against DFTL", [_copies(runs)]),
        variants.part(runs),
        part("RAM of 8 GB", [_ram(runs)]),
        wrong,
        part("MNFTL's column by its own formulas", [_formula()]),
    ]


COLUMNS: Sequence[tuple[str, Figure, Callable[[Cell], int]]] = (
    ("mean response, us", RESPONSE, lambda cell: cell.response_us),
    ("valid page copies", copies, lambda cell: cell.copies),
    ("erases", erases, lambda cell: cell.erases),
)
"""The columns of Table 2: name, our value, published value."""


def drawn(runs: Runs) -> Drawing:
    """Draw Table 2."""
    from ftlab_papers.charts import bars, panels

    def panel(name: str, figure: Figure, published: Callable[[Cell], int]) -> Draw:
        said: dict[Term, float] = {
            At(figure, key): float(published(cell)) for key, cell in TABLE_2.items()
        }
        mark = Marks(runs, said)
        series = [
            Series(NAMES[ftl], [mark(at(figure, trace, ftl)) for trace in TRACES], ftl)
            for ftl in FTLS
        ]
        return bars(name, [row.name for row in TRACES.values()], series)

    return panels([panel(*column) for column in COLUMNS], columns=1, wide=True)


def _inputs(runs: Runs, sources: Sources) -> Table:
    rows = []
    for trace, published in TRACES.items():
        host = runs[trace, "page"].host
        share = host.writes / host.requests if host.requests else 0.0
        rows.append(
            [
                published.name,
                sources[trace].described,
                f"{host.requests:,}",
                f"{100 * share:.2f} %",
                f"{100 * published.write_share:.2f} %",
            ]
        )
    return Table(["trace", "what was run", "requests", "writes", "writes, Table 1"], rows)


def _table(runs: Runs, what: str, figure: Figure, published: Callable[[Cell], int]) -> Table:
    rows = []
    for trace, row in TRACES.items():
        cells = [
            f"{published(TABLE_2[trace, ftl]):,} / {_number(runs, figure, trace, ftl)}"
            for ftl in FTLS
        ]
        rows.append([row.name, *cells])
    return Table([what, *(NAMES[ftl] for ftl in FTLS)], rows)


COUNTS: dict[str, Figure] = {
    "data": data_copies,
    "data and map, moved": copies,
    "data and map, moved and rewritten": all_copies,
}


def _copies(runs: Runs) -> Table:
    traces = {trace: row.name for trace, row in TRACES.items() if TABLE_2[trace, "dftl"].copies}

    def change(figure: Figure, trace: str) -> str:
        return cell(runs, relative(figure, (trace, "mnftl"), (trace, "dftl")), "%+")

    published = [
        number(TABLE_2[trace, "mnftl"].copies / TABLE_2[trace, "dftl"].copies - 1, "%+")
        for trace in traces
    ]
    rows = [["published", *published]]
    for name, figure in COUNTS.items():
        rows.append([name, *(change(figure, trace) for trace in traces)])
    return Table(["copies of", *traces.values()], rows)


def _number(runs: Runs, figure: Figure, *key: str) -> str:
    try:
        return f"{runs(figure, *key):,.0f}"
    except NotMeasuredError:
        return ABSENT


def _ram(runs: Runs) -> Table:
    def kib(figure: float) -> str:
        return f"{figure / KIB:,.0f}"

    rows = [
        [NAMES[ftl], kib(RAM_BYTES[ftl]), kib(runs(ram, "ram", ftl)), RAM_NOTES[ftl]]
        for ftl in FTLS
    ]
    return Table(["KiB", "published", "ours", "what is counted"], rows)


RAM_NOTES = {
    "page": "3 B for each page",
    "dftl": "the cache, and 4 B for each of 8172 translation pages",
    "gftl": "two block numbers per logical block, a page number for each page of the buffer",
    "superblock": "six block numbers of 2 B and a page number of 3 B per superblock",
    "mnftl": "8 page numbers and 4 B per logical block, 6 B per physical block",
}


def _proofs() -> Table:
    rows = []
    for each in checked():
        for proof in each.proofs:
            rows.append([TRACES[each.trace].name, NAMES[each.ftl], proof])
    return Table(["trace", "FTL", "proof"], rows)


def _bounds() -> Table:
    rows = [
        [
            TRACES[each.trace].name,
            NAMES[each.ftl],
            f"{each.cell.response_us:,}",
            f"{each.least_us:,.2f}",
            f"{each.cell.response_us - each.least_us:+,.1f}",
            f"{each.blocks * PAGES_PER_BLOCK:,.0f}",
            f"{each.blocks:,.1f}",
        ]
        for each in checked()
    ]
    header = ["trace", "FTL", "printed, us", "at least, us", "left", "pages in use", "blocks"]
    return Table(header, rows)


def _formula() -> Table:
    rows = []
    for trace, row in TRACES.items():
        cell = TABLE_2[trace, "mnftl"]
        expected = mnftl_response_us(row, cell)
        left = cell.response_us - expected
        rows.append([row.name, f"{cell.response_us:,}", f"{expected:,.1f}", f"{left:+,.1f}"])
    return Table(["trace", "printed, us", "by the formulas", "left"], rows)
