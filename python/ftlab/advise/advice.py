"""Candidates for a workload, run and judged: the front, the pick, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ftlab.advise.candidate import FAILED, Candidate
from ftlab.advise.targets import Prices, Targets
from ftlab.config import Config, merge
from ftlab.endurance import RATED
from ftlab.errors import ConfigError
from ftlab.plugins import shown
from ftlab.points import Point, Told, complete, points_of
from ftlab.points.grid import leaves, values_of, varied
from ftlab.points.order import setting
from ftlab.units import count

ANY_CELL = "mlc"
"""The cell that is taken where the device has none."""

ONE_INPUT = ("input", "workload", "run", "preset")
"""Sections that are the same for all candidates."""


@dataclass(frozen=True)
class Advice:
    """The candidates in their order, and the targets."""

    candidates: Sequence[Candidate]
    depth: int
    is_assumed: bool
    """Whether the endurance is that of the kind of cell."""

    @property
    def targets(self) -> Targets:
        """What the device must do."""
        return self.candidates[0].targets

    def front(self) -> list[Candidate]:
        """Return those that no other is as good as in cost, life and latency, and better in one."""
        known = [(each, goals) for each in self.candidates if (goals := each.goals())]
        return [
            each for each, goals in known if not any(_dominates(other, goals) for _, other in known)
        ]

    def pick(self) -> Candidate | None:
        """Return the cheapest candidate that meets all targets; of equal ones the better."""
        return min(self.meeting(), key=lambda each: each.goals() or (), default=None)

    def meeting(self) -> list[Candidate]:
        """Return the candidates that meet all targets."""
        return [each for each in self.candidates if not each.misses()]

    def nearest(self) -> Candidate | None:
        """Return the longest-lived of those that miss the fewest targets."""
        known = [(each, goals) for each in self.candidates if (goals := each.goals())]
        ranked = ((len(each.misses()), goals[1], *goals) for each, goals in known)
        pairs = zip(ranked, (each for each, _ in known), strict=True)
        return min(pairs, key=lambda pair: pair[0], default=(None, None))[1]


def advise(
    tree: Mapping[str, Any],
    folder: str | Path,
    targets: Targets | None = None,
    *,
    prices: Prices | None = None,
    depth: int = 1,
    progress: Told | None = None,
    executor: Any = None,
) -> Advice:
    """Run each candidate of a sweep in a closed loop and at the input's rate.

    ``tree`` is as of `ftlab.points.points_of`: FTLs, and settings, some with several values.
    ``device.endurance`` is how many erases a block endures; no block wears out in these runs.
    Results are kept in ``folder`` as by `ftlab.points.run_points`.

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError
        when the set-up or the input is wrong, or every candidate failed
    """
    config, given = _without_endurance(tree)
    _check(config)
    modes = [f"closed:{depth}", "open"]
    closed, at_rate = (points_of(merge([config, {"host": {"mode": mode}}])) for mode in modes)
    points = [*closed, *at_rate]
    entries = complete(points, folder, progress=progress, executor=executor)
    lost = next((p for p, each in zip(points, entries, strict=True) if each is None), None)
    if lost:
        raise ConfigError(f"{folder}: the result of {lost.label} was removed meanwhile")
    found = [each for each in entries if each]
    endurance = given or _of_cell(closed)
    keys = varied([point.config for point in closed])
    candidates = [
        Candidate(
            shown(point.ftl),
            {key: str(value) for key in keys if (value := setting(first, key)) is not None},
            *(first, second, endurance, targets or Targets(), prices or Prices()),
        )
        for point, first, second in zip(
            closed, found[: len(closed)], found[len(closed) :], strict=True
        )
    ]
    if all(FAILED in each.misses() for each in candidates):
        raise ConfigError(candidates[0].failure or "")
    return Advice(candidates, depth, given is None)


def _without_endurance(tree: Mapping[str, Any]) -> tuple[Config, int | None]:
    """Return a sweep in which blocks last for ever, and the erases that they endure, if given."""
    config = merge([tree])
    found = config.get("device", {}).pop("endurance", None)
    given = count(found)
    if found is not None and (not isinstance(given, int) or isinstance(given, bool) or given < 1):
        raise ConfigError(f"device.endurance: found {shown(found)}, expected a number of erases")
    return config, given


def _check(config: Config) -> None:
    """Raise `ftlab.ConfigError` for what makes candidates that cannot be compared."""
    several = next((key for key in ("grid", "seeds", "tune") if key in config), None)
    if several:
        raise ConfigError(f"{several}: found one, expected settings with several values")
    for key, value in leaves(config):
        if key == "host.mode":
            raise ConfigError(f"host.mode: found {shown(value)}, expected none: advise sets it")
        if key.partition(".")[0] in ONE_INPUT and len(values_of(key, value)) > 1:
            raise ConfigError(f"{key}: found several values, expected one for all candidates")


def _of_cell(points: Sequence[Point]) -> int:
    """Return what blocks endure by the cell of the first candidate that can be built."""
    cells = (each.resolved["device"]["cell"] for each in points if not each.refusal)
    return RATED[next(cells, None) or ANY_CELL]


def _dominates(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Tell whether one is nowhere worse and somewhere better; less is better."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))
