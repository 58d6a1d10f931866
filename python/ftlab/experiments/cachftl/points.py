"""What is run: four FTLs on each volume, CACH-FTL's settings on each, and synthetic workloads.

The key of a point is the volume, or the synthetic workload by what is varied, then the FTL; behind
it the over-provisioning, and for CACH-FTL the threshold, where these are varied.
"""

from __future__ import annotations

from collections.abc import Iterator

from ftlab.config import Config, merge
from ftlab.experiments.inputs import Sources, Workload
from ftlab.points import Point

FTLS = ("page", "block-optimized", "fast", "cachftl")
NAMES = {"page": "PM", "block-optimized": "BM", "fast": "FAST", "cachftl": "CACH-FTL"}
"""The paper's names."""

TRACES = ("financial1", "financial2", "cello99")
SHORT = {"financial1": "Fin1", "financial2": "Fin2", "cello99": "Cello"}
WORKLOADS = (
    Workload("financial1", ("financial1.spc", "financial1.parquet")),
    Workload("financial2", ("financial2.spc", "financial2.parquet")),
    Workload("cello99", ("cello99.srt", "cello99.parquet")),
)

THRESHOLDS = tuple(range(1, 33))
SPARES = (5, 10, 15, 20, 25)
"""Over-provisioning, percent of the address space: PMR or log blocks."""

GRID_REQUESTS = 30_000
"""Requests of a volume on which settings are varied: its first ones."""

ADAPTIVE: dict[str, Config] = {
    "threshold": {"adaptive_threshold": True},
    "out of place": {"adaptive_threshold": True, "out_of_place": True},
}
"""CACH-FTL by its future work, at the default over-provisioning."""

ENOUGH = (1, 4, 8, 16)
"""Superseded pages that make a block of the PMR worth PMR-GC; by default those to be evicted."""

SEQUENTIAL = (10, 30, 40, 50, 70, 90)
WRITES = (10_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_000_000, 5_000_000)
ARRIVALS = (50, 100, 200, 350, 500)
"""The synthetic workloads: percent, requests, and ms between them on average."""

PRESET: Config = {"preset": "cachftl"}


def points(sources: Sources) -> dict[tuple[str, ...], Point]:
    """Return all points by their keys."""
    found: dict[tuple[str, ...], Point] = {}
    quick, seed = None, 1
    for volume, source in sources.items():
        quick, seed = source.requests, source.seed
        for key, config in _of_volume(source.config):
            _add(found, (volume, *key), config)
    for name, workload in synthetic(quick):
        for ftl in FTLS:
            _add(found, (name, ftl), {"workload": workload, "run": {"seed": seed}})
    return found


def _add(found: dict[tuple[str, ...], Point], key: tuple[str, ...], config: Config) -> None:
    found[key] = Point(" ".join(key), merge([PRESET, config]), key[1])


def _of_volume(source: Config) -> Iterator[tuple[tuple[str, ...], Config]]:
    """Yield what is run on a volume: four FTLs on all of it, their settings on its beginning."""
    for ftl in FTLS:
        yield (ftl,), source
    for pages in ENOUGH:
        yield ("cachftl", "enough", str(pages)), merge([source, {"cachftl": {"enough": pages}}])
    first: Config = {"input": {"requests": GRID_REQUESTS}}
    if "requests" in source["input"]:
        first = {}
    start = merge([source, first])
    for ftl in ("page", "block-optimized"):
        yield (ftl, "start"), start
    for spare in SPARES:
        sized = merge([start, {"device": {"over_provisioning": spare / 100}}])
        yield ("fast", str(spare)), sized
        for threshold in THRESHOLDS:
            setting: Config = {"cachftl": {"threshold": threshold}}
            yield ("cachftl", str(spare), str(threshold)), merge([sized, setting])
    for name, switches in ADAPTIVE.items():
        yield ("cachftl", "adaptive", name), merge([start, {"cachftl": switches}])


def synthetic(quick: int | None) -> Iterator[tuple[str, Config]]:
    """Yield the synthetic workloads, one setting varied at a time."""
    for percent in SEQUENTIAL:
        yield f"sequential {percent}", _workload(quick, sequential_rate=percent / 100)
    for writes in WRITES:
        yield f"writes {writes}", _workload(quick, requests=writes)
    for gap in ARRIVALS:
        yield f"arrivals {gap}", _workload(quick, interarrival=f"{gap}ms")


def _workload(quick: int | None, **settings: object) -> Config:
    workload = {"pattern": "cachftl", **settings}
    return workload if quick is None else {**workload, "requests": quick}
