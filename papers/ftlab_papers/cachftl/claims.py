"""What CACH-FTL's paper claims: C1 to C31, and A1 of its future work.

A figure of a trace is the mean over its volumes of the volumes' figures, as the bars of Figures 4
and 5 are one for each trace; a change is CACH-FTL / other - 1 of these means. The best setting of a
volume is that of least mean response time (choices.md#cachftl-means).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import fmean
from typing import Any

from ftlab import Result
from ftlab_papers.cachftl.bounds import GAIN, proof_of_c23
from ftlab_papers.cachftl.points import (
    ALL_THRESHOLDS,
    ARRIVALS,
    FTLS,
    NAMES,
    SEQUENTIAL,
    SHORT,
    SPARES,
    THRESHOLDS,
    TRACES,
)
from ftlab_papers.cachftl.proofs import Gains, not_the_same_runs, worse_at_best
from ftlab_papers.claims import Claim
from ftlab_papers.findings import Bound, Change, Order, Statement, Value, number
from ftlab_papers.measures import Measure, Of, Term, at, least, most, relative
from ftlab_papers.quantities import RESPONSE, erases
from ftlab_papers.runs import Figure, Key, NotMeasuredError, Runs, ratio
from ftlab_papers.tables import Says, Words
from ftlab_papers.volumes import volumes_of

WORDS = Words(__package__)

RIVALS = {"bm": "block-optimized", "fast": "fast", "pm": "page"}


def volumes(runs: Runs, *traces: str) -> list[str]:
    """Return the volumes of traces that were run."""
    names = sorted({key[0] for key in runs})
    return [volume for trace in traces for volume in volumes_of(trace, names)]


def traces_of(runs: Runs) -> list[str]:
    """Return the traces of which a volume was run."""
    return [trace for trace in TRACES if volumes(runs, trace)]


def thresholds(runs: Runs, volume: str) -> Sequence[int]:
    """Return the thresholds with which a volume was run."""
    spare = str(SPARES[0])
    run = [each for each in ALL_THRESHOLDS if (volume, "cachftl", spare, str(each)) in runs]
    return run or THRESHOLDS


def best(runs: Runs, volume: str, ftl: str) -> Key:
    """Return the setting of least mean response time of an FTL on a volume."""
    return _setting_of_least(RESPONSE, runs, volume, ftl)


def sparing(runs: Runs, volume: str, ftl: str) -> Key:
    """Return the setting of fewest erases of an FTL on a volume."""
    return _setting_of_least(erases, runs, volume, ftl)


def _setting_of_least(figure: Figure, runs: Runs, volume: str, ftl: str) -> Key:
    spares, varied = [str(spare) for spare in SPARES], thresholds(runs, volume)
    settings: dict[str, list[Key]] = {
        "cachftl": [("cachftl", spare, str(each)) for spare in spares for each in varied],
        "fast": [("fast", spare) for spare in spares],
    }
    keys = [(volume, *setting) for setting in settings.get(ftl, [(ftl, "start")])]
    return min(keys, key=lambda key: runs(figure, *key))


def default(runs: Runs, volume: str, ftl: str) -> Key:
    """Return the point of an FTL with its default settings on a volume."""
    return volume, ftl


Choice = Callable[[Runs, str, str], Key]


def mean(runs: Runs, figure: Figure, trace: str, ftl: str, choice: Choice) -> float:
    """Return the mean of a figure over the volumes of a trace."""
    return fmean(runs(figure, *choice(runs, volume, ftl)) for volume in _volumes(runs, trace))


@cache
def of_trace(figure: Figure, trace: str, ftl: str, choice: Choice = default) -> Measure:
    """Return the mean of a figure over the volumes of a trace, the same term for the same."""
    return Of(lambda found: found, (lambda runs: mean(runs, figure, trace, ftl, choice),))


@dataclass(frozen=True)
class Against(Measure):
    """CACH-FTL / other - 1 on a trace: of the means over its volumes.

    With a ``middle`` it is what that makes of the volumes' own changes.
    """

    figure: Figure
    trace: str
    other: str
    choice: Choice
    middle: Callable[[Iterable[float]], float] | None = None

    def __call__(self, runs: Runs) -> float:
        """Return the change."""
        if self.middle is not None:
            return self.middle(
                change_of(*(runs(self.figure, *self.choice(runs, volume, ftl)) for ftl in self._of))
                for volume in _volumes(runs, self.trace)
            )
        ours, theirs = (of_trace(self.figure, self.trace, ftl, self.choice) for ftl in self._of)
        return (ours / theirs - 1)(runs)

    @property
    def _of(self) -> tuple[str, str]:
        return "cachftl", self.other


def against(figure: Figure, trace: str, other: str, choice: Choice = default) -> Measure:
    """Return CACH-FTL / other - 1 of the means over a trace's volumes."""
    return Against(figure, trace, other, choice)


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


