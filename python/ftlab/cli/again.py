"""Reruns a result from its own configuration and compares the two."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ftlab import cores
from ftlab.cli.options import MODEL, SOURCE
from ftlab.cli.say import say
from ftlab.cli.stored import RESULT
from ftlab.config import Config, merge
from ftlab.documents import json_file
from ftlab.errors import ConfigError, FileError
from ftlab.recording import joined, names
from ftlab.result import Result

ALONE = ("speed",)
"""Sections that always differ between two runs."""
SHOWN = 8
"""Differences that are printed."""


@dataclass(frozen=True)
class Stored:
    """A run as stored in its file; a failed one has no result."""

    config: Config
    ftl: str
    result: Result | None

    def on(self, trace: str, path: str) -> Stored:
        """Return the run on a copy of its trace; raises `ftlab.ConfigError` for another trace.

        ``path`` is the file that stores the run.
        """
        config = merge([self.config, {"input": {"trace": trace}}])
        wanted = self.result and self.result.find("trace.digest")
        if wanted:
            read: Config = {key: config[key] for key in ("input", "workload") if key in config}
            found = json.loads(cores.core_of(read).trace_info(json.dumps(read)))["info"]["digest"]
            if found != wanted:
                raise ConfigError(
                    f"{trace}: found requests with the digest {found}, expected {wanted}, "
                    f"of which {path} is"
                )
        return Stored(config, self.ftl, self.result)


def asked(options: Mapping[str, Any]) -> str | None:
    """Return the file of a result that ``--from`` names, which allows only a TRACE in addition.

    If ``--from`` is a time, it selects requests and is not a file.
    """
    path: str | None = options["from"]
    if not path or any(options[key] for key in ("workload", "config")):
        return None
    if options["trace"] and not is_result(path):
        return None
    described = {"ftl", "no_verify", "overrides", "requests", "sort", "clamp", "flushes"}
    described |= {"seeds", "parts"}
    described |= {each.name for each in (*SOURCE, *MODEL)}
    other = next((name for name in sorted(described) if options.get(name)), None)
    if other:
        flag = {"overrides": "set"}.get(other, other.replace("_", "-"))
        raise click.UsageError(
            f"--from {path} repeats a result unchanged, found --{flag}, expected no other option "
            "of the run but a TRACE"
        )
    return path


@contextmanager
def elsewhere(verb: str, path: str | None, trace: str | None) -> Iterator[None]:
    """Add to the error of an unreadable trace how to repeat a result on a copy of it."""
    try:
        yield
    except FileError as error:
        if not path or trace:
            raise
        hint = f"if the trace is elsewhere, write `ftlab {verb} TRACE --from {path}`"
        raise FileError(f"{error}; {hint}") from error


def is_result(text: str) -> bool:
    """Return whether a text names a file of results, and not a time."""
    return text.lower().endswith((".json", ".json.gz")) or Path(text).is_file()


def read(path: str) -> list[Stored]:
    """Return the runs in a file: of ``run --json``, ``compare --json``, or a folder of results."""
    tree = json_file(path, RESULT)
    found = [_stored(each, path) for each in (tree if isinstance(tree, list) else [tree])]
    if not found:
        raise ConfigError(f"{path}: found 0 results, expected one")
    return found


def one(path: str) -> Stored:
    """Return the only run in a file."""
    found = read(path)
    if len(found) != 1:
        raise ConfigError(
            f"{path}: found {len(found)} results, expected one; `ftlab compare --from` repeats them"
        )
    return found[0]


def _stored(tree: Any, path: str) -> Stored:
    match tree:
        case {"failure": _, "config": dict(config), "ftl": str(ftl)}:
            return Stored(_at_home(config), ftl, None)
        case {"result": {"config": dict(config), "ftl": str(ftl)} as result}:
            return Stored(_at_home(config), ftl, Result(result))
        case {"config": dict(config), "ftl": str(ftl)}:
            return Stored(_at_home(config), ftl, Result(tree))
    raise ConfigError(f"{path}: found no result of a run, expected {RESULT}")


def _at_home(config: Config) -> Config:
    """Return a configuration whose trace is read from this user's home, if it was in a home."""
    read = config.get("input")
    trace = read.get("trace") if isinstance(read, Mapping) else None
    if not isinstance(trace, str):
        return config
    at_home = [os.path.expanduser(name) if name.startswith("~/") else name for name in names(trace)]
    return merge([config, {"input": {"trace": joined(at_home)}}])


def say_differences(before: Result | None, after: Result) -> bool:
    """Print the differences between results; return whether they are equal bit for bit."""
    if before is None:
        say("this run succeeded, the stored one failed", err=True)
        return False
    old, new = (_comparable(each) for each in (before, after))
    different = [*_differences(old, new)]
    if not different:
        say("bit-equal: every metric except speed is unchanged", err=True)
        return True
    for name, was, now in different[:SHOWN]:
        say(f"different: {name}: was {was}, is {now}", err=True)
    if len(different) > SHOWN:
        say(f"different: {len(different) - SHOWN} more", err=True)
    return False


def _comparable(result: Result) -> dict[str, Any]:
    """Return what two runs have in common: all except their speed and the path of the trace."""
    tree: dict[str, Any] = {k: v for k, v in result.to_dict().items() if k not in ALONE}
    if result.find("trace.digest") and isinstance(result.find("config.input"), Mapping):
        read = {**tree["config"]["input"], "trace": None}
        tree["config"] = {**tree["config"], "input": read}
        tree["trace"] = {**tree["trace"], "name": None}
    return tree


def _differences(old: Any, new: Any, name: str = "") -> list[tuple[str, str, str]]:
    """Return the names of values that differ, with both texts."""
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
