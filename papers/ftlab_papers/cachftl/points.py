"""The points: four FTLs on each volume, CACH-FTL's settings on each, and synthetic workloads.

The key of a point is the volume and the FTL; a synthetic workload is named by what is varied. The
over-provisioning, and CACH-FTL's threshold, follow where they are varied. `PREFIX_VOLUME` is an
additional volume, if there is the beginning of the real Financial1; the claims use all others. The
key of a variant is its trace, FTL and name. It is run on one volume of each trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ftlab.points import Config, Point, merge
from ftlab_papers.inputs import Source, Sources, Workload
from ftlab_papers.prefixes import BEGINNING
from ftlab_papers.runs import Key
from ftlab_papers.volumes import extent, split, statistics_of, volumes_of

FTLS = ("page", "block-optimized", "fast", "cachftl")
NAMES = {"page": "PM", "block-optimized": "BM", "fast": "FAST", "cachftl": "CACH-FTL"}
"""The paper's names."""

TRACES = ("financial1", "financial2", "cello99")
SHORT = {"financial1": "Fin1", "financial2": "Fin2", "cello99": "Cello"}
WORKLOADS = (
    Workload("financial1", ("financial1.spc", "financial1.parquet")),
    Workload("financial2", ("financial2.spc", "financial2.parquet")),
    Workload("cello99", ("cello99.srt", "cello99.parquet")),
    BEGINNING,
)
PREFIX_VOLUME = "prefix"
"""The beginning of the real Financial1 as one volume; the warm-up loops over it."""

THRESHOLDS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
"""In pages; some of the paper's thresholds."""

ALL_THRESHOLDS = tuple(range(1, 33))
"""The paper's thresholds, from 1 to 32."""

SPARES = (5, 10, 15, 20, 25)
"""Over-provisioning, percent of the address space: PMR or log blocks."""

GRID_REQUESTS = 1_000_000
"""First requests of a volume on which settings are varied.

These are all of the Financials, and a third of Cello99.
"""


@dataclass(frozen=True)
class Grid:
    """How CACH-FTL's settings are varied: the thresholds, and the first requests of a volume."""

    thresholds: Sequence[int]
    requests: int | None


WHOLE = Grid(ALL_THRESHOLDS, None)
"""As the paper varies them: all thresholds, on all requests."""


ADAPTIVE: dict[str, Config] = {
    "threshold": {"adaptive_threshold": True},
    "out of place": {"adaptive_threshold": True, "out_of_place": True},
}
"""CACH-FTL with the paper's future work, at the default over-provisioning."""

ENOUGH = (1, 4, 8, 16)
"""Superseded pages of a PMR block from which on PMR-GC is worthwhile. Default: those to be
evicted."""

RESERVE = "reserve"
RESERVE_BLOCKS = 5
"""The spare blocks that PM needs to collect; the paper gives it none."""

SEQUENTIAL = (10, 30, 40, 50, 70, 90)
STREAMS = {"sequential": "previous", "stream": "stream"}
"""The request that a sequential request continues, by the names of workloads."""

WRITES = (10_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_000_000, 5_000_000)
ARRIVALS = (50, 100, 200, 350, 500)
"""The synthetic workloads: percent, requests, and mean ms between them."""

AS_IT_IS = "as it is"
TEN_ROUNDS = "warm-up of ten rounds"

BUFFERS = ("fab", "bplru", "bpac", "clc", "pud-lru", "lb-clock")
"""Buffers of groups other than C-lash, which section 3.2 names."""

OUT_OF_PLACE: Config = {"out_of_place": True}

COLLECTED: dict[str, Config] = {
    "FIFO": {"gc": {"policy": "fifo"}},
    "cost-benefit": {"gc": {"policy": "cost-benefit"}},
    "adaptive PMR": {"cachftl": {"adaptive_pmr": True}},
    "out of place": {"cachftl": OUT_OF_PLACE},
    "out of place, wear gap 2": {"cachftl": OUT_OF_PLACE | {"wear_gap": 2}},
}
"""Changes of CACH-FTL's GC and wear levelling, which needs blocks out of place."""

CACHES = (512, 1024, 4096, 8192)
"""Sizes of C-lash in KiB, in addition to the 2048 of the preset."""

PMRS = (5, 20, 30)
"""Percent of the address space, in addition to the 10 of the preset; section 4.2.2 has 5 to 30."""

SCALED: dict[str, Config] = {
    **{f"cache of {size} KiB": {"buffer": {"size": f"{size}KiB"}} for size in CACHES},
    **{f"PMR of {share} %": {"device": {"over_provisioning": share / 100}} for share in PMRS},
}

VARIANTS: dict[str, tuple[Sequence[str], Config]] = {
    AS_IT_IS: (FTLS, {}),
    TEN_ROUNDS: (("page", "fast", "cachftl"), {"run": {"warmup": "replay:10"}}),
    **{buffer: (FTLS, {"buffer": {"policy": buffer}}) for buffer in BUFFERS},
    **{name: (("cachftl",), sections) for name, sections in (COLLECTED | SCALED).items()},
}
"""The FTLs of each variant, and its changed settings."""

