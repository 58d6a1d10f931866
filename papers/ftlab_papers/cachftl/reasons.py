"""What our counters say of claims that do not agree: values for the words of ``text.md``."""

from __future__ import annotations

from statistics import fmean

from ftlab_papers.cachftl.points import FTLS, NAMES, SHORT, TRACES
from ftlab_papers.cachftl.quantities import of_trace, rewrites, to_bmr, traces_of, volumes
from ftlab_papers.quantities import RESPONSE, erases
from ftlab_papers.runs import Runs
from ftlab_papers.tables import Words

WORDS = Words(__package__)

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


REASONS = {
    each.__name__: each for each in (gc_of_pm, idle, groups_of_bmr, blocks_erased, amount, in_place)
}
