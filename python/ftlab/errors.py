"""The exceptions of ftlab. Every message is one line that names the place and the remedy.

* ``ConfigError`` and ``TraceError``: an error in the configuration, or in a trace
* ``FileError``, a ``TraceError``: a file that the system cannot read
* ``ResourceError``: no more memory or threads; the same call may succeed later
* ``Interrupted``: a run that was stopped
* ``InternalError``: a broken invariant, a bug in ftlab or in one of its FTLs
* ``RuleError``: a rule that a class written in Python broke

The constructor of an FTL in Python raises ``TooSmall`` for a device with too few blocks.
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
    """Turn the exception of Python for a thread that cannot be started into `ResourceError`."""
    try:
        yield
    except RuntimeError as error:
        if "start new thread" not in str(error):
            raise
        raise ResourceError(
            "found no room for another thread; raise the limit of processes (ulimit -u), or run "
            "less at a time"
        ) from error
