"""Results on standard output: rich tables on a terminal, plain aligned text in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from ftlab.cli.say import hand_over, say
from ftlab.cli.words import translated
from ftlab.report.summary import Section, text_of, warning_lines
from ftlab.report.tables import Table, printable
from ftlab.result import Comparison

if TYPE_CHECKING:
    from rich.console import RenderableType


def show_table(table: Table, prose: bool = False) -> None:
    """Print a table; ``prose`` keeps all columns to the left.

    One that is wider than the terminal goes below itself: no cell is cut, nor loses its unit.
    """
    table = table.printable()
    if sys.stdout.isatty():
        width = get_terminal_size().columns
        _print(*(_rich(part, prose) for part in ([table] if prose else table.parts(width))))
    else:
        hand_over(table.text(prose))


def show_sections(sections: Sequence[Section]) -> None:
    """Print the sections of a summary."""
    if sys.stdout.isatty():
        _print(*(_rich_section(title, lines) for title, lines in sections))
    else:
        hand_over(text_of(sections))


def show_warnings(comparison: Comparison) -> None:
    """Print what the runs warn of on standard error, each text once."""
    for line in warning_lines(comparison):
        say(f"warning: {translated(line)}", err=True)


def _print(*parts: RenderableType) -> None:
    from rich.console import Console

    Console(highlight=False).print(*parts, sep="\n")


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


def _rich_section(title: str, lines: Sequence[tuple[str, str]]) -> RenderableType:
    from rich.console import Group
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(min_width=29)
    for label, text in lines:
        grid.add_row(Text(f"  {printable(label)}"), Text(printable(text)))
    return Group(Text(printable(title), "bold"), grid, Text(""))
