"""What is changed, one thing at a time, for claims of DLOOP's paper that do not agree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ftlab.points import Config, merge
from ftlab_papers.claims import Counterfactual, on
from ftlab_papers.dloop.claims import SDRPP
from ftlab_papers.dloop.points import EXCHANGE, FIN1, FIN2, PAGES, short_transfer
from ftlab_papers.inputs import Source
from ftlab_papers.prefixes import FIRST_SEED
from ftlab_papers.runs import Key

OF_SDRPP = ("D10", "D11", "D12", "D18", "D19", "D20", "D27", "D28", "D30", "D31", "D33")

DEFAULT_LOG = 991
"""Blocks of FAST's log on the device of Table I's fixed values, 8 GB with 3 % of extra blocks."""

LARGEST_LOG = 1_983
"""Blocks of FAST's log on 8 GB of the smallest pages of Table I, 2 KB."""


def same_transfer(key: Key, source: Source, results: Path) -> Config:
    """Return the short transfer of a point's page, with the first seed only.

    The claim has many points.
    """
    return merge([short_transfer(key[1] if key[1] in PAGES else "4 KB"), FIRST_SEED])


def of(*ftls: str) -> Callable[[Key], bool]:
    """Return whether a point is of one of these FTLs."""
    return lambda key: key[2] in ftls


COUNTERFACTUALS = (
    Counterfactual(
        "all operations",
        "SDRPP of all operations of a plane, those of collections and merges, too",
        OF_SDRPP,
        counted={SDRPP: "planes.sdrpp"},
    ),
    Counterfactual(
        "maps on flash",
        "FAST's block map on flash, in plane 0 (V.D)",
        OF_SDRPP,
        {"log": {"map": "flash"}},
        only=of("fast"),
    ),
    Counterfactual(
        "a log of one size",
        f"FAST's log of {DEFAULT_LOG} blocks at any capacity, which 8 GB have to spare",
        ("D1", "D7"),
        {"log": {"blocks": DEFAULT_LOG}},
        only=lambda key: key[2] == "fast" and key[1] != "4 GB",
    ),
    Counterfactual(
        "the whole map",
        "a mapping cache that holds the whole map",
        ("D7", "D23", "D24"),
        {"ftl": {"cache": "256MiB"}},
        only=of("dloop", "dftl"),
    ),
    Counterfactual(
        "in order",
        "transfers of DFTL and FAST in the order in which they were placed: it is DLOOP that "
        "processes other requests (IV.B)",
        ("D23", "D24"),
        {"device": {"bus": "placement"}},
        only=of("dftl", "fast"),
    ),
    Counterfactual(
        "twice the load",
        "Financial1 and Exchange at twice their load",
        ("D6", "D17", "D23"),
        {"host": {"time_scale": 0.5}},
        only=on(FIN1, EXCHANGE),
    ),
    Counterfactual(
        "across planes",
        "blocks of DFTL and FAST numbered across planes: the next free one is on the next plane",
        ("D11", "D12", "D19", "D20"),
        {"device": {"block_numbers": "across-planes"}},
        only=of("dftl", "fast"),
    ),
    Counterfactual(
        "a log of one size at any page size",
        f"FAST's log of {LARGEST_LOG:,} blocks at any page size, which 8 GB have to spare with "
        "2 KB, and 25 % of extra blocks for it",
        ("D17", "D32"),
        {"device": {"over_provisioning": "25%"}, "log": {"blocks": LARGEST_LOG}},
        only=of("fast"),
    ),
    Counterfactual(
        "one plane",
        "DFTL on one plane, as in FlashSim before its extension (IV.B): one operation at a time",
        ("D5", "D17"),
        {"device": {"channels": 1, "chips_per_channel": 1, "planes_per_die": 1}},
        only=of("dftl"),
    ),
    Counterfactual(
        "in turn",
        "DFTL whose pages go to the planes in turn, not to one block after another",
        ("D11", "D20", "D29"),
        {"ftl": {"placement": "round-robin"}},
        only=of("dftl"),
    ),
    Counterfactual(
        "least busy",
        "DFTL whose pages go to the plane that is free first, not to one block after another",
        ("D11", "D19", "D20"),
        {"ftl": {"placement": "least-busy"}},
        only=of("dftl"),
    ),
    Counterfactual(
        "cost and benefit",
        "DFTL whose GC weighs cost and benefit of a victim",
        ("D11", "D19", "D20"),
        {"gc": {"policy": "cost-benefit"}},
        only=of("dftl"),
    ),
    Counterfactual(
        "16 planes",
        "16 planes at any page size: larger pages leave fewer blocks in a plane, not fewer planes",
        ("D30",),
        {"device": {"chips_per_channel": 4}},
    ),
    Counterfactual(
        "TPC-C's load",
        "Financial2 at the 3,000 requests a second of TPC-C, not its own 90.2 (Table II)",
        ("D15",),
        {"host": {"time_scale": 90.2 / 3000}},
        only=on(FIN2),
    ),
    Counterfactual(
        "a fresh device", "no warm-up", ("D11", "D12", "D16"), {"run": {"warmup": "none"}}
    ),
    Counterfactual(
        "a full device",
        "every page of the device written once before, in order, not those of the requests",
        ("D12",),
        {"run": {"warmup": "sequential"}},
    ),
    Counterfactual(
        "played twice",
        "the requests themselves played twice before, not a write for each",
        ("D11", "D19", "D20"),
        {"run": {"warmup": "replay:2"}},
    ),
    Counterfactual(
        "same transfers",
        "transfers of 50 us for a page of any size (III.A), not by the byte (first seed)",
        ("D13",),
        same_transfer,
    ),
)
