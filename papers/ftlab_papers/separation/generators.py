"""Three exact workloads of page writes: the same requests for the same seed everywhere.

Each fills its pages once in order. ``zipf`` then writes single pages by a Zipf law of exponent 1.
``shift`` writes one to eight pages, four times of five within a hot tenth that moves. ``mixed`` is
a circular log, a hot part and the rest. Numbers come from SplitMix64; requests are 100 us apart.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ftlab.points import Columns, Config, derived

PAGE = 4096
APART_NS = 100_000
FIRST_NS = 1_000_000_000
"""When the first request comes: schemes take 0 for never."""

FILLED_AT_ONCE = 16
"""Pages of a request that fills, except in ``zipf``."""

Numbers = NDArray[np.uint64]
Made = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The first page and the pages of each request."""


def splitmix(seed: int, count: int) -> Numbers:
    """Return the first numbers of SplitMix64."""
    steps = np.arange(1, count + 1, dtype=np.uint64)
    found = np.uint64(seed) + steps * np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))


def below(drawn: Numbers, limit: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """Return numbers below a limit."""
    scaled = (drawn >> np.uint64(32)) * np.asarray(limit).astype(np.uint64)
    return (scaled >> np.uint64(32)).astype(np.int64)


def zipf(pages: int, writes: int, seed: int) -> Made:
    """Return writes of single pages by a Zipf law over a shuffled order."""
    drawn = splitmix(seed, pages - 1 + writes)
    order = np.arange(pages)
    places = np.arange(pages - 1, 0, -1)
    for place, other in zip(places, below(drawn[: pages - 1], places + 1), strict=True):
        order[[place, other]] = order[[other, place]]
    sums = np.cumsum(1.0 / np.arange(1, pages + 1))
    where = (drawn[pages - 1 :] >> np.uint64(11)).astype(np.float64) / 2.0**53 * sums[-1]
    ranks = np.minimum(np.searchsorted(sums, where, side="right"), pages - 1)
    first = np.concatenate([np.arange(pages), order[ranks]])
    return first, np.ones_like(first)


def shift(pages: int, writes: int, seed: int) -> Made:
    """Return writes of which four of five begin in a hot tenth, which moves eight times."""
    hot, every = pages // 10, writes // 8
    numbers = iter(splitmix(seed, 3 * writes + 9))

    def draw(limit: int) -> int:
        return (int(next(numbers)) >> 32) * limit >> 32

    first, count = np.empty(writes, np.int64), np.empty(writes, np.int64)
    base = 0
    for number in range(writes):
        if number % every == 0:
            base = draw(pages - hot)
        long = 1 + draw(8)
        page = base + draw(hot) if draw(100) < 80 else draw(pages)
        first[number], count[number] = page, min(long, pages - page)
    return _filled(pages, first, count)


def mixed(pages: int, writes: int, seed: int) -> Made:
    """Return half of a circular log in a quarter, 2 of 5 in a hot 1/32, the rest elsewhere."""
    log, hot = pages // 4, pages // 32
    numbers = iter(splitmix(seed, 2 * writes))

    def draw(limit: int) -> int:
        return (int(next(numbers)) >> 32) * limit >> 32

    first, count = np.empty(writes, np.int64), np.ones(writes, np.int64)
    head = 0
    for number in range(writes):
        part = draw(100)
        if part < 50:
            first[number], count[number] = head, 4
            head = (head + 4) % log
        elif part < 90:
            first[number] = log + draw(hot)
        else:
            first[number] = log + hot + draw(pages - log - hot)
    return _filled(pages, first, count)


def _filled(pages: int, first: NDArray[np.int64], count: NDArray[np.int64]) -> Made:
    """Return requests behind those that write every page once."""
    fill = np.arange(0, pages, FILLED_AT_ONCE)
    long = np.minimum(FILLED_AT_ONCE, pages - fill)
    return np.concatenate([fill, first]), np.concatenate([long, count])


KINDS: dict[str, Callable[[int, int, int], Made]] = {"zipf": zipf, "shift": shift, "mixed": mixed}


def generated(kind: str, pages: int, writes: int, seed: int, results: Path) -> Path:
    """Return the trace of one of the `KINDS`, which is made once and kept with the results."""
    nothing: Config = {"workload": {"pattern": "seq", "size": PAGE, "requests": 1}}

    def make(_: Columns) -> Columns:
        first, count = KINDS[kind](pages, writes, seed)
        zeros = np.zeros_like(first)
        times = FIRST_NS + APART_NS * np.arange(len(first), dtype=np.int64)
        columns = {"volume": zeros, "offset": first * PAGE, "length": count * PAGE}
        return {**columns, "op": zeros + 1, "time_ns": times}

    return derived(nothing, f"{kind} of {pages} pages, {writes} writes, {seed}", make, results)


def page_writes(trace: Config, results: Path) -> Path:
    """Return the writes of a trace, whose pages follow each other as their addresses do."""

    def make(columns: Columns) -> Columns:
        written = columns["op"] == 1
        kept = {name: column[written].astype(np.int64) for name, column in columns.items()}
        begin = kept["offset"] // PAGE
        count = -(-(kept["offset"] + kept["length"]) // PAGE) - begin
        # A volume lies behind the one before it.
        place = begin + (kept["volume"] << 44)
        touched = np.repeat(place, count) + _ranges(count)
        numbers = np.searchsorted(np.unique(touched), place)
        times = FIRST_NS + kept["time_ns"] // 1000 * 1000
        columns = {"volume": np.zeros_like(begin), "offset": numbers * PAGE, "length": count * PAGE}
        return {**columns, "op": kept["op"], "time_ns": times}

    return derived(trace, "writes of whole pages, without gaps", make, results)


def _ranges(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 0, 1, ... below each count, one behind the other."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
