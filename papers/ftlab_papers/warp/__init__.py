"""WARP (FAST 2026): three streams on its emulated drives, by the counters of its artifact."""

from ftlab_papers.experiment import Experiment
from ftlab_papers.placed import SHORTENED
from ftlab_papers.tables import changes
from ftlab_papers.warp.claims import CLAIMS
from ftlab_papers.warp.parts import parts
from ftlab_papers.warp.points import WORKLOADS, points

EXPERIMENT = Experiment(
    name="warp",
    title="WARP: FDP by its emulated drives",
    workloads=WORKLOADS,
    points=points,
    claims=CLAIMS,
    parts=parts,
    counterfactuals=changes(__package__),
    shortened=SHORTENED,
    seeds=1,
)

__all__ = ["EXPERIMENT"]
