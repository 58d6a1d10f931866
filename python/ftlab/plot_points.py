"""Figures of a folder of results: a figure over a setting, a line for each FTL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from ftlab.errors import ConfigError
from ftlab.looks import Look, of_ftls
from ftlab.names import near
from ftlab.points.grid import FTL
from ftlab.points.order import differing
from ftlab.points.store import Entry
from ftlab.report.numbers import size
from ftlab.report.points import FIGURES, names, rows
from ftlab.result import Result
from ftlab.style import (
    ftl_label,
    legend_above,
    literal,
    mark_empty,
    name_axis,
    name_groups,
    sized,
    styled,
)
from ftlab.titles import title
from ftlab.units import kinds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SEED = "run.seed"
LABEL_MAX = 60
LOG = 10.0
"""From this ratio of the largest to the smallest place on, the axis is logarithmic."""


@dataclass(frozen=True)
class Line:
    """Figures over places, under a name: the mean over seeds, and its standard deviation."""

    name: str
    ftl: str
    places: Sequence[Any]
    means: Sequence[float]
    deviations: Sequence[float]


def lines(entries: Sequence[Entry], x: str, y: str) -> list[Line]:
    """Return a line for each FTL and each combination of the other settings that differ.

    Points that failed, and those without the figure, are left out. Raises `ftlab.ConfigError` for
    a name that no point has.
    """
    found = [each for each in entries if isinstance(each.outcome, Result)]
    table = rows(found)
    known = [*FIGURES, *names(table), FTL]
    unknown = next((each for each in (x, y) if each not in known), None)
    if unknown:
        raise ConfigError(f'no figure or setting of the name "{unknown}"{near(unknown, known)}')
    others_of = [key for key in differing(found) if key not in (x, SEED)]
    seen: dict[tuple[str, str], dict[Any, list[float]]] = {}
    for entry, row in zip(found, table, strict=True):
        place, figure = _value(entry, row, x), _value(entry, row, y)
        if place is None or figure is None:
            continue
        others = [f"{key}={_told(key, _value(entry, row, key))}" for key in others_of]
        ftl = [] if x == FTL else [entry.ftl]
        name = ", ".join([*ftl, *others])
        values = seen.setdefault((name, "" if x == FTL else entry.ftl), {})
        if not isinstance(figure, int | float):
            raise ConfigError(f"{y}: found {figure!r}, expected a figure that is a number")
        values.setdefault(place, []).append(float(figure))
    return [_line(*key, values) for key, values in seen.items()]


def _line(name: str, ftl: str, values: Mapping[Any, Sequence[float]]) -> Line:
    places = sorted(values, key=_rank)
    groups = [values[place] for place in places]
    deviations = [stdev(each) if len(each) > 1 else 0.0 for each in groups]
    return Line(name, ftl, places, [fmean(each) for each in groups], deviations)


def _told(key: str, value: Any) -> str:
    return size(value) if kinds().get(key) == "size" and value is not None else str(value)


def _rank(place: Any) -> tuple[bool, Any]:
    """Return what a place is sorted by: numbers, then names."""
    return isinstance(place, str), place


def _value(entry: Entry, row: Mapping[str, Any], name: str) -> Any:
    """Return a figure or a setting of a point; None where there is none."""
    if name == FTL:
        return entry.ftl
    if name in FIGURES and isinstance(entry.outcome, Result):
        return FIGURES[name].of(entry.outcome)
    return row.get(name, row.get(f"config.{name}"))


def over(entries: Sequence[Entry], x: str, ys: Sequence[str], columns: int | None = None) -> Figure:
    """Draw figures over a setting, a panel for each; whiskers are a standard deviation over seeds.

    ``columns`` is 1 or 2 for a figure as wide as so many columns of a paper.
    """
    with styled(columns):
        figure = sized(5.2, 3.3 * len(ys), columns)
        panels = figure.subplots(len(ys), 1, sharex=True, squeeze=False).flat
        for axes, y in zip(panels, ys, strict=True):
            _draw(axes, lines(entries, x, y), x, y)
            mark_empty(axes)
            axes.label_outer()
        legend_above(figure, figure.get_figwidth())
    return figure


def _draw(axes: Axes, found: Sequence[Line], x: str, y: str) -> None:
    looks = of_ftls([line.ftl for line in found])
    places = sorted({place for line in found for place in line.places}, key=_rank)
    if any(isinstance(place, str) for place in places):
        _bars(axes, found, looks, x, places)
    else:
        for line, look in zip(found, looks, strict=True):
            style = {**look.line, **_style(line), "elinewidth": 0.9}
            axes.errorbar(line.places, line.means, markersize=4, **style)
        _scale(axes, x, places)
    _name(axes, y)
    axes.set_xlabel(x)


def _bars(
    axes: Axes, found: Sequence[Line], looks: Sequence[Look], x: str, places: Sequence[Any]
) -> None:
    """Draw a group of bars at each place that is a name."""
    width = 0.8 / len(found)
    for index, (line, look) in enumerate(zip(found, looks, strict=True)):
        shift = (index - (len(found) - 1) / 2) * width
        middles = [places.index(place) + shift for place in line.places]
        axes.bar(middles, line.means, width, **look.bar, **_style(line))
    name_groups(axes, [ftl_label(place) if x == FTL else literal(str(place)) for place in places])
    axes.grid(axis="x", visible=False)


def _style(line: Line) -> dict[str, Any]:
    """Return the name of a line, and its whiskers if it has any."""
    spread = line.deviations if any(line.deviations) else None
    return {"label": literal(title(line.name), LABEL_MAX), "yerr": spread, "capsize": 2}


def _scale(axes: Axes, x: str, places: Sequence[Any]) -> None:
    """Show sizes as such, and places that span much on a logarithmic axis."""
    if places and places[0] > 0 and places[-1] >= LOG * places[0]:
        axes.set_xscale("log")
        if kinds().get(x) == "size":
            axes.xaxis.set_major_locator(LogLocator(2.0, numticks=7))
            axes.xaxis.set_minor_locator(NullLocator())
    if kinds().get(x) == "size":
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: size(value)))


def _name(axes: Axes, y: str) -> None:
    """Name the figure, and write its values in its unit."""
    figure = FIGURES.get(y)
    name_axis(axes.yaxis, figure.label if figure else y, figure.unit if figure else "count")
