"""``ftlab reproduce``: complete, resumable, and the same each time."""

import json
import os
import re
from importlib import import_module
from pathlib import Path

import pytest

import sample
from ftlab import Result
from ftlab_papers.findings import Verdict
from ftlab_papers.inputs import Workload, modelled, sources
from ftlab_papers.runs import Runs
from ftlab_papers.tpftl import EXPERIMENT
from ftlab_papers.tpftl.claims import lowered
from ftlab_papers.tpftl.points import (
    ALL,
    CACHES,
    FEATURES,
    FTLS,
    LOADED,
    LOADS,
    MSR,
    SHORT,
    THRESHOLDS,
)
from ftlab_papers.tpftl.reasons import REASONS
from test_cli import failure


def test_the_points_are_those_of_the_paper_and_each_is_run_once():
    points = EXPERIMENT.points(sources(EXPERIMENT.workloads, None, None))
    keys = [(name, ftl) for name in ALL for ftl in FTLS]
    thresholds = [f"threshold {each}" for each in THRESHOLDS]
    keys += [(name, "tpftl", each) for name in ALL for each in (*FEATURES, *CACHES, *thresholds)]
    keys += [(name, ftl, f"load {each}") for name in MSR for ftl in LOADED for each in LOADS]
    swept = [key for key in points if len(key) == 4]
    assert list(points) and set(points) == {*keys, *swept}
    same = {(name, "tpftl", *alias) for name in ALL for alias in ((), ("rsbc",), ("1/128",))}
    for name in ALL:
        assert len({points[key].digest for key in same if key[0] == name}) == 1
    once = len(ALL) * (6 + 7 + 7 + 4) + len(MSR) * len(LOADED) * (len(LOADS) - 1)
    assert len({points[key].digest for key in keys}) == once
    assert len({points[key].digest for key in swept}) == 20
    resolved = points["msr-ts", "tpftl", "1/64"].resolved
    assert resolved["ftl"]["cache"] == 2 * 256 * 1024
    assert resolved["device"]["capacity"] == 16 << 30
    assert resolved["run"]["warmup"] == "footprint"


def test_every_claim_has_a_row_of_its_own():
    names = [claim.id for claim in EXPERIMENT.claims]
    assert names[:46] == [f"T{number}" for number in range(1, 47)]
    assert names[46:] == ["O1", "O2", "O3", "O4", "O5", "A1"]


@pytest.mark.parametrize(
    ("rival", "ours", "found", "verdict"),
    [
        (70, 5, "-65.0 %", Verdict.AGREES),
        (90, 2, "-88.0 %", Verdict.AGREES),
        (50, 15, "-35.0 %", Verdict.DIRECTION),
    ],
)
def test_t13_is_a_difference_in_points(rival, ours, found, verdict):
    """Relative changes would be 92.9 % and 97.8 %, above the published range, and 70 %, within."""
    runs = Runs(
        {
            ("financial1", ftl): Result(
                {"ftl": ftl, "mapping": {"dirty_replacements": dirty, "replacements": 100}}
            )
            for ftl, dirty in (("dftl", rival), ("tpftl", ours))
        }
    )
    finding = lowered("financial1", "dftl").find(runs)
    assert (finding.ours, finding.verdict) == (found, verdict)


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(import_module("ftlab.cli.reproduce"), "QUICK_REQUESTS", 1000)


@pytest.mark.long
def test_the_report_is_complete_and_the_same_each_time(short, ftlab):
    done = ftlab("reproduce", "tpftl", "--quick")
    assert done.exit_code == 0, done.output
    assert re.search(r"^of the paper +42 ", done.output, re.MULTILINE), done.output
    folder = Path("ftlab-reproduce/tpftl")
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    figures = {f"fig{number}.svg" for number in (1, 2, 6, 7, 8, 9, 10)}
    assert set(first) == figures | {"report.md", "report.html", "claims.json"}
    rows = json.loads(first["claims.json"])
    assert [row["id"] for row in rows] == [claim.id for claim in EXPERIMENT.claims]
    assert all(f"({name}.svg)".encode() in first["report.md"] for name in ("fig1", "fig10"))
    assert b"the built-in model, its first 1,000 requests" in first["report.md"]

    lost = min(Path("ftlab-results").iterdir())
    lost.write_text("{")
    times = {path: path.stat().st_mtime_ns for path in Path("ftlab-results").iterdir()}
    assert ftlab("reproduce", "tpftl", "--quick").exit_code == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first
    again = {path: path.stat().st_mtime_ns for path in Path("ftlab-results").iterdir()}
    assert [path for path in again if again[path] != times[path]] == [lost]


@pytest.mark.long
def test_a_real_trace_is_said_to_be_used(short, ftlab, trace):
    real = trace.rename(trace.with_name("Financial1.spc"))
    done = ftlab("reproduce", "tpftl", "--quick", "--traces", real.parent, "--out", "report")
    assert done.exit_code == 0, done.output
    text = Path("report/report.md").read_text()
    share = "40 of 5,334,987 requests"
    real = f"a part of the real trace ({share}), Financial1.spc, its first 1,000 requests"
    assert f"| financial1 | {real} | 40 |" in text
    told = f"warning: Financial1.spc: found {share}; verdicts on financial1 are of that part"
    assert told in done.stderr
    assert "| financial2 | the built-in model" in text


