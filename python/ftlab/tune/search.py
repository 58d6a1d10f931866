"""The search: trials are requested, run as points and reported, a few at a time.

Only points are stored. A search with the same seed requests the same trials, so an interrupted
search resumes by taking finished ones from the store.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ftlab.config import Config, merge
from ftlab.errors import ConfigError
from ftlab.ftls import own
from ftlab.plugins import Named
from ftlab.points import Point, Told, try_points
from ftlab.points.grid import Grid, grids_of, parts, values_of
from ftlab.points.point import canonical
from ftlab.points.store import Outcome
from ftlab.points.volumes import split
from ftlab.recording import short
from ftlab.result import Result
from ftlab.tune.found import Candidate, Found
from ftlab.tune.goal import Goal
from ftlab.tune.space import choose, places

if TYPE_CHECKING:
    from optuna import Study, Trial

INPUT = ("input.", "workload.", "run.seed")
"""The prefixes of keys that define the input and are therefore not searched."""

AT_ONCE = 8
"""Trials requested before the first of them is reported, on any number of cores."""


def search(
    tree: Mapping[str, Any],
    folder: str | Path,
    *,
    progress: Told | None = None,
    executor: Any = None,
) -> list[Found]:
    """Search among the points of a sweep for the goal of its table ``tune``.

    Each input (trace, or volume with ``tune.volumes``) has a separate search. Points are kept in
    ``folder`` and run in an ``executor`` as by `ftlab.points.run_points`.

    Raises
    ------
    ftlab.ConfigError
        when the sweep or the goal is invalid
    """
    tune = tree.get("tune")
    if not isinstance(tune, Mapping):
        raise ConfigError("tune: found no such table, expected one with minimize = [FIGURE, ...]")
    goal = Goal.of(tune)
    searches = [_Search(name, each, goal) for name, each in _inputs(tree, goal, Path(folder))]
    rounds = -(-goal.trials // AT_ONCE)
    for number in range(rounds + 1):
        asked = [each.ask() if number else each.rivals() for each in searches]
        points = [point for candidates in asked for each in candidates for point in each.points]

        def tell(done: int, total: int, share: float, number: int = number) -> None:
            if progress:
                trials = min(number * AT_ONCE, goal.trials)
                progress(trials, goal.trials, (number + share) / (rounds + 1))

        came = iter(try_points(points, folder, progress=tell, executor=executor))
        for each, candidates in zip(searches, asked, strict=True):
            for candidate in candidates:
                each.tell(candidate, [next(came) for _ in candidate.points])
    return [each.found() for each in searches]


@dataclass(frozen=True)
class _Asked:
    """A candidate before it has run; ``chosen`` are the settings that its FTL obeys."""

    ftl: Named
    chosen: Config
    points: Sequence[Point]
    trial: Trial | None


class _Search:
    """The search for one input."""

    def __init__(self, name: str, tree: Mapping[str, Any], goal: Goal) -> None:
        self._name = name
        self._goal = goal
        self._grids = grids_of(
            {key: value for key, value in tree.items() if key != "tune"}, is_search=True
        )
        self._against = _against(tree)
        grids = [*self._grids, *self._against]
        _check_input(grids)
        self._varied = {key for grid in grids for key, values in grid.axes if len(values) > 1}
        self._varied |= _differing(grids)
        self._study = _study(goal)
        self._left = goal.trials
        self._trials: list[Candidate] = []
        self._rivals: list[Candidate] = []

    def rivals(self) -> list[_Asked]:
        """Return the rivals to beat, each once."""
        found: dict[str, _Asked] = {}
        for grid in self._against:
            for ftl, chosen in grid.choices():
                points = grid.points(ftl, chosen)
                obeyed = {k: v for k, v in chosen.items() if grid.obeys(ftl, chosen, k, v)}
                if points:
                    found.setdefault(canonical(points[0].given), _Asked(ftl, obeyed, points, None))
        return list(found.values())

    def ask(self) -> list[_Asked]:
        """Return the next trials; rivals come first where they can be trials."""
        if not self._trials:
            for rival in self.found().rivals():
                known = places(rival.points[0], self._grids) if rival.fits else None
                if known:
                    self._study.enqueue_trial(known)
        asked = []
        for _ in range(min(AT_ONCE, self._left)):
            trial = self._study.ask()
            grid, ftl, chosen = choose(trial, self._grids)
            asked.append(_Asked(ftl, chosen, grid.points(ftl, chosen), trial))
        self._left -= len(asked)
        return asked

    def tell(self, asked: _Asked, outcomes: Sequence[Outcome]) -> None:
        """Keep the outcome of a candidate, and report it to the search."""
        candidate = self._judged(asked, outcomes)
        if asked.trial is None:
            self._rivals.append(candidate)
            return
        self._trials.append(candidate)
        if candidate.values is None:
            _tell(self._study, asked.trial)
            return
        for place, beyond in enumerate(candidate.excess):
            asked.trial.set_constraint(str(place), beyond)
        _tell(self._study, asked.trial, candidate.values)

    def _judged(self, asked: _Asked, outcomes: Sequence[Outcome]) -> Candidate:
        """Compare the outcome of a candidate with the goal."""
        settings = {key: value for key, value in asked.chosen.items() if key in self._varied}
        against = asked.trial is None
        results = [each for each in outcomes if isinstance(each, Result)]
        if not results or len(results) < len(outcomes):
            return Candidate(asked.ftl, settings, asked.points, outcomes, None, [], against)
        self._goal.check(results[0])
        excess = [limit.excess(results) for limit in self._goal.limits]
        known = [each for each in excess if each is not None]
        values = self._goal.values(results) if len(known) == len(excess) else None
        return Candidate(asked.ftl, settings, asked.points, outcomes, values, known, against)

    def found(self) -> Found:
        """Return the findings of the search."""
        return Found(self._name, self._goal, self._trials, self._rivals)


def _check_input(grids: Sequence[Grid]) -> None:
    """Raise `ftlab.ConfigError` if trials would choose their own input."""
    for key in sorted({key for grid in grids for key, _ in grid.axes}):
        values = [dict(grid.axes).get(key, []) for grid in grids]
        if key.startswith(INPUT) and (len(values[0]) > 1 or any(v != values[0] for v in values)):
            raise ConfigError(f"{key}: found several values, expected one in all parts of a search")
    for ftl in (ftl for grid in grids for ftl in grid.ftls):
        if own(ftl)[1]:
            raise ConfigError(f"ftls: found {ftl}, expected a name; a search chooses its settings")


def _study(goal: Goal) -> Study:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(seed=goal.seed, multivariate=True, group=True)
    return optuna.create_study(directions=goal.directions, sampler=sampler)


def _tell(study: Study, trial: Trial, values: Sequence[float] | None = None) -> None:
    """Report the values of a trial, or that it has none."""
    from optuna.trial import TrialState

    study.tell(trial, values, state=None if values else TrialState.FAIL)


def _differing(grids: Sequence[Grid]) -> set[str]:
    """Return the keys whose values differ between parts, or are missing in one."""
    keys = {key for grid in grids for key, _ in grid.axes}
    told = [{key: repr(values) for key, values in grid.axes} for grid in grids]
    return {key for key in keys if len({each.get(key) for each in told}) > 1}


def _against(tree: Mapping[str, Any]) -> list[Grid]:
    """Return the parts of ``tune.against``: they share the settings that are not searched."""
    against = parts("tune.against", tree["tune"].get("against", []))
    base = {key: _single(key, value) for key, value in tree.items() if key not in ("tune", "grid")}
    return [grid for part in against for grid in grids_of(merge([base, part]))]


def _single(section: str, table: Any) -> Any:
    """Return a section without the settings that have several values."""
    if not isinstance(table, Mapping):
        return table
    return {
        name: value
        for name, value in table.items()
        if len(values_of(f"{section}.{name}", value)) == 1
    }


def _inputs(tree: Mapping[str, Any], goal: Goal, folder: Path) -> list[tuple[str, Config]]:
    """Return the inputs of a sweep by name, each with the tree of its search."""
    if not _has(tree, "input", "trace"):
        pattern = tree["workload"]["pattern"] if _has(tree, "workload", "pattern") else ""
        return [(str(pattern), dict(tree))]
    found: list[tuple[str, Config]] = []
    for trace in values_of("input.trace", tree["input"]["trace"]):
        own = merge([tree, {"input": {"trace": trace}}])
        name = short(str(trace))
        if not goal.volumes:
            found.append((name, own))
            continue
        seed = {"seed": own["run"]["seed"]} if _has(own, "run", "seed") else {}
        for volume in split({"input": own["input"], "run": seed}, folder):
            if volume.requests >= goal.least:
                volume_tree = {**own, "input": {"trace": str(volume.file)}}
                found.append((f"{name} volume {volume.number}", volume_tree))
    if not found:
        raise ConfigError(f"tune.least: found no volume with at least {goal.least:,} requests")
    return found


def _has(config: Mapping[str, Any], section: str, name: str) -> bool:
    table = config.get(section)
    return isinstance(table, Mapping) and name in table
