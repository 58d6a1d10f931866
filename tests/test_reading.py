"""Points of one input decode it once, and come out as if each ran alone."""

from __future__ import annotations

import json
import weakref

import pytest

import ftlab
from ftlab import _core
from ftlab.points import Failure, Point, queue, run_points, runner, try_points
from ftlab.points.batch import by_input
from ftlab.points.store import Store


def config(requests=2_000, seed=1):
    workload = {"pattern": "randwrite", "bs": "4k", "size": "16MiB", "requests": requests}
    return {"workload": workload, "run": {"seed": seed}, "device": {"capacity": "32MiB"}}


SHORT = {"input": {"requests": 2_000}}


def counts(result):
    return result["flash"], result["host"], result["trace"]


def test_runs_over_one_reading_are_as_those_alone():
    reading = _core.Reading()
    for ftl in ("page", "dftl"):
        point = [(json.dumps(config()), ftl)]
        (alone,) = json.loads(_core.simulate(point))
        (shared,) = json.loads(_core.simulate(point, None, [], reading))
        assert counts(shared) == counts(alone)


@pytest.mark.parametrize(
    "other, key", [(config(requests=3_000), "workload"), (config(seed=2), "run.seed")]
)
def test_a_reading_is_of_one_input(other, key):
    reading = _core.Reading()
    _core.simulate([(json.dumps(config()), "page")], None, [], reading)
    with pytest.raises(ftlab.ConfigError, match=f"{key}: found a run with another {key}"):
        _core.simulate([(json.dumps(other), "page")], None, [], reading)


JOBS = "[job]\nrw=randwrite\nbs=4k\nnumber_ios=2000\nnorandommap\n"


@pytest.fixture
def jobs(tmp_path):
    """A job without a size: it has that of the device."""
    file = tmp_path / "jobs.fio"
    file.write_text(JOBS)
    return str(file)


@pytest.mark.parametrize("name", [None, "permutation"])
def test_what_has_the_size_of_the_device_is_read_for_each_size(jobs, tmp_path, name):
    points = [
        Point.of(name or jobs, ftl, ftlab.Device(capacity=capacity), config=SHORT)
        for capacity in ("32MiB", "64MiB")
        for ftl in ("page", "dftl")
    ]
    assert [len(group) for group in by_input(points)] == [2, 2]
    found = run_points(points, tmp_path / "results")
    for point, each in zip(points, found, strict=True):
        alone = ftlab.simulate(name or jobs, point.ftl, config=point.config)
        assert counts(each.to_dict()) == counts(alone.to_dict())
    assert found[0].trace.span_bytes < found[2].trace.span_bytes


def test_a_reading_of_jobs_is_of_one_capacity(jobs):
    reading = _core.Reading()
    small, large = (
        (json.dumps({"input": {"trace": jobs}, "device": {"capacity": capacity}}), "page")
        for capacity in ("32MiB", "64MiB")
    )
    _core.simulate([small], None, [], reading)
    with pytest.raises(ftlab.ConfigError, match=r"device\.capacity: found a run with another"):
        _core.simulate([large], None, [], reading)


def test_points_of_a_file_share_a_reading(tmp_path):
    trace = tmp_path / "a.spc"
    trace.write_text("".join(f"0,{8 * (7 * n % 999)},4096,w,{n}.0\n" for n in range(2_000)))
    points = [
        Point(ftl, {"input": {"trace": str(trace)}, "device": {"capacity": "64MiB"}}, ftl)
        for ftl in ("page", "dftl", "fast")
    ]
    assert [len(group) for group in by_input(points)] == [3]
    found = run_points(points, tmp_path / "results")
    alone = [
        ftlab.simulate(str(trace), point.ftl, ftlab.Device(capacity="64MiB")) for point in points
    ]
    assert [counts(each.to_dict()) for each in found] == [counts(each.to_dict()) for each in alone]


def test_files_with_the_same_content_may_have_two_names(tmp_path):
    names = [tmp_path / "a.spc", tmp_path / "b.spc"]
    for name in names:
        name.write_text("0,8,4096,w,0.5\n0,16,4096,w,1.5\n")
    points = [
        Point.of(name, ftl, ftlab.Device(capacity="64MiB"))
        for name, ftl in zip(names, ("page", "dftl"), strict=True)
    ]
    found = run_points(points, tmp_path / "results")
    assert [each.trace.name for each in found] == ["a.spc", "b.spc"]


def test_a_model_and_a_text_of_the_same_bytes_are_two_inputs(tmp_path):
    names = [tmp_path / "m.toml", tmp_path / "m.txt"]
    for name in names:
        name.write_text("[model]\n")
    assert len({Point.of(name).digest for name in names}) == 2


def test_a_failed_point_keeps_no_requests(tmp_path, monkeypatch):
    readings = []

    class Reading:
        def __init__(self):
            readings.append(weakref.ref(self))

    def failing(point, reading, warmup, progress):
        try:
            raise ftlab.ConfigError("no")
        except ftlab.ConfigError as error:
            return error

    monkeypatch.setattr(runner, "attempt", failing)
    monkeypatch.setattr(queue.Input, "reading", lambda self, point: Reading())
    runs = runner._Runs(Store(tmp_path), None, None)
    runs.outcomes([Point(f"{seed}", config(seed=seed), "page") for seed in (1, 2)], retry=True)
    assert len(runs.raised) == 2
    assert [each() for each in readings] == [None, None]


def test_points_of_two_inputs_have_two_readings():
    points = [Point(f"{seed}", config(seed=seed), "page") for seed in (1, 2, 1)]
    assert [[each.label for each in group] for group in by_input(points)] == [["1", "1"], ["2"]]


def test_a_class_whose_file_is_missing_stops_no_other_point(tmp_path):
    points = [Point("lost", config(), "nofile.py:Own"), Point("sound", config(), "page")]
    lost, sound = try_points(points, tmp_path)
    assert isinstance(lost, Failure)
    assert "nofile.py: cannot be read" in str(lost)
    assert isinstance(sound, ftlab.Result)
