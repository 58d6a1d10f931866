"""Where requests come from: trace files, built-in profiles and generated workloads."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ftlab import _core
from ftlab.config import Config, Progress, Quantity, given, merge
from ftlab.result import Record

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd


class Source:
    """A stream of requests that the core reads or generates; nothing is read until it is asked."""

    def __init__(self, section: str, settings: Config) -> None:
        self._section = section
        self._settings = settings

    def config(self) -> Config:
        """Return the section of the configuration that names this source."""
        return {self._section: dict(self._settings)}

    def info(self, progress: Progress | None = None) -> Record:
        """Read the whole stream once and return its statistics.

        Raises `ftlab.TraceError` where the file cannot be read as its format says.
        """
        return statistics(self.config(), progress)

    def characteristics(
        self, page: Quantity | None = None, progress: Progress | None = None
    ) -> Record:
        """Read the whole stream once and return what it is like, the figures of `info` among it.

        Sizes, alignment, sequentiality and arrivals of requests; footprint, working set, miss-ratio
        curve of LRU, update intervals of pages of ``page`` bytes (4 KiB by default).
        """
        device = {} if page is None else {"device": {"page": page}}
        return characteristics(merge([self.config(), device]), progress)

    def to_numpy(self, limit: int | None = None) -> dict[str, npt.NDArray[np.integer[Any]]]:
        """Return the first ``limit`` requests (all by default) as columns of equal length.

        ``time_ns`` (since the first request), ``volume``, ``offset`` and ``length`` in bytes,
        ``op`` (0 read, 1 write, 2 trim).
        """
        return _core.trace_columns(json.dumps(self.config()), limit)

    def to_pandas(self, limit: int | None = None) -> pd.DataFrame:
        """Return the columns of `to_numpy` as a data frame; needs ``ftlab[frames]``."""
        import pandas as pd

        return pd.DataFrame(self.to_numpy(limit))

    def convert(
        self,
        path: str | os.PathLike[str],
        *,
        to: str | None = None,
        progress: Progress | None = None,
    ) -> Record:
        """Write the whole stream to a file in one pass, which appears whole or not at all.

        The end of its name says the format, unless ``to`` does: ``"parquet"`` (the columnar
        store), ``"spc"``, ``"mqsim"`` or ``"disksim"``; ``.zst`` or ``.gz`` behind it compresses
        text. Returns the format, the bytes, the requests, the volumes and the digest.
        """
        return converted(self.config(), os.fspath(path), to, progress)

    def split(
        self, folder: str | os.PathLike[str], *, progress: Progress | None = None
    ) -> list[Record]:
        """Write each volume to a Parquet file of its own in a new folder, in one pass.

        Returns the volume, the requests, the name of the file and the digest of each.
        """
        return parts(self.config(), os.fspath(folder), progress)

    def fit(self, *, progress: Progress | None = None) -> str:
        """Return the model fitted to this source in one pass: the text of a TOML file.

        Written to a file whose name ends in ``.toml`` it is a trace of its own
        (`ftlab.Model`). Raises `ftlab.TraceError` for a source of fewer than 100 requests.
        """
        return fitted(self.config(), progress)

    def __repr__(self) -> str:
        """Text that names the source and its settings."""
        inside = ", ".join(f"{key}={value!r}" for key, value in self._settings.items())
        return f"{type(self).__name__}({inside})"


class Trace(Source):
    """A recorded trace, or a built-in profile of one."""

    def __init__(self, **settings: Any) -> None:
        super().__init__("input", given(**settings))


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


class Workload(Source):
    """Generated requests, described in fio's words.

    Parameters
    ----------
    pattern
        ``"randwrite"``, ``"read"``, ... (``ftlab list patterns``).
    bs
        Request size, bytes or text.
    size
        Address space that is touched, from 0, bytes or text.
    requests
        How many to generate.
    **parameters
        Further settings of the pattern, checked by the core when a run starts.
    """

    def __init__(
        self,
        pattern: str,
        /,
        bs: Quantity | None = None,
        size: Quantity | None = None,
        requests: int | None = None,
        **parameters: Any,
    ) -> None:
        settings = given(pattern=pattern, bs=bs, size=size, requests=requests, **parameters)
        super().__init__("workload", settings)


def statistics(config: Config, progress: Progress | None = None) -> Record:
    """Return the name, the format and the statistics of the requests that a configuration names."""
    return _named(json.loads(_core.trace_info(json.dumps(config), progress)))


def characteristics(config: Config, progress: Progress | None = None) -> Record:
    """Return `statistics`, and what the requests and their accesses to pages are like."""
    answer = json.loads(_core.trace_characteristics(json.dumps(config), progress))
    return _named(answer, address_space_bytes=answer["trace"]["span_bytes"])


def _named(answer: Config, **more: Any) -> Record:
    """Return the core's figures of a stream behind its name and format."""
    source = {key: answer["trace"][key] for key in ("name", "format")}
    return Record({**source, **more, **answer["info"]})


def converted(
    config: Config, path: str, to: str | None = None, progress: Progress | None = None
) -> Record:
    """Write the requests that a configuration names to a file, and return what was written."""
    return Record(json.loads(_core.convert(json.dumps(config), path, to, progress)))


def fitted(config: Config, progress: Progress | None = None) -> str:
    """Return the model fitted to the requests that a configuration names, as TOML."""
    return _core.fit(json.dumps(config), progress)


def parts(config: Config, folder: str, progress: Progress | None = None) -> list[Record]:
    """Write each volume that a configuration names to a file, and return what was written."""
    return [Record(each) for each in json.loads(_core.split(json.dumps(config), folder, progress))]


def read_trace(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    order: str | None = None,
    volume: int | None = None,
    from_: Quantity | None = None,
    until: Quantity | None = None,
    skip: int | None = None,
    requests: int | None = None,
    columns: str | None = None,
    op: str | None = None,
    unit: Quantity | None = None,
) -> Trace:
    """Return the trace in a file: text, plain or compressed with gzip, bzip2, xz or zstd; Parquet.

    Parameters
    ----------
    path
        The file, or ``"-"`` for standard input.
    format
        Name of the format (``ftlab list formats``); detected by default.
    order
        What to do with timestamps that go back: ``"error"``, ``"sort"`` or ``"clamp"``; by default
        what the format says (``ftlab list formats``), which is an error for most.
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
        What the columns of a CSV file are: ``"time=ts:us,offset=lba:sectors,length=bytes,op=rw"``.
    op
        What the requests are, ``"read"`` or ``"write"``, for files that do not say.
    unit
        Page of a list of the ARC paper, by default 512 bytes.

    Raises
    ------
    ftlab.TraceError
        when the trace is used: the file is missing, or a line of it is not what the format says
    """
    times = {"from": from_, "until": until}
    return Trace(
        trace=os.fspath(path),
        format=format,
        order=order,
        volume=volume,
        **times,
        skip=skip,
        requests=requests,
        columns=columns,
        op=op,
        unit=unit,
    )


def profile(name: str, *, skip: int | None = None, requests: int | None = None) -> Trace:
    """Return a built-in workload fitted to a published trace (``ftlab list profiles``)."""
    return Trace(trace=name, skip=skip, requests=requests)
