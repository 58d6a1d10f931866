"""What time is spent on, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ftlab.report.numbers import written

PARTS = {
    "host.reads": "host reads",
    "host.programs": "host writes",
    "translation.reads": "translation page reads",
    "translation.programs": "translation page writes",
    "gc_data.reads": "GC, page reads",
    "gc_data.programs": "GC, page writes",
    "gc_mapping.reads": "GC, map updates (reads)",
    "gc_mapping.programs": "GC, map updates (writes)",
    "gc_translation.reads": "GC of translation pages (reads)",
    "gc_translation.programs": "GC of translation pages (writes)",
    "merge.reads": "merges (reads)",
    "merge.programs": "merges (writes)",
    "padding.reads": "padding (reads)",
    "padding.programs": "padding (writes)",
    "read_modify_write.reads": "reads of partly written pages",
    "read_modify_write.programs": "writes of partly written pages",
    "wear.reads": "wear levelling (reads)",
    "wear.programs": "wear levelling (writes)",
    "checkpoint.reads": "checkpoints (reads)",
    "checkpoint.programs": "checkpoints (writes)",
    "trim.reads": "trim records (reads)",
    "trim.programs": "trim records (writes)",
    "erases": "block erases",
    "other": "other",
}
"""The parts of a time as a result names them, and as people do."""

MOST_TOLD = 3
"""Parts of a time that are told; the rest is a sum."""


def slow(request: Mapping[str, Any]) -> str:
    """Return how long one of the slowest requests took, what it waited for, and its service."""
    return (
        f"{written(request['response_us'], 'us')} from {written(request['arrival_s'], 's')} on: "
        f"waits for {spent(request['wait_us']) or 'nothing'}; "
        f"takes {spent(request['service_us']) or 'no time'}"
    )


def spent(parts: Mapping[str, float]) -> str:
    """Return the largest parts of a time in words, and how much the others are together."""
    largest = sorted(parts, key=lambda name: -parts[name])
    texts = [f"{PARTS[name]} {written(parts[name], 'us')}" for name in largest[:MOST_TOLD]]
    others = sum(parts[name] for name in largest[MOST_TOLD:])
    return ", ".join([*texts, *([f"others {written(others, 'us')}"] if others else [])])
