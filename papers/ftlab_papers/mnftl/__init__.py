"""MNFTL (Qin et al., DAC 2011): its Table 2, its RAM, and its table checked against itself.

The device is that of the preset ``mnftl-dac11``: one page access for each request, no queue, empty
at first. That is what the paper's own figures imply (`ftlab_papers.mnftl.proofs`,
choices.md#mnftl-device).
"""

from pathlib import Path

from ftlab.points import Config, merge
from ftlab_papers.experiment import Experiment
from ftlab_papers.inputs import Source
from ftlab_papers.made import side_by_side
from ftlab_papers.mnftl import variants
from ftlab_papers.mnftl.claims import PROOFS, REASONS, SAYS
from ftlab_papers.mnftl.parts import parts
from ftlab_papers.mnftl.points import WORKLOADS, points, requests_of
from ftlab_papers.runs import Key
from ftlab_papers.tables import changes, claims


def volumes_side_by_side(key: Key, source: Source, results: Path) -> Config:
    """Return the input with its volumes one behind the other before they are wrapped."""
    limit: Config = {"input": {"requests": requests_of(source)}}
    return {"input": {"trace": str(side_by_side(merge([source.config, limit]), results))}}


def idle_from_2(key: Key) -> Key:
    """Return the name of the point whose collection begins from two blocks on."""
    return (*key[:2], "open loop, idle from 2")


EXPERIMENT = Experiment(
    name="mnftl",
    title="MNFTL: An Efficient Flash Translation Layer for MLC NAND Flash Memory Storage Systems",
    workloads=WORKLOADS,
    points=points,
    claims=claims(__package__, {**SAYS, **variants.SAYS}, REASONS | variants.REASONS, PROOFS),
    parts=parts,
    counterfactuals=changes(
        __package__,
        makers={"side_by_side": volumes_side_by_side},
        point={"idle from 2": idle_from_2},
    ),
)

__all__ = ["EXPERIMENT"]
