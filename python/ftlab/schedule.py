"""The times of single flash operations, for the viewers of Chrome's trace format."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import groupby
from typing import Any

from ftlab.result import Result

PLANES, CHANNELS, REQUESTS = 1, 2, 3
"""The groups of tracks."""

COLOURS = {
    "host": "rail_response",
    "translation": "yellow",
    "gc_data": "thread_state_iowait",
    "gc_mapping": "rail_animation",
    "gc_translation": "thread_state_runnable",
    "merge": "terrible",
    "padding": "good",
    "read_modify_write": "olive",
    "wear": "grey",
    "checkpoint": "startup",
    "trim": "generic_work",
}
"""Colours of causes, by the names of chrome://tracing; Perfetto chooses its own."""

DETAILS = ("request", "chain", "kind", "lpn", "vtpn", "plane", "block", "page", "source")


@dataclass(frozen=True)
class Chain:
    """The operations of one page access of a request, in sequence, and its track."""

    operations: Sequence[Any]
    track: int

    @property
    def request(self) -> int:
        """The number of its request."""
        return int(self.operations[0]["request"])

    @property
    def span(self) -> list[int]:
        """From the issue of its request to the end of the last operation, ns."""
        return [self.operations[0]["issued"], max(each["end"] for each in self.operations)]


def chains(schedule: Sequence[Any]) -> list[Chain]:
    """Return the chains of a schedule on the fewest tracks without overlap."""

    def belongs(operation: Any) -> tuple[int, int]:
        return operation["request"], operation["chain"]

    groups = [list(group) for _, group in groupby(sorted(schedule, key=belongs), belongs)]
    busy: list[tuple[int, int]] = []
    free: list[int] = []
    found = []
    for group in sorted(groups, key=lambda group: int(group[0]["issued"])):
        while busy and busy[0][0] <= group[0]["issued"]:
            heappush(free, heappop(busy)[1])
        chain = Chain(group, heappop(free) if free else len(busy))
        heappush(busy, (chain.span[1], chain.track))
        found.append(chain)
    return found


def chrome_trace(result: Result) -> str:
    """Return the operations of ``result["schedule"]`` as JSON for Perfetto and chrome://tracing.

    Each plane has a track that shows when its array is busy. Each channel has a track that shows
    when a page is on its bus. Requests have as many tracks as are served at a time. An operation is
    named, and coloured, by its cause.
    """
    found = chains(result.find("schedule") or [])
    tracks = {
        PLANES: ("planes", "plane", result["device"]["planes"]),
        CHANNELS: ("channels", "channel", len(result["channels"]["busy_fraction"])),
        REQUESTS: ("requests", "page access", 1 + max((each.track for each in found), default=-1)),
    }
    names = [
        name
        for group, (title, track, count) in tracks.items()
        for name in (
            _name("process_name", group, 0, title),
            *(_name("thread_name", group, each, f"{track} {each}") for each in range(count)),
        )
    ]
    events = [*names, *_work(result), *(event for each in found for event in _served(each))]
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}) + "\n"


def _work(result: Result) -> Iterator[dict[str, Any]]:
    """Yield the operations on planes and channels."""
    per_channel = result["device"]["planes"] // len(result["channels"]["busy_fraction"])
    for operation in result.find("schedule") or []:
        plane = operation["plane"]
        yield _operation(operation, PLANES, plane, operation["array"])
        if operation["bus"] is not None:
            yield _operation(operation, CHANNELS, plane // per_channel, operation["bus"])


def _served(chain: Chain) -> Iterator[dict[str, Any]]:
    """Yield a page access from the issue of its request, and its operations inside."""
    told = {"request": chain.request, "chain": chain.operations[0]["chain"]}
    yield _slice(f"request {chain.request}", "request", REQUESTS, chain.track, chain.span, told)
    for each in chain.operations:
        yield _operation(each, REQUESTS, chain.track, [each["start"], each["end"]])


def _operation(operation: Any, group: int, track: int, span: Sequence[int]) -> dict[str, Any]:
    told = {key: operation[key] for key in DETAILS if operation[key] is not None}
    cause = operation["cause"]
    slice_ = _slice(cause, operation["kind"], group, track, span, told)
    return {**slice_, "cname": COLOURS[cause]}


def _slice(
    name: str, kind: str, group: int, track: int, span: Sequence[int], told: dict[str, Any]
) -> dict[str, Any]:
    start, end = span
    times = {"ts": start / 1000, "dur": (end - start) / 1000}
    return {"name": name, "cat": kind, "ph": "X", **times, "pid": group, "tid": track, "args": told}


def _name(what: str, group: int, track: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": group, "tid": track, "args": {"name": name}}
