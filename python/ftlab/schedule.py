"""When single flash operations were done, for the viewers of Chrome's trace format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ftlab.result import Result

PLANES, CHANNELS = 1, 2
"""The two groups of tracks."""


def chrome_trace(result: Result) -> str:
    """Return the operations of ``result["schedule"]`` as JSON for Perfetto and chrome://tracing.

    There is one track for each plane, which shows when its array was at work, and one for each
    channel, which shows when a page was on its bus.
    """
    names = [
        _name("process_name", PLANES, 0, "planes"),
        _name("process_name", CHANNELS, 0, "channels"),
        *(
            _name("thread_name", PLANES, plane, f"plane {plane}")
            for plane in range(result["device"]["planes"])
        ),
        *(
            _name("thread_name", CHANNELS, channel, f"channel {channel}")
            for channel in range(len(result["channels"]["busy_fraction"]))
        ),
    ]
    events = [*names, *_slices(result)]
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}) + "\n"


def _slices(result: Result) -> Iterator[dict[str, Any]]:
    per_channel = result["device"]["planes"] // len(result["channels"]["busy_fraction"])
    for operation in result.find("schedule") or []:
        kind, plane = operation["kind"], operation["plane"]
        told = {key: operation[key] for key in ("request", "chain", "page")}
        yield _slice(kind, PLANES, plane, operation["array"], told)
        if operation["bus"] is not None:
            told = {**told, "plane": plane}
            yield _slice(kind, CHANNELS, plane // per_channel, operation["bus"], told)


def _slice(
    kind: str, group: int, track: int, span: list[int], told: dict[str, Any]
) -> dict[str, Any]:
    start, end = span
    times = {"ts": start / 1000, "dur": (end - start) / 1000}
    return {"name": kind, "cat": kind, "ph": "X", **times, "pid": group, "tid": track, "args": told}


def _name(what: str, group: int, track: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": group, "tid": track, "args": {"name": name}}
