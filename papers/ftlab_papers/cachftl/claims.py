"""The statements of CACH-FTL's claims C1 to C31, and of A1 of its future work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from ftlab_papers.cachftl.bounds import GAIN, proof_of_c23
from ftlab_papers.cachftl.points import ARRIVALS, NAMES, SEQUENTIAL, SHORT, TRACES
from ftlab_papers.cachftl.proofs import Gains, not_the_same_runs, worse_at_best
from ftlab_papers.cachftl.quantities import (
    RIVALS,
    SAMPLES,
    Against,
    Choice,
    adaptive_against,
    against,
    best,
    change_of,
    covered,
    default,
    gap,
    gaps,
    least_threshold_of_sample,
    merges_per_reclaim,
    not_the_greatest,
    of_trace,
    ram_saved,
    sample,
    share,
    sparing,
)
from ftlab_papers.cachftl.reasons import BEST_OVER_BM, BEST_OVER_PM, IMPROVED, OVER_PM, WORDS
from ftlab_papers.claims import Claim
from ftlab_papers.findings import Bound, Change, Order, Statement, Value, number
from ftlab_papers.measures import at, least, most
from ftlab_papers.quantities import RESPONSE, erases
from ftlab_papers.runs import Figure, Runs
from ftlab_papers.tables import Says


def otherwise(claim: Claim, **how: Any) -> Claim:
    """Return a claim whose changes over volumes are worked out otherwise, as ``how`` says."""

    def read(statement: Statement) -> Statement:
        term = statement.ours
        if isinstance(statement, Order) or not isinstance(term, Against):
            return statement
        return replace(statement, ours=replace(term, **how))

    return replace(claim, statements=[read(each) for each in claim.statements])


def changes_on(trace: str, figure: Figure, published: Mapping[str, float]) -> list[Statement]:
    """Return CACH-FTL's change on a trace, against each rival."""
    return [
        Change(f"vs {name.upper()}", said, against(figure, trace, RIVALS[name]))
        for name, said in published.items()
    ]


def over_traces(
    figure: Figure, other: str, published: Sequence[float], choice: Choice = default
) -> list[Statement]:
    """Return CACH-FTL's change against one rival, on each trace."""
    return [
        Change(SHORT[trace], said, against(figure, trace, other, choice))
        for trace, said in zip(TRACES, published, strict=True)
    ]


def share_better(figure: Figure, other: str, published: Sequence[float]) -> list[Statement]:
    """Return for each trace the share of volumes on which CACH-FTL is better."""

    def is_better(runs: Runs, volume: str) -> bool:
        return runs(figure, volume, "cachftl") < runs(figure, volume, other)

    return [
        Value(SHORT[trace], said, lambda runs, trace=trace: share(runs, is_better, trace), "%")  # type: ignore[misc]
        for trace, said in zip(TRACES, published, strict=True)
    ]


def gain_of_sample(trace: str) -> Statement:
    """Return what the sample of a trace gains over FAST with the best settings."""
    return Change(
        "nearest volume",
        SAMPLES[trace],
        lambda runs: change_of(
            *(runs(RESPONSE, *best(runs, sample(runs, trace), ftl)) for ftl in ("cachftl", "fast"))
        ),
    )


def insensitive(ftl: str) -> Statement:
    """Return how far response times lie apart over the mean times between arrivals."""
    found = [at(RESPONSE, f"arrivals {each}", ftl) for each in ARRIVALS]
    return Bound(f"{ftl}, spread", most(found) / least(found) - 1, below=0.1, unit="%")


FIGURE_4 = {
    trace: Gains(over, said["bm"])
    for over, (trace, said) in zip(OVER_PM, IMPROVED.items(), strict=True)
}
FIGURE_5 = {
    trace: Gains(*gains) for trace, *gains in zip(TRACES, BEST_OVER_PM, BEST_OVER_BM, strict=True)
}


def proof_of_c17() -> str:
    """Return why C17 cannot agree where C4, C7 and C16 do."""

    def said(heading: str, trace: str, figure: Callable[[Gains], str]) -> str:
        default, best = figure(FIGURE_4[trace]), figure(FIGURE_5[trace])
        return WORDS(heading, trace=SHORT[trace], default=default, best=best)

    worse = (
        said("worse at best", trace, lambda gains: number(-gains.over_bm, "%"))
        for trace in worse_at_best(FIGURE_4, FIGURE_5)
    )
    apart = (
        said("not the same runs", trace, lambda gains: number(gains.bm_over_pm))
        for trace in not_the_same_runs(FIGURE_4, FIGURE_5)
    )
    return WORDS("proof of C17", worse="; ".join(worse), apart="; ".join(apart))


