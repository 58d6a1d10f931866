"""What is changed, one thing at a time, for claims of DLOOP's paper that do not agree."""

from __future__ import annotations

from collections.abc import Callable

from ftlab.experiments.claims import Counterfactual, on
from ftlab.experiments.dloop.claims import SDRPP
from ftlab.experiments.dloop.points import FIN1, FIN2
from ftlab.experiments.runs import Key

OF_GAINS = ("D6", "D15", "D17", "D23", "D24")
"""By how much DLOOP's mean response is below that of DFTL."""

OF_SDRPP = ("D10", "D11", "D12", "D18", "D19", "D20", "D27", "D28", "D30", "D31", "D33")

DEFAULT_LOG = 960
"""Blocks of FAST's log on the device of Table I's fixed values, 8 GB with 3 % of extra blocks."""


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
        ("D7", *OF_GAINS),
        {"ftl": {"cache": "256MiB"}},
        only=of("dloop", "dftl"),
    ),
    Counterfactual(
        "in order",
        "transfers of DFTL and FAST in the order in which they were placed: it is DLOOP that "
        "processes other requests (IV.B)",
        OF_GAINS,
        {"device": {"bus": "placement"}},
        only=of("dftl", "fast"),
    ),
    Counterfactual(
        "twice the load",
        "Financial at twice its load",
        ("D6", "D15", "D23", "D24"),
        {"host": {"time_scale": 0.5}},
        only=on(FIN1, FIN2),
    ),
    Counterfactual(
        "across planes",
        "blocks of DFTL and FAST numbered across planes: the next free one is on the next plane",
        ("D11", "D12", "D19", "D20"),
        {"device": {"block_numbers": "across-planes"}},
        only=of("dftl", "fast"),
    ),
    Counterfactual("a fresh device", "no warm-up", ("D5", "D16"), {"run": {"warmup": "none"}}),
    Counterfactual(
        "free transfers",
        "transfers that take no time",
        ("D13", "D17", "D29", "D32"),
        {"device": {"transfer_per_byte": "0ns"}},
    ),
)
