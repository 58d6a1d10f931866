"""Points in the workers of executors: the same results as here, whatever vanishes meanwhile."""

import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from pathlib import Path

import pytest

import ftlab
from ftlab.points import Failure, Point, Store, dispatch, jobs, run_points, try_points
from ftlab.points.batch import Batch, inside, packed, work
from ftlab.points.store import read
from ftlab.points.workers import Workers
from test_cli import failure

WORKLOAD = {"pattern": "randrw", "bs": "4k", "size": "4MiB", "requests": 1000}
DEVICE = {"capacity": "4MiB", "pages_per_block": 16}
SWEEP = (
    *("--workload", "randrw,bs=4k,size=4MiB,requests=1000"),
    *("--capacity", "4MiB", "--pages-per-block", "16", "--ftl", "dftl", "--cache", "256B,1KiB"),
)


def points(count: int, requests: int = 1000) -> list[Point]:
    """So many points of two inputs; only their caches differ otherwise."""
    return [
        Point(
            str(number),
            {
                "workload": {**WORKLOAD, "requests": requests},
                "device": DEVICE,
                "ftl": {"cache": 256 + 8 * number},
                "run": {"seed": 1 + number % 2},
            },
            "dftl",
        )
        for number in range(count)
    ]


def facts(folder: Path) -> dict:
    """What each file of a folder holds, but for the time that it took."""
    found = {}
    for path in folder.glob("*.gz"):
        entry = read(path)
        assert entry, f"{path} is damaged"
        tree = entry.outcome.to_dict()
        del tree["speed"]
        found[path.name] = (entry.label, entry.config, entry.ftl, entry.identity, tree)
    return found


@pytest.fixture
def here(tmp_path) -> dict:
    """The results of twenty points as the cores of this machine find them."""
    try_points(points(20), tmp_path / "here")
    return facts(tmp_path / "here")


def test_an_executor_finds_what_the_cores_find(tmp_path, here):
    with ThreadPoolExecutor(2) as pool:
        told = []
        run_points(
            points(20), tmp_path / "pool", executor=pool, progress=lambda *each: told.append(each)
        )
    assert facts(tmp_path / "pool") == here
    assert told[-1] == (20, 20, 1.0)
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)


class Vanishing(Executor):
    """Runs what it is given at once, but workers vanish under some batches, after some points."""

    def __init__(self, doomed, after: int = 0) -> None:
        self.batches: list[list[str]] = []
        self._doomed = doomed
        self._after = after

    def submit(self, fn, /, content):
        batch: Batch = pickle.loads(content)
        self.batches.append([point.label for point in batch.points])
        future: Future = Future()
        if self._doomed(self.batches):
            if self._after:
                fn(packed(batch.points[: self._after], batch.folder, False))
            future.set_exception(RuntimeError("killed\nby a lengthy scheduler"))
        else:
            future.set_result(fn(content))
        return future


def patient(executor: Executor, slots: int = 2) -> Workers:
    return Workers(executor, lambda: slots, patient=True)


def test_what_a_worker_that_vanished_has_left_is_given_again(tmp_path, here):
    executor = Vanishing(lambda batches: len(batches) == 1, after=4)
    try_points(points(20), tmp_path / "away", executor=patient(executor))
    assert facts(tmp_path / "away") == here
    first, *others = executor.batches
    given = [label for batch in others for label in batch]
    assert sorted([*first[:4], *given]) == sorted(each.label for each in points(20))


def test_a_point_under_which_all_workers_vanish_has_failed_and_stops_no_other(tmp_path):
    executor = Vanishing(lambda batches: "7" in batches[-1])
    found = try_points(points(20), tmp_path, executor=patient(executor))
    failed = [
        point.label
        for point, each in zip(points(20), found, strict=True)
        if isinstance(each, Failure)
    ]
    assert failed == ["7"]
    told = "WorkerLost: 3 workers vanished under it, the last with RuntimeError: killed"
    assert str(found[7]) == told
    assert executor.batches.count(["7"]) == dispatch.ATTEMPTS
    with pytest.raises(RuntimeError, match="7: WorkerLost"):
        run_points(points(20), tmp_path, executor=patient(executor))
    (again,) = try_points(points(20)[7:8], tmp_path, retry=True)
    assert isinstance(again, ftlab.Result)


