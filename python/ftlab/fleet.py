"""A fleet: the volumes of a trace, each on a separate device, and their statistics.

>>> import ftlab
>>> from ftlab.fleet import Fleet
>>> trace = ftlab.profile("financial1", requests=5000)
>>> fleet = Fleet.run(trace, ["tpftl"], "results", least=300)  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ftlab.config import Config, merge
from ftlab.errors import ConfigError
from ftlab.ftls import Ftl, as_ftl
from ftlab.plugins import Named, PythonFtl
from ftlab.points import Failure, Point, Told, try_points
from ftlab.points.store import Outcome
from ftlab.points.volumes import LEAST_REQUESTS, Volume, split
from ftlab.report.summary import Figure, overloaded
from ftlab.result import Result
from ftlab.simulation import check_obeyed, named
from ftlab.source import Source

PERCENTILES = (5, 25, 50, 75, 95)
LEAST_VOLUMES = 20
"""With fewer volumes, a 5th and a 95th percentile are the least and the greatest value."""

WORST = 10

WA = "write_amplification"

FIGURES = (
    WA,
    "mapping.hit_ratio",
    "response_us.mean",
    "response_us.p99",
)
"""Metrics with percentiles over volumes."""

INPUT = ("input", "workload")
"""The sections that splitting replaces."""

FEW_REQUESTS = "few requests"
NO_ERASE = "nothing was erased"
FAILED = "failed"
"""A reason why a volume is left out."""


@dataclass(frozen=True)
class Member:
    """The outcome of an FTL on a volume; ``outcome`` is None if it was not run."""

    ftl: str
    volume: Volume
    outcome: Outcome | None

    @property
    def idle(self) -> bool:
        """Whether no block was erased, so that its write amplification has no meaning."""
        return self.figure("flash.erases") == 0

    @property
    def overloaded(self) -> bool:
        """Whether requests arrived faster than they were served."""
        return isinstance(self.outcome, Result) and overloaded(self.outcome)

    @property
    def failure(self) -> str | None:
        """Why there is no result."""
        return str(self.outcome) if isinstance(self.outcome, Failure) else None

    def figure(self, path: str) -> float | None:
        """Return a metric, the sum of one with causes, or None if there is none."""
        if not isinstance(self.outcome, Result):
            return None
        found = Figure(path, path, "count").of(self.outcome)
        return None if found is None else float(found)

    @property
    def programs(self) -> float:
        """Pages programmed for any cause."""
        return (self.figure("flash.programs") or 0.0) + (self.figure("flash.copybacks") or 0.0)

    def row(self) -> dict[str, Any]:
        """Return the metrics of the volume under this FTL."""
        return {
            "ftl": self.ftl,
            "volume": self.volume.number,
            "requests": self.volume.requests,
            "error": self.failure,
            "page_writes": self.figure("host.page_writes"),
            "programs": self.programs if isinstance(self.outcome, Result) else None,
            **{path: self.figure(path) for path in FIGURES},
            "flash.erases": self.figure("flash.erases"),
            "ram_bytes": self.figure("ram_bytes"),
            "overloaded": self.overloaded,
            "warnings": " | ".join(self._warnings()),
        }

    def _warnings(self) -> Sequence[str]:
        return self.outcome.get("warnings") or [] if isinstance(self.outcome, Result) else []


class Fleet:
    """The volumes of a trace under some FTLs.

    Some volumes are left out of write amplification, so that all FTLs are compared on the same
    volumes. These are volumes that were not run, that failed under an FTL, or on which an FTL
    erased no block.
    """

    def __init__(self, members: Sequence[Member], name: str = "") -> None:
        self.members: list[Member] = list(members)
        self.name = name
        """The input that was split."""
        self._left_out = {each.volume: NO_ERASE for each in members if each.idle}
        self._left_out |= {each.volume: FAILED for each in members if each.failure}
        self._left_out |= {each.volume: FEW_REQUESTS for each in members if each.outcome is None}

    @classmethod
    def run(
        cls,
        trace: Source | Mapping[str, Any],
        ftls: Iterable[Ftl | Named],
        folder: str | Path,
        *,
        least: int = LEAST_REQUESTS,
        config: Mapping[str, Any] | None = None,
        progress: Told | None = None,
        executor: Any = None,
    ) -> Fleet:
        """Run FTLs on each volume of a trace that has at least ``least`` requests.

        ``trace`` is a source of requests, or a configuration that names one; ``config`` has further
        sections. Each volume is a separate input and point. It is kept in ``folder`` and run in an
        ``executor`` as by `ftlab.points.run_points`. By default its device has the size of the
        volume.

        Raises
        ------
        ftlab.ConfigError, ftlab.TraceError
            when the set-up or the trace is invalid, or no volume has that many requests
        """
        chosen = [as_ftl(ftl) for ftl in ftls]
        source = trace.config() if isinstance(trace, Source) else trace
        setup = merge([source, config or {}])
        check_obeyed(setup, [named(ftl) for ftl in chosen])
        volumes = split(setup, Path(folder))
        large = [volume for volume in volumes if volume.requests >= least]
        if not large:
            most = max((volume.requests for volume in volumes), default=0)
            raise ConfigError(
                f"found {len(volumes):,} volumes with at most {most:,} requests, "
                f"expected one with at least {least:,}"
            )
        points = [_point(setup, ftl, volume) for ftl in chosen for volume in large]
        came = iter(try_points(points, folder, progress=progress, executor=executor))
        return cls(
            [
                Member(str(ftl), volume, next(came) if volume.requests >= least else None)
                for ftl in chosen
                for volume in volumes
            ],
            _name(setup),
        )

    @property
    def ftls(self) -> list[str]:
        """The FTLs, in order."""
        return list(dict.fromkeys(each.ftl for each in self.members))

    def under(self, ftl: str) -> list[Member]:
        """Return the volumes that have a result under an FTL."""
        found = [each for each in self.members if each.ftl == ftl]
        return [each for each in found if isinstance(each.outcome, Result)]

    def left_out(self, volume: Volume) -> str | None:
        """Return the reason why a volume is left out of write amplification, if it is."""
        return self._left_out.get(volume)

    def large(self, ftl: str) -> list[Member]:
        """Return the volumes under an FTL that are not left out."""
        return [each for each in self.under(ftl) if not self.left_out(each.volume)]

    def failed(self, ftl: str) -> list[Member]:
        """Return the volumes under an FTL that failed."""
        return [each for each in self.members if each.ftl == ftl and each.failure]

    def worst(self, ftl: str) -> list[Member]:
        """Return the volumes of highest write amplification under an FTL, if not left out."""
        return sorted(self.large(ftl), key=lambda each: -(each.figure(WA) or 0.0))[:WORST]

    def summary(self, ftl: str) -> dict[str, Any]:
        """Return the statistics of the volumes under an FTL."""
        large, ran = self.large(ftl), self.under(ftl)
        reasons = list(self._left_out.values())
        return {
            "ftl": ftl,
            "volumes": len({each.volume for each in self.members}),
            "few_requests": reasons.count(FEW_REQUESTS),
            "nothing_erased": reasons.count(NO_ERASE),
            "failed": len(self.failed(ftl)),
            "overloaded": sum(each.overloaded for each in ran),
            "write_amplification": write_amplification(large),
            "write_amplification_with_small": write_amplification(ran),
            "percentiles": {
                path: percentiles(large if path == WA else ran, path) for path in FIGURES
            },
            "worst": [each.volume.number for each in self.worst(ftl)],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each volume and FTL."""
        return [{**each.row(), "left_out": self.left_out(each.volume)} for each in self.members]


