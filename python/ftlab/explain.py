"""Why one run takes longer than another: the difference of their times, divided by its causes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ftlab.errors import ConfigError
from ftlab.report.causes import PARTS
from ftlab.report.difference import TOLERANCE
from ftlab.report.numbers import by_name, unit_of, written
from ftlab.report.tables import ABSENT, Table
from ftlab.result import Result
from ftlab.titles import FtlName, title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SECTIONS = {"service": "causes.service_us", "waiting": "causes.wait_us"}
MOVED = (
    "mapping.",
    "prefetch.",
    "gc.",
    "merges.",
    "buffer.",
    "own.",
    "write_amplification",
    "causes.paus",
)
"""Where figures are that show what an FTL did otherwise."""

MOST_MOVED = 12
"""Rows of them."""

KEPT = ("mapping.hit_ratio", "own.")
"""Metrics that are shown however many others moved more."""


@dataclass(frozen=True)
class Part:
    """What one cause adds to the mean time of a request in two runs, in microseconds."""

    section: str
    name: str
    first: float
    second: float

    @property
    def difference(self) -> float:
        """How much more it adds in the second run."""
        return self.second - self.first


def parts_of(first: Result, second: Result) -> list[Part]:
    """Return the parts of the mean response time of two runs, the largest differences first.

    Their sums are the means: service and waiting add up to the response. Raises
    `ftlab.ConfigError` for a run without ``run.causes``.
    """
    found = []
    for section, path in SECTIONS.items():
        both = [_record(result, path) for result in (first, second)]
        parts = [
            Part(section, name, *(float(each.get(name, 0.0)) for each in both)) for name in PARTS
        ]
        used = [part for part in parts if part.first or part.second]
        found += sorted(used, key=lambda part: -abs(part.difference))
    return found


def table_of(labels: Sequence[str], parts: Sequence[Part]) -> Table:
    """Return a row for each part and each sum, in microseconds, and what is different."""
    rows = []
    for section in SECTIONS:
        for part in (part for part in parts if part.section == section):
            place = "" if section == "service" else "wait for "
            rows.append(_row(f"  {place}{PARTS[part.name]}", part.first, part.second))
        rows.append(_row(section, *_sums(part for part in parts if part.section == section)))
    rows.append(_row("response", *_sums(parts)))
    return Table(["mean time of a request, µs", *map(FtlName, labels), "difference"], rows)


def moved_table(labels: Sequence[str], first: Result, second: Result) -> Table:
    """Return the metrics of the FTLs that moved most, the largest move first.

    A change is a multiple, of a share percentage points. Metrics that one FTL alone has are kept.
    """
    rows = []
    before, after = first.flat(), second.flat()
    for path in (path for path in before if path.startswith(MOVED)):
        values = [before[path], after.get(path)]
        if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
            continue
        move, change = _change(path, *values)
        if move > TOLERANCE:
            cells = [path, *(by_name(path, value) for value in values), change]
            rows.append((move, [str(cell) for cell in cells]))
    rows.sort(key=lambda row: (-row[0], row[1]))
    kept = [row for at, (_, row) in enumerate(rows) if at < MOST_MOVED or row[0].startswith(KEPT)]
    return Table(["metric", *map(FtlName, labels), "change"], kept)


def _change(path: str, before: float, after: float) -> tuple[float, str]:
    """Return how far a metric moved, as a share of it, and the words for that.

    What is left of a share to the whole counts, too: a hit ratio moves as much as its misses do.
    """
    parts = [(before, after)]
    is_share = unit_of(path) == "ratio" and max(before, after) <= 1.0
    if is_share:
        parts.append((1.0 - before, 1.0 - after))
    moves = [abs(b - a) / max(abs(a), abs(b)) for a, b in parts if a != b]
    if is_share:
        return max(moves, default=0.0), f"{100 * (after - before):+.2f} points"
    return max(moves, default=0.0), f"{after / before:.3f} x" if before else ABSENT


def sentence(labels: Sequence[str], parts: Sequence[Part]) -> str:
    """Return one sentence: which run takes longer, and what most of that is."""
    first, second = _sums(parts)
    names = [title(each) for each in labels]
    if abs(second - first) <= TOLERANCE * max(first, second):
        return f"{names[0]} and {names[1]} take equally long: {written(first, 'us')} a request."
    slower = names[second > first]
    grown = [part for part in parts if (part.difference > 0) == (second > first)]
    grown.sort(key=lambda part: -abs(part.difference))
    largest, whole = abs(grown[0].difference), abs(second - first)
    # A part may exceed the whole, where other parts make up for it.
    of_all = f"{100 * largest / whole:.0f} % of the difference"
    if largest > whole:
        of_all = f"with {written(largest - whole, 'us')} less elsewhere"
    place = "waiting for " if grown[0].section == "waiting" else ""
    return (
        f"{slower} takes {written(whole, 'us')} longer for a request; the largest part is "
        f"{place}{PARTS[grown[0].name]}: {written(largest, 'us')}, {of_all}."
    )


def drawn(labels: Sequence[str], parts: Sequence[Part], columns: int | None = None) -> Figure:
    """Draw a bridge: the response of the first run, each cause that adds or takes, the second's."""
    from ftlab.style import ftl_label, sized, styled

    first, second = _sums(parts)
    steps = [part for part in parts if abs(part.difference) > TOLERANCE * max(first, second)]
    steps.sort(key=lambda part: (part.section, -abs(part.difference)))
    rest = second - first - sum(part.difference for part in steps)
    names = [
        f"{'wait for ' if part.section == 'waiting' else ''}{PARTS[part.name]}" for part in steps
    ]
    heights = [part.difference for part in steps]
    if abs(rest) > 1e-9 * max(first, second):
        names, heights = [*names, "all others"], [*heights, rest]
    with styled(columns):
        figure = sized(8.0, 0.9 + 0.32 * (len(names) + 2), columns)
        axes = figure.subplots()
        places = range(len(names) + 2)
        axes.barh(0, first, color="#555555")
        axes.barh(places[-1], second, color="#555555")
        at = first
        for place, height in enumerate(heights, 1):
            axes.barh(place, height, left=at, color="#D55E00" if height > 0 else "#009E73")
            axes.plot([at, at], [place - 1.4, place + 0.4], color="#555555", linewidth=0.6)
            at += height
        axes.set_yticks(places, [ftl_label(labels[0]), *names, ftl_label(labels[1])])
        axes.invert_yaxis()
        axes.set_xlabel("mean response of a request (µs)")
        axes.set_xlim(0, 1.05 * max(first, second, at))
    return figure


def _row(name: str, first: float, second: float) -> list[str]:
    change = second - first
    return [name, f"{first:,.2f}", f"{second:,.2f}", f"{change:+,.2f}"]


def _sums(parts: Iterator[Part] | Sequence[Part]) -> tuple[float, float]:
    both = [(part.first, part.second) for part in parts]
    return sum(first for first, _ in both), sum(second for _, second in both)


def _record(result: Result, path: str) -> Mapping[str, Any]:
    found = result.find(path)
    if not isinstance(found, Mapping):
        raise ConfigError(f"{path}: found a result without it, expected one with run.causes = true")
    return found
