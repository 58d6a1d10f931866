"""What a trial chooses: a part of a sweep, an FTL, and the settings that this FTL obeys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ftlab.config import Config
from ftlab.plugins import Named
from ftlab.points.grid import Grid
from ftlab.units import kinds, number

if TYPE_CHECKING:
    from optuna import Trial

BUFFER = "buffer.policy"
"""Decides whether other settings have any effect, so it is chosen before them."""


def choose(trial: Trial, grids: Sequence[Grid]) -> tuple[Grid, Named, Config]:
    """Return what a trial suggests: what an FTL ignores is not asked for."""
    part = _pick(trial, "part", range(len(grids)))
    grid = grids[part]
    ftl = grid.ftls[_pick(trial, f"{part} ftl", range(len(grid.ftls)))]
    chosen: Config = {}
    for key, values in sorted(grid.axes, key=lambda axis: axis[0] != BUFFER):
        if grid.obeys(ftl, chosen, key, values[0]):
            chosen[key] = values[_place(trial, f"{part} {key}", key, values)]
    return grid, ftl, chosen


def _place(trial: Trial, name: str, key: str, values: Sequence[Any]) -> int:
    """Return the place of a value; of numbers that grow the neighbours are alike."""
    known = [number(value, kinds().get(key, "number")) for value in values]
    numbers = [value for value in known if value is not None]
    if len(numbers) == len(values) > 1 and numbers == sorted(numbers):
        return trial.suggest_int(name, 0, len(values) - 1)
    return _pick(trial, name, range(len(values)))


def _pick(trial: Trial, name: str, places: range) -> int:
    if len(places) == 1:
        return 0
    return int(trial.suggest_categorical(name, list(places)))
