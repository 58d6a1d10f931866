"""What hangs on the moment - memory, threads, files - is told as such, and kept as no result."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ftlab import ConfigError, FileError, ResourceError, Result, TraceError
from ftlab.points import Failure, Point, batch, missing, run_points, try_points
from marks import long_but
from test_cli import failure

COMMAND = str(Path(sys.executable).parent / "ftlab")
SETUP = {
    "workload": {"pattern": "randwrite", "bs": "4k", "size": "1MiB", "requests": 50},
    "device": {"capacity": "4MiB", "pages_per_block": 16},
}
POINTS = [Point(f"seed {seed}", {**SETUP, "run": {"seed": seed}}, "page") for seed in range(4)]


@pytest.fixture
def refusing(monkeypatch):
    """Lets runs fail, as often as told, with what is told; counts them."""
    execute, runs = batch.execute, []

    def refuse(error: Exception, times: int):
        def run(points, *rest):
            runs.append(points[0][0]["run"]["seed"])
            if len(runs) <= times:
                raise error
            return execute(points, *rest)

        monkeypatch.setattr(batch, "execute", run)
        return runs

    return refuse


@pytest.mark.parametrize(
    "error", [ResourceError("a"), FileError("a"), MemoryError("a"), OSError(24, "a")]
)
def test_what_failed_beside_others_is_run_again_alone(error, refusing, tmp_path):
    runs = refusing(error, times=3)
    found = run_points(POINTS, tmp_path)
    assert all(isinstance(each, Result) for each in found)
    assert len(runs) == 4 + 3


def test_a_failure_of_the_moment_is_not_kept_as_the_result(refusing, tmp_path):
    refusing(ResourceError("no room"), times=8)
    first = try_points(POINTS, tmp_path)
    assert [str(each) for each in first] == ["no room"] * 4
    assert all(each.momentary for each in first)
    assert missing(POINTS, tmp_path) == POINTS
    assert all(isinstance(each, Result) for each in try_points(POINTS, tmp_path))


def test_a_failure_of_the_point_is_kept(refusing, tmp_path):
    runs = refusing(ConfigError("wrong"), times=1)
    assert sum(isinstance(each, Failure) for each in try_points(POINTS, tmp_path)) == 1
    assert sum(isinstance(each, Failure) for each in try_points(POINTS, tmp_path)) == 1
    assert len(runs) == 4


def test_a_sweep_tells_them_apart(refusing, ftlab):
    refusing(ResourceError("no room"), times=2)
    setup = ["--workload", "randwrite,bs=4k,size=1MiB,requests=50", "--capacity", "16MiB"]
    setup += ["--seed", "1", "--ftl", "page", "--results", "r"]
    done = ftlab("sweep", *setup)
    assert done.exit_code == 2
    told = "1 of 1 points failed for want of memory, threads or a file; "
    assert done.stderr == f"{told}the same command runs them again\n"
    assert "failed: no room" in done.stdout
    again = ftlab("sweep", *setup)
    assert (again.exit_code, again.stderr) == (0, "")


def test_no_thread_for_python_is_one_line(monkeypatch, ftlab, tmp_path):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(ResourceError, match="no room for another thread"):
        run_points(POINTS, tmp_path)
    line = failure(ftlab("sweep", "financial1", "--requests", "100", "--ftl", "page"))
    assert line.startswith("error: found no room for another thread; raise the limit of processes")


VERBS = [
    "run financial1 --requests 100",
    "compare financial1 --requests 100",
    "check page",
    "crash financial1 --requests 100",
    "endurance financial1 --requests 100 --set device.endurance=1000",
    "trace info financial1 --requests 100",
    "trace convert financial1 --requests 100 -o x.spc",
    "fleet financial1 --requests 5000",
    "serve --image x.img --ftl page --capacity 16MiB --socket x",
]


@pytest.mark.parametrize("verb", long_but([VERBS[0], VERBS[-1]], VERBS))
def test_no_thread_for_the_core_is_one_line_and_no_bug(verb, tmp_path):
    """A thread with a stack as large as the address space is refused as one too many."""
    much = {**os.environ, "RUST_MIN_STACK": str(1 << 62)}
    done = subprocess.run(
        [COMMAND, *verb.split()], cwd=tmp_path, env=much, capture_output=True, text=True
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: found no room for another thread; raise the limit")


def test_a_folder_called_as_a_profile_is_none(ftlab):
    asked = ["financial1", "--requests", "300", "--capacity", "64MiB", "--address", "modulo"]
    before = ftlab("sweep", *asked, "--ftl", "page", "--results", "r")
    Path("financial1").mkdir()
    assert ftlab("run", *asked, "--ftl", "page").exit_code == 0
    for folder in ("r", "r2"):
        after = ftlab("sweep", *asked, "--ftl", "page", "--results", folder)
        assert (
            (after.exit_code, after.stdout)
            == (before.exit_code, before.stdout)
            == (0, after.stdout)
        )


def test_a_file_that_cannot_be_read_is_a_failure_of_the_moment(tmp_path):
    assert issubclass(FileError, TraceError)
    failed = Failure.of(FileError("too many open files"))
    assert failed.momentary
    assert Failure.of(PermissionError(13, "no")) == Failure("OSError", "[Errno 13] no")
