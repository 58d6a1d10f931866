"""Placement on a device: what is written, how its write amplification changes, experiments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ftlab import Result
from ftlab.points import Config
from ftlab_papers.claims import Claim, Judged
from ftlab_papers.experiment import Experiment, Points
from ftlab_papers.inputs import Sources, Workload
from ftlab_papers.measures import Measure, at, mean
from ftlab_papers.report import Part
from ftlab_papers.runs import Runs
from ftlab_papers.tables import changes

PAGE = 4096
PAGES_PER_UNIT, QUICK_PAGES_PER_UNIT = 1024, 32
"""Pages of a scaled unit. The number of units is never scaled."""

SHORTENED = f"Units have {QUICK_PAGES_PER_UNIT} pages instead of {PAGES_PER_UNIT:,}"

Figure = Callable[[Result], float | None]


def experiment(
    package: str,
    *,
    name: str,
    title: str,
    points: Callable[[Sources], Points],
    claims: Sequence[Claim],
    parts: Callable[[Runs, Sources, Sequence[Judged]], Sequence[Part]],
) -> Experiment:
    """Return an experiment whose runs generate their inputs; its workload has seed and length."""
    return Experiment(
        name=name,
        title=title,
        workloads=(Workload(name, ()),),
        points=points,
        claims=claims,
        parts=parts,
        counterfactuals=changes(package),
        shortened=SHORTENED,
        seeds=1,
    )


def pages_per_unit(sources: Sources) -> int:
    """Return the pages of a unit: few where inputs are cut short."""
    (source,) = sources.values()
    return PAGES_PER_UNIT if source.requests is None else QUICK_PAGES_PER_UNIT


def seed(sources: Sources) -> Config:
    """Return the seed of a run."""
    (source,) = sources.values()
    return {"run": {"seed": source.seed}}


def written(parts: str, pages: int, passes: float) -> Config:
    """Return a workload of several writers, which writes its pages ``passes`` times."""
    return {
        "workload": {
            "pattern": "parts",
            "parts": parts,
            "bs": PAGE,
            "size": pages * PAGE,
            "requests": round(pages * passes),
        }
    }


def one_stream(
    pages: int, units: int, logical_units: int, passes: int, *, permuted: bool
) -> Config:
    """Return one stream over a whole device of units, in passes or by independent draws."""
    logical = logical_units * pages
    return {
        "device": {
            "page": PAGE,
            "pages_per_block": pages,
            "blocks": units,
            "capacity": logical * PAGE,
        },
        "gc": {"policy": "greedy", "start": "each-page", "low": 2, "high": 3},
        "workload": {
            "pattern": "randwrite",
            "random_map": permuted,
            "bs": PAGE,
            "size": logical * PAGE,
            "requests": passes * logical,
        },
        "run": {"warmup": "none", "address": "modulo"},
    }


def between(begin: float, end: float) -> Figure:
    """Return the write amplification while the pages of the device are written from..to times.

    All requests write a page, and the whole run is measured.
    """

    def amplification(result: Result) -> float | None:
        pages = int(result["config"]["workload"]["size"]) / PAGE
        low, high = begin * pages, end * pages
        timeline, done = result["timeline"], 0.0
        programs = writes = 0.0
        for until, factor in zip(
            timeline["requests"], timeline["write_amplification"], strict=True
        ):
            inside = max(0.0, min(until, high) - max(done, low))
            programs, writes, done = programs + inside * (factor or 0.0), writes + inside, until
        return programs / writes if writes and done >= high - 1 else None

    amplification.__name__ = f"write amplification from {begin:g} to {end:g} passes"
    return amplification


def halves(passes: range, *key: str) -> tuple[Measure, Measure]:
    """Return the mean write amplification of the first halves of passes, and of the second ones."""
    first, second = (
        mean(at(between(each + begin, each + begin + 0.5), *key) for each in passes)
        for begin in (0, 0.5)
    )
    return first, second
