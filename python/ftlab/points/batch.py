"""What a worker does: it runs the points of a batch and saves each where the others are."""

from __future__ import annotations

import json
import os
import pickle
import socket
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from threading import Condition
from typing import Any

from ftlab.config import Progress
from ftlab.errors import ConfigError, Interrupted
from ftlab.points.point import Point, canonical, code
from ftlab.points.store import Failure, Outcome, Store
from ftlab.points.warmups import Warmups
from ftlab.result import Result
from ftlab.simulation import execute

_UNDER_WAY: Counter[str] = Counter()
"""Batches that run in this process, by the folder that they run in."""

_ENDED = Condition()
"""Notified when one of them ends."""


@dataclass(frozen=True)
class Batch:
    """Points on their way to a worker; traces and classes travel by their paths."""

    points: Sequence[Point]
    digests: Sequence[str]
    """What the points are called where they come from."""
    contents: Sequence[str | None]
    """What names the contents of their traces there."""
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
    """Return points as bytes; raises `ftlab.ConfigError` for what cannot travel."""
    digests = [point.digest for point in points]
    contents = [point.input["input"]["trace"] for point in points]
    batch = Batch(points, digests, contents, code(points[0].core), os.getcwd(), folder, retry)
    return pickle.dumps(batch)


def by_input(points: Sequence[Point]) -> list[list[Point]]:
    """Return points in groups that share a reading: those of one input, on one core.

    What is refused is a group of its own.
    """
    groups: dict[tuple[str, ...], list[Point]] = {}
    for point in points:
        refused = point.refusal is not None
        groups.setdefault((point.digest,) if refused else _input(point), []).append(point)
    return list(groups.values())


def by_pass(points: Sequence[Point], passes: int) -> list[list[list[Point]]]:
    """Return the groups of `by_input`, joined into those that one pass reads.

    The devices of an array are shared out evenly over ``passes``.
    """
    arrays: dict[tuple[str, ...], list[list[Point]]] = {}
    for group in by_input(points):
        arrays.setdefault(_array(group[0]), []).append(group)
    together = []
    for groups in arrays.values():
        share = ceil(len(groups) / passes)
        together += [groups[at : at + share] for at in range(0, len(groups), share)]
    return together


def _array(point: Point) -> tuple[str, ...]:
    """Return what is equal for the devices of an array; any other input is alone."""
    shard = None if point.refusal else point.resolved["input"]["shard"]
    if shard is None:
        return (point.digest,)
    _, _, array = shard.partition("/")
    return _input(point, shard=array)


def _input(point: Point, **other: str) -> tuple[str, ...]:
    """Return what is equal for points of one input, which has one name, too."""
    whole = {**point.input, "input": {**point.input["input"], **other}}
    return point.core.__name__, str(point.resolved["input"]["trace"]), canonical(whole)


def work(content: bytes) -> Done:
    """Run the points of a batch that have no result yet, and save each when it ends."""
    start = time.perf_counter()
    try:
        batch: Batch = pickle.loads(content)
        with inside(batch.home):
            ran = _run(batch)
    except ConfigError as error:
        return Done(0, 0.0, f"worker {socket.gethostname()}: {error}")
    return Done(ran, time.perf_counter() - start)


def _run(batch: Batch) -> int:
    """Run and save the points that have no result yet, and count them."""
    _check(batch)
    store = Store(batch.folder, clean=False)
    left = [point for point in batch.points if store.lacks(point, batch.retry)]
    warmups = Warmups(left)
    for group in by_input(left):
        reading = group[0].core.Reading()
        for point in group:
            store.save(point, outcome(attempt(point, reading, warmups.of(point))))
    return len(left)


def attempt(
    point: Point, reading: Any, warmup: Any = None, progress: Progress | None = None
) -> Result | Exception:
    """Return the result of a point, or what it raised; ``reading`` is that of its group.

    Raises `ftlab.Interrupted` when it is stopped, and `ftlab.ConfigError` when its input changed.
    """
    try:
        if point.refusal:
            raise point.refusal
        (result,) = execute([(point.config, point.ftl)], progress, reading, warmup)
    except Interrupted:
        raise
    except Exception as error:
        return error
    finally:
        if not point.refusal:
            point.check_input()
    return result


def open_input(point: Point, reading: Any, progress: Progress | None = None) -> None:
    """Read the input of a point, for all that share the reading; raises what is wrong with it."""
    config, _, plugins = point.for_core
    point.core.open_input(reading, json.dumps(config), progress, list(plugins))


def open_devices(
    points: Sequence[Point], readings: Sequence[Any], room: int, progress: Progress | None = None
) -> int:
    """Read the inputs of points, devices of an array, in one pass; raises what is wrong with them.

    It keeps the requests of as many as fit into ``room`` bytes. Return how many are open.
    """
    config, _, plugins = points[0].for_core
    shards = [point.resolved["input"]["shard"] for point in points]
    devices = list(zip(shards, readings, strict=True))
    core = points[0].core
    opened: int = core.open_devices(devices, json.dumps(config), room, progress, list(plugins))
    return opened


def outcome(found: Result | Exception) -> Outcome:
    """Return a result, or that a point failed."""
    return Failure.of(found) if isinstance(found, Exception) else found


@contextmanager
def inside(home: str) -> Iterator[None]:
    """Be in a folder; threads that have to be in another one wait, as a process is in one."""
    with _ENDED:
        _ENDED.wait_for(lambda: _UNDER_WAY.total() == _UNDER_WAY[home])
        try:
            os.chdir(home)
        except OSError as error:
            raise ConfigError(
                f"{home}: {error.strerror}; expected a folder that all workers see"
            ) from error
        _UNDER_WAY[home] += 1
    try:
        yield
    finally:
        with _ENDED:
            _UNDER_WAY[home] -= 1
            _ENDED.notify_all()


def _check(batch: Batch) -> None:
    """Raise `ftlab.ConfigError` if points would not be the same here."""
    for point, digest, content in zip(batch.points, batch.digests, batch.contents, strict=True):
        if point.digest != digest:
            raise ConfigError(_difference(point, content, batch.code))


def _difference(point: Point, content: str | None, expected: str) -> str:
    if code(point.core) != expected:
        return f"found {code(point.core)}, expected {expected}"
    if point.input["input"]["trace"] != content:
        trace = point.resolved["input"]["trace"]
        return f"{trace}: found other content than where the run was started"
    return f"{point.label}: found a class in a file that is not as it was when the run was started"
