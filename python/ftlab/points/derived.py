"""Inputs made from others: each written once, as a trace in the folder of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ftlab.config import Config
from ftlab.files import sweep, write_atomically
from ftlab.points.kept import keep, kept
from ftlab.points.point import DIGEST_DIGITS, Point, canonical, code, sha256
from ftlab.points.store import INPUTS
from ftlab.source import columns

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SECTOR = 512
COLUMNS = ("volume", "offset", "length", "op", "time_ns")

Columns: TypeAlias = "Mapping[str, npt.NDArray[np.integer[Any]]]"
"""Requests by the name of a column, as `ftlab.source.columns` returns them."""


def derived(config: Config, how: str, make: Callable[[Columns], Columns], results: Path) -> Path:
    """Return the trace that ``make`` makes of the input that a configuration names.

    It is a file of the Storage Performance Council's format in ``results``. It is written where it
    is missing or was harmed. ``how`` says what ``make`` does: its name follows from that and the
    input.

    Raises `ftlab.ConfigError` if the input changes meanwhile: nothing is kept then.
    """
    whole = Point(how, config, "page")
    digest = sha256(canonical({**whole.input, "made": how, "code": code(whole.core)}))
    path = results / INPUTS / f"{digest[:DIGEST_DIGITS]}.spc"
    index = path.with_suffix(".json")
    sweep(path.parent)
    if kept(index):
        return path
    made = make(columns(config))
    whole.check_input()
    rows = zip(*(made[each].tolist() for each in COLUMNS), strict=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "".join(map(_line, rows)), place="entry")
    keep(index, [{"file": path.name}])
    return path


def _line(row: tuple[int, int, int, int, int]) -> str:
    """Return a request as a line of that format."""
    volume, offset, length, op, time = row
    return f"{volume},{offset // SECTOR},{length},{'rw'[op]},{time / 1e9:.9f}\n"
