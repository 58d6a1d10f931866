"""Running a result again: from its own configuration, and whether it comes out the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ftlab.cli.say import say
from ftlab.cli.stored import RESULT
from ftlab.config import Config
from ftlab.documents import json_file
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
    tree = json_file(path, RESULT)
    if isinstance(tree, list):
        if len(tree) != 1:
            raise ConfigError(f"{path}: found {len(tree)} results, expected one")
        (tree,) = tree
    match tree:
        case {"failure": _, "config": dict(config), "ftl": str(ftl)}:
            return config, ftl, None
        case {"result": {"config": dict(config), "ftl": str(ftl)} as result}:
            return config, ftl, Result(result)
        case {"config": dict(config), "ftl": str(ftl)}:
            return config, ftl, Result(tree)
    raise ConfigError(f"{path}: found no result of a run, expected {RESULT}")


def say_differences(before: Result | None, after: Result) -> bool:
    """Say whether a result came out bit for bit as before, and return that."""
    if before is None:
        say("this run succeeded, the stored one failed", err=True)
        return False
    old, new = (
        {key: value for key, value in each.to_dict().items() if key not in ALONE}
        for each in (before, after)
    )
    different = [*_differences(old, new)]
    if not different:
        say("bit-equal: every metric except speed is unchanged", err=True)
        return True
    for name, was, now in different[:SHOWN]:
        say(f"different: {name}: was {was}, is {now}", err=True)
    if len(different) > SHOWN:
        say(f"different: {len(different) - SHOWN} more", err=True)
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
