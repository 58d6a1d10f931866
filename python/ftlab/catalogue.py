"""The FTLs, presets, formats, profiles and metrics of ftlab and of installed packages."""

from __future__ import annotations

from ftlab import cores
from ftlab.record import Record


def catalog() -> Record:
    """Return everything that can be named in a configuration, each with a one-line description.

    Keys, each with a list of records:

    * ``ftls``: name, summary, source, settings; ``map``, where it lives; ``cleaning``; ``mounts``,
      whether it recovers after a power cut, and with which data.
    * ``settings``: key, section, name, meaning, kind, values, optional, unit, default, range,
      source.
    * ``buffers``, ``policies``, ``placements``, ``separations``: name, summary, source, settings.
    * ``presets``: name, summary, source.
    * ``formats``: name, summary, source, columns, order of time.
    * ``profiles``, ``patterns``, ``warmups``: name, summary.
    * ``metrics``: name, unit, formula, when it is null, source, better, label, kind.
    """
    return Record(cores.catalogue())
