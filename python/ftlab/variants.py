"""Variants of FTLs as texts: a name with settings of its own, as people type and tables print it.

>>> split("tpftl:features=bc:threshold=4"), split("TPFTL(cache=8KiB, features=bc)")
(('tpftl', {'features': 'bc', 'threshold': '4'}), ('TPFTL', {'cache': '8KiB', 'features': 'bc'}))
>>> listed("dftl:replacement=lru,tpftl(cache=8KiB, features=bc)")
['dftl(replacement=lru)', 'tpftl(cache=8KiB, features=bc)']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_KEY = r"(?=[\w.]+=)"
_BRACKETS = re.compile(r"(?P<name>[^(]+?)\s*\((?P<inside>[\w.]+=.*)\)", re.DOTALL)
_BEHIND = re.compile(rf"(?P<name>.+?)(?::{_KEY}|\s+{_KEY})(?P<inside>.*)", re.DOTALL)
_BETWEEN = re.compile(rf"\s*[,:;]\s*{_KEY}|\s+{_KEY}")
_COMMA = re.compile(r",(?!\s*[\w.]+=)(?![^(]*\))")


def split(text: str) -> tuple[str, dict[str, str]]:
    """Return the name in a text, and the settings behind it, by the names that they were given."""
    found = _BRACKETS.fullmatch(text) or _BEHIND.fullmatch(text)
    if not found:
        return text, {}
    parts = [part.partition("=") for part in _BETWEEN.split(found["inside"].strip())]
    return found["name"], {key.strip(): value.strip() for key, _, value in parts}


def joined(name: str, settings: Mapping[str, object]) -> str:
    """Return the text of a variant, as `Ftl` and its results have it."""
    inside = ", ".join(f"{key}={value}" for key, value in settings.items())
    return f"{name}({inside})" if inside else name


def listed(text: str, named: Callable[[str], str] = str) -> list[str]:
    """Return the variants in a text with commas between, each as `joined` writes it.

    Commas in brackets, and those before a setting, belong to a variant.
    """
    found = [split(part.strip()) for part in _COMMA.split(text)]
    return [joined(named(name), settings) for name, settings in found]
