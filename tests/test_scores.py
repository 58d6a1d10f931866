"""What a change gains and breaks among all claims, and the main results on top of a report."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ftlab import Result
from ftlab.points import Point
from ftlab_papers.claims import Claim, Counterfactual, Instead, judge
from ftlab_papers.experiment import Experiment, reproduce
from ftlab_papers.findings import Bound, Change, Statement
from ftlab_papers.headlines import headline_table
from ftlab_papers.inputs import Workload
from ftlab_papers.measures import at
from ftlab_papers.report import Report, write
from ftlab_papers.runs import Runs


def capacity(result: Result) -> float:
    """Return the device's capacity in GiB, which is 16 by default."""
    return result["device"]["capacity_bytes"] / (1 << 30)


def claim(name: str, key: str, **bounds: float) -> Claim:
    return Claim(name, "1", "a size", [Bound("", at(capacity, key), **bounds)])


CLAIMS = [
    claim("X1", "build", above=32),
    claim("X2", "build", below=16),
    claim("X3", "other", below=16),
    claim("X4", "both", below=16),
    replace(claim("O1", "build", below=16), own=True),
]
LARGER = Counterfactual("larger", "32 GiB", ["X1"], {"device": {"capacity": 32 << 30}})


def evaluated(
    folder: Path,
    changed: Counterfactual,
    claims: Sequence[Claim] = CLAIMS,
    *,
    scoreboard: bool,
) -> Report:
    experiment = Experiment(
        "test",
        "A test",
        [Workload("build", ())],
        lambda inputs: {
            (name,): Point(name, inputs["build"].config, "page")
            for name in ("build", "other", "both")
        },
        claims,
        lambda runs, inputs, judged: [],
        counterfactuals=[changed],
    )
    return reproduce(experiment, folder, requests=100, seeds=1, scoreboard=scoreboard)


@pytest.mark.parametrize(
    ("scoreboard", "broken", "agreeing", "judged"),
    [(False, ["X2"], 2, 3), (True, ["X2", "X4"], 2, 4)],
    ids=["where it was run", "everywhere"],
)
def test_a_change_is_scored_on_all_claims_of_the_paper(
    tmp_path: Path, scoreboard: bool, broken: list[str], agreeing: int, judged: int
) -> None:
    changed = replace(LARGER, only=lambda key: key != ("other",))
    report = evaluated(tmp_path, changed, scoreboard=scoreboard)
    (score,) = report.scores
    assert (score.gained, score.broken) == (["X1"], broken)
    assert (score.agreeing, score.judged) == (agreeing, judged)
    text = next(each for each in write(report, tmp_path) if each.name == "report.md").read_text()
    net = f"{1 - len(broken):+d}"
    row = f"| 32 GiB | {agreeing} of {judged} | X1 | {' '.join(broken)} | {net} | {4 - judged} |"
    assert "| none | 3 of 4 |" in text and row in text


def test_a_change_that_may_explain_nothing_is_not_run(tmp_path: Path) -> None:
    changed = replace(LARGER, claims=["X2"])
    assert not evaluated(tmp_path, changed, scoreboard=False).scores


def given(figure: float) -> Statement:
    return Change("vs it", -0.5, lambda runs: figure)


def test_headlines_have_the_real_beginning_and_tell_order_from_size() -> None:
    runs = Runs({})
    main = Claim("X1", "abstract", "faster", [given(-0.2)], headline=True)
    beside = replace(main, headline=False)
    real = Counterfactual("its prefix", "the prefix", ["X1"], real=True)
    model = Counterfactual("more", "more", ["X1"])
    instead = [
        Instead(changed, judge(replace(main, statements=[given(ours)]), runs))
        for changed, ours in ((real, -0.45), (model, -0.9))
    ]
    table = headline_table([replace(judge(main, runs), instead=instead), judge(beside, runs)])
    assert table.rows == [
        ["X1", "faster: vs it", "-50.0 %", "-20.0 %", "its prefix: -45.0 %", "yes", "no"]
    ]
    (reversed_,) = headline_table([judge(replace(main, statements=[given(0.2)]), runs)]).rows
    assert reversed_[-2:] == ["no", "no"]


def test_a_headline_is_held_against_the_real_beginning_even_where_it_agrees(
    tmp_path: Path,
) -> None:
    changed = replace(LARGER, claims=["X2"], real=True)
    for headline in (False, True):
        claims = [replace(CLAIMS[1], headline=headline)]
        report = evaluated(tmp_path, changed, claims, scoreboard=False)
        assert len(report.judged[0].instead) == headline
