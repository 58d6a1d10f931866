"""Which FTLs a warm-up favours: those whose mapping cache holds runs of neighbours on flash."""

from __future__ import annotations

from collections.abc import Sequence

from ftlab.result import Result

OF_RUNS = ("sftl", "cftl")
"""FTLs whose hit ratio a warm-up alone moves by more than 5 points (docs: warmup)."""

UNSTATED = "none"


def favoured(results: Sequence[Result]) -> list[str]:
    """Return for each result what to say of its warm-up where others are compared; often nothing.

    Only hit ratios of different kinds of mapping caches, under one warm-up, are compared so.
    """
    cached = [each for each in results if each.find("mapping.hit_ratio") is not None]
    several = len({each.find("config.run.warmup") for each in cached}) > 1
    if several or all(each["ftl"] in OF_RUNS for each in cached):
        return ["" for _ in results]
    return [_note(each) if each in cached and each["ftl"] in OF_RUNS else "" for each in results]


def _note(result: Result) -> str:
    warmup = result.find("config.run.warmup") or UNSTATED
    return (
        f"the warm-up ({warmup}) decides the mapping hit ratio, as the cache holds runs of pages "
        "that lie in order on flash; compare under --warmup sequential and random:1, too"
    )
