"""Figures of a folder of results."""

from pathlib import Path

import pytest

import ftlab as package
import sample
from ftlab.cli.plot import _limits
from ftlab.plot_points import Drawing, _unit, over
from ftlab.points.store import Entry, Failure, Store
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


def test_a_setting_that_only_some_ftls_obey_names_no_line(ftlab):
    swept = ("--ftl", "page,dftl,tpftl", "--cache", "1KiB", "--results", "r")
    done = ftlab("sweep", "--workload", "randwrite,bs=4k,size=4MiB,requests=200", *swept)
    assert done.exit_code == 0, done.output
    found = lines(Store("r").contents()[0], "run.warmup", "write_amplification")
    assert sorted(line.name for line in found) == ["DFTL", "TPFTL", "page-level"]


def test_failed_points_are_left_out_and_a_wrong_name_is_told():
    failed = Entry(ENTRIES[0].path, "", {"ftl": {"cache": 1}}, "dftl", Failure("E", "why"), {})
    assert len(lines([*ENTRIES, failed], "ftl.cache", "mapping.hit_ratio")) == 2
    with pytest.raises(package.ConfigError, match=r'"ftl.cach" \(did you mean "ftl.cache"'):
        lines(ENTRIES, "ftl.cach", "mapping.hit_ratio")


def test_sizes_are_on_a_logarithmic_axis_with_whiskers():
    figure = over(ENTRIES, "ftl.cache", ["mapping.hit_ratio", "response_us.mean"], columns=1)
    upper, lower = figure.axes
    assert upper.get_xscale() == "log"
    shown = [text.get_text() for text in lower.get_xticklabels()]
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


def over_policies(**how):
    more = [
        entry(ftl, cache, 1, hits, policy)
        for ftl, hits in (("dftl", 0.4), ("tpftl", 0.8))
        for cache in (8192, 65536)
        for policy in ("greedy", "random")
    ]
    return over(more, "ftl.cache", ["mapping.hit_ratio"], drawing=Drawing(**how))


def test_a_facet_is_a_column_of_panels_with_one_axis():
    figure = over_policies(facet="gc.policy")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["greedy", "random"]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["DFTL", "TPFTL"]


def test_values_are_multiples_of_those_of_an_ftl():
    figure = over_policies(facet="gc.policy", relative="dftl")
    for axes in figure.axes:
        dftl, tpftl = (list(line.lines[0].get_ydata()) for line in axes.containers)
        assert dftl == [1.0, 1.0] and tpftl == pytest.approx([2.0, 2.0])
    assert figure.axes[0].get_ylabel() == "mapping hit ratio, relative to DFTL"
    groups = over(ENTRIES, "ftl", ["mapping.hit_ratio"], drawing=Drawing(relative="DFTL"))
    heights = [bar.get_height() for bar in groups.axes[0].patches]
    assert heights[0] == 1.0 and heights[1] == pytest.approx(0.72 / 0.52)
    with pytest.raises(package.ConfigError, match="found no values of fast"):
        over_policies(relative="fast")


def test_lines_and_groups_have_an_order_and_other_names():
    figure = over_policies(facet="gc.policy", order=["TPFTL"], labels={"DFTL": "base line"})
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["TPFTL", "base line"]
    bars = over(ENTRIES, "ftl", ["flash.erases"], drawing=Drawing(order=["tpftl"]))
    names = [text.get_text() for text in bars.axes[0].get_xticklabels()]
    assert names == ["TPFTL", "DFTL"]


def test_an_ftl_has_its_key_as_a_name_too():
    figure = over(
        ENTRIES,
        "ftl",
        ["flash.erases"],
        drawing=Drawing(labels={"dftl": "base line", "flash.erases": "blocks"}),
    )
    names = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert names == ["base line", "TPFTL"]
    assert figure.axes[0].get_ylabel() == "blocks"


@pytest.mark.parametrize(
    "how, told",
    [
        ({"labels": {"TPFLT": "x"}}, '--label: nothing of the name "TPFLT" is drawn (did you mean'),
        ({"labels": {"qqq": "x"}}, '"qqq" is drawn; drawn: DFTL, TPFTL, ftl.cache, '),
        ({"order": ["tpftl", "sftl"]}, '--order: nothing of the name "sftl" is drawn'),
        ({"order": ["ftl.cache"]}, "--order"),
    ],
)
def test_a_name_of_what_is_not_drawn_is_told(how, told):
    with pytest.raises(package.ConfigError) as caught:
        over(ENTRIES, "ftl.cache", ["mapping.hit_ratio"], drawing=Drawing(**how))
    assert told in str(caught.value)


