"""Runs the points whose results are missing, one on each core if memory holds them.

Each result is saved as soon as the point ends. If the process stops, only running points are lost:
one for each core. Points of one input follow one another and decode it once, the longest first
(`ftlab.points.queue`). With an executor, points run in its workers (`ftlab.points.dispatch`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from threading import Lock
from traceback import clear_frames
from typing import Any

from ftlab import _core, errors
from ftlab.config import Progress
from ftlab.errors import ConfigError, ResourceError, starting_threads
from ftlab.points.batch import attempt, open_devices, open_input, outcome
from ftlab.points.dispatch import Dispatch, Told
from ftlab.points.memory import at_a_time, room_for_requests
from ftlab.points.point import Point
from ftlab.points.queue import Input, Queue
from ftlab.points.stop import Stop
from ftlab.points.store import Entry, Failure, Outcome, Store, lacks
from ftlab.points.timing import Span, noted
from ftlab.points.workers import Workers
from ftlab.result import Result

PHASES = {"measuring input": (0.0, 0.0), "warming up": (0.0, 0.5), "simulating": (0.5, 0.5)}
"""The start of a phase and its estimated share of a run."""


def run_points(
    points: Sequence[Point],
    folder: str | Path,
    *,
    progress: Told | None = None,
    executor: Any = None,
) -> list[Result]:
    """Return the result of each point, from the files in ``folder`` or by running it.

    A stored result is used if its point has the same configuration, FTL, input (by content) and
    version of ftlab. Results do not depend on the order of the points.

    Points run on the cores of this machine, or in the workers of an ``executor``: one of
    `concurrent.futures`, a Dask client or cluster, or an executor of submitit.

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError, ...
        the error of the first point that failed, after all others have run
    KeyboardInterrupt
        when the run is stopped; finished results are kept in the folder
    """
    runs = _Runs(Store(folder), progress, executor)
    found = runs.outcomes(points, retry=True)
    for point, came in zip(points, found, strict=True):
        if isinstance(came, Failure):
            kind = getattr(errors, came.error, RuntimeError)
            raise kind(f"{point.label}: {came}") from runs.raised.get(point.digest)
    return [came for came in found if isinstance(came, Result)]


def try_points(
    points: Sequence[Point],
    folder: str | Path,
    *,
    retry: bool = False,
    progress: Told | None = None,
    executor: Any = None,
) -> list[Result | Failure]:
    """Return the outcome of each point as `run_points` does; a failure is also an outcome.

    A failed point is run again only with ``retry``, or if the failure depends on the moment, such
    as a lack of memory (`Failure.momentary`).

    Raises
    ------
    ftlab.ConfigError
        when an input is missing, or results cannot be written
    KeyboardInterrupt
        when the run is stopped; finished results are kept in the folder
    """
    return _Runs(Store(folder), progress, executor).outcomes(points, retry)


def complete(
    points: Sequence[Point],
    folder: str | Path,
    *,
    retry: bool = False,
    progress: Told | None = None,
    executor: Any = None,
) -> list[Entry | None]:
    """Run the points missing in ``folder``, as `try_points` does, and return the entry of each.

    The entry is None for a point whose result was removed meanwhile.
    """
    return _Runs(Store(folder), progress, executor).complete(points, retry)


def missing(points: Sequence[Point], folder: str | Path) -> list[Point]:
    """Return the points of which ``folder`` has neither a result nor a lasting failure."""
    store = Store(folder)
    return [point for point in points if store.lacks(point)]


class _Runs:
    """The running points and their progress."""

    def __init__(self, store: Store, progress: Told | None, executor: Any) -> None:
        self.raised: dict[str, Exception] = {}
        """The exceptions of points that failed, by digest."""
        self._store = store
        self._progress = progress
        self._saved: dict[str, Entry] = {}
        """Entries of points run here, by digest."""
        self._again: list[Point] | None = []
        """Points to run again; None when they are no longer collected."""
        self._workers = None if executor is None else Workers.of(executor)
        self._stop = Stop()
        self._lock = Lock()
        self._shares: dict[str, float] = {}
        self._share = 0.0
        """The sum of these shares."""
        self._done = 0
        self._total = 0

    def complete(self, points: Sequence[Point], retry: bool) -> list[Entry | None]:
        """Run the points missing in the store, each once, and return the entries of all."""
        wanted = {point.digest: point for point in points}
        found = {digest: self._store.entry(point) for digest, point in wanted.items()}
        lacking = [wanted[digest] for digest, each in found.items() if lacks(each, retry)]
        self._run_all(lacking, retry)
        for point in lacking:
            found[point.digest] = self._saved.get(point.digest) or self._store.entry(point)
        return [found[point.digest] for point in points]

    def outcomes(self, points: Sequence[Point], retry: bool) -> list[Outcome]:
        """Run the points missing in the store, each once, and return the outcomes of all."""
        found = self.complete(points, retry)
        for point, each in zip(points, found, strict=True):
            if each is None:
                lost = f"the result of {point.label} was removed meanwhile"
                raise ConfigError(f"{self._store.folder}: {lost}")
        return [each.outcome for each in found if each]

    def _run_all(self, points: Sequence[Point], retry: bool) -> None:
        if points:
            self._store.prepare()
        if self._workers:
            Dispatch(self._store, self._workers, retry, self._progress).run(points)
        else:
            self._run(points)

    def _run(self, points: Sequence[Point]) -> None:
        """Run points, one on each core.

        Points that failed for lack of memory, threads or a file are run again, one at a time.
        """
        self._total = len(points)
        self._run_at_once(points, at_a_time(points, _core.available_cores()))
        again, self._again = self._again, None
        self._run_at_once(again or [], 1)

    def _run_at_once(self, points: Sequence[Point], workers: int) -> None:
        queue = Queue(points, workers)
        room = room_for_requests(points, workers) // queue.most_kept if queue.has_arrays else 0
        with noted(workers, queue.warmups) as spans, ThreadPoolExecutor(workers) as pool:
            try:
                with starting_threads():
                    at_work = [pool.submit(self._work, queue, room, spans) for _ in range(workers)]
                for ended in as_completed(at_work):
                    ended.result()
            except BaseException:
                self._stop.ask()
                pool.shutdown(cancel_futures=True)
                raise

    def _work(self, queue: Queue, room: int, spans: list[Span]) -> None:
        """Run one point after another until none is left."""
        while given := queue.take():
            point, input, opens = given
            begin = time.perf_counter()
            if opens:
                left: Sequence[Point] = ()
                try:
                    left = self._open(point, input, room)
                finally:
                    queue.opened(input, left)
            opened = time.perf_counter()
            self._keep(point, input.reading(point), queue.warmups.of(point))
            span = Span(input.number, begin, opened, time.perf_counter())
            queue.ended(point, span.running)
            spans.append(span)

    def _open(self, point: Point, input: Input, room: int) -> Sequence[Point]:
        """Read the input of a point, or of devices; return the devices that do not fit into memory.

        The points themselves raise the errors of their inputs.
        """
        points, readings = input.devices(point)
        tell, opened = self._teller(point), len(points)
        with suppress(Exception):
            if input.is_of_array:
                opened = self._stop.run(lambda: open_devices(points, readings, room, tell))
            else:
                self._stop.run(lambda: open_input(point, readings[0], tell))
        self._stop.check()
        return points[opened:]

    def _keep(self, point: Point, reading: Any, warmup: Any) -> None:
        """Run a point and save its outcome, unless it is to be run again."""
        found: Result | Exception
        try:
            found = self._stop.run(lambda: attempt(point, reading, warmup, self._teller(point)))
        except ResourceError as error:
            found = error
        if isinstance(found, Exception):
            del reading
            _forget_locals(found)
            self.raised[point.digest] = found
            if self._again is not None and Failure.of(found).momentary:
                self._again.append(point)
                return
        saved = self._store.save(point, outcome(found))
        with self._lock:
            self._saved[point.digest] = saved
            self._done += 1
        self._tell(point, 1.0)

    def _teller(self, point: Point) -> Progress:
        def tell(phase: str, requests: int, fraction: float | None) -> None:
            self._stop.check()
            start, share = PHASES.get(phase, (0.0, 0.0))
            self._tell(point, start + share * (fraction or 0.0))

        return tell

    def _tell(self, point: Point, share: float) -> None:
        """Report the progress of all points together, which never decreases."""
        if self._progress is None:
            return
        with self._lock:
            more = share - self._shares.get(point.digest, 0.0)
            if more > 0:
                self._shares[point.digest] = share
                self._share += more
            self._progress(self._done, self._total, min(self._share / self._total, 1.0))


def _forget_locals(error: BaseException | None) -> None:
    """Have an error, and those that it came from, hold no input and no device of its point."""
    while error is not None:
        clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
