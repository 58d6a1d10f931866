"""A folder of results, one file for each point: whole or absent, and believed only if unharmed.

A file is JSON, compressed: experiments have thousands. That a point failed is a result, too.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from ftlab import errors
from ftlab.config import Config
from ftlab.errors import ConfigError
from ftlab.files import is_same, make_folder, sweep, write_atomically
from ftlab.points.point import Point, sha256
from ftlab.result import Result

END = ".json.gz"
"""How the names of files end."""

VOLUMES = "volumes"
"""The folder beside the results for the volumes of inputs, each an input of its own."""

INPUTS = "inputs"
"""The folder beside the results for inputs that were made of others."""

SEAL = ',"checksum":'


@dataclass(frozen=True)
class Failure:
    """Why a point has no result: the exception's name, and its message."""

    error: str
    message: str

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Return the failure that an exception is."""
        return cls(type(error).__name__, str(error))

    def __str__(self) -> str:
        """Return the message, behind the name of an exception that is not one of ftlab's."""
        own = self.error in errors.__all__
        return self.message if own else f"{self.error}: {self.message}"


Outcome: TypeAlias = Result | Failure


@dataclass(frozen=True)
class Entry:
    """What a file holds: a point as it was given, and what came of it."""

    path: Path
    label: str
    config: Config
    ftl: str
    outcome: Outcome
    identity: Config

    @property
    def failed(self) -> bool:
        """Whether there is no result."""
        return isinstance(self.outcome, Failure)


class Store:
    """The results in ``folder``, which is made when the first one is saved.

    What writers that were killed have left there is removed, unless told not to ``clean``.
    """

    def __init__(self, folder: str | Path, *, clean: bool = True) -> None:
        self.folder = Path(folder)
        if clean:
            sweep(self.folder)

    def path(self, point: Point) -> Path:
        """Return the file of a point's result."""
        return self.folder / f"{point.digest}{END}"

    def load(self, point: Point) -> Outcome | None:
        """Return what came of a point; None if there is nothing, or its file is damaged."""
        entry = self.entry(point)
        return entry.outcome if entry else None

    def lacks(self, point: Point, retry: bool = False) -> bool:
        """Tell whether there is nothing of a point, or with ``retry`` only that it failed."""
        return lacks(self.load(point), retry)

    def entry(self, point: Point) -> Entry | None:
        """Return what the file of a point holds; None if there is none, or it is damaged."""
        entry = read(self.path(point))
        return entry if entry and entry.identity == point.identity else None

    def save(self, point: Point, outcome: Outcome) -> None:
        """Write what came of a point, which appears whole or not at all."""
        kind, tree = _tree(outcome)
        content = {
            "label": point.label,
            **point.given,
            "identity": point.identity,
            kind: tree,
        }
        text = sealed(json.dumps(content, separators=(",", ":")))
        self._write(self.path(point).name, gzip.compress(text.encode(), mtime=0))

    def entries(self) -> Iterator[Entry]:
        """Yield what the sound files hold, in the order of their labels."""
        if not self.folder.is_dir():
            raise ConfigError(f"{self.folder}: found no such folder, expected one with results")
        found = (read(path) for path in sorted(self.folder.glob(f"*{END}")))
        yield from sorted((each for each in found if each), key=lambda each: each.label)

    def merge(self, other: Store) -> int:
        """Take over the results of ``other`` that are missing or failed here, and count them."""
        taken = 0
        for entry in other.entries():
            here = read(self.folder / entry.path.name)
            if here is None or (here.failed and not entry.failed):
                self._write(entry.path.name, entry.path.read_bytes())
                taken += 1
        return taken

    def keeps(self, path: str | Path) -> bool:
        """Tell whether a file is one of this folder, through links, too, or would be."""
        file, folder = Path(path).resolve(), self.folder.resolve()
        inputs = [folder / name for name in (VOLUMES, INPUTS)]
        if file.parent == folder and file.name.endswith(END):
            return True
        if any(each in file.parents for each in inputs):
            return True
        kept = chain(folder.glob(f"*{END}"), *(each.rglob("*") for each in inputs))
        return file.exists() and any(is_same(file, each) for each in kept)

    def _write(self, name: str, content: bytes) -> None:
        write_atomically(make_folder(self.folder) / name, content)


def lacks(found: Outcome | None, retry: bool) -> bool:
    """Tell whether nothing was found of a point, or with ``retry`` only that it failed."""
    return found is None or (retry and isinstance(found, Failure))


def sealed(text: str) -> str:
    """Return the text of an object with its checksum as the last of its members."""
    body = text[:-1]
    return f'{body}{SEAL}"{sha256(body)}"}}\n'


def read(path: Path) -> Entry | None:
    """Return what a file of a store holds; None if it is no such file, or damaged."""
    try:
        text = gzip.decompress(path.read_bytes()).decode()
        if text != sealed(text.rpartition(SEAL)[0] + "}"):
            return None
        tree: Any = json.loads(text)
        kind = "result" if "result" in tree else "failure"
        outcome = Result(tree[kind]) if kind == "result" else Failure(**tree[kind])
        label, config, ftl = tree["label"], tree["config"], tree["ftl"]
        return Entry(path, label, config, ftl, outcome, tree["identity"])
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, RecursionError):
        return None


def _tree(outcome: Outcome) -> tuple[str, Config]:
    if isinstance(outcome, Failure):
        return "failure", asdict(outcome)
    return "result", outcome.to_dict()
