"""Progress of long work on standard error: a bar on a terminal, else of points a line at times."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ftlab import config, ending
from ftlab.cli.say import say
from ftlab.errors import Interrupted
from ftlab.report.numbers import rate

if TYPE_CHECKING:
    from rich.progress import Progress

    from ftlab.points import Told

LINE_S = 20.0
"""Seconds between lines where standard error is no terminal."""


@contextmanager
def meter() -> Iterator[config.Progress | None]:
    """Yield a callback that shows progress, or None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    with _bar("{task.fields[pace]}") as bar:
        yield _Meter(bar)


@contextmanager
def points_meter(what: str = "points") -> Iterator[Told]:
    """Yield a callback that shows how many are done.

    Raises `ftlab.Interrupted` on Ctrl-C, which says how many are kept.
    """
    with _shown(what) as show:
        points = _Points(what, show)
        try:
            yield points
        except KeyboardInterrupt as error:
            raise Interrupted(f"{ending.told()}{points.kept}") from error


@contextmanager
def _shown(what: str) -> Iterator[Told]:
    if not sys.stderr.isatty():
        yield _Lines(what)
        return
    with _bar() as bar:
        task = bar.add_task(what, total=1.0)

        def tell(done: int, total: int, share: float) -> None:
            bar.update(task, description=f"{done}/{total} {what}", completed=share)

        yield tell


@contextmanager
def _bar(*more: str) -> Iterator[Progress]:
    """Yield a bar on the terminal, with ``more`` texts before the time that remains."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    texts = map(TextColumn, more)
    console = Console(stderr=True)
    bar = Progress(*columns, *texts, Remaining(), console=console, transient=True)
    with ending.on_terminal(bar):
        yield bar


class _Points:
    """Passes on what is told of points, and knows how many are kept."""

    def __init__(self, what: str, show: Told) -> None:
        self._what, self._show = what, show
        self.kept = ""

    def __call__(self, done: int, total: int, share: float) -> None:
        if done:
            self.kept = f": {done} of {total} {self._what} done and kept"
        self._show(done, total, share)


class _Lines:
    """A line every `LINE_S`, for logs."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._last = time.monotonic()

    def __call__(self, done: int, total: int, share: float) -> None:
        if time.monotonic() - self._last >= LINE_S:
            self._last = time.monotonic()
            say(f"{done}/{total} {self._what}, {share:.0%}", err=True)


class _Meter:
    """One bar for the phase that runs; a new phase replaces it."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._phase = ""
        self._start = 0.0

    def __call__(self, phase: str, requests: int, fraction: float | None) -> None:
        if phase != self._phase:
            for task in self._bar.task_ids:
                self._bar.remove_task(task)
            self._bar.add_task(phase, total=1.0, pace="")
            self._phase, self._start = phase, time.monotonic()
        elapsed = max(time.monotonic() - self._start, 1e-3)
        task = self._bar.task_ids[-1]
        total = None if fraction is None else 1.0
        pace = f"{requests:,} requests, {rate(requests / elapsed)}"
        self._bar.update(task, total=total, completed=fraction or 0.0, pace=pace)
