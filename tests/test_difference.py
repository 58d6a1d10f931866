"""What may be called better: differences, seeds, and figures that do not exist."""

import json

import pytest

import ftlab as package
import sample
from ftlab import Comparison, Result
from ftlab.report.difference import Measured, winners
from ftlab.report.summary import comparison_table, relative_table, run_summary, text_of
from ftlab.seeds import NO_EFFECT, without_effect

SMALL = ("--capacity", "4MiB", "--pages-per-block", "16")
WRITES = "--workload=randwrite,bs=4k,size=4MiB,requests=3000"
TRACE = "".join(f"0,{n * 7919 % 1000 * 8},4096,W,{n / 100:.6f}\n" for n in range(3000))


def single(*values):
    return [None if value is None else Measured(value) for value in values]


@pytest.mark.parametrize(
    ("values", "better", "expected"),
    [
        (single(775.0, 776.0), "lower", []),
        (single(775.0, 776.0, 900.0), "lower", [0, 1]),
        (single(1.0, 2.0), "lower", [0]),
        (single(1.0, 2.0), "higher", [1]),
        (single(1.0, 2.0), "", []),
        (single(1.0, None), "lower", []),
        (single(0.0, 1.0, None), "lower", [0]),
        (single(1.0, 1.0), "lower", []),
        (single(), "lower", []),
        ([Measured(10.0, 2.0), Measured(13.0, 2.0)], "lower", []),
        ([Measured(10.0, 1.0), Measured(13.0, 1.5)], "lower", [0]),
        ([Measured(10.0, 1.0), Measured(11.0, 0.5), Measured(20.0, 0.1)], "lower", [0, 1]),
    ],
)
def test_only_what_differs_has_a_star(values, better, expected):
    assert winners(values, better) == expected


def test_several_seeds_are_a_mean_and_a_deviation():
    assert Measured.of([1.0, 2.0, 3.0]) == Measured(2.0, 1.0)
    assert Measured.of([4.0]) == Measured(4.0)


def stated(ftl, tables):
    tree = sample.result(ftl, 900.0)
    tree["ram_bytes"] = {"tables": tables, "cache": 0, "buffer": 0}
    tree["energy"] = {"nj_per_host_byte": None if tables is None else 3.0 + tables}
    return Result(tree)


def test_ram_that_is_not_stated_is_not_zero():
    found = Comparison([stated("Mine", None), stated("page", 100), stated("dftl", 50)])
    table = comparison_table(found)
    rows = {row[0]: (at, row[1:]) for at, row in enumerate(table.rows)}
    at, cells = rows["RAM"]
    assert cells == ["not stated", "100 B", "50 B"]
    assert {column for row, column in table.best if row == at} == {3}
    at, cells = rows["energy for a byte of the host"]
    assert {column for row, column in table.best if row == at} == {3}
    ratios = {row[0]: row[1:] for row in relative_table(found).rows}
    assert ratios["RAM, to page-level"] == ["not stated", "1.000 x", "0.500 x"]
    assert "RAM" not in ratios
    assert "tables not stated, cache 0 B" in text_of(run_summary(found[0]))


def test_runs_with_several_seeds_are_one_column(ftlab):
    found = ftlab("compare", WRITES, *SMALL, "--ftl", "page,dftl", "--seeds", "3")
    assert found.exit_code == 0, found.output
    assert "seed 1 to 3" in found.stdout.splitlines()[0]
    table = found.stdout.partition("relative to")[0]
    rows = {line.partition("  ")[0]: line for line in table.splitlines()}
    assert rows["mean service time"].count("±") == 2
    assert "the seed changes nothing" not in found.output
    found = ftlab("compare", WRITES, *SMALL, "--ftl", "page,dftl", "--seeds", "2", "--json")
    told = json.loads(found.stdout)
    assert [(each["ftl"], each["seed"]) for each in told] == [
        *(("page", 1), ("page", 2)),
        *(("dftl", 1), ("dftl", 2)),
    ]


@pytest.mark.long
def test_a_seed_that_changes_nothing_is_said_and_has_no_deviation(ftlab, tmp_path):
    trace = tmp_path / "t.spc"
    trace.write_text(TRACE)
    found = ftlab("compare", trace, *SMALL, "--ftl", "page,dftl", "--seeds", "5")
    assert found.exit_code == 0, found.output
    assert "±" not in found.stdout
    assert "warning: page-level, DFTL: the seed changes nothing" in found.stderr
    assert "--warmup random:1" in found.stderr
    found = ftlab("sweep", trace, *SMALL, "--ftl", "page,dftl", "--seeds", "2", "--results", "r")
    assert found.stdout.rstrip().endswith("--warmup random:1")
    assert "\nthe seed changes nothing" in found.stdout
    for arguments in (("results", "r", "--csv"), ("plot", "r", "--x", "ftl", "--y", "ram_bytes")):
        found = ftlab(*arguments, *(("-o", "x.svg") if arguments[0] == "plot" else ()))
        assert "warning: the seed changes nothing" in found.stderr, found.output
    some = ftlab(
        "sweep",
        trace,
        *SMALL,
        "--ftl",
        "page",
        "--seeds",
        "2",
        "--results",
        "r",
        "-o",
        "x.md",
        "--gc",
        "greedy,d-choices",
    )
    assert some.exit_code == 0, some.output


def test_a_seed_that_changes_nothing_is_said_of_every_point_of_an_ftl(ftlab, tmp_path):
    trace = tmp_path / "t.spc"
    trace.write_text(TRACE)
    axes = ("--cache", "4KiB,8KiB", "--seeds", "2", "--results", "r")
    found = ftlab("sweep", trace, *SMALL, "--ftl", "dftl", *axes)
    assert found.exit_code == 0, found.output
    assert "\nthe seed changes nothing" in found.stdout


def test_seeds_without_effect_are_told_by_all_figures():
    one, other = sample.result("page", 900.0), sample.result("page", 900.0)
    other["seed"] = 2
    other["config"]["run"]["seed"] = 2
    other["speed"] = {"wall_s": 9.0}
    assert without_effect([Result(one), Result(other)])
    assert not without_effect([Result(one)])
    other["timeline"]["time_s"][-1] += 1
    assert not without_effect([Result(one), Result(other)])
    assert "run.warmup = random:1" in NO_EFFECT


def test_compare_in_python_has_seeds():
    workload = package.Workload("randwrite", size="4MiB", requests=1000)
    device = package.Device(capacity="4MiB", pages_per_block=16)
    found = package.compare(workload, ["page"], device, seeds=3, seed=7)
    assert [run["seed"] for run in found.runs[0]] == [7, 8, 9]
    assert found[0] is found.runs[0][0]
    assert len(found.to_dict()) == 3
    with pytest.raises(package.ConfigError, match="seeds: found 0"):
        package.compare(workload, ["page"], device, seeds=0)
