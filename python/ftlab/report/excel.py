"""Tables for Excel: the rows of a CSV text as a sheet, its numbers as numbers."""

from __future__ import annotations

import csv
import io
from datetime import datetime

from ftlab.errors import ConfigError

SUFFIX = ".xlsx"

MOST_ROWS, MOST_COLUMNS, MOST_CHARACTERS = 2**20, 2**14, 2**15 - 1
"""What a sheet and a cell hold."""

MOST_DIGITS = 15
"""Digits that a number in Excel keeps."""

FORMULAS = ("=", "+", "-", "@")
"""What formulas begin with."""

WIDEST = 40
"""Characters to which a column is widened."""

MADE = datetime(1980, 1, 1)
"""The date in each file, so that equal tables are equal files."""


def workbook(text: str) -> bytes:
    """Return a workbook with the rows of a CSV text; needs ``ftlab[xlsx]``.

    Raises `ftlab.ConfigError` for what a sheet cannot hold.
    """
    from xlsxwriter import Workbook  # type: ignore[import-untyped, unused-ignore]

    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    rows = list(csv.reader(io.StringIO(text)))
    _check(rows)
    buffer = io.BytesIO()
    with Workbook(buffer, {"in_memory": True}) as book:
        book.set_properties({"created": MADE})
        sheet = book.add_worksheet("ftlab")
        bold = book.add_format({"bold": True})
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                value = _number(cell) if at else None
                if value is not None:
                    sheet.write_number(at, column, value)
                elif cell:
                    sheet.write_string(at, column, _shown(cell), None if at else bold)
        for column, title in enumerate(rows[0] if rows else []):
            sheet.set_column(column, column, min(len(title), WIDEST) + 2)
        sheet.freeze_panes(1, 1)
    return buffer.getvalue()


def _number(cell: str) -> float | None:
    """Return the number that a cell is, if Excel keeps it as it is written."""
    try:
        number = int(cell) if cell.lstrip("-").isdecimal() else float(cell)
    except ValueError:
        return None
    if isinstance(number, int):
        return number if str(number) == cell and len(cell.lstrip("-")) <= MOST_DIGITS else None
    return number if repr(number) == cell and abs(number) < float("inf") else None


def _shown(cell: str) -> str:
    """Return a text without the mark that keeps spreadsheets from reading a formula in CSV."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in FORMULAS else cell


def _check(rows: list[list[str]]) -> None:
    width = max(map(len, rows), default=0)
    if len(rows) > MOST_ROWS or width > MOST_COLUMNS:
        raise ConfigError(
            f"found {len(rows):,} rows of {width:,} columns, expected at most {MOST_ROWS:,} of "
            f"{MOST_COLUMNS:,}, which a sheet holds; write .csv or .parquet"
        )
    longest = max((len(cell) for row in rows for cell in row), default=0)
    if longest > MOST_CHARACTERS:
        raise ConfigError(
            f"found {longest:,} characters in a cell, expected at most {MOST_CHARACTERS:,}, which "
            "a cell of a sheet holds; write .csv or .parquet"
        )
