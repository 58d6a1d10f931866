"""The curve of mapping caches: the same hits as runs, and every way out."""

import csv
import json
from pathlib import Path

import pytest

import ftlab as lab

TRACE = lab.profile("financial1", requests=5000)


def test_a_run_of_dftl_under_lru_hits_as_much():
    curve = lab.miss_ratio_curve(TRACE)
    assert (curve.name, curve.pages_per_sample) == ("financial1", 1)
    for entries in (1, 10, 100, 1000):
        ftl = lab.DFTL(cache=8 * entries, replacement="lru")
        mapping = lab.simulate(TRACE, ftl).mapping
        assert curve.accesses == mapping.lookups
        assert curve.hits[entries] == mapping.hits
        assert curve.hit_ratio(entries) == mapping.hit_ratio


def test_ratios_of_one_size_and_of_many():
    curve = lab.miss_ratio_curve(TRACE, page="2KiB")
    assert curve.page_bytes == 2048
    several = curve.hit_ratio([0, 1, 5, curve.pages, 10 * curve.pages])
    assert several[0] == 0.0
    assert several[3] == several[4] == pytest.approx(1 - curve.pages / curve.accesses)
    assert several[2] == curve.hit_ratio(5)
    assert curve.miss_ratio(5) == 1 - several[2]
    assert all(several[:-1] <= several[1:])


def test_forms(ftlab):
    command = ("trace", "curve", "financial1", "--requests", "2000")
    shown = ftlab(*command)
    assert shown.exit_code == 0
    assert "cache of dftl" in shown.output and "page accesses to" in shown.output
    answer = json.loads(ftlab(*command, "--json").output)
    assert answer["entries"][-1] == answer["pages"]
    assert answer["hit_ratio"] == sorted(answer["hit_ratio"])
    table = ftlab(*command, "--csv").output
    rows = list(csv.DictReader(table.splitlines()))
    assert [int(row["entries"]) for row in rows] == answer["entries"]
    assert [float(row["hit_ratio"]) for row in rows] == answer["hit_ratio"]
    assert all(int(row["dftl_cache_bytes"]) == 8 * int(row["entries"]) for row in rows)


def test_the_size_of_a_page_is_told_wherever_people_read(ftlab):
    command = ("trace", "curve", "financial1", "--requests", "500", "--page", "2KiB")
    shown = ftlab(*command, "--plot", "curve.svg")
    assert shown.exit_code == 0, shown.output
    assert "pages of 2 KiB" in shown.stdout
    assert ">cached mappings of pages of 2 KiB<" in Path("curve.svg").read_text("utf-8")
    for name in ("curve.md", "curve.tex", "curve.txt"):
        assert ftlab(*command, "-o", name).exit_code == 0
        assert "pages of 2 KiB" in Path(name).read_text("utf-8"), name
    assert Path("curve.txt").read_text("utf-8") == shown.stdout


@pytest.mark.long
def test_a_figure_is_the_same_each_time(ftlab, tmp_path):
    first = lab.miss_ratio_curve(TRACE).plot()
    assert len(first.axes) == 1 and first.axes[0].lines
    command = ("trace", "curve", "financial1", "--requests", "500", "--plot")
    for name in ("a.svg", "b.svg"):
        assert ftlab(*command, str(tmp_path / name)).exit_code == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_policy_that_needs_a_capacity_says_so(ftlab):
    refused = ftlab("trace", "curve", "financial1", "--requests", "9", "--address", "modulo")
    assert refused.exit_code == 2
    assert "set --capacity" in refused.output
    with pytest.raises(lab.ConfigError):
        lab.miss_ratio_curve(TRACE, address="modulo")


def test_an_input_without_accesses_has_an_empty_curve(tmp_path):
    path = tmp_path / "trims.csv"
    path.write_text("time,offset,length,op\n0,1,100,t\n")
    columns = "time=time,offset=offset,length=length,op=op"
    curve = lab.miss_ratio_curve(lab.read_trace(path, format="csv", columns=columns))
    assert (curve.accesses, curve.pages, curve.sizes()) == (0, 0, [])
    assert curve.hit_ratio(5) == 0.0
    assert json.loads(curve.to_json())["hit_ratio"] == []
    curve.plot()
