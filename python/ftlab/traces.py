"""Sources of requests: trace files, built-in profiles, models and generated workloads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

from ftlab._settings import Trace, Workload
from ftlab.config import Config, Quantity
from ftlab.recording import joined
from ftlab.settings import written
from ftlab.source import Source

__all__ = ["Model", "Source", "Trace", "Workload", "profile", "read_trace"]


class Model(Trace):
    """The requests of a workload model.

    Parameters
    ----------
    path
        The file, with the suffix ``.toml``, or the name of a profile.
    requests
        Number of requests; by default the length that the model was fitted to.
    seed
        Seed of all random choices; a simulation with a seed uses that one for both.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, requests: int | None = None, seed: int | None = None
    ) -> None:
        super().__init__(trace=os.fspath(path), requests=requests)
        self._seed = seed

    def config(self) -> Config:
        """Return the sections of the configuration that name this source and its seed."""
        run = {} if self._seed is None else {"run": {"seed": self._seed}}
        return {**super().config(), **run}

    def __repr__(self) -> str:
        """Text that names the source, its settings and its seed."""
        return written(self, [] if self._seed is None else [f"seed={self._seed}"])


def read_trace(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    format: str | None = None,
    order: Literal["error", "sort", "clamp", "segments", "drop"] | None = None,
    volume: int | None = None,
    from_: Quantity | None = None,
    until: Quantity | None = None,
    skip: int | None = None,
    requests: int | None = None,
    columns: str | None = None,
    op: Literal["read", "write", "trim"] | None = None,
    unit: Quantity | None = None,
    time_unit: Literal["s", "ms", "us", "ns", "filetime"] | None = None,
    offset_unit: Quantity | None = None,
    stage: Literal["Q", "D", "C"] | None = None,
    flushes: bool | None = None,
    hint_by: str | None = None,
    update_every: Quantity | None = None,
    shard: str | None = None,
) -> Trace:
    """Return the trace in a file: text, plain or compressed with gzip, bzip2, xz or zstd; Parquet.

    Parameters
    ----------
    path
        The file, or ``"-"`` for standard input. Several files are one recording, merged by time.
        The same applies to a folder, an archive, or a pattern such as ``"sda.blktrace.*"``.
    format
        Name of the format (``ftlab list formats``); detected by default.
    order
        How timestamps that go back are treated: ``"error"``, ``"sort"``, ``"clamp"``,
        ``"segments"`` or ``"drop"``. By default the format decides (``ftlab list formats``); for
        most it is an error.
    volume
        Read only this volume (application unit, disk) of the trace.
    from_
        Read only from this time since the first request: ``"1h"``, or nanoseconds.
    until
        Read only before this time since the first request.
    skip
        Leave out this many requests at the front.
    requests
        Stop after this many requests.
    columns
        The columns of a CSV file: ``"time=ts:us,offset=lba:sectors,length=bytes,op=rw"``;
        ``hint=COLUMN`` is a placement handle.
    op
        The operation, ``"read"`` or ``"write"``, of requests in files that do not state it.
    unit
        Page of a list of the ARC paper, by default 512 bytes.
    time_unit
        The unit of times, if not the format's own; ``"filetime"`` is 100 ns.
    offset_unit
        Bytes per unit of an address, if not the format's own.
    stage
        Stage at which requests are taken from events of Linux' block layer, by default ``"Q"``.
    flushes
        Take flushes and keep FUA on writes; by default flushes are left out and FUA is dropped.
    hint_by
        How the placement handle of a write is derived: ``"volume"``, ``"range:1GiB:4GiB"`` or
        ``"size:16KiB:128KiB"``; by default the handles of the trace.
    update_every
        Bytes written with a placement handle after which the host moves it to a new reclaim unit;
        by default the updates of the trace.
    shard
        What one device of an array gets: ``"3/32:64KiB"`` for device 3 of 32, in stripes of 64 KiB.

    Raises
    ------
    ftlab.TraceError
        when the trace is used: the file is missing, or a line does not match the format
    """
    paths = [path] if isinstance(path, str | os.PathLike) else path
    return Trace(
        trace=joined([os.fspath(each) for each in paths]),
        format=format,
        order=order,
        volume=volume,
        from_=from_,
        until=until,
        skip=skip,
        requests=requests,
        columns=columns,
        op=op,
        unit=unit,
        time_unit=time_unit,
        offset_unit=offset_unit,
        stage=stage,
        flushes=flushes,
        hint_by=hint_by,
        update_every=update_every,
        shard=shard,
    )


def profile(name: str, *, skip: int | None = None, requests: int | None = None) -> Trace:
    """Return a built-in workload fitted to a published trace (``ftlab list profiles``)."""
    return Trace(trace=name, skip=skip, requests=requests)
