"""The order of results, and their labels: both depend on settings, not on the order of runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeAlias

from ftlab.points.entry import Entry
from ftlab.points.grid import leaves, obeyed
from ftlab.units import kinds, number, written

FIRST = ("preset", "input", "workload")
"""Sections that come before those of the device."""

BESIDE = ("buffer.policy", "ftl.separation")
"""Settings that select a policy with further settings."""

_NUMBER = re.compile(r"(\d+(?:\.\d+)?(?:[KMGT]i?B?|B|ns|us|ms|s|%)?)(?![a-zA-Z])")
_DERIVED = re.compile(r"(?: [\w.]+=.*)?", re.DOTALL)

Part: TypeAlias = tuple[bool, float | str]


def ordered(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries in the order of their labels, where 4KiB comes before 16KiB.

    A label made by a sweep has the FTL and the settings that differ. Other labels are unchanged.
    """
    keys = differing(entries)
    told = [replace(each, label=_label(each, keys)) for each in entries]
    return sorted(told, key=lambda each: ([*natural(each.label)], each.digest))


def differing(entries: Sequence[Entry]) -> list[str]:
    """Return the settings given for at least one entry that differ among all."""
    given = dict.fromkeys(key for each in entries for key, _ in leaves(each.config))
    found = [key for key in given if len({repr(setting(each, key)) for each in entries}) > 1]
    known = {key: place for place, key in enumerate(kinds())}

    def place(key: str) -> tuple[int, int, str]:
        section = key.partition(".")[0]
        first = FIRST.index(section) if section in FIRST else len(FIRST)
        return first, known.get(key, len(known)), key

    return sorted(found, key=place)


def setting(entry: Entry, key: str) -> Any:
    """Return the given value of a setting, in a suitable unit, or its default.

    It is None for a setting that the FTL ignores.
    """
    value = at(entry.config, key)
    value = _default(entry, key) if value is None else value
    kind = kinds().get(key, "text")
    known = number(value, kind) if kind in ("size", "time", "ratio", "count") else None
    return value if known is None else written(known, kind)


def natural(text: str) -> Iterator[Part]:
    """Yield the parts of a text to compare: numbers with their units, and the text in between.

    Numbers come before other texts.
    """
    for part in filter(None, _NUMBER.split(text)):
        known = chain((number(part, kind) for kind in ("size", "time", "ratio")), [part])
        value = next(each for each in known if each is not None)
        yield (True, value) if isinstance(value, str) else (False, float(value))


def _label(entry: Entry, keys: Sequence[str]) -> str:
    """Return the label of an entry, remade if a sweep made it."""
    behind = entry.label.removeprefix(entry.ftl)
    if not entry.label.startswith(entry.ftl) or not _DERIVED.fullmatch(behind):
        return entry.label
    values = ((key, setting(entry, key)) for key in keys)
    return " ".join([entry.ftl, *(f"{key}={value}" for key, value in values if value is not None)])


def _default(entry: Entry, key: str) -> Any:
    resolved = _resolved(entry)
    beside = {name: at(resolved, name) for name in BESIDE}
    return at(resolved, key) if key in dict(obeyed({**beside, key: 0}, entry.ftl)) else None


def _resolved(entry: Entry) -> Mapping[str, Any]:
    """Return the known part of the resolved configuration, without the trace's name."""
    found: Any = entry.identity.get("input")
    read = found if isinstance(found, Mapping) else {}
    source = read.get("input")
    named = {**source, "trace": None} if isinstance(source, Mapping) else None
    config: Mapping[str, Any] = entry.identity.get("config", {})
    return {**config, "input": named, "workload": read.get("workload")}


def at(tree: Mapping[str, Any], key: str) -> Any:
    """Return the value of a setting in a configuration, or None."""
    section, _, name = key.partition(".")
    found = tree.get(section)
    return found.get(name) if name and isinstance(found, Mapping) else found
