"""The metrics of a result, as the core declares them: names, units, which way is better."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ftlab import _core


@dataclass(frozen=True)
class Metric:
    """A metric of a result: its name, its unit, and where it is null."""

    name: str
    unit: str
    formula: str
    null: str
    source: str
    better: str
    """``higher``, ``lower``, or empty where neither is better."""
    label: str
    """Its name in tables; empty for one that no table shows."""
    kind: str
    """What JSON has for it, where it is not null."""


METRICS: Mapping[str, Metric] = {row["name"]: Metric(**row) for row in json.loads(_core.metrics())}


def label_of(path: str) -> str:
    """Return what tables and drawings call a metric; its path where nothing else is known."""
    return METRICS[path].label or path if path in METRICS else path
