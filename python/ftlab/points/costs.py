"""How long points take, learned from those that have ended."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

from ftlab.points.grid import leaves
from ftlab.points.point import Point


class Costs:
    """Seconds of points, by their FTLs and settings.

    The model is multiplicative: a point takes the mean of all, times what each of its values makes
    of that. The less is known of a value, the nearer to 1 is its factor.
    """

    def __init__(self, points: Sequence[Point]) -> None:
        told = {id(point): _values(point) for point in points}
        several = _several(list(told.values())) | {""}
        self._values = {
            key: [each for each in of if each[0] in several] for key, of in told.items()
        }
        self._all = _Mean()
        self._by_value: defaultdict[tuple[str, str], _Mean] = defaultdict(_Mean)

    def learn(self, point: Point, seconds: float) -> None:
        """Note how long a point took."""
        log = math.log(max(seconds, 1e-6))
        self._all.add(log)
        for value in self._values[id(point)]:
            self._by_value[value].add(log)

    def knows(self, ftl: str) -> bool:
        """Tell whether a point of an FTL has ended."""
        return ("", ftl) in self._by_value

    def of(self, point: Point) -> float:
        """Return how many seconds a point will take; 1 as long as nothing is known."""
        mean = self._all.mean
        known = (self._by_value.get(value) for value in self._values[id(point)])
        return math.exp(mean + sum(each.beside(mean) for each in known if each))


class _Mean:
    """Logarithms of seconds."""

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0

    def add(self, log: float) -> None:
        self.count += 1
        self.mean += (log - self.mean) / self.count

    def beside(self, mean: float) -> float:
        """Return by how much this mean is above that of all."""
        return (self.mean - mean) * self.count / (self.count + 1)


def _values(point: Point) -> list[tuple[str, str]]:
    """Return the FTL and the settings of a point."""
    return [("", str(point.ftl)), *((key, repr(value)) for key, value in leaves(point.config))]


def _several(points: Sequence[Sequence[tuple[str, str]]]) -> set[str]:
    """Return the keys that do not have one value for all points."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for key, value in chain(*points):
        found[key].append(value)
    return {key for key, of in found.items() if len(set(of)) > 1 or len(of) < len(points)}
