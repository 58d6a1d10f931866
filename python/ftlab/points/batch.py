"""What a worker does: it runs the points of a batch and saves each where the others are."""

from __future__ import annotations

import os
import pickle
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ftlab.config import Progress
from ftlab.errors import ConfigError, Interrupted
from ftlab.points.point import Point, canonical, code
from ftlab.points.store import Failure, Outcome, Store
from ftlab.result import Result
from ftlab.simulation import execute


@dataclass(frozen=True)
class Batch:
    """Points of one input on their way to a worker; traces and classes travel by their paths."""

    points: Sequence[Point]
    digests: Sequence[str]
    """What the points are called where they come from."""
    content: str | None
    """What names the content of their trace there."""
    code: str
    home: str
    """The folder that relative paths begin in."""
    folder: Path
    """Where results go."""
    retry: bool
    """Whether points that failed before are run again."""


@dataclass(frozen=True)
class Done:
    """What a worker answers."""

    points: int
    """How many it ran; the others had a result."""
    seconds: float
    refusal: str | None = None
    """Why it cannot run the batch."""


def packed(points: Sequence[Point], folder: Path, retry: bool) -> bytes:
    """Return points of one input as bytes; raises `ftlab.ConfigError` for what cannot travel."""
    digests = [point.digest for point in points]
    content = points[0].input["input"]["trace"]
    batch = Batch(points, digests, content, code(points[0].core), os.getcwd(), folder, retry)
    return pickle.dumps(batch)


def by_input(points: Sequence[Point]) -> list[list[Point]]:
    """Return points in groups that share a reading: those of one input, on one core.

    What is refused is a group of its own.
    """
    groups: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        shared = point.core.__name__, canonical(point.input) if not point.refusal else point.digest
        groups.setdefault(shared, []).append(point)
    return list(groups.values())


def work(content: bytes) -> Done:
    """Run the points of a batch that have no result yet, and save each when it ends."""
    start = time.perf_counter()
    try:
        batch: Batch = pickle.loads(content)
        _go_to(batch.home)
        _check(batch)
        store = Store(batch.folder, clean=False)
        left = [point for point in batch.points if store.lacks(point, batch.retry)]
        for group in by_input(left):
            reading = group[0].core.Reading()
            for point in group:
                store.save(point, outcome(attempt(point, reading)))
    except ConfigError as error:
        return Done(0, 0.0, f"worker {socket.gethostname()}: {error}")
    return Done(len(left), time.perf_counter() - start)


def attempt(point: Point, reading: Any, progress: Progress | None = None) -> Result | Exception:
    """Return the result of a point, or what it raised; ``reading`` is that of its group.

    Raises `ftlab.Interrupted` when it is stopped, and `ftlab.ConfigError` when its input changed.
    """
    try:
        if point.refusal:
            raise point.refusal
        (result,) = execute([(point.config, point.ftl)], progress, reading)
    except Interrupted:
        raise
    except Exception as error:
        return error
    finally:
        if not point.refusal:
            point.check_input()
    return result


def outcome(found: Result | Exception) -> Outcome:
    """Return a result, or that a point failed."""
    return Failure.of(found) if isinstance(found, Exception) else found


def _go_to(home: str) -> None:
    if os.getcwd() != home:
        try:
            os.chdir(home)
        except OSError as error:
            raise ConfigError(
                f"{home}: {error.strerror}; expected a folder that all workers see"
            ) from error


def _check(batch: Batch) -> None:
    """Raise `ftlab.ConfigError` if points would not be the same here."""
    for point, digest in zip(batch.points, batch.digests, strict=True):
        if point.digest != digest:
            raise ConfigError(_difference(point, batch))


def _difference(point: Point, batch: Batch) -> str:
    if code(point.core) != batch.code:
        return f"found {code(point.core)}, expected {batch.code}"
    if point.input["input"]["trace"] != batch.content:
        trace = point.resolved["input"]["trace"]
        return f"{trace}: found other content than where the run was started"
    return f"{point.label}: found a class in a file that is not as it was when the run was started"
