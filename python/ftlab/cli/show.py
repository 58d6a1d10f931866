"""Results on standard output: rich tables on a terminal, plain aligned text in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ftlab.cli.say import hand_over, say
from ftlab.cli.words import translated
from ftlab.report.summary import Lines, Section, text_of, warning_lines
from ftlab.report.tables import Table, printable
from ftlab.result import Comparison

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

INDENT = "  "

LABEL_WIDTH = 29
"""The least width of labels, so that texts of all sections begin in one column."""

GAP = 2
"""Characters between the columns of a summary."""


def show_table(table: Table, prose: bool = False) -> None:
    """Print a table; ``prose`` keeps all columns to the left.

    One that is wider than the terminal goes below itself: no cell is cut, nor loses its unit.
    """
    table = table.written_out()
    if sys.stdout.isatty():
        console = _console()
        parts = [table] if prose else table.parts(console.width)
        console.print(*(_rich(part, prose) for part in parts), sep="\n")
    else:
        hand_over(table.text(prose))


def show_sections(sections: Sequence[Section]) -> None:
    """Print the sections of a summary; a table among them goes below itself, too."""
    if sys.stdout.isatty():
        console = _console()
        shown = (_rich_section(*section, console.width) for section in sections)
        console.print(*shown, sep="\n")
    else:
        hand_over(text_of(sections))


def show_warnings(comparison: Comparison) -> None:
    """Print what the runs warn of, each text once."""
    warn(warning_lines(comparison))


def warn(lines: Iterable[str]) -> None:
    """Print warnings on standard error."""
    for line in lines:
        say(f"warning: {translated(line)}", err=True)


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False)


def _rich(table: Table, prose: bool) -> RenderableType:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column, title in enumerate(table.header):
        left = prose or column == 0
        shown.add_column(Text(title), justify="left" if left else "right", no_wrap=not prose)
    for index, row in enumerate(table.rows):
        best = (column for column in range(len(row)) if (index, column) in table.best)
        shown.add_row(*_styled(row, set(best)))
    return shown


def _styled(row: Sequence[str], best: set[int]) -> Iterable[RenderableType]:
    from rich.text import Text

    return [Text(cell, "bold green" if c in best else "") for c, cell in enumerate(row)]


def _rich_section(title: str, content: Lines | Table, width: int) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    parts = _columns(content, width) if isinstance(content, Table) else [_labelled(content)]
    return Group(Text(printable(title), "bold"), *parts, Text(""))


def _labelled(lines: Lines) -> RenderableType:
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable.grid(padding=(0, GAP))
    grid.add_column(no_wrap=True)
    for label, text in lines:
        label, text = printable(label), printable(text)
        grid.add_row(Text(f"{INDENT}{label}".ljust(LABEL_WIDTH)), Text(text))
    return grid


def _columns(table: Table, width: int) -> Iterator[RenderableType]:
    """Yield the parts of a table that is part of a summary, without rules."""
    from rich.table import Table as RichTable
    from rich.text import Text

    for part in table.written_out().parts(width - len(INDENT), GAP):
        grid = RichTable.grid(padding=(0, GAP))
        for column in range(len(part.header)):
            grid.add_column(justify="right" if column else "left", no_wrap=True)
        for label, *cells in (part.header, *part.rows):
            grid.add_row(Text(f"{INDENT}{label}"), *map(Text, cells))
        yield grid
