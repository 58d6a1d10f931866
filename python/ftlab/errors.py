"""What can go wrong, as exceptions. Every message is one line that names the place and the remedy.

``ConfigError`` and ``TraceError`` are mistakes in what was asked; ``FileError``, a ``TraceError``,
and ``ResourceError`` hang on the moment: a file that the system does not read, no more memory, no
more threads. ``Interrupted`` says that a run
was stopped; ``InternalError`` is a broken invariant, a bug in ftlab or in one of its FTLs;
``RuleError`` is a rule that a class written in Python broke. The constructor of an FTL in Python
raises ``TooSmall`` for a device with too few blocks.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from ftlab._core import (
    ConfigError,
    FileError,
    FtlabError,
    InternalError,
    Interrupted,
    ResourceError,
    RuleError,
    TooSmall,
    TraceError,
)

__all__ = [
    "ConfigError",
    "FileError",
    "FtlabError",
    "InternalError",
    "Interrupted",
    "ResourceError",
    "RuleError",
    "TooSmall",
    "TraceError",
]


@contextmanager
def starting_threads() -> Iterator[None]:
    """Raise `ResourceError` for what Python raises where no thread can be started."""
    try:
        yield
    except RuntimeError as error:
        if "start new thread" not in str(error):
            raise
        raise ResourceError(
            "found no room for another thread; raise the limit of processes (ulimit -u), or run "
            "less at a time"
        ) from error
