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

IDLE, CUT = 1 / 10, 1 / 50
"""Shares of the busy time: an idle stretch that is longer is drawn as long as a cut."""


def schedule_figure(result: Result) -> Figure:
    """Draw the operations of ``result["schedule"]``: when arrays worked, when requests were served.

    Colours are causes. Numbers inside are logical pages, V before those of translation pages; a
    request has its number where it was issued. Long idle stretches are cut out.
    """
    schedule = result.find("schedule") or []
    found = chains(schedule)
    clock = Clock.of([chain.span for chain in found] + [each["array"] for each in schedule])
    tracks = 1 + max((each.track for each in found), default=0)
    planes = result["device"]["planes"]
    with styled():
        figure = sized(11.0, 2.0 + 0.32 * min(planes + tracks, 60))
        ratios = [max(planes, 2), max(tracks, 2)]
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=ratios)
        _bars(above, [Bar(each, each["plane"], clock.span(each["array"])) for each in schedule])
        for chain in found:
            start, end = clock.span(chain.span)
            below.hlines(chain.track, start, end, colors="0.6", linewidth=1.0, zorder=0.9)
            below.text(start, chain.track - 0.37, str(chain.request), fontsize="xx-small")
        served = [(each, chain.track) for chain in found for each in chain.operations]
        spans = [clock.span((each["start"], each["end"])) for each, _ in served]
        bars = zip(served, spans, strict=True)
        _bars(below, [Bar(each, track, span) for (each, track), span in bars])
        above.set(title="planes: the work of their arrays", ylabel="plane")
        cut = "; idle stretches are cut where lines are dashed" if clock.idle else ""
        since = f"time since the first request shown (ms){cut}"
        below.set(title="requests: each page access, from its issue on", xlabel=since)
        for axes, rows in ((above, planes), (below, tracks)):
            for begin, _ in clock.idle:
                place = clock.shown(begin) + clock.cut / 2
                axes.axvline(place, color="0.6", linestyle="--", linewidth=1.0)
            axes.set_ylim(rows - 0.4, -0.8)
            axes.set_yticks(range(rows) if axes is above and rows <= 32 else [])
            axes.grid(visible=False, axis="y")
            mark_empty(axes)
        legend_above(figure, figure.get_figwidth())
    return figure


@dataclass(frozen=True)
class Clock:
    """Simulated time, ns, as it is shown, ms: without long idle stretches."""

    start: int
    idle: Sequence[tuple[int, int]]
    cut: float

    @classmethod
    def of(cls, busy: Sequence[Sequence[int]]) -> Clock:
        """Return the clock on which nothing but the gaps between these spans is cut."""
        first = last = min((start for start, _ in busy), default=0)
        gaps, total = [], 0
        for start, end in sorted(map(tuple, busy)):
            gaps.append((last, start))
            total += max(0, end - max(start, last))
            last = max(end, last)
        idle = [(begin, end) for begin, end in gaps if end - begin > total * IDLE]
        return cls(first, idle, total * CUT / MS)

    def shown(self, time: int) -> float:
        """Return where a time is shown."""
        past = [min(end, time) - begin for begin, end in self.idle if begin < time]
        return (time - self.start - sum(past)) / MS + self.cut * len(past)

    def span(self, times: Sequence[int]) -> tuple[float, float]:
        """Return where a span is shown."""
        start, end = times
        return self.shown(start), self.shown(end)


@dataclass(frozen=True)
class Bar:
    """An operation, its row, and its time as it is shown, ms."""

    operation: Any
    row: int
    span: tuple[float, float]


def _bars(axes: Axes, bars: Sequence[Bar]) -> None:
    """Draw operations; those that have room have the numbers of their pages."""
    times = [time for each in bars for time in each.span]
    width = max(times, default=0) - min(times, default=0)
    for each in bars:
        operation, (start, end) = each.operation, each.span
        axes.broken_barh(
            [(start, end - start)],
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
            axes.text((start + end) / 2, each.row, _page(operation), **look)


def _page(operation: Any) -> str:
    if operation["lpn"] is not None:
        return str(operation["lpn"])
    return "" if operation["vtpn"] is None else f"V{operation['vtpn']}"
