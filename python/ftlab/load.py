"""Latency under load: at several queue depths, and at shares of the highest throughput."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ftlab import cores
from ftlab.config import Config, Progress, merge
from ftlab.errors import ConfigError
from ftlab.plugins import Named
from ftlab.report.numbers import brief, written
from ftlab.report.tables import ABSENT, Table, wording
from ftlab.result import Result
from ftlab.simulation import check_obeyed, execute
from ftlab.titles import FtlName, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ftlab.looks import Look

DEPTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
LOADS = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
FIGURES = {"mean": "mean", "p50": "p50", "p99": "p99", "p999": "p99.9"}
"""Names of response times in a result, and in tables."""

HEADER = ["load", "offered IOPS", "IOPS", *(f"{name} µs" for name in FIGURES.values()), "overload"]
SATURATED = 0.95
"""The share of the highest throughput at which a device counts as saturated."""


@dataclass(frozen=True)
class Level:
    """A run at one load; ``offered`` is in requests per second, None in a closed loop.

    ``name`` is its queue depth, or its share of the highest throughput.
    """

    name: str
    offered: float | None
    result: Result

    @property
    def iops(self) -> float:
        """Requests served per second."""
        host = self.result["host"]
        return float(host["requests"] / host["duration_s"]) if host["duration_s"] else 0.0

    def response(self, name: str) -> float | None:
        """Return a metric of the response time, us."""
        time: float | None = self.result.find(f"response_us.{name}")
        return time

    def row(self) -> dict[str, Any]:
        """Return the metrics of this level, each with its unit in its name."""
        known = {"load": self.name, "offered_per_s": self.offered, "served_per_s": self.iops}
        times = {f"response_{name}_us": self.response(name) for name in FIGURES}
        return {**known, **times, "overloaded": self.result.find("host.overloaded")}


@dataclass(frozen=True)
class Load:
    """The runs of an FTL at each queue depth, and at each share of its highest throughput."""

    ftl: str
    closed: Sequence[Level]
    open: Sequence[Level]

    @property
    def saturation(self) -> Level | None:
        """The least depth with `SATURATED` of the highest throughput.

        None if no greater depth was tried: more depth may then give more throughput.
        """
        enough = SATURATED * max(level.iops for level in self.closed)
        first = next(level for level in self.closed if level.iops >= enough)
        return first if first is not self.closed[-1] else None

    def told(self) -> str:
        """Return a line with the saturation point."""
        point = self.saturation
        if point is None:
            return (
                f"{title(self.ftl)}: not saturated at {self.closed[-1].name}; try greater --depths"
            )
        time = written(point.response("p99"), "us")
        return (
            f"{title(self.ftl)}: saturated at {point.name} with {point.iops:,.0f} IOPS, "
            f"99 % of requests within {time}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the set-up, the saturation point, and the metrics of every level.

        ``config`` is that of the first level; the others differ in ``host.mode`` and
        ``host.time_scale`` alone.
        """
        first, point = self.closed[0].result, self.saturation
        return {
            "ftlab": first["ftlab"],
            "ftl": self.ftl,
            "config": first["config"].to_dict(),
            "trace": first["trace"].to_dict(),
            "seed": first.find("seed"),
            "saturation": point.row() if point else None,
            "closed": [level.row() for level in self.closed],
            "open": [level.row() for level in self.open],
            "warnings": list(self.warnings()),
        }

    def warnings(self) -> Iterator[str]:
        """Yield the warnings of the levels; of texts that differ only in numbers, the first."""
        texts = [text for level in self._levels for text in level.result.find("warnings") or []]
        yield from {wording(text): text for text in reversed(texts)}.values()

    def table(self) -> Table:
        """Return the metrics of every level as text."""

        def cell(figure: float | bool | None) -> str:
            if isinstance(figure, bool):
                return "yes" if figure else "no"
            return ABSENT if figure is None else f"{figure:,.1f}"

        rows = [
            [name, *map(cell, rest)]
            for name, *rest in (each.row().values() for each in self._levels)
        ]
        return Table(HEADER, rows)

    @property
    def _levels(self) -> Sequence[Level]:
        return [*self.closed, *self.open]


def tables(loads: Sequence[Load]) -> Table:
    """Return the metrics of every level of each FTL."""
    if len(loads) == 1:
        return loads[0].table()
    rows = [[FtlName(load.ftl), *row] for load in loads for row in load.table().rows]
    return Table(["FTL", *HEADER], rows)


