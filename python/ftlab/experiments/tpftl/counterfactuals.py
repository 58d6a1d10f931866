"""What is changed, one thing at a time, for claims on TPFTL that do not agree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ftlab.config import Config
from ftlab.experiments.claims import Counterfactual, of, on
from ftlab.experiments.inputs import Source
from ftlab.experiments.runs import Key
from ftlab.experiments.tpftl.points import CACHES, DIVISORS, FINANCIAL, LOADS, MSR, cache

FULL: Config = {"run": {"warmup": "random:2"}}
"""A device that is full first, of which the pages of a prefix are a small part."""

RESPONSES = ("T2", "T7", "T9", "T23", "T24", "T25", "T26", "T37", "T44", "T45", "O2", "A1")
COLLECTED = ("T8", "T21", "T23", "T28", "T29", "T31", "T37", "T38")
CACHED = ("T5", "T12", "T13", "T16", "T17", "T18", "T20", "T22", "T35", "O3", "O5")


def with_usual_cache(*workloads: str) -> Callable[[Key], bool]:
    """Return whether a point is on one of these workloads, with its usual cache."""
    return lambda key: key[0] in workloads and key[-1] not in CACHES[1:]


def larger(times: float) -> Callable[[Source, Path], Config]:
    """Return how to make a cache so many times as large as the usual one."""

    def sections(source: Source, results: Path) -> Config:
        usual = cache(source.workload.name, DIVISORS[0])
        return {"ftl": {"cache": round(usual * times)}}

    return sections


COUNTERFACTUALS = (
    *(
        Counterfactual(
            f"{load} times the load",
            f"{load} times the load in MSR",
            ("T2", "T7", "T9", "T25"),
            {"host": {"time_scale": 1 / load}},
            only=on(*MSR),
        )
        for load in LOADS[1:]
    ),
    Counterfactual(
        "no queue",
        "one request at a time, the next when it is complete: what is left of a response is its "
        "service",
        RESPONSES,
        {"host": {"mode": "closed:1"}},
    ),
    Counterfactual(
        "half the load",
        "half the load in Financial",
        RESPONSES,
        {"host": {"time_scale": 2}},
        only=on(*FINANCIAL),
    ),
    Counterfactual(
        "room",
        "30 % of spare space in Financial, not 15 %: as if the trace left an eighth of its space "
        "alone",
        (*RESPONSES, *COLLECTED),
        {"device": {"over_provisioning": "30%"}},
        only=on(*FINANCIAL),
    ),
    Counterfactual(
        "a fresh device",
        "no warm-up in Financial",
        COLLECTED,
        {"run": {"warmup": "none"}},
        only=on(*FINANCIAL),
    ),
    Counterfactual(
        "twice Financial's cache",
        "twice the cache in Financial",
        CACHED,
        larger(2),
        only=with_usual_cache(*FINANCIAL),
    ),
    *(
        Counterfactual(
            f"{times:g} times MSR's cache",
            f"{times:g} times the cache in MSR",
            (*CACHED, "T8"),
            larger(times),
            only=with_usual_cache(*MSR),
        )
        for times in (0.5, 2, 4)
    ),
    Counterfactual(
        "textbook LRU",
        "DFTL with one LRU list",
        CACHED,
        {"dftl": {"replacement": "lru"}},
        only=of("dftl"),
    ),
    Counterfactual(
        "a small dirty buffer",
        "S-FTL with a twentieth of its cache as dirty buffer",
        (*CACHED, "T25", "T44"),
        {"sftl": {"buffer": 0.05}},
        only=of("sftl"),
    ),
    Counterfactual(
        "a large dirty buffer",
        "S-FTL with a fifth of its cache as dirty buffer",
        (*CACHED, "T25", "T44"),
        {"sftl": {"buffer": 0.2}},
        only=of("sftl"),
    ),
    Counterfactual(
        "more whole pages",
        "CDFTL with three quarters of its cache for whole pages",
        ("T44",),
        {"cdftl": {"ctp": 0.75}},
        only=of("cdftl"),
    ),
    Counterfactual(
        "free nodes",
        "nodes of TPFTL that take no room",
        ("T12", "T43"),
        {"tpftl": {"node_bytes": 0}},
        only=of("tpftl"),
    ),
)
"""How loaded the device was is not said; MSR's own times leave it idle (section 5.2(3))."""
