"""Points that differ only after their warm-up share it, and nothing of them changes."""

import json

import pytest

import ftlab
from ftlab.advise import advise
from ftlab.points import Point, run_points
from ftlab.points.batch import packed, work
from ftlab.points.queue import Queue
from ftlab.points.store import Store
from ftlab.points.timing import timed
from ftlab.points.warmups import Warmups

MODES = ("closed:1", "closed:4", "open")


def point(ftl="page", mode="open", warmup="random:1", **setup):
    requests = setup.pop("requests", 2000)
    workload = ftlab.Workload("randwrite", size="8MiB", requests=requests)
    device = ftlab.Device(capacity="8MiB", pages_per_block=16)
    return Point.of(workload, ftl, device, host=mode, warmup=warmup, **setup)


def figures(result):
    tree = json.loads(json.dumps(result.to_dict()))
    del tree["speed"]
    return tree


@pytest.mark.long
def test_results_are_those_of_points_that_run_alone(tmp_path):
    points = [
        point(ftl, mode, warmup)
        for ftl in ("page", "tpftl", "fast", "cachftl")
        for warmup in ("random:1", "steady:20%")
        for mode in MODES
    ]
    with timed() as timing:
        together = run_points(points, tmp_path / "together")
    for index, each in enumerate(points):
        (alone,) = run_points([each], tmp_path / "alone")
        assert figures(together[index]) == figures(alone), each.label
    # Each of eight warm-ups is done once; CACH-FTL uses idle time while it serves the input.
    assert timing.shared == 2 * 7
    assert timing.saved > 0
    assert "14 of them shared warm-ups, which saved " in timing.text()


def test_points_of_several_inputs_share_a_warm_up_that_reads_none(tmp_path):
    with timed() as timing:
        run_points([point(requests=count) for count in (1000, 1500, 2000)], tmp_path)
    assert timing.shared == 2
    with timed() as timing:
        points = [point(requests=count, warmup="replay:1") for count in (1000, 1500)]
        run_points(points, tmp_path)
    assert timing.shared == 0
    assert "shared" not in timing.text()


def test_both_runs_of_a_candidate_share_a_warm_up(tmp_path):
    tree = {
        "workload": {"pattern": "randwrite", "size": "8MiB", "requests": 2000},
        "ftls": ["page", "dftl"],
        "device": {"capacity": "8MiB", "over_provisioning": ["28%", "40%"]},
        "run": {"warmup": "random:1"},
    }
    with timed() as timing:
        advise(tree, tmp_path)
    assert timing.shared == 4


def test_a_batch_of_a_worker_shares_warm_ups(tmp_path):
    points = [point(mode=mode) for mode in MODES]
    Store(tmp_path / "here").prepare()
    assert work(packed(points, tmp_path / "here", False)).points == 3
    found = [Store(tmp_path / "here").entry(each).outcome for each in points]
    there = run_points(points, tmp_path / "there")
    assert [figures(each) for each in found] == [figures(each) for each in there]


def test_a_warm_up_in_the_making_is_not_waited_for():
    points = [point(mode=mode) for mode in MODES] + [point("dftl")]
    queue = Queue(points, 2)

    def take():
        each, input, opens = queue.take()
        if opens:
            queue.opened(input)
        return each

    assert take() is points[0]
    assert take() is points[3], "the others would have to wait"
    assert take() is points[1], "there is nothing else to do"


@pytest.mark.parametrize("change", [{"seed": 2}, {"verify": False}, {"warmup": "random:2"}])
def test_what_a_warm_up_depends_on_is_not_shared(change):
    assert point().warmup_key != point(**change).warmup_key
    assert Warmups([point(), point(**change)]).of(point()) is None


def test_points_without_a_warm_up_and_classes_share_none():
    class Mine:
        def __init__(self, device): ...
        def read(self, pages, flash): ...
        def write(self, pages, flash): ...
        def trim(self, pages, flash): ...

    assert point(warmup="none").warmup_key is None
    assert point(Mine).warmup_key is None


def test_a_refused_point_shares_none(tmp_path):
    refused = point(config={"gc": {"low": 9, "high": 1}})
    assert refused.warmup_key is None
    with pytest.raises(ftlab.ConfigError):
        run_points([refused, point(), point(mode="closed:2")], tmp_path)


def test_a_run_that_waits_for_a_warm_up_can_be_stopped(tmp_path):
    class StopError(Exception):
        pass

    def stop(*_):
        raise StopError

    with pytest.raises(StopError):
        run_points(
            [point(mode=mode, warmup="random:200") for mode in MODES], tmp_path, progress=stop
        )
