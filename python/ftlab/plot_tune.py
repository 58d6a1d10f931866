"""Figures of searches, in the style of `ftlab.plot`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from ftlab.looks import GREY, Look, numbered, of_ftls
from ftlab.plugins import shown
from ftlab.style import PANEL, Draw, ftl_label, literal, mark_empty, name_axis, styled
from ftlab.tune import Candidate, Found

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 3
"""Panels side by side."""

MOST_PANELS = 60
"""More are too small to be read, and take minutes to draw."""

BEST = numbered(0).colour
"""What the search has found."""


def fronts(all_found: Sequence[Found]) -> Figure:
    """Draw the first objective over each other one, with its front; one alone over the trials.

    Of more than `MOST_PANELS` the first are drawn, and the figure says so.
    """
    every = [draw for found in all_found for draw in _draws(found)]
    draws = every[:MOST_PANELS]
    columns = min(COLUMNS, len(draws))
    rows = -(-len(draws) // columns)
    with styled():
        figure = Figure(figsize=(PANEL[0] * columns, PANEL[1] * rows))
        grid = iter(figure.subplots(rows, columns, squeeze=False).flat)
        for draw in draws:
            axes = next(grid)
            draw(axes)
            mark_empty(axes)
        for axes in grid:
            axes.set_axis_off()
        if len(draws) < len(every):
            figure.supxlabel(f"the first {len(draws)} of {len(every):,} panels")
    return figure


def _draws(found: Found) -> Iterator[Draw]:
    others = range(1, len(found.goal.objectives))
    if not others:
        yield lambda axes: _course(axes, found)
    for place in others:
        yield lambda axes, place=place: _front(axes, found, place)  # type: ignore[misc]


def _front(axes: Axes, found: Found, place: int) -> None:
    fitting = [each for each in found.trials if each.fits]
    _dots(axes, fitting, place, color=GREY, markersize=3, label="trials")
    best = sorted(found.best(), key=lambda each: (each.values or [0.0])[0])
    _dots(axes, best, place, color=BEST, markersize=5, label="front")
    for name, look, each in _rivals(found):
        _dots(axes, [each], place, color=look.colour, marker=look.marker, label=name)
    first, other = found.goal.objectives[0], found.goal.objectives[place]
    axes.set(title=literal(found.input))
    name_axis(axes.xaxis, first.label, first.unit)
    name_axis(axes.yaxis, other.label, other.unit)
    _legend(axes)


def _dots(axes: Axes, each: Sequence[Candidate], place: int, **look: Any) -> None:
    pairs = [(one.values[0], one.values[place]) for one in each if one.values]
    if pairs:
        axes.plot(*zip(*pairs, strict=True), **{"marker": "o", "linestyle": "", **look})


def _course(axes: Axes, found: Found) -> None:
    goal = found.goal
    known = [(n, each.values) for n, each in enumerate(found.trials, 1) if each.fits]
    values = [(n, each[0]) for n, each in known if each]
    if values:
        axes.plot(*zip(*values, strict=True), "o", color=GREY, markersize=3, label="trials")
        choose = max if goal.objectives[0].path in goal.largest else min
        best = [(n, choose(v for _, v in values[: at + 1])) for at, (n, _) in enumerate(values)]
        axes.step(*zip(*best, strict=True), where="post", color=BEST, label="best")
    for name, look, each in _rivals(found):
        if each.values:
            axes.axhline(each.values[0], color=look.colour, ls=":", label=name)
    axes.set(title=literal(found.input), xlabel="trial")
    name_axis(axes.yaxis, goal.objectives[0].label, goal.objectives[0].unit)
    _legend(axes)


def _rivals(found: Found) -> Iterator[tuple[str, Look, Candidate]]:
    """Yield name and look of the rivals that fit."""
    fitting = [each for each in found.rivals() if each.fits]
    names = [shown(each.ftl) for each in fitting]
    yield from zip(map(ftl_label, names), of_ftls(names), fitting, strict=True)


def _legend(axes: Axes) -> None:
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="x-small")
