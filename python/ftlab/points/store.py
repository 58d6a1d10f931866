"""A folder of results, one file for each point: whole or absent, and believed only if unharmed.

A file is JSON, compressed: experiments have thousands.
"""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

from ftlab.errors import ConfigError
from ftlab.files import sweep, write_atomically
from ftlab.points.point import Point, canonical, sha256
from ftlab.result import Result


class Store:
    """The results in ``folder``, which is made when the first one is saved."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if self.folder.is_dir():
            sweep(self.folder)

    def path(self, point: Point) -> Path:
        """Return the file of a point's result."""
        return self.folder / f"{point.digest}.json.gz"

    def load(self, point: Point) -> Result | None:
        """Return the result of a point; None if there is none, or its file is damaged."""
        try:
            tree: Any = json.loads(gzip.decompress(self.path(point).read_bytes()))
            result = tree["result"]
            sound = tree["checksum"] == sha256(canonical(result))
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, RecursionError):
            return None
        return Result(result) if sound and tree["identity"] == point.identity else None

    def save(self, point: Point, result: Result) -> None:
        """Write the result of a point, which appears whole or not at all."""
        tree = result.to_dict()
        content = {
            "label": point.label,
            "identity": point.identity,
            "checksum": sha256(canonical(tree)),
            "result": tree,
        }
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"{self.folder}: cannot make this folder: {error.strerror}"
            ) from error
        text = json.dumps(content, separators=(",", ":")) + "\n"
        write_atomically(self.path(point), gzip.compress(text.encode(), mtime=0))
