"""What ftlab and packages beside it offer: FTLs, presets, formats, profiles, metrics."""

from __future__ import annotations

from ftlab import cores
from ftlab.record import Record


def catalog() -> Record:
    """Return everything that can be named in a configuration, each with one line about it.

    Keys: ``ftls`` (name, summary, source, ``map``: where it lives, ``cleaning``, ``mounts``:
    whether it goes on after a power cut, and with what, settings),
    ``settings`` (key, section, name, meaning, kind, values, optional, unit, default, range,
    source), ``buffers``, ``policies``, ``placements``, ``separations`` (name, summary, source,
    settings), ``presets`` (name, summary, source), ``formats`` (name, summary, source, columns,
    order of time), ``profiles``, ``patterns``, ``warmups`` (name, summary), ``metrics`` (name,
    unit, formula, where it is null, source, better, label, kind).
    """
    return Record(cores.catalogue())
