"""What is run: CacheLib's two caches over spare space, on its drive, and LMCache's objects.

The key of a point begins with `FORM`, `ROW` or `OBJECTS`, and ends with `FDP` or `NONE`.
"""

from __future__ import annotations

from ftlab.points import Config, Point, merge
from ftlab_papers.fdp_cache.published import CACHELIB, LMCACHE, Workers
from ftlab_papers.inputs import Sources
from ftlab_papers.placed import PAGE, QUICK_PAGES_PER_UNIT, pages_per_unit, seed, written
from ftlab_papers.runs import Key

FORM, ROW, OBJECTS = "closed form", "CacheLib", "LMCache"
FDP, NONE = "FDP", "none"

LOGICAL = 1024
UNITS = (1150, 1096, 1060)
"""Units of devices with 1,024 logical ones."""

SMALL, SMALL_WRITES = 10, 50
"""Percent of the cache that is SOC, and of the bytes that go there."""

HIGH = 2
"""Free units at which GC starts."""
OUT_OF_USE = HIGH + 2
"""Those units and the open ones, which are no spare space."""

DRIVE_LOGICAL = 313
"""1.88 TB in units of 6 GB."""

DRIVE_SPARES = (5, 7, 10, 14, 20)
"""Over-provisioning that is tried for it, in percent, as it is not published."""

PASSES = 8
FROM = 5

OBJECT_UNITS = (64, 66, 68, 70, 72)
"""Units of 16 GiB that are tried, as LMCache's drive does not say how many it has."""

OBJECT_LOGICAL = 864
"""GiB, units that the objects fill. A page is 4 MiB, and no object is smaller."""

OBJECT_CAPACITY = 960
"""GiB that the drive advertises, of which four times as much is written."""

OBJECT_PASSES = 4
PAGE_MIB = 4
GIB_PAGES = 1024 // PAGE_MIB
OBJECT_UNIT_GIB = 16


def points(sources: Sources) -> dict[Key, Point]:
    """Return all points."""
    found: dict[Key, Point] = {}
    pages, seeds = pages_per_unit(sources), seed(sources)

    def add(key: Key, *parts: Config) -> None:
        found[key] = Point(" ".join(key), merge([*parts, seeds]), "page")

    for placement in (FDP, NONE):
        for units in UNITS:
            job = _caches(SMALL, 100, placement)
            workload = written(job, LOGICAL * pages, PASSES)
            add((FORM, f"{units}", placement), _device(pages, LOGICAL, units), workload)
        for name, row in CACHELIB.items():
            for spare in DRIVE_SPARES:
                device = _device(pages, DRIVE_LOGICAL, DRIVE_LOGICAL * (100 + spare) // 100)
                workload = written(
                    _caches(row.small, row.used, placement), DRIVE_LOGICAL * pages, PASSES
                )
                add((ROW, name, f"{spare} %", placement), device, workload)
        for units in OBJECT_UNITS:
            add((OBJECTS, f"{units}", placement), *_objects(pages, units, placement))
    return found


def _caches(small: int, used: int, placement: str) -> str:
    """Return the job: uniform rewrites of small objects, and a loop over the rest of the cache."""
    border = used * small / 100
    handles = (1, 2) if placement == FDP else (0, 0)
    return (
        f"{SMALL_WRITES} rand 0-{border:g} {handles[0]}; "
        f"{100 - SMALL_WRITES} seq {border:g}-{used} {handles[1]}"
    )


def _device(pages: int, logical: int, units: int, handles: int = 8) -> Config:
    return {
        "device": {
            "page": PAGE,
            "pages_per_block": pages,
            "blocks": units,
            "capacity": logical * pages * PAGE,
        },
        "gc": {"policy": "greedy", "start": "each-page", "low": HIGH, "high": HIGH + 1},
        "ftl": {"separation": "handles"},
        "handles": {"count": handles, "isolation": "initial"},
        "run": {"warmup": "none", "address": "modulo"},
    }


def _objects(pages: int, units: int, placement: str) -> tuple[Config, Config]:
    """Return a device of LMCache and its writers, who put whole objects at random.

    Each worker writes as many bytes, in a range of its own.
    """
    quick = pages == QUICK_PAGES_PER_UNIT
    unit_pages = OBJECT_UNIT_GIB * GIB_PAGES
    device = _device(unit_pages, OBJECT_LOGICAL // OBJECT_UNIT_GIB, units, len(LMCACHE))
    parts, begin = [], 0.0
    for handle, workers in enumerate(LMCACHE):
        for _ in range(workers.number):
            end = begin + 100 * workers.gib / OBJECT_LOGICAL
            chosen = handle if placement == FDP else 0
            size = _object_pages(workers) * PAGE
            parts.append(f"1 rand {begin:.10g}-{end:.10g} {chosen} {size}")
            begin = end
    total = OBJECT_LOGICAL * GIB_PAGES
    capacity = OBJECT_CAPACITY * GIB_PAGES
    used = sum(each.number * each.gib for each in LMCACHE) * GIB_PAGES
    mean = len(parts) / sum(each.number / _object_pages(each) for each in LMCACHE)
    after = (0.1 if quick else OBJECT_PASSES) * capacity / mean
    workload = written("; ".join(parts), total, 0)
    workload["workload"]["requests"] = round(used + after)
    return device, workload


def _object_pages(workers: Workers) -> int:
    return max(1, workers.mib // PAGE_MIB)