def drawn(loads: Sequence[Load], columns: int | None = None) -> Figure:
    """Draw percentiles of the response over the throughput, a line for each FTL.

    Points are labelled with depths and shares. A ring marks the saturation point, a cross an
    overloaded one. ``columns``, 1 or 2, makes the figure as wide as one or two columns of a paper.
    """
    from matplotlib.ticker import FuncFormatter, NullFormatter

    from ftlab.looks import of_ftls
    from ftlab.style import legend_above, mark_empty, sized, styled

    looks = of_ftls([load.closed[0].result["ftl"] for load in loads])
    parts: dict[str, Callable[[Load], Sequence[Level]]] = {
        "closed loop": lambda load: load.closed,
        "by arrivals": lambda load: load.open,
    }
    with styled(columns):
        figure = sized(9.0, 7.5, columns)
        grid = figure.subplots(3, 2, sharex="col", sharey="row")
        for row, percentile in zip(grid, ("p50", "p99", "p999"), strict=True):
            for axes, (title, levels) in zip(row, parts.items(), strict=True):
                for load, look in zip(loads, looks, strict=True):
                    _curve(axes, load, levels(load), percentile, look)
                _name_levels(axes, levels(loads[0]), percentile)
                axes.set(title=f"{FIGURES[percentile]}, {title}", yscale="log")
                axes.set(xlabel="IOPS", ylabel="response")
                axes.yaxis.set_major_formatter(FuncFormatter(lambda us, _: brief(us, "us")))
                axes.yaxis.set_minor_formatter(NullFormatter())
                axes.label_outer()
                mark_empty(axes)
        legend_above(figure, figure.get_figwidth())
    return figure


def _curve(axes: Axes, load: Load, levels: Sequence[Level], percentile: str, look: Look) -> None:
    from ftlab.style import ftl_label

    known = [(level, time) for level in levels if (time := level.response(percentile))]
    if not known:
        return
    places, times = [level.iops for level, _ in known], [time for _, time in known]
    axes.plot(places, times, markersize=4, label=ftl_label(load.ftl), **look.line)
    for level, time in known:
        place = (level.iops, time)
        if level is load.saturation:
            axes.plot(*place, "o", markersize=11, markerfacecolor="none", color=look.colour)
        if level.row()["overloaded"]:
            axes.plot(*place, "x", markersize=8, color=look.colour)


def _name_levels(axes: Axes, levels: Sequence[Level], percentile: str) -> None:
    """Label the levels of one curve; the other curves have the same order."""
    text: dict[str, Any] = {"xytext": (3, 3), "textcoords": "offset points"}
    for level in levels:
        if time := level.response(percentile):
            name = level.name.removeprefix("QD ")
            axes.annotate(name, (level.iops, time), fontsize="x-small", **text)


def measure(
    config: Config,
    ftls: Sequence[Named],
    depths: Sequence[int] = DEPTHS,
    loads: Sequence[float] = LOADS,
    progress: Progress | None = None,
) -> list[Load]:
    """Run FTLs at queue depths, then at shares of the highest throughput that each reaches.

    In the second part requests arrive at the times of the input, stretched to a mean rate of that
    share. They wait in the host's queues if the configuration has ``queued:QD``.
    """
    check_obeyed(config, ftls)
    rate = _rate(config, progress) if loads else 0.0
    depths = sorted(depths)
    closed = [merge([config, {"host": {"mode": f"closed:{depth}"}}]) for depth in depths]
    results = iter(execute([(each, ftl) for ftl in ftls for each in closed], progress))
    reached = [[Level(f"QD {depth}", None, next(results)) for depth in depths] for _ in ftls]
    if not loads:
        return [_load(levels, []) for levels in reached]
    peaks = [max(level.iops for level in levels) for levels in reached]
    stretched = [
        (merge([config, _stretched(config, rate / (load * peak))]), ftl)
        for ftl, peak in zip(ftls, peaks, strict=True)
        for load in loads
    ]
    results = iter(execute(stretched, progress))
    return [
        _load(levels, [Level(f"{100 * load:.0f} %", load * peak, next(results)) for load in loads])
        for levels, peak in zip(reached, peaks, strict=True)
    ]


def _load(closed: Sequence[Level], open_: Sequence[Level]) -> Load:
    return Load(closed[0].result["ftl"], closed, open_)


def _rate(config: Config, progress: Progress | None) -> float:
    """Return how many requests of the input arrive in a second."""
    read: Config = {
        key: config[key] for key in ("preset", "input", "workload", "run") if key in config
    }
    info = json.loads(cores.core_of(read).trace_info(json.dumps(read), progress))["info"]
    if not info["requests_per_s"]:
        raise ConfigError("found an input whose requests all arrive at once, expected times")
    return float(info["requests_per_s"])


def _stretched(config: Config, factor: float) -> Config:
    mode = str(config.get("host", {}).get("mode", "open"))
    return {"host": {"mode": mode if mode.startswith("queued") else "open", "time_scale": factor}}
