"""What is changed, one thing at a time, for claims of DLOOP's paper that do not agree."""

from __future__ import annotations

from ftlab.experiments.claims import Counterfactual, on
from ftlab.experiments.dloop.claims import CLAIMS, SDRPP
from ftlab.experiments.dloop.points import CAPACITIES, TPCC

ALL_CLAIMS = tuple(claim.id for claim in CLAIMS)
OF_TPCC = ("D1", "D4", "D5", "D9", "D11", "D12", "D13", "D16", "D21", "D26")

COUNTERFACTUALS = (
    Counterfactual(
        "short transfers",
        "a page takes 50 us on the bus, as in III.A, and not 102 us, as in Table I",
        ALL_CLAIMS,
        {"device": {"transfer_per_byte": "12ns"}},
    ),
    Counterfactual(
        "a large cache", "a mapping cache of 1 MiB", ALL_CLAIMS, {"ftl": {"cache": "1MiB"}}
    ),
    Counterfactual(
        "maps on flash",
        "FAST's block map on flash, in plane 0 (V.D)",
        ALL_CLAIMS,
        {"log": {"map": "flash"}},
        only=lambda key: key[2] == "fast",
    ),
    Counterfactual(
        "a log of one size",
        "FAST's log of 450 blocks at any capacity, near what 4 GB have to spare",
        ("D1", "D5", "D6", "D7"),
        {"log": {"blocks": 450}},
        only=lambda key: key[2] == "fast" and key[1] in CAPACITIES,
    ),
    Counterfactual(
        "a tenth of the load",
        "TPC-C at a tenth of its load",
        OF_TPCC,
        {"host": {"time_scale": 10}},
        only=on(TPCC),
    ),
    Counterfactual(
        "no queue",
        "one request at a time, the next when it is complete",
        ALL_CLAIMS,
        {"host": {"mode": "closed:1"}},
    ),
    Counterfactual(
        "all operations",
        "SDRPP of all operations of a plane, those of collections and merges, too",
        ("D10", "D11", "D12", "D18", "D19", "D20", "D27", "D28"),
        counted={SDRPP: "planes.sdrpp"},
    ),
    Counterfactual(
        "the whole map",
        "a mapping cache that holds the whole map",
        ALL_CLAIMS,
        {"ftl": {"cache": "256MiB"}},
        only=lambda key: key[2] != "fast",
    ),
    Counterfactual(
        "a small cache",
        "a mapping cache of 16 KiB",
        ALL_CLAIMS,
        {"ftl": {"cache": "16KiB"}},
        only=lambda key: key[2] != "fast",
    ),
    Counterfactual(
        "in order",
        "transfers of DFTL and FAST in the order in which they were placed: it is DLOOP that "
        "processes other requests (IV.B)",
        ALL_CLAIMS,
        {"device": {"bus": "placement"}},
        only=lambda key: key[2] != "dloop",
    ),
    Counterfactual(
        "a fresh device",
        "no warm-up",
        ALL_CLAIMS,
        {"run": {"warmup": "none"}},
    ),
)