def share(runs: Runs, holds: Callable[[Runs, str], bool], *traces: str) -> float:
    """Return the share of volumes of which something holds."""
    return fmean(holds(runs, volume) for volume in _volumes(runs, *traces))


def share_better(figure: Figure, other: str, published: Sequence[float]) -> list[Statement]:
    """Return for each trace the share of volumes on which CACH-FTL is better."""

    def is_better(runs: Runs, volume: str) -> bool:
        return runs(figure, volume, "cachftl") < runs(figure, volume, other)

    return [
        Value(SHORT[trace], said, lambda runs, trace=trace: share(runs, is_better, trace), "%")  # type: ignore[misc]
        for trace, said in zip(TRACES, published, strict=True)
    ]


def _volumes(runs: Runs, *traces: str) -> list[str]:
    found = volumes(runs, *traces)
    if not found:
        raise NotMeasuredError(f"no volume of {', '.join(traces)} was run")
    return found


def change_of(new: float, old: float) -> float:
    """Return new / old - 1; 0 where both are 0, as in a volume that the buffer holds."""
    return 0.0 if new == old else ratio(new, old) - 1


def gaps(runs: Runs, other: str, *traces: str) -> list[float]:
    """Return CACH-FTL / other - 1 with the best settings, for each volume."""
    return [
        change_of(*(runs(RESPONSE, *best(runs, volume, ftl)) for ftl in ("cachftl", other)))
        for volume in _volumes(runs, *traces)
    ]


def ram_saved(runs: Runs) -> float:
    """Return 1 - CACH-FTL's map / a page map with 25 % over-provisioning, as the paper counts.

    The paper's figures have a page map of all physical pages, and no valid bits.
    """
    volume = _volumes(runs, *TRACES)[0]
    cach, page = runs[volume, "cachftl", "25", "4"], runs[volume, "page"]
    table = cach["ram_bytes"]["tables"] - cach["own"]["cachftl.valid_bits_bytes"]
    logical = page["device"]["logical_blocks"]
    page_map = page["ram_bytes"]["tables"] * cach["device"]["blocks"] / logical
    return float(1 - table / page_map)


def sample(runs: Runs, trace: str) -> str:
    """Return the volume of a trace that stands for the paper's sample, which it does not name.

    It is the one whose gain over FAST is nearest to that of the sample.
    """
    said = SAMPLES[trace]
    found = zip(_volumes(runs, trace), gaps(runs, "fast", trace), strict=True)
    return min(found, key=lambda each: abs(each[1] - said))[0]


def gain_of_sample(trace: str) -> Statement:
    """Return what the sample of a trace gains over FAST with the best settings."""
    return Change(
        "nearest volume",
        SAMPLES[trace],
        lambda runs: change_of(
            *(runs(RESPONSE, *best(runs, sample(runs, trace), ftl)) for ftl in ("cachftl", "fast"))
        ),
    )


def least_threshold_of_sample(runs: Runs) -> float:
    """Return how much slower Cello99's sample is with the least threshold than with FAST."""
    volume = sample(runs, "cello99")
    keys = ("cachftl", "10", str(THRESHOLDS[0])), ("fast", "10")
    return change_of(*(runs(RESPONSE, volume, *key) for key in keys))


def covered(figure: Figure, choice: Choice) -> Term:
    """Return the share of volumes on which the setting chosen is as good as FAST's, and as BM."""

    def is_covered(runs: Runs, volume: str) -> bool:
        ftls = ("cachftl", "fast", "block-optimized")
        ours, *rivals = (runs(figure, *choice(runs, volume, ftl)) for ftl in ftls)
        return ours <= min(rivals)

    return lambda runs: share(runs, is_covered, *TRACES)


def not_the_greatest(choice: Choice) -> Term:
    """Return the share of volumes whose setting is not the greatest of both."""

    def is_less(runs: Runs, volume: str) -> bool:
        return choice(runs, volume, "cachftl")[2:] != (str(SPARES[-1]), str(THRESHOLDS[-1]))

    return lambda runs: share(runs, is_less, *TRACES)


def gap(workload: str, other: str = "page") -> Measure:
    """Return CACH-FTL / other - 1 of the response time on a synthetic workload."""
    return relative(RESPONSE, (workload, "cachftl"), (workload, other))


def insensitive(ftl: str) -> Statement:
    """Return how far response times lie apart over the mean times between arrivals."""
    found = [at(RESPONSE, f"arrivals {each}", ftl) for each in ARRIVALS]
    return Bound(f"{ftl}, spread", most(found) / least(found) - 1, below=0.1, unit="%")


def merges_per_reclaim(result: Result) -> float:
    """Return FAST's full merges for each random log block that it reclaims."""
    merges = result["merges"]["full"] - result["own"]["fast.sequential_full_merges"]
    return ratio(merges, result["own"]["fast.random_reclaims"])


