"""Job files of fio and workloads of programs, from the command line and from Python."""

import json
import re
import shlex
from pathlib import Path

import pytest

from ftlab import TraceError, read_trace
from ftlab.points import Point
from test_cli import failure

DOCS = Path(__file__).parent.parent / "docs" / "workloads.md"
DEVICE = ("--capacity", "64MiB", "--ftl", "page", "--separation", "handles")


@pytest.fixture
def jobs(tmp_path):
    """A job file with two streams, each with a handle."""
    path = tmp_path / "jobs.fio"
    path.write_text(
        "[global]\nfdp=1\nfilename=d\n[loop]\nrw=write\nbs=64k\nsize=50%\nloops=4\nplids=1\n"
        "[hot]\nrw=randwrite\noffset=50%\nsize=40%\nio_size=50%\nnorandommap\nplids=2\nflow=9\n"
    )
    return path


def test_a_job_file_runs_with_its_handles(jobs, ftlab):
    result = json.loads(ftlab("run", jobs, *DEVICE, "--warmup", "none", "--json").stdout)
    written = result["classes"]["written"]
    assert written[0] == 0
    assert written[1] == 4 * (64 << 20) // 2 // 4096
    assert written[2] == pytest.approx((64 << 20) * 0.4 * 0.5 / 4096, rel=0.001)
    assert result["trace"]["format"] == "fio-job"
    again = json.loads(ftlab("run", jobs, *DEVICE, "--warmup", "none", "--json").stdout)
    assert again["trace"]["digest"] == result["trace"]["digest"]
    told = ftlab("trace", "info", jobs, "--requests", "1000")
    assert told.exit_code != 0
    assert "--capacity" in told.stderr


def test_a_job_file_is_a_trace_in_python(jobs, tmp_path):
    path = tmp_path / "plain.fio"
    path.write_text("[a]\nrw=randwrite\nsize=1m\nfdp=1\nplids=3\n[b]\nrw=randread\nsize=1m\n")
    columns = read_trace(path).to_numpy()
    assert len(columns["offset"]) == 512
    assert set(columns["hint"]) == {0, 3}
    assert set(columns["initiator"]) == {0, 1}
    with pytest.raises(TraceError, match=re.escape(f"{jobs}:7: size")):
        read_trace(jobs).info()


def test_mistakes_name_the_file_and_the_line(tmp_path, ftlab):
    path = tmp_path / "bad.fio"
    for text, told in (
        ("[a]\nrw=randwrite\nbsplit=4k/100\n", ':3: unknown parameter "bsplit"'),
        ("[a]\nverify=md5\n", ":2: found verify=md5"),
        ("[a]\nsize=1m\ntime_based\nruntime=9\n", ":3: job"),
        ("[a]\nsize=1m\nplid_select=scheme\ndp_scheme=none\n", "none: No such file"),
    ):
        path.write_text(text)
        assert told in failure(ftlab("run", path))
    assert "found a workload" in failure(ftlab("run", "cachelib", "--volume", "1"))


def test_a_scheme_lies_next_to_its_job_file(tmp_path):
    (tmp_path / "scheme").write_text("0, 64k, 1\n64k, 128k, 2\n")
    path = tmp_path / "jobs.fio"
    path.write_text(
        "[a]\nrw=write\nsize=256k\nfdp=1\nplids=5,6,7\nplid_select=scheme\ndp_scheme=scheme\n"
    )
    hints = read_trace(path).to_numpy()["hint"].tolist()
    assert hints == [6] * 16 + [7] * 16 + [5] * 32


def test_another_scheme_is_another_input(tmp_path):
    path, scheme = tmp_path / "jobs.fio", tmp_path / "scheme"
    path.write_text("[a]\nrw=write\nsize=256k\nfdp=1\nplids=5,6\nplid_select=scheme\n")
    path.write_text(path.read_text() + "dp_scheme=scheme\n")
    scheme.write_text("0, 64k, 1\n")
    first = Point.of(path).digest
    assert Point.of(path).digest == first
    scheme.write_text("0, 128k, 1\n")
    assert Point.of(path).digest != first


@pytest.mark.parametrize(
    "name", ["cachelib", "kv-cache", "redo-log", "lsm", "permutation", "three-streams"]
)
def test_programs_run_by_name(name, ftlab):
    assert name in ftlab("list", "profiles").stdout
    line = ("run", name, "--requests", "500", "--capacity", "1GiB", *DEVICE[2:], "--json")
    result = json.loads(ftlab(*line).stdout)
    assert result["trace"]["name"] == name
    assert result["host"]["requests"] == 500


def test_a_program_becomes_a_file(tmp_path, ftlab):
    output = tmp_path / "lsm.parquet"
    line = ("lsm", "--capacity", "64MiB", "--requests", "2000", "-o", output)
    assert ftlab("trace", "generate", *line).exit_code == 0
    assert {"hint", "lifetime"} <= set(read_trace(output).to_numpy())


def test_the_example_of_the_docs_runs(tmp_path, ftlab, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = DOCS.read_text("utf-8")
    file, line = re.findall(
        r"<!-- run by tests/test_jobs.py -->\n```\w+\n(.*?)```", text, re.DOTALL
    )
    Path("streams.fio").write_text(file)
    done = ftlab(*shlex.split(line)[1:], "--json")
    assert done.exit_code == 0, done.stderr
    assert sum(json.loads(done.stdout)["classes"]["written"][:2]) > 60_000


def test_streams_get_handles(tmp_path):
    path = tmp_path / "two.csv"
    offsets = [4096 * at for at in (0, 100, 1, 57, 101, 2, 102, 3)]
    lines = [f"{at},{offset},4096,w" for at, offset in enumerate(offsets)]
    path.write_text("\n".join(["t,o,l,op", *lines]) + "\n")
    columns = "time=t:ns,offset=o,length=l,op=op"
    hints = read_trace(path, columns=columns, hint_by="stream:2").to_numpy()["hint"]
    assert hints.tolist() == [0, 0, 1, 0, 2, 1, 2, 1]
