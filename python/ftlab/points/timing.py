"""Where the time of many points goes, and how long they would take on other numbers of cores.

>>> from ftlab.points.timing import timed
>>> with timed() as timing:  # doctest: +SKIP
...     complete(points, folder)
>>> print(timing.text())  # doctest: +SKIP
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import groupby

from ftlab.points.warmups import Warmups
from ftlab.report.numbers import seconds
from ftlab.report.tables import Table

CORES = (2, 4, 8, 16)
"""Numbers of cores that are told of."""

_ASKED: ContextVar[Timing | None] = ContextVar("timing", default=None)


@dataclass(frozen=True)
class Span:
    """What a worker did for a point; times in seconds, from any one beginning."""

    input: int
    """Which input: points of one follow one another."""
    begin: float
    opened: float
    """When the input was open: at once, but for the first point of it."""
    saved: float

    @property
    def reading(self) -> float:
        """How long the worker read the input for all its points."""
        return self.opened - self.begin

    @property
    def running(self) -> float:
        """How long the point itself took."""
        return self.saved - self.opened


class Timing:
    """What was run meanwhile."""

    def __init__(self) -> None:
        self.cores = 1
        """Workers that were at work at a time."""
        self.seconds = 0.0
        """From the beginning to the end."""
        self.rounds: list[list[Span]] = []
        """Points that were at work together; the next round waits for all of one."""
        self.shared = 0
        """Points that went on from the warm-ups of others."""
        self.saved = 0.0
        """How many seconds that saved."""

    def table(self) -> Table:
        """Return where the time of all cores went."""
        at_work = sum(_length(each) for each in self.rounds)
        spans = [span for each in self.rounds for span in each]
        running = sum(each.running for each in spans)
        reading = sum(each.reading for each in spans)
        rows = [
            ("points", running),
            ("reading inputs for them", reading),
            (
                "waiting for an input or for the last points",
                self.cores * at_work - running - reading,
            ),
            ("before the first point and after the last", self.cores * (self.seconds - at_work)),
        ]
        whole = self.cores * self.seconds
        return Table(
            ["time of all cores", "s", "share"],
            [[name, f"{spent:.2f}", f"{100 * spent / whole:.1f} %"] for name, spent in rows],
        )

    def expected(self, cores: int) -> float:
        """Return how many seconds the same would take on ``cores`` cores.

        Points take as long as here and begin in the same order; what one core does alone, it does.
        """
        alone = self.seconds - sum(_length(each) for each in self.rounds)
        return alone + sum(_makespan(each, cores) for each in self.rounds)

    def efficiency(self, cores: int) -> float:
        """Return the time that one core would take over ``cores`` times that of ``cores`` cores."""
        return self.expected(1) / cores / self.expected(cores)

    def text(self) -> str:
        """Return all of it, for people."""
        points = sum(map(len, self.rounds))
        if not points:
            return "no point was run"
        told = f"{points} points took {seconds(self.seconds)} on {self.cores} cores"
        if self.shared:
            told += f"\n{self.shared} of them shared warm-ups, which saved {seconds(self.saved)}"
        counts = Table(
            ["cores", "s expected", "efficiency"],
            [
                [str(each), f"{self.expected(each):.2f}", f"{100 * self.efficiency(each):.1f} %"]
                for each in CORES
            ],
        )
        return "\n\n".join([told, self.table().text().rstrip(), counts.text().rstrip()])


@contextmanager
def timed() -> Iterator[Timing]:
    """Yield what notes the points that are run inside."""
    timing = Timing()
    token = _ASKED.set(timing)
    begin = time.perf_counter()
    try:
        yield timing
    finally:
        timing.seconds = time.perf_counter() - begin
        _ASKED.reset(token)


@contextmanager
def noted(cores: int, warmups: Warmups) -> Iterator[list[Span]]:
    """Yield where to note what ``cores`` workers do, whether anybody asked for it or not."""
    spans: list[Span] = []
    try:
        yield spans
    finally:
        timing = _ASKED.get()
        if timing is not None and spans:
            timing.cores = max(timing.cores, cores)
            timing.rounds.append(spans)
            timing.shared += warmups.shared
            timing.saved += warmups.saved


def _length(spans: Sequence[Span]) -> float:
    return max(each.saved for each in spans) - min(each.begin for each in spans)


def _makespan(spans: Sequence[Span], cores: int) -> float:
    """Return how long ``cores`` cores take for points that begin in this order.

    A core that finds no input open opens the next, as `ftlab.points.queue` has it.
    """
    ordered = sorted(spans, key=lambda each: (each.input, each.begin))
    waiting = deque(deque(each) for _, each in groupby(ordered, key=lambda each: each.input))
    opened: list[tuple[float, deque[Span]]] = []
    free = [0.0] * cores
    end = 0.0
    while waiting or opened:
        now = heappop(free)
        found = next((each for each in opened if each[0] <= now), None)
        if found is None and waiting:
            points = waiting.popleft()
            found = (now + points[0].reading, points)
            opened.append(found)
            now += points[0].reading
        if found is None:
            heappush(free, min(each[0] for each in opened))
            continue
        now += found[1].popleft().running
        if not found[1]:
            opened.remove(found)
        end = max(end, now)
        heappush(free, now)
    return end
