"""Charts of the kinds that papers draw: grouped bars, and lines over a setting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from ftlab.plot import COLOURS, DASHES, mark_empty, mark_zeros, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = ("o", "s", "^", "D", "v", "x")
PANEL = (3.7, 2.9)
"""Inches of a panel."""

Series = Mapping[str, Sequence[float | None]]
"""Values by the name of a bar's colour or of a line; None where there is none."""

Draw = Callable[["Axes"], None]


def panels(draws: Sequence[Draw], columns: int = 3) -> Figure:
    """Return a figure with one panel for each function, lettered in order."""
    rows = -(-len(draws) // columns)
    with styled():
        figure = Figure(figsize=(PANEL[0] * min(columns, len(draws)), PANEL[1] * rows))
        grid = figure.subplots(rows, min(columns, len(draws)), squeeze=False).flat
        for letter, draw, axes in zip("abcdefghijkl", draws, grid, strict=False):
            draw(axes)
            if len(draws) > 1:
                axes.set_title(f"({letter}) {axes.get_title('left')}")
            mark_empty(axes)
    return figure


def bars(
    title: str, groups: Sequence[str], series: Series, *, percent: bool = False, names: bool = True
) -> Draw:
    """Return how to draw groups of bars, one colour for each series."""

    def draw(axes: Axes) -> None:
        width = 0.8 / max(len(series), 1)
        for index, (name, values) in enumerate(series.items()):
            known = [(group, value) for group, value in enumerate(values) if value is not None]
            if not known:
                continue
            middle = (index - (len(series) - 1) / 2) * width
            places, heights = zip(*known, strict=True)
            look: dict[str, Any] = {"color": COLOURS[index % len(COLOURS)], "edgecolor": "white"}
            middles = [at + middle for at in places]
            axes.bar(middles, heights, width, label=name, lw=0.4, **look)
            mark_zeros(axes, middles, heights)
        axes.set_xticks(range(len(groups)), groups)
        axes.grid(axis="x", visible=False)
        _finish(axes, title, percent, legend=names and len(series) > 1)

    return draw


def lines(
    title: str,
    points: Sequence[Any],
    series: Series,
    *,
    percent: bool = False,
    names: bool = True,
    label: str = "",
) -> Draw:
    """Return how to draw a line with markers for each series over equally spaced points."""

    def draw(axes: Axes) -> None:
        looks = zip(COLOURS, cycle(DASHES), MARKERS, strict=False)
        for (name, values), (colour, dash, marker) in zip(series.items(), looks, strict=False):
            known = [(at, value) for at, value in enumerate(values) if value is not None]
            if known:
                look: dict[str, Any] = {"color": colour, "linestyle": dash, "marker": marker}
                axes.plot(*zip(*known, strict=True), label=name, markersize=4.5, **look)
        axes.set_xticks(range(len(points)), [str(each) for each in points])
        axes.set(xlabel=label)
        _finish(axes, title, percent, legend=names and len(series) > 1)

    return draw


def curves(
    title: str,
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    x: str,
    y: str,
    **settings: Any,
) -> Draw:
    """Return how to draw a thin line for each name, given its places and values."""

    def draw(axes: Axes) -> None:
        looks = zip(COLOURS, cycle(DASHES), strict=False)
        for (name, (places, values)), (colour, dash) in zip(curves.items(), looks, strict=False):
            axes.plot(places, values, color=colour, linestyle=dash, linewidth=1.0, label=name)
        axes.set(xlabel=x, ylabel=y, **settings)
        _finish(axes, title, percent=False, legend=len(curves) > 1)

    return draw


def _finish(axes: Axes, title: str, percent: bool, legend: bool) -> None:
    axes.set_title(title)
    if percent:
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    if legend and axes.get_legend_handles_labels()[0]:
        low, high = axes.get_ylim()
        if axes.get_yscale() == "linear" and axes.containers:
            axes.set_ylim(low, high + 0.28 * (high - low))
        axes.legend(fontsize="small", ncols=2, columnspacing=1.0, handlelength=1.6)
