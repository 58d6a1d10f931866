"""What can be asked of a stream of requests, wherever it comes from."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ftlab import _core, cores
from ftlab.config import Config, Progress, Quantity, merge
from ftlab.record import Record
from ftlab.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd


__all__ = ["Source", "characteristics", "columns", "statistics"]
"""What other distributions may use."""


class Source(Settings):
    """A stream of requests that the core reads or generates; nothing is read until it is asked."""

    def info(self, progress: Progress | None = None) -> Record:
        """Read the whole stream once and return its statistics.

        Raises `ftlab.TraceError` where the file cannot be read as its format says.
        """
        return statistics(self.config(), progress)

    def _repr_html_(self) -> str:
        """Show the statistics in a notebook; the stream is read once for them."""
        from ftlab.report.html import table_of
        from ftlab.report.numbers import by_name
        from ftlab.report.summary import words
        from ftlab.report.tables import Table

        told = ((key, value) for key, value in self.info().items() if value is not None)
        scalars = [(key, value) for key, value in told if isinstance(value, int | float | str)]
        rows = [[words(key), by_name(key, value)] for key, value in scalars]
        return table_of(Table(["statistic", "value"], rows))

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
        ``op`` (0 read, 1 write, 2 trim, 3 flush, 4 write with FUA). A source with attributes
        has columns of them: ``hint`` (placement handle), ``lifetime`` (0 to 5), ``initiator`` and
        ``prefetch``.
        """
        return columns(self.config(), limit)

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


def statistics(config: Config, progress: Progress | None = None) -> Record:
    """Return the name, the format and the statistics of the requests that a configuration names."""
    return _named(json.loads(_core.trace_info(json.dumps(config), progress)))


def characteristics(config: Config, progress: Progress | None = None) -> Record:
    """Return `statistics`, and what the requests and their accesses to pages are like."""
    answer = json.loads(_core.trace_characteristics(json.dumps(config), progress))
    return _named(answer, address_space_bytes=answer["trace"]["span_bytes"])


def columns(config: Config, limit: int | None = None) -> dict[str, npt.NDArray[np.integer[Any]]]:
    """Return the first requests that a configuration names as columns (`Source.to_numpy`)."""
    return _core.trace_columns(json.dumps(config), limit)


def _named(answer: Config, **more: Any) -> Record:
    """Return the core's figures of a stream behind its name and format."""
    source = {key: answer["trace"][key] for key in ("name", "format")}
    return Record({**source, **more, **answer["info"]})


def converted(
    config: Config, path: str, to: str | None = None, progress: Progress | None = None
) -> Record:
    """Write the requests that a configuration names to a file, and return what was written.

    Raises `ftlab.ConfigError` for a name or a format that is none, `ftlab.TraceError` for a trace
    that cannot be read.
    """
    form = to and cores.utf8(to)
    return Record(json.loads(_core.convert(json.dumps(config), cores.utf8(path), form, progress)))


def fitted(config: Config, progress: Progress | None = None) -> str:
    """Return the model fitted to the requests that a configuration names, as TOML."""
    return _core.fit(json.dumps(config), progress)


def parts(
    config: Config, folder: str, progress: Progress | None = None, stripes: str | None = None
) -> list[Record]:
    """Write each volume that a configuration names to a file, and return what was written.

    With ``stripes``, as ``32:64KiB``, there is a file for each device of an array instead.
    """
    written = _core.split(json.dumps(config), folder, progress, stripes)
    return [Record(each) for each in json.loads(written)]
