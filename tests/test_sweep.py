"""Sweeps: which points several values mean, what becomes of them, and how results are asked for."""

import csv
import io
import json
import os
import sqlite3
from pathlib import Path

import pytest

import ftlab as package
from ftlab import ConfigError
from ftlab.points.grid import points_of
from test_cli import failure

WORKLOAD = {"pattern": "randrw", "bs": "4k", "size": "4MiB", "requests": 500}
DEVICE = {"capacity": "4MiB", "pages_per_block": 16}
SMALL = (
    *("--workload", "randrw,bs=4k,size=4MiB,requests=500"),
    *("--capacity", "4MiB", "--pages-per-block", "16"),
)
TWELVE = (*SMALL, "--ftl", "dftl,tpftl", "--cache", "256B,512B,1KiB", "--seeds", "2")


def labels(**tree) -> list[str]:
    return [point.label for point in points_of({"workload": WORKLOAD, "device": DEVICE, **tree})]


def test_lists_are_every_combination_and_labels_tell_what_differs():
    assert labels(ftls=["dftl", "tpftl"], ftl={"cache": ["256B", "1KiB"]}, seeds=2) == [
        f"{ftl} ftl.cache={cache} run.seed={seed}"
        for ftl in ("dftl", "tpftl")
        for cache in ("256B", "1KiB")
        for seed in (1, 2)
    ]
    assert labels(ftls=["page"], seeds=[3, 5], run={"seed": 1}) == [
        "page run.seed=3",
        "page run.seed=5",
    ]
    assert labels(ftls="page") == ["page"]


@pytest.mark.parametrize(
    ("key", "found", "values"),
    [
        (
            "ftl.cache",
            {"from": "1KiB", "to": "8KiB", "factor": 2},
            ["1KiB", "2KiB", "4KiB", "8KiB"],
        ),
        ("gc.low", {"from": 2, "to": 7, "step": 2}, [2, 4, 6]),
        ("host.time_scale", {"from": 0.5, "to": 2, "factor": 2}, [0.5, 1, 2]),
        ("device.over_provisioning", {"from": "10%", "to": "30%", "step": "10%"}, None),
        ("device.read", {"from": "25us", "to": "75us", "step": "25us"}, ["25us", "50us", "75us"]),
    ],
)
def test_ranges_have_both_ends_and_units(key, found, values):
    section, name = key.split(".")
    tree = {"workload": WORKLOAD, "device": DEVICE, "ftls": ["dftl"], "gc": {"high": 9}}
    tree[section] = {**tree.get(section, {}), name: found}
    ranged = [point.config[section][name] for point in points_of(tree)]
    assert ranged == (values or ["10%", "20%", "30%"])


def test_lists_that_are_one_value_stay_one():
    cell = {**DEVICE, "cell": "mlc", "read_by_bit": ["20us", "40us"]}
    assert labels(ftls=["page"], device=cell) == ["page"]
    several = {**cell, "read_by_bit": [["20us", "40us"], ["30us", "50us"]]}
    assert len(labels(ftls=["page"], device=several)) == 2
    mix = {**WORKLOAD, "bs_mix": [["4k", 1], ["8k", 2]]}
    assert labels(ftls=["page"], workload=mix) == ["page"]


def test_what_an_ftl_ignores_makes_no_points_of_it():
    assert labels(ftls=["page", "dftl"], ftl={"cache": ["256B", "512B"]}) == [
        "page",
        "dftl ftl.cache=256B",
        "dftl ftl.cache=512B",
    ]
    buffer = {"policy": ["none", "lru"], "size": ["64KiB", "128KiB"]}
    assert len(labels(ftls=["page"], buffer=buffer)) == 3
    with pytest.raises(ConfigError, match=r"ftl\.cache: found a setting that page ignores"):
        labels(ftls=["page"], ftl={"cache": "1KiB"})


def test_conditions_choose_points_by_their_settings():
    cache = {"cache": ["256B", "512B", "1KiB"]}
    when = ["ftl.cache >= 512B", "ftl.cache < buffer.size"]
    tree = {"ftls": ["dftl"], "ftl": cache, "buffer": {"policy": "lru", "size": ["1KiB", "64KiB"]}}
    assert len(labels(**tree)) == 6
    assert labels(**tree, when=when) == [
        "dftl ftl.cache=512B buffer.size=1KiB",
        "dftl ftl.cache=512B buffer.size=64KiB",
        "dftl ftl.cache=1KiB buffer.size=64KiB",
    ]
    assert labels(ftls=["dftl", "page"], ftl=cache, when="ftl != page")[0].startswith("dftl")
    for wrong, told in (
        ("ftl.cahce > 1", 'did you mean "ftl.cache"'),
        ("ftl.cache", "expected KEY OP VALUE"),
        ("ftl.cache > much", "found much, expected a size"),
    ):
        with pytest.raises(ConfigError, match=told):
            labels(ftls=["dftl"], when=[wrong])


