"""The report: Table 2 beside ours, RAM, and the proofs about the table itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ftlab.report.tables import ABSENT, Table
from ftlab_papers.cells import cell
from ftlab_papers.claims import Judged
from ftlab_papers.findings import number
from ftlab_papers.inputs import Sources
from ftlab_papers.marks import Marks, Series
from ftlab_papers.measures import At, Term, at, relative
from ftlab_papers.mnftl import variants
from ftlab_papers.mnftl.claims import all_copies, copies, data_copies, ram
from ftlab_papers.mnftl.proofs import (
    BLOCKS,
    MOST_BLOCKS,
    PAGES_PER_BLOCK,
    checked,
    mnftl_response_us,
)
from ftlab_papers.mnftl.published import FTLS, KIB, NAMES, RAM_BYTES, TABLE_2, TRACES, Cell
from ftlab_papers.quantities import RESPONSE, erases
from ftlab_papers.report import Part, Picture, claim_parts
from ftlab_papers.runs import Figure, NotMeasuredError, Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from ftlab.style import Draw

SETUP = (
    "The device is the preset mnftl-dac11: 2 KB pages, 128 in a block, 60/800/1500 us and 20 "
    "us for an OOB read, 1 GiB on 4352 blocks and one for the copies of a victim. Each "
    "request is one page access, whatever its size; the next is issued when it is complete; "
    "the device is empty at first. The paper says none of this, but its page-level column "
    "leaves no other reading.",
    "SFTL has 256 log blocks and an OOB of 168 B, in which the four pieces of a superblock's "
    "map fit that its response times imply; the 64 B of its pages hold no less than 16 "
    "pieces. GFTL has 16 % of 4096 blocks beside them. Reads of nothing cost the OOB reads "
    "of a lookup.",
    "Financial1 is a quarter of the public trace: its first 1,333,747 requests.",
)

TABLE_TEXT = (
    "Each cell has what is published, then ours. The inputs are models of the traces unless "
    "real ones are given, so counts of copies and erases can be compared in their order of "
    "size only.",
)

COPIES_TEXT = (
    "What counts as a copy is not said: pages of data alone, or pages of the map that collection "
    "moves, too (judged here), or also those that it rewrites because data moved. Change of MNFTL "
    "against DFTL by each count; published is what follows from Table 2.",
)

PROOF_TEXT = (
    "Two inequalities hold for every cell, whatever an FTL does beside. Time: the mean "
    "response is at least (800 W + 60 R + 860 C + 1500 E) / n us. Space: W + C - 128 E pages "
    "are in use at the end. W, R: writes and reads of Table 1; C, E: copies and erases.",
    "The page-level column meets both with equality: cut to whole microseconds the bound is "
    f"what is printed, and the pages in use fill {BLOCKS} blocks but for a part of the last. "
    f"For GFTL up to {MOST_BLOCKS} blocks are allowed for here.",
)

FORMULA_TEXT = (
    "MNFTL's costs are all told (4.2, 4.3), so its mean response follows from its counts: W "
    "(20 + 800) + R (20 + 60) + E (8 x 20 + 1500) + 860 C. Systemdisk1 and Websearch agree "
    "to the microsecond; Financial1 has 189 us too much for each request, and the others a "
    "little too little.",
)


def parts(runs: Runs, sources: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the report: set-up, claims, Table 2, RAM, the table against itself."""
    return [
        Part("Set-up", SETUP, [_inputs(runs, sources)]),
        *claim_parts(judged),
        Part(
            "Table 2",
            TABLE_TEXT,
            [_table(runs, *column) for column in COLUMNS],
            [
                Picture(
                    "table-2",
                    "Table 2 as bars; outlined: published. (a) mean response in us, (b) valid page "
                    "copies, (c) erases.",
                    lambda: drawn(runs),
                )
            ],
        ),
        Part("Copies of MNFTL against DFTL", COPIES_TEXT, [_copies(runs)]),
        variants.part(runs),
        Part("RAM of 8 GB", (), [_ram(runs)]),
        Part("Cells of Table 2 that cannot be right", PROOF_TEXT, [_proofs(), _bounds()]),
        Part("MNFTL's column by its own formulas", FORMULA_TEXT, [_formula()]),
    ]


COLUMNS: Sequence[tuple[str, Figure, Callable[[Cell], int]]] = (
    ("mean response, us", RESPONSE, lambda cell: cell.response_us),
    ("valid page copies", copies, lambda cell: cell.copies),
    ("erases", erases, lambda cell: cell.erases),
)
"""What Table 2 has of each cell: its name, ours, what is published."""


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
