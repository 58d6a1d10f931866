"""What a paper claims, what we measured, and one rule that judges them all.

A claim is made of *findings*, each a published figure or order beside ours:

* a *value* is met if ours lies within 25 % of the published value, or within 0.02 of it;
* a *change* is met likewise, if it also has the same sign (unless 0 is published); one that has
  only the same sign agrees in direction;
* a *bound* is met if ours lies between the published bounds, as they stand; one of a change
  otherwise agrees in direction if it has the sign of both;
* an *order* is met if it is ours too; figures that differ by less than 0.001, or by less than a
  thousandth of the larger, count as equal.

A change is new / old - 1 or 1 - old / new: a figure whose sign says which is better. A claim
*agrees* if all its findings are met, agrees in *direction only* if all others at least have the
direction, and *differs* if not. It is *not measured* where a figure does not exist.

Why this rule: choices.md#verdict-rule, choices.md#verdict-ties.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import TypeAlias

from ftlab.report.tables import ABSENT
from ftlab.result import Result

RULE = """One rule judges all claims. A claim is made of findings, each a published figure or order
beside ours. A value is met if ours lies within 25 % of the published one, or within 0.02 of it; a
change likewise, if it has the same sign too; a bound if ours lies within it as it stands; an order
if it is ours too, where figures that differ by less than 0.001 or by a thousandth of the larger
count as equal. A claim agrees if all its findings are met. It agrees in direction only if each
finding that is not met is a change, or a bound of one, with the published sign. Otherwise it
differs. Nothing is tuned to a published number.""".replace("\n", " ")

NEAR_RATIO = 0.25
NEAR_LEAST = 0.02
EQUAL = 0.001


Figure: TypeAlias = str | Callable[[Result], float | None]
"""A figure of a result: its path, or how to work it out."""


class Verdict(Enum):
    """How a claim and our figures compare, the best first."""

    AGREES = "agrees"
    DIRECTION = "direction only"
    DIFFERS = "differs"
    NOT_MEASURED = "not measured"


class NotMeasuredError(Exception):
    """A figure that a claim needs does not exist; says which."""


@dataclass(frozen=True)
class Finding:
    """One published figure or order, and ours."""

    what: str
    published: str
    ours: str
    verdict: Verdict


def value(what: str, published: float, ours: float, unit: str = "") -> Finding:
    """Return the finding of a published figure that has no direction."""
    verdict = Verdict.AGREES if _near(published, ours) else Verdict.DIFFERS
    return Finding(what, number(published, unit), number(ours, unit), verdict)


def change(what: str, published: float, ours: float, unit: str = "%+") -> Finding:
    """Return the finding of a published change or difference, whose sign says what is better."""
    same_sign = published * ours > 0
    if _near(published, ours) and (same_sign or published == 0):
        verdict = Verdict.AGREES
    else:
        verdict = Verdict.DIRECTION if same_sign else Verdict.DIFFERS
    return Finding(what, number(published, unit), number(ours, unit), verdict)


def bound(
    what: str,
    ours: float,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    unit: str = "",
    directed: bool = False,
) -> Finding:
    """Return the finding of a figure that is published to lie above, below, or between two.

    That of a change is ``directed``: it agrees in direction if it has the sign of both bounds.
    """
    verdict = Verdict.AGREES if above <= ours <= below else Verdict.DIFFERS
    if verdict is Verdict.DIFFERS and directed and ours * above > 0 and ours * below > 0:
        verdict = Verdict.DIRECTION
    low, high = number(above, unit), number(below, unit)
    if math.isinf(below):
        published = f"at least {low}"
    else:
        published = f"at most {high}" if math.isinf(above) else f"{low} to {high}"
    return Finding(what, published, number(ours, unit), verdict)


def order(what: str, figures: Mapping[str, float], unit: str = "") -> Finding:
    """Return the finding of names that are published in ascending order of their figures."""
    values = list(figures.values())
    holds = all(low <= high + EQUAL * max(1.0, abs(low)) for low, high in pairwise(values))
    published = " ≤ ".join(figures)
    ours = ", ".join(number(each, unit) for each in values)
    return Finding(what, published, ours, Verdict.AGREES if holds else Verdict.DIFFERS)


def _near(published: float, ours: float) -> bool:
    within = max(NEAR_RATIO * abs(published), NEAR_LEAST)
    return abs(ours - published) <= within * (1 + 1e-12)


def number(figure: float, unit: str = "") -> str:
    """Return a figure as text; unit ``%`` makes a share a percentage, ``+`` shows the sign."""
    if unit == "%+":
        return f"{100 * figure:+.1f} %"
    if unit == "%":
        return f"{100 * figure:.1f} %" if abs(figure) < 0.9995 else f"{100 * figure:.0f} %"
    if unit == "+":
        return f"{figure:+.3g}"
    text = f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.4g}"
    return f"{text} {unit}".rstrip()


class Runs:
    """The results of an experiment by the names of their points."""

    def __init__(self, results: Mapping[tuple[str, ...], Result]) -> None:
        self._results = dict(results)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        """Iterate over the names of the points."""
        return iter(self._results)

    def __getitem__(self, key: tuple[str, ...]) -> Result:
        """Return a result; raises `NotMeasuredError` where a point was not run."""
        if key not in self._results:
            raise NotMeasuredError(f"{' '.join(key)} was not run")
        return self._results[key]

    def __call__(self, figure: Figure, *key: str) -> float:
        """Return a figure of a result; raises `NotMeasuredError` where it does not exist."""
        result = self[key]
        found = result.find(figure) if isinstance(figure, str) else figure(result)
        if found is None:
            name = figure if isinstance(figure, str) else figure.__name__.replace("_", " ")
            raise NotMeasuredError(f"{' '.join(key)} has no {name}")
        return float(found)

    def change(self, figure: Figure, new: Sequence[str], old: Sequence[str]) -> float:
        """Return new / old - 1 of a figure of two points."""
        return ratio(self(figure, *new), self(figure, *old)) - 1

    def mean_change(self, figure: Figure, new: str, old: str, workloads: Iterable[str]) -> float:
        """Return the mean over workloads of new / old - 1, for two FTLs."""
        each = [self.change(figure, (name, new), (name, old)) for name in workloads]
        return sum(each) / len(each)


def ratio(part: float, whole: float) -> float:
    """Return part / whole; raises `NotMeasuredError` where the whole is 0."""
    if whole == 0:
        raise NotMeasuredError("a figure is 0 that others are held against")
    return part / whole


@dataclass(frozen=True)
class Claim:
    """A published statement, and how to find ours.

    Attributes
    ----------
    id, where, what
        The name of the claim, its place in the paper, and what it says.
    find
        Returns its findings from the results.
    why
        Returns what our counters say of it, shown where the claim does not agree.
    """

    id: str
    where: str
    what: str
    find: Callable[[Runs], Iterable[Finding]]
    why: Callable[[Runs], str] | None = field(default=None)


@dataclass(frozen=True)
class Judged:
    """A claim with what was found."""

    claim: Claim
    findings: Sequence[Finding]
    verdict: Verdict
    note: str


def judge(claim: Claim, runs: Runs) -> Judged:
    """Return the verdict of the one rule on a claim."""
    try:
        findings = list(claim.find(runs))
    except NotMeasuredError as reason:
        return Judged(claim, [], Verdict.NOT_MEASURED, f"{reason}.")
    verdict = _worst(finding.verdict for finding in findings)
    note = ""
    if verdict is not Verdict.AGREES and claim.why is not None:
        try:
            note = claim.why(runs)
        except NotMeasuredError as reason:
            note = f"{reason}."
    return Judged(claim, findings, verdict, note)


def _worst(verdicts: Iterable[Verdict]) -> Verdict:
    ranks = list(Verdict)
    return max(verdicts, key=ranks.index, default=Verdict.NOT_MEASURED)


def texts(judged: Judged) -> tuple[str, str]:
    """Return what was published and what we found, one text each."""
    if not judged.findings:
        return ABSENT, ABSENT
    lines = [(each.what, each.published, each.ours) for each in judged.findings]
    published = ";\n".join(f"{what}: {said}" if what else said for what, said, _ in lines)
    ours = ";\n".join(f"{what}: {found}" if what else found for what, _, found in lines)
    return published, ours
