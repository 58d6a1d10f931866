"""What is published of flash caches on FDP drives.

`CACHELIB` is EuroSys 2025 (Allison et al.): a PM9D3 of 1.88 TB with units of 6 GB and eight
initially isolated handles. CacheLib's small objects go to buckets of 4 KiB that are rewritten
uniformly (SOC), large ones to regions of 16 MiB that are written in a loop (LOC). `LMCACHE` is
LMCache's pull request 4016: 960 GiB in units of 16 GiB, 855 GiB of objects in five classes, each
with a handle.
"""

from __future__ import annotations

from typing import NamedTuple


class Cached(NamedTuple):
    """A row of CacheLib."""

    used: int
    """Percent of the drive that the cache has."""
    small: int
    """Percent of the cache that is for small objects."""
    fdp: float
    none: float | None


CACHELIB = {
    "half of the drive": Cached(50, 4, 1.03, 1.3),
    "whole drive": Cached(100, 4, 1.03, 3.5),
    "whole drive, SOC 64 %": Cached(100, 64, 2.5, None),
}

LM_NONE, LM_FDP = 2.600, 1.425


class Workers(NamedTuple):
    """Writers of LMCache that put objects of one size."""

    number: int
    mib: int
    """Size of an object."""
    gib: int
    """What each covers."""


LMCACHE = (
    Workers(2, 4, 90),
    Workers(1, 32, 180),
    Workers(2, 16, 90),
    Workers(3, 2, 90),
    Workers(1, 1, 45),
)
"""One handle for each row."""
