"""A sweep: a configuration in which settings have several values, and the points that it defines.

A tree has these keys in addition to the sections of a configuration:

``ftls``
    The FTLs, by name.
``seeds``
    The number of seeds of each point, from ``run.seed`` on.
``when``
    Conditions ``KEY OP VALUE`` that every point must meet; the value may be another key.
``grid``
    A list of trees. Each is laid over the rest and is a sweep; the points of all of them form the
    whole.
``tune``
    How `ftlab.tune` searches among the points; a sweep runs all of them.

A list gives several values of a setting; ``{from, to, step}`` or ``{from, to, factor}`` a range.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from ftlab import _core, cores, names
from ftlab.config import Config, merge, nested
from ftlab.errors import ConfigError
from ftlab.ftls import own
from ftlab.plugins import REFERENCE, Named, Plugin
from ftlab.points.conditions import FTL, holds
from ftlab.points.point import Point, canonical
from ftlab.simulation import check_obeyed
from ftlab.units import counted, kinds, number, written
from ftlab.variants import listed

RANGE = {"from", "to", "step", "factor"}
DEPTHS = {"device.read_by_bit": 1, "device.program_by_bit": 1, "workload.bs_mix": 2}
"""The depth of lists that are a single value of a setting."""
OWN = ("ftls", "seeds", "when", "grid", "tune")
MOST_POINTS = 1_000_000
MOST_COUNTED = 10**18
"""The number of values that stands for a range without an end."""


def points_of(tree: Mapping[str, Any]) -> list[Point]:
    """Return the points of a sweep, each once, with labels that distinguish them.

    Settings that the FTL of a point ignores are left out.

    Raises
    ------
    ftlab.ConfigError
        for an invalid list, range or condition, a setting that no FTL obeys, and an error of all
        points
    """
    found: dict[str, Point] = {}
    for grid in grids_of(tree):
        for choice in grid.choices():
            for point in grid.points(*choice):
                found.setdefault(canonical(point.given), point)
    points = _labelled(list(found.values()))
    if points and all(point.refusal for point in points):
        raise points[0].refusal or AssertionError
    return points


@dataclass(frozen=True)
class Grid:
    """A part of a sweep: FTLs, and the values of each setting."""

    ftls: Sequence[Named]
    axes: Sequence[tuple[str, Sequence[Any]]]
    """Keys and their values, including keys with one value."""
    seeds: Sequence[Any]
    """None if the seed is treated as a setting."""
    when: Sequence[str]

    def obeys(self, ftl: Named, chosen: Mapping[str, Any], key: str, value: Any) -> bool:
        """Return whether a setting affects an FTL with the chosen settings."""
        return any(each == key for each, _ in obeyed({**chosen, key: value}, ftl))

    def choices(self) -> Iterator[tuple[Named, Config]]:
        """Yield every FTL with every combination of values."""
        keys = [key for key, _ in self.axes]
        for ftl, values in product(self.ftls, product(*(values for _, values in self.axes))):
            name, settings = own(ftl)
            yield name, {**dict(zip(keys, values, strict=True)), **dict(leaves(settings))}

    def points(self, ftl: Named, chosen: Mapping[str, Any]) -> list[Point]:
        """Return the points of an FTL with these settings, one for each seed.

        The list is empty if a condition is not met.
        """
        seeds = [{"run.seed": seed} for seed in self.seeds] or [{}]
        trees = [obeyed({**chosen, **seed}, ftl) for seed in seeds]
        points = [Point(str(ftl), merge(nested(k, v) for k, v in tree), ftl) for tree in trees]
        return [point for point in points if _fits(point, self.when)]


def grids_of(tree: Mapping[str, Any], *, is_search: bool = False) -> list[Grid]:
    """Return the parts of a sweep; raises as `points_of` does.

    A search chooses among points without listing them: only the values of each setting are limited
    in number.
    """
    grids = parts("grid", tree.get("grid", [{}]))
    grids = [_named(grid) for grid in grids]
    base = _named({key: value for key, value in tree.items() if key != "grid"})
    trees = [
        {**merge([base, grid]), "when": [*_conditions(base), *_conditions(grid)]} for grid in grids
    ]
    for grid in trees:
        _check(grid, [ftl for each in trees for ftl in _ftls(each)])
    found = [counted(grid) for grid in trees]
    if is_search:
        for key, count in (each for grid in found for each in _lengths(grid).items()):
            _limit(count, f"{key}: found {count:,} values")
    else:
        total = sum(prod(_lengths(grid).values()) * len(_ftls(grid)) for grid in found)
        _limit(total, f"found {total:,} points")
    return [_grid(grid) for grid in found]


def varied(configs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the keys whose values differ among these configurations."""
    values: dict[str, set[str]] = {}
    flat = [dict(leaves(config)) for config in configs]
    for key in dict.fromkeys(key for leaves in flat for key in leaves):
        values[key] = {repr(leaves.get(key)) for leaves in flat}
    return [key for key, different in values.items() if len(different) > 1]


