"""A folder of results, one file for each point: whole or absent, and used only if undamaged.

A file is compressed JSON, as experiments have thousands. A failed point is also a result.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from ftlab.config import Config
from ftlab.errors import ConfigError
from ftlab.files import check_folder, is_same, make_folder, sweep, write_atomically
from ftlab.points.entry import END, Entry, Failure, Outcome, UnsoundError, entry, packed
from ftlab.points.order import ordered
from ftlab.points.point import Point

__all__ = ["Entry", "Failure", "LeftOut", "Outcome", "Store", "lacks", "read"]

VOLUMES = "volumes"
"""The subfolder for the volumes of inputs, each a separate input."""

INPUTS = "inputs"
"""The subfolder for inputs made from others."""


@dataclass(frozen=True)
class LeftOut:
    """A file of a folder of results without a valid result."""

    path: Path
    why: str


class Store:
    """The results in ``folder``, which is made when the first one is saved.

    With ``clean``, the default, files that killed writers left there are removed.
    """

    def __init__(self, folder: str | Path, *, clean: bool = True) -> None:
        self.folder: Path = Path(folder)
        if clean:
            sweep(self.folder)

    def prepare(self) -> None:
        """Make the folder; raise `ConfigError` if results cannot be written there."""
        check_folder(self.folder)

    def path(self, point: Point) -> Path:
        """Return the file of a point's result."""
        return self.folder / f"{point.digest}{END}"

    def lacks(self, point: Point, retry: bool = False) -> bool:
        """Return whether a point has no result, or a failure to run again, as `lacks` does."""
        return lacks(self.entry(point), retry)

    def entry(self, point: Point) -> Entry | None:
        """Return the content of the file of a point; None if there is none, or it is damaged."""
        found = read(self.path(point))
        return found if found and found.identity == point.identity else None

    def save(self, point: Point, outcome: Outcome) -> Entry:
        """Write the outcome of a point, whole or not at all, and return the entry."""
        kind, tree = _tree(outcome)
        content = {
            "label": point.label,
            **point.given,
            "identity": point.identity,
            kind: tree,
        }
        path = self.path(point)
        self._write(path.name, packed(content))
        return Entry(path, point.label, **point.given, outcome=outcome, identity=point.identity)

    def entries(self) -> Iterator[Entry]:
        """Yield the valid entries, in the order of their settings."""
        yield from self.contents()[0]

    def contents(self) -> tuple[list[Entry], list[LeftOut]]:
        """Return the valid entries, in the order of their settings, and the other files."""
        sound, left_out = [], []
        for path in self._files():
            try:
                sound.append(entry(path))
            except UnsoundError as error:
                left_out.append(LeftOut(path, str(error)))
        return ordered(sound), left_out

    def merge(self, other: Store) -> tuple[int, list[LeftOut]]:
        """Copy the results of ``other`` that are missing or failed here.

        Returns their number, and the files of ``other`` that are left out.
        """
        taken = 0
        found, left_out = other.contents()
        for each in found:
            here = read(self.folder / each.path.name)
            if here is None or (here.failed and not each.failed):
                self._write(each.path.name, each.path.read_bytes())
                taken += 1
        return taken, left_out

    def _files(self) -> list[Path]:
        """Return the files that should have results."""
        try:
            names = os.listdir(self.folder)
        except (FileNotFoundError, NotADirectoryError) as error:
            file = ", but a file" if self.folder.is_file() else ""
            raise ConfigError(
                f"{self.folder}: found no such folder{file}, "
                "expected one with results, as `ftlab sweep` writes"
            ) from error
        except OSError as error:
            raise ConfigError(f"{self.folder}: cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise ConfigError(f"{self.folder}: cannot be read: {error}") from error
        own = [each for each in names if each.endswith(END) and not each.startswith(".")]
        return [self.folder / each for each in sorted(own)]

    def keeps(self, path: str | Path) -> bool:
        """Return whether a file is, or would be, one of this folder, also through links."""
        file, folder = Path(path).resolve(), self.folder.resolve()
        inputs = [folder / name for name in (VOLUMES, INPUTS)]
        if file.parent == folder and file.name.endswith(END):
            return True
        if any(each in file.parents for each in inputs):
            return True
        kept = chain(folder.glob(f"*{END}"), *(each.rglob("*") for each in inputs))
        return file.exists() and any(is_same(file, each) for each in kept)

    def _write(self, name: str, content: bytes) -> None:
        write_atomically(make_folder(self.folder) / name, content, place="entry")


def lacks(found: Entry | None, retry: bool) -> bool:
    """Return whether there is no entry for a point, or a failure to run again.

    A failure is run again if it depends on the moment, and with ``retry`` always.
    """
    if found is None:
        return True
    came = found.outcome
    return isinstance(came, Failure) and (retry or came.momentary)


def read(path: Path) -> Entry | None:
    """Return the content of a file of a store; None if it is no such file, or damaged."""
    try:
        return entry(path)
    except UnsoundError:
        return None


def _tree(outcome: Outcome) -> tuple[str, Config]:
    if isinstance(outcome, Failure):
        return "failure", asdict(outcome)
    return "result", outcome.to_dict()
