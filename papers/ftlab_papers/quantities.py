"""Figures of results that several papers are judged by, and how figures are shown in tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from ftlab import Result
from ftlab.report.tables import ABSENT, Table
from ftlab_papers.findings import number
from ftlab_papers.measures import Term
from ftlab_papers.runs import NotMeasuredError, Runs

RESPONSE = "response_us.mean"
HITS = "mapping.hit_ratio"
AMPLIFICATION = "write_amplification"

Row = TypeVar("Row")
Column = TypeVar("Column")


def erases(result: Result) -> float:
    """Return the blocks erased while measuring, of all kinds."""
    return float(sum(result["flash"]["erases"].values()))


def cell(runs: Runs, term: Term, unit: str = "") -> str:
    """Return a figure as text, or that it does not exist."""
    try:
        return number(term(runs), unit)
    except NotMeasuredError:
        return ABSENT


def crossed(
    runs: Runs,
    corner: str,
    rows: Mapping[str, Row],
    columns: Mapping[str, Column],
    term: Callable[[Row, Column], Term],
    unit: str = "",
) -> Table:
    """Return a table of terms, each that of a row and a column, which have names."""
    cells = [
        [name, *(cell(runs, term(row, column), unit) for column in columns.values())]
        for name, row in rows.items()
    ]
    return Table([corner, *columns], cells)
