"""What this build of ftlab offers: FTLs, presets, formats, profiles, patterns, metrics."""

from __future__ import annotations

import json

from ftlab import _core
from ftlab.result import Record


def catalog() -> Record:
    """Return everything that can be named in a configuration, each with one line about it.

    Keys: ``ftls`` (name, summary, source, parameters), ``presets`` (name, summary, source),
    ``formats`` (name, summary, source, columns, order of time), ``profiles``, ``patterns``,
    ``buffers`` (name, summary, source, parameters), ``policies`` and ``metrics`` (name, unit,
    formula, source, better).
    """
    return Record(json.loads(_core.catalog()))
