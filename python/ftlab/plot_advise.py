"""Figures of an advice: lifetime and latency over cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ftlab.advise import Advice, Candidate
from ftlab.looks import of_ftls
from ftlab.style import (
    INK,
    PANEL,
    ftl_label,
    legend_above,
    mark_empty,
    name_axis,
    sized,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS: dict[str, tuple[Callable[[Candidate], float | None], str]] = {
    "Drive writes per day": (lambda each: each.wear()["dwpd"], "count"),
    "p99 in the closed loop": (lambda each: each.p99, "us"),
}
"""What is drawn over the cost, and its unit."""


def drawn(
    advice: Advice, columns: int | None = None, names: Sequence[str] = tuple(PANELS)
) -> Figure:
    """Draw panels; rings mark the Pareto front, a large one the pick."""
    from matplotlib.ticker import MaxNLocator

    with styled(columns):
        figure = sized(1.3 * PANEL[0] * len(names), 1.3 * PANEL[1], columns)
        grid = figure.subplots(1, len(names), squeeze=False).flat
        for axes, name in zip(grid, names, strict=True):
            _points(axes, advice, PANELS[name][0])
            axes.set(xlabel="cost", ylim=(0, None))
            axes.xaxis.set_major_locator(MaxNLocator(5))
            name_axis(axes.yaxis, name, PANELS[name][1])
            mark_empty(axes)
        legend_above(figure, figure.get_figwidth())
    return figure


def _points(axes: Axes, advice: Advice, value: Callable[[Candidate], float | None]) -> None:
    """Draw the candidates of each FTL as a line over their costs."""

    def known(candidates: Sequence[Candidate]) -> list[tuple[float, float]]:
        pairs = [(each.cost, value(each)) for each in candidates]
        return sorted((x, y) for x, y in pairs if x is not None and y is not None)

    names = list(dict.fromkeys(each.ftl for each in advice.candidates))
    for name, look in zip(names, of_ftls(names), strict=True):
        if found := known([each for each in advice.candidates if each.ftl == name]):
            axes.plot(*zip(*found, strict=True), markersize=4, label=ftl_label(name), **look.line)
    pick = advice.pick()
    for size, marked in {9: advice.front(), 15: [pick] if pick else []}.items():
        if found := known(marked):
            ring: dict[str, Any] = {"markersize": size, "markerfacecolor": "none", "color": INK}
            axes.plot(*zip(*found, strict=True), marker="o", linestyle="", **ring)
