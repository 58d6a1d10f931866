"""Evaluations of placement: the course of a run, what is interpolated, and each once in small."""

from __future__ import annotations

from importlib import import_module

import pytest

from ftlab_papers import reproduce
from ftlab_papers.drives.claims import interpolated
from ftlab_papers.drives.points import capacity
from ftlab_papers.fdp_cache.claims import closed_form, small_objects
from ftlab_papers.findings import Value, Verdict
from ftlab_papers.inputs import sources
from ftlab_papers.placed import PAGE, between
from ftlab_papers.runs import Runs
from ftlab_papers.warp import EXPERIMENT as WARP
from ftlab_papers.warp.points import MIX, streams
from ftlab_papers.warp.published import CUMULATIVE, INTERVAL, LEVELS

PLACED = ("warp", "drives", "fdp-cache")


def course(requests: list[int], factors: list[float | None], pages: int = 100) -> dict:
    """Return what a run of so many pages has of its course."""
    timeline = {"requests": requests, "write_amplification": factors}
    return {"config": {"workload": {"size": pages * PAGE}}, "timeline": timeline}


def test_a_part_of_the_course_is_weighted_by_what_was_written():
    run = course([50, 150, 250, 300], [1.0, 2.0, 3.0, 4.0])
    assert between(0, 3)(run) == pytest.approx((50 + 200 + 300 + 200) / 300)
    assert between(1, 2)(run) == pytest.approx((50 * 2 + 50 * 3) / 100)
    assert between(2, 3)(run) == pytest.approx((50 * 3 + 50 * 4) / 100)
    assert between(2, 4)(run) is None, "the run is shorter"


def test_a_value_has_the_bar_of_its_claim():
    def found(ours: float, **bar: float) -> Verdict:
        return Value("", 2.0, lambda _: ours, **bar).find(Runs({})).verdict

    assert found(2.2, within=0.1) is found(2.5) is Verdict.AGREES
    assert found(2.21, within=0.1) is found(2.51) is Verdict.DIFFERS
    assert Value("", 2.0, lambda _: 2.0, within=0.1).published == "2 within 10.0 %"
    assert Value("", 2.0, lambda _: 2.0).published == "2"


def test_what_lies_between_two_runs_is_on_their_line():
    assert interpolated([1.0, 2.0, 4.0], [10.0, 20.0, 40.0], 3.0) == pytest.approx(30.0)
    assert interpolated([4.0, 2.0, 1.0], [40.0, 20.0, 10.0], 1.5) == pytest.approx(15.0)


def test_the_capacity_that_calibrates_lies_in_the_interval_of_all_fill_levels():
    assert 1039 < capacity() < 1055


def test_the_closed_form_of_small_objects_is_that_of_the_reference():
    found = {units: closed_form(units) for units in (1150, 1096, 1060)}
    assert found == pytest.approx({1150: 1.094, 1096: 1.241, 1060: 1.649}, abs=0.0006)
    assert small_objects(1096) < 1.6 < small_objects(1060)


def test_the_job_of_three_streams_has_handles_by_placement():
    assert streams("80/20", "FDP", MIX).split("; ") == [
        "58 seq 0-90 0",
        "21 rand 90-100 1",
        "21 zoned:80/20:10/20:10/60 0-90 2",
    ]
    assert streams("uniform", "mixed", MIX).endswith("21 rand 0-90 0")
    assert "90-100 0" in streams("Zipf 1.2", "none", MIX)


def test_the_published_cells_are_twelve_and_sixteen():
    assert sum(map(len, CUMULATIVE.values())) == sum(map(len, INTERVAL.values())) == 12
    assert sum(map(len, LEVELS.values())) == 16
    points = WARP.points(sources(WARP.workloads, None, None))
    assert sum(key[0] == "A2" for key in points) == 12
    assert len({point.digest for point in points.values()}) == len(points)


@pytest.mark.long
@pytest.mark.parametrize("paper", PLACED)
def test_each_evaluation_runs_in_small(paper: str, tmp_path) -> None:
    experiment = import_module(f"ftlab_papers.{paper.replace('-', '_')}").EXPERIMENT
    report = reproduce(experiment, tmp_path, requests=5000, seeds=1)
    assert all(each.verdict is not Verdict.NOT_MEASURED for each in report.judged)
    assert report.banner.startswith("Units have 32 pages")
