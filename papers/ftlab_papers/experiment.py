"""An experiment of a paper: its points, its claims and its report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ftlab import ConfigError, Result
from ftlab.points import Config, Point, Told, run_points
from ftlab_papers.claims import Claim, Counterfactual, Instead, Judged, judge
from ftlab_papers.findings import Verdict
from ftlab_papers.inputs import Sources, Workload, sources
from ftlab_papers.prefixes import counterfactuals as prefix_counterfactuals
from ftlab_papers.report import Part, Report, changes_of, headlines
from ftlab_papers.runs import Key, Runs
from ftlab_papers.scores import Score

Points = Mapping[Key, Point]
"""Points by the names under which `Runs` has their results."""

SEEDS = 3
"""Runs of each point, each on an input made with another seed."""


@dataclass(frozen=True)
class Experiment:
    """A paper's evaluation.

    Attributes
    ----------
    name, title
        The name for the command line, and the title for people.
    workloads
        The traces that it used.
    points
        Returns the points to run on them.
    claims
        The claims of the paper.
    parts
        Returns the parts of the report, from the results and the claims.
    prepare
        Returns the inputs to run, made from those of the workloads and kept with the results.
    counterfactuals
        The changes tried on claims that do not agree, one at a time.
    of_prefixes
        The additional settings that a real prefix needs when it replaces a model.
    whole
        Returns the points of the whole paper, if ``points`` leaves some out to save time.
    shortened
        A description of what is run when inputs are cut short, if that is not their first requests.
    seeds
        The default number of runs of each point.
    """

    name: str
    title: str
    workloads: Sequence[Workload]
    points: Callable[[Sources], Points]
    claims: Sequence[Claim]
    parts: Callable[[Runs, Sources, Sequence[Judged]], Sequence[Part]]
    prepare: Callable[[Sources, Path], Sources] | None = None
    counterfactuals: Sequence[Counterfactual] = ()
    of_prefixes: Config = field(default_factory=dict)
    whole: Callable[[Sources], Points] | None = None
    shortened: str = ""
    seeds: int = SEEDS


def reproduce(
    experiment: Experiment,
    results: str | Path,
    *,
    traces: str | Path | None = None,
    requests: int | None = None,
    seeds: int = SEEDS,
    whole: bool = False,
    scoreboard: bool = False,
    progress: Told | None = None,
) -> Report:
    """Run what is missing in the folder ``results``, judge the claims, and return the report.

    The folder ``traces`` has real traces, each of which replaces its model. ``requests`` cuts all
    inputs short. Each model makes one input for each of ``seeds`` seeds. With ``whole``, all points
    of the paper are run. With ``scoreboard``, each change is run at every point that it alters, so
    that it judges all claims. Raises `ConfigError` for ``whole`` if no point is ever left out.
    """
    if whole and experiment.whole is None:
        raise ConfigError(f"whole: found {experiment.name}, of which nothing is left out")
    results = Path(results)
    inputs: list[Sources] = [
        sources(experiment.workloads, traces, requests, seed) for seed in range(1, seeds + 1)
    ]
    if experiment.prepare is not None:
        inputs = [experiment.prepare(each, results) for each in inputs]
    chosen = experiment.whole if whole and experiment.whole else experiment.points
    points = [chosen(each) for each in inputs]
    evaluation = _Evaluation(inputs, points, results, progress)
    runs = evaluation.run()
    judged: Sequence[Judged] = [judge(claim, runs) for claim in experiment.claims]
    prefixes = prefix_counterfactuals(
        inputs[0], [each.id for each in experiment.claims], experiment.of_prefixes, results
    )
    scores: list[Score] = []
    for changed in [*experiment.counterfactuals, *prefixes]:
        judged, score = evaluation.with_one_change(changed, judged, everywhere=scoreboard)
        scores += [score] if score else []
    parts = [
        headlines(judged),
        *experiment.parts(runs, inputs[0], judged),
        *([changes_of(scores, judged)] if scores else []),
    ]
    shortened = experiment.shortened if requests is not None else ""
    return Report(experiment.title, parts, judged, scores, cut=requests, shortened=shortened)


@dataclass(frozen=True)
class _Evaluation:
    """Inputs and points of an experiment, once for each seed."""

    inputs: Sequence[Sources]
    points: Sequence[Points]
    results: Path
    progress: Told | None
    known: dict[str, Result] = field(default_factory=dict)
    """Results of the unchanged points, by digest: most changes leave most of them alone."""

    def run(self) -> Runs:
        """Run the unchanged points."""
        self.known.update(self._results(self.points))
        return self._runs(self.points, self.known)

    def run_changed(self, points: Sequence[Points], counted: Mapping[str, str]) -> Runs:
        """Run points, some of them changed; ``counted`` replaces metrics by others."""
        return self._runs(points, self.known | self._results(points), counted)

    def _results(self, points: Sequence[Points]) -> dict[str, Result]:
        """Return the results of points that are not known yet, by their digests."""
        flat = [point for each in points for point in each.values()]
        new = [point for point in flat if point.digest not in self.known]
        found = run_points(new, self.results, progress=self.progress)
        return dict(zip((point.digest for point in new), found, strict=True))

    def _runs(
        self,
        points: Sequence[Points],
        results: Mapping[str, Result],
        counted: Mapping[str, str] | None = None,
    ) -> Runs:
        found = ({key: results[each[key].digest] for key in each} for each in points)
        return Runs(*found, counted=counted)

    def with_one_change(
        self, changed: Counterfactual, judged: Sequence[Judged], *, everywhere: bool = False
    ) -> tuple[Sequence[Judged], Score | None]:
        """Return the claims, with the findings of those that the change may explain, and its score.

        Only points that these claims use are run, or all with ``everywhere``. If none is run, there
        is no score.
        """
        open_ = [each for each in judged if self._concerns(changed, each)]
        used = {key for each in open_ for key in each.used}
        if everywhere or (open_ and not changed.changes_points):
            used |= self.points[0].keys()
        if not used:
            return judged, None
        altered = [
            {
                key: changed.alter(key, each, made, self.results)
                for key in each
                if not changed.without(key)
                and (not changed.only(key) or (key in used and changed.point(key) in each))
            }
            for each, made in zip(self.points, self.inputs, strict=True)
        ]
        runs = self.run_changed(altered, changed.counted)

        def instead(each: Judged) -> Instead:
            ran = [
                f"{points[key].label}: {points[key].digest}"
                for points in altered
                for key in points
                if key in each.used and changed.only(key)
            ]
            claim = changed.reading(each.claim) if changed.reading else each.claim
            return Instead(changed, judge(claim, runs), list(dict.fromkeys(ran)))

        found = {each.claim.id: instead(each) for each in open_}
        verdicts = [
            (
                each,
                found[each.claim.id].judged.verdict
                if each.claim.id in found
                else self._verdict(changed, each, altered[0], runs),
            )
            for each in judged
        ]
        with_it = [
            replace(each, instead=[*each.instead, found[each.claim.id]]) if each in open_ else each
            for each in judged
        ]
        return with_it, Score(changed, verdicts)

    def _verdict(
        self, changed: Counterfactual, judged: Judged, altered: Points, runs: Runs
    ) -> Verdict | None:
        """Return the verdict with a change; None if a point that it needs was not run with it."""
        there = judged.used & self.points[0].keys()
        if not changed.touches(judged.claim, there, self.points[0]):
            return judged.verdict
        if any(changed.only(key) and key not in altered for key in there):
            return None
        claim = changed.reading(judged.claim) if changed.reading else judged.claim
        return judge(claim, runs).verdict

    def _concerns(self, changed: Counterfactual, judged: Judged) -> bool:
        """Return whether a change is tried on a claim and can alter its verdict."""
        is_open = judged.verdict is not Verdict.AGREES
        held = judged.claim.id in changed.claims and (
            is_open or (changed.real and judged.claim.headline)
        )
        return held and changed.touches(
            judged.claim, judged.used & self.points[0].keys(), self.points[0]
        )
