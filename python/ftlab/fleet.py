"""A fleet: the volumes of a trace, or an array, each on a separate device, and their statistics.

>>> import ftlab
>>> from ftlab.fleet import Fleet
>>> trace = ftlab.profile("financial1", requests=5000)
>>> fleet = Fleet.run(trace, ["tpftl"], "results", least=300)  # doctest: +SKIP
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ftlab import _core
from ftlab.config import Config, Quantity, merge
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
from ftlab.units import number

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

WEAR = ("wear.erases_mean", "wear.erases_max")
"""The same of an array, whose devices wear together."""

STRIPE = "64KiB"
"""The stripe of an array by default."""

INPUT = ("input", "workload")
"""The sections that splitting replaces."""

READ = ("preset", "device", *INPUT)
"""The sections that say what is read, and by which pages."""

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
    def requests(self) -> int | None:
        """The requests of the volume, which is not known of a generated one that failed."""
        if self.volume.file is None:
            found = self.figure("trace.requests")
            return None if found is None else int(found)
        return self.volume.requests

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

    def row(self, kind: str = "volume", figures: Sequence[str] = FIGURES) -> dict[str, Any]:
        """Return the metrics of the volume under this FTL."""
        warnings = self.outcome.get("warnings") if isinstance(self.outcome, Result) else None
        return {
            "ftl": self.ftl,
            kind: self.volume.number,
            "requests": self.requests,
            "error": self.failure,
            "page_writes": self.figure("host.page_writes"),
            "programs": self.programs if isinstance(self.outcome, Result) else None,
            **{path: self.figure(path) for path in figures},
            "flash.erases": self.figure("flash.erases"),
            "ram_bytes": self.figure("ram_bytes"),
            "overloaded": self.overloaded,
            "warnings": " | ".join(warnings or []),
        }


class Fleet:
    """The volumes of a trace, or the devices of an array, under some FTLs.

    Some volumes are left out of write amplification, so that all FTLs are compared on the same
    volumes. These are volumes that were not run, that failed under an FTL, or on which an FTL
    erased no block.
    """

    def __init__(
        self, members: Sequence[Member], name: str = "", stripe: Quantity | None = None
    ) -> None:
        self.members: list[Member] = list(members)
        self.name = name
        """The input that was split."""
        self.stripe = stripe
        """The stripe of an array; None if members are volumes."""
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
        devices: int | None = None,
        stripe: Quantity = STRIPE,
        config: Mapping[str, Any] | None = None,
        progress: Told | None = None,
        executor: Any = None,
    ) -> Fleet:
        """Run FTLs on each volume of a trace that has at least ``least`` requests.

        With ``devices``, run them on that many devices of an array (RAID 0), which take the bytes
        of the trace in turn, a ``stripe`` each. This is an approximation: no device waits for
        another, and a request that reaches several is one request of each.

        ``trace`` is a source of requests, or a configuration that names one; ``config`` has further
        sections. Each volume is a separate input and point. It is kept in ``folder`` and run in an
        ``executor`` as by `ftlab.points.run_points`. By default its device has the size of the
        volume.

        Raises
        ------
        ftlab.ConfigError, ftlab.TraceError
            when the set-up or the trace is invalid, no volume has that many requests, or none
            reach a device
        """
        chosen = [as_ftl(ftl) for ftl in ftls]
        source = trace.config() if isinstance(trace, Source) else trace
        setup = merge([source, config or {}])
        check_obeyed(setup, [named(ftl) for ftl in chosen])
        if devices is None:
            volumes = split(setup, Path(folder))
            large = _large(volumes, least)
            points = [_point(setup, ftl, volume) for ftl in chosen for volume in large]
        else:
            large = volumes = _devices(setup, devices, stripe, Path(folder))
            array = f"{devices}:{stripe}"
            points = [_device(setup, ftl, device, array) for ftl in chosen for device in large]
        found = iter(try_points(points, folder, progress=progress, executor=executor))
        ran = set(large)
        members = [
            Member(str(ftl), volume, next(found) if volume in ran else None)
            for ftl in chosen
            for volume in volumes
        ]
        return cls(members, _name(setup), None if devices is None else stripe)

    @property
    def kind(self) -> str:
        """What its members are: ``"volume"`` or ``"device"``."""
        return "volume" if self.stripe is None else "device"

    @property
    def figures(self) -> Sequence[str]:
        """The metrics with percentiles over its members."""
        return FIGURES if self.stripe is None else (*FIGURES, *WEAR)

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
            f"{self.kind}s": len({each.volume for each in self.members}),
            "few_requests": reasons.count(FEW_REQUESTS),
            "nothing_erased": reasons.count(NO_ERASE),
            "failed": len(self.failed(ftl)),
            "overloaded": sum(each.overloaded for each in ran),
            "write_amplification": write_amplification(large),
            "write_amplification_with_small": write_amplification(ran),
            "percentiles": {
                path: percentiles(large if path == WA else ran, path) for path in self.figures
            },
            "worst": [each.volume.number for each in self.worst(ftl)],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each volume and FTL."""
        rows = ((each, each.row(self.kind, self.figures)) for each in self.members)
        return [{**row, "left_out": self.left_out(each.volume)} for each, row in rows]


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


