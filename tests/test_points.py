"""The point-runner: what names a result, what is run again, what is on disk when it stops."""

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Timer

import pytest

import ftlab
from ftlab import _core
from ftlab.points import (
    Failure,
    Point,
    Store,
    complete,
    entry,
    missing,
    run_points,
    store,
    try_points,
)
from ftlab.points import point as identities
from ftlab.points.stop import Stop

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

    def count(points, *rest):
        asked.append([ftl for _, ftl in points])
        return simulate(points, *rest)

    monkeypatch.setattr(_core, "simulate", count)
    return asked


def facts(result: ftlab.Result) -> dict:
    return {key: value for key, value in result.to_dict().items() if key != "speed"}


def test_points_that_run_at_a_time_are_as_they_are_alone(tmp_path):
    together = run_points(POINTS, tmp_path / "together")
    assert [result.config.ftl.cache for result in together] == [None, 256, 512]
    backwards = [run_points([each], tmp_path / "alone")[0] for each in reversed(POINTS)]
    assert list(map(facts, together)) == list(map(facts, reversed(backwards)))


def test_a_result_that_goes_while_workers_run_is_none(tmp_path):
    def remove(*_):
        Store(tmp_path).path(POINTS[1]).unlink(missing_ok=True)

    with ThreadPoolExecutor(1) as workers:
        found = complete(POINTS, tmp_path, progress=remove, executor=workers)
    assert [each is None for each in found] == [False, True, False]


def test_a_second_run_takes_what_is_there_and_runs_only_the_rest(runs, tmp_path):
    first = run_points(POINTS[:2], tmp_path)
    again = run_points([*reversed(POINTS), POINTS[0]], tmp_path)
    assert sorted(runs) == [["page"], ["tpftl"], ["tpftl"]]
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
        lambda packed: gzip.compress(b"[" * 200_000),
        lambda packed: gzip.compress(entry.sealed("[" * 200_000 + "}").encode()),
    ],
    ids=[
        *("truncated", "empty", "plain", "a bit", "a figure", "another point", "no result"),
        *("nested", "nested and sealed"),
    ],
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


def test_the_core_refuses_points_of_different_inputs():
    points = [json.dumps({"workload": WORKLOAD, "run": {"seed": seed}}) for seed in (1, 2)]
    with pytest.raises(ftlab.ConfigError, match=r"run\.seed: found point 2 of a run with another"):
        _core.simulate([(config, "page") for config in points])


BAD = [
    Point("no room for GC", {"workload": WORKLOAD, "gc": {"low": 0}}, "page"),
    Point("no room for a page", {**POINTS[0].config, "ftl": {"cache": 1}}, "tpftl"),
]


def test_a_mistake_names_the_point_when_all_others_have_run(tmp_path):
    with pytest.raises(ftlab.ConfigError, match=r"^no room for GC: gc\.low: found 0"):
        run_points([*BAD, *POINTS], tmp_path)
    assert missing([*BAD, *POINTS], tmp_path) == []
    with pytest.raises(ftlab.ConfigError, match=r"^no room for a page: ftl\.cache: found 1 B"):
        run_points([*POINTS, *BAD[::-1]], tmp_path)


def test_a_point_that_failed_is_a_result_and_run_again_only_when_asked(runs, tmp_path):
    points = [POINTS[0], *BAD, POINTS[1]]
    first = try_points(points, tmp_path)
    assert [type(each) for each in first] == [ftlab.Result, Failure, Failure, ftlab.Result]
    assert str(first[1]).startswith("gc.low: found 0")
    assert first[2].error == "ConfigError"
    assert len(runs) == 3
    assert list(map(str, try_points(points, tmp_path))) == list(map(str, first))
    assert len(runs) == 3
    assert try_points(points, tmp_path, retry=True)[1:3] == first[1:3]
    assert runs[3:] == [["tpftl"]]
    kept = {entry.label: entry for entry in Store(tmp_path).entries()}
    assert kept["no room for a page"].config == BAD[1].config
    assert kept["no room for a page"].outcome == first[2]


def test_what_a_class_raises_is_a_failure_too(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "class Mine:\n"
        "    def __init__(self, device): pass\n"
        "    def read(self, pages, flash): 1 / 0\n"
        "    write = trim = read\n"
    )
    points = [point(str(file)), POINTS[0]]
    failure, result = try_points(points, tmp_path / "results")
    assert str(failure).startswith("ZeroDivisionError: division by zero")
    assert "1 / 0" in str(failure), "the line of the class"
    assert result.ftl == "page"
    before = points[0].digest
    file.write_text(file.read_text().replace("1 / 0", "2 / 0"))
    assert point(str(file)).digest != before


def test_a_missing_input_is_told_before_anything_runs(tmp_path):
    folder = tmp_path / "results"
    pipe = Point("a pipe", {"input": {"trace": "-"}}, "page")
    with pytest.raises(ftlab.ConfigError, match=r"input\.trace: found -, expected a file"):
        run_points([POINTS[0], pipe], folder)
    assert not folder.exists()


