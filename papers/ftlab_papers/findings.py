"""Published values and orders, and the one rule that compares ours with them.

Each is a frozen value that can be read without a run. Our values are computed for each seed
(`ftlab_papers.measures`), and their mean is compared.

* A `Value` is met if ours lies within 25 % of the published one or within 0.02 of it. A claim may
  name a narrower limit.
* A `Change` is met likewise if it also has the same sign, unless 0 is published. One that only has
  the same sign agrees in direction.
* A `Bound` is met if ours lies between the published bounds, unrounded, with every seed. A bound of
  a change that is not met agrees in direction if it has the sign of both bounds.
* An `Order` is met if ours is the same. Values that differ by less than 0.001, or by less than a
  thousandth of the larger one, count as equal.

A change is a tie if seeds differ in its sign. Two values are a tie if seeds differ in their order.
A tie counts as equal, and as a change without a direction. A bound that only some seeds meet is
also a tie, and is not met. A statement that something rises or falls is a bound of the change by
`NEAR_LEAST`: a smaller change is flat.

A logarithm, such as SDRPP, is judged by differences and by its order. As a value, 25 % of it would
be a large factor.

A change is new / old - 1 or 1 - old / new: its sign shows which is better.

The reasons for this rule are in choices.md#verdict-rule and choices.md#verdict-ties.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from statistics import fmean, stdev
from typing import TypeAlias

from ftlab_papers.measures import Term
from ftlab_papers.runs import Runs

RULE = """One rule judges all claims. A claim is made of findings, each a published figure or order
beside ours, which is a mean over seeds. A value is met if ours lies within 25 % of the published
one, or within the narrower bar that stands next to it, or within 0.02 of it; a change likewise, if
it has the same sign too; a bound if ours lies within it as it stands; an order if it is ours too,
where figures that differ by less than 0.001 or by a thousandth of the larger count as equal, and so
do those whose order is not the same with every seed: a tie. A bound is met with every seed or not
at all. What rises or falls does so by at least 0.02. Logarithms are judged by their differences and
their order. A claim agrees if all its findings are met. It agrees in direction only if each finding
that is not met is a change, or a bound of one, with the published sign and no tie. Otherwise it
differs. Nothing is tuned to a published number.
""".strip().replace("\n", " ")

NEAR_RATIO = 0.25
NEAR_LEAST = 0.02
EQUAL = 0.001
TIE = "a tie"


class Verdict(Enum):
    """How published values and ours compare, the best first."""

    AGREES = "agrees"
    DIRECTION = "direction only"
    DIFFERS = "differs"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Finding:
    """A published value and ours, as texts, and how they compare."""

    what: str
    published: str
    ours: str
    verdict: Verdict


@dataclass(frozen=True)
class Value:
    """A published value without a direction, and the share by which ours may differ."""

    what: str
    said: float
    ours: Term
    unit: str = ""
    within: float = field(default=NEAR_RATIO, kw_only=True)

    @property
    def published(self) -> str:
        """The published value as text."""
        bar = "" if self.within == NEAR_RATIO else f" within {number(self.within, '%')}"
        return number(self.said, self.unit) + bar

    def find(self, runs: Runs) -> Finding:
        """Return our value and its comparison."""
        found = _of_seeds(self.ours, runs)
        near = _near(self.said, fmean(found), self.within)
        verdict = Verdict.AGREES if near else Verdict.DIFFERS
        return Finding(self.what, self.published, spread(found, self.unit), verdict)


@dataclass(frozen=True)
class Change:
    """A published change or difference, whose sign shows which is better."""

    what: str
    said: float
    ours: Term
    unit: str = "%+"

    @property
    def published(self) -> str:
        """The published change as text."""
        return number(self.said, self.unit)

    def find(self, runs: Runs) -> Finding:
        """Return our change and its comparison."""
        found = _of_seeds(self.ours, runs)
        ours, tie = fmean(found), _is_tie(found)
        same_sign = self.said * ours > 0
        if _near(self.said, ours) and (same_sign or tie or self.said == 0):
            verdict = Verdict.AGREES
        else:
            verdict = Verdict.DIRECTION if same_sign and not tie else Verdict.DIFFERS
        return Finding(self.what, self.published, spread(found, self.unit, tie=tie), verdict)


@dataclass(frozen=True)
class Bound:
    """A value that is published as above, below or between bounds.

    A bound of a change is ``directed``: it agrees in direction if it has the sign of both bounds.
    """

    what: str
    ours: Term
    above: float = field(default=-math.inf, kw_only=True)
    below: float = field(default=math.inf, kw_only=True)
    unit: str = field(default="", kw_only=True)
    directed: bool = field(default=False, kw_only=True)

    @property
    def published(self) -> str:
        """The published bounds as text."""
        low, high = number(self.above, self.unit), number(self.below, self.unit)
        if math.isinf(self.below):
            return f"at least {low}"
        return f"at most {high}" if math.isinf(self.above) else f"{low} to {high}"

    def find(self, runs: Runs) -> Finding:
        """Return our value and its comparison."""
        found = _of_seeds(self.ours, runs)
        within = [self.above <= each <= self.below for each in found]
        ours, no_sign = fmean(found), self.directed and _is_tie(found)
        verdict = Verdict.AGREES if all(within) else Verdict.DIFFERS
        same_sign = ours * self.above > 0 and ours * self.below > 0
        if verdict is Verdict.DIFFERS and self.directed and same_sign and not no_sign:
            verdict = Verdict.DIRECTION
        tie = no_sign or any(within) != all(within)
        return Finding(self.what, self.published, spread(found, self.unit, tie=tie), verdict)


@dataclass(frozen=True)
class Order:
    """Names published in ascending order of their values."""

    what: str
    ours: Mapping[str, Term]
    unit: str = ""

    @property
    def published(self) -> str:
        """The published order as text."""
        return " ≤ ".join(self.ours)

    def find(self, runs: Runs) -> Finding:
        """Return our order and its comparison."""
        found = {name: _of_seeds(term, runs) for name, term in self.ours.items()}
        pairs = list(pairwise(found.items()))
        ties = [
            f"{low} and {high}"
            for (low, first), (high, second) in pairs
            if _is_tie([b - a for a, b in zip(first, second, strict=True)])
        ]
        holds = all(_ascend(first, second) for (_, first), (_, second) in pairs)
        ours = ", ".join(spread(each, self.unit) for each in found.values())
        if ties:
            ours += f" ({TIE}: {', '.join(ties)})"
        return Finding(
            self.what, self.published, ours, Verdict.AGREES if holds else Verdict.DIFFERS
        )


Statement: TypeAlias = Value | Change | Bound | Order


def of_each(names: Iterable[str], *statements: Callable[[str], Statement]) -> list[Statement]:
    """Return the statements about each name."""
    return [statement(name) for name in names for statement in statements]


def rising(
    term: Callable[[str, str], Term], unit: str, variants: Sequence[str], traces: Mapping[str, str]
) -> list[Statement]:
    """Return statements that a value rises in this order of variants, on each named trace."""
    return of_each(
        traces,
        lambda trace: Order(traces[trace], {each: term(trace, each) for each in variants}, unit),
    )


def number(figure: float, unit: str = "") -> str:
    """Return a value as text; unit ``%`` makes a share a percentage, ``+`` shows the sign."""
    if unit == "%+":
        return f"{100 * figure:+.1f} %"
    if unit == "%":
        return f"{100 * figure:.1f} %" if abs(figure) < 0.9995 else f"{100 * figure:.0f} %"
    if unit == "+":
        return f"{figure:+.3g}"
    text = f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.4g}"
    return f"{text} {unit}".rstrip()


def spread(found: Sequence[float], unit: str = "", *, tie: bool = False) -> str:
    """Return the mean over seeds as text, with the standard deviation if it is relevant."""
    text = number(fmean(found), unit)
    if len(found) > 1 and stdev(found) > EQUAL * abs(fmean(found)):
        text += f" ± {number(stdev(found), unit.rstrip('+'))}"
    return f"{text} ({TIE})" if tie else text


def _of_seeds(term: Term, runs: Runs) -> list[float]:
    return [term(each) for each in runs.seeds]


def _near(published: float, ours: float, ratio: float = NEAR_RATIO) -> bool:
    within = max(ratio * abs(published), NEAR_LEAST)
    return abs(ours - published) <= within * (1 + 1e-12)


def _is_tie(changes: Sequence[float]) -> bool:
    return min(changes) < 0 < max(changes)


def _ascend(first: Sequence[float], second: Sequence[float]) -> bool:
    low, high = fmean(first), fmean(second)
    equal = low <= high + EQUAL * max(1.0, abs(low))
    return equal or _is_tie([b - a for a, b in zip(first, second, strict=True)])
