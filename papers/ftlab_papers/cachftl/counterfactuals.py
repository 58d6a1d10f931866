"""What is changed, one thing at a time, for claims of CACH-FTL's paper that do not agree."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import fmean, median

from ftlab.points import Config
from ftlab_papers.cachftl.claims import otherwise, sparing
from ftlab_papers.cachftl.points import BLOCK, PREFIX_VOLUME, RESERVE
from ftlab_papers.claims import Counterfactual, of
from ftlab_papers.inputs import FINANCIAL1_PREFIX, Source
from ftlab_papers.runs import Key
from ftlab_papers.volumes import extent, statistics_of

SYNTHETIC = ("C22", "C23", "C24")
RESPONSES = ("C4", "C5", "C6", "C7", "C12", "C14")
ERASES = ("C8", "C9", "C10", "C11", "C13", "C15")
BEST = ("C16", "C18", "C19")
ENOUGH = (1, 4, 8, 16)
THRESHOLDS = (5, 6, 8, 16)
LOGS = (16, 64)
IDLE_FREE = (4, 5)
"""Percent of the PMR that is free up to which GC works in idle time, beside the paper's 10."""

REQUEST_PAGES = (2, 4)
"""Pages of a synthetic request, beside the paper's one."""

FEW_REQUESTS = 30_000

OF_FINANCIAL1 = ("C2", "C4", "C7", "C8", *BEST, "C27")
"""The claims on Financial1, but for the shares of its volumes."""


def _is_financial1(key: Key) -> bool:
    return key[0].startswith("financial1/") and len(key) == 2


def _is_scanned(key: Key) -> bool:
    """Tell whether a point is on a volume of which the model has a scan."""
    return key[0] in {f"financial1/{each}" for each in FINANCIAL1_PREFIX.scan}


def _is_varied(key: Key) -> bool:
    """Tell whether a point is on the requests of a volume on which settings are varied."""
    return "/" in key[0] and len(key) > 2 and key[2] not in (RESERVE, "enough")


def _first_requests(key: Key, source: Source, results: Path) -> Config:
    """Return the input of a volume that is cut short, if it has more requests than that."""
    longer = statistics_of(source)["requests"] > FEW_REQUESTS
    return {"input": {"requests": FEW_REQUESTS}} if longer else {}


def log_of(blocks: int) -> Callable[[Key, Source, Path], Config]:
    """Return how to give FAST so many log blocks on a volume of any size, and one to merge into."""

    def sections(key: Key, source: Source, results: Path) -> Config:
        physical = extent(source) // BLOCK + blocks + 1
        return {"device": {"blocks": physical}, "log": {"blocks": blocks}}

    return sections


COUNTERFACTUALS = (
    *(
        Counterfactual(
            "by the letter" if pages == 1 else f"{pages} pages",
            "PMR-GC of any block with a superseded page (Algorithm 2)"
            if pages == 1
            else f"PMR-GC of blocks with {pages} superseded pages",
            (*RESPONSES, *ERASES, *SYNTHETIC),
            {"cachftl": {"enough": pages}},
            only=of("cachftl"),
        )
        for pages in ENOUGH
    ),
    *(
        Counterfactual(
            f"threshold {pages}",
            f"groups of up to {pages} pages to the PMR",
            (*RESPONSES, *ERASES, *SYNTHETIC),
            {"cachftl": {"threshold": pages}},
            only=of("cachftl"),
        )
        for pages in THRESHOLDS
    ),
    Counterfactual(
        "no idle time",
        "GC only while a write waits, as if there were no idle time for it",
        (*SYNTHETIC, "A7", "A10"),
        {"cachftl": {"async_free": 0}},
        only=of("cachftl"),
    ),
    *(
        Counterfactual(
            f"idle time up to {percent} %",
            f"GC in idle time while up to {percent} % of the PMR are free, not 10 %",
            ("C8", "C9"),
            {"cachftl": {"async_free": percent / 100}},
            only=of("cachftl"),
        )
        for percent in IDLE_FREE
    ),
    Counterfactual(
        "fewest log blocks",
        "FAST with no more log blocks than it needs, a sequential and a random one",
        ("C8", "C9", "C10", "C18", "C19", "C28", "C31", "A3"),
        {"log": {"blocks": 2}},
        only=of("fast"),
    ),
    *(
        Counterfactual(
            f"a log of {blocks} blocks",
            f"FAST with {blocks} log blocks on a volume of any size",
            ("C10", "C18"),
            log_of(blocks),
            only=of("fast"),
        )
        for blocks in LOGS
    ),
    Counterfactual(
        "a short beginning",
        f"settings varied on the first {FEW_REQUESTS:,} requests of a volume",
        ("C2", *BEST, "C26", "C28"),
        _first_requests,
        only=_is_varied,
    ),
    Counterfactual(
        "FAB",
        "FAB in place of C-lash: other buffers are said to have similar results (section 4)",
        SYNTHETIC,
        {"buffer": {"policy": "fab"}},
    ),
    *(
        Counterfactual(
            f"requests of {pages} pages",
            f"synthetic requests of {pages} pages, not of one",
            ("C24",),
            {"workload": {"bs": f"{4 * pages}KiB"}},
        )
        for pages in REQUEST_PAGES
    ),
    Counterfactual(
        "one stream",
        "sequential writes that go on where the last of them ended",
        SYNTHETIC,
        {"workload": {"sequential": "stream"}},
    ),
    Counterfactual(
        "no warm-up",
        "synthetic workloads on a device that is erased",
        SYNTHETIC,
        {"run": {"warmup": "none"}},
    ),
    Counterfactual(
        "reserve only",
        "PM with no more spare blocks than its GC needs",
        ("C1", "C2", "C7", "C16", "C22", "C24", "C25"),
        only=of("page"),
        point=lambda key: (*key, RESERVE) if key[1] == "page" else key,
    ),
    Counterfactual(
        "hardly any GC",
        "PM with ten times the blocks, so that it hardly collects: the ideal FTL that it is called",
        ("C2", "C7", "C16"),
        {"device": {"over_provisioning": "900%"}},
        only=of("page"),
    ),
    Counterfactual(
        "without the scan",
        "without volumes 18 to 20 of Financial1, of which its model has a scan as often as the "
        "real trace has only at its beginning",
        OF_FINANCIAL1,
        only=lambda key: False,
        without=_is_scanned,
    ),
    Counterfactual(
        "the beginning",
        "the real beginning of Financial1, looped, in place of its volumes",
        ("C4", "C7", "C8"),
        only=_is_financial1,
        point=lambda key: (PREFIX_VOLUME, *key[1:]) if _is_financial1(key) else key,
    ),
    *(
        Counterfactual(
            f"{middle.__name__.removeprefix('f')} of changes",
            f"the {middle.__name__.removeprefix('f')} of the volumes' changes in place of the "
            "change of their means",
            ("C4", "C5", "C6", "C7", "C16", "C17", "C18"),
            only=lambda key: False,
            reading=partial(otherwise, middle=middle),
        )
        for middle in (fmean, median)
    ),
    Counterfactual(
        "fewest erases",
        "the best setting of a volume is that of fewest erases, of CACH-FTL and of FAST",
        BEST,
        only=lambda key: False,
        reading=partial(otherwise, choice=sparing),
    ),
)
