"""A configuration as a file: TOML with the sections and keys of `ftlab list settings`.

In addition to the sections it may have ``ftls``, the FTLs that run on it. `ftlab.points.grid`
describes the other keys of a sweep.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ftlab.catalogue import catalog
from ftlab.config import Config
from ftlab.documents import TooDeepError, from_toml
from ftlab.errors import ConfigError
from ftlab.names import known
from ftlab.plugins import resolved
from ftlab.units import counted, written
from ftlab.variants import split

HEAD = """\
# A configuration of ftlab: `ftlab run --config FILE` runs it. Every value can be left out, and
# options of the command line are stronger. A setting behind a # has no value."""

OF_ANY = ("input.hint_by", "input.update_every", "input.shard")
"""What also holds for requests that are generated."""


def load(path: str | os.PathLike[str]) -> Config:
    """Return the tree in a file; raises `ftlab.ConfigError` if it is not TOML.

    Keys and values are checked when they are used.
    """
    try:
        tree = from_toml(Path(path).read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: found bytes that are not UTF-8, expected TOML") from error
    except TooDeepError as error:
        raise ConfigError(f"{path}: {error}, expected a configuration") from error
    except ValueError as error:
        raise ConfigError(f"{path}: is not TOML: {error}") from error
    for key, value in _leaves(tree):
        is_finite = isinstance(value, float) and math.isfinite(value)
        if not isinstance(value, str | int) and not is_finite:
            raise ConfigError(f'{path}: "{key}": found {value}, expected a number, text or list')
    return counted(_named(tree))


def _named(tree: Config) -> Config:
    """Return a file's tree with the names of settings spelled as in the catalogue."""
    sections = {key: value for key, value in tree.items() if isinstance(value, Mapping)}
    plain = {"preset": tree["preset"]} if "preset" in tree else {}
    return {**{k: v for k, v in tree.items() if k not in sections}, **known({**plain, **sections})}


def dump(config: Mapping[str, Any], ftls: Sequence[str]) -> str:
    """Return the file of a configuration with all defaults and the meaning of each setting.

    It has only those settings of FTLs that one of ``ftls`` obeys.
    """
    names = [split(ftl)[0] for ftl in ftls]
    tree = resolved(config, *names)
    rows = [each for each in catalog()["settings"] if _matters(each["key"], tree, names)]
    lines = [HEAD, "", f"ftls = {json.dumps(list(ftls), ensure_ascii=False)}"]
    if tree.get("preset"):
        lines.append(f"preset = {_toml(tree['preset'])}")
    sections = dict.fromkeys(row["section"] for row in rows)
    for section in sections:
        lines += ["", f"[{section}]"]
        lines += [_line(row, tree) for row in rows if row["section"] == section]
    known = {each["section"] for each in catalog()["settings"]}
    for section in tree.keys() - sections.keys() - known - {"preset"}:
        lines += ["", f"[{section}]", *(f"{k} = {_toml(v)}" for k, v in tree[section].items())]
    return "\n".join(lines) + "\n"


def _line(row: Mapping[str, Any], tree: Config) -> str:
    """Return a setting with its value, meaning and unit."""
    value = tree[row["section"]].get(row["name"])
    unit = f" [{row['unit']}]" if row["unit"] else ""
    if value is None:
        return f"# {row['name']} =  # {row['meaning']}{unit} Default: {row['default']}."
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = written(value, row["kind"])
    return f"{row['name']} = {_toml(value)}  # {row['meaning']}{unit}"


def _matters(key: str, tree: Config, ftls: Sequence[str]) -> bool:
    """Return whether a setting belongs to the run, or an FTL obeys it."""
    section, _, name = key.partition(".")
    other = "input" if tree["input"]["trace"] is None else "workload"
    if section == other:
        return key in OF_ANY and tree[section].get(name) is not None
    keys = {each["name"]: [s["key"] for s in each["settings"]] for each in catalog()["ftls"]}
    obeying = [name for name in keys if key in keys[name]]
    return not obeying or any(ftl in obeying or ftl not in keys for ftl in ftls)


def _toml(value: Any) -> str:
    """Return a value in TOML, with texts quoted as in JSON."""
    return json.dumps(value, ensure_ascii=False)


def _leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from _leaves(value, f"{path}.{key}" if path else key)
    elif isinstance(tree, list):
        for value in tree:
            yield from _leaves(value, path)
    else:
        yield path, tree
