"""What is changed, one thing at a time, for claims of DFTL's journal version that do not agree."""

from __future__ import annotations

from collections.abc import Callable

from ftlab_papers.claims import Counterfactual, on
from ftlab_papers.dftl.points import CACHED, FIN, FOLD, NEAREST, PREFIX_LOOP, TPCH
from ftlab_papers.runs import Key
from ftlab_papers.volumes import MIB

FINANCIAL = ("J1", "J2", "J4", "J5")


def _instead(workload: str) -> Callable[[Key], Key]:
    """Return what names the same point of another workload."""
    return lambda key: (workload, *key[1:]) if key[0] == FIN else key


COUNTERFACTUALS = (
    *(
        Counterfactual(name, what, FINANCIAL, only=on(FIN), point=_instead(name))
        for name, what in {
            **{each: f"the volume {each} to the table's Financial" for each in NEAREST[1:]},
            FOLD: "all volumes over each other on 512 MiB, as slow as the table says",
            PREFIX_LOOP: "the real beginning, looped, on 512 MiB, as slow as the table says",
        }.items()
    ),
    Counterfactual(
        "512 MiB",
        "a device of 512 MiB, of which the volume is a part",
        FINANCIAL,
        {"device": {"capacity": 512 * MIB}},
        only=on(FIN),
    ),
    Counterfactual(
        "whole map",
        "a mapping cache for the whole map (2 MiB)",
        ("J1", "J4", "J5"),
        {"ftl": {"cache": 2 * MIB}},
        only=on(FIN),
    ),
    Counterfactual(
        "16 MiB",
        "a write-back cache of 16 MiB",
        ("J4",),
        {"buffer": {"size": 16 * MIB}},
        only=lambda key: key[-1] == CACHED,
    ),
    Counterfactual(
        "eight times the load",
        "requests that come eight times as fast",
        ("J3",),
        {"host": {"time_scale": 1 / 8}},
        only=on(TPCH),
    ),
)
