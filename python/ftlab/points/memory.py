"""How many points the memory of this machine holds at a time."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ftlab.points.point import Point, canonical
from ftlab.report.numbers import written

MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")

LEAST_ROOM = 512 << 20
"""Bytes that the requests of arrays may take in any case, as those of other inputs do."""


class MemoryWarning(UserWarning):
    """Fewer points run at a time than there are cores."""


def at_a_time(points: Sequence[Point], cores: int) -> int:
    """Return how many of these points run at a time: one on each core, if memory holds them.

    Each is held to need as much as the largest. Warns if that is less than one on each core.
    """
    needed = _needed(points) if cores > 1 else 0
    free = free_bytes() if needed else None
    if not needed or free is None:
        return cores
    found = min(cores, max(1, free // needed))
    if found < min(cores, len(points)):
        warnings.warn(
            f"{found} of {cores} cores are used: a point may need {written(needed, 'bytes')} of "
            f"RAM, of which {written(free, 'bytes')} are free",
            MemoryWarning,
            stacklevel=2,
        )
    return found


def room_for_requests(points: Sequence[Point], workers: int) -> int:
    """Return how many bytes the requests of arrays may take.

    It is half of what ``workers`` points leave free.
    """
    free = free_bytes()
    left = 0 if free is None else (free - workers * _needed(points)) // 2
    return max(LEAST_ROOM, left)


def _needed(points: Sequence[Point]) -> int:
    """Return how many bytes the largest point needs, as far as that is known."""
    alike = {_size(point): point for point in points if not point.refusal}
    return max((point.memory or 0 for point in alike.values()), default=0)


def _size(point: Point) -> str:
    """Return what decides how much memory a point needs."""
    tree = point.resolved
    sizes = (tree["device"], tree["workload"], tree["input"], tree["run"]["recovery"])
    return canonical([*sizes, str(point.ftl)])


def free_bytes() -> int | None:
    """Return how many bytes this process may take without swapping; None if unknown."""
    found = []
    with suppress(OSError, ValueError, KeyError):
        found.append(1024 * _fields(MEMINFO)["MemAvailable:"])
    with suppress(OSError, ValueError, KeyError):
        limit, taken = (int((CGROUP / f"memory.{each}").read_text()) for each in ("max", "current"))
        found.append(max(0, limit - taken + _fields(CGROUP / "memory.stat")["inactive_file"]))
    return min(found, default=None)


def _fields(path: Path) -> dict[str, int]:
    """Return the numbers of a file by the names before them."""
    rows = (line.split() for line in path.read_text("ascii").splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) > 1}
