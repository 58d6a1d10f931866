"""Settings as tables, for the command line and for documents."""

from __future__ import annotations

from collections.abc import Iterable

from ftlab.record import Record
from ftlab.report.tables import ABSENT, Table

HEADER = ["setting", "type", "unit", "default", "range", "meaning", "source"]


def settings_table(rows: Iterable[Record]) -> Table:
    """Return a row for each setting of the catalogue."""
    return Table(
        HEADER,
        [
            [
                row.key,
                type_of(row),
                *(each or ABSENT for each in (row.unit, row.default, row.range)),
                row.meaning,
                row.source,
            ]
            for row in rows
        ],
    )


def type_of(row: Record) -> str:
    """Return what values a setting takes."""
    if row.kind == "choice":
        return " or ".join(name for name, _ in row["values"])
    return str(row["values"] if row.kind == "text" else row.kind)
