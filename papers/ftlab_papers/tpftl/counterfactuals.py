"""What is changed, one thing at a time, for claims on TPFTL that do not agree.

How loaded the device was is not said; MSR's own times leave it idle (section 5.2(3)).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ftlab.points import Config
from ftlab_papers.claims import Counterfactual, of, on
from ftlab_papers.inputs import Source
from ftlab_papers.runs import Key
from ftlab_papers.tpftl.points import CACHES, DIVISORS, FINANCIAL, LOADS, MSR, cache

FULL: Config = {"run": {"warmup": "random:2"}}
"""A device that is full first, of which the pages of a prefix are a small part."""

RESPONSES = ("T2", "T7", "T9", "T23", "T24", "T25", "T26", "T37", "T44", "T45", "O2", "A1")
OF_FINANCIAL = tuple(each for each in RESPONSES if each != "T25")
OF_MSR = tuple(each for each in RESPONSES if each not in ("T23", "T24", "T26", "T37"))
COLLECTED = ("T8", "T21", "T23", "T28", "T29", "T31", "T37", "T38")
CACHED_FINANCIAL = ("T5", "T12", "T13", "T16", "T18", "T35")
CACHED_MSR = ("T5", "T8", "T12", "T13", "T17", "T18", "T20", "T22", "T25", "O5")
BUFFERED = ("T13", "T16", "T17", "T18", "T20", "T22", "T23", "T24", "T25", "T44")

HITS_OF_FINANCIAL = ("T16", "T18", "T35")

LARGER = {4: "1/32", 8: "1/16", 16: "1/8", 32: "1/4"}
"""How many times the cache, and which share of the map that is."""

ROOM = {"30%": "an eighth", "53%": "a quarter"}
"""Spare space in Financial, and the share of the trace's space that it stands for."""


def with_usual_cache(*workloads: str) -> Callable[[Key], bool]:
    """Return whether a point is on one of these workloads, with its usual cache."""
    return lambda key: key[0] in workloads and key[-1] not in CACHES[1:]


def larger(times: float) -> Callable[[Key, Source, Path], Config]:
    """Return how to make a cache so many times as large as the usual one."""

    def sections(key: Key, source: Source, results: Path) -> Config:
        usual = cache(source.workload.name, DIVISORS[0])
        return {"ftl": {"cache": round(usual * times)}}

    return sections


def setting(
    name: str, what: str, claims: tuple[str, ...], ftl: str, **values: str | float
) -> Counterfactual:
    """Return a change of an FTL's own settings."""
    return Counterfactual(name, what, claims, {ftl: values}, only=of(ftl))


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
        OF_FINANCIAL,
        {"host": {"time_scale": 2}},
        only=on(*FINANCIAL),
    ),
    *(
        Counterfactual(
            f"{spare} of room",
            f"{spare.rstrip('%')} % of spare space in Financial, not 15 %: as if the trace left "
            f"{alone} of its space alone",
            tuple(dict.fromkeys((*OF_FINANCIAL, *COLLECTED))),
            {"device": {"over_provisioning": spare}},
            only=on(*FINANCIAL),
        )
        for spare, alone in ROOM.items()
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
        CACHED_FINANCIAL,
        larger(2),
        only=with_usual_cache(*FINANCIAL),
    ),
    *(
        Counterfactual(
            f"{times} times Financial's cache",
            f"{times} times the cache in Financial: {share} of the map, one of Figure 9's sizes",
            HITS_OF_FINANCIAL,
            larger(times),
            only=with_usual_cache(*FINANCIAL),
        )
        for times, share in LARGER.items()
    ),
    Counterfactual(
        "an eighth of Financial2's map",
        "16 times the cache in Financial2 alone: an eighth of its map, one of Figure 9's sizes",
        ("T16",),
        larger(16),
        only=with_usual_cache("financial2"),
    ),
    *(
        Counterfactual(
            f"{times:g} times MSR's cache",
            f"{times:g} times the cache in MSR",
            CACHED_MSR,
            larger(times),
            only=with_usual_cache(*MSR),
        )
        for times in (0.5, 2, 4)
    ),
    setting(
        "textbook LRU", "DFTL with one LRU list", ("T5", "T16", "T18"), "dftl", replacement="lru"
    ),
    *(
        setting(
            f"a {size} dirty buffer",
            f"S-FTL with {what} of its cache as dirty buffer",
            BUFFERED,
            "sftl",
            buffer=share,
        )
        for size, what, share in (
            ("small", "a twentieth", 0.05),
            ("large", "a fifth", 0.2),
            ("very large", "three tenths", 0.3),
        )
    ),
    setting(
        "fewer sparse pages",
        "S-FTL whose pages are sparse with up to four dirty entries, not eight",
        ("T16", "T18", "T20", "T24"),
        "sftl",
        sparse=4,
    ),
    setting(
        "more whole pages",
        "CDFTL with three quarters of its cache for whole pages",
        ("T44",),
        "cdftl",
        ctp=0.75,
    ),
    setting(
        "free nodes", "nodes of TPFTL that take no room", ("T12", "T43"), "tpftl", node_bytes=0
    ),
    setting(
        "the first page prefetches",
        "request-level prefetching at a miss of a request's first page only",
        ("T35",),
        "tpftl",
        request_prefetch="first-page",
    ),
)
