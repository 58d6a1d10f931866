"""Inputs made from others: each written once, as a trace beside the results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ftlab import _core
from ftlab.config import Config
from ftlab.experiments.volumes import MIB
from ftlab.files import sweep, write_atomically
from ftlab.points import Point
from ftlab.points.kept import keep, kept
from ftlab.points.point import canonical, code, sha256
from ftlab.points.store import INPUTS

DIGEST_DIGITS = 20
SECTOR = 512

Columns: TypeAlias = Mapping[str, npt.NDArray[np.integer[Any]]]


def looped(
    trace: Config, rounds: int, without: Iterable[int], results: Path, slower: int = 1
) -> Path:
    """Return a trace that repeats another, but for the requests to some volumes.

    They come ``slower`` times as far apart. Each round begins a mean interval of arrivals after the
    last request of the one before it.
    """
    left_out = sorted(without)

    def make(columns: Columns) -> Columns:
        kept = ~np.isin(columns["volume"], left_out)
        times = columns["time_ns"].astype(np.int64) * slower
        period = int(times[-1]) + int(times[-1]) // max(len(times) - 1, 1)
        begins = np.repeat(np.arange(rounds, dtype=np.int64) * period, int(kept.sum()))
        repeated = {name: np.tile(column[kept], rounds) for name, column in columns.items()}
        return {**repeated, "time_ns": np.tile(times[kept], rounds) + begins}

    how = f"{rounds} rounds without volumes {left_out}, {slower} times as slow"
    return _made(trace, how, make, results)


def side_by_side(trace: Config, results: Path) -> Path:
    """Return a trace of one volume, on which those of another lie one behind the other."""

    def make(columns: Columns) -> Columns:
        volumes = columns["volume"]
        ends = (columns["offset"] + columns["length"]).astype(np.int64)
        begins = np.zeros(int(volumes.max()) + 1, dtype=np.int64)
        base = 0
        for volume in np.unique(volumes):
            begins[volume] = base
            base += -(-int(ends[volumes == volume].max()) // MIB) * MIB
        offsets = columns["offset"].astype(np.int64) + begins[volumes]
        return {**columns, "offset": offsets, "volume": np.zeros_like(volumes)}

    return _made(trace, "volumes side by side", make, results)


def _made(trace: Config, how: str, make: Callable[[Columns], Columns], results: Path) -> Path:
    """Return the trace that is made of another, written where it is missing or was harmed.

    Raises `ftlab.ConfigError` if the other one changes meanwhile: nothing is kept then.
    """
    whole = Point(how, trace, "page")
    digest = sha256(canonical({**whole.input, "made": how, "code": code(whole.core)}))
    path = results / INPUTS / f"{digest[:DIGEST_DIGITS]}.spc"
    index = path.with_suffix(".json")
    sweep(path.parent)
    if kept(index):
        return path
    made = make(_core.trace_columns(json.dumps(trace)))
    whole.check_input()
    rows = zip(*(made[each].tolist() for each in COLUMNS), strict=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "".join(map(_line, rows)), place="entry")
    keep(index, [{"file": path.name}])
    return path


COLUMNS = ("volume", "offset", "length", "op", "time_ns")


def _line(row: tuple[int, int, int, int, int]) -> str:
    """Return a request as a line of the Storage Performance Council's format."""
    volume, offset, length, op, time = row
    return f"{volume},{offset // SECTOR},{length},{'rw'[op]},{time / 1e9:.9f}\n"
