"""Runs the points whose results are missing: those of one input together, in chunks over the cores.

A chunk is one run of the core, which reads the input once and has a thread for each point; all
results of a chunk are saved when it ends. What is running when the process stops is lost, no more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Event, Lock
from types import ModuleType
from typing import TypeAlias

from ftlab.errors import Interrupted
from ftlab.points.point import Point, canonical
from ftlab.points.store import Store
from ftlab.result import Result
from ftlab.simulation import execute

Told: TypeAlias = Callable[[int, int, float], object]
"""Called with the points done, all points that are to be run, and the share of the work done."""

Chunk: TypeAlias = list[Point]

CHUNK_POINTS = 24
"""Points over one reading of the input. More share it better, but hold more devices in memory at a
time and lose more when stopped."""

PHASES = {"measuring input": (0.0, 0.0), "warming up": (0.0, 0.5), "simulating": (0.5, 0.5)}
"""Where a phase begins and how much of a run it is, as far as that can be known."""


def run_points(
    points: Sequence[Point], folder: str | Path, *, progress: Told | None = None
) -> list[Result]:
    """Return the result of each point, from the files in ``folder`` or by running it.

    A result there is taken if its point has the same configuration, FTL and input (by content) and
    the same ftlab. Results do not depend on the order of the points or on what runs together.

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError
        when a point or its input is wrong; what is finished stays in the folder
    KeyboardInterrupt
        when the run is stopped
    """
    store = Store(folder)
    found = {point.digest: store.load(point) for point in points}
    missing = {point.digest: point for point in points if found[point.digest] is None}
    found.update(_Run(store, progress).run(list(missing.values())))
    results = (found[point.digest] for point in points)
    return [result for result in results if result is not None]


def chunks(points: Sequence[Point]) -> Iterator[Chunk]:
    """Yield the points of each input and core, a few at a time."""
    groups: dict[tuple[str, ModuleType], Chunk] = {}
    for point in points:
        groups.setdefault((canonical(point.input), point.core), []).append(point)
    for group in groups.values():
        for first in range(0, len(group), CHUNK_POINTS):
            yield group[first : first + CHUNK_POINTS]


class _Run:
    """Chunks under way, and how far they are."""

    def __init__(self, store: Store, progress: Told | None) -> None:
        self._store = store
        self._progress = progress
        self._stop = Event()
        self._lock = Lock()
        self._shares: dict[int, float] = {}
        self._done = 0
        self._total = 0

    def run(self, points: Sequence[Point]) -> dict[str, Result]:
        """Run points and save their results, which are returned by their digests."""
        self._total = len(points)
        results: dict[str, Result] = {}
        with ThreadPoolExecutor(_workers()) as pool:
            try:
                runs = [pool.submit(self._run_chunk, *each) for each in enumerate(chunks(points))]
                for finished in as_completed(runs):
                    results.update(finished.result())
            except BaseException:
                self._stop.set()
                pool.shutdown(cancel_futures=True)
                raise
        return results

    def _run_chunk(self, number: int, chunk: Chunk) -> dict[str, Result]:
        def tell(phase: str, requests: int, fraction: float | None) -> None:
            if self._stop.is_set():
                raise Interrupted("interrupted")
            start, share = PHASES.get(phase, (0.0, 0.0))
            self._tell(number, (start + share * (fraction or 0.0)) * len(chunk))

        done = execute([(point.config, point.ftl) for point in chunk], tell)
        chunk[0].check_input()
        for point, result in zip(chunk, done, strict=True):
            self._store.save(point, result)
        with self._lock:
            self._done += len(chunk)
        self._tell(number, float(len(chunk)))
        return {point.digest: result for point, result in zip(chunk, done, strict=True)}

    def _tell(self, number: int, points: float) -> None:
        """Say how far all chunks are together, never less than before."""
        if self._progress is None:
            return
        with self._lock:
            self._shares[number] = max(points, self._shares.get(number, 0.0))
            self._progress(self._done, self._total, sum(self._shares.values()) / self._total)


def _workers() -> int:
    """Return how many chunks run at a time: each keeps as many cores busy as it has points.

    One more has its points ready when the results of another are saved.
    """
    return 1 + -(-(os.cpu_count() or 1) // CHUNK_POINTS)
