"""What traces are like, one or two in the same small panels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogLocator,
    NullLocator,
    PercentFormatter,
)

from ftlab.looks import COLOURS
from ftlab.record import Record
from ftlab.report.numbers import brief, size
from ftlab.style import literal, mark_empty, styled

if TYPE_CHECKING:
    from ftlab.curve import MissRatioCurve

Traces = Sequence[Record]
Labels = Sequence[str]
OP_DASHES = {"reads": "--", "writes": "-"}


def small_multiples(traces: Traces, labels: Labels) -> Figure:
    """Draw miss ratios, update intervals, sizes, arrivals and working sets of traces."""
    with styled():
        figure = Figure(figsize=(11.0, 6.6))
        for axes, draw in zip(figure.subplots(2, 3).flat, PANELS, strict=True):
            draw(axes, traces, labels)
            mark_empty(axes)
        _name(figure, traces, labels)
    return figure


def mapping_curve(curve: MissRatioCurve) -> Figure:
    """Draw what LRU mapping caches hit over their entries."""
    with styled():
        figure = Figure(figsize=(6.4, 3.8))
        axes = figure.subplots()
        sizes = curve.sizes()
        axes.plot(sizes, curve.hit_ratio(sizes), color=COLOURS[0])
        cached = f"cached mappings of pages of {size(curve.page_bytes)}"
        axes.set(xscale="log", ylim=(0, 1.02), xlabel=cached, ylabel="hit ratio")
        axes.set(title=f"LRU mapping caches: {literal(curve.name)}")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        mark_empty(axes)
    return figure


def _looks(traces: Traces, labels: Labels) -> Iterator[tuple[Record, dict[str, Any]]]:
    for trace, label, colour in zip(traces, labels, COLOURS, strict=False):
        yield trace, {"label": literal(label), "color": colour}


def _name(figure: Figure, traces: Traces, labels: Labels) -> None:
    """Say which trace has which colour, above all panels; and whether pages were sampled."""
    handles = [Line2D([], [], **look) for _, look in _looks(traces, labels)]
    figure.legend(handles=handles, loc="outside upper left", ncols=2)
    sampled = [
        f"{literal(label)}: one of {trace['pages_per_sample']} pages"
        for trace, label in zip(traces, labels, strict=True)
        if trace["pages_per_sample"] > 1
    ]
    if sampled:
        figure.supxlabel(f"figures of pages from a sample, {', '.join(sampled)}", fontsize="small")


def _miss_ratios(axes: Axes, traces: Traces, labels: Labels) -> None:
    for trace, look in _looks(traces, labels):
        curve, page = trace["miss_ratio_curve"], trace["page_bytes"]
        axes.plot([page * pages for pages in curve["cache_pages"]], curve["miss_ratio"], **look)
    axes.set(xscale="log", ylim=(0, 1.02), title="LRU miss ratio", xlabel="cache (bytes)")
    _bytes(axes.xaxis)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))


def _update_intervals(axes: Axes, traces: Traces, labels: Labels) -> None:
    _cumulate(axes, traces, labels, "update_interval")
    axes.set(title="Update interval", xlabel="page writes since the page's last write")
    axes.set(ylabel="share of updates")


def _reuse_times(axes: Axes, traces: Traces, labels: Labels) -> None:
    _cumulate(axes, traces, labels, "reuse_time")
    axes.set(title="Reuse time", xlabel="page accesses since the page's last access")
    axes.set(ylabel="share of repeated accesses")


def _sizes(axes: Axes, traces: Traces, labels: Labels) -> None:
    for trace, look in _looks(traces, labels):
        sizes = trace["sizes"]
        for op, dash in OP_DASHES.items():
            shares = [count / trace["requests"] for count in sizes[op]]
            if any(shares):
                axes.plot(
                    sizes["bytes"], shares, dash, marker="o", markersize=3, color=look["color"]
                )
    if axes.has_data():
        for op, dash in OP_DASHES.items():
            axes.plot([], [], dash, label=op, color="black", linewidth=1.2)
        axes.legend(fontsize="small")
    axes.set(xscale="log", title="Request size", xlabel="bytes, up to", ylabel="share of requests")
    axes.set_ylim(0)
    _bytes(axes.xaxis)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))


def _arrivals(axes: Axes, traces: Traces, labels: Labels) -> None:
    _cumulate(axes, traces, labels, "arrivals.interval_us")
    axes.set(title="Time between requests", xlabel="", ylabel="share of requests")
    axes.xaxis.set_major_locator(LogLocator(10.0, numticks=5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _time(value)))
    axes.xaxis.set_minor_locator(NullLocator())


def _working_set(axes: Axes, traces: Traces, labels: Labels) -> None:
    """Draw the course of one trace; windows of two may differ, so those by their length."""
    axes.set(title="Working set", ylabel="different pages (bytes)")
    if len(traces) == 1:
        _course(axes, traces[0])
    else:
        _by_window(axes, traces, labels)
    if axes.has_data():
        axes.set_yscale("log")
        _bytes(axes.yaxis)


def _course(axes: Axes, trace: Record) -> None:
    series, page = trace["working_set"]["over_time"], trace["page_bytes"]
    unit, length = _unit(series["time_s"][-1] if series["time_s"] else 0)
    times = [time / length for time in series["time_s"]]
    pages = [page * pages for pages in series["pages"]]
    axes.plot(times, pages, ".-", markersize=2.5, linewidth=0.9, color=COLOURS[0])
    axes.set(title=f"Working set of {_span(series['window_s'])}", xlabel=f"time ({unit})")


def _by_window(axes: Axes, traces: Traces, labels: Labels) -> None:
    for trace, look in _looks(traces, labels):
        found, page = trace["working_set"], trace["page_bytes"]
        pages = [page * mean for mean in found["pages_mean"]]
        axes.plot(found["window_s"], pages, "o-", markersize=3, **look)
    axes.set(title="Mean working set", xscale="log", xlabel="window")
    axes.xaxis.set_major_locator(FixedLocator([1, 10, 60, 600, 3600, 86_400]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _span(int(value))))
    axes.xaxis.set_minor_locator(NullLocator())


PANELS: tuple[Callable[[Axes, Traces, Labels], None], ...] = (
    _miss_ratios,
    _reuse_times,
    _update_intervals,
    _sizes,
    _arrivals,
    _working_set,
)


def _cumulate(axes: Axes, traces: Traces, labels: Labels, path: str) -> None:
    """Draw cumulative distributions; what is 0 stands at the left edge."""
    for trace, look in _looks(traces, labels):
        curve = trace.find(path)
        if curve:
            axes.plot(curve["value"], curve["fraction"], drawstyle="steps-post", **look)
    axes.set(xscale="log", ylim=(0, 1.02))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))


def _bytes(axis: Axis) -> None:
    """Label a logarithmic axis by a few powers of 1024, whatever its length."""
    axis.set_major_locator(LogLocator(4.0, numticks=6))
    axis.set_major_formatter(FuncFormatter(lambda value, _: size(value).replace("iB", "")))
    axis.set_minor_locator(NullLocator())


def _unit(seconds: int) -> tuple[str, int]:
    """Return the unit that suits a time, and its length in seconds."""
    units = (("days", 86_400), ("hours", 3600), ("min", 60))
    return next((unit for unit in units if seconds >= 3 * unit[1]), ("s", 1))


def _span(seconds: int) -> str:
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def _time(value: float) -> str:
    return brief(value, "us") if value >= 1 else f"{1000 * value:.0f} ns"
