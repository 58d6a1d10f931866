"""Texts of the command line as values of the configuration."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import click

from ftlab import units, variants
from ftlab.config import Config, merge, nested
from ftlab.documents import DEEPEST
from ftlab.documents import value as value


def values(text: str) -> Any:
    """Return the values between the commas of a text as a list, or its one value.

    Commas in brackets and quotes belong to a value.
    """
    parts = re.findall(r"""(?:\[.*?\]|"[^"]*"|'[^']*'|[^,])+""", text)
    found = [value(part.strip()) for part in parts]
    return found if len(found) > 1 else value(text)


class Count(click.ParamType[int]):
    """A whole number above 0, also as ``1M``, ``1e6`` or ``1,000,000``."""

    name = "n"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        found = units.count(str(value))
        if not isinstance(found, int) or found < 1:
            self.fail(f"found {value}, expected a count such as 500, 20k or 1M", param, ctx)
        return found


class Number(click.ParamType[float]):
    """A number above 0, or at least ``least``."""

    name = "x"

    def __init__(self, least: float | None = None) -> None:
        self._least = least

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        found = units.number(str(value), "number")
        lowest = math.ulp(0.0) if self._least is None else self._least
        if found is None or not lowest <= found < math.inf:
            above = "above 0" if self._least is None else f"of at least {self._least:g}"
            self.fail(f"found {value}, expected a number {above}", param, ctx)
        return float(found)


class Time(click.ParamType[float]):
    """A time above 0 with its unit, as ``2ms``, in microseconds."""

    name = "time"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the time."""
        found = units.number(value, "time") if not str(value)[-1:].isdigit() else None
        if not found or not math.isfinite(found):
            self.fail(f"found {value}, expected a time such as 500us or 2ms", param, ctx)
        return found / 1000


def setting(text: str, read: Callable[[str], Any] = value) -> tuple[str, Any]:
    """Split ``key=value``."""
    key, equals, found = text.partition("=")
    if not equals or not key.strip():
        raise click.UsageError(f"`{text}` is not KEY=VALUE")
    return key.strip(), read(found.strip())


def overrides(texts: tuple[str, ...], read: Callable[[str], Any] = value) -> Config:
    """Return the tree that ``section.key=value`` texts describe, the last one winning."""
    tree: Config = {}
    for text in texts:
        key, found = setting(text, read)
        parts = key.split(".")
        if not all(parts) or len(parts) > DEEPEST:
            raise click.UsageError(f"`{key}` is not a dotted key such as `gc.policy`")
        tree = merge([tree, nested(key, found)])
    return tree


def workload(text: str) -> Config:
    """Return the section that ``pattern,key=value,...`` describes."""
    pattern, *settings = (part.strip() for part in text.split(","))
    if not pattern or "=" in pattern:
        raise click.UsageError(
            f"`{text}` does not start with a pattern, as in `randwrite,bs=4k,size=64MiB`"
        )
    return {"pattern": pattern, **dict(setting(each) for each in settings)}


def names(text: str) -> list[str]:
    """Return the names in a list with commas, each once; one of an FTL may have settings."""
    parts = variants.listed(text)
    if not all(parts):
        raise click.UsageError(f"`{text}` is not a list of names with commas between them")
    twice = next((part for part in parts if parts.count(part) > 1), None)
    if twice:
        raise click.UsageError(f"`{twice}` is named twice in `{text}`")
    return parts
