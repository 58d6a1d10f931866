"""A table of texts with its best cells marked, written as text, CSV, Markdown or LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ftlab.titles import FtlName

__all__ = ["ABSENT", "Table"]
"""The names for other distributions."""

ABSENT = "–"  # noqa: RUF001
"""The text of a cell whose metric does not exist."""

_NUMBER = re.compile(r"[+-]?[\d.,]+(e[+-]?\d+)?( ?[%a-zA-Zµ/]+)?")


def printable(text: str) -> str:
    """Return a text whose control characters are escaped: names may hold any."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def wording(text: str) -> str:
    """Return a text without its numbers: texts that differ only in these say the same."""
    return re.sub(r"\d+(\.\d+)?", "", text)


def csv_cell(value: Any) -> Any:
    """Return a cell that a spreadsheet does not take for a formula, without control characters."""
    value = printable(value) if isinstance(value, str) else value
    formula = isinstance(value, str) and value[:1] in "=+-@\t\r" and value
    return f"'{value}" if formula and not _NUMBER.fullmatch(value) else value


def csv_of(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return comma-separated values; None is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(map(csv_cell, row) for row in (header, *rows))
    return text.getvalue()


def csv_of_rows(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as comma-separated values, with a column for each name that one of them has."""
    return csv_of(*columns_of(rows))


def columns_of(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[Any]]]:
    """Return the names in rows, in the order of their appearance, and the cells of each row."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return names, [[row.get(name) for name in names] for row in rows]


LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        **{char: f"\\{char}" for char in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "µ": r"\textmu{}",
    }
)


@dataclass(frozen=True)
class Table:
    """A header, rows of the same width, and the positions (row, column) of the best cells."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    best: frozenset[tuple[int, int]] = field(default=frozenset())

    def written_out(self) -> Table:
        """Return the table for people, with the control characters of names escaped."""
        table = self.titled()
        rows = [[printable(cell) for cell in row] for row in table.rows]
        return Table([printable(cell) for cell in table.header], rows, self.best)

    def titled(self) -> Table:
        """Return the table with FTLs as their papers write them."""
        rows = [[_titled(cell) for cell in row] for row in self.rows]
        return Table([_titled(cell) for cell in self.header], rows, self.best)

    def text(self, prose: bool = False) -> str:
        """Align columns with spaces, all except the first to the right; prose to the left."""
        safe = self.written_out()
        pad = "  " if self.best else ""
        header = [cell + (pad if column else "") for column, cell in enumerate(safe.header)]
        lines = [header, *safe._marked(lambda cell: f"{cell} *", pad)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "".join(_aligned(line, widths, prose) + "\n" for line in lines)

    def csv(self) -> str:
        """Return comma-separated values, unmarked; an absent metric is empty."""
        rows = [[None if cell == ABSENT else cell for cell in row] for row in self.rows]
        return csv_of(self.header, rows)

    def markdown(self, prose: bool = False) -> str:
        """Return a Markdown table with the best cells in bold; prose is kept to the left."""
        rule = [":--"] + [":--" if prose else "--:"] * (len(self.header) - 1)
        table = self.titled()
        lines = [table.header, rule, *table._marked(lambda cell: f"**{cell}**")]
        return "".join(f"| {' | '.join(_pipe(c) for c in line)} |\n" for line in lines)

    def latex(self) -> str:
        """Return a LaTeX tabular (package booktabs) with the best cells in bold."""
        table = self.titled()
        rows = [[_tex(cell) for cell in row] for row in table.rows]
        safe = Table([_tex(cell) for cell in table.header], rows, self.best)
        lines = [" & ".join(row) + r" \\" for row in safe._marked(lambda c: rf"\textbf{{{c}}}")]
        columns = "l" + "r" * (len(self.header) - 1)
        start = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
        head = [" & ".join(safe.header) + r" \\", r"\midrule"]
        return "\n".join([*start, *head, *lines, r"\bottomrule", r"\end{tabular}", ""])

    def with_notes(self, form: str, notes: Sequence[str]) -> str:
        """Return the table as ``md``, ``tex`` or text with the notes below it."""
        if form == "md":
            return self.markdown() + "".join(f"\n{printable(note)}\n" for note in notes)
        if form == "tex":
            lines = (rf"\par{{\footnotesize {_tex(note)}}}" for note in notes)
            return self.latex() + "".join(f"{line}\n" for line in lines)
        below = ["", *map(printable, notes)] if notes else []
        return self.text() + "".join(f"{line}\n" for line in below)

    def parts(self, width: int, gap: int = 3) -> list[Table]:
        """Return tables of at most ``width`` characters with all columns, each including the first.

        ``gap`` characters separate columns.
        """
        columns = zip(self.header, *self.rows, strict=True)
        widths = [max(map(len, column)) + gap for column in columns]
        groups: list[list[int]] = [[0]]
        room = width - widths[0]
        for column, needed in enumerate(widths[1:], start=1):
            if needed > room and len(groups[-1]) > 1:
                groups.append([0])
                room = width - widths[0]
            groups[-1].append(column)
            room -= needed
        return [self._of(group) for group in groups]

    def _of(self, columns: Sequence[int]) -> Table:
        """Return a table of some columns."""
        best = {(row, columns.index(at)) for row, at in self.best if at in columns}
        rows = [[row[at] for at in columns] for row in self.rows]
        return Table([self.header[at] for at in columns], rows, frozenset(best))

    def _marked(self, mark: Callable[[str], str], pad: str = "") -> list[list[str]]:
        """Return the rows with the best cells marked, and the others padded to match."""
        return [
            [
                mark(cell) if (r, c) in self.best else cell + (pad if c else "")
                for c, cell in enumerate(row)
            ]
            for r, row in enumerate(self.rows)
        ]


def _titled(cell: str) -> str:
    return cell.shown if isinstance(cell, FtlName) else cell


def _aligned(line: Sequence[str], widths: Sequence[int], prose: bool) -> str:
    cells = [
        cell.ljust(width) if prose or column == 0 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(line, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _pipe(cell: str) -> str:
    """Keep a cell inside its column."""
    return printable(cell.replace("|", r"\|").replace("\n", " "))


def _tex(text: str) -> str:
    """Return a text that LaTeX prints unchanged."""
    return printable(text).translate(LATEX)
