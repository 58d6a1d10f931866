"""Expressions over metrics of points, evaluated later and compared with a published value.

>>> from ftlab_papers.measures import at, mean, relative
>>> gain = relative("response_us.mean", ("build", "tpftl"), ("build", "dftl"))
>>> hits = mean(at("mapping.hit_ratio", name, "tpftl") for name in ("build", "exchange"))
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import TypeAlias

from ftlab_papers.runs import Figure, Key, Runs, ratio

Term: TypeAlias = Callable[[Runs], float]
"""Anything that computes a value from runs."""


def _operation(
    work: Callable[..., float], *, swapped: bool = False
) -> Callable[[Measure, Term | float], Measure]:
    """Return the method of an operator; ``swapped`` if the measure is its right side."""

    def method(self: Measure, other: Term | float) -> Measure:
        return Of(work, (other, self) if swapped else (self, other))

    return method


class Measure(ABC):
    """A term with arithmetic; division by a value of 0 is not measured."""

    @abstractmethod
    def __call__(self, runs: Runs) -> float:
        """Compute the value; raises `NotMeasuredError` if a metric does not exist."""

    __add__ = _operation(operator.add)
    __sub__ = _operation(operator.sub)
    __rsub__ = _operation(operator.sub, swapped=True)
    __mul__ = _operation(operator.mul)
    __truediv__ = _operation(ratio)
    __rtruediv__ = _operation(ratio, swapped=True)

    def __neg__(self) -> Measure:
        """Return it with the other sign."""
        return Of(operator.neg, (self,))


@dataclass(frozen=True)
class At(Measure):
    """A metric of a point."""

    figure: Figure
    key: Key

    def __call__(self, runs: Runs) -> float:
        """Return the metric."""
        return runs(self.figure, *self.key)


@dataclass(frozen=True)
class Of(Measure):
    """The result of a function of terms."""

    work: Callable[..., float]
    terms: tuple[Term | float, ...]

    def __call__(self, runs: Runs) -> float:
        """Return the result."""
        return float(self.work(*(each(runs) if callable(each) else each for each in self.terms)))


def at(figure: Figure, *key: str) -> Measure:
    """Return a metric of a point."""
    return At(figure, key)


def relative(figure: Figure, new: Sequence[str], old: Sequence[str]) -> Measure:
    """Return new / old - 1 of a metric of two points."""
    return at(figure, *new) / at(figure, *old) - 1


@cache
def _of_all(work: Callable[[Sequence[float]], float]) -> Callable[..., float]:
    """Return a measure that applies a function of values; equal calls are equal."""
    return lambda *values: work(values)


def mean(terms: Iterable[Term]) -> Measure:
    """Return the mean of terms."""
    return Of(_of_all(fmean), tuple(terms))


def least(terms: Iterable[Term]) -> Measure:
    """Return the least of terms."""
    return Of(_of_all(min), tuple(terms))


def most(terms: Iterable[Term]) -> Measure:
    """Return the largest of terms."""
    return Of(_of_all(max), tuple(terms))


def how_many(terms: Iterable[tuple[Term, Term]]) -> Measure:
    """Return how many firsts of pairs are at most as large as their seconds."""
    flat = tuple(term for pair in terms for term in pair)
    return Of(lambda *values: sum(map(operator.le, values[::2], values[1::2])), flat)
