"""The volumes of a workload as separate inputs, split once and kept with the results."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ftlab import Record
from ftlab.points import volumes
from ftlab.source import statistics
from ftlab_papers.inputs import Source, Sources, Workload

MIB = 1 << 20
LEAST_CAPACITY = 64 * MIB


def split(sources: Sources, results: Path) -> dict[str, Source]:
    """Return a source for each volume, named ``WORKLOAD/NUMBER``; split traces not yet split."""
    found = {}
    for name, source in sources.items():
        for each in volumes.split(source.config, results):
            volume = f"{name}/{each.number}"
            found[volume] = Source(Workload(volume, ()), each.file, source.requests, source.seed)
    return found


def volumes_of(workload: str, names: list[str]) -> list[str]:
    """Return the names that are volumes of a workload, in order."""
    numbers = sorted(int(each.split("/")[1]) for each in names if each.startswith(f"{workload}/"))
    return [f"{workload}/{number}" for number in numbers]


@cache
def statistics_of(source: Source) -> Record:
    """Return the statistics of a source, which is read once."""
    return statistics(source.config)


def extent(source: Source) -> int:
    """Return the bytes of a volume's device: from its first to its last used mebibyte, 64 at least.

    A device without a capacity has this many.
    """
    (volume,) = statistics_of(source)["volumes"]
    first, end = int(volume["first_byte"]), int(volume["end_byte"])
    return max((-(-end // MIB) - first // MIB) * MIB, LEAST_CAPACITY)
