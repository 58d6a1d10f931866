"""Values of a figure as parts of its SVG: a browser shows them where the pointer rests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from math import ceil, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.ticker import FixedLocator, FuncFormatter

from ftlab.report.tables import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

MOST = 120
"""Points of a line that have a value, at most."""

RADIUS = 5.0
"""How near to a point the pointer has to be, in points of print."""

POINTS = 72.0
"""Of print, in an inch."""

GROUP = '<g class="values" fill-opacity="0">'
"""What all values are in: they cover marks and are not seen."""

VALUES = re.compile(rb'<g class="values".*</g>\n(?=</svg>)', re.DOTALL)


def with_values(svg: bytes, figure: Figure) -> bytes:
    """Return the SVG of a figure, which has been drawn, with its values."""
    marks = "".join(f"{each}\n" for axes in figure.axes for each in _marks(axes, figure))
    return svg.replace(b"</svg>", f"{GROUP}\n{marks}</g>\n</svg>".encode())


def apart(svg: bytes) -> tuple[bytes, str]:
    """Return an SVG without its values, and these as an SVG to lay over it."""
    found = VALUES.search(svg)
    box = re.search(rb'viewBox="[^"]*"', svg)
    if not found or not box:
        return svg, ""
    head = f'<svg class="values" {box[0].decode()} preserveAspectRatio="none">'
    return VALUES.sub(b"", svg), f"{head}{found[0].decode()}</svg>"


def _marks(axes: Axes, figure: Figure) -> Iterator[str]:
    """Yield an element for each bar and for points of lines."""
    held: set[Any] = set()
    for container in axes.containers:
        if isinstance(container, BarContainer):
            yield from _bars(axes, container, figure)
        elif isinstance(container, ErrorbarContainer) and container[0] is not None:
            held.add(container[0])
            yield from _points(axes, container[0], figure, _name(container), _spread(container))
    for line in axes.get_lines():
        if line not in held and _name(line):
            yield from _points(axes, line, figure, _name(line))


def _bars(axes: Axes, bars: BarContainer, figure: Figure) -> Iterator[str]:
    lying = bars.orientation == "horizontal"
    for bar in bars.patches:
        (left, low), (right, high) = _clipped(axes, figure, bar.get_window_extent().get_points())
        if right <= left or high <= low:
            continue
        middle = (bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height() / 2)
        place, length = (middle[1], bar.get_width()) if lying else (middle[0], bar.get_height())
        told = _text(axes, _name(bars), *((length, place) if lying else (place, length)))
        box = f'x="{left:.1f}" y="{low:.1f}" width="{right - left:.1f}" height="{high - low:.1f}"'
        yield f"<rect {box}><title>{told}</title></rect>"


def _points(
    axes: Axes, line: Line2D, figure: Figure, name: str, spread: Sequence[float] = ()
) -> Iterator[str]:
    xs, ys = (np.asarray(each, dtype=float) for each in line.get_data())
    data = list(zip(xs.tolist(), ys.tolist(), strict=True))
    for at in range(0, len(data), max(1, ceil(len(data) / MOST))):
        x, y = data[at]
        if isfinite(x) and isfinite(y):
            ((across, down),) = _scaled(figure, axes.transData.transform([(x, y)]))
            told = _text(axes, name, x, y, spread[at] if at < len(spread) else 0.0)
            where = f'cx="{across:.1f}" cy="{down:.1f}" r="{RADIUS:g}"'
            yield f"<circle {where}><title>{told}</title></circle>"


def _spread(container: ErrorbarContainer) -> list[float]:
    """Return the deviations of points, if they have any."""
    bars = container[2]
    segments = bars[0].get_segments() if bars else []
    return [(float(each[1][1]) - float(each[0][1])) / 2 for each in segments]


def _clipped(axes: Axes, figure: Figure, corners: Any) -> tuple[tuple[float, float], ...]:
    """Return the corners of what is seen of a bar, the upper left one first."""
    whole = axes.bbox
    (left, low), (right, high) = corners
    seen = [
        (max(min(left, right), whole.x0), min(max(low, high), whole.y1)),
        (min(max(left, right), whole.x1), max(min(low, high), whole.y0)),
    ]
    return tuple(_scaled(figure, seen))


def _scaled(figure: Figure, places: Any) -> list[tuple[float, float]]:
    """Return places of the canvas as places of the SVG, which counts from above."""
    scale = POINTS / figure.dpi
    height = figure.get_figheight() * POINTS
    return [(float(x) * scale, height - float(y) * scale) for x, y in places]


def _text(axes: Axes, name: str, x: float, y: float, spread: float = 0.0) -> str:
    """Return the words for a value: whose it is, where, and how much."""
    across, up = _axis_name(axes, "x"), _axis_name(axes, "y")
    more = f" ± {_told(axes.yaxis, spread)}" if spread else ""
    parts = [f"{across} {_told(axes.xaxis, x)}", f"{up} {_told(axes.yaxis, y)}{more}"]
    told = ", ".join(part.strip() for part in parts)
    return escape(printable(f"{name}: {told}" if name else told).replace(r"\$", "$"))


def _axis_name(axes: Axes, which: str) -> str:
    """Return the name of an axis, which panels below each other share."""
    if which == "y":
        return axes.get_ylabel() or axes.get_title() or axes.get_title("left")
    shared = axes.get_shared_x_axes().get_siblings(axes)
    return next((each.get_xlabel() for each in [axes, *shared] if each.get_xlabel()), "")


def _told(axis: Axis, value: float) -> str:
    """Return a value as its axis writes it; a group of bars by its name."""
    places, names = axis.get_major_locator(), axis.get_major_formatter()
    if isinstance(places, FixedLocator):
        ticks = [float(each) for each in places()]
        is_group = ticks == list(range(len(ticks)))
        nearest = min(ticks, key=lambda tick: abs(tick - value), default=value)
        value = nearest if is_group and abs(nearest - value) <= 0.5 else value
    if isinstance(names, FuncFormatter) and (told := names(value)):
        return " ".join(str(told).split())
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"


def _name(artist: Any) -> str:
    """Return the name of what is drawn; one that begins with a line is of matplotlib."""
    label = str(artist.get_label() or "")
    return "" if label.startswith("_") else label