def _fits(point: Point, conditions: Sequence[str]) -> bool:
    """Return whether all conditions are met; a refused point meets them."""
    if point.refusal:
        return True

    def look(key: str) -> Any:
        return str(point.ftl) if key == FTL else _at(point.resolved, key)

    return all(holds(each, [FTL, "preset", *kinds()], look) for each in conditions)


def _check(tree: Mapping[str, Any], ftls: Sequence[Named]) -> None:
    """Raise `ftlab.ConfigError` for FTLs that do not exist and settings that none of them obeys."""
    chosen = [own(ftl)[0] for ftl in ftls]
    for ftl in chosen:
        if isinstance(ftl, str) and not REFERENCE.fullmatch(ftl) and not cores.have(ftl):
            _core.check_obeyed("{}", [cores.utf8(ftl)])
    check_obeyed({key: value for key, value in tree.items() if key not in OWN}, chosen)


def _ftls(tree: Mapping[str, Any]) -> list[Named]:
    found = tree.get("ftls")
    if found is None:
        raise ConfigError("ftls: found none, expected a list of FTLs (`ftlab list ftls`)")
    given = [found] if isinstance(found, str) else _list("ftls", found)
    texts = [listed(each, names.ftl) if isinstance(each, str) else [each] for each in given]
    return [ftl for each in texts for ftl in each]


def _named(tree: Mapping[str, Any]) -> Config:
    """Return a sweep whose settings are spelled as in the catalogue."""
    own = {key: value for key, value in tree.items() if key in OWN}
    return {**names.known({key: tree[key] for key in tree if key not in OWN}), **own}


def _conditions(tree: Mapping[str, Any]) -> list[str]:
    found = tree.get("when", [])
    return [found] if isinstance(found, str) else _list("when", found)


def parts(key: str, found: Any) -> list[Mapping[str, Any]]:
    """Return the trees in a list."""
    if isinstance(found, Sequence) and all(isinstance(each, Mapping) for each in found):
        return list(found)
    raise ConfigError(f"{key}: found {found}, expected a list of tables")


def _list(key: str, found: Any) -> list[Any]:
    if isinstance(found, Sequence) and not isinstance(found, str):
        return list(found)
    raise ConfigError(f"{key}: found {found}, expected a list")


def _grid(tree: Config) -> Grid:
    axes = [(key, values_of(key, value)) for key, value in leaves(tree)]
    axes.sort(key=lambda axis: axis[0] != "input.trace")
    seeds = _seeds(tree)
    if seeds:
        axes = [axis for axis in axes if axis[0] != "run.seed"]
    return Grid(_ftls(tree), axes, seeds, tree["when"])


def _limit(count: int, found: str) -> None:
    if count > MOST_POINTS:
        raise ConfigError(f"{found}, expected at most {MOST_POINTS:,}")


def _lengths(tree: Config) -> dict[str, int]:
    """Return the number of values of each setting, and the number of seeds."""
    seeds = tree.get("seeds")
    runs = seeds if isinstance(seeds, int) else len(seeds) if isinstance(seeds, list) else 1
    axes = {key: _length(key, v) for key, v in leaves(tree) if not seeds or key != "run.seed"}
    return {**axes, "seeds": max(runs, 1)}


def _length(key: str, value: Any) -> int:
    """Return the number of values of a setting, as `values_of` makes them."""
    if not isinstance(value, Mapping):
        return len(values_of(key, value))
    first, last, step, factor = _ends(key, value)
    steps = (last - first) / step if step else math.log(last / first) / math.log(factor or 2)
    return int(min(steps, MOST_COUNTED)) + 1


def _seeds(tree: Config) -> list[Any]:
    """Return the requested seeds, if any."""
    seeds = tree.get("seeds")
    if isinstance(seeds, list) or seeds is None:
        return seeds or []
    if not isinstance(seeds, int) or seeds < 1:
        raise ConfigError(f"seeds: found {seeds}, expected how many")
    first = tree.get("run", {}).get("seed", 1)
    if not isinstance(first, int):
        raise ConfigError(f"run.seed: found {first}, expected the first of {seeds} seeds")
    return list(range(first, first + seeds))


