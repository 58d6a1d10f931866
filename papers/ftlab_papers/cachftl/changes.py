"""What ``changes.md`` calls by a name, and changes that are more than settings."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from statistics import fmean, median

from ftlab.points import Config
from ftlab_papers.cachftl.claims import otherwise
from ftlab_papers.cachftl.points import BLOCK, PREFIX_VOLUME, RESERVE
from ftlab_papers.cachftl.quantities import sparing
from ftlab_papers.claims import Maker
from ftlab_papers.inputs import FINANCIAL1_PREFIX, Source
from ftlab_papers.runs import Key
from ftlab_papers.tables import changes
from ftlab_papers.volumes import extent, statistics_of

FEW_REQUESTS = 30_000


def _is_financial1(key: Key) -> bool:
    return key[0].startswith("financial1/") and len(key) == 2


def _is_scanned(key: Key) -> bool:
    """Tell whether a point is on a volume of which the model has a scan."""
    return key[0] in {f"financial1/{each}" for each in FINANCIAL1_PREFIX.scan}


def _is_varied(key: Key) -> bool:
    """Tell whether a point is on the requests of a volume on which settings are varied."""
    return "/" in key[0] and len(key) > 2 and key[2] not in (RESERVE, "enough")


def first_requests(key: Key, source: Source, results: Path) -> Config:
    """Return the input of a volume that is cut short, if it has more requests than that."""
    longer = statistics_of(source)["requests"] > FEW_REQUESTS
    return {"input": {"requests": FEW_REQUESTS}} if longer else {}


def log_of(blocks: int) -> Maker:
    """Return how to give FAST N log blocks on a volume of any size, and one to merge into."""

    def sections(key: Key, source: Source, results: Path) -> Config:
        physical = extent(source) // BLOCK + blocks + 1
        return {"device": {"blocks": physical}, "log": {"blocks": blocks}}

    return sections


def as_program(rules: str) -> Maker:
    """Return how to run FAST by rules of FlashSim's program.

    The warm-up writes all of a volume, and the program needs a free block to merge into: its log
    has one block fewer than the volume has spare ones.
    """

    def sections(key: Key, source: Source, results: Path) -> Config:
        data = -(-extent(source) // BLOCK)
        spare = max(data // 10, 3)
        blocks: Config = {"device": {"blocks": data + spare}, "log": {"blocks": spare - 1}}
        return blocks | {"fast": {"rules": rules}}

    return sections


def _with_reserve(key: Key) -> Key:
    return (*key, RESERVE) if key[1] == "page" else key


def _on_beginning(key: Key) -> Key:
    return (PREFIX_VOLUME, *key[1:]) if _is_financial1(key) else key


CHANGES = changes(
    __package__,
    {"varied": _is_varied, "volumes of Financial1": _is_financial1, "none": lambda key: False},
    {"log_of": log_of, "first_requests": first_requests, "as_program": as_program},
    point={"reserve only": _with_reserve, "the beginning": _on_beginning},
    without={"without the scan": _is_scanned},
    real={"the beginning": True},
    reading={
        "mean of changes": partial(otherwise, middle=fmean),
        "median of changes": partial(otherwise, middle=median),
        "fewest erases": partial(otherwise, choice=sparing),
    },
)