def _large(volumes: Sequence[Volume], least: int) -> list[Volume]:
    """Return the volumes with at least this number of requests."""
    large = [volume for volume in volumes if volume.requests >= least]
    if not large:
        most = max((volume.requests for volume in volumes), default=0)
        raise ConfigError(
            f"found {len(volumes):,} volumes with at most {most:,} requests, "
            f"expected one with at least {least:,}"
        )
    return large


def _devices(setup: Config, count: int, stripe: Quantity, folder: Path) -> list[Volume]:
    """Return the devices of an array. Only a trace is split; the runs generate a workload."""
    if number(str(stripe), "size") is None:
        raise ConfigError(f"stripe: found {stripe}, expected a size such as {STRIPE}")
    if setup.get("input", {}).get("shard") is not None:
        raise ConfigError("input.shard: found a device of an array, expected a whole input")
    stripes = f"{count}:{stripe}"
    plain = {section: setup[section] for section in READ if section in setup}
    first = merge([plain, {"input": {"shard": f"0/{stripes}"}}])
    if _core.is_generated(json.dumps(first)):
        return [Volume(device, 0, None) for device in range(count)]
    found = split(setup, folder, stripes)
    if len(found) < count:
        raise ConfigError(
            f"found requests for {len(found):,} of {count:,} devices, expected some for each; use "
            "fewer devices or a smaller stripe"
        )
    return found


def _name(setup: Config) -> str:
    """Return the name of an input, as results have it."""
    trace = setup.get("input", {}).get("trace")
    return Path(trace).name if trace else str(setup.get("workload", {}).get("pattern", ""))


def _point(setup: Config, ftl: Ftl | PythonFtl, volume: Volume) -> Point:
    """Return the point of a volume: the input is its file, the rest of the set-up is unchanged."""
    rest = {section: table for section, table in setup.items() if section not in INPUT}
    config = merge([rest, ftl.config(), {"input": {"trace": str(volume.file)}}])
    return Point(f"{ftl} volume {volume.number}", config, named(ftl))


def _device(setup: Config, ftl: Ftl | PythonFtl, device: Volume, stripes: str) -> Point:
    """Return the point of a device: the input is its file, or its part of what is generated."""
    if device.file is not None:
        return replace(_point(setup, ftl, device), label=f"{ftl} device {device.number}")
    shard = {"input": {"shard": f"{device.number}/{stripes}"}}
    return Point(f"{ftl} device {device.number}", merge([setup, ftl.config(), shard]), named(ftl))
