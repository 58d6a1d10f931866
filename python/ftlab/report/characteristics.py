"""What a trace is like, as a few lines and small tables."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from ftlab.record import Record
from ftlab.report.numbers import count, ratio, size, written
from ftlab.report.summary import Section
from ftlab.report.tables import Table

CACHE_SHARES = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0)
"""Sizes of LRU caches that are shown, as shares of the footprint."""

SHOWN_ALIGNMENTS = (512, 4096, 8192, 16384, 65536)

INTERVALS = (
    ("arrivals.interval_us", "time between requests", "us"),
    ("reuse_time", "reuse time, page accesses", "count"),
    ("update_interval", "update interval, page writes", "count"),
    ("read_after_write", "read after write, page accesses", "count"),
)
FIGURES = ("mean", "p50", "p90", "p99", "max")


def characteristics_sections(trace: Record) -> list[Section]:
    """Return what fits on a line each."""
    sections: list[Section] = [
        ("alignment and sequentiality", [_alignment(trace), *_sequentiality(trace)]),
        ("arrivals", _arrivals(trace)),
        (
            f"pages of {size(trace['page_bytes'])}",
            [*_pages(trace), *_footprint(trace), *_rewrites(trace)],
        ),
    ]
    return [(title, lines) for title, lines in sections if lines]


def characteristics_tables(trace: Record) -> list[tuple[str, Table]]:
    """Return sizes, intervals, working set and miss ratios; an empty one is left out."""
    tables = [
        ("request sizes", _sizes(trace["sizes"])),
        ("intervals", _intervals(trace)),
        ("working set", _working_set(trace)),
        ("LRU cache of pages, empty at first", _miss_ratios(trace)),
    ]
    return [(title, table) for title, table in tables if table.rows]


def _sequentiality(trace: Record) -> list[tuple[str, str]]:
    found = trace["sequentiality"]
    streams = f"{written(found['streams_mean'], 'factor')} at a time, at most"
    overlaid = "volumes laid over each other"
    return [
        ("sequential reads", written(found["sequential_reads_ratio"], "ratio")),
        (f"  {overlaid}", written(found["overlaid_sequential_reads_ratio"], "ratio")),
        ("sequential writes", written(found["sequential_writes_ratio"], "ratio")),
        (f"  {overlaid}", written(found["overlaid_sequential_writes_ratio"], "ratio")),
        ("sequential pages read", written(found["sequential_read_pages_ratio"], "ratio")),
        ("sequential pages written", written(found["sequential_written_pages_ratio"], "ratio")),
        ("continue one of 32 streams", written(found["stream_requests_ratio"], "ratio")),
        ("streams", f"{streams} {count(found['streams_max'])}"),
    ]


def _footprint(trace: Record) -> list[tuple[str, str]]:
    return [(key.replace("_", " "), count(pages)) for key, pages in trace["footprint"].items()]


def _rewrites(trace: Record) -> list[tuple[str, str]]:
    rewrites, evenness = trace["rewrites"], trace["evenness"].to_dict()
    busiest = ", ".join(written(share, "factor") for share in evenness.values())
    return [
        ("writes for each page written", written(rewrites["writes_per_page"], "factor")),
        ("later writes to the first window", written(rewrites["first_window_ratio"], "ratio")),
        ("busiest modulo 2, 4, 8", f"{busiest} of an even share"),
    ]


def _alignment(trace: Record) -> tuple[str, str]:
    """Return the share of aligned requests for the powers of two that matter."""
    shares = dict(zip(trace["alignment"]["bytes"], trace["alignment"]["ratio"], strict=False))
    return "aligned to", ", ".join(
        f"{size(power)} {ratio(shares[power])}" for power in SHOWN_ALIGNMENTS if power in shares
    )


def _arrivals(trace: Record) -> list[tuple[str, str]]:
    arrivals = trace["arrivals"]
    if arrivals is None:
        return []
    return [
        ("together with the one before", ratio(arrivals["together_ratio"])),
        ("coefficient of variation", written(arrivals["interval_us"]["cv"], "factor")),
        ("burstiness, -1 to 1", written(arrivals["burstiness"], "factor")),
        ("most in a second", count(arrivals["requests_in_a_second_max"])),
    ]


def _pages(trace: Record) -> list[tuple[str, str]]:
    followed = trace["pages_per_sample"]
    sample = "all" if followed == 1 else f"one in {followed}: figures of pages are estimates"
    return [("accesses", count(trace["page_accesses"])), ("followed", sample)]


def _sizes(sizes: Record) -> Table:
    columns = zip(sizes["bytes"], sizes["reads"], sizes["writes"], strict=True)
    rows = [[size(upper), count(reads), count(writes)] for upper, reads, writes in columns]
    return Table(["up to", "reads", "writes"], rows)


def _intervals(trace: Record) -> Table:
    found = [(label, trace.find(path), unit) for path, label, unit in INTERVALS]
    rows = [
        [label, count(each["count"]), *(_figure(each[figure], unit) for figure in FIGURES)]
        for label, each, unit in found
        if each is not None
    ]
    return Table(["", "count", *FIGURES], rows)


def _figure(value: float, unit: str) -> str:
    return written(round(value) if unit == "count" else value, unit)


def _working_set(trace: Record) -> Table:
    found, page = trace["working_set"], trace["page_bytes"]
    rows = [
        [written(window, "s"), size(page * mean), size(page * most)]
        for window, mean, most in zip(
            found["window_s"], found["pages_mean"], found["pages_max"], strict=True
        )
    ]
    return Table(["window", "mean", "most"], rows)


def _miss_ratios(trace: Record) -> Table:
    curve, page = trace["miss_ratio_curve"], trace["page_bytes"]
    pages: Sequence[int] = curve["cache_pages"]
    if not pages:
        return Table([], [])
    nearest = (max(bisect_right(pages, share * pages[-1]) - 1, 0) for share in CACHE_SHARES)
    rows: list[list[Any]] = [
        [size(page * pages[at]), ratio(pages[at] / pages[-1]), ratio(curve["miss_ratio"][at])]
        for at in dict.fromkeys(nearest)
    ]
    return Table(["cache", "of all pages", "miss ratio"], rows)