def write_amplification(members: Sequence[Member]) -> float | None:
    """Return pages programmed on all volumes / pages written by the host to all volumes."""
    written = sum(each.figure("host.page_writes") or 0.0 for each in members)
    return sum(each.programs for each in members) / written if written else None


def percentiles(members: Sequence[Member], path: str) -> dict[str, float | None]:
    """Return mean and percentiles of a metric over the volumes that have it, with equal weight.

    ``volumes`` is their number. With few volumes there are no percentiles; without any, the result
    is empty.
    """
    known = [value for each in members if (value := each.figure(path)) is not None]
    if not known:
        return {}
    enough = len(known) >= LEAST_VOLUMES
    found = {f"p{q}": float(np.percentile(known, q)) if enough else None for q in PERCENTILES}
    mean = float(np.mean(known))
    return {"volumes": len(known), "mean": mean, "min": min(known), **found, "max": max(known)}


def _name(setup: Config) -> str:
    """Return the name of an input, as results have it."""
    trace = setup.get("input", {}).get("trace")
    return Path(trace).name if trace else str(setup.get("workload", {}).get("pattern", ""))


def _point(setup: Config, ftl: Ftl | PythonFtl, volume: Volume) -> Point:
    """Return the point of a volume: the input is its file, the rest of the set-up is unchanged."""
    rest = {section: table for section, table in setup.items() if section not in INPUT}
    config = merge([rest, ftl.config(), {"input": {"trace": str(volume.file)}}])
    return Point(f"{ftl} volume {volume.number}", config, named(ftl))
