"""DLOOP (Abdurrab, Xie & Wang, IPDPS 2013): its evaluation, section V.

The device is that of the preset ``dloop``: planes of 2048 data blocks, so a device of another
capacity or page size has as many planes as it needs, half of them on each channel. Where the paper
is silent: a mapping cache of 64 KiB (and others, for Financial1); every request of the trace is
served once as a write before measuring (FlashSim's warm-up); addresses beyond the device wrap
around; FAST has all spare blocks but one as log blocks; SDRPP counts flash operations for the host
and the map, and not those of GC; of a real file of Exchange or Build one device and a quarter of an
hour (choices.md#dloop-silent, choices.md#sdrpp, choices.md#dloop-windows).
"""

from ftlab_papers.dloop.claims import CLAIMS
from ftlab_papers.dloop.counterfactuals import COUNTERFACTUALS
from ftlab_papers.dloop.parts import parts
from ftlab_papers.dloop.points import WORKLOADS, points
from ftlab_papers.dloop.windows import one_device
from ftlab_papers.experiment import Experiment

EXPERIMENT = Experiment(
    name="dloop",
    title="DLOOP: A Flash Translation Layer Exploiting Plane-Level Parallelism",
    workloads=WORKLOADS,
    points=points,
    claims=CLAIMS,
    parts=parts,
    prepare=one_device,
    counterfactuals=COUNTERFACTUALS,
)

__all__ = ["EXPERIMENT"]
