"""The volumes of a workload as workloads of their own."""

from __future__ import annotations

from pathlib import Path

from ftlab.experiments.inputs import Source, Sources, Workload
from ftlab.points import volumes


def split(sources: Sources, results: Path) -> dict[str, Source]:
    """Return one source for each volume, named ``WORKLOAD/NUMBER``, split where that is missing."""
    found = {}
    for name, source in sources.items():
        files = sorted(volume.file for volume in volumes.split(source.config, results))
        for number, file in enumerate(files):
            volume = f"{name}/{number}"
            found[volume] = Source(Workload(volume, ()), file, source.requests, source.seed)
    return found


def volumes_of(workload: str, names: list[str]) -> list[str]:
    """Return the names that are volumes of a workload, in order."""
    numbers = sorted(int(each.split("/")[1]) for each in names if each.startswith(f"{workload}/"))
    return [f"{workload}/{number}" for number in numbers]
