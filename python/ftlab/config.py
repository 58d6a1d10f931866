"""The configuration tree as plain dictionaries: assembled here, validated by the core alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

Config: TypeAlias = dict[str, Any]
"""A tree of sections (``device``, ``ftl``, ``run``, ...) whose leaves are JSON scalars."""

Quantity: TypeAlias = str | int | float
"""A size, time or ratio: a number, or text as people write it (``"512MiB"``, ``"25us"``)."""

Progress: TypeAlias = Callable[[str, int, float | None], object]
"""Called about 10 times a second with the phase, the requests done, and the share done if known."""


def given(**values: Any) -> Config:
    """Return the values that are not None: what is left out takes the core's default."""
    return {key: value for key, value in values.items() if value is not None}


def merge(trees: Iterable[Mapping[str, Any]]) -> Config:
    """Merge trees section by section; a later leaf replaces an earlier one."""
    merged: Config = {}
    for tree in trees:
        for key, value in tree.items():
            old = merged.get(key)
            if isinstance(value, Mapping):
                value = merge([old, value] if isinstance(old, Mapping) else [value])
            merged[key] = value
    return merged


def nested(path: str, value: Any) -> Config:
    """Return the tree in which the dotted ``path`` leads to ``value``."""
    for key in reversed(path.split(".")):
        value = {key: value}
    tree: Config = value
    return tree
