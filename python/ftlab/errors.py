"""What can go wrong, as exceptions. Every message is one line that names the place and the remedy.

``ConfigError`` and ``TraceError`` are mistakes in what was asked; ``Interrupted`` says that a run
was stopped; ``InternalError`` is a broken invariant, a bug in ftlab or in one of its FTLs;
``RuleError`` is a rule that a class written in Python broke. The constructor of an FTL in Python
raises ``TooSmall`` for a device with too few blocks.
"""

from ftlab._core import (
    ConfigError,
    FtlabError,
    InternalError,
    Interrupted,
    RuleError,
    TooSmall,
    TraceError,
)

__all__ = [
    "ConfigError",
    "FtlabError",
    "InternalError",
    "Interrupted",
    "RuleError",
    "TooSmall",
    "TraceError",
]
