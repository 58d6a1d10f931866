"""Figures as people read them: a unit decides how a number is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    "j": joules,
    "nj": lambda value: joules(1e-9 * value),
    "per_s": rate,
}


def written(value: Any, unit: str = "count") -> str:
    """Return a figure in its unit; None is a figure that does not exist."""
    if value is None:
        return ABSENT
    return FORMATS[unit](value) if isinstance(value, int | float) else str(value)


def brief(value: float, unit: str) -> str:
    """Return a figure with as few digits as an axis needs."""
    if unit == "ratio":
        return f"{100 * value:.4g} %"
    number, _, rest = written(value, unit).partition(" ")
    return f"{float(number.replace(',', '')):g} {rest}".rstrip()


ENDS = {
    "_us": "us",
    "_s": "s",
    "_j": "j",
    "_ratio": "ratio",
    "_fraction": "ratio",
    "_bytes": "bytes",
}
"""Units of figures, by the ends of their names."""


def by_name(name: str, value: Any) -> str:
    """Return a figure whose unit is the end of its name, as all names of results have it.

    A name with dots has the unit of its last part that says one: ``response_us.p50``.
    """
    parts = name.split(".")
    name = next((part for part in reversed(parts) if part.endswith((*ENDS, "_per_s"))), parts[-1])
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name.startswith("bytes_"):
        return written(value, "bytes")
    unit = next((unit for end, unit in ENDS.items() if name.endswith(end)), "count")
    return written(value, "per_s" if name.endswith("_per_s") else unit)
