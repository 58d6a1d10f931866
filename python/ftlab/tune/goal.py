"""What a search is for: figures of results to make small or large, and limits to others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

from ftlab.errors import ConfigError
from ftlab.names import near
from ftlab.points.conditions import CONDITION, OPERATORS, expected, measured
from ftlab.points.volumes import LEAST_REQUESTS
from ftlab.report.numbers import unit_of
from ftlab.report.points import FIGURES
from ftlab.report.summary import Figure
from ftlab.result import Result
from ftlab.units import number

MAP_ENTRY_BYTES = 4
"""Of a page map: a physical page number for each logical page."""

BOUNDS = ("<=", "<", ">=", ">")

OWN = "own"
"""The section of a result that has other figures for each FTL."""

KEYS = ("minimize", "maximize", "limits", "trials", "seed", "volumes", "least", "against")
TRIALS = 100


class Share(Figure):
    """RAM as a share of that of a whole page map, so that devices of any size can be compared."""

    def of(self, result: Result) -> float | None:
        """Return the share."""
        ram = FIGURES["ram_bytes"].of(result)
        blocks = result.find("device.logical_blocks")
        pages = result.find("config.device.pages_per_block")
        if ram is None or not blocks or not pages:
            return None
        return float(ram / (MAP_ENTRY_BYTES * blocks * pages))


DERIVED: dict[str, Figure] = {"ram_share": Share("ram_share", "RAM / page map", "ratio", "lower")}


def figure_of(path: str) -> Figure:
    """Return the figure at a path: with a name and unit where it has them."""
    return FIGURES.get(path) or DERIVED.get(path) or Figure(path, path, unit_of(path))


@dataclass(frozen=True)
class Limit:
    """A bound that a figure has to keep."""

    figure: Figure
    operator: str
    bound: float

    @classmethod
    def of(cls, text: str) -> Limit:
        """Return the limit that a text such as ``ram_bytes <= 64KiB`` is."""
        found = CONDITION.fullmatch(text)
        if not found or found[2] not in BOUNDS:
            raise ConfigError(f"tune.limits: found {text}, expected FIGURE <= BOUND or >= BOUND")
        figure = figure_of(found[1])
        bound = measured(found[3], figure.unit)
        if bound is None:
            raise ConfigError(
                f"tune.limits: {text}: found {found[3]}, expected a {expected(figure.unit)}"
            )
        return cls(figure, found[2], bound)

    def excess(self, results: Sequence[Result]) -> float | None:
        """Return by how much the worst result is beyond the bound, 0 or less if none is.

        It is relative to the bound, where that is not 0. None where there is no such figure.
        """
        values = self.figure.of_all(results)
        if not values:
            return None
        sign = 1.0 if self.operator.startswith("<") else -1.0
        worst = max(sign * (value - self.bound) for value in values) / (abs(self.bound) or 1.0)
        kept = all(OPERATORS[self.operator](value, self.bound) for value in values)
        return min(worst, 0.0) if kept else max(worst, 1e-12)


@dataclass(frozen=True)
class Goal:
    """Objectives, limits, and for which inputs, how long and with which seed to search."""

    objectives: Sequence[Figure]
    largest: frozenset[str]
    """The paths of those that are to be large."""
    limits: Sequence[Limit]
    trials: int = TRIALS
    seed: int = 1
    volumes: bool = False
    """Whether each volume of a trace is searched for alone."""
    least: int = LEAST_REQUESTS
    """Requests of a volume that is searched for."""

    @classmethod
    def of(cls, tune: Mapping[str, Any]) -> Goal:
        """Return the goal that a table ``tune`` describes."""
        unknown = next((key for key in tune if key not in KEYS), None)
        if unknown:
            raise ConfigError(
                f'unknown key "tune.{unknown}"{near(unknown, KEYS)}; known: {", ".join(KEYS)}'
            )
        smallest, largest = (_texts(tune, key) for key in ("minimize", "maximize"))
        if not smallest and not largest:
            raise ConfigError("tune.minimize: found nothing, expected figures, as response_us.mean")
        both = next((path for path in smallest if path in largest), None)
        if both:
            raise ConfigError(f"tune.maximize: found {both}, which tune.minimize has, too")
        volumes = tune.get("volumes", False)
        if not isinstance(volumes, bool):
            raise ConfigError(f"tune.volumes: found {volumes}, expected true or false")
        return cls(
            [figure_of(path) for path in (*smallest, *largest)],
            frozenset(largest),
            [Limit.of(text) for text in _texts(tune, "limits")],
            _count(tune, "trials", TRIALS),
            _count(tune, "seed", 1),
            volumes,
            _count(tune, "least", LEAST_REQUESTS),
        )

    def check(self, result: Result) -> None:
        """Raise `ftlab.ConfigError` for a figure of which results know nothing."""
        for each in (*self.objectives, *(limit.figure for limit in self.limits)):
            above, _, name = each.path.rpartition(".")
            table = result.find(above) if above else result
            known = (
                each.path in DERIVED or above == OWN or (above and above in result and not table)
            )
            if not known and not (isinstance(table, Mapping) and name in table):
                names = [*DERIVED, *result.flat()]
                raise ConfigError(
                    f'tune: found no figure called "{each.path}"{near(each.path, names)}, '
                    "expected one of a result"
                )

    @property
    def directions(self) -> list[Literal["minimize", "maximize"]]:
        """Return what is wanted of each objective."""
        return ["maximize" if each.path in self.largest else "minimize" for each in self.objectives]

    def values(self, results: Sequence[Result]) -> list[float] | None:
        """Return the mean of each objective over seeds, or None where one does not exist."""
        known = [each.of_all(results) for each in self.objectives]
        return [fmean(values) for values in known] if all(known) else None

    def better(self, left: Sequence[float], right: Sequence[float]) -> bool:
        """Tell whether the left values dominate: nowhere worse, and somewhere better."""
        signs = [-1 if each.path in self.largest else 1 for each in self.objectives]
        gains = [s * (b - a) for s, a, b in zip(signs, left, right, strict=True)]
        return all(gain >= 0 for gain in gains) and any(gain > 0 for gain in gains)

    def order(self, values: Sequence[float]) -> float:
        """Return what sorts by the first objective, the best first."""
        return -values[0] if self.objectives[0].path in self.largest else values[0]


def _texts(tune: Mapping[str, Any], key: str) -> list[str]:
    found = tune.get(key, [])
    texts = [found] if isinstance(found, str) else found
    if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
        raise ConfigError(f"tune.{key}: found {found}, expected a list of texts")
    return texts


def _count(tune: Mapping[str, Any], key: str, default: int) -> int:
    found = number(tune.get(key, default), "count")
    if not isinstance(found, int) or found < 1:
        raise ConfigError(f"tune.{key}: found {tune[key]}, expected a number of at least 1")
    return found
