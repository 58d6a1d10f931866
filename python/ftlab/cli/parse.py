"""Texts of the command line as values of the configuration."""

from __future__ import annotations

import math
import tomllib
from typing import Any

import click

from ftlab.config import Config, merge, nested


def value(text: str) -> Any:
    """Return a TOML value (number, truth value, quoted text, array), or the text as it stands."""
    try:
        document = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    found = document["value"]
    return found if _plain(found) and len(document) == 1 else text


def _plain(found: Any) -> bool:
    """Tell whether JSON has a form for a value of TOML."""
    if isinstance(found, list):
        return all(_plain(each) for each in found)
    return isinstance(found, str | int) or (isinstance(found, float) and math.isfinite(found))


def setting(text: str) -> tuple[str, Any]:
    """Split ``key=value``."""
    key, equals, found = text.partition("=")
    if not equals or not key.strip():
        raise click.UsageError(f"`{text}` is not KEY=VALUE")
    return key.strip(), value(found.strip())


def overrides(texts: tuple[str, ...]) -> Config:
    """Return the tree that ``section.key=value`` texts describe, the last one winning."""
    tree: Config = {}
    for text in texts:
        key, found = setting(text)
        if not all(key.split(".")):
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
    """Return the names in a list with commas, each once."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise click.UsageError(f"`{text}` is not a list of names with commas between them")
    twice = next((part for part in parts if parts.count(part) > 1), None)
    if twice:
        raise click.UsageError(f"`{twice}` is named twice in `{text}`")
    return parts
