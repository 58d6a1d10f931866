"""Where requests come from: trace files, built-in profiles, models and generated workloads."""

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
        The file, which ends in ``.toml``, or the name of a profile.
    requests
        How many; by default the length that the model was fitted to.
    seed
        Of every random choice; a simulation that is given a seed takes that one for both.
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
) -> Trace:
    """Return the trace in a file: text, plain or compressed with gzip, bzip2, xz or zstd; Parquet.

    Parameters
    ----------
    path
        The file, or ``"-"`` for standard input. Several files are one recording, merged by time;
        so are those of a folder, of an archive, or of a pattern such as ``"sda.blktrace.*"``.
    format
        Name of the format (``ftlab list formats``); detected by default.
    order
        What to do with timestamps that go back: ``"error"``, ``"sort"``, ``"clamp"``,
        ``"segments"`` or ``"drop"``; by default what the format says (``ftlab list formats``),
        which is an error for most.
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
        What the columns of a CSV file are: ``"time=ts:us,offset=lba:sectors,length=bytes,op=rw"``;
        ``hint=COLUMN`` is a placement handle.
    op
        What the requests are, ``"read"`` or ``"write"``, for files that do not say.
    unit
        Page of a list of the ARC paper, by default 512 bytes.
    time_unit
        What times count, where it is not the format's unit; ``"filetime"`` is 100 ns.
    offset_unit
        Bytes that an address counts, where it is not the format's unit.
    stage
        Stage at which requests are taken from events of Linux' block layer, by default ``"Q"``.
    flushes
        Take flushes, and writes with FUA as such; by default these are left out or writes.
    hint_by
        What the placement handle of a write follows from: ``"volume"``, ``"range:1GiB:4GiB"`` or
        ``"size:16KiB:128KiB"``; by default the handles of the trace.

    Raises
    ------
    ftlab.TraceError
        when the trace is used: the file is missing, or a line of it is not what the format says
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
    )


def profile(name: str, *, skip: int | None = None, requests: int | None = None) -> Trace:
    """Return a built-in workload fitted to a published trace (``ftlab list profiles``)."""
    return Trace(trace=name, skip=skip, requests=requests)
