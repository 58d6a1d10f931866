"""How far two traces are apart, curve by curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ftlab.record import Record


def distances(a: Record, b: Record) -> dict[str, float | None]:
    """Return how far the curves of two traces are apart.

    ``ks``: the largest difference of two cumulative distributions, from 0 (the same) to 1
    (Kolmogorov and Smirnov). ``points``: percentage points between miss-ratio curves, over cache
    sizes in equal ratios from a page to the larger footprint.
    """
    mean, largest = _between_curves(a["miss_ratio_curve"], b["miss_ratio_curve"])
    kinds = ("reuse_time", "update_interval", "read_after_write", "arrivals.interval_us")
    names = ("reuse_time_ks", "update_interval_ks", "read_after_write_ks", "interval_ks")
    return {
        "miss_ratio_mean_points": mean,
        "miss_ratio_max_points": largest,
        "size_ks": _ks(_sizes(a), _sizes(b)),
        **{name: _ks(a.find(kind), b.find(kind)) for name, kind in zip(names, kinds, strict=True)},
    }


def _sizes(trace: Record) -> Mapping[str, Any] | None:
    """Return request sizes as a cumulative distribution."""
    sizes = trace["sizes"]
    counts = np.add(sizes["reads"], sizes["writes"])
    if not len(counts):
        return None
    return {"value": sizes["bytes"], "fraction": counts.cumsum() / counts.sum()}


def _ks(a: Mapping[str, Any] | None, b: Mapping[str, Any] | None) -> float | None:
    """Return the largest difference of two cumulative distributions; None if one is missing."""
    if a is None or b is None:
        return None
    at = np.union1d(a["value"], b["value"])
    return float(np.abs(_fractions(a, at) - _fractions(b, at)).max())


def _fractions(curve: Mapping[str, Any], at: Any) -> Any:
    """Return the share of a distribution at or below each of ``at``."""
    places = np.searchsorted(curve["value"], at, side="right")
    return np.concatenate([[0.0], curve["fraction"]])[places]


def _between_curves(a: Record, b: Record) -> tuple[float | None, float | None]:
    """Return mean and largest distance of two miss-ratio curves, in percentage points."""
    if not a["cache_pages"] or not b["cache_pages"]:
        return None, None
    largest = max(a["cache_pages"][-1], b["cache_pages"][-1])
    sizes = np.geomspace(1, largest, 400)
    apart = 100 * np.abs(_miss_ratios(a, sizes) - _miss_ratios(b, sizes))
    return float(apart.mean()), float(apart.max())


def _miss_ratios(curve: Record, sizes: Any) -> Any:
    """Return the miss ratio at sizes between those of the curve; a cache of no page misses all."""
    known = np.log1p([0, *curve["cache_pages"]])
    return np.interp(np.log1p(sizes), known, [1.0, *curve["miss_ratio"]])
