"""Conditions ``KEY OP VALUE`` on settings and metrics, with values as people write them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

from ftlab import names
from ftlab.errors import ConfigError
from ftlab.report.numbers import unit_of
from ftlab.units import TIMES, kinds, number

FTL = "ftl"
"""What conditions and labels call the FTL."""

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "==": operator.eq,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
CONDITION = re.compile(r"\s*([\w.-][^<>=!]*?)\s*(<=|>=|!=|==|=|<|>)\s*(.*\S)\s*")

MEASURED = {"bytes": "size", "us": "time", "s": "time", "ratio": "ratio"}
"""How a value of a metric is written, by its unit; others are counts."""


def holds(
    condition: str,
    known: Sequence[str],
    look: Callable[[str], Any],
    without: Callable[[str], bool] = lambda key: True,
) -> bool:
    """Tell whether a condition on ``known`` names holds for the values that ``look`` returns.

    ``without`` says whether it holds where a name has no value.
    """
    found = CONDITION.fullmatch(condition)
    if not found:
        raise ConfigError(f"found {condition}, expected KEY OP VALUE, as ftl.cache >= 8KiB")
    key, text = names.in_any_case(found[1], known), found[3].strip("\"'")
    if key not in known:
        raise ConfigError(f'{condition}: found nothing called "{key}"{names.near(key, known)}')
    left = look(key)
    right = look(text) if text in known else _value(text, left, key)
    if left is None or right is None:
        return without(key)
    if isinstance(left, str) and isinstance(right, str):
        right = names.ftl(right) if key == FTL else right
        left, right = left.lower(), right.lower()
    try:
        return bool(OPERATORS[found[2]](left, right))
    except TypeError:
        raise ConfigError(f"{condition}: found {left} and {right}, which do not compare") from None


def measured(text: str, unit: str) -> float | None:
    """Return a text in the unit of a metric, or None; a number alone is in that unit already."""
    try:
        plain = float(text.replace("_", ""))
        return plain if isfinite(plain) else None
    except ValueError:
        kind = MEASURED.get(unit, "count")
        found = number(text.rstrip("x ") if unit == "factor" else text, kind)
    return found / TIMES[unit] if found is not None and kind == "time" else found


def expected(unit: str) -> str:
    """Return what a value of a metric should be."""
    return MEASURED.get(unit, "number").replace("ratio", "number")


def _value(text: str, like: Any, key: str) -> Any:
    """Return the value that a text has next to ``like``, which is that of a key."""
    if isinstance(like, bool):
        return {"true": True, "false": False}.get(text, text)
    kind, unit = kinds().get(key), unit_of(key)
    if isinstance(like, str) or kind in ("text", "choice", "switch"):
        return text
    found = number(text, kind) if kind else measured(text, unit)
    if found is None and (kind or like is not None):
        wanted = kind.replace("ratio", "number") if kind else expected(unit)
        hint = " such as 16KiB" if wanted == "size" else ""
        raise ConfigError(f"found {text}, expected a {wanted} to compare with{hint}")
    return found