def test_results_of_two_folders_are_merged(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    run_points(POINTS[:2], here)
    run_points(POINTS[1:], there)
    (there / "damaged.json.gz").write_bytes(b"")
    taken, left_out = Store(here).merge(Store(there))
    assert (taken, [each.why for each in left_out]) == (1, ["damaged"])
    assert missing(POINTS, here) == []
    Store(tmp_path / "failed").save(POINTS[0], Failure("MemoryError", "out of memory"))
    assert Store(tmp_path / "failed").merge(Store(here)) == (3, [])
    assert Store(here).merge(Store(tmp_path / "failed")) == (0, [])


def test_a_point_takes_what_simulate_takes(tmp_path):
    workload = ftlab.Workload("randrw", bs="4k", size="4MiB", requests=2000)
    device = ftlab.Device(capacity="4MiB", pages_per_block=16)
    made = Point.of(workload, ftlab.TPFTL("256B"), device, gc="fifo", seed=3, warmup="footprint")
    assert made.label == "tpftl(cache=256B)"
    (result,) = run_points([made], tmp_path)
    alone = ftlab.simulate(
        workload, ftlab.TPFTL("256B"), device, gc="fifo", seed=3, warmup="footprint"
    )
    assert facts(result) == facts(alone)
    with pytest.raises(ftlab.ConfigError, match="threshold"):
        Point.of(workload, "dftl", config={"tpftl": {"threshold": 4}})
    with pytest.raises(TypeError, match=r'argument "sede" of a run \(did you mean "seed"\?\)'):
        Point.of(workload, "dftl", sede=3)
    with pytest.raises(TypeError, match='"warmpu" of a run'):
        ftlab.sweep(workload, ["page"], warmpu="none", results=tmp_path)


SEVERAL = f"""
import sys
from ftlab.points import Point, run_points
config = {{"workload": {WORKLOAD}, "device": {DEVICE}}}
points = [
    Point(str(seed), {{**config, "run": {{"seed": seed}}}}, "page") for seed in range(1, 61)
]
if __name__ == "__main__":
    run_points(points, sys.argv[1])
"""


@pytest.mark.long
def test_points_that_are_killed_and_resumed_are_each_there_once(tmp_path):
    """A worker that is killed loses the one point that it ran; the log counts what is begun."""
    script, folder, log = tmp_path / "several.py", tmp_path / "results", tmp_path / "log"
    script.write_text(
        f"""
import os
from ftlab import _core
simulate = _core.simulate
def counted(points, *rest):
    with open({str(log)!r}, "a") as file:
        file.write(points[0][0] + "\\n")
    return simulate(points, *rest)
_core.simulate = counted
{SEVERAL}"""
    )
    chance = random.Random(1)
    kills = 0
    for _ in range(3):
        there = len(list(folder.glob("*.gz"))) if folder.exists() else 0
        process = subprocess.Popen([sys.executable, str(script), str(folder)])
        aim = there + chance.randint(3, 15)
        while process.poll() is None and len(list(folder.glob("*.gz"))) < aim:
            time.sleep(chance.random() / 100)
        kills += process.poll() is None
        process.kill()
        process.wait()
        assert all(store.read(path) for path in folder.glob("*.gz"))
    assert kills == 3
    subprocess.run([sys.executable, str(script), str(folder)], check=True)
    names = {}
    exec(SEVERAL, names)
    assert sorted(os.listdir(folder)) == sorted(f"{p.digest}.json.gz" for p in names["points"])
    begun = log.read_text().splitlines()
    assert len(set(begun)) == 60
    assert len(begun) - 60 <= kills * os.cpu_count()


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
    try:
        for _ in range(600):
            if results.exists() and any(each.suffix == ".gz" for each in results.iterdir()):
                break
            time.sleep(0.05)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    assert b"KeyboardInterrupt" in errors
    (saved,) = os.listdir(results)
    tree = json.loads(gzip.decompress(Path(results, saved).read_bytes()))
    assert tree["result"]["host"]["requests"] == 10


def test_work_that_does_not_stop_is_left_alone():
    stop, held = Stop(), Event()
    assert stop.run(lambda: "done") == "done"
    with pytest.raises(ZeroDivisionError):
        stop.run(lambda: 1 / 0)
    Timer(0.1, stop.ask).start()
    with pytest.raises(ftlab.Interrupted):
        stop.run(held.wait)
    with pytest.raises(ftlab.Interrupted):
        stop.run(lambda: pytest.fail("began after all was to stop"))
    held.set()


def test_work_that_stops_has_time_for_it():
    stop = Stop()

    def stopped():
        stop.ask()
        time.sleep(0.05)
        return "cleaned up"

    assert stop.run(stopped) == "cleaned up"
