"""Running a result again: from its own configuration, and whether it comes out the same."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ftlab.config import Config
from ftlab.errors import ConfigError
from ftlab.result import Result

ALONE = ("speed",)
"""What two runs never have in common."""
SHOWN = 8
"""Differences that are told."""


def read(path: str) -> tuple[Config, str, Result | None]:
    """Return the configuration, the FTL and the result in a file, if the point did not fail.

    It is one of ``ftlab run --json``, of ``ftlab compare --json`` if that had one FTL, or one of a
    folder of results.
    """
    try:
        content = Path(path).read_bytes()
        tree: Any = json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, EOFError) as error:
        raise ConfigError(f"{path}: found no JSON, expected a result") from error
    if isinstance(tree, list):
        if len(tree) != 1:
            raise ConfigError(f"{path}: found {len(tree)} results, expected one")
        (tree,) = tree
    failed = isinstance(tree, Mapping) and "failure" in tree
    point = tree if failed else tree.get("result", tree) if isinstance(tree, Mapping) else {}
    try:
        config, ftl = point["config"], point["ftl"]
    except KeyError as error:
        raise ConfigError(f"{path}: found no {error.args[0]}, expected a result") from error
    return config, ftl, None if failed else Result(point)


def say_differences(before: Result | None, after: Result) -> bool:
    """Say whether a result came out bit for bit as before, and return that."""
    if before is None:
        click.echo("it failed before, and does not now", err=True)
        return False
    old, new = (
        {key: value for key, value in each.to_dict().items() if key not in ALONE}
        for each in (before, after)
    )
    different = [*_differences(old, new)]
    if not different:
        click.echo("bit-equal: every figure but speed is as it was", err=True)
        return True
    for name, was, now in different[:SHOWN]:
        click.echo(f"different: {name}: was {was}, is {now}", err=True)
    if len(different) > SHOWN:
        click.echo(f"different: {len(different) - SHOWN} more", err=True)
    return False


def _differences(old: Any, new: Any, name: str = "") -> list[tuple[str, str, str]]:
    """Return the names of what is not the same, with both texts."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return [
            found
            for key in dict.fromkeys([*old, *new])
            for found in _differences(old.get(key), new.get(key), f"{name}.{key}".lstrip("."))
        ]
    texts = [json.dumps(each) for each in (old, new)]
    if texts[0] == texts[1]:
        return []
    was, now = (text if len(text) < 60 else f"{text[:57]}..." for text in texts)
    return [(name, was, now)]