@pytest.mark.long
def test_a_quick_run_says_so_wherever_it_is_read(short, ftlab):
    done = ftlab("reproduce", "dftl", "--quick")
    assert done.exit_code == 0, done.output
    banner = "Only the first 1,000 requests of each input were run: these verdicts mean nothing."
    folder = Path("ftlab-reproduce/dftl")
    assert f"\n{banner}\n" in done.stdout
    assert f"\n**{banner}**\n" in (folder / "report.md").read_text()
    assert f'<p class="banner">{banner}</p>' in (folder / "report.html").read_text()


def test_where_the_report_cannot_go_is_told_before_anything_is_run(short, ftlab, trace):
    real = trace.rename(trace.with_name("Financial1.spc"))
    kept = real.read_bytes()
    Path("results").mkdir()
    Path("results/point.json.gz").touch()
    for folder in ("linked", "hard", "loop", "result"):
        Path(folder).mkdir()
    Path("linked/report.md").symlink_to(real)
    os.link(real, "hard/figure-9.svg")
    Path("loop/claims.json").symlink_to("claims.json")
    Path("result/claims.json").symlink_to(Path("results/point.json.gz").resolve())
    Path("file").touch()
    Path("taken/report.html").mkdir(parents=True)
    given = ("reproduce", "tpftl", "--quick", "--traces", real.parent, "--results", "results")
    for folder, told in {
        "linked": f"linked/report.md: is the input {real}, expected another file to write",
        "hard": f"hard/figure-9.svg: is the input {real}, expected another file to write",
        "loop": "loop/claims.json: cannot be written: ",
        "result": "result/claims.json: is one of the results in results, expected another file",
        "file": "file: cannot make this folder: ",
        "\0": "\\x00: cannot make this folder: ",
        "taken": "taken/report.html: is a folder, expected the name of a file to write",
    }.items():
        assert failure(ftlab(*given, "--out", folder)).startswith(f"error: {told}")
    failure(ftlab("reproduce", "tpftl", "--traces", "nowhere", "--out", "new"))
    assert not Path("new").exists()
    assert [each.name for each in Path("results").iterdir()] == ["point.json.gz"]
    assert real.read_bytes() == kept


@pytest.mark.long
def test_a_report_may_lie_among_the_traces(short, ftlab, trace):
    Path("taken.md").mkdir()
    for _ in range(2):
        done = ftlab("reproduce", "dftl", "--quick", "--traces", ".", "--out", ".")
        assert done.exit_code == 0, done.output


def runs_of(**changed):
    """Return runs of all FTLs on all workloads, with some figures changed."""
    found = sample.result("tpftl", 900.0, 0.8, 128)
    for name, figures in changed.items():
        found[name] = {**found[name], **figures} if isinstance(figures, dict) else figures
    return Runs({(name, ftl): Result(found) for name in ALL for ftl in FTLS})


def test_reasons_say_how_full_the_blocks_are_that_are_collected():
    runs = runs_of(gc={"mean_valid_data": 3.25})
    each = ", ".join(f"3.25 ({SHORT[name]})" for name in ALL)
    found = f" A data block that is collected has {each} valid pages of 64"
    assert found in REASONS["responses"](runs)
    assert found in REASONS["amplification"](runs)


@pytest.mark.parametrize("reason", ["responses", "amplification"])
def test_reasons_say_so_where_no_block_is_collected(reason):
    text = REASONS[reason](runs_of(gc={"mean_valid_data": None}))
    assert " No data block is collected." in text
    assert "valid pages" not in text


@pytest.mark.parametrize(
    "reason",
    ["translation_writes", "translation_reads", "responses", "losses", "dirty", "hits"],
)
def test_reasons_have_no_holes_where_a_figure_is_missing(reason):
    programs = {"host": 9, "translation": 0, "gc_data": 0, "gc_mapping": 0, "gc_translation": 0}
    runs = runs_of(
        flash={"programs": programs},
        mapping={
            **{"hit_ratio": None, "replacements": 0, "dirty_replacements": 0},
            **{"cached_entries": 0, "cached_translation_pages": 0},
        },
        write_amplification=None,
        gc={"mean_valid_data": None},
        host={"requests": 0},
        response_us={"mean": 0},
    )
    text = REASONS[reason](runs)
    hole = re.compile(
        r"  |\b(is|are|has|have|of|in) [:;,.]|(TPFTL|S-FTL|DFTL) ?[;.]|not measured of"
    )
    assert not hole.search(text), text


def test_a_mistake_is_told_in_one_line(ftlab):
    for arguments in (("tpftl", "--traces", "nowhere"), ("no-paper",)):
        done = ftlab("reproduce", *arguments)
        assert done.exit_code == 2
        assert done.output.startswith("error: ")
        assert done.output.count("\n") == 1


def test_a_folder_without_the_traces_of_a_paper_is_told(tmp_path):
    (tmp_path / "financial1.SPC.zst").touch()
    workloads = [
        Workload("financial1", ("financial1.spc", "financial1.parquet")),
        Workload("msr-ts", ("ts_0.csv",)),
        Workload("systemdisk1", ()),
    ]
    told = modelled(sources(workloads, tmp_path, None), tmp_path)
    assert told == f"{tmp_path}: found no file called ts_0.csv; 2 of 3 inputs are built-in models"
    assert modelled(sources(workloads[:1], tmp_path, None), tmp_path) is None
    told = modelled(sources(workloads[1:2], tmp_path, None), tmp_path)
    assert told == f"{tmp_path}: found no file called ts_0.csv; 1 of 1 inputs are built-in models"
