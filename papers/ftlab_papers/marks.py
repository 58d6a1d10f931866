"""What a chart shows of a figure: ours over all seeds, and what the paper says of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import neg
from statistics import fmean, stdev

from ftlab_papers.claims import Claim
from ftlab_papers.findings import Change, Value
from ftlab_papers.measures import Of, Term
from ftlab_papers.runs import NotMeasuredError, Runs


@dataclass(frozen=True)
class Mark:
    """A place in a chart: our mean and its standard deviation over seeds, and what is published.

    What does not exist is None.
    """

    ours: float | None
    deviation: float = 0.0
    published: float | None = None


@dataclass(frozen=True)
class Series:
    """Marks under one name, in the colour of an FTL if it has one."""

    name: str
    marks: Sequence[Mark]
    ftl: str = ""

    def __bool__(self) -> bool:
        """Whether there is anything of ours to draw."""
        return any(mark.ours is not None for mark in self.marks)


class Marks:
    """Makes marks of terms; ``known`` are the terms of which something is published."""

    def __init__(self, runs: Runs, known: Mapping[Term, float]) -> None:
        self._seeds = runs.seeds
        self._known = known

    def __call__(self, term: Term) -> Mark:
        """Return the mark of a term."""
        try:
            found = [term(each) for each in self._seeds]
        except NotMeasuredError:
            return Mark(None, published=self.published(term))
        deviation = stdev(found) if len(found) > 1 else 0.0
        return Mark(fmean(found), deviation, self.published(term))

    def published(self, term: Term) -> float | None:
        """Return what is published of a term, or of the one that it is made of with numbers."""
        if term in self._known:
            return self._known[term]
        if not isinstance(term, Of) or sum(callable(each) for each in term.terms) != 1:
            return None
        parts = [self.published(each) if callable(each) else each for each in term.terms]
        return None if None in parts else float(term.work(*parts))


def known(claims: Iterable[Claim]) -> dict[Term, float]:
    """Return the terms of which claims publish a figure or a change."""
    return dict(
        _plain(each.ours, each.said)
        for claim in claims
        for each in claim.statements
        if isinstance(each, Value | Change)
    )


def _plain(term: Term, said: float) -> tuple[Term, float]:
    """Return a term and its figure without a sign before both."""
    if isinstance(term, Of) and term.work is neg:
        (inside,) = term.terms
        if callable(inside):
            return inside, -said
    return term, said
