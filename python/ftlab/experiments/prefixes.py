"""Real prefixes: the first requests of a trace, looped, played through the same FTLs as its model.

A loop is an extreme of places that last, and a prefix is not the whole trace. So it stands beside
the model as a counterfactual, and its verdict is not that of the claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ftlab.config import Config, merge
from ftlab.experiments.claims import Counterfactual, on
from ftlab.experiments.inputs import Sources, Workload
from ftlab.experiments.made import looped

BEGINNING = Workload(
    "financial1, its beginning", ("financial1.first50002.derived-noasu.spc",), modelled=False
)
"""50,002 requests, with the volumes laid over each other."""

ROUNDS = 134
"""How often a prefix is played: with 10,000 requests as many as MNFTL plays of Financial1."""

FIRST_SEED: Config = {"run": {"seed": 1}}
"""A prefix is one input, and its model beside it is run once, too."""

SCANS: dict[str, tuple[int, ...]] = {"financial1": (18, 19, 20)}
"""Volumes of which the prefix has a scan, which the whole trace is far from having as often.

Its share of writes is 59 %, that of the whole trace 77 %, and that of the other volumes 82 %.
"""


def counterfactuals(
    inputs: Sources, claims: Sequence[str], beside: Config, results: Path
) -> list[Counterfactual]:
    """Return for each workload that has a prefix beside its model what the prefix changes.

    ``beside`` has the settings that it needs. With them alone the model is run, too, which tells
    what is their doing.
    """
    found = []
    for name, source in inputs.items():
        if source.prefix is None:
            continue
        if beside:
            found.append(
                Counterfactual(
                    f"{name}'s model, set up as its prefix",
                    f"the model of {name} with the settings that its real prefix is run with",
                    claims,
                    merge([FIRST_SEED, beside]),
                    only=on(name),
                )
            )
        trace: Config = {"input": {"trace": str(source.prefix)}}
        for what, without in (("", ()), (" without its scan", SCANS.get(name, ()))):
            path = looped(trace, ROUNDS, without, results)
            found.append(
                Counterfactual(
                    f"{name}'s prefix{what}",
                    f"{name} from its real prefix{what}, looped",
                    claims,
                    merge([{"input": {"trace": str(path)}}, FIRST_SEED, beside]),
                    only=on(name),
                )
            )
    return found
