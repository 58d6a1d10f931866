"""WARP (FAST 2026): three streams on its emulated drives, by the counters of its artifact."""

from ftlab_papers.placed import experiment
from ftlab_papers.warp.claims import CLAIMS
from ftlab_papers.warp.parts import parts
from ftlab_papers.warp.points import points

EXPERIMENT = experiment(
    __package__,
    name="warp",
    title="WARP: FDP by its emulated drives",
    points=points,
    claims=CLAIMS,
    parts=parts,
)

__all__ = ["EXPERIMENT"]
