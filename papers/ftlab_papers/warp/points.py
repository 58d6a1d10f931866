"""What is run: three streams on the drive A2, two types of isolation, and one stream in two orders.

The key of a point begins with `CELL`, `LEVEL`, `MIXES` or `STREAM`. Each run begins with a device
that was trimmed, and is measured from there.
"""

from __future__ import annotations

from ftlab.points import Config, Point, merge
from ftlab_papers.inputs import Sources
from ftlab_papers.placed import PAGE, one_stream, pages_per_unit, seed, written
from ftlab_papers.runs import Key
from ftlab_papers.warp.published import (
    FDP,
    NONE,
    PLACEMENTS,
    SPARES,
    THIRDS,
    TYPES,
    UNITS,
)

CELL, LEVEL, MIXES, STREAM = "A2", "levels", "mix", "one stream"

A2_UNITS, A2_LOGICAL = 4085, 3584
"""1.14 x 448 GiB in units of 128 MiB, of which 448 GiB are the capacity."""

PASSES = 6
MIX = (58, 21, 21)
"""Bytes of the streams after the fill, in percent, by fio's logs of all twelve runs."""

LEVEL_MIX = (84, 8, 8)
LEVEL_PASSES = 5

MIX_UNIT = "256 MB"
"""The unit with which the levels are also run with the mix of A2."""

HANDLES = {FDP: (0, 1, 2), "mixed": (0, 1, 0), NONE: (0, 0, 0)}

STREAM_UNITS = 1024
STREAM_PASSES = 10
STREAM_FROM = 5
"""Passes of one stream, and those before it is measured."""

ORDERS = {"permutation": True, "uniform": False}
RATIOS = (1.15, 1.2, 1.3, 1.37)
"""Physical over logical pages."""


def points(sources: Sources) -> dict[Key, Point]:
    """Return all points."""
    found: dict[Key, Point] = {}
    pages, seeds = pages_per_unit(sources), seed(sources)

    def add(key: Key, *parts: Config) -> None:
        found[key] = Point(" ".join(key), merge([*parts, seeds]), "page")

    for third in THIRDS:
        for placement in PLACEMENTS:
            job = written(streams(third, placement, MIX), A2_LOGICAL * pages, PASSES)
            add((CELL, third, placement), _a2(pages), job)
    for unit, logical in UNITS.items():
        job = written(streams("80/20", FDP, LEVEL_MIX), logical * pages, LEVEL_PASSES)
        other = written(streams("80/20", FDP, MIX), logical * pages, LEVEL_PASSES)
        for name in TYPES:
            for spare in SPARES:
                device = _level(logical, pages, name, spare)
                add((LEVEL, unit, name, f"{spare} %"), device, job)
                if unit == MIX_UNIT:
                    add((MIXES, unit, name, f"{spare} %"), device, other)
    for ratio in RATIOS:
        for order in ORDERS:
            logical = round(STREAM_UNITS / ratio)
            job = one_stream(pages, STREAM_UNITS, logical, STREAM_PASSES, permuted=ORDERS[order])
            add((STREAM, order, f"{ratio:g}"), job)
    return found


def streams(third: str, placement: str, mix: tuple[int, int, int]) -> str:
    """Return the job: a loop over nine tenths, random pages behind, a third stream within."""
    ranges = (("seq", "0-90"), ("rand", "90-100"), (THIRDS[third], "0-90"))
    return "; ".join(
        f"{share} {order} {where} {handle}"
        for share, (order, where), handle in zip(mix, ranges, HANDLES[placement], strict=True)
    )


def _a2(pages: int) -> Config:
    capacity = A2_LOGICAL * pages * PAGE
    device = {"pages_per_block": pages, "capacity": capacity}
    return {"preset": "warp-a2", "device": device, "run": {"warmup": "none", "address": "modulo"}}


def _level(logical: int, pages: int, name: str, spare: int) -> Config:
    """Return 224 GiB with a share of spare units, of which one percent of all are a reserve."""
    units = logical * (100 + spare) // 100
    reserve = units // 100
    return merge(
        [
            _a2(pages),
            {
                "device": {"blocks": units, "capacity": logical * pages * PAGE},
                "gc": {"low": reserve, "high": reserve + 1},
                "handles": {"isolation": TYPES[name]},
            },
        ]
    )
