"""Which volumes of financial1 the abstract's Financial may be: chosen by the workload alone.

The conference version's table of workloads is remembered, not checked. Its mean time between
requests is sixteen times that of the whole trace, so its Financial is a part of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ftlab_papers.inputs import Source, Sources
from ftlab_papers.volumes import statistics_of


@dataclass(frozen=True)
class Row:
    """A row of that table."""

    interarrival_ms: float
    writes: float
    mean_kib: float
    sequential: float

    def distance(self, other: Row) -> float:
        """Return how far another row is: logarithms of ratios, and differences of shares."""
        return (
            _apart(other.interarrival_ms, self.interarrival_ms)
            + _apart(other.mean_kib, self.mean_kib)
            + abs(other.writes - self.writes)
            + abs(other.sequential - self.sequential)
        )


def _apart(figure: float, other: float) -> float:
    """Return the logarithm of a ratio; one request alone has no time between requests."""
    return abs(math.log(figure / other)) if figure else math.inf


FINANCIAL = Row(interarrival_ms=133.5, writes=0.91, mean_kib=4.38, sequential=0.02)
LEAST_REQUESTS = 1000
"""With fewer a volume is no workload."""


def row(source: Source) -> Row:
    """Return what the table would say of a source."""
    found = statistics_of(source)
    return Row(
        interarrival_ms=1000 * found["duration_s"] / max(found["requests"] - 1, 1),
        writes=1 - found["reads"] / found["requests"],
        mean_kib=found["mean_bytes"] / 1024,
        sequential=found["sequential_requests_ratio"],
    )


def by_distance(volumes: Sources) -> Mapping[str, Source]:
    """Return the volumes of a trace, those nearest to the table's Financial first."""
    large = {
        name: source
        for name, source in volumes.items()
        if statistics_of(source)["requests"] >= LEAST_REQUESTS
    } or volumes
    return dict(sorted(large.items(), key=lambda each: FINANCIAL.distance(row(each[1]))))
