"""Writing files and folders that are either whole or absent, and never what is read."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from ftlab.errors import ConfigError

Name: TypeAlias = str | os.PathLike[str]

STANDARD_INPUT = "-"

PARTIAL = ".partial"
"""How the names of partial files and folders end."""

UNUSABLE = (ValueError, RuntimeError)
"""What paths raise with a NUL in their name, or before Python 3.13 a link that leads to itself."""


def check_writable(path: Name, reads: Iterable[Name] = ()) -> None:
    """Raise `ConfigError` if ``path`` cannot be written, or is one of the files that are read.

    Called before any work is done. Removes what writers of ``path`` that were killed have left.
    """
    target = Path(path)
    try:
        _check(target, reads)
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written: {error.strerror}") from error
    except UNUSABLE as error:
        raise ConfigError(f"{target}: cannot be written: {error}") from error


def make_folder(path: Name) -> Path:
    """Make a folder, and those that it is in; raise `ConfigError` where that cannot be."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot make this folder: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{folder}: cannot make this folder: {error}") from error
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
    except (OSError, *UNUSABLE):
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


@contextmanager
def workplace(target: Path) -> Iterator[Path]:
    """Yield a hidden folder beside ``target`` to make that in, and remove it in the end.

    What was made is renamed from there by the caller. Raises `ConfigError` where no folder can be
    made.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = _held(lambda: _folder(target))
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written: {error.strerror}") from error
    try:
        yield Path(name)
    finally:
        shutil.rmtree(name, ignore_errors=True)
        os.close(descriptor)


def sweep(folder: Path, name: str = "") -> None:
    """Remove what writers of ``name``, or of all, that were killed have left in a folder.

    A writer holds a lock on its file or folder as long as it lives.
    """
    start = f".{name}." if name else "."
    for entry in _entries(folder):
        if entry.name.startswith(start) and entry.name.endswith(PARTIAL):
            with suppress(OSError):
                _remove_unheld(entry)


def _entries(folder: Path) -> list[Path]:
    """Return what is in a folder; nothing where that cannot be told."""
    with suppress(OSError):
        return list(folder.iterdir())
    return []


def _remove_unheld(entry: Path) -> None:
    descriptor = os.open(entry, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    finally:
        os.close(descriptor)


def _is_special(target: Path) -> bool:
    """Tell whether ``target`` is a device or a pipe."""
    return target.exists() and not (target.is_file() or target.is_dir())


def _replace(target: Path, data: bytes) -> None:
    descriptor, name = _held(lambda: _file(target))
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _file(target: Path) -> tuple[int, str]:
    """Make and open a file beside ``target``."""
    return tempfile.mkstemp(PARTIAL, f".{target.name}.", target.parent)


def _folder(target: Path) -> tuple[int, str]:
    """Make and open a folder beside ``target``, anew if it was swept before it was open."""
    while True:
        name = tempfile.mkdtemp(PARTIAL, f".{target.name}.", target.parent)
        with suppress(FileNotFoundError):
            return os.open(name, os.O_RDONLY), name


def _held(make: Callable[[], tuple[int, str]]) -> tuple[int, str]:
    """Make what is written to and lock it; what was swept before that does not count.

    A file system without locks keeps what killed writers leave.
    """
    while True:
        descriptor, name = make()
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.path.exists(name):
            return descriptor, name
        os.close(descriptor)


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
