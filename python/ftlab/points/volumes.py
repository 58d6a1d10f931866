"""The volumes of an input, each an input of its own: split once, and kept beside the results."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from ftlab.config import Config
from ftlab.files import write_atomically
from ftlab.points.point import DIGEST_DIGITS, Point, canonical, sha256
from ftlab.source import parts

FOLDER = "volumes"

LEAST_REQUESTS = 1000
"""A volume with fewer requests is too small for a run of its own, unless asked for."""


@dataclass(frozen=True)
class Volume:
    """A volume of an input: its number there, its requests, and the file that has them."""

    number: int
    requests: int
    file: Path


def split(config: Config, results: Path) -> list[Volume]:
    """Return the volumes of the input that a configuration names, split where that is missing.

    The files are in ``results/volumes``, in a folder named by the digest of what was split, beside
    which an index says that it is whole.
    """
    what = Point("", config, "page").input
    folder = results / FOLDER / sha256(canonical(what))[:DIGEST_DIGITS]
    index = folder.with_suffix(".json")
    if not (index.is_file() and folder.is_dir()):
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        found = parts(config, str(folder))
        keys = ("volume", "requests", "file")
        write_atomically(index, json.dumps([{key: each[key] for key in keys} for each in found]))
    rows = json.loads(index.read_text("utf-8"))
    volumes = [Volume(row["volume"], row["requests"], folder / row["file"]) for row in rows]
    return sorted(volumes, key=lambda volume: volume.number)
