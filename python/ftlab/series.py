"""Metrics of a folder of results over a setting or another metric: a line for each variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

from ftlab import cores, recording
from ftlab.errors import ConfigError
from ftlab.names import in_any_case, near
from ftlab.points.conditions import FTL
from ftlab.points.order import differing, natural, setting
from ftlab.points.store import Entry
from ftlab.report.points import FIGURES, names, rows, value_of
from ftlab.result import Result
from ftlab.shares import share_of
from ftlab.spread import axes
from ftlab.titles import key as ftl_of
from ftlab.titles import title
from ftlab.units import kinds

TRACE = "input.trace"
MOST_FACETS = 12
"""Columns of panels."""

NUMBERS = ("size", "ratio", "count", "time", "number")
"""Kinds of settings whose values have an order."""


@dataclass(frozen=True)
class Line:
    """A metric over places, under a name: the mean over seeds, its deviation, and their number."""

    name: str
    ftl: str
    places: Sequence[Any]
    means: Sequence[float]
    deviations: Sequence[float]
    counts: Sequence[int]


@dataclass
class _Group:
    """The runs of one point, which differ in their seeds."""

    places: list[Any] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    @property
    def place(self) -> Any:
        """Where the point stands: the mean over seeds, if that is a number."""
        first = self.places[0]
        return first if isinstance(first, str) or len(set(self.places)) == 1 else fmean(self.places)


def known_name(entries: Sequence[Entry], name: str) -> str:
    """Return the setting or metric of that name, in any case; raises `ftlab.ConfigError`."""
    known = [*FIGURES, *names(rows(results_of(entries))), FTL]
    found = in_any_case(name, known)
    if found not in known:
        raise ConfigError(f'no metric or setting of the name "{name}"{near(name, known)}')
    return found


def results_of(entries: Sequence[Entry]) -> list[Entry]:
    """Return the points that did not fail."""
    return [each for each in entries if isinstance(each.outcome, Result)]


def lines(entries: Sequence[Entry], x: str, y: str, facet: str | None = None) -> list[Line]:
    """Return a line for each FTL and each combination of the other settings that differ.

    Where ``x`` is a metric, settings that are numbers move a point along its line. A ``facet`` is
    in no name. Points that failed, and those without the metric, are left out. Raises
    `ftlab.ConfigError` for a name that no point has.
    """
    x, y = known_name(entries, x), known_name(entries, y)
    found = results_of(entries)
    repeated = axes([entry.config for entry in found])
    others = [key for key in differing(found) if key not in (x, facet, *repeated)]
    is_metric = x != FTL and x not in kinds() and x != "preset"
    along = [key for key in others if is_metric and kinds().get(key) in NUMBERS]
    naming = [key for key in others if key not in along and _tells_apart(found, key)]
    if x == FTL:
        naming = [key for key in naming if key.partition(".")[0] not in cores.ftls()]
    seen: dict[tuple[str, str], dict[str, _Group]] = {}
    traces = _short_names(found)
    for entry, row in zip(found, rows(found), strict=True):
        place = _place(entry, row, x, others, traces)
        figure = entry.ftl if y == FTL else value_of(entry, row, y)
        if place is None or figure is None:
            continue
        if not isinstance(figure, int | float):
            raise ConfigError(f"{y}: found {figure!r}, expected a metric that is a number")
        ftl = "" if x == FTL else entry.ftl
        name = _name(entry, ftl, naming, traces)
        point = repr([setting(entry, key) for key in along] if along else place)
        group = seen.setdefault((name, ftl), {}).setdefault(point, _Group())
        group.places.append(place)
        group.values.append(float(figure))
    return [_line(*key, list(groups.values())) for key, groups in seen.items()]


def _tells_apart(entries: Sequence[Entry], key: str) -> bool:
    """Tell whether a setting differs among those that obey it."""
    return len({repr(value) for each in entries if (value := setting(each, key)) is not None}) > 1


def faceted(entries: Sequence[Entry], by: str) -> dict[str, list[Entry]]:
    """Return the points with each value of a setting, by how the value is told."""
    found = results_of(entries)
    traces = _short_names(found)
    values: dict[str, list[Entry]] = {}
    ranks = {}
    for entry, row in zip(found, rows(found), strict=True):
        value = entry.ftl if by == FTL else setting(entry, by) or value_of(entry, row, by)
        text = traces.get(str(value), title(value))
        ranks[text] = rank(value)
        values.setdefault(text, []).append(entry)
    if len(values) > MOST_FACETS:
        raise ConfigError(f"{by}: found {len(values)} values, expected at most {MOST_FACETS}")
    return {text: values[text] for text in sorted(values, key=lambda text: ranks[text])}


def relative(found: Sequence[Line], base: str) -> list[Line]:
    """Return lines as multiples of that of an FTL with the same settings, at the same places.

    Where FTLs are places, each line is a multiple of its value at that of the base.
    """
    wanted = title(ftl_of(base))
    parts = [(line, *line.name.partition(" (")[::2]) for line in found]
    bases = {behind: line for line, ftl, behind in parts if ftl == wanted}
    scaled = []
    for line, _, behind in parts:
        if not line.ftl:
            at = [place for place in line.places if title(place) == wanted]
            values = {place: line.means[line.places.index(at[0])] for place in line.places if at}
        else:
            other = bases.get(behind) or bases.get("")
            values = dict(zip(other.places, other.means, strict=True)) if other else {}
        kept = [at for at, place in enumerate(line.places) if values.get(place)]
        scaled.append(
            Line(
                line.name,
                line.ftl,
                [line.places[at] for at in kept],
                [line.means[at] / values[line.places[at]] for at in kept],
                [line.deviations[at] / values[line.places[at]] for at in kept],
                [line.counts[at] for at in kept],
            )
        )
    if not any(line.places for line in scaled):
        raise ConfigError(f"found no values of {base}, expected an FTL that was run")
    return scaled


def rank(place: Any) -> tuple[int, Any]:
    """Return what a place is sorted by: numbers, then names with numbers in them, then nothing."""
    if place is None:
        return 2, 0
    return (1, [*natural(place)]) if isinstance(place, str) else (0, place)


def _line(name: str, ftl: str, groups: list[_Group]) -> Line:
    groups.sort(key=lambda group: rank(group.place))
    values = [group.values for group in groups]
    deviations = [stdev(each) if len(each) > 1 else 0.0 for each in values]
    means, counts = [fmean(each) for each in values], [len(each) for each in values]
    return Line(name, ftl, [group.place for group in groups], means, deviations, counts)


def _place(
    entry: Entry, row: Mapping[str, Any], x: str, others: Sequence[str], traces: Mapping[str, str]
) -> Any:
    """Return where a point stands; an FTL on the axis has its own settings behind its name."""
    if x == FTL:
        own = [key for key in others if key.partition(".")[0] in cores.ftls()]
        return _name(entry, entry.ftl, own, traces) if own else entry.ftl
    found = value_of(entry, row, x)
    share = share_of(setting(entry, x)) if kinds().get(x) == "size" else None
    if share is not None:
        return share
    return traces.get(found, found) if x == TRACE else found


def _name(entry: Entry, ftl: str, keys: Sequence[str], traces: Mapping[str, str]) -> str:
    """Return the name of a line: the FTL, and the settings that it obeys and that differ."""
    told = []
    for key in keys:
        found = setting(entry, key)
        if found is not None:
            text = traces.get(str(found), str(found))
            told.append(text if key == TRACE else f"{_short(key, keys)}={text}")
    inside = ", ".join(told)
    return f"{title(ftl)} ({inside})" if ftl and inside else inside or title(ftl)


def _short(key: str, keys: Sequence[str]) -> str:
    """Return the last part of a key, as long as no other of these has the same."""
    last = key.rpartition(".")[2]
    return last if sum(each.rpartition(".")[2] == last for each in keys) == 1 else key


def _short_names(entries: Sequence[Entry]) -> dict[str, str]:
    """Return names for traces: those of their files without folder and endings, if these differ."""
    paths = {str(setting(entry, TRACE)) for entry in entries}
    short = {path: recording.short(path) for path in paths}
    bare = {path: name.partition(".")[0] or name for path, name in short.items()}
    chosen = next((each for each in (bare, short) if len(set(each.values())) == len(paths)), {})
    return dict(chosen)
