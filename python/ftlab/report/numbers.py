"""Figures as people read them: a unit decides how a number is written."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ftlab.metrics import METRICS
from ftlab.report.tables import ABSENT


def count(value: float) -> str:
    """Return a whole number with separators, or two decimals where it is not whole."""
    return f"{int(value):,}" if float(value).is_integer() else f"{value:,.2f}"


def ratio(value: float) -> str:
    """Return a share as a percentage."""
    return f"{100 * value:.2f} %"


def factor(value: float) -> str:
    """Return a plain factor with three decimals."""
    return f"{value:.3f}"


def microseconds(value: float) -> str:
    """Return a time with four significant digits, in the unit that suits it."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if value >= size:
            return f"{_significant(value / size)} {unit}"
    return f"{_significant(value)} µs"


def seconds(value: float) -> str:
    """Return a duration in the unit that suits it."""
    if value < 120:
        return microseconds(1e6 * value)
    return f"{value / 60:.1f} min" if value < 7200 else f"{value / 3600:.1f} h"


def size(value: float) -> str:
    """Return bytes in powers of 1024."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:.4g} TiB"


def rate(value: float) -> str:
    """Return a number per second, shortened by thousands."""
    for unit, base in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= base:
            return f"{value / base:.3g} {unit}/s"
    return f"{value:.3g} /s"


def joules(value: float) -> str:
    """Return an energy in the unit that suits it."""
    for unit, scale in (("kJ", 1e3), ("J", 1), ("mJ", 1e-3), ("µJ", 1e-6)):
        if value >= scale:
            return f"{_significant(value / scale)} {unit}"
    return f"{_significant(1e9 * value)} nJ"


def significant(value: float, digits: int = 4) -> str:
    """Return at least ``digits`` significant digits, and no exponent."""
    place = math.floor(math.log10(abs(value))) if value else 0
    return f"{value:,.{max(0, digits - 1 - place)}f}"


def _significant(value: float) -> str:
    """Return at least four significant digits, and no exponent."""
    decimals = 1 if value >= 100 else 2 if value >= 10 else 3
    return f"{value:.{decimals}f}"


FORMATS: dict[str, Callable[[float], str]] = {
    "count": count,
    "ratio": ratio,
    "factor": factor,
    "us": microseconds,
    "s": seconds,
    "bytes": size,
    "J": joules,
    "nJ": lambda value: joules(1e-9 * value),
    "1/s": rate,
}


ENDS = {"_per_s": "1/s", "_us": "us", "_s": "s", "_j": "J", "_bytes": "bytes"}
ENDS |= dict.fromkeys(("_ratio", "_fraction"), "ratio")
"""Units of what is no metric of every result, by the ends of names."""


def written(value: Any, unit: str = "count") -> str:
    """Return a metric in its unit; None is one that does not exist."""
    if value is None:
        return ABSENT
    return FORMATS[unit](value) if isinstance(value, int | float) else str(value)


def brief(value: float, unit: str) -> str:
    """Return a figure with as few digits as an axis needs."""
    if unit == "ratio":
        return f"{100 * value:.4g} %"
    number, _, rest = written(value, unit).partition(" ")
    return f"{float(number.replace(',', '')):g} {rest}".rstrip()


def unit_of(path: str) -> str:
    """Return the unit of the value at a path: as declared, otherwise as its name ends."""
    declared = METRICS.get(path) or METRICS.get(path.rpartition(".")[0])
    if declared and declared.name != "own":
        unit = declared.unit.partition(" by ")[0]
        return unit if unit in FORMATS else "count"
    if path.startswith("bytes_"):
        return "bytes"
    return next((unit for end, unit in ENDS.items() if path.endswith(end)), "count")


def by_name(path: str, value: Any) -> str:
    """Return the value at a path of a result, or of another name, in its unit."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return written(value, unit_of(path))