def _erases_of_pm(choice: Choice) -> list[Statement]:
    return [
        Order(
            SHORT[trace],
            {
                name: of_trace(erases, trace, ftl, choice)
                for name, ftl in (("PM", "page"), ("CACH-FTL", "cachftl"))
            },
        )
        for trace in TRACES
    ]


SAYS: Says = {
    "C1": Bound(
        "volumes",
        lambda runs: fmean(each < 0.15 for each in gaps(runs, "page", *TRACES)),
        above=0.5,
        unit="%",
    ),
    "C2": Change("", 0.04, lambda runs: fmean(gaps(runs, "page", *TRACES))),
    "C3": Bound("", ram_saved, above=0.78, unit="%"),
    "C4": changes_on("financial1", RESPONSE, IMPROVED["financial1"]),
    "C5": changes_on("financial2", RESPONSE, IMPROVED["financial2"]),
    "C6": changes_on("cello99", RESPONSE, IMPROVED["cello99"]),
    "C7": over_traces(RESPONSE, "page", OVER_PM),
    "C8": changes_on("financial1", erases, {"bm": 0.08, "fast": -0.06}),
    "C9": changes_on("financial2", erases, {"bm": -0.55, "fast": -0.05}),
    "C10": changes_on("cello99", erases, {"bm": -0.89, "fast": -0.69}),
    "C11": _erases_of_pm(default),
    "C12": share_better(RESPONSE, "block-optimized", (0.792, 0.947, 0.8)),
    "C13": share_better(erases, "block-optimized", (0.917, 0.895, 0.8)),
    "C14": share_better(RESPONSE, "fast", (0.875, 0.842, 1.0)),
    "C15": share_better(erases, "fast", (0.667, 0.684, 1.0)),
    "C16": over_traces(RESPONSE, "page", BEST_OVER_PM, best),
    "C17": over_traces(RESPONSE, "block-optimized", BEST_OVER_BM, best),
    "C18": over_traces(RESPONSE, "fast", (-0.61, -0.56, -0.48), best),
    "C19": [
        Bound(
            f"{SHORT[trace]} vs {name}", against(erases, trace, other, best), below=-0.69, unit="%+"
        )
        for trace in TRACES
        for name, other in (("BM", "block-optimized"), ("FAST", "fast"))
    ],
    "C20": _erases_of_pm(best),
    "C21": Value("of PM's", 0.8, ram_saved, "%"),
    "C22": [
        Change("at 90 %", 0.04, gap(f"sequential {SEQUENTIAL[-1]}")),
        Order("", {f"{each} %": gap(f"sequential {each}") for each in SEQUENTIAL[::-1]}),
    ],
    "C23": [
        Change("vs BM", GAIN, gap(f"sequential {SEQUENTIAL[0]}", "block-optimized")),
        Change("vs FAST", -0.64, gap(f"sequential {SEQUENTIAL[0]}", "fast")),
    ],
    "C24": [
        Change("at 500 ms, vs PM", 0.15, gap(f"arrivals {ARRIVALS[-1]}")),
        insensitive("page"),
        insensitive("block-optimized"),
        Order(
            "FAST",
            {
                f"{each} ms": at(RESPONSE, f"arrivals {each}", "fast")
                for each in (ARRIVALS[-1], ARRIVALS[0])
            },
            "us",
        ),
    ],
    "C25": [
        Order(
            f"{writes:,} writes",
            {NAMES[ftl]: at(RESPONSE, f"writes {writes}", ftl) for ftl in ("cachftl", "page")},
            "us",
        )
        for writes in (1_000_000, 2_000_000, 5_000_000)
    ],
    "C26": [
        gain_of_sample("cello99"),
        Bound("threshold 1 vs FAST there", least_threshold_of_sample, above=0.0, unit="%+"),
    ],
    "C27": [gain_of_sample("financial1")],
    "C28": [gain_of_sample("financial2")],
    "C29": [
        Bound("volumes", covered(RESPONSE, best), above=0.9, unit="%"),
        Bound("best not at 25 % and 32", not_the_greatest(best), above=0.02, unit="%"),
    ],
    "C30": [
        Order(
            "merges of a log block",
            {
                f"{percent} %": at(merges_per_reclaim, f"sequential {percent}", "fast")
                for percent in (90, 10)
            },
        ),
        Bound("of 64 pages, at 10 %", at(merges_per_reclaim, "sequential 10", "fast"), above=2),
    ],
    "C31": [
        Bound("volumes", covered(erases, sparing), above=1.0, unit="%"),
        Bound("fewest not at 25 % and 32", not_the_greatest(sparing), above=0.02, unit="%"),
    ],
    "A1": [
        Bound(
            "against the best fixed threshold, mean", adaptive_against(min), below=0.1, unit="%+"
        ),
        Bound("against the worst, mean", adaptive_against(max), below=0.0, unit="%+"),
    ],
}

PROOFS = {"C17": proof_of_c17(), "C23": proof_of_c23(WORDS)}
