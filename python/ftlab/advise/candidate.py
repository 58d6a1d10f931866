"""A candidate: an FTL with settings, what its two runs say of it, and which targets it misses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ftlab.advise.targets import Prices, Targets
from ftlab.endurance import DAY_S, data_sheet, even_life
from ftlab.points import Entry, Failure
from ftlab.report.summary import HEADLINES, loss, overloaded
from ftlab.result import Result

FIGURES = {figure.path: figure for figure in HEADLINES}

UNTIMED = {"arc"}
"""Formats whose requests are given times that mean nothing."""

LIFETIME, RATE, LATENCY = "lifetime", "rate", "p99"
FAILED, LOSES, UNKNOWN, NO_GC = "failed", "loses data", "RAM not stated", "no GC"
"""Why a candidate is not to be taken."""


@dataclass(frozen=True)
class Candidate:
    """An FTL with settings, and what came of it in a closed loop and at the input's rate."""

    ftl: str
    settings: Mapping[str, str]
    """Those that are not the same for all candidates."""
    closed: Entry
    open: Entry
    endurance: int
    """Erases that a block endures."""
    targets: Targets
    prices: Prices

    @property
    def failure(self) -> str | None:
        """Why there are no figures."""
        outcomes = (self.closed.outcome, self.open.outcome)
        return next((str(each) for each in outcomes if isinstance(each, Failure)), None)

    @property
    def results(self) -> Sequence[Result]:
        """The runs in a closed loop and at the input's rate; none if one failed."""
        found = [self.closed.outcome, self.open.outcome]
        return [] if self.failure else [each for each in found if isinstance(each, Result)]

    @property
    def has_times(self) -> bool:
        """Whether the requests of the input come at times of their own."""
        if not self.results or self.results[1].find("trace.format") in UNTIMED:
            return False
        return bool(self.results[1].find("host.last_arrival_s"))

    @property
    def written_per_day(self) -> float | None:
        """Bytes of pages that the host writes in a day at the input's rate."""
        if not self.has_times:
            return None
        found = self.results[1]
        return _written(found) / float(found["host"]["last_arrival_s"]) * DAY_S

    @property
    def needed_per_day(self) -> float | None:
        """Bytes that the host is to write in a day: of the target, otherwise of the input."""
        if self.targets.dwpd is None or not self.results:
            return self.written_per_day
        return float(self.targets.dwpd * self.results[0]["device"]["capacity_bytes"])

    @property
    def fills(self) -> float | None:
        """How often the input writes the capacity."""
        if not self.results:
            return None
        return _written(self.results[0]) / float(self.results[0]["device"]["capacity_bytes"])

    @property
    def life(self) -> float | None:
        """Bytes that the host writes until the end, if erases are spread evenly and GC ran."""
        known = self.results and not self.is_uncollected
        return even_life(self.results[1], self.endurance) if known else None

    @property
    def is_uncollected(self) -> bool:
        """Whether the host wrote and nothing was erased, so that no lifetime follows."""
        return any(
            run["host"]["page_writes"] and not FIGURES["flash.erases"].of(run)
            for run in self.results
        )

    @property
    def cost(self) -> float | None:
        """The price of its flash and its RAM; None where an FTL does not state its RAM."""
        flash, ram = self.flash_bytes, self.figure("ram_bytes")
        return None if flash is None or ram is None else self.prices.of(flash, ram)

    @property
    def flash_bytes(self) -> int | None:
        """All blocks, spare ones included."""
        if not self.results:
            return None
        device, config = self.results[0]["device"], self.results[0]["config"]["device"]
        return int(device["blocks"] * config["pages_per_block"] * config["page"])

    @property
    def p99(self) -> float | None:
        """Response that 99 % of requests keep in the closed loop, us."""
        return self.figure("response_us.p99")

    @property
    def p99_at_rate(self) -> float | None:
        """The same at the input's rate; None under overload and without times."""
        if not self.has_times:
            return None
        return FIGURES["response_us.p99"].sound(self.results[1])

    def figure(self, path: str) -> float | None:
        """Return a metric of the closed loop."""
        return FIGURES[path].of(self.results[0]) if self.results else None

    def wear(self) -> dict[str, float | None]:
        """Return the life as data sheets write it: drive writes, TBW, DWPD, and years."""
        if not self.results:
            return data_sheet(None, 1, None)
        capacity = self.results[0]["device"]["capacity_bytes"]
        return data_sheet(self.life, capacity, self.needed_per_day, self.targets.days)

    def misses(self) -> list[str]:
        """Return the targets that it misses, and why it cannot be taken at all."""
        if self.failure:
            return [FAILED]
        years, limit = self.wear()["years"], self.targets.p99_us
        p99 = self.p99_at_rate if self.has_times else self.p99
        told = {
            LOSES: any(map(loss, self.results)),
            UNKNOWN: self.cost is None,
            NO_GC: self.is_uncollected,
            LIFETIME: years is not None and years < self.targets.years,
            RATE: overloaded(self.results[1]) and self.has_times,
            LATENCY: limit is not None and (p99 is None or p99 > limit),
        }
        return [name for name, missed in told.items() if missed]

    def goals(self) -> tuple[float, ...] | None:
        """Return what a front is of, each the smaller the better; None if it has no front."""
        life, cost, p99 = self.life, self.cost, self.p99
        if cost is None or {FAILED, LOSES, NO_GC} & set(self.misses()):
            return None
        slow = float("inf")
        at_rate = self.p99_at_rate if self.has_times else 0.0
        return (
            cost,
            -(slow if life is None else life),
            slow if p99 is None else p99,
            slow if at_rate is None else at_rate,
        )

    def row(self) -> dict[str, Any]:
        """Return all that is known of it, for programs."""
        return {
            "ftl": self.ftl,
            "settings": dict(self.settings),
            "write_amplification": self.figure("write_amplification"),
            **self.wear(),
            "response_p99_us": self.p99,
            "response_p99_at_rate_us": FIGURES["response_us.p99"].of(self.results[1])
            if self.has_times
            else None,
            "overloaded": overloaded(self.results[1]) if self.has_times else None,
            "ram_bytes": self.figure("ram_bytes"),
            "flash_bytes": self.flash_bytes,
            "cost": self.cost,
            "misses": self.misses(),
            "error": self.failure,
            "points": [self.closed.digest, self.open.digest],
        }


def _written(result: Result) -> float:
    """Return the bytes of the pages that the host wrote."""
    return float(result["host"]["page_writes"] * result["config"]["device"]["page"])
