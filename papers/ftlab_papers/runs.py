"""The results of an experiment, by the names of its points and by seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import TypeAlias, TypeVar

from ftlab import Result

Key: TypeAlias = tuple[str, ...]
"""The name of a point, such as workload, FTL and setting."""

Figure: TypeAlias = str | Callable[[Result], float | None]
"""A figure of a result: its path, or how to work it out."""

Found = TypeVar("Found")


class NotMeasuredError(Exception):
    """A figure that is needed does not exist; says which."""


class Runs:
    """The results of an experiment's points, once for each seed.

    Figures that are named in ``counted`` are read where that says.
    """

    def __init__(
        self, *seeds: Mapping[Key, Result], counted: Mapping[str, str] | None = None
    ) -> None:
        self._seeds = [dict(each) for each in seeds]
        self._counted = dict(counted or {})
        self._used: set[Key] = set()

    def __iter__(self) -> Iterator[Key]:
        """Iterate over the names of the points."""
        return iter(self._seeds[0])

    def __contains__(self, key: object) -> bool:
        """Tell whether a point was run."""
        return key in self._seeds[0]

    def __getitem__(self, key: Key) -> Result:
        """Return a result, of the first seed; raises `NotMeasuredError` where there is none."""
        self._used.add(key)
        if key not in self._seeds[0]:
            raise NotMeasuredError(f"{' '.join(key)} was not run")
        return self._seeds[0][key]

    def __call__(self, figure: Figure, *key: str) -> float:
        """Return a figure's mean over seeds; raises `NotMeasuredError` where it does not exist."""
        figure = self._counted.get(figure, figure) if isinstance(figure, str) else figure
        return fmean(_figure(each[key], figure, key) for each in self.seeds)

    @property
    def seeds(self) -> Sequence[Runs]:
        """The runs with each seed."""
        if len(self._seeds) == 1:
            return [self]
        found = [Runs(each, counted=self._counted) for each in self._seeds]
        for each in found:
            each._used = self._used
        return found

    def noting(self, work: Callable[[Runs], Found]) -> tuple[Found, frozenset[Key]]:
        """Return what ``work`` makes of the runs, and the names of the points that it looked at."""
        runs = Runs(*self._seeds, counted=self._counted)
        return work(runs), frozenset(runs._used)

    def change(self, figure: Figure, new: Sequence[str], old: Sequence[str]) -> float:
        """Return new / old - 1 of a figure of two points."""
        return ratio(self(figure, *new), self(figure, *old)) - 1


def _figure(result: Result, figure: Figure, key: Key) -> float:
    found = result.find(figure) if isinstance(figure, str) else figure(result)
    if found is None:
        name = figure if isinstance(figure, str) else figure.__name__.replace("_", " ")
        raise NotMeasuredError(f"{' '.join(key)} has no {name}")
    return float(found)


def ratio(part: float, whole: float) -> float:
    """Return part / whole; raises `NotMeasuredError` where the whole is 0."""
    if whole == 0:
        raise NotMeasuredError("a divisor is 0")
    return part / whole
