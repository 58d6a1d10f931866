"""What the lookups of a mapping cache find: shares of all of them, which add up to one."""

from __future__ import annotations

from collections.abc import Sequence

from ftlab.report.tables import Table
from ftlab.result import Result
from ftlab.titles import FtlName, title

FIRST_USES = {
    "of entries prefetched with their request": "request_used",
    "of prefetched successors": "successors_used",
}
"""Hits that are the first use of an entry; all others are of entries used before."""

MISSES = {
    "not in the cache before": "misses_new",
    "evicted after use": "misses_evicted",
    "prefetched, evicted unused": "misses_evicted_unused",
}

IN_SEQUENCE = "next to a cached page, prefetching off"
"""Misses that might have been hits while successors are prefetched."""

Row = tuple[str, float, float]


def shares_of(first: Result, second: Result) -> list[Row]:
    """Return each share of the lookups of two runs, sums behind their parts.

    Empty unless both have `prefetch` and lookups.
    """
    before, after = _shares(first), _shares(second)
    return [(name, before[name], after[name]) for name in before if name in after]


def lookups_table(labels: Sequence[str], rows: Sequence[Row]) -> Table:
    """Return a row for each share of lookups, in percent, and what is different, in points."""
    cells = [
        [name, f"{100 * first:.2f}", f"{100 * second:.2f}", f"{100 * (second - first):+.2f}"]
        for name, first, second in rows
    ]
    return Table(["share of lookups, %", *map(FtlName, labels), "difference"], cells)


def sentence(labels: Sequence[str], first: Result, second: Result) -> str:
    """Return the share of lookups during which each run prefetched successors."""
    told = [
        f"{100 * (result.prefetch.on_ratio or 0.0):.1f} % of the lookups of {title(label)}"
        for label, result in zip(labels, (first, second), strict=True)
    ]
    return f"Selective prefetching is on for {' and '.join(told)}."


def _shares(result: Result) -> dict[str, float]:
    lookups, hits = _count(result, "mapping.lookups"), _count(result, "mapping.hits")
    if not lookups or result.find("prefetch") is None:
        return {}
    first_uses = {name: _count(result, f"prefetch.{key}") for name, key in FIRST_USES.items()}
    counts = {
        "  of entries used before": hits - sum(first_uses.values()),
        **{f"  {name}": count for name, count in first_uses.items()},
        "hits": hits,
        **{f"  {name}": _count(result, f"prefetch.{key}") for name, key in MISSES.items()},
        "misses": lookups - hits,
        f"  {IN_SEQUENCE}": _count(result, "prefetch.misses_in_sequence"),
    }
    return {name: count / lookups for name, count in counts.items()}


def _count(result: Result, path: str) -> int:
    return int(result.find(path) or 0)
