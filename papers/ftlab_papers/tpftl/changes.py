"""How the settings are made that ``changes.md`` calls by a name.

How loaded the device was is not said; MSR's own times leave it idle (section 5.2(3)).
"""

from __future__ import annotations

from pathlib import Path

from ftlab.points import Config
from ftlab_papers.claims import Maker
from ftlab_papers.inputs import Source
from ftlab_papers.runs import Key
from ftlab_papers.tables import changes
from ftlab_papers.tpftl.points import CACHES, DIVISORS, FINANCIAL, MSR, cache
from ftlab_papers.tpftl.readings import read_relatively

FULL: Config = {"run": {"warmup": "random:2"}}
"""A device that is full first, of which the pages of a prefix are a small part."""


def larger(times: float) -> Maker:
    """Return how to make a cache a multiple of the usual one."""

    def sections(key: Key, source: Source, results: Path) -> Config:
        usual = cache(source.workload.name, DIVISORS[0])
        return {"ftl": {"cache": round(usual * times)}}

    return sections


CHANGES = changes(
    __package__,
    {
        "Financial": FINANCIAL,
        "MSR": MSR,
        "larger caches": CACHES[1:],
        "none": lambda key: False,
    },
    {"larger": larger},
    reading={"relative percentages": read_relatively},
)