def obeyed(given: Mapping[str, Any], ftl: Named) -> Iterator[tuple[str, Any]]:
    """Yield the settings of the run, and of those of FTLs the ones that this FTL obeys."""
    known = {
        each["name"]: {s["key"] for s in each["settings"]} for each in cores.catalogue()["ftls"]
    }
    chosen, of_classes = _of_separations(given.get("ftl.separation"))
    every = of_classes.union(*known.values())
    own = known.get(str(ftl), every)
    ignored = every - own - (chosen if "ftl.separation" in own else set())
    buffered = given.get("buffer.policy", "") != "none"
    for key, value in given.items():
        if key not in ignored and (buffered or not key.startswith("buffer.") or value == "none"):
            yield key, value


def _of_separations(name: Any) -> tuple[set[str], set[str]]:
    """Return the settings of a separation, or of all if none is named; and those of all."""
    found = {
        each["name"]: {rule["key"] for rule in each["settings"]}
        for each in cores.catalogue()["separations"]
    }
    every = set().union(*found.values())
    return found.get(name, every) if isinstance(name, str) else every, every


def leaves(tree: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the settings of a tree by key, without those that only a sweep has."""
    for section, table in tree.items():
        if section in OWN:
            continue
        if not isinstance(table, Mapping):
            yield section, table
            continue
        for name, value in table.items():
            yield f"{section}.{name}", value


def values_of(key: str, value: Any) -> list[Any]:
    """Return the values of a setting: each value of a list or a range, or the only one."""
    if isinstance(value, Mapping):
        return _range(key, value)
    if not isinstance(value, list) or _depth(value) <= DEPTHS.get(key, 0):
        return [value]
    if not value:
        raise ConfigError(f"{key}: found an empty list, expected values")
    return value


def _depth(value: Any) -> int:
    return 1 + _depth(next(iter(value), None)) if isinstance(value, list) else 0


def _ends(key: str, found: Mapping[str, Any]) -> tuple[float, float, float | None, float | None]:
    """Return both ends of a range, and its step or its factor."""
    expected = "expected {from, to, step} or {from, to, factor}"
    kind = kinds().get(key, "number")
    ends = {
        name: number(value, "number" if name == "factor" else kind) for name, value in found.items()
    }
    if set(found) - RANGE or not {"from", "to"} < set(found) or len(found) != 3:
        raise ConfigError(f"{key}: found {dict(found)}, {expected}")
    unknown = next((name for name, value in ends.items() if value is None), None)
    if unknown:
        raise ConfigError(f"{key}: found {unknown} = {found[unknown]}, {expected} with numbers")
    first, last = ends["from"] or 0, ends["to"] or 0
    step, factor = ends.get("step"), ends.get("factor")
    grows = step > 0 if step is not None else factor is not None and factor > 1 and first > 0
    if not grows or last < first:
        raise ConfigError(f"{key}: found {dict(found)}, expected a range that grows")
    return first, last, step, factor


def _range(key: str, found: Mapping[str, Any]) -> list[Any]:
    """Return the values of a range, both ends included."""
    kind = kinds().get(key, "number")
    first, last, step, factor = _ends(key, found)
    values: list[float] = []
    value = first
    while value <= last * (1 + 1e-9):
        values.append(value)
        value = first + len(values) * step if step else first * (factor or 1) ** len(values)
    rounded = (float(f"{value:.12g}") for value in values)
    return [written(int(v) if v.is_integer() else v, kind) for v in rounded]


def _at(tree: Mapping[str, Any], key: str) -> Any:
    value: Any = tree
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _labelled(points: Sequence[Point]) -> list[Point]:
    """Return points whose labels have the FTL and the differing settings."""
    differing = varied([point.config for point in points])
    return [Point(_label(point, differing), point.config, point.ftl) for point in points]


def _label(point: Point, differing: Sequence[str]) -> str:
    ftl = str(point.ftl) if isinstance(point.ftl, str | Plugin) else point.ftl.__name__
    return label(ftl, point.config, differing)


def label(ftl: str, config: Mapping[str, Any], differing: Sequence[str]) -> str:
    """Return an FTL with those differing settings that a configuration has."""
    values = ((key, _at(config, key)) for key in differing)
    return " ".join([ftl, *(f"{key}={value}" for key, value in values if value is not None)])
