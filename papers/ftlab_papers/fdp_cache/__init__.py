"""Flash caches with FDP: CacheLib's two caches, their closed form, and LMCache's objects."""

from ftlab_papers.experiment import Experiment
from ftlab_papers.fdp_cache.claims import CLAIMS
from ftlab_papers.fdp_cache.parts import parts
from ftlab_papers.fdp_cache.points import WORKLOADS, points
from ftlab_papers.placed import SHORTENED
from ftlab_papers.tables import changes

EXPERIMENT = Experiment(
    name="fdp-cache",
    title="Flash caches with FDP",
    workloads=WORKLOADS,
    points=points,
    claims=CLAIMS,
    parts=parts,
    counterfactuals=changes(__package__),
    shortened=SHORTENED,
    seeds=1,
)

__all__ = ["EXPERIMENT"]
