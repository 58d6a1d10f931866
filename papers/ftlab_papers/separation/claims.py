"""What is asked of separations: orders of ours, since no figure of the papers is at hand."""

from __future__ import annotations

from collections.abc import Sequence

from ftlab_papers.findings import Order, Statement
from ftlab_papers.measures import Measure, at, least, relative
from ftlab_papers.quantities import AMPLIFICATION
from ftlab_papers.separation.points import (
    COST_BENEFIT,
    DEVICE,
    GARBAGE,
    GREEDY,
    LARGE_NAMES,
    ORACLES,
    REAL,
    SCHEMES,
    SEGMENTS,
    SKEWS,
    VOLUME,
)
from ftlab_papers.tables import Says, Words, claims

WORDS = Words(__package__)


def in_volume(name: str, scheme: str, policy: str, *change: str) -> Measure:
    """Return the write amplification in a volume."""
    return at(AMPLIFICATION, VOLUME, name, scheme, policy, *change)


def _lowest() -> list[Statement]:
    others = [each for each in SCHEMES if each not in ("SepBIT", *ORACLES)]
    return [
        Order(
            f"{name}, {policy}",
            {
                "SepBIT": in_volume(name, "SepBIT", policy),
                "the others": least(in_volume(name, each, policy) for each in others),
            },
        )
        for name in REAL
        for policy in (GREEDY, COST_BENEFIT)
    ]


def _halves() -> list[Statement]:
    return [
        Order(name, {each: in_volume(name, each, GREEDY) for each in ("SepBIT", half, "SepGC")})
        for name in REAL
        for half in ("UW", "GW")
    ]


def _falling(changes: Sequence[str]) -> list[Statement]:
    """Return that the write amplification of SepBIT is lowest with the first change."""
    return [
        Order(name, {each: in_volume(name, "SepBIT", GREEDY, each) for each in changes})
        for name in REAL
    ]


def _gains() -> Statement:
    def gain(theta: float) -> Measure:
        skewed = (VOLUME, f"Zipf {theta:g}")
        return relative(AMPLIFICATION, (*skewed, "SepBIT", GREEDY), (*skewed, "NoSep", GREEDY))

    return Order("SepBIT vs NoSep", {f"Zipf {theta:g}": gain(theta) for theta in SKEWS[::-1]})


def _on_device(name: str) -> Statement:
    schemes = ("SepBIT", "SepGC", "NoSep")
    return Order(name, {each: at(AMPLIFICATION, DEVICE, name, each, GREEDY) for each in schemes})


SAYS: Says = {
    "O1": _lowest(),
    "O2": _halves(),
    "O3": _falling(GARBAGE[::-1]),
    "O4": _falling([f"{pages} pages" for pages in SEGMENTS]),
    "O5": _gains(),
    "O6": Order(
        "zipf", {each: in_volume("zipf", each, COST_BENEFIT) for each in ("DAC", "SepBIT")}
    ),
    "O7": [_on_device(name) for name in LARGE_NAMES],
}

CLAIMS = claims(__package__, SAYS)
