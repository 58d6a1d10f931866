"""Figures of a folder of results: a metric over a setting or a metric, a line for each FTL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from ftlab.looks import Look, of_ftls
from ftlab.points.grid import FTL
from ftlab.points.store import Entry
from ftlab.report.points import FIGURES
from ftlab.series import Line, lines, rank
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
from ftlab.units import kinds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL_MAX = 60
LOG = 4.0
"""From this ratio of the largest to the smallest place on, the axis is logarithmic."""

TALL = 30.0
"""The same for the values of a time or a number."""

MOST_TICKS = 8
"""Places that are all named on an axis."""

UNITS = {"size": "bytes", "ratio": "ratio"}
"""Of settings, by their kinds."""

WORDS = {
    "ftl.cache": "mapping cache",
    "device.capacity": "capacity",
    "device.over_provisioning": "over-provisioning",
    "device.page": "flash page",
    "device.pages_per_block": "pages per block",
    "buffer.size": "write buffer",
    "buffer.policy": "write buffer",
    "gc.policy": "victim policy",
    "gc.low": "free blocks at which GC starts",
    "input.trace": "trace",
    "run.warmup": "warm-up",
    "host.mode": "host",
    "host.time_scale": "time scale",
    "log.blocks": "log blocks",
    "ftl": "FTL",
}
"""Settings as a figure names them."""


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
    places = sorted({place for line in found for place in line.places}, key=rank)
    if any(isinstance(place, str) for place in places):
        _bars(axes, found, looks, x, places)
    else:
        for line, look in zip(found, looks, strict=True):
            style = {**look.line, **_style(line), "elinewidth": 0.9}
            axes.errorbar(line.places, line.means, markersize=4, **style)
        if places:
            _scale(axes, x, places)
        _tall(axes, found)
    figure = FIGURES.get(y)
    name_axis(axes.yaxis, figure.label if figure else y, figure.unit if figure else "count")
    axes.set_xlabel(FIGURES[x].label if x in FIGURES else WORDS.get(x, x))


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
    return {"label": literal(line.name, LABEL_MAX), "yerr": spread, "capsize": 2}


def _scale(axes: Axes, x: str, places: Sequence[Any]) -> None:
    """Name the axis, and its places in their unit; much is on a logarithmic axis."""
    unit = FIGURES[x].unit if x in FIGURES else UNITS.get(kinds().get(x, ""), "count")
    if places[0] > 0 and places[-1] >= LOG * places[0]:
        axes.set_xscale("log", base=2 if unit == "bytes" else 10)
    if len(places) == 1:
        axes.set_xlim(places[0] / 2, places[0] * 1.5 or 1)
    name_axis(axes.xaxis, x, unit)
    if x not in FIGURES and len(places) <= MOST_TICKS:
        axes.xaxis.set_major_locator(FixedLocator([float(place) for place in places]))
        axes.xaxis.set_minor_locator(NullLocator())


def _tall(axes: Axes, found: Sequence[Line]) -> None:
    """Show values on a logarithmic axis where the largest is many times the smallest."""
    values = [value for line in found for value in line.means]
    if values and min(values) > 0 and max(values) >= TALL * min(values):
        axes.set_yscale("log")