def test_grids_are_sweeps_of_their_own_and_a_point_is_there_once():
    grid = [
        {"ftls": ["dftl"], "ftl": {"cache": ["256B", "512B"]}},
        {"ftls": ["fast"], "log": {"blocks": [4, 8]}},
        {"ftls": ["dftl"], "ftl": {"cache": "512B"}},
    ]
    assert labels(grid=grid) == [
        "dftl ftl.cache=256B",
        "dftl ftl.cache=512B",
        "fast log.blocks=4",
        "fast log.blocks=8",
    ]


@pytest.mark.parametrize(
    ("tree", "told"),
    [
        ({}, "ftls: found none"),
        ({"ftls": ["dfttl"]}, 'did you mean "dftl"'),
        ({"ftls": ["page"], "gc": {"low": []}}, "gc.low: found an empty list"),
        ({"ftls": ["page"], "gc": {"low": {"from": 1, "to": 4}}}, "expected {from, to, step}"),
        ({"ftls": ["page"], "gc": {"low": {"from": 4, "to": 1, "step": 1}}}, "a range that grows"),
        ({"ftls": ["page"], "gc": {"low": {"from": 1, "to": "x", "step": 1}}}, "found to = x"),
        ({"ftls": ["page"], "gc": {"lwo": [2, 3]}}, "did you mean"),
        ({"ftls": ["page"], "seeds": "many"}, "seeds: found many"),
        ({"ftls": ["page"], "grid": 5}, "grid: found 5"),
        (
            {"ftls": ["page"], "gc": {"low": {"from": 1, "to": 10**9, "step": 1}}},
            "points, expected at most 1,000,000",
        ),
    ],
)
def test_a_mistake_in_a_sweep_is_told_before_it_runs(tree, told):
    with pytest.raises(ConfigError) as raised:
        labels(**tree)
    assert told in str(raised.value)


def test_a_sweep_of_the_command_line_is_run_once(ftlab):
    missing = ftlab("sweep", *TWELVE, "--missing")
    assert len(missing.stdout.splitlines()) == 12
    first = ftlab("sweep", *TWELVE)
    assert first.exit_code == 0, first.output
    assert sum(" 2  " in line for line in first.stdout.splitlines()) == 6, "of two seeds"
    assert len(os.listdir("ftlab-results")) == 12
    before = {path: path.stat().st_mtime_ns for path in Path("ftlab-results").iterdir()}
    again = ftlab("sweep", *TWELVE)
    assert again.stdout == first.stdout
    assert before == {path: path.stat().st_mtime_ns for path in Path("ftlab-results").iterdir()}
    assert ftlab("sweep", *TWELVE, "--missing").stdout == ""


def test_a_point_that_fails_stops_no_other_and_can_be_run_again(ftlab):
    found = ftlab("sweep", *SMALL, "--ftl", "dftl,sftl", "--cache", "1KiB,4B", "-o", "all.json")
    assert found.exit_code == 2
    assert "of 4 points failed" in found.stderr
    points = {each["label"]: each for each in json.loads(Path("all.json").read_text())}
    assert len(points) == 4
    assert "result" in points["dftl ftl.cache=1KiB"]
    failed = points["dftl ftl.cache=4B"]
    assert "ftl.cache: found 4 B" in failed["error"]
    told = failure(ftlab("run", "--from", f"ftlab-results/{failed['digest']}.json.gz"))
    assert "--cache: found 4 B" in told
    assert ftlab("sweep", *SMALL, "--ftl", "dftl", "--cache", "4B,5B", "--retry").exit_code == 2
    only = ftlab("results", "ftlab-results", "--failed", "--csv")
    rows = list(csv.DictReader(io.StringIO(only.stdout)))
    assert all(row["error"] for row in rows)
    assert {row["config.ftl.cache"] for row in rows} >= {"4"}


def test_a_csv_file_whose_columns_are_named_is_swept_and_shown(ftlab, tmp_path):
    path = tmp_path / "own.csv"
    rows = [f"{at},W,{at * 7 % 256},1" for at in range(200)]
    path.write_text("\n".join(["at,what,page,size", *rows]))
    columns = "time=at:ms,op=what,offset=page:4KiB,length=size:4KiB"
    swept = ("sweep", path, "--columns", columns, *SMALL[2:], "--address", "modulo")
    done = ftlab(*swept, "--ftl", "dftl", "--cache", "256B,1KiB")
    assert done.exit_code == 0, done.output
    assert "mapping hit ratio" in done.stdout and done.stdout.count("DFTL") == 2


