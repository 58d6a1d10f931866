"""Figures of results: the same results give the same bytes.

Every function takes results and their labels and returns a `matplotlib.figure.Figure`. An FTL has
the same look in all figures (`ftlab.looks`). ``columns``, 1 or 2, makes a figure as wide as one or
two columns of a paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, TypeAlias

from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from ftlab.course import amplifications, joined
from ftlab.looks import numbered, of_ftls
from ftlab.result import Result
from ftlab.style import (
    ftl_label,
    legend_above,
    mark_empty,
    mark_zeros,
    name_groups,
    sized,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CAUSE_COLOURS = {
    "host": "#0072B2",
    "data": "#332288",
    "translation": "#E69F00",
    "gc": "#D55E00",
    "gc_data": "#D55E00",
    "gc_mapping": "#CC79A7",
    "gc_translation": "#F0E442",
    "merge": "#009E73",
    "log": "#882255",
    "wear": "#56B4E9",
}
BLOCKS = ("data", "log")
"""The content of erased blocks, if it is not a cause of operations."""
OTHER_COLOURS = ("#999999", "#5B5B5B")

Results = Sequence[Result]
Labels = Sequence[str]


def latency(results: Results, labels: Labels, columns: int | None = None) -> Figure:
    """Draw the share of requests answered within a time, in microseconds."""
    return _grid([["response"]], results, labels, (6.4, 3.8), columns)


def operations(results: Results, labels: Labels, columns: int | None = None) -> Figure:
    """Draw reads, programs and erases of each FTL, stacked by cause."""
    if columns == 1:
        return _grid([["reads"], ["programs"], ["erases"]], results, labels, (3.5, 5.6), columns)
    return _grid([["reads", "programs", "erases"]], results, labels, (9.0, 3.6), columns)


def timeline(results: Results, labels: Labels, columns: int | None = None) -> Figure:
    """Draw mapping hit ratio and write amplification over simulated time, in seconds."""
    return _grid([["hits"], ["amplification"]], results, labels, (6.4, 4.6), columns)


def warmup(results: Results, labels: Labels, columns: int | None = None) -> Figure:
    """Draw write amplification over the windows of a warm-up until steady."""
    return _grid([["windows"]], results, labels, (6.4, 3.2), columns)


def overview(results: Results, labels: Labels, columns: int | None = None) -> Figure:
    """Draw response times, operations and the timeline of the run on one page."""
    with styled(columns):
        figure = sized(11.0, 7.8, columns)
        upper, lower = figure.subfigures(2, 1, squeeze=False).flat
        sides = upper.subfigures(1, 2, squeeze=False).flat
        half = figure.get_figwidth() / 2
        _panel(sides[0].subplots(), "response", results, labels)
        for axes, name in zip(sides[1].subplots(2, 1, sharex=True), TIMES, strict=True):
            _panel(axes, name, results, labels)
        for axes, name in zip(lower.subplots(1, 3), KINDS, strict=True):
            _panel(axes, name, results, labels)
            if columns == 1 and name != KINDS[0]:
                axes.set_ylabel("")  # the panels are too narrow for three of them
        for part, width in ((sides[0], half), (sides[1], half), (lower, 2 * half)):
            legend_above(part, width)
    return figure


def panel(name: str, results: Results, labels: Labels, columns: int | None = None) -> Figure:
    """Draw a single panel of the other figures, by its name in `PANELS`."""
    return _grid([[name]], results, labels, (5.2, 3.4), columns)


def _grid(
    rows: Sequence[Sequence[str]],
    results: Results,
    labels: Labels,
    size: tuple[float, float],
    columns: int | None,
) -> Figure:
    with styled(columns):
        figure = sized(*size, columns)
        shared = len(rows) > 1 and rows[0][0] in TIMES
        places = figure.subplots(len(rows), len(rows[0]), squeeze=False, sharex=shared)
        for axes, name in zip(places.flat, (name for row in rows for name in row), strict=True):
            _panel(axes, name, results, labels)
        for axes in places.flat if shared else ():
            axes.label_outer()
        legend_above(figure, figure.get_figwidth())
    return figure


def _panel(axes: Axes, name: str, results: Results, labels: Labels) -> None:
    PANELS[name](axes, results, labels)
    mark_empty(axes)


def _lines(results: Results, labels: Labels) -> Iterator[tuple[Result, dict[str, Any]]]:
    """Yield each result with the label, colour and dash of its line."""
    looks = of_ftls([result["ftl"] for result in results])
    for result, label, look in zip(results, labels, looks, strict=True):
        yield result, {"label": ftl_label(label), "color": look.colour, "linestyle": look.dash}


def _response(axes: Axes, results: Results, labels: Labels) -> None:
    for result, look in _lines(results, labels):
        points = result.find("distributions.response_us")
        pairs = zip(points["value"], points["fraction"], strict=True) if points else ()
        positive = [(value, fraction) for value, fraction in pairs if value > 0]
        if positive:
            axes.plot(*zip(*positive, strict=True), drawstyle="steps-post", **look)
    axes.set(xscale="log", ylim=(0, 1.02), title="Response time")
    axes.set(xlabel="response time (µs)", ylabel="share of requests")


def _tail(axes: Axes, results: Results, labels: Labels) -> None:
    """Draw the share of requests that took longer than a time, so that rare ones are visible."""
    for result, look in _lines(results, labels):
        points = result.find("distributions.response_us")
        pairs = zip(points["value"], points["fraction"], strict=True) if points else ()
        slower = [(value, 1 - share) for value, share in pairs if value > 0 and share < 1]
        if slower:
            axes.plot(*zip(*slower, strict=True), drawstyle="steps-post", **look)
    axes.set(xscale="log", yscale="log", title="Response time, tail")
    axes.set(xlabel="response time (µs)", ylabel="share of slower requests")


def _windows(axes: Axes, results: Results, labels: Labels) -> None:
    for result, look in _lines(results, labels):
        windows = result.find("warmup.windows") or []
        if windows:
            axes.plot(range(1, len(windows) + 1), windows, marker="o", markersize=4, **look)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(title="Warm-up", xlabel="window", ylabel="write amplification")


Panel: TypeAlias = "Callable[[Axes, Results, Labels], None]"


def _kind(kind: str) -> Panel:
    """Return a function that draws the operations of a kind by their causes."""

    def draw(axes: Axes, results: Results, labels: Labels) -> None:
        _stack(axes, [result["flash"][kind] for result in results], labels)
        axes.set(title=f"Flash {kind}", ylabel="operations")
        axes.grid(axis="x", visible=False)

    return draw


def _stack(axes: Axes, counts: Sequence[Any], labels: Labels) -> None:
    """Draw one bar for each FTL, with a layer for each cause that occurs."""
    occurring = dict.fromkeys(c for each in counts for c, number in each.items() if number)
    causes = sorted(occurring, key=lambda cause: (*CAUSE_COLOURS, cause).index(cause))
    floor = [0.0] * len(counts)
    others = cycle(OTHER_COLOURS)
    for cause in causes:
        colour = CAUSE_COLOURS.get(cause) or next(others)
        heights = [float(each.get(cause) or 0) for each in counts]
        look: dict[str, Any] = {"color": colour, "edgecolor": "white", "linewidth": 0.6}
        axes.bar(range(len(counts)), heights, 0.65, bottom=floor, label=_cause(cause), **look)
        floor = [low + height for low, height in zip(floor, heights, strict=True)]
    mark_zeros(axes, range(len(counts)), floor)
    name_groups(axes, [ftl_label(label) for label in labels])
    axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set_ylim(0, max(floor, default=0.0) * 1.05 or 1.0)
    if not causes:
        axes.set_yticks([0])


def _cause(name: str) -> str:
    """Return a cause, or the content of an erased block, for a legend that all panels share."""
    return f"{name} blocks" if name in BLOCKS else name.replace("gc_", "GC ").replace("_", " ")


def _course(key: str, title: str) -> Panel:
    """Return a function that draws a metric over simulated time."""

    def draw(axes: Axes, results: Results, labels: Labels) -> None:
        for result, look in _lines(results, labels):
            series = result.find("timeline")
            known = [value is not None for value in series[key]] if series else []
            if any(known):
                values = [float("nan") if v is None else v for v in series[key]]
                axes.plot(series["time_s"], values, **look)
        axes.set(title=title, xlabel="simulated time (s)")

    return draw


PARTS = 60
"""Stretches that the course of classes is drawn in: single intervals have few copies."""


def _by_class(axes: Axes, results: Results, labels: Labels) -> None:
    """Draw the write amplification of each class, or placement handle, over simulated time."""
    for label, (result, look) in zip(labels, _lines(results, labels), strict=True):
        course = joined(result["timeline"], PARTS)
        for number, factors in enumerate(amplifications(course)):
            if any(factor is not None for factor in factors):
                name = f"class {number}" if result.find("fdp") is None else f"handle {number}"
                name = name if len(results) == 1 else f"{ftl_label(label)}, {name}"
                values = [float("nan") if factor is None else factor for factor in factors]
                shown = {"color": numbered(number).colour, "linestyle": look["linestyle"]}
                axes.plot(course["time_s"], values, label=name, **shown)
    axes.set(title="Write amplification by last writer", xlabel="simulated time (s)")


KINDS = ("reads", "programs", "erases")
TIMES = ("hits", "amplification")
PANELS: dict[str, Panel] = {
    "response": _response,
    "tail": _tail,
    **{kind: _kind(kind) for kind in KINDS},
    "hits": _course("hit_ratio", "Mapping hit ratio"),
    "amplification": _course("write_amplification", "Write amplification"),
    "classes": _by_class,
    "windows": _windows,
}
"""The function that draws each panel, by its name."""

FIGURES: dict[str, Callable[..., Figure]] = {
    "latency": latency,
    "operations": operations,
    "timeline": timeline,
    "warmup": warmup,
    "overview": overview,
}
