"""``ftlab watch``: a running simulation on the terminal, and as a page that replays it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from ftlab.cli import parse
from ftlab.cli.job import configuration, one, print_resolved
from ftlab.cli.options import ftl_option, model_options, source_options
from ftlab.cli.output import suffix_of
from ftlab.cli.progress import meter
from ftlab.cli.run import DEFAULT
from ftlab.cli.say import say
from ftlab.cli.sections import Verb
from ftlab.cli.show import show_warnings
from ftlab.cli.written import Written, check_written
from ftlab.config import Config, Progress
from ftlab.files import write_atomically
from ftlab.frames import Frame, Show
from ftlab.recording import short
from ftlab.report.numbers import size
from ftlab.result import Comparison
from ftlab.simulation import check_obeyed
from ftlab.simulation import watch as run_watched
from ftlab.titles import title
from ftlab.watch import lines
from ftlab.watch.record import Recording

SPEED = 20.0
"""Frames per second on a terminal."""
FASTEST = 1000.0
"""The most frames per second that a screen shows."""


@click.command(cls=Verb)
@source_options
@ftl_option("NAME", f"The FTL (`ftlab list ftls`) [{DEFAULT}].")
@click.option("--every", type=parse.Count(), help="Requests between two frames [a 240th of TRACE].")
@click.option(
    "--speed",
    type=float,
    callback=lambda context, parameter, found: _speed(found),
    metavar="FRAMES",
    help=f"Maximum of frames per second [{SPEED:.0f} on a terminal].",
)
@click.option(
    "--record",
    type=Written(),
    metavar="FILE",
    help="Write an .html file that replays the run.",
)
@click.option("--live", metavar="PATH", help="Show a device of `ftlab serve --metrics PATH`.")
@model_options
def watch(
    ftl: str | None,
    print_config: bool,
    every: int | None,
    speed: float | None,
    record: str | None,
    live: str | None,
    **options: Any,
) -> None:
    """Run one FTL on TRACE and show blocks and metrics live.

    Without a terminal, prints a line of metrics for each frame. Ctrl-C ends it. --live takes no
    TRACE: it shows a line of a device's metrics every second.
    """
    if live:
        _watch_live(live, speed)
        return
    config, ftls = configuration(options, ftl, DEFAULT)
    chosen = one(ftls, "watch")
    if print_config:
        print_resolved(config, ftls, as_json=False)
        return
    if record:
        suffix_of("--record", record, (".html", ".htm"))
        check_written(config, chosen)
    check_obeyed(config, [chosen])
    recording = Recording() if record else None
    with _shown(f"ftlab watch: {_named(config, chosen)}") as (show, progress):
        pace = _Pace(speed or (SPEED if sys.stdout.isatty() else None))

        def frame_shown(frame: Frame) -> None:
            show(frame)
            if recording:
                recording.add(frame)
            pace.wait()

        result = run_watched(config, chosen, frame_shown, every, progress)
    if record and recording:
        text = recording.page(result)
        write_atomically(record, text)
        say(f"Written: {record} ({recording.frames} frames, {size(len(text.encode()))})")
    show_warnings(Comparison([result]))


def _watch_live(path: str, speed: float | None) -> None:
    from ftlab.watch import live

    pace = _Pace(speed or 1.0)
    for line in live.lines(path):
        say(line)
        pace.wait()


def _speed(found: float | None) -> float | None:
    """Refuse an invalid pace, including NaN."""
    if found is not None and not 0 < found <= FASTEST:
        raise click.BadParameter(f"found {found:g}, expected frames per second up to {FASTEST:g}")
    return found


@contextmanager
def _shown(title: str) -> Iterator[tuple[Show, Progress | None]]:
    """Yield a function that shows frames, and one that reports progress before the first frame."""
    if not sys.stdout.isatty():
        with meter() as progress:
            yield lines.show, progress
        return
    from ftlab.watch.screen import Screen

    with Screen(title) as screen:
        yield screen.show, screen.wait


def _named(config: Config, ftl: str) -> str:
    trace = config.get("input", {}).get("trace")
    source = short(trace) if trace else config.get("workload", {}).get("pattern", "a workload")
    return f"{title(ftl)} on {source}"


class _Pace:
    """At most this many frames per second."""

    def __init__(self, speed: float | None) -> None:
        self._gap = 1 / speed if speed else 0.0
        self._due = time.monotonic()

    def wait(self) -> None:
        """Wait until the next frame may be shown."""
        self._due = max(self._due + self._gap, time.monotonic())
        time.sleep(max(0.0, self._due - time.monotonic()))
