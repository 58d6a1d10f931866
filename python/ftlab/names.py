"""Names in the spelling of the catalogue, matched in any case; and similar names."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

from ftlab import cores, titles
from ftlab.config import Config, merge, nested
from ftlab.errors import ConfigError
from ftlab.units import MOST_DIGITS

LEAST_PART = 3
"""Fewest letters of a name that suggests a longer name containing it."""

MOST_MEANT = 3
"""The most names that are suggested together, such as metrics of several sections."""

LEAST, MOST = -(2**63), 2**64 - 1
"""The range of whole numbers that a core accepts."""

NAMED = {"preset": "presets", "input.format": "formats", "input.trace": "profiles"}
"""Settings whose values are names of the catalogue, with the list of these names."""

MODES = ("host.mode", "run.warmup")
"""Settings whose texts are modes, some with a number after the name."""


def known(tree: Mapping[str, Any]) -> Config:
    """Return a configuration whose names of settings and values are spelled as in the catalogue.

    Unknown names are unchanged: the core reports them. Raises `ftlab.ConfigError` for a number that
    no core accepts.
    """
    leaves = []
    for section, table in tree.items():
        if isinstance(table, Mapping):
            leaves += [_leaf(f"{section}.{name}", value) for name, value in table.items()]
            leaves += [] if table else [{section: {}}]
        else:
            leaves.append(_leaf(section, table))
    return merge(leaves)


def ftl(name: str) -> str:
    """Return the name of an FTL in the catalogue, from its name or title in any case."""
    if name in cores.ftls() or cores.have(name):
        return name
    return titles.key(name)


def in_any_case(name: str, names: Iterable[str]) -> str:
    """Return the one of some names that differs only in case, or the name unchanged."""
    every = list(names)
    alike = [each for each in every if each.lower() == name.lower()]
    return name if name in every or not alike else alike[0]


def near(name: str, names: Iterable[str]) -> str:
    """Return a question that suggests names that end in it, are near it or contain it."""
    lower = {each.lower(): each for each in reversed(list(names))}
    wanted = name.lower()
    found = [each for each in reversed(lower) if each.endswith(f".{wanted}")][:MOST_MEANT]
    found = found or get_close_matches(wanted, lower, 1)
    if not found and len(wanted) >= LEAST_PART:
        found = [each for each in reversed(lower) if wanted in each][:1]
    told = " or ".join(f'"{lower[each]}"' for each in found)
    return f" (did you mean {told}?)" if told else ""


def _leaf(key: str, value: Any) -> Config:
    """Return the tree of a setting."""
    _check(key, value)
    key = _keys().get(key.lower(), key)
    names = _values().get(key, ())
    if isinstance(value, list):
        return nested(key, [_value(key, each, names) for each in value])
    return nested(key, _value(key, value, names))


def _value(key: str, value: Any, names: Iterable[str]) -> Any:
    if not isinstance(value, str):
        return value
    if key in MODES:
        return value.lower()
    if key == "input.trace" and os.path.exists(value):
        return value
    return in_any_case(value, names)


def _check(key: str, value: Any) -> None:
    """Raise `ftlab.ConfigError` for a number that JSON or a core cannot represent."""
    parts = value.values() if isinstance(value, Mapping) else value
    for each in parts if isinstance(value, Mapping | list) else [value]:
        if isinstance(each, Mapping | list):
            _check(key, each)
        elif isinstance(each, int) and not LEAST <= each <= MOST:
            shown = each if abs(each) < 10**MOST_DIGITS else "one of many more"
            raise ConfigError(f"{key}: found {shown}, expected a whole number of 64 bits")
        elif isinstance(each, float) and not math.isfinite(each):
            raise ConfigError(f"{key}: found {each}, expected a number")


@cache
def _values() -> Mapping[str, tuple[str, ...]]:
    """Return the possible names of the values of settings, by key."""
    catalogue = cores.own_catalogue()
    found: dict[str, tuple[str, ...]] = {"preset": ()}
    for each in catalogue["settings"]:
        found[each["key"]] = tuple(name for name, *_ in each["values"] or ())
    for key, kind in NAMED.items():
        found[key] = tuple(each["name"] for each in catalogue[kind])
    return found


@cache
def _keys() -> Mapping[str, str]:
    return {key.lower(): key for key in _values()}