def test_batches_take_half_a_second_once_it_is_known_how_long_a_point_takes(tmp_path, monkeypatch):
    executor = Vanishing(lambda batches: False)
    monkeypatch.setattr(dispatch, "BATCH_S", 3600.0)
    try_points(points(20), tmp_path, executor=Workers(executor, lambda: 1))
    sizes = [len(batch) for batch in executor.batches]
    assert sizes[:2] == [1, 1]
    assert sizes[2:] == [8, 10]
    assert all(len({int(label) % 2 for label in batch}) == 1 for batch in executor.batches)


def test_jobs_are_as_many_as_asked_for_whatever_the_inputs(tmp_path, here):
    executor = Vanishing(lambda batches: False)
    try_points(points(20), tmp_path / "away", executor=patient(executor, 3))
    assert [len(batch) for batch in executor.batches] == [7, 7, 6]
    assert facts(tmp_path / "away") == here


def test_points_that_are_refused_never_leave(tmp_path):
    wrong = Point("wrong", {**points(1)[0].config, "gc": {"low": 0}}, "dftl")
    executor = Vanishing(lambda batches: False)
    found = try_points([wrong, *points(2)], tmp_path, executor=executor)
    assert "gc.low: found 0" in str(found[0])
    assert ["wrong"] not in executor.batches
    assert [type(each) for each in found[1:]] == [ftlab.Result] * 2


def test_a_worker_refuses_what_is_not_the_same_there(tmp_path, trace):
    traced = Point("", {"input": {"trace": str(trace)}, "device": DEVICE}, "page")
    content = packed([traced], tmp_path / "results", False)
    trace.write_text(trace.read_text().replace("4096", "8192"))
    assert "found other content than where the run was started" in work(content).refusal
    trace.unlink()
    assert f"found {trace}, expected a file" in work(content).refusal
    batch: Batch = pickle.loads(packed(points(1), tmp_path / "results", False))
    other = pickle.dumps(Batch(**{**vars(batch), "code": "another", "digests": ["0"]}))
    assert "expected another" in work(other).refusal
    gone = pickle.dumps(Batch(**{**vars(batch), "home": "/nowhere"}))
    assert "/nowhere: No such file or directory; expected a folder" in work(gone).refusal
    with pytest.raises(ftlab.ConfigError, match="expected another"):

        class Elsewhere(Vanishing):
            def submit(self, fn, /, content):
                return super().submit(fn, other)

        try_points(points(1), tmp_path / "results", executor=Elsewhere(lambda batches: False))
    assert not list((tmp_path / "results").iterdir())


