"""A run on a terminal: every block, the planes, and the metrics, frame after frame."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import Self

import numpy as np
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ftlab.ending import on_terminal
from ftlab.frames import FREE, STATES, Frame
from ftlab.looks import GREY, SKY
from ftlab.report.numbers import written
from ftlab.report.tables import printable
from ftlab.watch.seen import COLOURS, FIGURES

SHADES = "░▒▓█"
"""Shades for up to a quarter, a half, three quarters and all of a block's pages valid."""
NONE_VALID, ERASED = "x", "·"
LEVELS = "▁▂▃▄▅▆▇█"
BAR = 28
"""The most characters of a bar."""
BARS = 8
"""The most planes with a bar each; with more, each has a character."""

LEGEND = 2
"""Rows of the map's legend."""
AFTERWARDS = 8
"""Rows of the map in the last frame, which is kept."""


class Screen:
    """The terminal during a run; the last frame is kept below the command."""

    def __init__(self, title: str, console: Console | None = None) -> None:
        self._title = printable(title)
        self._console = console or Console(highlight=False)
        self._live = Live(console=self._console, screen=True, auto_refresh=False)
        self._taken = ExitStack()
        self._last: Frame | None = None

    def __enter__(self) -> Self:
        """Start drawing on the terminal."""
        self._taken.enter_context(on_terminal(self._live))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore the terminal, with the last frame of a run that ended without an error."""
        self._taken.close()
        if error is None and self._last is not None:
            self._console.print(self._drawn(self._last, most_rows=AFTERWARDS))

    def wait(self, phase: str, requests: int, share: float | None) -> None:
        """Show the progress before the first frame."""
        if self._last is None:
            told = "" if share is None else f" {share:.0%}"
            self._live.update(Text(f"{self._title}\n{phase}{told}"), refresh=True)

    def show(self, frame: Frame) -> None:
        """Draw a frame."""
        self._last = frame
        self._live.update(self._drawn(frame), refresh=True)

    def _drawn(self, frame: Frame, most_rows: int | None = None) -> RenderableType:
        width, height = self._console.size
        head = list(self._head(frame, width))
        used = sum(len(self._console.render_lines(part)) for part in head)
        rows = max(1, height - used - LEGEND - 1) if most_rows is None else most_rows
        return Group(*head, *block_map(frame, width, rows))

    def _head(self, frame: Frame, width: int) -> Iterator[RenderableType]:
        yield Text(self._title, "bold", overflow="ellipsis", no_wrap=True)
        yield _progress(frame, width)
        sides = Table.grid(padding=(0, 4))
        figures, planes = _figures(frame), _planes(frame)
        if width >= 100:
            sides.add_row(figures, planes)
        else:
            sides.add_row(figures)
            sides.add_row(planes)
        yield Text()
        yield sides
        yield _causes(frame)
        yield Text()


def _progress(frame: Frame, width: int) -> RenderableType:
    of = f" of {frame.of:,}" if frame.of else ""
    told = f"{frame.requests:,}{of} requests, {written(frame.time_s, 's')} simulated"
    room = min(BAR, width - len(told) - 1)
    if not frame.of or room < 5:
        return Text(told, overflow="ellipsis", no_wrap=True)
    row = Table.grid(padding=(0, 1))
    row.add_row(_bar(frame.requests / frame.of, room), Text(told))
    return row


def _figures(frame: Frame) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    table.add_row("", Text("last", "dim"), Text("so far", "dim"))
    for label, (name, unit) in FIGURES.items():
        now, all_ = (getattr(each, name) for each in (frame.window, frame.so_far))
        table.add_row(label, Text(written(now, unit), "bold"), written(all_, unit))
    return table


def _planes(frame: Frame) -> RenderableType:
    """Return the busy shares of the planes: bars, or a character each if there are many."""
    if len(frame.planes) > BARS:
        told = f"planes, {written(frame.busy, 'ratio')} busy"
        levels = (LEVELS[min(int(share * len(LEVELS)), len(LEVELS) - 1)] for share in frame.planes)
        return Group(Text(told, "dim"), Text("".join(levels), SKY))
    table = Table.grid(padding=(0, 1))
    table.add_row(Text("busy", "dim"))
    for number, share in enumerate(frame.planes):
        table.add_row(f"plane {number}", _bar(share, BAR), f"{100 * share:.0f} %")
    return table


def _bar(share: float, width: int) -> ProgressBar:
    return ProgressBar(1.0, share, width=width, complete_style=SKY, finished_style=SKY)


def _causes(frame: Frame) -> Text:
    total = sum(frame.operations.values()) or 1
    shares = {cause: count / total for cause, count in frame.operations.items() if count}
    told = (f"{cause} {share:.0%}" for cause, share in shares.items())
    line = f"operations: {', '.join(told) or 'none yet'}; {frame.erases:,} erases"
    return Text(line, overflow="ellipsis", no_wrap=True)


def block_map(frame: Frame, width: int, most_rows: int) -> Iterator[Text]:
    """Yield the legend and the rows of the map: a cell is a block, or several neighbours."""
    blocks = len(frame.kind)
    per_cell = -(-blocks // (width * most_rows))
    several = "" if per_cell == 1 else f", {per_cell} in a cell"
    told = f"{blocks:,} blocks{several}; valid pages: {NONE_VALID} none, {SHADES} up to all"
    yield Text(told, overflow="ellipsis", no_wrap=True)
    kinds = Text(overflow="ellipsis", no_wrap=True)
    for state in np.union1d(frame.states, [FREE]):
        kinds.append(
            f"{ERASED if state == FREE else SHADES[-1]} {STATES[state]}  ", COLOURS.get(state, GREY)
        )
    yield kinds
    states, shares = _cells(frame, per_cell)
    for start in range(0, len(states), width):
        row = Text(no_wrap=True)
        for state, share in zip(states[start:][:width], shares[start:][:width], strict=True):
            row.append(_shade(state, share), COLOURS.get(state, GREY))
        yield row


def _shade(state: int, share: float) -> str:
    if state == FREE:
        return ERASED
    return SHADES[min(int(share * len(SHADES)), len(SHADES) - 1)] if share > 0 else NONE_VALID


def _cells(frame: Frame, per_cell: int) -> tuple[list[int], list[float]]:
    """Return the commonest state of each cell's written blocks, and its share of valid pages."""
    starts = np.arange(0, len(frame.kind), per_cell)
    valid = np.add.reduceat(frame.valid.astype(np.int64), starts)
    pages = np.add.reduceat(frame.pages.astype(np.int64), starts)
    states = frame.states
    by_state = [
        np.add.reduceat((states == each).astype(np.int64), starts) for each in range(1, len(STATES))
    ]
    counts = np.array(by_state)
    most = np.where(counts.sum(axis=0) > 0, 1 + counts.argmax(axis=0), FREE)
    return most.tolist(), (valid / pages).tolist()
