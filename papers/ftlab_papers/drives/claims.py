"""What the twins say of the cells that are held out. Bars were written before the first run."""

from __future__ import annotations

from collections.abc import Iterable

from ftlab_papers.drives.points import LEVEL_PASSES, PASSES
from ftlab_papers.drives.published import (
    ALL,
    CALIBRATED,
    GUESSES,
    HALF,
    LAST,
    LEVELS,
    MAX,
    STREAMS,
)
from ftlab_papers.findings import Bound, Statement, Value
from ftlab_papers.measures import Measure, Of, at
from ftlab_papers.placed import between, halves
from ftlab_papers.tables import Says, Words, claims

WORDS = Words(__package__)

LEVEL_BAR, CELL_BAR, LEAST_SHARE = 0.05, 0.15, 0.70
HELD_OUT = [used for used in LEVELS if used not in CALIBRATED]
STEADY = between(LEVEL_PASSES / 2, LEVEL_PASSES)
TENTH = between(0.9 * PASSES, PASSES)
WHOLE = between(0, PASSES)
HALVES = range(PASSES // 2, PASSES)
"""Passes whose second halves are looked at."""


def level(used: float) -> Measure:
    """Return the write amplification of the twin at a fill level."""
    return at(STEADY, MAX, f"{used:g} GiB")


def stream(drive: str, what: str) -> Measure:
    """Return a figure of one stream, between capacities as the last tenth is."""
    tenths = [at(TENTH, drive, f"{guess:g}") for guess in GUESSES[drive]]
    keys = [(drive, f"{guess:g}") for guess in GUESSES[drive]]
    if what == HALF:
        wanted = [halves(HALVES, *key)[1] for key in keys]
    else:
        wanted = [at({LAST: TENTH, ALL: WHOLE}[what], *key) for key in keys]
    count = len(keys)
    published = STREAMS[drive][LAST]

    def work(*found: float) -> float:
        return interpolated(found[:count], found[count:], published)

    return Of(work, (*tenths, *wanted))


def ratio(drive: str) -> Measure:
    """Return physical over logical pages that the last tenth says."""
    guesses = GUESSES[drive]
    tenths = tuple(at(TENTH, drive, f"{guess:g}") for guess in guesses)
    published = STREAMS[drive][LAST]

    def work(*found: float) -> float:
        return interpolated(found, guesses, published)

    return Of(work, tenths)


def interpolated(places: Iterable[float], values: Iterable[float], wanted: float) -> float:
    """Return the value where a place is wanted, on the line of its two neighbours."""
    pairs = sorted(zip(places, values, strict=True))
    nearest = min(
        range(len(pairs) - 1), key=lambda i: abs(sum(p for p, _ in pairs[i : i + 2]) / 2 - wanted)
    )
    (low, first), (high, second) = pairs[nearest : nearest + 2]
    if high == low:
        return first
    return first + (second - first) * (wanted - low) / (high - low)


CELLS: list[tuple[str, str, float, Measure]] = [
    *((MAX, f"{used:g} GiB", LEVELS[used], level(used)) for used in HELD_OUT),
    *(
        (drive, what, STREAMS[drive][what], stream(drive, what))
        for drive in STREAMS
        for what in (ALL, HALF)
    ),
]
"""The cells that are held out: drive, cell, what is published, and the twin's."""


def _share() -> Measure:
    said = [published for *_, published, _ in CELLS]

    def work(*found: float) -> float:
        near = [abs(ours / each - 1) <= CELL_BAR for ours, each in zip(found, said, strict=True)]
        return sum(near) / len(near)

    return Of(work, tuple(term for *_, term in CELLS))


def _stream(drive: str) -> list[Statement]:
    return [
        Value(what, STREAMS[drive][what], stream(drive, what), within=CELL_BAR)
        for what in (ALL, HALF)
    ]


SAYS: Says = {
    "D1": [
        Value(f"{used:g} GiB", LEVELS[used], level(used), within=LEVEL_BAR) for used in HELD_OUT
    ],
    "D2": _stream("SSD A"),
    "D3": _stream("SSD B"),
    "O1": Bound("share of the cells", _share(), above=LEAST_SHARE, unit="%"),
}

CLAIMS = claims(__package__, SAYS)
