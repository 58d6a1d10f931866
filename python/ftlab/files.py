"""Writes files and folders that are either whole or absent, and never overwrites what is read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, TypeAlias

from ftlab import _core
from ftlab.errors import ConfigError

__all__ = ["make_folder", "write_atomically"]
"""The names for other distributions."""

Name: TypeAlias = str | os.PathLike[str]

STANDARD_INPUT = "-"

UNUSABLE = (ValueError, RuntimeError)
"""The exceptions of a path with a NUL, and before Python 3.13 of a link to itself."""


def check_writable(path: Name, reads: Iterable[Name] = ()) -> None:
    """Raise `ConfigError` if ``path`` cannot be written, or is one of the files that are read.

    Call it before any work. It removes what killed writers of ``path`` left.
    """
    target = Path(path)
    try:
        _check(target, reads)
    except (OSError, *UNUSABLE) as error:
        raise ConfigError(f"{target}: cannot be written: {_answer(error)}") from error


def make_folder(path: Name) -> Path:
    """Make a folder and its parents; raise `ConfigError` if that fails."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{folder}: cannot make this folder: {_answer(error)}") from error
    return folder


def _check(target: Path, reads: Iterable[Name]) -> None:
    if _is_special(target):
        return
    file = target.resolve()
    if file.is_symlink():
        raise ConfigError(f"{target}: cannot be written: it is a link that leads to itself")
    if target.is_dir():
        raise ConfigError(f"{target}: is a folder, expected the name of a file to write")
    if not file.parent.is_dir():
        raise ConfigError(f"{target}: the folder {file.parent} does not exist; create it first")
    if not os.access(file.parent, os.W_OK | os.X_OK):
        raise ConfigError(f"{target}: no permission to write in the folder {file.parent}")
    same = next((read for read in reads if is_same(target, read)), None)
    if same is not None:
        raise ConfigError(f"{target}: is the input {same}, expected another file to write")
    with suppress(FileNotFoundError):
        file.lstat()
        if not os.access(file, os.W_OK):
            raise ConfigError(f"{target}: no permission to write to this file")
    _core.sweep(os.fspath(file.parent), file.name)


def is_same(path: Name, other: Name) -> bool:
    """Return whether both are, or will be, one file, also through links of either kind."""
    target = Path(path)
    try:
        if other == STANDARD_INPUT:
            return os.path.samestat(target.stat(), os.fstat(0))
        if not target.exists():
            return target.resolve() == Path(other).resolve()
        return os.path.samestat(target.stat(), os.stat(other))
    except (OSError, *UNUSABLE):
        return False


Place: TypeAlias = Literal["named", "entry", "new"]
"""What a file may replace.

``named``: the target of its name. A link remains a link, and a device or pipe is written to.
``entry``: the entry in the folder; no link is followed. ``new``: nothing.
"""


def write_atomically(path: Name, content: str | bytes, *, place: Place = "named") -> None:
    """Write ``content`` next to ``path`` and rename it into place, so that no part is ever seen.

    It has the permissions of the file that it replaces.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        _core.write_file(os.fspath(path), data, place)
    except (OSError, *UNUSABLE) as error:
        raise ConfigError(f"{path}: cannot be written: {_answer(error)}") from error


@contextmanager
def workplace(target: Path) -> Iterator[Path]:
    """Yield a hidden folder next to ``target`` for its content, and remove it in the end.

    The caller renames the content to its place. Raises `ConfigError` if no folder can be made.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        place = _core.Workplace(os.fspath(target))
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written: {_answer(error)}") from error
    try:
        yield Path(place.path)
    finally:
        place.remove()


def sweep(folder: Path) -> None:
    """Remove what killed writers left in a folder, and no file of other programs."""
    _core.sweep(os.fspath(folder))


def check_folder(path: Name) -> None:
    """Make a folder; raise `ConfigError` if no file can be written there."""
    folder = make_folder(path)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError(f"{folder}: no permission to write in this folder")


def _answer(error: Exception) -> str:
    """Return the message of the system."""
    return str(error.strerror if isinstance(error, OSError) else error)


def _is_special(target: Path) -> bool:
    """Return whether ``target`` is a device or a pipe."""
    return target.exists() and not (target.is_file() or target.is_dir())


def named_files(*trees: object) -> Iterator[str]:
    """Yield every text in configurations and names of FTLs that may name an input file."""
    for tree in trees:
        if isinstance(tree, str):
            yield tree
            yield tree.rpartition(":")[0]
        elif isinstance(tree, dict):
            yield from named_files(*tree.values())
        elif isinstance(tree, list | tuple):
            yield from named_files(*tree)
