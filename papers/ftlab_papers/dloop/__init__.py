"""DLOOP (Abdurrab, Xie & Wang, IPDPS 2013): its evaluation, section V.

Of a real file of Exchange or Build one device and a quarter of an hour is run
(choices.md#dloop-windows). ``text.md`` says what else the paper leaves open.
"""

from pathlib import Path

from ftlab.points import Config, merge
from ftlab_papers.dloop.claims import CLAIMS, SDRPP
from ftlab_papers.dloop.parts import parts
from ftlab_papers.dloop.points import PAGES, WORKLOADS, points, short_transfer
from ftlab_papers.dloop.windows import one_device
from ftlab_papers.experiment import Experiment
from ftlab_papers.inputs import Source
from ftlab_papers.made import aligned
from ftlab_papers.prefixes import FIRST_SEED
from ftlab_papers.runs import Key
from ftlab_papers.tables import changes


def same_transfer(key: Key, source: Source, results: Path) -> Config:
    """Return the short transfer of a point's page, with the first seed only.

    The claim has many points.
    """
    return merge([short_transfer(key[1] if key[1] in PAGES else "4 KB"), FIRST_SEED])


def at_sector_0(key: Key, source: Source, results: Path) -> Config:
    """Return TPC-C as one of the two of its 15 devices on which 8 KiB begin at sector 0 of 16."""
    return {"input": {"trace": str(aligned(source.config, 8 << 10, results))}}


EXPERIMENT = Experiment(
    name="dloop",
    title="DLOOP: A Flash Translation Layer Exploiting Plane-Level Parallelism",
    workloads=WORKLOADS,
    points=points,
    claims=CLAIMS,
    parts=parts,
    prepare=one_device,
    counterfactuals=changes(
        __package__,
        makers={"same_transfer": same_transfer, "at_sector_0": at_sector_0},
        counted={"all operations": {SDRPP: "planes.sdrpp"}},
    ),
)

__all__ = ["EXPERIMENT"]
