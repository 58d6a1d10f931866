"""Whose Python is run: the one place that decides whether a file of code that was named is loaded.

A configuration, a sweep and a result may name files of Python, and may come from somebody else. A
command so loads only what its own words name, or everything where it was told to trust what it
reads. A program in Python decides by itself what it hands on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ftlab.errors import FtlabError
from ftlab.files import UNUSABLE

CODE = ".py"

_named: frozenset[Path] | None = None
"""The only files that may be loaded; None for any."""


class UntrustedError(FtlabError):
    """Python that nobody has named who may: a mistake of the command, and of no single point."""


@contextmanager
def only_named(words: Sequence[str]) -> Iterator[None]:
    """Have nothing loaded meanwhile but the files that the words of a command name."""
    global _named
    before = _named
    _named = frozenset(_files(words))
    try:
        yield
    finally:
        _named = before


def everything() -> None:
    """Have whatever is named loaded, until the command ends."""
    global _named
    _named = None


def check(path: str) -> None:
    """Raise an error if a file of code may not be loaded."""
    if _named is not None and Path(path).resolve() not in _named:
        raise UntrustedError(
            f"{path}: is Python that would be run, and only a file that was read names it; if you "
            "trust both, name it in the command or add --trust"
        )


def _files(words: Sequence[str]) -> Iterator[Path]:
    """Yield what is or may be the name of a file of code: in lists and behind keys, too."""
    for word in words:
        parts = [part for at in ("[,=]", r"[,=\[\]]", "[,=(]") for part in re.split(at, word)]
        for part in (word, word.partition("=")[2], *parts):
            name = part.strip().strip("'\"")
            ends = (len(name), *(found.start() for found in re.finditer(":", name)))
            for path in (name[:end] for end in ends if name[:end].endswith(CODE)):
                try:
                    yield Path(path).resolve()
                except (OSError, *UNUSABLE):
                    continue
