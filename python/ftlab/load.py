"""Latency under load: a workload at several queue depths, and at shares of what a device can do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ftlab import cores
from ftlab.config import Config, Progress, merge
from ftlab.errors import ConfigError
from ftlab.plugins import Named
from ftlab.report.tables import ABSENT, Table
from ftlab.result import Result
from ftlab.simulation import check_obeyed, execute

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEPTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
LOADS = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
PERCENTILES = ("p50", "p99", "p999")
HEADER = ["load", "offered IOPS", "IOPS", "mean µs", "p50 µs", "p99 µs", "p99.9 µs", "overload"]


@dataclass(frozen=True)
class Level:
    """A run at one load; ``offered`` is in requests per second, None in a closed loop."""

    name: str
    offered: float | None
    result: Result

    @property
    def iops(self) -> float:
        """Requests served per second."""
        host = self.result["host"]
        return float(host["requests"] / host["duration_s"]) if host["duration_s"] else 0.0

    def row(self) -> dict[str, Any]:
        """Return the figures of this level."""
        times = self.result["response_us"] or {}
        figures = {name: times.get(name) for name in ("mean", *PERCENTILES)}
        overloaded = self.result.find("host.overloaded")
        known = {"load": self.name, "offered": self.offered, "iops": self.iops}
        return {**known, **figures, "overloaded": overloaded}


@dataclass(frozen=True)
class Load:
    """What a device does at each queue depth, and at each share of its highest throughput."""

    closed: Sequence[Level]
    open: Sequence[Level]

    def rows(self) -> list[dict[str, Any]]:
        """Return the figures of every level."""
        return [level.row() for level in (*self.closed, *self.open)]

    def table(self) -> Table:
        """Return the figures of every level as text."""

        def cell(figure: float | bool | None) -> str:
            if isinstance(figure, bool):
                return "yes" if figure else "no"
            return ABSENT if figure is None else f"{figure:,.1f}"

        rows = [[row["load"], *(cell(row[key]) for key in list(row)[1:])] for row in self.rows()]
        return Table(HEADER, rows)

    def plot(self) -> Figure:
        """Draw the percentiles over the throughput; needs ``ftlab[plot]``."""
        from ftlab.experiments.charts import panels

        return panels([_curves("closed loop", self.closed), _curves("by arrivals", self.open)])


def measure(
    config: Config,
    ftl: Named,
    depths: Sequence[int] = DEPTHS,
    loads: Sequence[float] = LOADS,
    progress: Progress | None = None,
) -> Load:
    """Run an FTL at queue depths, then at shares of the highest throughput that these reach.

    In the second part requests arrive at the times of the input, stretched so that their mean rate
    is that share. They wait in the host's queues where the configuration has ``queued:QD``.
    """
    check_obeyed(config, [ftl])
    closed = [merge([config, {"host": {"mode": f"closed:{depth}"}}]) for depth in depths]
    results = execute([(each, ftl) for each in closed], progress)
    reached = [
        Level(f"QD {depth}", None, result) for depth, result in zip(depths, results, strict=True)
    ]
    peak = max(level.iops for level in reached)
    read: Config = {
        key: config[key] for key in ("preset", "input", "workload", "run") if key in config
    }
    rate = json.loads(cores.core_of(read).trace_info(json.dumps(read), progress))["info"][
        "requests_per_s"
    ]
    if not rate:
        raise ConfigError("found an input whose requests all arrive at once, expected times")
    offered = [(load, merge([config, _stretched(config, rate / (load * peak))])) for load in loads]
    results = execute([(each, ftl) for _, each in offered], progress) if offered else []
    arriving = [
        Level(f"{100 * load:.0f} %", load * peak, result)
        for (load, _), result in zip(offered, results, strict=True)
    ]
    return Load(reached, arriving)


def _stretched(config: Config, factor: float) -> Config:
    mode = str(config.get("host", {}).get("mode", "open"))
    return {"host": {"mode": mode if mode.startswith("queued") else "open", "time_scale": factor}}


def _curves(title: str, levels: Sequence[Level]) -> Any:
    def draw(axes: Axes) -> None:
        for percentile in PERCENTILES:
            places = [level.iops for level in levels]
            times = [level.row()[percentile] for level in levels]
            axes.plot(places, times, marker="o", markersize=4, label=percentile)
        over = [level for level in levels if level.row()["overloaded"]]
        if over:
            worst = [level.row()[PERCENTILES[-1]] for level in over]
            axes.plot([level.iops for level in over], worst, "kx", label="overload")
        axes.set(title=title, xlabel="IOPS", ylabel="response, µs", yscale="log")
        axes.legend(fontsize="small")

    return draw
