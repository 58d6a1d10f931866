"""Inputs made from others, each written once, as a trace in the folder of the results."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ftlab.points import Columns, Config, derived
from ftlab_papers.volumes import MIB


def looped(
    trace: Config, rounds: int, without: Iterable[int], results: Path, slower: int = 1
) -> Path:
    """Return a trace that repeats another, without the requests to some volumes.

    Times between requests are ``slower`` times as long. Each round begins a mean interval of
    arrivals after the last request of the previous one.
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
    return derived(trace, how, make, results)


def side_by_side(trace: Config, results: Path) -> Path:
    """Return a trace of one volume that holds the volumes of another, one after the other."""

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

    return derived(trace, "volumes side by side", make, results)


def aligned(trace: Config, to: int, results: Path) -> Path:
    """Return a trace whose offsets are rounded down to a multiple of ``to`` bytes."""

    def make(columns: Columns) -> Columns:
        offsets = columns["offset"].astype(np.int64)
        return {**columns, "offset": offsets - offsets % to}

    return derived(trace, f"begins at multiples of {to} B", make, results)
