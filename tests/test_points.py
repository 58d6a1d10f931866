"""The point-runner: what names a result, what is run again, what is on disk when it stops."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ftlab
from ftlab import _core
from ftlab.points import Point, Store, run_points
from ftlab.points import point as identities
from ftlab.points.runner import CHUNK_POINTS, chunks

WORKLOAD = {"pattern": "randrw", "bs": "4k", "size": "4MiB", "requests": 2000}
DEVICE = {"capacity": "4MiB", "pages_per_block": 16}


def point(name: str = "tpftl", /, **sections) -> Point:
    config = {"workload": WORKLOAD, "device": DEVICE, **sections}
    return Point(f"{name} {sections}", config, name)


POINTS = [point("page"), point(ftl={"cache": "256B"}), point(ftl={"cache": 512}, gc={"high": 5})]


@pytest.fixture
def runs(monkeypatch):
    """Counts the points that the core is asked to run."""
    asked: list[list[str]] = []
    simulate = _core.simulate

    def count(points, progress=None, plugins=()):
        asked.append([ftl for _, ftl in points])
        return simulate(points, progress, plugins)

    monkeypatch.setattr(_core, "simulate", count)
    return asked


def facts(result: ftlab.Result) -> dict:
    return {key: value for key, value in result.to_dict().items() if key != "speed"}


def test_points_of_one_input_share_a_reading_and_are_as_they_are_alone(runs, tmp_path):
    together = run_points(POINTS, tmp_path / "together")
    assert runs == [["page", "tpftl", "tpftl"]]
    assert [result.config.ftl.cache for result in together] == [None, 256, 512]
    backwards = [run_points([each], tmp_path / "alone")[0] for each in reversed(POINTS)]
    assert list(map(facts, together)) == list(map(facts, reversed(backwards)))


def test_a_second_run_takes_what_is_there_and_runs_only_the_rest(runs, tmp_path):
    first = run_points(POINTS[:2], tmp_path)
    again = run_points([*reversed(POINTS), POINTS[0]], tmp_path)
    assert runs == [["page", "tpftl"], ["tpftl"]]
    assert [again[2], again[1], again[3]] == [*first, first[0]]
    assert len(list(tmp_path.iterdir())) == 3


def edited(packed, old, new):
    text = gzip.decompress(packed)
    assert old in text
    return gzip.compress(text.replace(old, new))


@pytest.mark.parametrize(
    "harm",
    [
        lambda packed: packed[: len(packed) // 2],
        lambda packed: b"",
        lambda packed: gzip.decompress(packed),
        lambda packed: packed[:40] + bytes([packed[40] ^ 1]) + packed[41:],
        lambda packed: edited(packed, b'"violations":0', b'"violations":1'),
        lambda packed: edited(packed, b'"ftl":"tpftl"', b'"ftl":"dftl"'),
        lambda packed: gzip.compress(b"[]"),
    ],
    ids=["truncated", "empty", "plain", "a bit", "a figure", "another point", "no result"],
)
def test_a_damaged_file_is_run_again(harm, runs, tmp_path):
    (result,) = run_points(POINTS[1:2], tmp_path)
    path = Store(tmp_path).path(POINTS[1])
    whole = path.read_bytes()
    assert harm(whole) != whole
    path.write_bytes(harm(whole))
    (again,) = run_points(POINTS[1:2], tmp_path)
    assert len(runs) == 2
    assert facts(again) == facts(result)
    assert json.loads(gzip.decompress(path.read_bytes()))["identity"] == POINTS[1].identity


def test_the_digest_is_that_of_everything_that_decides_a_result(monkeypatch, tmp_path, trace):
    spelled = point(ftl={"cache": "1KiB"})
    assert spelled.digest == point(ftl={"cache": 1024}).digest
    copy = tmp_path / "copy.spc"
    copy.write_bytes(trace.read_bytes())
    traced = [Point("", {"input": {"trace": str(path)}}, "page").digest for path in (trace, copy)]
    assert traced[0] == traced[1]
    copy.write_bytes(trace.read_bytes() + b"0,8,4096,w,9.0\n")
    others = [
        point("dftl", ftl={"cache": "1KiB"}),
        point(ftl={"cache": "2KiB"}),
        point(ftl={"cache": "1KiB"}, run={"seed": 2}),
        Point("", {"input": {"trace": "financial1"}}, "page"),
        Point("", {"input": {"trace": str(copy)}}, "page"),
    ]
    digests = {each.digest for each in [spelled, *others]} | {traced[0]}
    assert len(digests) == len(others) + 2
    monkeypatch.setattr(identities, "code", lambda _: "another version")
    assert point(ftl={"cache": "1KiB"}).digest != spelled.digest


def test_other_inputs_are_read_apart_and_long_lists_in_chunks():
    seeds = [point(run={"seed": seed}) for seed in (1, 2, 1)]
    assert [len(chunk) for chunk in chunks(seeds)] == [2, 1]
    many = [point(gc={"low": low, "high": 99}) for low in range(1, CHUNK_POINTS + 2)]
    assert [len(chunk) for chunk in chunks(many)] == [CHUNK_POINTS, 1]


def test_the_core_refuses_points_of_different_inputs():
    points = [json.dumps({"workload": WORKLOAD, "run": {"seed": seed}}) for seed in (1, 2)]
    with pytest.raises(ftlab.ConfigError, match=r"run\.seed: found point 2 of a run with another"):
        _core.simulate([(config, "page") for config in points])


def test_a_mistake_names_the_point_and_leaves_no_file(tmp_path):
    folder = tmp_path / "results"
    bad = Point("my point", {"workload": WORKLOAD, "gc": {"low": 0}}, "page")
    with pytest.raises(ftlab.ConfigError, match=r"^my point: gc\.low: found 0"):
        run_points([bad], folder)
    pipe = Point("a pipe", {"input": {"trace": "-"}}, "page")
    with pytest.raises(ftlab.ConfigError, match=r"input\.trace: found -, expected a file"):
        run_points([pipe], folder)
    with pytest.raises(ftlab.ConfigError, match=r"ftl\.cache: found 1 B"):
        run_points([point(ftl={"cache": 1})], folder)
    assert not folder.exists()


def test_progress_counts_points_and_ends_at_one(tmp_path):
    told = []
    run_points(POINTS, tmp_path, progress=lambda *progress: told.append(progress))
    assert told[-1] == (3, 3, 1.0)
    assert [share for _, _, share in told] == sorted(share for _, _, share in told)
    told.clear()
    run_points(POINTS, tmp_path, progress=lambda *progress: told.append(progress))
    assert told == []


def test_ctrl_c_leaves_only_whole_files(tmp_path):
    short = {**WORKLOAD, "requests": 10}
    endless = {**WORKLOAD, "requests": 4_000_000_000}
    code = f"""
from ftlab.points import Point, run_points
device = {DEVICE}
points = [Point("", {{"workload": w, "device": device}}, "page") for w in ({short}, {endless})]
run_points(points, "results")
"""
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stderr=subprocess.PIPE)
    results = tmp_path / "results"
    for _ in range(600):
        if results.exists() and any(each.suffix == ".gz" for each in results.iterdir()):
            break
        time.sleep(0.05)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert b"KeyboardInterrupt" in errors
    (saved,) = os.listdir(results)
    tree = json.loads(gzip.decompress(Path(results, saved).read_bytes()))
    assert tree["result"]["host"]["requests"] == 10