def adaptive_against(pick: Callable[[Sequence[float]], float]) -> Term:
    """Return the mean change of the adaptive threshold against one of the fixed ones."""

    def find(runs: Runs) -> float:
        found = []
        for volume in _volumes(runs, *TRACES):
            varied = thresholds(runs, volume)
            fixed = [runs(RESPONSE, volume, "cachftl", "10", str(each)) for each in varied]
            ours = runs(RESPONSE, volume, "cachftl", "adaptive", "threshold")
            found.append(change_of(ours, pick(fixed)))
        return fmean(found)

    return find


def gc_of_pm(runs: Runs) -> str:
    """Return why PM and CACH-FTL do or do not change places at many writes."""
    page, cach = (runs["writes 5000000", ftl] for ftl in ("page", "cachftl"))
    return WORDS("gc_of_pm", pm=page, cach=cach)


def idle(runs: Runs) -> str:
    """Return in how much of its GC CACH-FTL made requests wait."""
    found = [runs[volume, "cachftl"]["gc"] for volume in volumes(runs, *TRACES)]
    return WORDS(
        "idle",
        waited=sum(each["runs"] for each in found),
        free=sum(each["background_runs"] for each in found),
        never=sum(each["background_runs"] == 0 for each in found),
        volumes=len(found),
    )


def to_bmr(result: Result) -> float:
    """Return the share of the groups that C-lash evicts that go to the BMR."""
    small, large = (result["own"][f"cachftl.{region}_groups"] for region in ("pmr", "bmr"))
    return float(large / max(small + large, 1))


def rewrites(result: Result) -> float:
    """Return the share of all programs that copy pages when blocks of the BMR are rewritten."""
    programs = result["flash"]["programs"]
    return float(programs["merge"] / max(sum(programs.values()), 1))


def groups_of_bmr(runs: Runs) -> str:
    """Return what the groups that are just large enough for the BMR cost."""

    def said(trace: str) -> str:
        names = volumes(runs, trace)
        groups, copies = (
            fmean(runs(figure, each, "cachftl") for each in names) for figure in (to_bmr, rewrites)
        )
        return f"{SHORT[trace]} {groups:.1%} and {copies:.1%}"

    return WORDS("groups_of_bmr", traces="; ".join(map(said, traces_of(runs))), idle=idle(runs))


ERASED_BLOCKS = (
    ("CACH-FTL", "cachftl", "log", "of the PMR"),
    ("CACH-FTL", "cachftl", "data", "of the BMR"),
    ("FAST", "fast", "log", "of the log"),
    ("FAST", "fast", "data", "with data"),
    ("BM", "block-optimized", "data", "with data"),
)


def blocks_erased(runs: Runs) -> str:
    """Return which blocks are erased, and what decides how many."""

    def said(trace: str) -> str:
        names = volumes(runs, trace)
        return f"{SHORT[trace]}: " + "; ".join(
            f"{name} {fmean(runs(f'flash.erases.{kind}', each, ftl) for each in names):,.0f} {what}"
            for name, ftl, kind, what in ERASED_BLOCKS
        )

    return WORDS("blocks_erased", traces=". ".join(map(said, traces_of(runs))))


def amount(runs: Runs, workload: str) -> str:
    """Return how much the FTLs program and erase on a synthetic workload."""

    def said(ftl: str) -> str:
        result = runs[workload, ftl]
        return f"{NAMES[ftl]} {result['write_amplification']:.2f} and {erases(result):,.0f}"

    ftls = "; ".join(map(said, FTLS))
    return WORDS("amount", workload=workload, ftls=ftls, share=runs(to_bmr, workload, "cachftl"))


def in_place(runs: Runs) -> str:
    """Return how much dearer than PM's writes BM's are, here and as published."""

    def said(trace: str, published: float) -> str:
        block, page = (of_trace(RESPONSE, trace, ftl) for ftl in ("block-optimized", "page"))
        return f"{SHORT[trace]} {(block / page)(runs):.2g}, published {published:.2g}"

    return WORDS("in_place", traces="; ".join(said(*each) for each in BM_OVER_PM.items()))


OVER_PM = (0.39, 0.21, 0.35)
IMPROVED = {
    "financial1": {"bm": -0.47, "fast": -0.71},
    "financial2": {"bm": -0.65, "fast": -0.58},
    "cello99": {"bm": -0.86, "fast": -0.38},
}
BM_OVER_PM = {
    trace: (1 + over) / (1 + said["bm"])
    for (trace, said), over in zip(IMPROVED.items(), OVER_PM, strict=True)
}
"""What C4 to C7 say together."""

BEST_OVER_PM = (0.04, 0.03, 0.0)
BEST_OVER_BM = (-0.36, -0.56, -0.94)
SAMPLES = {"cello99": -0.27, "financial1": -0.90, "financial2": -0.68}
"""What the volumes of Figure 7 gain over FAST: (a), (b), (c)."""

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

REASONS = {
    each.__name__: each for each in (gc_of_pm, idle, groups_of_bmr, blocks_erased, amount, in_place)
}

PROOFS = {"C17": proof_of_c17(), "C23": proof_of_c23(WORDS)}
