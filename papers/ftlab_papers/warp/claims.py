"""What WARP's artifact counted, and three statements of ours.

Bars and intervals were written before the evaluation was run.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from ftlab_papers.findings import Bound, Order, Statement, Value
from ftlab_papers.measures import Measure, Of, Term, at
from ftlab_papers.placed import between, halves
from ftlab_papers.quantities import AMPLIFICATION
from ftlab_papers.tables import Says, Words, claims
from ftlab_papers.warp.points import (
    CELL,
    LEVEL,
    PASSES,
    RATIOS,
    STREAM,
    STREAM_FROM,
    STREAM_PASSES,
)
from ftlab_papers.warp.published import CUMULATIVE, INTERVAL, LEVELS, PLACEMENTS, THIRDS

WORDS = Words(__package__)

FIRST = 4
CUMULATED = between(0, FIRST)
AFTER = between(FIRST, PASSES)
STEADY = between(STREAM_FROM, STREAM_PASSES)
CELL_BAR, CELL_MEAN, INTERVAL_BAR = 0.10, 0.04, 0.15
LEVEL_BAR, LEVEL_MEAN = 0.15, 0.07
RIPPLE_AT = (1.2, 1.3)
RIPPLE = -0.01
"""The second half of a pass against the first, at most."""


def cumulative(third: str, placement: str) -> Measure:
    """Return the write amplification from the trim to four times the capacity."""
    return at(CUMULATED, CELL, third, placement)


def interval(third: str, placement: str) -> Measure:
    """Return the write amplification from four to six times the capacity."""
    return at(AFTER, CELL, third, placement)


def level(unit: str, kind: str, spare: int) -> Measure:
    """Return the write amplification from the trim to five times the capacity."""
    return at(AMPLIFICATION, LEVEL, unit, kind, f"{spare} %")


def one_stream(order: str, ratio: float) -> Measure:
    """Return the write amplification of one stream in the steady state."""
    return at(STEADY, STREAM, order, f"{ratio:g}")


def in_halves(ratio: float) -> tuple[Measure, Measure]:
    """Return that of the first and the second halves of a permutation's passes."""
    return halves(range(STREAM_FROM, STREAM_PASSES), STREAM, "permutation", f"{ratio:g}")


def mean_error(pairs: Iterable[tuple[Term, float]]) -> Measure:
    """Return the mean of how far each term is from what is published, as a share."""
    listed = tuple(pairs)
    said = [published for _, published in listed]

    def error(*found: float) -> float:
        return fmean(abs(ours / each - 1) for ours, each in zip(found, said, strict=True))

    return Of(error, tuple(term for term, _ in listed))


def _halves(ratio: float) -> Measure:
    """Return how much less the second halves of passes write than the first ones."""
    first, second = in_halves(ratio)
    return second / first - 1


CELLS = [(third, placement) for third in THIRDS for placement in PLACEMENTS]
SIXTEEN = [(*key, spare, said) for key, row in LEVELS.items() for spare, said in row.items()]


def _orders() -> list[Statement]:
    return [Order(third, {each: interval(third, each) for each in PLACEMENTS}) for third in THIRDS]


SAYS: Says = {
    "W1": [
        Value(f"{third}, {each}", CUMULATIVE[third][each], cumulative(third, each), within=CELL_BAR)
        for third, each in CELLS
    ],
    "W2": Bound(
        "mean error",
        mean_error((cumulative(*cell), CUMULATIVE[cell[0]][cell[1]]) for cell in CELLS),
        below=CELL_MEAN,
        unit="%",
    ),
    "W3": [
        Value(f"{third}, {each}", INTERVAL[third][each], interval(third, each), within=INTERVAL_BAR)
        for third, each in CELLS
    ],
    "W4": _orders(),
    "W5": [
        Value(f"{unit}, {kind}, {spare} %", said, level(unit, kind, spare), within=LEVEL_BAR)
        for unit, kind, spare, said in SIXTEEN
    ],
    "W6": Bound(
        "mean error",
        mean_error((level(unit, kind, spare), said) for unit, kind, spare, said in SIXTEEN),
        below=LEVEL_MEAN,
        unit="%",
    ),
    "O1": [
        Order(
            f"{third}, {each}",
            {"cumulative": cumulative(third, each), "interval": interval(third, each)},
        )
        for third, each in CELLS
    ],
    "O2": [
        Bound(
            f"{ratio:g}",
            one_stream("permutation", ratio) / one_stream("uniform", ratio) - 1,
            above=-0.12,
            below=-0.03,
            unit="%+",
            directed=True,
        )
        for ratio in RATIOS
    ],
    "O3": [
        Bound(f"{ratio:g}", _halves(ratio), below=RIPPLE, unit="%+", directed=True)
        for ratio in RIPPLE_AT
    ],
}

CLAIMS = claims(__package__, SAYS)
