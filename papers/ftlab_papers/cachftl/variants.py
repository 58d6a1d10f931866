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
from ftlab_papers.cachftl.claims import to_bmr
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
from ftlab_papers.claims import Claim, Counterfactual, of
from ftlab_papers.findings import EQUAL, Bound, Order, rising
from ftlab_papers.measures import Measure, at, relative
from ftlab_papers.quantities import AMPLIFICATION, RESPONSE
from ftlab_papers.runs import Figure, Runs, ratio

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
    return f"Groups that go to the BMR: {_told(runs, to_bmr, '%', variants)}."


def filled(result: Result) -> float:
    """Return the share of the PMR that is valid at the end."""
    return ratio(result.own["cachftl.pmr_valid_pages"], result.own["cachftl.pmr_pages"])


def _collected(runs: Runs, *variants: str) -> str:
    """Return what GC copies, and how full it leaves the PMR."""
    return (
        f"Write amplification: {_told(runs, AMPLIFICATION, '', variants)}. Valid pages of the PMR: "
        f"{_told(runs, filled, '%', variants)}."
    )


def _gc_of_pm(runs: Runs) -> str:
    """Return whether PM collects after each warm-up."""
    counted = "; ".join(
        f"{SHORT[trace]} "
        + " and ".join(
            cell(runs, at("gc.runs", trace, "page", variant)) for variant in (AS_IT_IS, TEN_ROUNDS)
        )
        for trace in TRACES
    )
    return f"GC runs of PM after two and ten rounds: {counted}."


def sizes(found: Mapping[int, str]) -> list[str]:
    """Return the variants of a size, the smallest size first."""
    return [found[size] for size in sorted(found)]


CLAIMS = (
    Claim(
        "A2",
        "5.1",
        "ten rounds of warm-up in place of two change the response by less than 2 %",
        [
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
        _gc_of_pm,
    ),
    Claim(
        "A3",
        "4",
        "other buffers leave the four systems in the order of C-lash",
        [
            Bound(f"{buffer}, pairs", partial(same_order, buffer=buffer), above=1.0, unit="%")
            for buffer in BUFFERS
        ],
        lambda runs: _groups(runs, AS_IT_IS, *BUFFERS),
    ),
    Claim(
        "A4",
        "4.3.1",
        "the block with most superseded pages is a better victim than the oldest",
        _rises(RESPONSE, "us", AS_IT_IS, "FIFO"),
        lambda runs: _collected(runs, AS_IT_IS, "FIFO"),
    ),
    Claim(
        "A5",
        "7",
        "a victim by cost and benefit is a better one",
        _rises(RESPONSE, "us", "cost-benefit", AS_IT_IS),
        lambda runs: _collected(runs, "cost-benefit", AS_IT_IS),
    ),
    Claim(
        "A6",
        "7",
        "a PMR whose size adapts has a smaller map",
        _rises(TABLES, "B", "adaptive PMR", AS_IT_IS),
    ),
    Claim(
        "A7",
        "7",
        "it costs no more than 10 % of the response",
        _costs("adaptive PMR", AS_IT_IS, 0.1),
        lambda runs: _collected(runs, "adaptive PMR", AS_IT_IS),
    ),
    Claim(
        "A8",
        "7",
        "a wear leveller narrows the spread of erases, and costs no more than 2 % of the response",
        [
            *_rises(SPREAD, "", LEVELLED, "out of place"),
            *_costs(LEVELLED, "out of place", 0.02),
        ],
    ),
    Claim(
        "A9",
        "7",
        "the larger the cache the shorter the response",
        _rises(RESPONSE, "us", *sizes(BY_CACHE)[::-1]),
        lambda runs: _groups(runs, *sizes(BY_CACHE)),
    ),
    Claim(
        "A10",
        "7",
        "the larger the PMR the shorter the response",
        _rises(RESPONSE, "us", *sizes(BY_PMR)[::-1]),
    ),
)

COUNTERFACTUALS = (
    Counterfactual(
        "four rounds",
        "four rounds of warm-up in place of two, against ten",
        ("A2",),
        {"run": {"warmup": "replay:4"}},
        only=lambda key: key[2:] == (AS_IT_IS,),
    ),
    Counterfactual(
        "threshold 16",
        "groups of up to 16 pages to the PMR",
        ("A3", "A9"),
        {"cachftl": {"threshold": 16}},
        only=of("cachftl"),
    ),
    Counterfactual(
        "no padding",
        "BPLRU that does not complete the blocks that leave, so that groups stay as they are",
        ("A3",),
        {"buffer": {"padding": False}},
        only=lambda key: key[2:] == ("bplru",),
    ),
    Counterfactual(
        "16 pages",
        "PMR-GC of blocks with 16 superseded pages",
        ("A4",),
        {"cachftl": {"enough": 16}},
        only=of("cachftl"),
    ),
    Counterfactual(
        "PMR of 20 %",
        "a PMR of 20 % of the address space",
        ("A4",),
        {"device": {"over_provisioning": 0.2}},
        only=of("cachftl"),
    ),
)
