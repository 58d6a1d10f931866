"""The table of two traces side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ftlab.record import Record
from ftlab.report.numbers import written
from ftlab.report.tables import ABSENT, Table

ROWS = (
    ("requests", "requests", "count"),
    ("write_ratio", "writes", "ratio"),
    ("mean_read_bytes", "mean read", "bytes"),
    ("mean_write_bytes", "mean write", "bytes"),
    ("aligned_4k_ratio", "aligned to 4 KiB", "ratio"),
    ("sequential_requests_ratio", "sequential requests", "ratio"),
    ("sequentiality.stream_requests_ratio", "continue one of 32 streams", "ratio"),
    ("sequentiality.streams_mean", "interleaved streams", "factor"),
    ("requests_per_s", "requests", "1/s"),
    ("arrivals.burstiness", "burstiness", "factor"),
    ("footprint.pages", "different pages", "count"),
    ("footprint.written_pages", "different pages written", "count"),
    ("reuse_time.p50", "reuse time, median accesses", "count"),
    ("update_interval.p50", "update interval, median page writes", "count"),
    ("rewrites.writes_per_page", "writes for each page written", "factor"),
    ("rewrites.first_window_ratio", "later writes to pages of the first 10,000 requests", "ratio"),
    ("evenness.busiest_of_2", "busiest pages modulo 2, even shares", "factor"),
    ("evenness.busiest_of_4", "busiest pages modulo 4, even shares", "factor"),
    ("evenness.busiest_of_8", "busiest pages modulo 8, even shares", "factor"),
)
"""Figures of traces: where, what, unit."""

ANSWERS = (
    ("hit_ratio", "hit ratio", "ratio"),
    ("translation_reads_per_access", "translation reads per page access", "factor"),
    ("translation_writes_per_access", "translation writes per page access", "factor"),
    ("write_amplification", "write amplification", "factor"),
    ("mean_response_us", "mean response", "us"),
)
"""Figures of runs."""

DISTANCES = (
    ("miss_ratio_mean_points", "LRU miss-ratio curves, mean", " points"),
    ("miss_ratio_max_points", "LRU miss-ratio curves, largest", " points"),
    ("reuse_time_ks", "reuse times", " KS"),
    ("update_interval_ks", "update intervals", " KS"),
    ("read_after_write_ks", "reads after writes", " KS"),
    ("size_ks", "request sizes", " KS"),
    ("interval_ks", "times between requests", " KS"),
)


def similarity_table(found: Record) -> Table:
    """Return a row for each figure of both traces, then for each distance of two curves."""
    distances = found["distances"]
    rows = [_row(found, path, label, unit) for path, label, unit in _figures(found)]
    rows += [
        [label, "", "", ABSENT if (apart := distances[key]) is None else f"{apart:.3f}{unit}"]
        for key, label, unit in DISTANCES
    ]
    return Table(["", "A", "B", "difference"], rows)


def run_line(found: Record) -> str:
    """Return on what both traces were run, in one line."""
    run = found["run"]
    names = f"A {found['a']['name']}, B {found['b']['name']}"
    sampled = [
        f"pages of {side.upper()}: a sample of one in {found[side]['pages_per_sample']}"
        for side in "ab"
        if found[side]["pages_per_sample"] > 1
    ]
    if run["ftls"]:
        capacity = written(run["device"]["capacity"], "bytes")
        sampled.append(f"both on {capacity} of {run['preset']}, warm-up {run['run']['warmup']}")
    return "; ".join([names, *sampled])


def _figures(found: Record) -> Iterator[tuple[str, str, str]]:
    yield from ROWS
    for ftl in found["run"]["ftls"]:
        for key, label, unit in ANSWERS:
            yield f"ftls.{ftl}.{key}", f"{ftl}: {label}", unit


def _row(found: Record, path: str, label: str, unit: str) -> list[str]:
    a, b = found["a"].find(path), found["b"].find(path)
    return [label, written(a, unit), written(b, unit), _difference(a, b, unit)]


def _difference(a: Any, b: Any, unit: str) -> str:
    """Return B - A: shares in percentage points, everything else relative to A."""
    if a is None or b is None:
        return ABSENT
    if unit == "ratio":
        return f"{100 * (b - a):+.2f} points"
    if not a:
        return f"{b - a:+.3f}" if b else "0"
    return f"{100 * (b - a) / abs(a):+.1f} %"
