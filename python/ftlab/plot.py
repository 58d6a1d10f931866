"""Figures of results, drawn with matplotlib: the same results give the same bytes.

Every function takes results and their labels and returns a `matplotlib.figure.Figure`. Colours are
those of Okabe and Ito, which people with any colour vision tell apart; lines differ in dash too.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from ftlab.looks import of_ftls
from ftlab.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#1f2328"
"""Of text and axes."""

PUBLISHED = "published"
"""The name of what a paper says; it comes last in a legend."""

CAUSE_COLOURS = {
    "host": "#0072B2",
    "data": "#0072B2",
    "translation": "#E69F00",
    "gc": "#D55E00",
    "gc_data": "#D55E00",
    "gc_mapping": "#CC79A7",
    "gc_translation": "#F0E442",
    "merge": "#009E73",
    "log": "#009E73",
    "wear": "#56B4E9",
}
OTHER_COLOURS = ("#999999", "#000000")
STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "figure.constrained_layout.use": True,
    "font.family": ["DejaVu Sans"],
    "font.size": 10.0,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "svg.fonttype": "path",
    "svg.hashsalt": "ftlab",
}
LABEL_MAX = 28
METADATA: dict[str, Any] = {"svg": {"Date": None}, "png": {"Software": None}}

Results = Sequence[Result]
Labels = Sequence[str]


def latency(results: Results, labels: Labels) -> Figure:
    """Draw which share of requests was answered within a time, in microseconds."""
    with styled():
        figure = Figure(figsize=(6.4, 3.8))
        _draw_latency(figure.subplots(), results, labels)
    return figure


def operations(results: Results, labels: Labels) -> Figure:
    """Draw reads, programs and erases of each FTL, stacked by what caused them."""
    with styled():
        figure = Figure(figsize=(9.0, 3.8))
        _draw_operations(figure.subplots(1, 3), results, labels)
    return figure


def timeline(results: Results, labels: Labels) -> Figure:
    """Draw mapping hit ratio and write amplification over simulated time, in seconds."""
    with styled():
        figure = Figure(figsize=(6.4, 4.6))
        _draw_timeline(figure.subplots(2, 1, sharex=True), results, labels)
    return figure


def warmup(results: Results, labels: Labels) -> Figure:
    """Draw write amplification over the windows of a warm-up until steady."""
    with styled():
        figure = Figure(figsize=(6.4, 3.2))
        axes = figure.subplots()
        for result, look in _lines(results, labels):
            windows = result.find("warmup.windows") or []
            if windows:
                axes.plot(range(1, len(windows) + 1), windows, marker="o", markersize=4, **look)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set(title="Warm-up", xlabel="window", ylabel="write amplification")
        _legend(axes, fontsize="small")
    return figure


def overview(results: Results, labels: Labels) -> Figure:
    """Draw response times, operations and the course of the run on one page."""
    with styled():
        figure = Figure(figsize=(11.0, 7.4))
        upper, lower = figure.subfigures(2, 1, squeeze=False).flat
        sides = upper.subfigures(1, 2, squeeze=False).flat
        _draw_latency(sides[0].subplots(), results, labels)
        _draw_timeline(sides[1].subplots(2, 1, sharex=True), results, labels)
        _draw_operations(lower.subplots(1, 3), results, labels)
    return figure


FIGURES: dict[str, Callable[[Results, Labels], Figure]] = {
    "latency": latency,
    "operations": operations,
    "timeline": timeline,
    "warmup": warmup,
    "overview": overview,
}


def image(figure: Figure, kind: str = "svg") -> bytes:
    """Return the figure as the bytes of an SVG or PNG file, free of dates."""
    data = io.BytesIO()
    with styled():
        figure.savefig(data, format=kind, dpi=160, metadata=METADATA[kind])
    return data.getvalue()


def page(figure: Figure) -> bytes:
    """Return the figure as a page for a browser that needs nothing else."""
    svg = image(figure)
    head = b'<!doctype html>\n<meta charset="utf-8">\n<title>ftlab</title>\n'
    return head + svg[svg.index(b"<svg") :]


@contextmanager
def styled() -> Iterator[None]:
    """Draw in our style from matplotlib's own defaults, whatever the user's settings."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        yield


def _lines(results: Results, labels: Labels) -> Iterator[tuple[Result, dict[str, Any]]]:
    """Yield each result with the label, colour and dash of its line."""
    looks = of_ftls([result["ftl"] for result in results])
    for result, label, look in zip(results, labels, looks, strict=True):
        yield result, {"label": literal(label), "color": look.colour, "linestyle": look.dash}


def literal(text: str) -> str:
    """Keep a label short, and from being read as mathematics or hidden for its underscore."""
    short = text if len(text) <= LABEL_MAX else text[: LABEL_MAX - 1] + "…"
    return short.replace("$", r"\$").lstrip("_")


def _draw_latency(axes: Axes, results: Results, labels: Labels) -> None:
    for result, look in _lines(results, labels):
        points = result.find("distributions.response_us")
        pairs = zip(points["value"], points["fraction"], strict=True) if points else ()
        positive = [(value, fraction) for value, fraction in pairs if value > 0]
        if positive:
            axes.plot(*zip(*positive, strict=True), drawstyle="steps-post", **look)
    axes.set(xscale="log", ylim=(0, 1.02), title="Response time")
    axes.set(xlabel="response time (µs)", ylabel="share of requests")
    _legend(axes)


