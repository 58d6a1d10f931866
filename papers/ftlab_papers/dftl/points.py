"""What is run: DFTL, page mapping and hybrid FTLs on each workload, with a cache, under loads.

The key of a point is the workload and the FTL, and `CACHED` or the load behind them. A volume of
financial1 is also a workload by its own name, on which the abstract's first claim can be seen.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ftlab.points import Config, Point, merge
from ftlab_papers.dftl.volumes import FINANCIAL, by_distance, row
from ftlab_papers.inputs import Source, Sources, Workload
from ftlab_papers.made import looped
from ftlab_papers.prefixes import BEGINNING
from ftlab_papers.volumes import MIB, extent, split

PAGE = 2048

FIN1, TPCH = "financial1", "tpch"
NEAREST = ("financial", "2nd nearest", "3rd nearest", "4th nearest", "5th nearest")
"""Volumes of financial1, by what the table of workloads says of Financial."""

FIN = NEAREST[0]
"""The workload that the claims on Financial are judged by."""

FOLD = "fold"
"""All volumes of financial1 over each other, on 512 MiB."""

PREFIX_LOOP = "prefix"
"""The beginning of the real trace, looped, on 512 MiB."""

CAPACITY = {FOLD: 512 * MIB, PREFIX_LOOP: 512 * MIB, TPCH: 4096 * MIB}
"""Bytes of the device, into which addresses are wrapped; a volume's is as large as it is."""

CACHE = 64 << 10
"""DFTL's mapping cache, 8192 entries."""

HYBRIDS = ("fast", "bast", "nftl", "superblock", "last", "kast", "aftl", "waftl")
FTLS = ("page", "dftl", *HYBRIDS)
MAIN = ("page", "dftl", "fast")
CACHED = "write-back cache"
LOADS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Offered load as a multiple of the usual one."""

REQUESTS = 1_000_000
"""Of each trace, its first ones."""

ROUNDS = 20
"""How often the beginning is played: 50,002 requests each time."""

WORKLOADS = (
    Workload(FIN1, ("financial1.spc", "financial1.parquet")),
    Workload(TPCH, ("tpch.parquet",)),
    BEGINNING,
)


def prepare(sources: Sources, results: Path) -> dict[str, Source]:
    """Return the workloads, and the volumes of financial1 by their own names."""
    volumes = by_distance(split({FIN1: sources[FIN1]}, results))
    found = dict(zip(NEAREST, volumes.values(), strict=False))
    found |= {FOLD: sources[FIN1], TPCH: sources[TPCH]}
    if BEGINNING.name in sources:
        prefix = sources[BEGINNING.name]
        path = looped(prefix.config, 1 if prefix.requests else ROUNDS, [], results)
        found[PREFIX_LOOP] = replace(prefix, file=path, requests=None)
    return found | dict(volumes)


def points(sources: Sources) -> dict[tuple[str, ...], Point]:
    """Return all points by workload, FTL, and cache or load."""
    found: dict[tuple[str, ...], Point] = {}
    for name, source in sources.items():
        limit: Config = {"input": {"requests": source.requests or REQUESTS}}
        scale = stretch(name, source)
        setup = merge([source.config, limit, _device(name, source)])

        def add(*key: str, setup: Config = setup, scale: float = scale, **more: Config) -> None:
            host: Config = {"host": {"time_scale": scale}}
            found[key] = Point(" ".join(key), merge([setup, host, more]), key[1])

        if name.startswith(f"{FIN1}/"):
            for ftl in MAIN:
                add(name, ftl)
            continue
        for ftl in FTLS:
            add(name, ftl)
        for ftl in ("dftl", "fast"):
            add(name, ftl, CACHED, buffer={"policy": "lru", "size": spare_ram(name, source)})
        for load in LOADS:
            for ftl in MAIN:
                add(name, ftl, under(load), host={"time_scale": scale / load})
    return found


def under(load: float) -> str:
    """Return the end of a point's name under a load."""
    return f"load {load:g}"


def stretch(name: str, source: Source) -> float:
    """Return by how much longer the time between requests is than in the input.

    What stands for Financial without being a volume comes as slowly as the table says. The model of
    TPC-H has the 155.6 ms of that table already.
    """
    if name not in (FOLD, PREFIX_LOOP):
        return 1.0
    return FINANCIAL.interarrival_ms / row(source).interarrival_ms


def capacity(name: str, source: Source) -> int:
    """Return the bytes of the device."""
    return CAPACITY[name] if name in CAPACITY else extent(source)


def spare_ram(name: str, source: Source) -> int:
    """Return the bytes of the page map that DFTL's cache and directory leave for pages."""
    pages = capacity(name, source) // PAGE
    directory = 4 * -(-pages // (PAGE // 4))
    return max(4 * pages - CACHE - directory, PAGE)


def _device(name: str, source: Source) -> Config:
    """Return the device; FAST has what is spare as log blocks, page-level FTLs as spare blocks."""
    return {
        "preset": "dftl-asplos09",
        "device": {"capacity": capacity(name, source)},
        "ftl": {"cache": CACHE},
        "run": {"address": "modulo" if name in CAPACITY else "compact"},
    }
