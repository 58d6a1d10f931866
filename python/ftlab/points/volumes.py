"""The volumes of an input, each an input of its own: split once, and kept beside the results."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ftlab.config import Config
from ftlab.errors import ConfigError
from ftlab.files import sweep, workplace
from ftlab.points.kept import keep, kept
from ftlab.points.point import DIGEST_DIGITS, Point, canonical, code, sha256
from ftlab.points.store import VOLUMES
from ftlab.source import parts

__all__ = ["Volume", "split"]
"""What other distributions may use."""

INDEX = "index.json"

LEAST_REQUESTS = 1000
"""A volume with fewer requests is too small to be run, unless asked for."""


@dataclass(frozen=True)
class Volume:
    """A volume of an input: its number there, its requests, and the file that has them."""

    number: int
    requests: int
    file: Path


def split(config: Config, results: Path) -> list[Volume]:
    """Return the volumes of the input that a configuration names, split where that is missing.

    The files are in ``results/volumes``, in a folder named by the digest of what was split, and by
    which code, with an index. They are made anew if one of them is missing or not as it was made. A
    warm-up changes no requests. What splits that were killed have left there is removed.

    Raises `ftlab.ConfigError` if the input changes while it is split: nothing is kept of it then.
    """
    whole = Point("", config, "page")
    asked = {key: value for key, value in whole.input.items() if key != "warmup"}
    digest = sha256(canonical({**asked, "code": code(whole.core)}))
    folder = results / VOLUMES / digest[:DIGEST_DIGITS]
    sweep(folder.parent)
    rows = kept(folder / INDEX)
    if rows is None:
        _make(whole, folder)
        rows = kept(folder / INDEX)
    if rows is None:
        raise ConfigError(f"{folder}: found other volumes than were written; remove this folder")
    volumes = [Volume(row["volume"], row["requests"], folder / row["file"]) for row in rows]
    return sorted(volumes, key=lambda volume: volume.number)


def _make(whole: Point, folder: Path) -> None:
    """Split into a folder that appears whole."""
    with workplace(folder) as place:
        made = place / folder.name
        found = parts(whole.config, str(made))
        keys = ("volume", "requests", "file")
        keep(made / INDEX, [{key: each[key] for key in keys} for each in found])
        whole.check_input()
        _put(made, folder)


def _put(made: Path, folder: Path) -> None:
    """Rename a folder into its place; if there is one, its files one by one, the index last."""
    try:
        made.rename(folder)
        return
    except OSError:
        files = sorted(made.iterdir(), key=lambda each: each.name == INDEX)
    for each in files:
        try:
            each.replace(folder / each.name)
        except OSError as error:
            told = f"{folder / each.name}: cannot be made anew: {error.strerror}; remove it"
            raise ConfigError(told) from error