def test_several_traces_and_a_file(ftlab, trace):
    other = trace.with_name("other.spc")
    other.write_text(trace.read_text().replace("4096", "8192"))
    Path("sweep.toml").write_text(
        """
        ftls = ["page", "dftl"]
        seeds = 2
        when = "ftl != page"
        [device]
        pages_per_block = 16
        [[grid]]
        ftl.cache = { from = "1KiB", to = "2KiB", factor = 2 }
        [[grid]]
        gc.policy = ["fifo", "greedy"]
        gc.low = 2
        """
    )
    chosen = ("sweep", trace, other, "--config", "sweep.toml", "--capacity", "4MiB")
    found = ftlab(*chosen, "--json")
    assert found.exit_code == 0, found.output
    points = json.loads(found.stdout)
    assert len(points) == 2 * 2 * (2 + 2)
    names = {each["result"]["trace"]["name"] for each in points}
    assert len(names) == 2
    assert all(each["result"]["ftl"] == "dftl" for each in points)
    line = failure(ftlab("run", trace, "--config", "sweep.toml"))
    assert "sweep.toml: found seeds, which belongs to `ftlab sweep`" in line


def test_a_list_for_one_run_says_where_lists_belong(ftlab):
    line = failure(ftlab("run", *SMALL, "--cache", "1KiB,2KiB"))
    assert "--cache: found 1KiB,2KiB, expected one value; `ftlab sweep` takes several" in line


@pytest.fixture
def folder(ftlab) -> str:
    assert ftlab("sweep", *TWELVE, "--results", "here").exit_code == 0
    return "here"


def test_results_are_chosen_by_settings_and_figures(ftlab, folder):
    def rows(*options: str) -> list[dict]:
        found = ftlab("results", folder, *options, "--csv")
        assert found.exit_code == 0, found.output
        return list(csv.DictReader(io.StringIO(found.stdout)))

    assert len(rows()) == 12
    chosen = rows("--where", "ftl = tpftl", "--where", "ftl.cache >= 512B")
    assert {row["ftl"] for row in chosen} == {"tpftl"}
    assert sorted({row["config.ftl.cache"] for row in chosen}) == ["1024", "512"]
    better = rows("--where", "mapping.hit_ratio > 0.1")
    assert 0 < len(better) < 12
    assert all(float(row["mapping.hit_ratio"]) > 0.1 for row in better)
    table = ftlab("results", folder, "--columns", "gc.runs,response_us.p99").stdout
    assert table.splitlines()[0].split()[-5:] == ["gc.runs", "99", "%", "response", "notes"]
    line = failure(ftlab("results", folder, "--columns", "gc.rnus"))
    assert 'did you mean "gc.runs"' in line
    assert "did you mean" in failure(ftlab("results", folder, "--where", "ftl.cach > 1"))
    assert "no such folder" in failure(ftlab("results", "nowhere"))


def test_warnings_travel_into_every_form(ftlab, folder):
    told = "GC never ran"
    for name in ("a.csv", "a.md", "a.tex", "a.txt", "a.json", "a.sqlite"):
        found = ftlab("results", folder, "-o", name)
        assert found.exit_code == 0, found.output
        assert told.encode() in Path(name).read_bytes(), name
    with sqlite3.connect("a.sqlite") as database:
        query = "select count(*), min(warnings) from results where ftl = 'tpftl'"
        count, warning = database.execute(query).fetchone()
    assert (count, told in warning) == (6, True)
    assert told in ftlab("results", folder).stdout


def test_warnings_travel_into_the_tables_of_a_comparison(ftlab):
    for name in ("a.md", "a.tex", "a.txt"):
        assert ftlab("compare", *SMALL, "--ftl", "page,dftl", "-o", name).exit_code == 0
        assert "page-level, DFTL: " in Path(name).read_text(), name


@pytest.mark.long
def test_results_as_parquet(ftlab, folder):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    assert ftlab("results", folder, "-o", "a.parquet").exit_code == 0
    assert len(pandas.read_parquet("a.parquet")) == 12


def test_results_of_another_folder_are_taken_over(ftlab, folder):
    more = ftlab("sweep", *SMALL, "--ftl", "page", "--results", "there")
    assert more.exit_code == 0
    found = ftlab("results", folder, "--merge", "there", "--json")
    assert "1 results taken from there" in found.stderr
    assert len(json.loads(found.stdout)) == 13


def test_a_result_is_that_of_simulate(ftlab):
    found = ftlab("sweep", *SMALL, "--ftl", "dftl", "--cache", "512B", "--json")
    (point,) = json.loads(found.stdout)
    workload = package.Workload("randrw", bs="4k", size="4MiB", requests=500)
    device = package.Device(capacity="4MiB", pages_per_block=16)
    alone = package.simulate(workload, package.DFTL("512B"), device).to_dict()
    for each in (point["result"], alone):
        del each["speed"]
    assert point["result"] == alone
