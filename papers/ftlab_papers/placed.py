"""Placement on a device: the course of its write amplification, and what several writers write."""

from __future__ import annotations

from collections.abc import Callable

from ftlab import Result
from ftlab.points import Config
from ftlab_papers.inputs import Sources, Workload

PAGE = 4096
PAGES_PER_UNIT, QUICK_PAGES_PER_UNIT = 1024, 32
"""Pages of a scaled unit. The number of units is never scaled."""

SHORTENED = f"Units have {QUICK_PAGES_PER_UNIT} pages instead of {PAGES_PER_UNIT:,}"

Figure = Callable[[Result], float | None]


def seeded(name: str) -> Workload:
    """Return what carries seed and length to an experiment whose inputs are generated in runs."""
    return Workload(name, ())


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
