"""Warm-ups that points share: the first of them does it, the others go on from copies of its end.

Points share one if all that decides the state of device and FTL at its end is equal. They may
differ in the host and the instruments, and after a warm-up that does not read the input, in that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ftlab.points.point import Point


class Warmups:
    """Those that several of some points share."""

    def __init__(self, points: Sequence[Point]) -> None:
        alike: defaultdict[tuple[str, str], list[Point]] = defaultdict(list)
        for point in points:
            key = point.warmup_key
            if key is not None:
                alike[point.core.__name__, key].append(point)
        several = [each for each in alike.values() if len(each) > 1]
        self._all = [each[0].core.SharedWarmup(len(each)) for each in several]
        pairs = zip(self._all, several, strict=True)
        self._of = {id(point): made for made, each in pairs for point in each}
        self._begun: set[int] = set()

    def of(self, point: Point) -> Any:
        """Return what the core keeps of the warm-up of a point; None if it is alone."""
        return self._of.get(id(point))

    def begin(self, point: Point) -> None:
        """Note that a worker has taken a point."""
        self._begun.add(id(self._of.get(id(point))))

    def is_done(self, point: Point) -> bool:
        """Return whether a point can go on from the warm-up of another at once."""
        made = self._of.get(id(point))
        return made is not None and bool(made.ready)

    def is_free(self, point: Point) -> bool:
        """Return whether a point has not to wait for the warm-up of another."""
        made = self._of.get(id(point))
        return made is None or id(made) not in self._begun or bool(made.ready)

    @property
    def shared(self) -> int:
        """Points that did no warm-up of their own."""
        return sum(int(made.shared) for made in self._all)

    @property
    def saved(self) -> float:
        """How many seconds more these points would have taken, less that of copying."""
        return sum(float(made.shared * made.seconds) for made in self._all)
