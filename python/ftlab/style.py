"""The style of figures: size, fonts, legend. The same figure gives the same bytes.

PDF embeds TrueType fonts and SVG has text as text, as publishers and drawing programs require.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import ceil, log2
from typing import TYPE_CHECKING, Any, TypeAlias

import matplotlib as mpl
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import FuncFormatter, LogLocator, MultipleLocator, NullLocator

from ftlab.hover import with_values
from ftlab.report.numbers import brief
from ftlab.report.tables import printable
from ftlab.titles import title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

__all__ = [
    "INK",
    "PANEL",
    "PUBLISHED",
    "Draw",
    "image",
    "legend_above",
    "mark_zeros",
    "name_groups",
    "styled",
]
"""The names for other distributions."""

INK, PAPER = "#1f2328", "#ffffff"
"""The colours of text and axes, and of their background."""

DARK = {INK: "#e6e8ea", PAPER: "#15171a", "#b0b0b0": "#8b949e"}
"""The colours that replace these, and the grid's grey, on the dark page of a report."""

GROUNDS = f"{PAPER},{DARK[PAPER]}".encode()

PUBLISHED = "published"
"""The name of published values, which come last in a legend."""

PANEL = (3.7, 2.7)
"""The size of a panel in inches."""

Draw: TypeAlias = "Callable[[Axes], None]"
"""Draws a panel."""

COLUMNS = {1: 3.5, 2: 7.16}
"""Widths in inches of figures of one and two columns of a paper (IEEE's; ACM's are 3.33 and 7)."""

STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "figure.constrained_layout.use": True,
    "font.size": 10.0,
    "grid.alpha": 0.25,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "ftlab",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
PAPER_STYLE: Any = {"font.size": 8.0, "lines.linewidth": 1.2, "axes.linewidth": 0.6}

METADATA: dict[str, Any] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
}
LABEL_MAX = 28


@contextmanager
def styled(columns: int | None = None) -> Iterator[None]:
    """Draw in our style from matplotlib's own defaults, whatever the user's settings.

    With ``columns``, for figures of a paper, the text has 8 points.
    """
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE | (PAPER_STYLE if columns else {}))
        yield


def sized(width: float, height: float, columns: int | None = None) -> Figure:
    """Return an empty figure of this size in inches, or as wide as ``columns`` of a paper."""
    if columns:
        width, height = COLUMNS[columns], height * min(1.0, COLUMNS[columns] / width + 0.2)
    return Figure(figsize=(width, height))


def image(figure: Figure, kind: str = "svg") -> bytes:
    """Return the figure as the bytes of an SVG, PDF or PNG file, free of dates.

    An SVG has the values of bars and points as titles, which a browser shows.
    """
    data = io.BytesIO()
    with styled():
        figure.savefig(data, format=kind, dpi=160, metadata=METADATA[kind])
        return with_values(data.getvalue(), figure) if kind == "svg" else data.getvalue()


def themed(svg: bytes) -> bytes:
    """Return an SVG that is dark where dark pages are preferred, on a transparent background."""
    rules = "".join(
        f'[style*="{kind}: {light}"]{{{kind}:{dark}!important}}'
        for light, dark in DARK.items()
        for kind in ("fill", "stroke")
    )
    rules += f"text{{fill:{DARK[INK]}}}"
    ground = '#patch_1 path[style*="fill"]{fill:none!important}'
    style = f"<style>{ground}@media (prefers-color-scheme:dark){{{rules}}}</style>"
    return svg.replace(b"<defs>", style.encode() + b"<defs>", 1)


def page(figure: Figure) -> bytes:
    """Return the figure as a self-contained page for a browser."""
    svg = themed(image(figure))
    return (
        b'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        b'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        b'<meta name="color-scheme" content="light dark">\n<title>ftlab</title>\n'
        b"<style>body{margin:0;background:light-dark(" + GROUNDS + b")}"
        b"svg{display:block;width:100%;max-width:1100px;height:auto;margin:auto}</style>\n"
        + svg[svg.index(b"<svg") :]
    )


def literal(text: str, most: int = LABEL_MAX) -> str:
    """Shorten and escape a label; it is neither read as mathematics nor hidden for its _."""
    seen = printable(text)
    short = seen if len(seen) <= most else seen[: most - 1] + "…"
    return short.replace("$", r"\$").lstrip("_")


def ftl_label(label: object) -> str:
    """Return the label of an FTL in a figure: its title."""
    return literal(title(label))


def legend_above(figure: Figure | SubFigure, width: float) -> None:
    """Name what all panels show above them, each once, where the legend covers nothing.

    ``width`` is that of the figure, inches; a whole figure becomes higher by its legend.
    """
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            if label:
                handles.setdefault(label, handle)
    said = handles.pop(PUBLISHED, None)
    if said is not None:
        handles[PUBLISHED] = said
    if said is not None or len(handles) > 1:
        _legend_of(figure, handles, width)


def _legend_of(figure: Figure | SubFigure, handles: Mapping[str, Any], width: float) -> None:
    """Put a legend above the panels, in as many columns as are wide enough for its names."""
    points = mpl.rcParams["font.size"]
    column = points * (0.0068 * max(map(len, handles)) + 0.055)
    columns = max(1, min(len(handles), int(width / column)))
    look: dict[str, Any] = {"ncols": columns, "fontsize": "small", "columnspacing": 1.2}
    figure.legend(list(handles.values()), list(handles), loc="outside upper left", **look)
    if isinstance(figure, Figure):
        rows = -(-len(handles) // columns)
        figure.set_figheight(figure.get_figheight() + 0.017 * points * rows)


def name_groups(axes: Axes, names: Sequence[str]) -> None:
    """Name the groups of bars, slanted where the names would touch each other."""
    axes.set_xticks(range(len(names)), names, **slant(axes, names))


def slant(axes: Axes, names: Sequence[str]) -> dict[str, Any]:
    """Return the style of names below an axis: slanted where they would touch each other."""
    grid = axes.get_gridspec()
    figure = axes.get_figure(root=True)
    room = 11.5 * (figure.get_figwidth() if figure else 1.0) / (grid.ncols if grid else 1)
    lines = [line for name in names for line in name.splitlines()[:1]]
    crowded = max(map(len, lines), default=0) * len(names) > room
    return {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if crowded else {}


def mark_zeros(axes: Axes, places: Iterable[float], heights: Iterable[float]) -> None:
    """Write a zero where a bar has no height, to distinguish it from an absent value."""
    for place, height in zip(places, heights, strict=True):
        if height == 0:
            axes.bar(place, 0)
            foot = axes.get_xaxis_transform() if axes.get_yscale() == "log" else axes.transData
            axes.text(place, 0, "0", ha="center", va="bottom", fontsize="small", transform=foot)


def mark_empty(axes: Axes) -> None:
    """Add a note if there is nothing to draw."""
    if not axes.has_data():
        axes.text(0.5, 0.5, "no data", ha="center", va="center", transform=axes.transAxes)


TICKS = 6
"""The most values on an axis of bytes."""


def name_axis(axis: Axis, label: str, unit: str) -> None:
    """Name an axis, and write its values in a unit."""
    axis.set_label_text(label)
    if unit == "count":
        return
    if unit == "bytes":
        low, high = axis.get_view_interval()
        step = 2.0 ** ceil(log2(max(high - low, 1.0) / TICKS))
        linear = axis.get_scale() == "linear"
        axis.set_major_locator(MultipleLocator(step) if linear else LogLocator(2, numticks=TICKS))
        axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: brief(value, unit)))
