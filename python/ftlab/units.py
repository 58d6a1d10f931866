"""Numbers as people write them, by the kind of a setting; the core reports errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from ftlab import cores
from ftlab.config import Config

SIZES = {"": 1, "b": 1} | {
    name: 1024**power for power, letter in enumerate("kmgt", 1) for name in (letter, f"{letter}ib")
}
"""Without ``kb``, ``mb`` and so on, which are powers of 1000 on drives and of 1024 in memory."""

MOST_DIGITS = 300
"""The most digits of a whole number: more than a float has."""

MICRO, MU = "\u00b5", "\u03bc"
"""The micro sign, and the Greek letter that looks the same."""

TIMES = {
    "": 1,
    "ns": 1,
    "us": 10**3,
    f"{MICRO}s": 10**3,
    f"{MU}s": 10**3,
    "ms": 10**6,
    "s": 10**9,
} | {
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86400 * 10**9,
}
COUNTS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
"""A count is a number of things: ``1M`` is a million, unlike a size, which has powers of 1024."""

UNITS: Mapping[str, Mapping[str, float]] = {
    "size": SIZES,
    "time": TIMES,
    "count": COUNTS,
    "ratio": {"": 1, "%": 0.01},
}

_NUMBER = re.compile(rf"(\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([a-zA-Z{MICRO}{MU}%]*)")
_TIMES = re.compile(rf"(?:\d+(?:\.\d+)?[a-z{MICRO}{MU}]+)+")
_PART = re.compile(rf"(\d+(?:\.\d+)?)([a-z{MICRO}{MU}]+)")
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+")


@cache
def kinds() -> Mapping[str, str]:
    """Return the kind of each setting by its key: count, size, time, ratio, choice, ..."""
    return {each["key"]: each["kind"] for each in cores.catalogue()["settings"]}


def number(value: Any, kind: str) -> int | float | None:
    """Return a value in the unit of its kind (bytes, nanoseconds, 1), or None if it is invalid."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if not isinstance(value, str):
        return value
    if kind == "time" and _TIMES.fullmatch(value):
        parts = _PART.findall(value)
        known = [float(amount) * TIMES[unit] for amount, unit in parts if unit in TIMES]
        return _whole(sum(known)) if len(known) == len(parts) else None
    found = _NUMBER.fullmatch(value.strip())
    if not found:
        return None
    unit = found[2] if kind in ("time", "ratio") else found[2].lower()
    scale = UNITS.get(kind, {"": 1}).get(unit)
    if scale is None:
        return None
    digits = found[1].replace("_", "")
    if digits.isdecimal() and len(digits) <= MOST_DIGITS and isinstance(scale, int):
        return int(digits) * scale
    return _whole(float(digits) * scale)


def written(value: int | float, kind: str) -> int | float | str:
    """Return a number with its unit, if that is exact."""
    if kind == "size":
        return _in(value, {"TiB": 1 << 40, "GiB": 1 << 30, "MiB": 1 << 20, "KiB": 1 << 10, "B": 1})
    if kind == "time":
        return _in(value, {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1})
    if kind == "ratio" and number(f"{100 * value:.10g}%", kind) == value:
        return f"{100 * value:.10g}%"
    return value


def counted(tree: Mapping[str, Any]) -> Config:
    """Return a configuration in which counts such as ``1M``, ``1e6`` and ``1,000,000`` are numbers.

    Other values are unchanged.
    """
    return {
        section: {name: _count(f"{section}.{name}", value) for name, value in table.items()}
        if isinstance(table, Mapping)
        else table
        for section, table in tree.items()
    }


def count(value: Any) -> Any:
    """Return the whole number that a text or number denotes, or the value unchanged."""
    grouped = isinstance(value, str) and _GROUPED.fullmatch(value)
    found = number(value.replace(",", "") if grouped else value, "count")
    whole = None if found is None else _whole(found)
    return whole if isinstance(whole, int) else value


def _count(key: str, value: Any) -> Any:
    found = [count(each) for each in value] if isinstance(value, list) else count(value)
    return found if repr(found) != repr(value) and kinds().get(key) == "count" else value


def _in(value: float, units: Mapping[str, int]) -> str:
    unit = next((name for name, size in units.items() if value and value % size == 0), None)
    return f"{value / units[unit]:.0f}{unit}" if unit else f"{value:.0f}{list(units)[-1]}"


def _whole(value: float) -> int | float:
    return int(value) if isinstance(value, int) or value.is_integer() else value
