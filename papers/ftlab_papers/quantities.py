"""Figures of results that several papers are judged by."""

from __future__ import annotations

from ftlab import Result

RESPONSE = "response_us.mean"
HITS = "mapping.hit_ratio"
AMPLIFICATION = "write_amplification"


def erases(result: Result) -> float:
    """Return the blocks erased while measuring, of all kinds."""
    return float(sum(result["flash"]["erases"].values()))