VARIED_REQUESTS = 200_000
"""First requests of a volume on which variants are run; in half as many PM never collects."""

PRESET: Config = {"preset": "cachftl"}
BLOCK = 256 << 10
SYNTHETIC_BYTES = 1 << 30


def prepare(sources: Sources, results: Path) -> dict[str, Source]:
    """Return the volumes of all traces, and the beginning of the real Financial1."""
    found = split({trace: sources[trace] for trace in TRACES}, results)
    if BEGINNING.name in sources:
        found[PREFIX_VOLUME] = sources[BEGINNING.name]
    return found


def points(sources: Sources, grid: Grid | None = None) -> dict[Key, Point]:
    """Return all points by their keys, with settings varied as ``grid`` says."""
    found: dict[Key, Point] = {}
    grid = grid or Grid(THRESHOLDS, GRID_REQUESTS)
    quick, seed = None, 1
    for volume, source in sources.items():
        quick, seed = source.requests, source.seed
        runs = _by_ftl(source.config) if volume == PREFIX_VOLUME else _of_volume(source, grid)
        for key, config in runs:
            _add(found, (volume, *key), config)
    for trace in TRACES:
        for key, config in _of_variants(sources, trace):
            _add(found, (trace, *key), config)
    for name, workload in synthetic(quick):
        made: Config = {"workload": workload, "run": {"seed": seed}}
        for ftl in FTLS:
            _add(found, (name, ftl), made)
        _add(found, (name, "page", RESERVE), merge([made, _reserve(SYNTHETIC_BYTES)]))
    return found


def whole(sources: Sources) -> dict[Key, Point]:
    """Return all points, with settings varied as the paper does."""
    return points(sources, WHOLE)


def _of_variants(sources: Sources, trace: str) -> Iterator[tuple[Key, Config]]:
    """Yield the variants on the beginning of the longest volume of a trace, if it has any."""
    chosen = longest(sources, trace)
    if chosen is None:
        return
    source = sources[chosen]
    limit: Config = {"input": {"requests": source.requests or VARIED_REQUESTS}}
    for variant, (ftls, sections) in VARIANTS.items():
        for ftl in ftls:
            yield (ftl, variant), merge([source.config, limit, sections])


def longest(sources: Sources, trace: str) -> str | None:
    """Return the volume of a trace with the most requests, if it has any."""
    return max(
        volumes_of(trace, list(sources)),
        key=lambda volume: statistics_of(sources[volume])["requests"],
        default=None,
    )


def _reserve(capacity: int) -> Config:
    """Return a device with no more spare blocks than PM needs."""
    return {"device": {"blocks": capacity // BLOCK + RESERVE_BLOCKS}}


def _by_ftl(config: Config) -> Iterator[tuple[Key, Config]]:
    for ftl in FTLS:
        yield (ftl,), config


def _add(found: dict[Key, Point], key: Key, config: Config) -> None:
    found[key] = Point(" ".join(key), merge([PRESET, config]), key[1])


def _of_volume(source: Source, grid: Grid) -> Iterator[tuple[Key, Config]]:
    """Yield the points of a volume: four FTLs on all requests, their settings on the first ones."""
    all_of_it = source.config
    yield from _by_ftl(all_of_it)
    yield ("page", RESERVE), merge([all_of_it, _reserve(extent(source))])
    for pages in ENOUGH:
        yield ("cachftl", "enough", str(pages)), merge([all_of_it, {"cachftl": {"enough": pages}}])
    cut = grid.requests is not None and statistics_of(source)["requests"] > grid.requests
    start = merge([all_of_it, {"input": {"requests": grid.requests}}]) if cut else all_of_it
    for ftl in ("page", "block-optimized"):
        yield (ftl, "start"), start
    yield ("page", "start", RESERVE), merge([start, _reserve(extent(source))])
    for spare in SPARES:
        sized = merge([start, {"device": {"over_provisioning": spare / 100}}])
        yield ("fast", str(spare)), sized
        for threshold in grid.thresholds:
            setting: Config = {"cachftl": {"threshold": threshold}}
            yield ("cachftl", str(spare), str(threshold)), merge([sized, setting])
    for name, switches in ADAPTIVE.items():
        yield ("cachftl", "adaptive", name), merge([start, {"cachftl": switches}])


def synthetic(quick: int | None) -> Iterator[tuple[str, Config]]:
    """Yield the synthetic workloads, one setting varied at a time."""
    for percent in SEQUENTIAL:
        for name, how in STREAMS.items():
            made = _workload(quick, sequential_rate=percent / 100, sequential=how)
            yield f"{name} {percent}", made
    for writes in WRITES:
        yield f"writes {writes}", _workload(quick, requests=writes)
    for gap in ARRIVALS:
        yield f"arrivals {gap}", _workload(quick, interarrival=f"{gap}ms")


def _workload(quick: int | None, **settings: object) -> Config:
    workload = {"pattern": "cachftl", **settings}
    return workload if quick is None else {**workload, "requests": quick}
