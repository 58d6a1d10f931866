"""Figures of a folder of results: a metric over a setting or a metric, a line for each FTL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from ftlab.errors import ConfigError
from ftlab.looks import Look, of_ftls
from ftlab.metrics import label_of
from ftlab.names import near
from ftlab.points.store import Entry
from ftlab.report.numbers import brief, unit_of
from ftlab.series import Line, faceted, known_name, lines, rank, relative
from ftlab.style import (
    legend_above,
    literal,
    mark_empty,
    name_axis,
    name_groups,
    sized,
    slant,
    styled,
)
from ftlab.titles import key as ftl_of
from ftlab.titles import plain, title
from ftlab.units import kinds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL_MAX = 60
LOG = 4.0
"""The ratio of the largest to the smallest place from which on an axis is logarithmic."""

TALL = 30.0
"""The same ratio for the values of a time or a number."""

MOST_OF_A_MAP = 10_000
"""The largest denominator in a share of the map."""

MOST_LINES = 36
"""The most lines of a panel: more than there are FTLs."""

MOST_TICKS = 8
"""The most places for which all are named on an axis."""

UNITS = {"size": "bytes", "ratio": "ratio"}
"""The units of settings, by kind."""

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
"""The labels of settings in figures."""


@dataclass(frozen=True)
class Drawing:
    """How a figure is drawn, independent of its content."""

    facet: str | None = None
    """A setting: each of its values has a column of panels."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Other names for lines, places, axes and panels."""
    limits: tuple[float | None, float | None] | None = None
    """The least and the greatest value on the axis."""
    order: Sequence[str] = ()
    """Names of lines and places that come first."""
    relative: str | None = None
    """The FTL that values are relative to."""

    def named(self, name: str, key: str = "") -> str:
        """Return the label of a name, which may also be given by its key."""
        wanted = [_alike(each) for each in (name, key) if each]
        return next((text for own, text in self.labels.items() if _alike(own) in wanted), name)

    def check(self, drawn: Sequence[Line], others: Iterable[str]) -> None:
        """Raise `ftlab.ConfigError` for a label or an order of a name that is not drawn."""
        places = {place for line in drawn for place in line.places if isinstance(place, str)}
        shown = [line.name for line in drawn if line.name] + [title(each) for each in places]
        for option, given, names in (
            ("--label", self.labels, [*shown, *others]),
            ("--order", self.order, shown),
        ):
            known = list(dict.fromkeys(each for each in names if each))
            alike = {*map(_alike, known), *map(_alike, places)}
            for name in given:
                if _alike(name) not in alike:
                    meant = near(name, known) or f"; drawn: {', '.join(known)}"
                    raise ConfigError(f'{option}: nothing of the name "{name}" is drawn{meant}')

    def place(self, name: Any) -> tuple[int, Any]:
        """Return the sort key of lines and places: those in `order` come first."""
        wanted = [_alike(each) for each in self.order]
        at = wanted.index(_alike(name)) if _alike(name) in wanted else len(wanted)
        return at, rank(name)


def over(
    entries: Sequence[Entry],
    x: str,
    ys: Sequence[str],
    columns: int | None = None,
    drawing: Drawing | None = None,
) -> Figure:
    """Draw metrics over a setting, one panel each; whiskers are a standard deviation.

    ``columns``, 1 or 2, makes a figure as wide as one or two columns of a paper.
    """
    how = drawing or Drawing()
    x, ys = known_name(entries, x), [known_name(entries, y) for y in ys]
    facets = faceted(entries, known_name(entries, how.facet)) if how.facet else {"": entries}
    drawn = {(y, value): lines(part, x, y, how.facet) for y in ys for value, part in facets.items()}
    most = max(map(len, drawn.values()))
    if most > MOST_LINES:
        raise ConfigError(
            f"found {most} lines, expected at most {MOST_LINES}; choose points with --where, or "
            "give each sweep and search a folder of its own with --results"
        )
    how.check(
        [line for each in drawn.values() for line in each], [x, *ys, *map(_word, [x, *ys]), *facets]
    )
    with styled(columns):
        figure = sized(5.2 if len(facets) == 1 else 3.4 * len(facets), 3.3 * len(ys), columns)
        rows = figure.subplots(
            len(ys), len(facets), sharex="col", sharey="row" if how.facet else False, squeeze=False
        )
        for row, y in zip(rows, ys, strict=True):
            for axes, value in zip(row, facets, strict=True):
                _draw(axes, drawn[y, value], (x, y), how)
                axes.set_title(literal(how.named(value)))
                mark_empty(axes)
                axes.label_outer()
        legend_above(figure, figure.get_figwidth())
    return figure


