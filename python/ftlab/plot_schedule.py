"""When single flash operations were done, as a figure: tracks by plane and by request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ftlab.looks import CAUSES
from ftlab.result import Result
from ftlab.schedule import chains
from ftlab.style import legend_above, mark_empty, sized, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MS = 1e6
"""Nanoseconds of a millisecond."""

HATCHES = {"read": "///", "read_oob": "...", "program": "", "copy_back": "\\\\\\", "erase": "xxx"}
"""What is done; what it is done for has a colour."""

ROOM, ROOM_UPRIGHT = 1 / 30, 1 / 100
"""Shares of the width that the number of a page takes, along and across."""


def schedule_figure(result: Result) -> Figure:
    """Draw the operations of ``result["schedule"]``: when arrays worked, when requests were served.

    Colours are causes. Numbers inside are logical pages, V before those of translation pages; a
    request has its number where it was issued.
    """
    schedule = result.find("schedule") or []
    found = chains(schedule)
    tracks = 1 + max((each.track for each in found), default=0)
    planes = result["device"]["planes"]
    with styled():
        figure = sized(11.0, 2.0 + 0.32 * min(planes + tracks, 60))
        ratios = [max(planes, 2), max(tracks, 2)]
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=ratios)
        _bars(above, [Bar(each, each["plane"], each["array"]) for each in schedule])
        for chain in found:
            start, end = (time / MS for time in chain.span)
            below.hlines(chain.track, start, end, colors="0.6", linewidth=1.0, zorder=0.9)
            below.text(start, chain.track - 0.37, str(chain.request), fontsize="xx-small")
        spans = [(each, chain.track) for chain in found for each in chain.operations]
        _bars(below, [Bar(each, track, (each["start"], each["end"])) for each, track in spans])
        above.set(title="planes: the work of their arrays", ylabel="plane")
        below.set(title="requests: each page access, from its issue on", xlabel="time (ms)")
        for axes, rows in ((above, planes), (below, tracks)):
            axes.set_ylim(rows - 0.4, -0.8)
            axes.set_yticks(range(rows) if axes is above and rows <= 32 else [])
            axes.grid(visible=False, axis="y")
            mark_empty(axes)
        legend_above(figure, figure.get_figwidth())
    return figure


@dataclass(frozen=True)
class Bar:
    """An operation, its row, and its time, ns."""

    operation: Any
    row: int
    span: Sequence[int]


def _bars(axes: Axes, bars: Sequence[Bar]) -> None:
    """Draw operations; those that have room have the numbers of their pages."""
    times = [time for each in bars for time in each.span]
    width = max(times, default=0) - min(times, default=0)
    for each in bars:
        operation, (start, end) = each.operation, each.span
        axes.broken_barh(
            [(start / MS, (end - start) / MS)],
            (each.row - 0.35, 0.7),
            facecolor=CAUSES[operation["cause"]],
            edgecolor="white",
            linewidth=0.4,
            hatch=HATCHES[operation["kind"]],
            label=f"{operation['cause']} {operation['kind']}".replace("_", " "),
        )
        if end - start >= width * ROOM_UPRIGHT:
            look: dict[str, Any] = {"rotation": 0 if end - start >= width * ROOM else 90}
            look |= {"ha": "center", "va": "center", "color": "white", "fontsize": "xx-small"}
            axes.text((start + end) / (2 * MS), each.row, _page(operation), **look)


def _page(operation: Any) -> str:
    if operation["lpn"] is not None:
        return str(operation["lpn"])
    return "" if operation["vtpn"] is None else f"V{operation['vtpn']}"
