"""Writing files that are either whole or absent."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ftlab.errors import ConfigError


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise `ConfigError` if ``path`` cannot be written, before any work is done for it."""
    target = Path(path)
    if _is_special(target):
        return
    folder = target.resolve().parent
    if target.is_dir():
        raise ConfigError(f"{target}: is a folder, expected the name of a file to write")
    if not folder.is_dir():
        raise ConfigError(f"{target}: the folder {folder} does not exist; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError(f"{target}: no permission to write in the folder {folder}")


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
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


def _is_special(target: Path) -> bool:
    """Tell whether ``target`` is a device or a pipe."""
    return target.exists() and not (target.is_file() or target.is_dir())


def _replace(target: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    """Return the process's mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
