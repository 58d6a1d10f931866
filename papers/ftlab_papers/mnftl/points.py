"""The points: the five FTLs of Table 2 on its six traces, variants of MNFTL, and RAM on 8 GB.

The key of a point is the trace and the FTL, followed by the variant.
"""

from __future__ import annotations

from ftlab.points import Config, Point, merge
from ftlab_papers.inputs import FINANCIAL1_PREFIX, Source, Sources, Workload
from ftlab_papers.mnftl.published import FTLS, TRACES

WORKLOADS = (
    Workload("financial1", ("financial1.spc", "financial1.parquet"), (FINANCIAL1_PREFIX,)),
    Workload("financial2", ("financial2.spc", "financial2.parquet")),
    Workload("websearch3", ("websearch3.spc", "websearch3.parquet")),
    Workload("systemdisk1", ()),
    Workload("systemdisk2", ()),
    Workload("systemdisk3", ()),
)

BLOCK = 256 << 10
"""Bytes of a block."""

LOG_BLOCKS = 256
GFTL_BUFFER = 656
"""16 % of 4096 data blocks, rounded up."""

SETTINGS: dict[str, Config] = {
    "page": {},
    "dftl": {},
    "gftl": {"device": {"blocks": 4096 + GFTL_BUFFER + 1}, "gftl": {"buffer": "16%"}},
    "superblock": {
        "log": {"blocks": LOG_BLOCKS},
        "superblock": {"pieces": 4},
        "device": {"oob": 168},
    },
    "mnftl": {},
}
"""Differences from the preset. The four pieces of a superblock that Table 2 implies need 168 B."""

CHIP_BLOCKS = 32_768
RAM_LOGICAL_BLOCKS = {
    "page": CHIP_BLOCKS - 5,
    "dftl": CHIP_BLOCKS - 80,
    "gftl": 28_240,
    "superblock": CHIP_BLOCKS - LOG_BLOCKS - 4,
    "mnftl": CHIP_BLOCKS - 5,
}
"""Logical blocks for which the 8 GB chip has room in addition to what each FTL needs."""

ONE_BLOCK = ("one logical block", "mnftl")

WRITE_DOMINANT = ("financial1", "systemdisk1", "systemdisk2", "systemdisk3")

EARLY = (16, 64, 256)
"""Free blocks at which collection begins early; the paper's begins when there are none."""

OPEN: Config = {"host": {"mode": "open"}}

VARIANTS: dict[str, tuple[str, Config]] = {
    **{f"{low} kept free": ("mnftl", {"gc": {"low": low, "high": low + 1}}) for low in EARLY},
    "separated mapping": (
        "mnftl",
        {"mnftl": {"mapping": "separated", "victim": "most-blocks-first"}},
    ),
    "most blocks first": ("mnftl", {"mnftl": {"victim": "most-blocks-first"}}),
    "cache of 64 KiB": ("mnftl", {"mnftl": {"cache": "64KiB"}}),
    "hybrid": ("mnftl-hybrid", {}),
    "open loop": ("mnftl", OPEN),
    "open loop, idle from 3": ("mnftl", OPEN | {"mnftl": {"idle_blocks": 3}}),
    "open loop, idle from 2": ("mnftl", OPEN | {"mnftl": {"idle_blocks": 2}}),
}
"""The FTL of each variant, and its changed settings."""


def points(sources: Sources) -> dict[tuple[str, ...], Point]:
    """Return all points by their keys."""
    found: dict[tuple[str, ...], Point] = {}

    def add(key: tuple[str, ...], *sections: Config) -> None:
        found[key] = Point(" ".join(key), merge([{"preset": "mnftl-dac11"}, *sections]), key[1])

    for trace in TRACES:
        limit: Config = {"input": {"requests": requests_of(sources[trace])}}
        for ftl in FTLS:
            add((trace, ftl), sources[trace].config, limit, SETTINGS[ftl])
        for variant, (ftl, sections) in VARIANTS.items() if trace in WRITE_DOMINANT else ():
            add((trace, ftl, variant), sources[trace].config, limit, sections)
    for ftl, blocks in RAM_LOGICAL_BLOCKS.items():
        add(("ram", ftl), SETTINGS[ftl], _chip(blocks))
    add(ONE_BLOCK, _one_logical_block())
    return found


def requests_of(source: Source) -> int:
    """Return how many requests of a trace are played: as many as in Table 1."""
    published = TRACES[source.workload.name].requests
    return min(source.requests or published, published)


def _chip(logical_blocks: int) -> Config:
    """Return the whole chip with a few requests: RAM does not depend on them."""
    return {
        "device": {"capacity": logical_blocks * BLOCK, "blocks": CHIP_BLOCKS},
        "workload": {"pattern": "randwrite", "size": "1MiB", "requests": 10},
    }


def _one_logical_block() -> Config:
    """Return one logical block on more than P + 1 blocks (section 4.3)."""
    return {
        "device": {"capacity": BLOCK, "blocks": 140},
        "workload": {"pattern": "randwrite", "bs": "2k", "size": BLOCK, "requests": 40_000},
    }
