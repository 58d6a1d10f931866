"""Charts of the kinds that papers draw: grouped bars, and lines over a setting.

A published value is drawn next to ours as an outlined bar or a hollow marker. Whiskers are one
standard deviation over seeds. One legend above all panels covers nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from ftlab.looks import Look, numbered, of_ftl
from ftlab.style import INK, PANEL, PUBLISHED, Draw, legend_above, mark_zeros, name_groups, styled
from ftlab.titles import title as ftl_title
from ftlab_papers.marks import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOG_LINES, LOG_BARS = 10.0, 30.0
"""The ratio of the largest to the smallest value from which on an axis is logarithmic.

It is higher for bars, whose foot a logarithmic axis cuts off.
"""

THOUSANDS = 10_000.0
"""The value from which on an axis counts in thousands."""

Style: TypeAlias = dict[str, Any]
"""Keyword arguments of matplotlib, in addition to the data."""

OUTLINE: Style = {"facecolor": "none", "edgecolor": INK, "linewidth": 1.1}
WHISKER: Style = {"ecolor": INK, "elinewidth": 0.9, "capsize": 2.0}


def panels(draws: Sequence[Draw], columns: int = 3, *, wide: bool = False) -> Figure:
    """Return a figure with a panel for each function that draws anything.

    A ``wide`` panel counts two. Panels are lettered in the order of the functions.
    """
    shown = [(letter, draw) for letter, draw in zip(LETTERS, draws, strict=False) if _draws(draw)]
    rows = max(1, -(-len(shown) // columns))
    width = max(1, min(columns, len(shown)))
    with styled():
        figure = Figure(figsize=(PANEL[0] * width * (1 + wide), PANEL[1] * rows + 0.3))
        grid = list(figure.subplots(rows, width, squeeze=False).flat)
        for (letter, draw), axes in zip(shown, grid, strict=False):
            draw(axes)
            if len(draws) > 1:
                axes.set_title(f"({letter}) {axes.get_title('left')}")
        for axes in grid[len(shown) :]:
            axes.set_axis_off()
        legend_above(figure, figure.get_figwidth())
    return figure


LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _draws(draw: Draw) -> bool:
    """Return whether a panel has anything to show."""
    axes = Figure().subplots()
    draw(axes)
    return bool(axes.has_data())


def bars(
    title: str, groups: Sequence[str], series: Sequence[Series], *, percent: bool = False
) -> Draw:
    """Return a function that draws groups of bars, in one look for each series."""

    def draw(axes: Axes) -> None:
        _scale(axes, series, LOG_BARS, percent=percent)
        known = [(each, look) for each, look in zip(series, looks(series), strict=True) if each]
        width = 0.8 / max(len(known), 1)
        for index, (each, look) in enumerate(known):
            shift = (index - (len(known) - 1) / 2) * width
            _bars(axes, each, look, shift, width)
        name_groups(axes, groups)
        axes.grid(axis="x", visible=False)
        axes.set_title(title)
        _foot(axes)

    return draw


def _bars(axes: Axes, series: Series, look: Look, shift: float, width: float) -> None:
    places, heights, spread = _known(series)
    if places:
        middles = [place + shift for place in places]
        style: Style = {"label": ftl_title(series.name), "linewidth": 0.4, "yerr": spread}
        axes.bar(middles, heights, width, **look.bar, **style, error_kw=WHISKER)
        mark_zeros(axes, middles, heights)
    at, said = _published(series)
    if any(said):
        axes.bar([place + shift for place in at], said, width, label=PUBLISHED, **OUTLINE)


def lines(
    title: str,
    points: Sequence[Any],
    series: Sequence[Series],
    *,
    percent: bool = False,
    label: str = "",
) -> Draw:
    """Return a function that draws a line with markers for each series over equidistant points."""

    def draw(axes: Axes) -> None:
        _scale(axes, series, LOG_LINES, percent=percent)
        for each, look in zip(series, looks(series), strict=True):
            _line(axes, each, look)
        axes.set_xticks(range(len(points)), [str(each) for each in points])
        axes.set(xlabel=label, title=title)
        _foot(axes)

    return draw


def _line(axes: Axes, series: Series, look: Look) -> None:
    places, values, spread = _known(series)
    style: Style = look.line
    if places:
        whiskers: Style = {"yerr": spread, "elinewidth": 0.9, "capsize": 2.0}
        axes.errorbar(
            places, values, label=ftl_title(series.name), markersize=4.0, **style, **whiskers
        )
    at, said = _published(series)
    if said:
        hollow: Style = {**style, "linestyle": "none", "markersize": 8.0}
        hollow |= {"markerfacecolor": "none", "label": PUBLISHED, "clip_on": False}
        axes.plot(at, said, **hollow)


def _known(series: Series) -> tuple[list[int], list[float], list[float] | None]:
    """Return places, our values, and the whiskers, if there are any."""
    known = [(at, m.ours, m.deviation) for at, m in enumerate(series.marks) if m.ours is not None]
    deviations = [deviation for *_, deviation in known]
    spread = deviations if any(deviations) else None
    return [at for at, *_ in known], [ours for _, ours, _ in known], spread


def _published(series: Series) -> tuple[list[int], list[float]]:
    """Return places, and the published values there."""
    said = [(at, m.published) for at, m in enumerate(series.marks) if m.published is not None]
    return [at for at, _ in said], [figure for _, figure in said]


def looks(series: Sequence[Series]) -> list[Look]:
    """Return the look of each series: that of its FTL, or one by its index."""
    places = count()
    return [of_ftl(each.ftl) if each.ftl else numbered(next(places)) for each in series]


def curves(
    title: str,
    found: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    x: str,
    y: str,
    **settings: Any,
) -> Draw:
    """Return a function that draws a thin line for each name, given its places and values."""

    def draw(axes: Axes) -> None:
        for place, (name, (places, values)) in enumerate(found.items()):
            style: Style = {"label": name, **numbered(place).line, "marker": ""}
            axes.plot(places, values, linewidth=1.0, **style)
        axes.set(title=title, xlabel=x, ylabel=y, **settings)

    return draw


def _scale(axes: Axes, series: Sequence[Series], ratio: float, *, percent: bool) -> None:
    """Make the vertical axis logarithmic if the values span that ratio."""
    marks = [mark for each in series for mark in each.marks]
    figures = [figure for mark in marks for figure in (mark.ours, mark.published) if figure]
    if percent:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g} %"))
    elif figures and min(figures) > 0 and max(figures) >= ratio * min(figures):
        axes.set_yscale("log")
        decades = max(figures) >= 100 * min(figures)
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0,) if decades else (1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    elif figures and max(figures) >= THOUSANDS:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))


def _foot(axes: Axes) -> None:
    """Begin the axis at 0 if no value is negative; for lines, unless all values are far above."""
    low, high = axes.dataLim.ymin, axes.dataLim.ymax
    if axes.get_yscale() == "linear" and low >= 0 and (axes.patches or low < high / 2):
        axes.set_ylim(bottom=0)


def plain(value: float) -> str:
    """Return a number for an axis, in thousands."""
    for unit, base in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= base:
            return f"{value / base:g}{unit}"
    return f"{value:g}"
