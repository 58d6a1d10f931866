"""Real prefixes: the first requests of a trace, looped, run on the same FTLs as its model.

A loop is an extreme of places that last, and a prefix is not the whole trace. It is therefore run
as a counterfactual in addition to the model, and does not decide the verdict of the claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ftlab.points import Config, merge
from ftlab_papers.claims import Counterfactual, on
from ftlab_papers.inputs import FINANCIAL1_BEGINNING, Sources, Workload
from ftlab_papers.made import looped

BEGINNING = Workload("financial1, its beginning", FINANCIAL1_BEGINNING.files, modelled=False)
"""50,002 requests, with the volumes laid over each other."""

FIRST_SEED: Config = {"run": {"seed": 1}}
"""A prefix is one input, so the model compared with it is also run once."""


def counterfactuals(
    inputs: Sources, claims: Sequence[str], beside: Config, results: Path
) -> list[Counterfactual]:
    """Return the changes by prefixes, for each workload with both a prefix and a model.

    ``beside`` has the settings that a prefix needs. The model is also run with them alone, which
    separates their effect.
    """
    found = []
    for name, source in inputs.items():
        if source.prefixes and beside:
            found.append(
                Counterfactual(
                    f"{name}'s model, set up as its prefix",
                    f"the model of {name} with the settings that its real prefix is run with",
                    claims,
                    merge([FIRST_SEED, beside]),
                    only=on(name),
                )
            )
        for prefix, file in source.prefixes:
            trace: Config = {"input": {"trace": str(file)}}
            slower = f", {prefix.slower} times as slow" if prefix.slower > 1 else ""
            ways = {"": (), **({" without its scan": prefix.scan} if prefix.scan else {})}
            for way, without in ways.items():
                path = looped(trace, prefix.rounds, without, results, prefix.slower)
                found.append(
                    Counterfactual(
                        f"{name}'s {prefix.what}{way}",
                        f"{name} from its real {prefix.what}{way}, looped{slower}",
                        claims,
                        merge([{"input": {"trace": str(path)}}, FIRST_SEED, beside]),
                        only=on(name),
                        real=True,
                    )
                )
    return found
