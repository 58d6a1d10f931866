"""The claims of a paper as data, and our findings.

A claim *agrees* if all its findings are met. It agrees in *direction only* if the others at least
have the direction, and *differs* otherwise (`ftlab_papers.findings`). It is *not measured* if a
metric does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from ftlab.points import Config, Point, merge
from ftlab_papers.findings import Finding, Statement, Verdict
from ftlab_papers.inputs import Source, Sources
from ftlab_papers.runs import Key, NotMeasuredError, Runs


class Group(Enum):
    """The group in which a claim is counted."""

    PAPER = "of the paper"
    APART = "of the paper, that cannot fail or that another says"
    OURS = "of this project"


@dataclass(frozen=True)
class Claim:
    """A published statement.

    Attributes
    ----------
    id, where, what
        The name of the claim, its place in the paper, and its text.
    statements
        The values and orders that it consists of.
    why
        Returns what our counters show about it, for a claim that does not agree.
    proof
        The reason why the paper's own numbers rule out agreement, if they do.
    own
        Whether it is a claim of this project, not of the paper.
    headline
        Whether it is one of the paper's main results.
    constructed
        Whether it holds by the construction of the device or of the FTL.
    double
        The claim that states the same, if there is one.
    """

    id: str
    where: str
    what: str
    statements: Sequence[Statement]
    why: Callable[[Runs], str] | None = field(default=None)
    proof: str = ""
    own: bool = field(default=False, kw_only=True)
    headline: bool = field(default=False, kw_only=True)
    constructed: bool = field(default=False, kw_only=True)
    double: str = field(default="", kw_only=True)

    @property
    def group(self) -> Group:
        """The group in which the claim is counted."""
        if self.own:
            return Group.OURS
        return Group.APART if self.constructed or self.double else Group.PAPER


Maker: TypeAlias = Callable[[Key, Source, Path], Config]
"""Makes settings from a point's name and its workload, in the folder of the results."""


@dataclass(frozen=True)
class Counterfactual:
    """One named change, made to explain why claims do not agree.

    Attributes
    ----------
    name, what
        The name for points, and the text for people: what is changed.
    claims
        The claims that it is tried on, if they do not agree.
    sections
        The settings that are laid over every point that these claims use. A function makes them
        from a point's name and its workload in the folder of the results.
    only
        Returns whether the settings are laid over a point of this name. Default: over all.
    point
        Returns the name of the point that replaces one, such as that of another workload. The
        change is left out if that point does not exist.
    counted
        The metrics that replace others: another way to count the same.
    without
        Returns whether a point of this name is left out.
    reading
        Returns another reading of the claim; no point changes then.
    real
        Whether it plays a real trace's beginning in place of a model. It is then tried on headlines
        even if they agree.
    """

    name: str
    what: str
    claims: Sequence[str]
    sections: Config | Maker = field(default_factory=dict)
    only: Callable[[Key], bool] = field(default=lambda key: True)
    point: Callable[[Key], Key] = field(default=lambda key: key)
    counted: Mapping[str, str] = field(default_factory=dict)
    without: Callable[[Key], bool] = field(default=lambda key: False)
    reading: Callable[[Claim], Claim] | None = field(default=None)
    real: bool = field(default=False)

    @property
    def changes_points(self) -> bool:
        """Whether points run differently, not only their results are read differently."""
        return bool(self.sections) or not (self.counted or self.reading is not None)

    def touches(self, claim: Claim, there: Iterable[Key], points: Mapping[Key, Point]) -> bool:
        """Return whether the verdict of a claim that uses these points can change."""
        if self.reading is not None:
            return self.reading(claim) != claim
        there = list(there)
        if not all(self.point(key) in points for key in there):
            return False
        return any(self.only(key) or self.without(key) for key in there)

    def alter(self, key: Key, points: Mapping[Key, Point], inputs: Sources, results: Path) -> Point:
        """Return a point with this change."""
        if not self.only(key):
            return points[key]
        point, sections = points[self.point(key)], self.sections
        if callable(sections):
            sections = sections(key, inputs[key[0]], results)
        return Point(f"{point.label}, {self.name}", merge([point.config, sections]), point.ftl)


def on(*workloads: str) -> Callable[[Key], bool]:
    """Return a test whether a point is on one of these workloads, the first part of its name."""
    return lambda key: key[0] in workloads


def of(*ftls: str) -> Callable[[Key], bool]:
    """Return a test whether a point is of one of these FTLs, the second part of its name."""
    return lambda key: key[1] in ftls


class Explained(Enum):
    """What explains a claim that does not agree, the strongest first."""

    BY_ONE = "agrees when one thing is changed"
    BY_PROOF = "cannot agree by the paper's own numbers"
    OPEN = "explained by nothing that was tried"


@dataclass(frozen=True)
class Judged:
    """A claim with its findings, and the findings with one change each."""

    claim: Claim
    findings: Sequence[Finding]
    verdict: Verdict
    note: str
    used: frozenset[Key] = frozenset()
    instead: Sequence[Instead] = ()

    @property
    def explained(self) -> Explained | None:
        """What explains the disagreement; None if the claim agrees."""
        if self.verdict is Verdict.AGREES:
            return None
        if any(each.judged.verdict is Verdict.AGREES for each in self.instead):
            return Explained.BY_ONE
        return Explained.BY_PROOF if self.claim.proof else Explained.OPEN


@dataclass(frozen=True)
class Instead:
    """The findings of a claim with one change.

    ``ran`` are the runs by label and digest, each once.
    """

    changed: Counterfactual
    judged: Judged
    ran: Sequence[str] = ()


def judge(claim: Claim, runs: Runs) -> Judged:
    """Return the verdict on a claim by the one rule."""

    def find(runs: Runs) -> list[Finding] | NotMeasuredError:
        try:
            return [each.find(runs) for each in claim.statements]
        except NotMeasuredError as reason:
            return reason

    findings, used = runs.noting(find)
    if isinstance(findings, NotMeasuredError):
        return Judged(claim, [], Verdict.NOT_MEASURED, f"{findings}.", used)
    verdict = _worst(finding.verdict for finding in findings)
    judged = Judged(claim, findings, verdict, "", used)
    if verdict is Verdict.AGREES or claim.why is None:
        return judged
    try:
        return replace(judged, note=claim.why(runs))
    except NotMeasuredError as reason:
        return replace(judged, note=f"{reason}.")


def _worst(verdicts: Iterable[Verdict]) -> Verdict:
    ranks = list(Verdict)
    return max(verdicts, key=ranks.index, default=Verdict.NOT_MEASURED)


def published(claim: Claim) -> str:
    """Return the published values."""
    return _lines((each.what, each.published) for each in claim.statements)


def _lines(found: Iterable[tuple[str, str]]) -> str:
    return ";\n".join(f"{what}: {text}" if what else text for what, text in found)
