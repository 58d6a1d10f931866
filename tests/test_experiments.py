"""Claims and their one rule, real traces in place of models, and the report of an experiment."""

import json

import pytest

import ftlab
import sample
from ftlab.experiments.claims import (
    Claim,
    NotMeasuredError,
    Runs,
    Verdict,
    bound,
    change,
    judge,
    order,
    value,
)
from ftlab.experiments.experiment import Experiment, reproduce
from ftlab.experiments.inputs import Workload, sources
from ftlab.experiments.report import Part, write
from ftlab.points import Point

AGREES, DIRECTION, DIFFERS, NOT_MEASURED = Verdict
RUNS = Runs(
    {("w", "dftl"): ftlab.Result(sample.result("dftl", 400.0, 0.8, 128))}
    | {("w", "tpftl"): ftlab.Result(sample.result("tpftl", 300.0, 0.9, 64))}
    | {("w", "page"): ftlab.Result(sample.result())}
)


@pytest.mark.parametrize(
    ("finding", "verdict"),
    [
        (value("", 0.40, 0.50), AGREES),
        (value("", 0.40, 0.51), DIFFERS),
        (value("", 0.02, 0.04), AGREES),
        (value("", 8, 6), AGREES),
        (value("", 8, 5.9), DIFFERS),
        (change("", -0.62, -0.50), AGREES),
        (change("", -0.62, -0.20), DIRECTION),
        (change("", -0.62, 0.20), DIFFERS),
        (change("", 0.015, -0.001), DIFFERS),
        (change("", 0.0, -0.02), AGREES),
        (change("", 0.0, -0.03), DIFFERS),
        (bound("", 0.04, below=0.04), AGREES),
        (bound("", 0.0401, below=0.04), DIFFERS),
        (bound("", 0.5, above=0.53, below=0.71), DIFFERS),
        (bound("", -0.9, above=-0.884, below=-0.58, directed=True), DIRECTION),
        (bound("", 0.1, above=-0.884, below=-0.58, directed=True), DIFFERS),
        (order("", {"a": 1.0, "b": 1.0, "c": 2.0}), AGREES),
        (order("", {"a": 1.0, "b": 2.0, "c": 1.9}), DIFFERS),
        (order("", {"a": 0.0505, "b": 0.05}), AGREES),
        (order("", {"a": 0.052, "b": 0.05}), DIFFERS),
        (order("", {"a": 2001.0, "b": 2000.0}), AGREES),
        (order("", {"a": 2003.0, "b": 2000.0}), DIFFERS),
    ],
)
def test_a_finding_is_judged_by_the_rule(finding, verdict):
    assert finding.verdict is verdict


def claim(*findings, why=None) -> Claim:
    return Claim("X1", "1", "something", lambda runs: findings, why)


def test_a_claim_is_as_good_as_the_worst_of_its_findings():
    good, half, bad = change("", -0.5, -0.5), change("", -0.5, -0.1), change("", -0.5, 0.1)
    assert judge(claim(good, good), RUNS).verdict is AGREES
    assert judge(claim(good, half), RUNS).verdict is DIRECTION
    assert judge(claim(half, bad, good), RUNS).verdict is DIFFERS


def test_a_claim_is_explained_only_where_it_does_not_agree():
    half, good = change("", -0.5, -0.1), change("", -0.5, -0.5)
    assert judge(claim(good, why=lambda runs: "because"), RUNS).note == ""
    assert judge(claim(half, why=lambda runs: "because"), RUNS).note == "because"


def test_a_figure_that_does_not_exist_is_not_measured():
    for key, figure in ((("w", "page"), "mapping.hit_ratio"), (("w", "zftl"), "seed")):
        found = judge(Claim("X", "", "", lambda runs, k=key, f=figure: [runs(f, *k)]), RUNS)
        assert found.verdict is NOT_MEASURED
        assert " ".join(key) in found.note
    with pytest.raises(NotMeasuredError, match="is 0"):
        RUNS.change("flash.oob_reads.host", ("w", "tpftl"), ("w", "dftl"))


def test_changes_are_new_over_old():
    assert RUNS.change("response_us.mean", ("w", "tpftl"), ("w", "dftl")) == -0.25
    assert RUNS.mean_change("response_us.mean", "dftl", "tpftl", ["w"]) == pytest.approx(1 / 3)


def test_a_real_trace_takes_the_place_of_its_model(tmp_path):
    for name in ("Financial1.spc.zst", "Financial1.first10000.spc.zst", "TS_0.csv", "notes.txt"):
        (tmp_path / name).touch()
    workloads = [
        Workload("financial1", ("financial1.spc",)),
        Workload("msr-ts", ("msr_ts_0.csv", "ts_0.csv")),
        Workload("msr-src", ("src2_0.csv",)),
    ]
    found = sources(workloads, tmp_path, None)
    used = {name: source.file and source.file.name for name, source in found.items()}
    assert used == {"financial1": "Financial1.spc.zst", "msr-ts": "TS_0.csv", "msr-src": None}
    assert found["msr-ts"].described == "the real trace, TS_0.csv"
    assert found["msr-src"].config == {"input": {"trace": "msr-src"}}
    cut = sources(workloads, None, 1000)["financial1"]
    assert cut.described == "the built-in model, its first 1,000 requests"
    with pytest.raises(ftlab.ConfigError, match="found no such folder"):
        sources(workloads, tmp_path / "none", None)


def test_an_experiment_runs_what_is_missing_and_its_report_says_what_came_out(tmp_path, ftlab):
    def points(inputs):
        return {
            (name, ftl): Point(name, source.config, ftl)
            for name, source in inputs.items()
            for ftl in ("page", "dftl")
        }

    faster = Claim(
        "X1",
        "Fig. 1",
        "<page> | is faster",
        lambda runs: [change("", 0.0, runs.change("seed", ("build", "page"), ("build", "dftl")))],
    )
    experiment = Experiment(
        "test",
        "A <test>",
        [Workload("build", ())],
        points,
        [faster],
        lambda runs, inputs, judged: [Part("Set-up", [inputs["build"].described])],
    )
    reports = [reproduce(experiment, tmp_path, requests=200) for _ in range(2)]
    assert len(list(tmp_path.glob("*.json.gz"))) == 2
    files = [
        {path.name: path.read_bytes() for path in write(report, tmp_path / f"out{index}")}
        for index, report in enumerate(reports)
    ]
    assert files[0] == files[1]
    (row,) = json.loads(files[0]["claims.json"])
    assert (row["id"], row["verdict"]) == ("X1", "agrees")
    assert b"# A <test>\n\n## Set-up\n\nthe built-in model, its first 200" in files[0]["report.md"]
    assert b"<h1>A &lt;test&gt;</h1>" in files[0]["report.html"]
