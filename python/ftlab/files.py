"""Writing files that are either whole or absent, and never the one that is read."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, TypeAlias

from ftlab.errors import ConfigError

Name: TypeAlias = str | os.PathLike[str]

STANDARD_INPUT = "-"

PARTIAL = ".partial"
"""How the names of partial files end."""


def check_writable(path: Name, reads: Iterable[Name] = ()) -> None:
    """Raise `ConfigError` if ``path`` cannot be written, or is one of the files that are read.

    Called before any work is done. Removes what writers of ``path`` that were killed have left.
    """
    target = Path(path)
    try:
        _check(target, reads)
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{target}: cannot be written: {error}") from error


def _check(target: Path, reads: Iterable[Name]) -> None:
    if _is_special(target):
        return
    file = target.resolve()
    if target.is_dir():
        raise ConfigError(f"{target}: is a folder, expected the name of a file to write")
    if not file.parent.is_dir():
        raise ConfigError(f"{target}: the folder {file.parent} does not exist; create it first")
    if not os.access(file.parent, os.W_OK | os.X_OK):
        raise ConfigError(f"{target}: no permission to write in the folder {file.parent}")
    same = next((read for read in reads if is_same(target, read)), None)
    if same is not None:
        raise ConfigError(f"{target}: is the input {same}, expected another file to write")
    sweep(file.parent, file.name)


def is_same(path: Name, other: Name) -> bool:
    """Tell whether both are one file, through links of either kind, too, or will be one."""
    target = Path(path)
    try:
        if other == STANDARD_INPUT:
            return os.path.samestat(target.stat(), os.fstat(0))
        if not target.exists():
            return target.resolve() == Path(other).resolve()
        return os.path.samestat(target.stat(), os.stat(other))
    except (OSError, ValueError):
        return False


def write_atomically(path: Name, content: str | bytes) -> None:
    """Write ``content`` beside ``path`` and rename it into place, so that no half is ever seen.

    A link stays a link; a device or a pipe is written to and never replaced.
    """
    target = Path(path)
    data = content.encode() if isinstance(content, str) else content
    try:
        if _is_special(target):
            target.write_bytes(data)
        else:
            _replace(target.resolve(), data)
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written: {error.strerror}") from error


def sweep(folder: Path, name: str = "") -> None:
    """Remove the partial files of ``name``, or of all, whose writers were killed.

    A writer holds a lock on its file as long as it lives.
    """
    start = f".{name}." if name else "."
    for entry in folder.iterdir():
        if entry.name.startswith(start) and entry.name.endswith(PARTIAL):
            with suppress(OSError), entry.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                entry.unlink()


def _is_special(target: Path) -> bool:
    """Tell whether ``target`` is a device or a pipe."""
    return target.exists() and not (target.is_file() or target.is_dir())


def _replace(target: Path, data: bytes) -> None:
    file, name = _partial(target)
    try:
        with file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _partial(target: Path) -> tuple[BinaryIO, str]:
    """Make a file beside ``target`` and lock it; one that was swept before that does not count."""
    while True:
        descriptor, name = tempfile.mkstemp(PARTIAL, f".{target.name}.", target.parent)
        file = os.fdopen(descriptor, "wb")
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.path.exists(name):
            return file, name
        file.close()


def named_files(*trees: object) -> Iterator[str]:
    """Yield every text in configurations and names of FTLs that may name a file which is read."""
    for tree in trees:
        if isinstance(tree, str):
            yield tree
            yield tree.rpartition(":")[0]
        elif isinstance(tree, dict):
            yield from named_files(*tree.values())
        elif isinstance(tree, list | tuple):
            yield from named_files(*tree)


def _umask() -> int:
    """Return the process's mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
