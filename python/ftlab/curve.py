"""The hit ratio of LRU mapping caches of every size, from one pass over a trace."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ftlab import _core
from ftlab.config import Config, Progress, Quantity, given, merge
from ftlab.report.tables import csv_of
from ftlab.traces import Source, read_trace

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from matplotlib.figure import Figure

ENTRY_BYTES = 8
"""RAM of a mapping in DFTL's cache: LPN and PPN."""
SIZES_PER_OCTAVE = 8


@dataclass(frozen=True)
class MissRatioCurve:
    """The hits of LRU mapping caches of every size that begin empty.

    Attributes
    ----------
    name, format
        Of the trace.
    page_bytes
        Size of a page.
    accesses
        Pages that requests read, write or trim: lookups of a mapping cache.
    pages
        Different pages among them; a cache of this many entries misses first accesses only.
    pages_per_sample
        1 if the curve is exact. Beyond 4 Mi different pages, one in this many pages was followed.
    hits
        Of caches of 0, 1, 2, ... times ``pages_per_sample`` entries.
    """

    name: str
    format: str
    page_bytes: int
    accesses: int
    pages: int
    pages_per_sample: int
    hits: npt.NDArray[np.float64]

    def hit_ratio(self, entries: npt.ArrayLike) -> Any:
        """Return the hit ratio of a cache with this many entries; of one size or of several."""
        import numpy as np

        sizes = self.pages_per_sample * np.arange(len(self.hits))
        ratios = np.interp(np.asarray(entries), sizes, self.hits) / max(self.accesses, 1)
        return float(ratios) if np.ndim(ratios) == 0 else ratios

    def miss_ratio(self, entries: npt.ArrayLike) -> Any:
        """Return the miss ratio of a cache with this many entries, including first accesses."""
        return 1.0 - self.hit_ratio(entries)

    def sizes(self) -> list[int]:
        """Return numbers of entries in equal ratios, eight to a power of two, up to all pages."""
        octaves = range(SIZES_PER_OCTAVE * 64)
        ladder = {int(2 ** (at / SIZES_PER_OCTAVE)) for at in octaves}
        sizes = sorted(each for each in ladder if self.pages_per_sample <= each < self.pages)
        return [*sizes, self.pages] if self.pages else []

    def to_dict(self) -> dict[str, Any]:
        """Return the metrics and the curve at `sizes`, as plain lists and scalars."""
        metrics = {name: value for name, value in vars(self).items() if name != "hits"}
        ratios = [self.hit_ratio(each) for each in self.sizes()]
        return {**metrics, "entries": self.sizes(), "hit_ratio": ratios}

    def to_json(self, indent: int | None = 2) -> str:
        """Return the same as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_csv(self) -> str:
        """Return one row for each of `sizes`: entries, their bytes in DFTL's cache, hit ratio."""
        rows = ([each, ENTRY_BYTES * each, self.hit_ratio(each)] for each in self.sizes())
        return csv_of(["entries", "dftl_cache_bytes", "hit_ratio"], rows)

    def plot(self) -> Figure:
        """Draw the hit ratio over the entries; needs ``ftlab[plot]``."""
        from ftlab.plot_traces import mapping_curve

        return mapping_curve(self)


def miss_ratio_curve(
    trace: Source | str | os.PathLike[str],
    page: Quantity | None = None,
    *,
    capacity: Quantity | None = None,
    address: str | None = None,
    config: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> MissRatioCurve:
    """Return the hits of LRU mapping caches of every size, in one pass over a trace.

    They equal those of a run of DFTL with ``replacement="lru"`` and no warm-up.

    Parameters
    ----------
    trace
        A source of requests, or the path of a trace, or the name of a profile.
    page
        Page of the device, 4 KiB by default.
    capacity, address
        The device's capacity, and how trace addresses map to it, as for `ftlab.simulate`.
    config
        Further sections of the configuration, stronger than the other arguments.
    progress
        Called about 10 times a second with phase, requests done and the share done.

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError
        when the set-up or the trace is invalid
    """
    source = trace if isinstance(trace, Source) else read_trace(trace)
    device = given(page=page, capacity=capacity)
    sections = given(device=device or None, run=given(address=address) or None)
    return curve_of(merge([source.config(), sections, config or {}]), progress)


def curve_of(config: Config, progress: Progress | None = None) -> MissRatioCurve:
    """Return the curve of the input that a configuration names."""
    return MissRatioCurve(**_core.mapping_curve(json.dumps(config), progress))
