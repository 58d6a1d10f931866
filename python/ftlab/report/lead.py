"""What a report opens with: who wins, by how much, with how much RAM, what not to believe."""

from __future__ import annotations

from collections.abc import Sequence

from ftlab.report.numbers import written
from ftlab.report.summary import HEADLINES, Figure, overloaded, refused, warning_lines
from ftlab.result import Comparison, Result

FIGURES = {figure.path: figure for figure in HEADLINES}
RESPONSE, AMPLIFICATION = FIGURES["response_us.mean"], FIGURES["write_amplification"]
HITS, RAM, LAST = FIGURES["mapping.hit_ratio"], FIGURES["ram_bytes"], FIGURES["response_us.p99"]

Named = tuple[str, Sequence[Result]]
"""A label, and the results with each seed."""


def lead(comparison: Comparison) -> list[str]:
    """Return sentences on the run: the winners, then what must not be believed."""
    named = list(zip(comparison.titles, comparison.runs, strict=True))
    if len(named) == 1:
        said = _alone(*named[0])
    else:
        races = ((RESPONSE, "mean response"), (AMPLIFICATION, "write amplification"))
        said = [told for each in races if (told := _race(named, *each))]
    return [*said, *_doubts(comparison, named)]


def _alone(label: str, runs: Sequence[Result]) -> list[str]:
    """Return what one FTL does."""
    parts = [
        (RESPONSE, "a mean response of {}"),
        (LAST, "99 % of requests within {}"),
        (AMPLIFICATION, "{} pages programmed for each written"),
        (HITS, "{} of mappings found in the cache"),
        (RAM, "{} of RAM"),
    ]
    told = [
        text.format(written(value.mean, figure.unit))
        for figure, text in parts
        if (value := figure.measured(runs)) is not None
    ]
    return [f"{label} has {_list(told)}."] if told else []


def _race(named: Sequence[Named], figure: Figure, name: str) -> str:
    """Return who is best by a figure and by how much; nothing where too few have it."""
    known = [(value, *each) for each in named if (value := figure.measured(each[1])) is not None]
    if len(known) < 2:
        return ""
    (first, label, winner), (second, other, loser) = sorted(known, key=lambda e: e[0].mean)[:2]
    ram, others = (RAM.cell(*each) for each in (winner, loser))
    told = written(first.mean, figure.unit)
    if not first.differs(second):
        return f"{label} and {other} have the same {name}: {told} (RAM {ram} and {others})."
    less = f"{100 * (1 - first.mean / second.mean):.1f} % below {other}"
    return f"{label} has the lowest {name}: {told}, {less} (RAM {ram} against {others})."


def _doubts(comparison: Comparison, named: Sequence[Named]) -> list[str]:
    """Return what of it must not be believed."""
    late = [label for label, runs in named if any(map(overloaded, runs))]
    doubts = []
    worn = [label for label, runs in named if any(map(refused, runs))]
    if worn:
        doubts.append(
            f"Do not compare {_list(worn)}: the device was worn out and refused requests."
        )
    if late:
        doubts.append(
            f"Do not use response times of {_list(late)}: requests arrived faster than the device "
            "served them."
        )
    warnings = len(warning_lines(comparison))
    if warnings:
        what = "the warning" if warnings == 1 else f"the {warnings} warnings"
        doubts.append(f"Read {what} below before you publish a number.")
    return doubts


def _list(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
