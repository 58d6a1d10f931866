"""Figures of a folder of results."""

from pathlib import Path

import pytest

import ftlab as package
import sample
from ftlab.plot_points import over
from ftlab.points.store import Entry, Failure
from ftlab.result import Result
from ftlab.series import lines


def entry(ftl, cache, seed, hits, policy=None) -> Entry:
    tree = sample.result(ftl, 450.0, hits, 128)
    tree["config"]["ftl"]["cache"] = cache
    config = {"ftl": {"cache": cache}, "run": {"seed": seed}}
    if policy:
        config["gc"] = tree["config"]["gc"] = {"policy": policy}
    return Entry(Path("0123.json.gz"), "", config, ftl, Result(tree), {})


ENTRIES = [
    (entry(ftl, cache, seed, hits + seed / 100))
    for ftl, hits in (("dftl", 0.5), ("tpftl", 0.7))
    for cache in (65536, 8192)
    for seed in (1, 2, 3)
]


def test_there_is_a_line_for_each_ftl_with_mean_and_deviation_over_seeds():
    dftl, tpftl = lines(ENTRIES, "ftl.cache", "mapping.hit_ratio")
    assert (dftl.name, tpftl.name) == ("DFTL", "TPFTL")
    assert list(dftl.places) == [8192, 65536]
    assert list(dftl.means) == pytest.approx([0.52, 0.52])
    assert list(dftl.deviations) == pytest.approx([0.01, 0.01])


def test_another_setting_that_differs_makes_a_line_of_its_own():
    more = [(entry("dftl", 8192, 1, 0.5, policy)) for policy in ("greedy", "random")]
    assert [line.name for line in lines(more, "ftl.cache", "write_amplification")] == [
        "DFTL (policy=greedy)",
        "DFTL (policy=random)",
    ]
    (line,) = lines(more, "gc.policy", "write_amplification")
    assert list(line.places) == ["greedy", "random"]


def test_failed_points_are_left_out_and_a_wrong_name_is_told():
    failed = Entry(ENTRIES[0].path, "", {"ftl": {"cache": 1}}, "dftl", Failure("E", "why"), {})
    assert len(lines([*ENTRIES, failed], "ftl.cache", "mapping.hit_ratio")) == 2
    with pytest.raises(package.ConfigError, match=r'"ftl.cach" \(did you mean "ftl.cache"'):
        lines(ENTRIES, "ftl.cach", "mapping.hit_ratio")


def test_sizes_are_on_a_logarithmic_axis_with_whiskers():
    figure = over(ENTRIES, "ftl.cache", ["mapping.hit_ratio", "response_us.mean"], columns=1)
    upper, lower = figure.axes
    assert upper.get_xscale() == "log"
    shown = [upper.xaxis.get_major_formatter()(each, 0) for each in upper.get_xticks()]
    assert shown == ["8 KiB", "64 KiB"], "the places that were typed"
    assert len(upper.containers) == 2 and upper.containers[0].has_yerr
    assert lower.get_xlabel() == "mapping cache"
    assert figure.get_figwidth() == 3.5
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["DFTL", "TPFTL"]


def test_a_sweep_is_drawn_in_one_command(ftlab):
    sweep = ["sweep", "--workload", "randwrite,bs=4k,size=4MiB,requests=500"]
    done = ftlab(
        *sweep, "--ftl", "dftl,tpftl", "--cache", "1KiB,16KiB", "--seeds", 2, "--results", "r"
    )
    assert done.exit_code == 0, done.output
    done = ftlab("plot", "r", "--x", "ftl.cache", "--y", "mapping.hit_ratio", "-o", "a.svg")
    assert done.exit_code == 0, done.output
    drawn = Path("a.svg").read_text()
    assert ">16 KiB</text>" in drawn and ">TPFTL</text>" in drawn
    done = ftlab("plot", "r", "--x", "ftl", "--y", "flash.erases", "-o", "a.pdf")
    assert done.exit_code == 0, done.output
    assert Path("a.pdf").read_bytes().startswith(b"%PDF")
