"""Gives points to the workers of an executor in batches, and again when a worker vanishes.

Workers save what they run (`ftlab.points.batch`); here is only what is under way. A batch whose
worker vanished is divided until it is one point, and that is given `ATTEMPTS` times.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from itertools import islice, takewhile
from math import ceil
from operator import itemgetter
from typing import TypeAlias

from ftlab.errors import ConfigError
from ftlab.points.batch import Done, packed, work
from ftlab.points.point import Point, canonical
from ftlab.points.store import Failure, Store
from ftlab.points.workers import Workers

Told: TypeAlias = Callable[[int, int, float], object]
"""Called with the points done, all points that are to be run, and the share of the work done."""

ATTEMPTS = 3
"""Workers that may vanish under a point before it is said to have failed."""

BATCH_S = 0.5
"""How long a batch takes at least, as far as the points before it tell: handing it over is 5 ms."""

APPEARS_S = 60.0
"""How long a file may take to be seen from here: network file systems remember what is absent."""


class Dispatch:
    """Points under way in the workers of an executor."""

    def __init__(self, store: Store, workers: Workers, retry: bool, progress: Told | None) -> None:
        self._store = store
        self._workers = workers
        self._retry = retry
        self._progress = progress
        self._attempts: Counter[str] = Counter()
        self._pending: dict[Future[Done], list[Point]] = {}
        self._again: deque[list[Point]] = deque()
        self._ran = self._done = self._total = 0
        self._seconds = 0.0

    def run(self, points: Sequence[Point]) -> None:
        """Run points, each once, until there is an outcome of each in the store."""
        self._total = len(points)
        for point in points:
            if point.refusal:
                self._store.save(point, Failure.of(point.refusal))
                self._tell(1)
        sound = [(canonical(point.input), point) for point in points if not point.refusal]
        queue = deque(sorted(sound, key=itemgetter(0)))
        try:
            while queue or self._again or self._pending:
                while (queue or self._again) and len(self._pending) < self._workers.at_a_time():
                    self._give(self._again.popleft() if self._again else self._batch(queue))
                for ended in wait(self._pending, return_when=FIRST_COMPLETED).done:
                    self._take(ended, self._pending.pop(ended))
        except BaseException:
            for each in self._pending:
                each.cancel()
            raise

    def _batch(self, queue: deque[tuple[str, Point]]) -> list[Point]:
        """Take the next points from the queue, as many as a worker should have.

        They are of one input, unless handing them over takes longer than reading another one.
        """
        if self._workers.patient:
            share = ceil(self._total / self._workers.slots())
            return [queue.popleft()[1] for _ in range(min(share, len(queue)))]
        size = ceil(len(queue) / self._workers.slots())
        size = min(size, ceil(BATCH_S * self._ran / self._seconds)) if self._ran else 1
        first = queue[0][0]
        alike = sum(1 for _ in takewhile(lambda each: each[0] == first, islice(queue, size)))
        return [queue.popleft()[1] for _ in range(alike)]

    def _give(self, points: list[Point]) -> None:
        """Hand a batch to the executor."""
        content = packed(points, self._store.folder, self._retry)
        try:
            self._pending[self._workers.executor.submit(work, content)] = points
        except (BrokenExecutor, RuntimeError) as error:
            raise ConfigError(f"the executor takes no more work: {error}") from error

    def _take(self, ended: Future[Done], points: list[Point]) -> None:
        """See what became of a batch."""
        try:
            answer = ended.result()
        except ConfigError:
            raise
        except ImportError as error:
            raise ConfigError(f"a worker cannot import what points need: {error}") from error
        except Exception as error:
            self._lost(points, error)
            return
        if answer.refusal:
            raise ConfigError(answer.refusal)
        self._ran += answer.points
        self._seconds += answer.seconds
        self._await(points)
        self._tell(len(points))

    def _lost(self, points: list[Point], error: BaseException) -> None:
        """Give again what a worker that vanished has left; a single point not for ever."""
        left = [point for point in points if self._store.lacks(point, self._retry)]
        self._tell(len(points) - len(left))
        if len(left) > 1:
            middle = len(left) // 2
            self._again += [left[:middle], left[middle:]]
            return
        for point in left:
            self._attempts[point.digest] += 1
            if self._attempts[point.digest] < ATTEMPTS:
                self._again.append(left)
            else:
                told = f"{ATTEMPTS} workers vanished under it, the last with {_told(error)}"
                self._store.save(point, Failure("WorkerLost", told))
                self._tell(1)

    def _await(self, points: Sequence[Point]) -> None:
        """Wait until the outcomes that a worker has saved are seen from here."""
        end = time.monotonic() + APPEARS_S
        for point in points:
            while not self._store.path(point).exists():
                if time.monotonic() > end:
                    raise ConfigError(
                        f"{self._store.folder}: found nothing of what workers have saved, "
                        "expected a folder that all of them see"
                    )
                time.sleep(0.1)

    def _tell(self, points: int) -> None:
        self._done += points
        if self._progress and points:
            self._progress(self._done, self._total, self._done / self._total)


def _told(error: BaseException) -> str:
    """Return an exception in one line: those of schedulers may have pages."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return ": ".join([type(error).__name__, *lines[:1]])
