"""What is run: DFTL, page mapping and hybrid FTLs on two workloads, with a cache, under loads.

The key of a point is the workload and the FTL, and `CACHED` or the load behind them.
"""

from __future__ import annotations

from ftlab.config import Config, merge
from ftlab.experiments.inputs import Sources, Workload
from ftlab.points import Point

MIB = 1 << 20
PAGE = 2048
CAPACITY = {"financial1": 512 * MIB, "tpch": 4096 * MIB}
"""Bytes of the device; volumes lie over each other, and what lies beyond is wrapped."""

CACHE = 64 << 10
"""DFTL's mapping cache, 8192 entries."""

HYBRIDS = ("fast", "bast", "nftl", "last", "kast", "aftl", "waftl")
FTLS = ("page", "dftl", *HYBRIDS)
CACHED = "write-back cache"
LOADS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Offered load as a multiple of the usual one."""

STRETCH = {"financial1": 133.5 / 8.19, "tpch": 1.0}
"""By how much longer the time between requests is than in the input: the table of workloads of the
conference version has a mean of 133.5 ms for Financial (remembered, not checked), whose whole trace
has 8.19 ms; the model of TPC-H has the 155.6 ms of that table already."""

REQUESTS = 1_000_000
"""Of each trace, its first ones."""

WORKLOADS = (
    Workload("financial1", ("financial1.spc", "financial1.parquet")),
    Workload("tpch", ("tpch.parquet",)),
)


def points(sources: Sources) -> dict[tuple[str, ...], Point]:
    """Return all points by workload, FTL, and cache or load."""
    found: dict[tuple[str, ...], Point] = {}
    for name, source in sources.items():
        limit: Config = {"input": {"requests": source.requests or REQUESTS}}
        setup = merge([source.config, limit, _device(name)])

        def add(*key: str, setup: Config = setup, **sections: Config) -> None:
            found[key] = Point(" ".join(key), merge([setup, sections]), key[1])

        for ftl in FTLS:
            add(name, ftl)
        for ftl in ("dftl", "fast"):
            buffer: Config = {"policy": "lru", "size": spare_ram(name)}
            add(name, ftl, CACHED, buffer=buffer)
        for load in LOADS:
            for ftl in ("page", "dftl", "fast"):
                add(name, ftl, f"load {load:g}", host={"time_scale": STRETCH[name] / load})
    return found


def spare_ram(workload: str) -> int:
    """Return the bytes of the page map that DFTL's cache and directory leave for pages."""
    pages = CAPACITY[workload] // PAGE
    directory = 4 * -(-pages // (PAGE // 4))
    return 4 * pages - CACHE - directory


def _device(workload: str) -> Config:
    """Return the device; FAST has what is spare as log blocks, page-level FTLs as spare blocks."""
    return {
        "preset": "dftl-asplos09",
        "device": {"capacity": CAPACITY[workload]},
        "ftl": {"cache": CACHE},
        "host": {"time_scale": STRETCH[workload]},
        "run": {"address": "modulo"},
    }
