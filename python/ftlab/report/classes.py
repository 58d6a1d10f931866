"""Pages and blocks by class of a separation, as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ftlab.report.numbers import factor, ratio, written
from ftlab.report.tables import ABSENT, Table
from ftlab.result import Result

COLUMNS: Sequence[tuple[str, str, Callable[[Any], str]]] = (
    ("written", "host (pages)", written),
    ("write_amplification", "WA", factor),
    ("copied_by_unit", "GC out", written),
    ("copied_to_unit", "GC in", written),
    ("died", "died", written),
    ("lifespan", "lifespan", lambda writes: written(round(writes))),
    ("resident", "resident", written),
    ("units", "blocks", written),
    ("erased", "erased", written),
    ("garbage_at_collection", "garbage", ratio),
)
"""Metrics by class, the headings of their columns, and how they are written."""


def classes_table(result: Result) -> Table | None:
    """Return a row for each class; those of placement handles have a table of their own."""
    if result.find("classes.written") is None or result.find("fdp.events") is not None:
        return None
    columns = [result["classes"][metric] for metric, *_ in COLUMNS]
    forms = [form for *_, form in COLUMNS]
    rows = [
        [
            str(number),
            *(
                ABSENT if cell is None else form(cell)
                for form, cell in zip(forms, row, strict=True)
            ),
        ]
        for number, row in enumerate(zip(*columns, strict=True), start=1)
    ]
    return Table(["class", *(heading for _, heading, _ in COLUMNS)], rows)
