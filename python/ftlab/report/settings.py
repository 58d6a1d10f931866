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
            [row.key, type_of(row), *map(_cell, (row.unit, row.default, row.range)), *_told(row)]
            for row in rows
        ],
    )


def type_of(row: Record) -> str:
    """Return what values a setting takes."""
    if row.kind == "choice":
        return " or ".join(name for name, _ in row["values"])
    return str(row["values"] if row.kind == "text" else row.kind)


def _told(row: Record) -> list[str]:
    return [row.meaning, row.source]


def _cell(text: str | None) -> str:
    return text or ABSENT
