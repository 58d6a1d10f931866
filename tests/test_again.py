"""Results repeated by others: from a file, on a copy of the trace, and several at once."""

import json
import shutil
from pathlib import Path

import pytest

from test_cli import failure

EQUAL = "bit-equal: every metric except speed is unchanged"
LINES = "".join(f"0,{n * 31 % 500 * 8},4096,{'RW'[n % 2]},{n / 100:.6f}\n" for n in range(800))


@pytest.fixture
def trace(ftlab):
    Path("mine.spc").write_text(LINES)
    return "mine.spc"


def test_a_result_is_repeated_on_a_copy_of_its_trace(ftlab, trace):
    ftlab("run", trace, "--ftl", "dftl", "-o", "r.json")
    Path("theirs").mkdir()
    shutil.move(trace, "theirs/another-name.spc")
    gone = failure(ftlab("run", "--from", "r.json"))
    assert gone.startswith("error: mine.spc: ")
    assert gone.endswith("; if the trace is elsewhere, write `ftlab run TRACE --from r.json`")
    again = ftlab("run", "theirs/another-name.spc", "--from", "r.json")
    assert again.exit_code == 0, again.output
    assert EQUAL in again.stderr


def test_another_trace_is_refused_by_its_digest(ftlab, trace):
    ftlab("run", trace, "--ftl", "dftl", "-o", "r.json")
    wanted = json.loads(Path("r.json").read_text())["trace"]["digest"]
    Path("other.spc").write_text(LINES.replace("R", "W", 1))
    told = failure(ftlab("run", "other.spc", "--from", "r.json"))
    assert told.startswith("error: other.spc: found requests with the digest ")
    assert f"expected {wanted}" in told


def test_an_edited_metric_is_found(ftlab, trace):
    ftlab("run", trace, "--ftl", "dftl", "-o", "r.json")
    tree = json.loads(Path("r.json").read_text())
    tree["mapping"]["hit_ratio"] = 0.5
    Path("r.json").write_text(json.dumps(tree))
    again = ftlab("run", trace, "--from", "r.json")
    assert again.exit_code == 1 and "different: mapping.hit_ratio: was 0.5" in again.stderr


def test_a_comparison_is_repeated(ftlab, trace):
    asked = ("--ftl", "dftl,tpftl,tpftl:features=bc", "--capacity", "16MiB")
    first = ftlab("compare", trace, *asked, "-o", "c.json")
    assert first.exit_code == 0, first.output
    again = ftlab("compare", "--from", "c.json")
    assert again.exit_code == 0, again.output
    assert again.stderr.count(EQUAL) == 3
    header = next(line for line in again.stdout.splitlines() if "DFTL" in line)
    assert "tpftl.features=bc" in header
    assert "found 3 results, expected one" in failure(ftlab("run", "--from", "c.json"))
    told = ftlab("compare", "--from", "c.json", "--seed", "2").stderr
    assert "found --seed, expected no other option of the run but a TRACE" in told


def test_seeds_are_repeated_as_runs_of_one_point(ftlab):
    made = "--workload=randwrite,bs=4k,size=4MiB,requests=500"
    ftlab("compare", made, "--capacity", "16MiB", "--ftl", "dftl", "--seeds", "2", "-o", "s.json")
    again = ftlab("compare", "--from", "s.json")
    assert again.stderr.count(EQUAL) == 2
    assert "Mean ± standard deviation of 2 seeds of the workload." in again.stdout


def test_a_time_has_an_option_of_its_own(ftlab, trace):
    since = json.loads(ftlab("run", trace, "--since", "2s", "--json").stdout)
    old = ftlab("run", trace, "--from", "2s", "--json")
    assert "for a time, write --since 2s" in old.stderr
    assert {**json.loads(old.stdout), "speed": None} == {**since, "speed": None}
    assert since["host"]["requests"] < 800
    both = ftlab("run", trace, "--from", "2s", "--since", "1s")
    assert "exclude each other" in both.stderr
    assert "run and compare repeat it" in ftlab("trace", "info", trace, "--from", "r.json").stderr


def test_results_do_not_tell_the_home_of_their_author(ftlab, trace, monkeypatch):
    home = Path.cwd()
    monkeypatch.setenv("HOME", str(home))
    ftlab("run", home / trace, "--ftl", "dftl", "-o", "r.json")
    text = Path("r.json").read_text()
    assert str(home) not in text
    assert json.loads(text)["config"]["input"]["trace"] == "~/mine.spc"
    assert EQUAL in ftlab("run", "--from", "r.json").stderr
