"""Runs the points whose results are missing, as many at a time as there are cores.

Each is saved the moment it ends. What is running when the process stops is lost, no more: one
point for each core.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Event, Lock
from typing import TypeAlias

from ftlab.errors import FtlabError, Interrupted
from ftlab.points.point import Point
from ftlab.points.store import Failure, Outcome, Store
from ftlab.result import Result
from ftlab.simulation import execute

Told: TypeAlias = Callable[[int, int, float], object]
"""Called with the points done, all points that are to be run, and the share of the work done."""

PHASES = {"measuring input": (0.0, 0.0), "warming up": (0.0, 0.5), "simulating": (0.5, 0.5)}
"""Where a phase begins and how much of a run it is, as far as that can be known."""


def run_points(
    points: Sequence[Point], folder: str | Path, *, progress: Told | None = None
) -> list[Result]:
    """Return the result of each point, from the files in ``folder`` or by running it.

    A result there is taken if its point has the same configuration, FTL and input (by content) and
    the same ftlab. Results do not depend on the order of the points.

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError, ...
        what the first point that failed raised, after all others have run
    KeyboardInterrupt
        when the run is stopped; what is finished stays in the folder
    """
    runs = _Runs(Store(folder), progress)
    found = runs.outcomes(points, retry=True)
    for point, outcome in zip(points, found, strict=True):
        if isinstance(outcome, Failure):
            cause = runs.raised[point.digest]
            kind = type(cause) if isinstance(cause, FtlabError) else RuntimeError
            raise kind(f"{point.label}: {outcome}") from cause
    return [outcome for outcome in found if isinstance(outcome, Result)]


def try_points(
    points: Sequence[Point],
    folder: str | Path,
    *,
    retry: bool = False,
    progress: Told | None = None,
) -> list[Result | Failure]:
    """Return what came of each point as `run_points` does; that it failed is a result, too.

    A point that failed before is run again only with ``retry``.

    Raises
    ------
    ftlab.ConfigError
        when an input is missing, or results cannot be written
    KeyboardInterrupt
        when the run is stopped; what is finished stays in the folder
    """
    return _Runs(Store(folder), progress).outcomes(points, retry)


def missing(points: Sequence[Point], folder: str | Path) -> list[Point]:
    """Return the points of which ``folder`` has neither a result nor that they failed."""
    store = Store(folder)
    return [point for point in points if store.load(point) is None]


class _Runs:
    """Points under way, and how far they are."""

    def __init__(self, store: Store, progress: Told | None) -> None:
        self.raised: dict[str, Exception] = {}
        """What the points that failed have raised, by their digests."""
        self._store = store
        self._progress = progress
        self._stop = Event()
        self._lock = Lock()
        self._shares: dict[str, float] = {}
        self._done = 0
        self._total = 0

    def outcomes(self, points: Sequence[Point], retry: bool) -> list[Outcome]:
        """Return what came of each point, those that are not in the store by running them."""
        wanted = {point.digest: point for point in points}
        found: dict[str, Outcome] = {}
        for digest, point in wanted.items():
            outcome = self._store.load(point)
            if outcome and not (retry and isinstance(outcome, Failure)):
                found[digest] = outcome
        found.update(self._run([point for digest, point in wanted.items() if digest not in found]))
        return [found[point.digest] for point in points]

    def _run(self, points: Sequence[Point]) -> dict[str, Outcome]:
        self._total = len(points)
        found: dict[str, Outcome] = {}
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            try:
                runs = {pool.submit(self._kept, point): point.digest for point in points}
                for ended in as_completed(runs):
                    found[runs[ended]] = ended.result()
            except BaseException:
                self._stop.set()
                pool.shutdown(cancel_futures=True)
                raise
        return found

    def _kept(self, point: Point) -> Outcome:
        """Run a point and save what came of it."""
        outcome = self._outcome(point)
        self._store.save(point, outcome)
        with self._lock:
            self._done += 1
        self._tell(point, 1.0)
        return outcome

    def _outcome(self, point: Point) -> Outcome:
        def tell(phase: str, requests: int, fraction: float | None) -> None:
            if self._stop.is_set():
                raise Interrupted("interrupted")
            start, share = PHASES.get(phase, (0.0, 0.0))
            self._tell(point, start + share * (fraction or 0.0))

        try:
            if point.refusal:
                raise point.refusal
            (result,) = execute([(point.config, point.ftl)], tell)
        except Interrupted:
            raise
        except Exception as error:
            self.raised[point.digest] = error
            return Failure(type(error).__name__, str(error))
        finally:
            if not point.refusal:
                point.check_input()
        return result

    def _tell(self, point: Point, share: float) -> None:
        """Say how far all points are together, never less than before."""
        if self._progress is None:
            return
        with self._lock:
            self._shares[point.digest] = max(share, self._shares.get(point.digest, 0.0))
            self._progress(self._done, self._total, sum(self._shares.values()) / self._total)
