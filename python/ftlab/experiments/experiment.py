"""An experiment of a paper: what is run, what is claimed, what is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ftlab.experiments.claims import Claim, Judged, Runs, judge
from ftlab.experiments.inputs import Sources, Workload, sources
from ftlab.experiments.report import Part, Report
from ftlab.points import Point, Told, run_points

Points = Mapping[tuple[str, ...], Point]
"""Points by the names under which `Runs` has their results."""


@dataclass(frozen=True)
class Experiment:
    """A paper's evaluation.

    Attributes
    ----------
    name, title
        For the command line, and for people.
    workloads
        The traces that it used.
    points
        Returns what is run on them.
    claims
        What the paper says.
    parts
        Returns what the report shows of the results and the claims.
    prepare
        Returns the inputs that are run, made from those of the workloads beside the results.
    """

    name: str
    title: str
    workloads: Sequence[Workload]
    points: Callable[[Sources], Points]
    claims: Sequence[Claim]
    parts: Callable[[Runs, Sources, Sequence[Judged]], Sequence[Part]]
    prepare: Callable[[Sources, Path], Sources] | None = None


def reproduce(
    experiment: Experiment,
    results: str | Path,
    *,
    traces: str | Path | None = None,
    requests: int | None = None,
    progress: Told | None = None,
) -> Report:
    """Run what is missing in the folder ``results``, judge the claims, and return the report.

    ``traces`` is a folder with real traces, each of which takes the place of its model;
    ``requests`` cuts all inputs short.
    """
    inputs: Sources = sources(experiment.workloads, traces, requests)
    if experiment.prepare is not None:
        inputs = experiment.prepare(inputs, Path(results))
    points = experiment.points(inputs)
    done = run_points(list(points.values()), results, progress=progress)
    runs = Runs(dict(zip(points, done, strict=True)))
    judged = [judge(claim, runs) for claim in experiment.claims]
    return Report(experiment.title, experiment.parts(runs, inputs, judged), judged)
