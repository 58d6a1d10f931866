"""An experiment of a paper: what is run, what is claimed, what is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from ftlab.config import merge
from ftlab.experiments.claims import Claim, Counterfactual, Judged, judge
from ftlab.experiments.findings import Verdict
from ftlab.experiments.inputs import Sources, Workload, sources
from ftlab.experiments.report import Part, Report
from ftlab.experiments.runs import Key, Runs
from ftlab.points import Point, Told, run_points

Points = Mapping[Key, Point]
"""Points by the names under which `Runs` has their results."""

SEEDS = 3
"""How often each point is run, on an input made with another seed."""


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
    counterfactuals
        What is changed, one thing at a time, for claims that do not agree.
    """

    name: str
    title: str
    workloads: Sequence[Workload]
    points: Callable[[Sources], Points]
    claims: Sequence[Claim]
    parts: Callable[[Runs, Sources, Sequence[Judged]], Sequence[Part]]
    prepare: Callable[[Sources, Path], Sources] | None = None
    counterfactuals: Sequence[Counterfactual] = ()


def reproduce(
    experiment: Experiment,
    results: str | Path,
    *,
    traces: str | Path | None = None,
    requests: int | None = None,
    seeds: int = SEEDS,
    progress: Told | None = None,
) -> Report:
    """Run what is missing in the folder ``results``, judge the claims, and return the report.

    ``traces`` is a folder with real traces, each of which takes the place of its model;
    ``requests`` cuts all inputs short; each model makes an input with each of so many ``seeds``.
    """
    inputs: list[Sources] = [
        sources(experiment.workloads, traces, requests, seed) for seed in range(1, seeds + 1)
    ]
    if experiment.prepare is not None:
        inputs = [experiment.prepare(each, Path(results)) for each in inputs]
    points = [experiment.points(each) for each in inputs]

    def run(points: Sequence[Points]) -> Runs:
        flat = [point for each in points for point in each.values()]
        done = iter(run_points(flat, results, progress=progress))
        return Runs(*(dict(zip(each, islice(done, len(each)), strict=True)) for each in points))

    runs = run(points)
    judged = [judge(claim, runs) for claim in experiment.claims]
    for changed in experiment.counterfactuals:
        judged = _with(changed, judged, points, run)
    parts = experiment.parts(runs, inputs[0], judged)
    return Report(experiment.title, parts, judged, cut=requests)


def _with(
    changed: Counterfactual,
    judged: Sequence[Judged],
    points: Sequence[Points],
    run: Callable[[Sequence[Points]], Runs],
) -> list[Judged]:
    """Return the claims; those that do not agree with what is found when one thing is changed."""
    open_ = [
        each
        for each in judged
        if each.claim.id in changed.claims and each.verdict is not Verdict.AGREES
    ]
    used = {key for each in open_ for key in each.used}
    if not used or any(changed.point(key) not in points[0] for key in used & points[0].keys()):
        return list(judged)

    def alter(key: Key, points: Points) -> Point:
        if not changed.only(key):
            return points[key]
        point = points[changed.point(key)]
        config = merge([point.config, changed.sections])
        return Point(f"{point.label}, {changed.name}", config, point.ftl)

    runs = run([{key: alter(key, each) for key in each if key in used} for each in points])
    found = {each.claim.id: (changed, judge(each.claim, runs)) for each in open_}
    return [
        replace(each, instead=[*each.instead, found[each.claim.id]])
        if each.claim.id in found
        else each
        for each in judged
    ]
