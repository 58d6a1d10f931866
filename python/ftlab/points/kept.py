"""Files made from inputs and kept with results; they are used only if undamaged.

A sealed index in their folder has their names and digests.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ftlab.config import Config
from ftlab.files import write_atomically
from ftlab.points.entry import sealed, unsealed
from ftlab.points.point import content_digest


def keep(index: Path, rows: Sequence[Config]) -> None:
    """Write the index of files in its folder, each of which is the ``file`` of a row."""
    found = [{**row, "sha256": content_digest(index.parent / row["file"])} for row in rows]
    write_atomically(index, sealed(json.dumps({"files": found})), place="entry")


def kept(index: Path) -> list[Config] | None:
    """Return the rows of an index if neither it nor any of its files has changed."""
    try:
        if not index.is_file():
            return None
        rows: Any = unsealed(index.read_text("utf-8"))["files"]
        return rows if all(_is_sound(index.parent, row) for row in rows) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _is_sound(folder: Path, row: Config) -> bool:
    file = folder / row["file"]
    is_own = file.parent == folder and file.is_file() and not file.is_symlink()
    return is_own and content_digest(file) == row["sha256"]
