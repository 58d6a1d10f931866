"""The points: six FTLs, eight ablations and eight cache sizes on four workloads, and open choices.

The key of a point is the workload and the FTL. TPFTL's techniques, the cache, the threshold of
selective prefetching or the load follows.
"""

from __future__ import annotations

from ftlab.points import Config, Point, merge
from ftlab_papers.inputs import FINANCIAL1_PREFIX, Sources, Workload
from ftlab_papers.tpftl import choices
from ftlab_papers.volumes import MIB

FINANCIAL = ("financial1", "financial2")
MSR = ("msr-ts", "msr-src")
ALL = FINANCIAL + MSR

NAMES = {"dftl": "DFTL", "sftl": "S-FTL", "tpftl": "TPFTL", "page": "optimal"}
"""The FTLs of the paper's figures, in its words."""

SHORT = {"financial1": "Fin1", "financial2": "Fin2", "msr-ts": "ts", "msr-src": "src"}

WORKLOADS = (
    Workload("financial1", ("financial1.spc", "financial1.parquet"), (FINANCIAL1_PREFIX,)),
    Workload("financial2", ("financial2.spc", "financial2.parquet")),
    Workload("msr-ts", ("ts_0.csv", "msr_ts_0.csv", "ts_0.parquet")),
    Workload("msr-src", ("src2_0.csv", "msr_src2_0.csv", "src2_0.parquet")),
)

FTLS = ("page", "dftl", "cdftl", "sftl", "tpftl", "tpftl-adaptive")
FEATURES = ("-", "b", "c", "bc", "r", "s", "rs", "rsbc")

DIVISORS = (128, 64, 32, 16, 8, 4, 2, 1)
CACHES = tuple("1" if divisor == 1 else f"1/{divisor}" for divisor in DIVISORS)
"""Caches as shares of the whole map at 8 B an entry; the first is that of a block-level table."""

CAPACITY = {name: 512 * MIB for name in FINANCIAL} | {name: 16384 * MIB for name in MSR}
"""Bytes of the device (section 5.1)."""

THRESHOLDS = (1, 2, 3, 4, 8)
"""Thresholds of selective prefetching; the paper found 3 (section 4.3)."""

LOADS = (1, 100, 400, 550, 700, 1000)
"""Factors of the load at MSR's own times, which leave the device idle."""

LOADED = ("page", "dftl", "sftl", "tpftl")

SAMPLE_EVERY = 10_000
"""Page accesses between two samples of the cache (Figure 1)."""


def points(sources: Sources) -> dict[tuple[str, ...], Point]:
    """Return all points by their keys; several keys may name one point."""
    found: dict[tuple[str, ...], Point] = {}
    for workload in ALL:
        setup = merge([sources[workload].config, _device(workload)])

        def add(*key: str, sections: Config, setup: Config = setup) -> None:
            found[key] = Point(" ".join(key), merge([setup, sections]), key[1])

        for ftl in FTLS:
            samples = SAMPLE_EVERY if ftl == "dftl" else 0
            add(workload, ftl, sections={"run": {"samples": samples}})
        for features in FEATURES:
            add(workload, "tpftl", features, sections={"tpftl": {"features": features}})
        for divisor, share in zip(DIVISORS, CACHES, strict=True):
            add(workload, "tpftl", share, sections={"ftl": {"cache": cache(workload, divisor)}})
        for threshold in THRESHOLDS:
            sections: Config = {"tpftl": {"threshold": threshold}}
            add(workload, "tpftl", f"threshold {threshold}", sections=sections)
    for workload in MSR:
        for ftl in LOADED:
            for load in LOADS:
                found[workload, ftl, f"load {load}"] = loaded(found[workload, ftl], load)
    open_at = choices.WORKLOAD
    device = merge([_device(open_at), {"ftl": {"cache": cache(open_at, 16)}}])
    return found | choices.points(sources[open_at], device)


def loaded(point: Point, load: int) -> Point:
    """Return a point under ``load`` times the load."""
    config = merge([point.config, {"host": {"time_scale": 1 / load}}])
    return Point(f"{point.label}, {load} times the load", config, point.ftl)


def cache(workload: str, divisor: int) -> int:
    """Return the bytes of a share of the whole map, 8 B for each page of 4 KiB."""
    return CAPACITY[workload] // 4096 * 8 // divisor


def _device(workload: str) -> Config:
    """Return the paper's device. Volumes are laid over each other.

    Addresses beyond the device are wrapped; only a real trace may need this.
    """
    return {
        "preset": "tpftl-eurosys15",
        "device": {"capacity": CAPACITY[workload]},
        "ftl": {"cache": cache(workload, DIVISORS[0])},
        "run": {"address": "modulo"},
    }
