"""The part of a real trace of Exchange or Build that DLOOP's paper may have run.

Section V.A says "broken down into multiple 15-minute intervals. We only use requests going to one
device", but not which ones. ftlab takes the first quarter of an hour of the file. In it, the device
is the one whose reads and writes are nearest to Table II (choices.md#dloop-windows). The choice
uses only the workload and was made before any FTL ran.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from ftlab import ConfigError
from ftlab.points import Config, merge
from ftlab.source import statistics
from ftlab_papers.dloop.points import BUILD, EXCHANGE
from ftlab_papers.inputs import Source, Sources

WINDOW: Config = {"until": "15m"}

PUBLISHED = {EXCHANGE: (80_164, 69_492), BUILD: (237_452, 200_462)}
"""Reads and writes of Table II."""


def one_device(sources: Sources, _results: Path) -> dict[str, Source]:
    """Return the sources; real ones of Exchange and Build are cut to a device and 15 minutes."""
    return {
        name: _cut(source, *PUBLISHED[name]) if name in PUBLISHED and source.file else source
        for name, source in sources.items()
    }


def _cut(source: Source, reads: int, writes: int) -> Source:
    volumes = statistics(merge([source.config, {"input": WINDOW}]))["volumes"]
    if not volumes:
        raise ConfigError(f"{source.file}: found no request, expected some in its first 15 minutes")
    devices = [replace(source, part={**WINDOW, "volume": int(each["volume"])}) for each in volumes]

    def distance(device: Source) -> float:
        found = statistics(device.config)
        counts = (found["reads"], reads), (found["requests"] - found["reads"], writes)
        return sum(abs(math.log(max(ours, 1) / said)) for ours, said in counts)

    return min(devices, key=distance)
