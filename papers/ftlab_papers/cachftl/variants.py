"""What the paper argues and does not run, and what its last section leaves for later.

Each variant changes one thing, on one volume of each trace; what is expected of it is a claim of
ours, A2 to A10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from statistics import fmean

from ftlab import Result
from ftlab_papers.cachftl.claims import WORDS, to_bmr
from ftlab_papers.cachftl.points import (
    AS_IT_IS,
    BUFFERS,
    CACHES,
    FTLS,
    NAMES,
    PMRS,
    SHORT,
    TEN_ROUNDS,
    TRACES,
    VARIANTS,
)
from ftlab_papers.cells import cell
from ftlab_papers.findings import EQUAL, Bound, Order, rising
from ftlab_papers.measures import Measure, at, relative
from ftlab_papers.quantities import AMPLIFICATION, RESPONSE
from ftlab_papers.runs import Figure, Runs, ratio
from ftlab_papers.tables import Says

SPREAD = "wear.erases_stddev"
TABLES = "ram_bytes.tables"

LEVELLED = "out of place, wear gap 2"

BY_CACHE = {size: f"cache of {size} KiB" for size in CACHES} | {2048: AS_IT_IS}
BY_PMR = {share: f"PMR of {share} %" for share in PMRS} | {10: AS_IT_IS}
"""Variants by KiB of C-lash, and by percent of the address space."""


def of_cachftl(figure: Figure, trace: str, variant: str = AS_IT_IS) -> Measure:
    """Return a figure of a variant of CACH-FTL."""
    return at(figure, trace, "cachftl", variant)


def changed(figure: Figure, trace: str, ftl: str, variant: str, old: str = AS_IT_IS) -> Measure:
    """Return a variant / another - 1 of an FTL's figure."""
    return relative(figure, (trace, ftl, variant), (trace, ftl, old))


def _rises(figure: Figure, unit: str, *variants: str) -> list[Order]:
    """Return the order of CACH-FTL's variants by a figure, on each trace."""
    names = {trace: SHORT[trace] for trace in TRACES}
    return rising(lambda *named: of_cachftl(figure, *named), unit, variants, names)


def _costs(variant: str, old: str, most: float) -> list[Bound]:
    """Return by how much a variant of CACH-FTL may be slower than another, on each trace."""
    return [
        Bound(
            f"{SHORT[trace]}, response",
            changed(RESPONSE, trace, "cachftl", variant, old),
            below=most,
            unit="%+",
        )
        for trace in TRACES
    ]


def same_order(runs: Runs, buffer: str) -> float:
    """Return the share of pairs of systems that a buffer leaves in the order of C-lash."""

    def order(trace: str, pair: Sequence[str], variant: str) -> int:
        first, second = (runs(RESPONSE, trace, ftl, variant) for ftl in pair)
        if abs(first - second) <= EQUAL * max(first, second):
            return 0
        return 1 if first > second else -1

    return fmean(
        order(trace, pair, buffer) * order(trace, pair, AS_IT_IS) >= 0
        for trace in TRACES
        for pair in combinations(FTLS, 2)
    )


def _told(runs: Runs, figure: Figure, unit: str, variants: Sequence[str]) -> str:
    """Return a figure of variants of CACH-FTL on each trace, as a sentence."""
    return "; ".join(
        f"{variant} "
        + ", ".join(
            f"{SHORT[trace]} {cell(runs, of_cachftl(figure, trace, variant), unit)}"
            for trace in TRACES
        )
        for variant in variants
    )


def _groups(runs: Runs, *variants: str) -> str:
    return WORDS("groups", groups=_told(runs, to_bmr, "%", variants))


def filled(result: Result) -> float:
    """Return the share of the PMR that is valid at the end."""
    return ratio(result.own["cachftl.pmr_valid_pages"], result.own["cachftl.pmr_pages"])


def _collected(runs: Runs, *variants: str) -> str:
    return WORDS(
        "collected",
        amplification=_told(runs, AMPLIFICATION, "", variants),
        filled=_told(runs, filled, "%", variants),
    )


def _rounds(runs: Runs) -> str:
    counted = "; ".join(
        f"{SHORT[trace]} "
        + " and ".join(
            cell(runs, at("gc.runs", trace, "page", variant)) for variant in (AS_IT_IS, TEN_ROUNDS)
        )
        for trace in TRACES
    )
    return WORDS("rounds", counted=counted)


def sizes(found: Mapping[int, str]) -> list[str]:
    """Return the variants of a size, the smallest size first."""
    return [found[size] for size in sorted(found)]


SAYS: Says = {
    "A2": [
        Bound(
            f"{SHORT[trace]}, {NAMES[ftl]}",
            changed(RESPONSE, trace, ftl, TEN_ROUNDS),
            above=-0.02,
            below=0.02,
            unit="%+",
        )
        for trace in TRACES
        for ftl in VARIANTS[TEN_ROUNDS][0]
    ],
    "A3": [
        Bound(f"{buffer}, pairs", partial(same_order, buffer=buffer), above=1.0, unit="%")
        for buffer in BUFFERS
    ],
    "A4": _rises(RESPONSE, "us", AS_IT_IS, "FIFO"),
    "A5": _rises(RESPONSE, "us", "cost-benefit", AS_IT_IS),
    "A6": _rises(TABLES, "B", "adaptive PMR", AS_IT_IS),
    "A7": _costs("adaptive PMR", AS_IT_IS, 0.1),
    "A8": [*_rises(SPREAD, "", LEVELLED, "out of place"), *_costs(LEVELLED, "out of place", 0.02)],
    "A9": _rises(RESPONSE, "us", *sizes(BY_CACHE)[::-1]),
    "A10": _rises(RESPONSE, "us", *sizes(BY_PMR)[::-1]),
}

REASONS = {"groups": _groups, "collected": _collected, "rounds": _rounds}

NAMED = {"buffers": BUFFERS, "caches": sizes(BY_CACHE)}
"""Variants by the names that the table of claims has for several."""
