"""Parameters that the sources leave open, each at other values, on Financial1.

The cache has a sixteenth of the map, so it also holds several whole translation pages.
"""

from __future__ import annotations

from collections.abc import Iterator

from ftlab.points import Config, Point, merge
from ftlab.report.tables import Table
from ftlab_papers.findings import number
from ftlab_papers.inputs import Source
from ftlab_papers.quantities import AMPLIFICATION, HITS, RESPONSE
from ftlab_papers.runs import Runs
from ftlab_papers.tpftl.quantities import dirty_replacements, tp_writes

WORKLOAD = "financial1"
REQUESTS = 500_000
"""First requests of Financial1."""

CHOICES: dict[str, dict[str, tuple[str | int | float, ...]]] = {
    "dftl": {
        "dftl.replacement": ("segmented-flashsim", "segmented", "lru"),
        "dftl.protected": (0.8, 0.5, 0.3),
    },
    "cdftl": {"cdftl.ctp": (0.5, 0.25, 0.75), "cdftl.absorb": (False, True)},
    "sftl": {"sftl.bitmaps": (1, 2), "sftl.buffer": (0.1, 0.05, 0.2), "sftl.sparse": (8, 4, 16)},
    "tpftl": {
        "tpftl.node_bytes": (6, 0, 12),
        "tpftl.page_order": ("hotness", "recency"),
        "tpftl.prefetch_at": ("front", "tail"),
    },
}
"""For each FTL, its open parameters and their values; the first is the default."""


def points(source: Source, device: Config) -> dict[tuple[str, ...], Point]:
    """Return a point for every value of every open parameter, the others at their defaults."""
    limit: Config = {"input": {"requests": min(source.requests or REQUESTS, REQUESTS)}}
    setup = merge([source.config, limit, device])
    found: dict[tuple[str, ...], Point] = {}
    for key, value in _settings():
        section, name = key[2].split(".")
        found[key] = Point(" ".join(key), merge([setup, {section: {name: value}}]), key[1])
    return found


def table(runs: Runs) -> Table:
    """Return the results at each value."""
    header = ["FTL", "parameter", "value", "hit ratio", "P", "TP writes", "WA", "response, us"]
    rows = []
    for key, value in _settings():
        _, ftl, parameter, _ = key
        rows.append(
            [
                ftl,
                parameter,
                str(value),
                number(runs(HITS, *key), "%"),
                number(runs(dirty_replacements, *key), "%"),
                f"{runs(tp_writes, *key):,.0f}",
                number(runs(AMPLIFICATION, *key)),
                number(runs(RESPONSE, *key)),
            ]
        )
    return Table(header, rows)


def _settings() -> Iterator[tuple[tuple[str, str, str, str], str | int | float]]:
    """Yield the key of each point with the value of its parameter."""
    for ftl, parameters in CHOICES.items():
        for parameter, values in parameters.items():
            for value in values:
                yield (WORKLOAD, ftl, parameter, str(value)), value