def _draw_operations(panels: Sequence[Axes], results: Results, labels: Labels) -> None:
    for axes, kind in zip(panels, ("reads", "programs", "erases"), strict=True):
        _stack(axes, [result["flash"][kind] for result in results], labels)
        axes.set(title=f"Flash {kind}")
        axes.grid(axis="x", visible=False)
    panels[0].set(ylabel="operations")


def _stack(axes: Axes, counts: Sequence[Any], labels: Labels) -> None:
    """Draw one bar for each FTL, one layer of it for each cause that occurs at all."""
    occurring = dict.fromkeys(c for each in counts for c, number in each.items() if number)
    causes = sorted(occurring, key=lambda cause: (*CAUSE_COLOURS, cause).index(cause))
    floor = [0.0] * len(counts)
    names = [literal(label) for label in labels]
    others = cycle(OTHER_COLOURS)
    for cause in causes:
        colour = CAUSE_COLOURS.get(cause) or next(others)
        heights = [float(each.get(cause) or 0) for each in counts]
        look: dict[str, Any] = {"color": colour, "edgecolor": "white", "linewidth": 0.6}
        axes.bar(range(len(counts)), heights, 0.65, bottom=floor, label=_cause(cause), **look)
        floor = [low + height for low, height in zip(floor, heights, strict=True)]
    mark_zeros(axes, range(len(counts)), floor)
    name_groups(axes, names)
    axes.yaxis.set_major_formatter(EngFormatter())
    axes.set_ylim(0, max(floor, default=0.0) * 1.3 or 1.0)
    if not causes:
        axes.set_yticks([0])
    _legend(axes, ncols=2, fontsize="small", columnspacing=1.0, handlelength=1.2, loc="upper left")


def name_groups(axes: Axes, names: Sequence[str]) -> None:
    """Name the groups of bars, slanted where the names would touch each other."""
    grid = axes.get_gridspec()
    figure = axes.get_figure(root=True)
    room = 11.5 * (figure.get_figwidth() if figure else 1.0) / (grid.ncols if grid else 1)
    lines = [line for name in names for line in name.splitlines()[:1]]
    crowded = max(map(len, lines), default=0) * len(names) > room
    slant: dict[str, Any] = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(names)), names, **(slant if crowded else {}))


def mark_zeros(axes: Axes, places: Iterable[float], heights: Iterable[float]) -> None:
    """Write a nought where a bar has no height: it is a figure, and not its absence."""
    for place, height in zip(places, heights, strict=True):
        if height == 0:
            axes.bar(place, 0)
            foot = axes.get_xaxis_transform() if axes.get_yscale() == "log" else axes.transData
            axes.text(place, 0, "0", ha="center", va="bottom", fontsize="small", transform=foot)


def legend_above(figure: Figure) -> None:
    """Name what all panels show above them, each once, where it covers nothing."""
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            if label:
                handles.setdefault(label, handle)
    said = handles.pop(PUBLISHED, None)
    if said is not None:
        handles[PUBLISHED] = said
    if said is not None or len(handles) > 1:
        _legend_of(figure, handles)


def _legend_of(figure: Figure, handles: Mapping[str, Any]) -> None:
    """Put a legend above the panels, in as many columns as are wide enough for its names."""
    column = 0.068 * max(map(len, handles)) + 0.55
    columns = max(1, min(len(handles), int(figure.get_figwidth() / column)))
    look: dict[str, Any] = {"ncols": columns, "fontsize": "small", "columnspacing": 1.2}
    figure.legend(handles.values(), handles, loc="outside upper left", **look)


def _cause(name: str) -> str:
    return name.replace("gc_", "GC ").replace("_", " ")


def _draw_timeline(panels: Sequence[Axes], results: Results, labels: Labels) -> None:
    figures = (("hit_ratio", "hit ratio"), ("write_amplification", "write amplification"))
    for axes, (key, name) in zip(panels, figures, strict=True):
        for result, look in _lines(results, labels):
            series = result.find("timeline")
            known = [value is not None for value in series[key]] if series else []
            if any(known):
                values = [float("nan") if v is None else v for v in series[key]]
                axes.plot(series["time_s"], values, **look)
        axes.set(ylabel=name)
        mark_empty(axes)
    panels[0].set(title="Over simulated time")
    panels[-1].set(xlabel="simulated time (s)")
    handles, names = panels[-1].get_legend_handles_labels()
    place: dict[str, Any] = {
        "loc": "lower right",
        "bbox_to_anchor": (1.0, 0.97),
        "ncols": 4,
        "fontsize": "small",
    }
    panels[0].legend(handles, names, **place)


def _legend(axes: Axes, **look: Any) -> None:
    """Add a legend where there is something to tell apart."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(**look)
    mark_empty(axes)


def mark_empty(axes: Axes) -> None:
    """Say so where there is nothing to draw."""
    if not axes.has_data():
        axes.text(0.5, 0.5, "no data", ha="center", va="center", transform=axes.transAxes)
