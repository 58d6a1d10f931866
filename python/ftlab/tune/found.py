"""The findings of a search: candidates, the best of them, and their rivals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ftlab.config import Config
from ftlab.plugins import Named
from ftlab.points import Failure, Point
from ftlab.points.store import Outcome
from ftlab.result import Result
from ftlab.tune.goal import Goal


@dataclass(frozen=True)
class Candidate:
    """An FTL with settings, and its outcome with each seed."""

    ftl: Named
    settings: Config
    """The settings that have several values in the search, by key."""
    points: Sequence[Point]
    outcomes: Sequence[Outcome]
    values: Sequence[float] | None
    """The objectives, or None where there are none."""
    excess: Sequence[float]
    """By how much it exceeds each limit: 0 or less if it keeps it."""
    against: bool
    """Whether it is a rival to beat, and not a result of the search."""

    @property
    def results(self) -> list[Result]:
        """The results, if none failed."""
        found = [each for each in self.outcomes if isinstance(each, Result)]
        return found if len(found) == len(self.outcomes) else []

    @property
    def fits(self) -> bool:
        """Whether it has all objectives and keeps all limits."""
        return self.values is not None and all(each <= 0 for each in self.excess)

    @property
    def failure(self) -> str | None:
        """Why there is no result."""
        return next((str(each) for each in self.outcomes if isinstance(each, Failure)), None)


@dataclass(frozen=True)
class Found:
    """The findings of a search for one input."""

    input: str
    goal: Goal
    trials: Sequence[Candidate]
    """The trials in the order of the requests; a trial may repeat another."""
    against: Sequence[Candidate]

    def best(self) -> list[Candidate]:
        """Return the Pareto front of the trials that keep the limits; of equal ones, the first.

        The best in the first objective comes first.
        """
        alike: dict[tuple[float, ...], Candidate] = {}
        for each in self.trials:
            if each.fits and each.values:
                alike.setdefault(tuple(each.values), each)
        fitting = [(each, values) for values, each in alike.items()]
        front = [
            (each, values)
            for each, values in fitting
            if not any(self.goal.better(other, values) for _, other in fitting)
        ]
        return [each for each, _ in sorted(front, key=lambda pair: self.goal.order(pair[1]))]

    def rivals(self) -> list[Candidate]:
        """Return the best of each rival FTL in the first objective, if any fits."""
        found: dict[str, Candidate] = {}
        for each in self.against:
            old = found.setdefault(str(each.ftl), each)
            if self._rank(each) < self._rank(old):
                found[str(each.ftl)] = each
        return sorted(found.values(), key=self._rank)

    def _rank(self, each: Candidate) -> tuple[bool, float]:
        return not each.fits, self.goal.order(each.values) if each.values else float("inf")