def _draw(axes: Axes, found: Sequence[Line], names: tuple[str, str], how: Drawing) -> None:
    x, y = names
    found = sorted(found, key=lambda line: how.place(line.name)) if how.order else found
    found = relative(found, how.relative) if how.relative else found
    looks = of_ftls([line.ftl for line in found])
    found = [replace(line, name=how.named(line.name)) for line in found]
    places = sorted({place for line in found for place in line.places}, key=how.place)
    if any(isinstance(place, str) for place in places):
        _bars(axes, found, looks, places)
        name_groups(axes, [literal(how.named(title(place), str(place))) for place in places])
    else:
        for line, look in zip(found, looks, strict=True):
            style = {**look.line, **_style(line), "elinewidth": 0.9}
            axes.errorbar(line.places, line.means, markersize=4, **style)
        if places:
            _scale(axes, x, places)
        _tall(axes, found)
    unit = "factor" if how.relative else _unit(y)
    name_axis(axes.yaxis, how.named(_word(y), y), unit)
    if how.relative:
        axes.set_ylabel(f"{axes.get_ylabel()}, relative to {title(how.relative)}")
    axes.set_xlabel(how.named(_word(x), x))
    if how.limits:
        axes.set_ylim(*how.limits)


def _bars(axes: Axes, found: Sequence[Line], looks: Sequence[Look], places: Sequence[Any]) -> None:
    """Draw a group of bars at each place that is a name."""
    width = 0.8 / len(found)
    for index, (line, look) in enumerate(zip(found, looks, strict=True)):
        shift = (index - (len(found) - 1) / 2) * width
        middles = [places.index(place) + shift for place in line.places]
        axes.bar(middles, line.means, width, **look.bar, **_style(line))
    axes.grid(axis="x", visible=False)


def _style(line: Line) -> dict[str, Any]:
    """Return the name of a line, and its whiskers if it has any."""
    spread = line.deviations if any(line.deviations) else None
    return {"label": literal(line.name, LABEL_MAX), "yerr": spread, "capsize": 2}


def _scale(axes: Axes, x: str, places: Sequence[Any]) -> None:
    """Name the axis, and its places in their unit; a wide range has a logarithmic axis."""
    kind = kinds().get(x, "")
    is_share = kind == "size" and places[-1] <= 1
    unit = "count" if is_share else _unit(x)
    if places[0] > 0 and places[-1] >= LOG * places[0]:
        axes.set_xscale("log", base=2 if unit == "bytes" or is_share else 10)
    if len(places) == 1:
        axes.set_xlim(places[0] / 2, places[0] * 1.5 or 1)
    name_axis(axes.xaxis, x, unit)
    if kind and len(places) <= MOST_TICKS:
        told = [str(Fraction(each).limit_denominator(MOST_OF_A_MAP)) for each in places]
        names = told if is_share else [brief(float(place), unit) for place in places]
        axes.set_xticks([float(place) for place in places], names, **slant(axes, names))
        axes.xaxis.set_minor_locator(NullLocator())


def _alike(name: Any) -> str:
    """Return a name in normalised spelling; an FTL may be named by its key."""
    return plain(title(ftl_of(str(name))))


def _word(name: str) -> str:
    """Return the label of a setting or a metric on an axis."""
    return WORDS.get(name) or label_of(name)


def _unit(name: str) -> str:
    """Return the unit of a setting or metric: a known one, or the end of its name."""
    if name in kinds():
        return UNITS.get(kinds()[name], "count")
    return unit_of(name)


def _tall(axes: Axes, found: Sequence[Line]) -> None:
    """Use a logarithmic axis if the largest value is many times the smallest."""
    values = [value for line in found for value in line.means]
    if values and min(values) > 0 and max(values) >= TALL * min(values):
        axes.set_yscale("log")