def test_a_worker_is_in_one_folder_at_a_time(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = tmp_path / "other"
    other.mkdir()

    def where(folder: Path) -> str:
        with inside(str(folder)):
            return os.getcwd()

    with ThreadPoolExecutor(2) as pool, inside(str(tmp_path)):
        waits = pool.submit(where, other)
        assert pool.submit(where, tmp_path).result() == str(tmp_path)
        assert not wait([waits], timeout=0.2).done
        assert os.getcwd() == str(tmp_path)
    assert waits.result() == str(other)


def test_results_that_are_not_seen_from_here_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(dispatch, "APPEARS_S", 0.2)

    class Deaf(Executor):
        def submit(self, fn, /, content):
            future: Future = Future()
            batch: Batch = pickle.loads(content)
            elsewhere = pickle.dumps(Batch(**{**vars(batch), "folder": tmp_path / "elsewhere"}))
            future.set_result(fn(elsewhere))
            return future

    with pytest.raises(ftlab.ConfigError, match="found nothing of what workers have saved"):
        try_points(points(1), tmp_path / "here", executor=Deaf())


OWN = """
class Fifo:
    def __init__(self, entries): self.order = []
    def insert(self, key): self.order.append(key)
    def touch(self, key): pass
    def victim(self): return self.order[0]
    def remove(self, key): self.order.remove(key)
"""


def test_a_class_of_a_file_travels_and_one_of_the_script_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("fifo.py").write_text(OWN)
    config = {"workload": WORKLOAD, "device": DEVICE, "ftl": {"cache": "256B"}}
    by_name = Point("fifo", {**config, "dftl": {"replacement": "fifo.py:Fifo"}}, "dftl")
    cls = ftlab.plugins.load("replacement", "fifo.py", "Fifo")
    by_class = Point("fifo", {**config, "dftl": {"replacement": cls}}, "dftl")
    run_points([by_name], "here")
    for each in (by_name, by_class):
        for copy in (pickle.loads(pickle.dumps(each)), each):
            assert copy.digest == by_name.digest
    code = "import sys; from ftlab.points.batch import work; print(work(sys.stdin.buffer.read()))"
    content = packed([by_class], Path("away"), False)
    done = subprocess.run([sys.executable, "-c", code], input=content, capture_output=True)
    assert b"points=1" in done.stdout, done.stderr
    assert [each[4] for each in facts(Path("away")).values()] == [
        each[4] for each in facts(Path("here")).values()
    ]

    class Local(cls):
        pass

    local = Point("local", {**config, "dftl": {"replacement": Local}}, "dftl")
    with pytest.raises(ftlab.ConfigError, match="Local: found a class that other processes cannot"):
        packed([local], Path("away"), False)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_dask_finds_the_same_though_a_worker_is_killed(ftlab, tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs ftlab[dask]")
    wanted = points(60, requests=4000)
    try_points(wanted, tmp_path / "here")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=tmp_path
        ) as cluster,
        distributed.Client(cluster) as client,
        ThreadPoolExecutor(1) as driver,
    ):
        folder = tmp_path / "dask"
        run = driver.submit(try_points, wanted, folder, executor=client)
        deadline = time.monotonic() + 600
        while len(list(folder.glob("*.gz"))) < 5:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        first = next(iter(cluster.workers.values()))
        os.kill(first.pid, signal.SIGKILL)
        there = len(list(folder.glob("*.gz")))
        run.result()
        command = ("sweep", *SWEEP, "--results", "there", "--cluster", cluster.scheduler_address)
        found = ftlab(*command)
    assert there < 60
    assert facts(folder) == facts(tmp_path / "here")
    assert found.exit_code == 0, found.output
    assert ftlab("sweep", *SWEEP, "--results", "here").stdout == found.stdout
    assert facts(Path("there")) == facts(Path("here"))


@pytest.mark.long
def test_jobs_of_submitit_find_the_same_though_one_is_killed(tmp_path, here, monkeypatch):
    submitit = pytest.importorskip("submitit", reason="needs ftlab[slurm]")
    monkeypatch.setattr(jobs, "LOOK_S", 0.1)
    executor = submitit.AutoExecutor(folder=tmp_path / "jobs", cluster="local")
    folder = tmp_path / "away"
    adapter = jobs.Jobs(executor)
    killed = []

    def kill() -> None:
        for _ in range(6000):
            for job in adapter._jobs.values():
                os.kill(job._process.pid, signal.SIGKILL)
                killed.append(job)
                return
            time.sleep(0.005)

    with ThreadPoolExecutor(1) as killer:
        killer.submit(kill)
        try_points(points(20), folder, executor=patient(adapter))
    assert killed
    assert facts(folder) == here


def test_where_a_cluster_is_comes_from_the_command_line(ftlab):
    assert "expected tcp://HOST:PORT" in failure(ftlab("sweep", *SWEEP, "--cluster", "here"))
    line = failure(ftlab("sweep", *SWEEP, "--cluster", "slurm,partition=short"))
    assert "--cluster slurm,partition=short: Could not detect" in line
    line = failure(ftlab("sweep", *SWEEP, "--cluster", "local,jobs=none"))
    assert "found jobs=none, expected how many" in line


def test_a_sweep_in_jobs_is_that_of_the_cores(ftlab, monkeypatch):
    pytest.importorskip("submitit", reason="needs ftlab[slurm]")
    monkeypatch.setattr(jobs, "LOOK_S", 0.1)
    found = ftlab("sweep", *SWEEP, "--results", "away", "--cluster", "local,jobs=1")
    assert found.exit_code == 0, found.output
    assert ftlab("sweep", *SWEEP, "--results", "here").stdout == found.stdout
    assert facts(Path("away")) == facts(Path("here"))
    assert len(list(Store("away").entries())) == 2
