"""Table 2 checked against itself.

Two inequalities hold for every cell, whatever else the FTL does:

* *time*: a write takes at least a program, a read a page read, a copy both, and an erase its time,
  one after another. The mean response is therefore at least ``(800 W + 60 R + 860 C + 1500 E) / n``
  us;
* *space*: a page that is programmed and not erased is on the device. An erase frees at most 128
  pages. At least ``W + C - 128 E`` pages are therefore in use at the end, and at most all pages of
  the device.

The page-level column meets both with equality. The printed means equal the bound cut to whole
microseconds. The pages in use are those of 4352 blocks, the last one partly used. The device of the
table is inferred from this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

from ftlab_papers.mnftl.published import TABLE_2, TRACES, Cell, Trace

READ_US, OOB_US, WRITE_US, ERASE_US = 60, 20, 800, 1500
COPY_US = READ_US + WRITE_US
PAGES_PER_BLOCK = 128
SUBTABLES = 8
BLOCKS = 4352
"""Blocks of 128 pages in the active region: 4096 of 1 GiB, and 256."""

MOST_BLOCKS = BLOCKS + -(-16 * BLOCKS // 100)
"""With 16 % of all blocks in addition, as for GFTL: more than any reading of the paper gives."""


def least_response_us(trace: Trace, cell: Cell) -> float:
    """Return the lower bound of the mean response with these copies and erases."""
    host = trace.writes * WRITE_US + trace.reads * READ_US
    return (host + cell.copies * COPY_US + cell.erases * ERASE_US) / trace.requests


def pages_in_use(trace: Trace, cell: Cell) -> int:
    """Return the lower bound of the pages that are programmed and not erased at the end."""
    return trace.writes + cell.copies - PAGES_PER_BLOCK * cell.erases


def mnftl_response_us(trace: Trace, cell: Cell) -> float:
    """Return the mean response by MNFTL's own formulas (4.2, 4.3) with its counts."""
    host = trace.writes * (OOB_US + WRITE_US) + trace.reads * (OOB_US + READ_US)
    collections = cell.copies * COPY_US + cell.erases * (ERASE_US + SUBTABLES * OOB_US)
    return (host + collections) / trace.requests


def table_change(of: Callable[[Cell], int]) -> float:
    """Return the mean over traces of MNFTL's change relative to DFTL in a column of Table 2."""
    pairs = [(of(TABLE_2[trace, "mnftl"]), of(TABLE_2[trace, "dftl"])) for trace in TRACES]
    return fmean(ours / theirs - 1 for ours, theirs in pairs if theirs)


@dataclass(frozen=True)
class Checked:
    """A cell of Table 2 and the proofs about it."""

    trace: str
    ftl: str
    cell: Cell
    least_us: float
    blocks: float

    @property
    def proofs(self) -> list[str]:
        """The reasons why this cell cannot be right, a sentence for each broken inequality."""
        found = []
        if self.least_us >= self.cell.response_us + 1:
            found.append(
                f"Time: {self.cell.copies:,} copies and {self.cell.erases:,} erases alone make the "
                f"mean at least {self.least_us:,.1f} us; {self.cell.response_us:,} is printed."
            )
        if self.blocks > MOST_BLOCKS:
            found.append(
                f"Space: {self.cell.erases:,} erases leave {self.blocks:,.0f} blocks in use; no "
                f"reading of the paper gives the device more than {MOST_BLOCKS:,}."
            )
        return found


def checked() -> list[Checked]:
    """Return every cell of Table 2, checked."""
    found = []
    for (trace, ftl), cell in TABLE_2.items():
        least = least_response_us(TRACES[trace], cell)
        blocks = pages_in_use(TRACES[trace], cell) / PAGES_PER_BLOCK
        found.append(Checked(trace, ftl, cell, least, blocks))
    return found
