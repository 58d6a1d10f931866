"""The volumes of an input, or what devices of an array get, as inputs: split once and kept."""

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
"""The names for other distributions."""

INDEX = "index.json"

LEAST_REQUESTS = 1000
"""By default, a volume with fewer requests is too small to be run."""


@dataclass(frozen=True)
class Volume:
    """A volume of an input or a device of an array: its number, its requests, and its file."""

    number: int
    requests: int
    file: Path | None
    """None if its requests are generated."""


def split(config: Config, results: Path, stripes: str | None = None) -> list[Volume]:
    """Return the volumes of the input that a configuration names, split if necessary.

    With ``stripes``, as ``32:64KiB``, they are the devices of an array that requests reach.

    The files are in ``results/volumes``, in a folder named by the digest of the input and of the
    code, with an index. They are remade if one of them is missing or was changed. A warm-up changes
    no requests. Files that killed splits left there are removed.

    Raises `ftlab.ConfigError` if the input changes while it is split; no file is kept then.
    """
    whole = Point("", config, "page")
    asked = {key: value for key, value in whole.input.items() if key != "warmup"}
    array = {} if stripes is None else {"stripes": stripes}
    digest = sha256(canonical({**asked, **array, "code": code(whole.core)}))
    folder = results / VOLUMES / digest[:DIGEST_DIGITS]
    sweep(folder.parent)
    rows = kept(folder / INDEX)
    if rows is None:
        _make(whole, folder, stripes)
        rows = kept(folder / INDEX)
    if rows is None:
        raise ConfigError(f"{folder}: found other volumes than were written; remove this folder")
    volumes = [Volume(row["volume"], row["requests"], folder / row["file"]) for row in rows]
    return sorted(volumes, key=lambda volume: volume.number)


def _make(whole: Point, folder: Path, stripes: str | None) -> None:
    """Split into a folder that appears whole or not at all."""
    with workplace(folder) as place:
        made = place / folder.name
        found = parts(whole.config, str(made), None, stripes)
        keys = ("volume", "requests", "file")
        keep(made / INDEX, [{key: each[key] for key in keys} for each in found])
        whole.check_input()
        _put(made, folder)


def _put(made: Path, folder: Path) -> None:
    """Rename a folder to its place; if that exists, rename its files, the index last."""
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