def test_traces_are_named_by_their_files():
    def read(path, hits):
        one = entry("dftl", 8192, 1, hits)
        one.config["input"] = {"trace": path}
        tree = one.outcome.to_dict()
        tree["config"]["input"] = {"trace": path}
        return Entry(one.path, "", one.config, "dftl", Result(tree), {})

    several = [read(f"/far/away/{name}.spc.zst", 0.5) for name in ("Financial1", "web_0")]
    (line,) = lines(several, "input.trace", "mapping.hit_ratio")
    assert list(line.places) == ["Financial1", "web_0"]


def test_at_equal_ram_caches_move_a_point_along_its_line():
    several = []
    for each in ENTRIES:
        tree = each.outcome.to_dict()
        tree["ram_bytes"] = {"tables": 512, "cache": each.config["ftl"]["cache"], "buffer": 0}
        several.append(Entry(each.path, "", each.config, each.ftl, Result(tree), {}))
    found = lines(several, "ram_bytes", "mapping.hit_ratio")
    assert [line.name for line in found] == ["DFTL", "TPFTL"]
    assert [list(line.places) for line in found] == [[8704, 66048]] * 2
    assert [list(line.counts) for line in found] == [[3, 3]] * 2
    figure = over(several, "ram_bytes", ["mapping.hit_ratio"])
    (axes,) = figure.axes
    shown = [text.get_text() for text in axes.get_xticklabels()]
    assert "8 KiB" in shown and not [each for each in shown if "." in each], "powers of two"


def test_more_lines_than_a_reader_can_follow_are_refused():
    many = [entry("dftl", 8192, 1, 0.5, f"policy-{at}") for at in range(40)]
    with pytest.raises(package.ConfigError, match="40 lines, expected at most 36; choose points"):
        over(many, "ftl.cache", ["mapping.hit_ratio"])


@pytest.mark.parametrize(
    "typed, limits",
    [
        ("0:100%", (0.0, 1.0)),
        ("1ms:", (1000.0, None)),
        (":2.5", (None, 2.5)),
        ("0:80", (0.0, 80.0)),
    ],
)
def test_ends_of_an_axis_are_typed_with_their_unit(typed, limits):
    assert _limits(typed) == limits


@pytest.mark.parametrize(
    "option, told",
    [
        (("--ylim", "5"), "expected LOW:HIGH"),
        (("--ylim", "a:b"), "expected a number"),
        (("--label", "x"), "expected NAME=TEXT"),
        (("--facet", "gc.polcy"), "did you mean"),
    ],
)
def test_mistakes_in_a_figure_are_told(ftlab, option, told):
    made = ["--workload", "randwrite,bs=4k,size=4MiB,requests=100", "--ftl", "dftl,tpftl"]
    ftlab("sweep", *made, "--results", "r")
    result = ftlab("plot", "r", "--x", "ftl", "--y", "flash.erases", *option, "-o", "a.svg")
    assert result.exit_code == 2 and told in result.stderr


def test_shares_of_the_map_are_named_as_they_were_typed(ftlab):
    made = ["financial1", "--requests", "500", "--ftl", "dftl", "--cache", "1/128,1/16,1/2"]
    ftlab("sweep", *made, "--results", "r")
    done = ftlab("plot", "r", "--x", "ftl.cache", "--y", "mapping.hit_ratio", "-o", "a.svg")
    assert done.exit_code == 0, done.output
    drawn = Path("a.svg").read_text()
    assert all(f">{share}</text>" in drawn for share in ("1/128", "1/16", "1/2"))


@pytest.mark.parametrize(
    "name, unit",
    [
        ("ram_bytes.cache", "bytes"),
        ("ram_bytes", "bytes"),
        ("causes.wait_us.erases", "us"),
        ("causes.waiting_for_pauses_ratio", "ratio"),
        ("ftl.cache", "bytes"),
        ("device.over_provisioning", "ratio"),
        ("gc.runs", "count"),
    ],
)
def test_axes_have_the_unit_of_what_they_show(name, unit):
    assert _unit(name) == unit
