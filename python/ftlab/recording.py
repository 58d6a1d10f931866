"""The text that names a trace: a file, or in braces several files of one recording."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import PurePath


def joined(names: Sequence[str]) -> str:
    """Return the text that names these files, as the core reads it."""
    if len(names) == 1:
        return names[0]
    return "{" + ",".join(re.sub(r"([\\,])", r"\\\1", name) for name in names) + "}"


def names(trace: str) -> list[str]:
    """Return the names that a text has: several in braces, or the one that it is."""
    if not (trace.startswith("{") and trace.endswith("}")) or os.path.exists(trace):
        return [trace]
    found = [""]
    for letter in re.findall(r"\\.|.", trace[1:-1]):
        if letter == ",":
            found.append("")
        else:
            found[-1] += letter.removeprefix("\\") or letter
    return found


def short(trace: str) -> str:
    """Return the name of a trace without its folder, as figures and tables show it."""
    first, *more = sorted(names(trace))
    name = PurePath(first).name
    return f"{name} and {len(more)} more" if more else name
