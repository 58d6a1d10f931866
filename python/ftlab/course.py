"""The course of a run: a row for each interval of its timeline, with a column for each class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ftlab.result import Result

CLASSES = "_by_class"
"""How lists end that have a list for each class, or placement handle."""

Number = float | int | None


def rows(result: Result) -> list[dict[str, Number]]:
    """Return the rows: of `timeline.NAME_by_class`, class 3 has the column ``NAME.3``."""
    columns = dict(_columns(result["timeline"]))
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def amplifications(timeline: Mapping[str, Any]) -> list[list[float | None]]:
    """Return for each class the write amplification of each interval; None without writes."""
    written, copied = (timeline.get(name + CLASSES) or [] for name in ("written", "copied"))
    return [
        [(host + moved) / host if host else None for host, moved in zip(*pages, strict=True)]
        for pages in zip(written, copied, strict=True)
    ]


def joined(timeline: Mapping[str, Any], parts: int) -> dict[str, Any]:
    """Return the pages by class in about N stretches, and the end of each."""
    times = timeline["time_s"]
    step = max(1, round(len(times) / parts))
    # What is left over belongs to the last stretch.
    ends = [*range(step, len(times) - step + 1, step), len(times)] if times else []
    stretches = [slice(start, end) for start, end in pairwise([0, *ends])]
    summed = {
        name: [[sum(pages[each]) for each in stretches] for pages in lists or []]
        for name, lists in timeline.items()
        if name.endswith(CLASSES)
    }
    return {"time_s": [times[end - 1] for end in ends], **summed}


def _columns(timeline: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Number]]]:
    for name, values in timeline.items():
        if not name.endswith(CLASSES):
            yield name, values
            continue
        for number, of_class in zip(count(), values or ()):
            yield f"{name.removesuffix(CLASSES)}.{number}", of_class
    for number, of_class in enumerate(amplifications(timeline)):
        yield f"write_amplification.{number}", of_class
