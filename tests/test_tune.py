"""Searches: what a trial may choose, what is found, and that it is found again."""

import csv
import io
import json
import os
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import ftlab as package
from ftlab import ConfigError
from ftlab.points.grid import grids_of, points_of
from ftlab.tune.goal import Goal, Limit, figure_of
from test_cli import failure

optuna = pytest.importorskip("optuna", reason="needs ftlab[tune]")
from ftlab.plot_tune import MOST_PANELS, fronts  # noqa: E402
from ftlab.report.tune import as_text, overview, verdict  # noqa: E402
from ftlab.tune import Candidate, Found, search  # noqa: E402
from ftlab.tune.space import choose  # noqa: E402

WORKLOAD = {"pattern": "randrw", "bs": "4k", "size": "4MiB", "requests": 1500}
DEVICE = {"capacity": "4MiB", "pages_per_block": 16}
RUN = {"warmup": "sequential"}
TREE = {
    "workload": WORKLOAD,
    "device": DEVICE,
    "run": RUN,
    "ftls": ["dftl", "tpftl"],
    "ftl": {"cache": ["256B", "512B", "1KiB", "2KiB"]},
    "tpftl": {"threshold": [1, 2, 4]},
    "gc": {"policy": ["greedy", "fifo"]},
    "buffer": {"policy": ["none", "lru"], "size": ["4KiB", "8KiB", "16KiB"]},
}
GOAL = {"minimize": ["response_us.mean"], "limits": ["ram_bytes <= 6KiB"], "trials": 24}
SMALL = (
    *("--workload", "randrw,bs=4k,size=4MiB,requests=500"),
    *("--capacity", "4MiB", "--pages-per-block", "16", "--warmup", "sequential"),
    *("--ftl", "dftl,tpftl", "--cache", "256B,512B,1KiB"),
)


def found(folder, **tune):
    (one,) = search({**TREE, "tune": {**GOAL, **tune}}, folder)
    return one


def test_a_search_is_limited_in_the_values_of_a_setting_and_not_in_points():
    many = {"from": 1, "to": 2_000, "step": 1}
    tree = {"ftls": ["page"], "gc": {"low": many, "high": many}}
    with pytest.raises(ConfigError, match="4,000,000 points, expected at most 1,000,000"):
        grids_of(tree)
    assert [len(grid.axes) for grid in grids_of(tree, is_search=True)] == [2]
    tree["gc"]["low"] = {"from": 1, "to": 10**9, "step": 1}
    with pytest.raises(
        ConfigError, match=r"gc\.low: found 1,000,000,000 values, expected at most 1,000,000"
    ):
        grids_of(tree, is_search=True)


def test_a_trial_is_asked_only_for_what_has_an_effect():
    (grid,) = grids_of(TREE)
    fixed = {"0 buffer.policy": 0, "0 ftl": 0}
    trial = optuna.trial.FixedTrial({**fixed, "0 ftl.cache": 1, "0 gc.policy": 1})
    _, ftl, chosen = choose(trial, [grid])
    assert ftl == "dftl"
    assert chosen["ftl.cache"] == "512B"
    assert not any(key in chosen for key in ("tpftl.threshold", "buffer.size"))
    sizes = {"0 buffer.policy": 1, "0 buffer.size": 2, "0 tpftl.threshold": 1, "0 ftl": 1}
    trial = optuna.trial.FixedTrial({**sizes, "0 ftl.cache": 0, "0 gc.policy": 0})
    _, ftl, chosen = choose(trial, [grid])
    assert (ftl, chosen["buffer.size"], chosen["tpftl.threshold"]) == ("tpftl", "16KiB", 2)


@pytest.mark.long
def test_what_is_found_keeps_its_limit_and_is_near_the_best_of_all(tmp_path):
    one = found(tmp_path, trials=48)
    (best,) = one.best()
    assert len(one.trials) == 48
    assert best.fits
    assert figure_of("ram_bytes").of(best.results[0]) <= 6 * 1024
    over = [each for each in one.trials if each.values and not each.fits]
    assert over
    assert all(figure_of("ram_bytes").of(each.results[0]) > 6 * 1024 for each in over)
    everything = package.points.run_points(points_of(TREE), tmp_path)
    fitting = [each for each in everything if figure_of("ram_bytes").of(each) <= 6 * 1024]
    means = sorted(each.response_us.mean for each in fitting)
    assert best.values[0] <= means[len(means) // 20]


@pytest.mark.long
def test_a_search_that_was_stopped_runs_only_what_is_missing(tmp_path):
    short = found(tmp_path / "a", trials=8)
    long = found(tmp_path / "a", trials=24)
    whole = found(tmp_path / "b", trials=24)
    assert [each.settings for each in long.trials] == [each.settings for each in whole.trials]
    assert [each.values for each in long.trials] == [each.values for each in whole.trials]
    assert [each.values for each in short.trials] == [each.values for each in long.trials[:8]]
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "b").iterdir()}
    found(tmp_path / "b", trials=24)
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "b").iterdir()}
    other = found(tmp_path / "b", trials=24, seed=2)
    assert [e.settings for e in other.trials] != [e.settings for e in whole.trials]


def test_of_several_objectives_the_front_is_what_nothing_beats(tmp_path):
    one = found(tmp_path, minimize=["response_us.mean", "ram_bytes"], limits=[])
    front = [each.values for each in one.best()]
    known = [each.values for each in one.trials if each.values]
    assert 1 < len(front) < len(known)
    assert front == sorted(front)
    for values in known:
        dominated = any(a <= values[0] and b <= values[1] and [a, b] != values for a, b in front)
        assert dominated or values in front
    largest = found(tmp_path, minimize=[], maximize=["ram_bytes"], limits=[], trials=8)
    assert largest.best()[0].values[0] == max(each.values[0] for each in largest.trials)


def test_seeds_are_one_trial_and_limits_hold_for_each(tmp_path):
    (one,) = search({**TREE, "seeds": 3, "tune": {**GOAL, "trials": 4}}, tmp_path)
    for each in one.trials:
        assert [point.config["run"]["seed"] for point in each.points] == [1, 2, 3]
        means = [result.response_us.mean for result in each.results]
        assert each.values[0] == pytest.approx(sum(means) / 3)
    limit = Limit.of("response_us.mean <= 1us")
    values = sorted(result.response_us.mean for result in one.trials[0].results)
    assert limit.excess(one.trials[0].results) == pytest.approx(values[-1] - 1)
    assert Limit.of("response_us.mean >= 1us").excess(one.trials[0].results) <= 0
    exact = Limit.of(f"response_us.mean < {values[-1]!r}")
    assert exact.excess(one.trials[0].results) > 0


def test_what_is_to_be_beaten_is_run_in_full_without_what_is_searched_among(tmp_path):
    against = [{"ftls": ["dftl"], "ftl": {"cache": ["256B", "1KiB"]}}, {"ftls": ["fast"]}]
    one = found(tmp_path, trials=8, against=against)
    assert [(str(each.ftl), each.settings) for each in one.against] == [
        ("dftl", {"ftl.cache": "256B"}),
        ("dftl", {"ftl.cache": "1KiB"}),
        ("fast", {}),
    ]
    for each in one.against:
        assert each.results[0].config.buffer.policy == "none"
    rivals = {str(each.ftl): each for each in one.rivals()}
    begin = {point.digest for each in one.trials[:2] for point in each.points}
    assert rivals["dftl"].points[0].digest in begin
    assert one.best()[0].values[0] <= rivals["dftl"].values[0]
    assert rivals["dftl"].values[0] == min(each.values[0] for each in one.against[:2])


def test_parts_are_spaces_of_their_own(tmp_path):
    tree = {
        **{key: TREE[key] for key in ("workload", "device", "run")},
        "grid": [
            {"ftls": ["dftl"], "ftl": {"cache": ["256B", "1KiB"]}},
            {"ftls": ["fast", "bast"], "log": {"blocks": [4, 8]}},
        ],
        "tune": {"minimize": ["response_us.mean"], "trials": 16},
    }
    (one,) = search(tree, tmp_path)
    seen = {(str(each.ftl), tuple(each.settings)) for each in one.trials}
    assert seen == {("dftl", ("ftl.cache",)), ("fast", ("log.blocks",)), ("bast", ("log.blocks",))}


def test_a_trial_that_fails_is_no_end(tmp_path):
    tree = {**TREE, "ftl": {"cache": ["4B", "1KiB"]}, "when": ["gc.policy != fifo"]}
    (one,) = search({**tree, "tune": {**GOAL, "trials": 16}}, tmp_path)
    assert any(each.failure and "ftl.cache: found 4 B" in each.failure for each in one.trials)
    assert any(not each.points for each in one.trials)
    assert one.best()[0].settings["ftl.cache"] == "1KiB"
    assert one.best()[0].settings["gc.policy"] == "greedy"


@pytest.mark.parametrize(
    ("tune", "told"),
    [
        ({}, "tune.minimize: found nothing"),
        ({"minimise": ["x"]}, 'did you mean "minimize"'),
        ({"minimize": 3}, "tune.minimize: found 3"),
        ({"minimize": "ram_bytes", "limits": ["ram_bytes"]}, "expected FIGURE <= BOUND"),
        ({"minimize": "ram_bytes", "limits": ["ram_bytes <= x"]}, "found x, expected a size"),
        ({"minimize": "ram_bytes", "trials": 0}, "tune.trials: found 0"),
        ({"minimize": "response_us.maen"}, 'did you mean "response_us.mean"'),
        ({"minimize": "ram_bytes", "against": 3}, "tune.against: found 3"),
        ({"minimize": "ram_bytes", "against": [3]}, "tune.against: found"),
        ({"minimize": "ram_bytes", "maximize": "ram_bytes"}, "tune.maximize: found ram_bytes"),
        ({"minimize": "ram_bytes", "limits": ["ram_bytes <= inf"]}, "found inf, expected a size"),
        ({"minimize": "ram_bytes", "least": "few"}, "tune.least: found few"),
        ({"minimize": "ram_bytes", "volumes": "no"}, "tune.volumes: found no"),
    ],
)
def test_a_mistake_in_a_search_is_told(tune, told, tmp_path):
    with pytest.raises(ConfigError, match=re.escape(told)):
        search({**TREE, "tune": {"trials": 1, **tune}}, tmp_path)


@pytest.mark.parametrize(
    ("section", "key", "values"),
    [("workload", "requests", [500, 1500]), ("run", "seed", [1, 2])],
)
def test_what_is_run_is_not_searched_among(section, key, values, tmp_path):
    tree = {**TREE, section: {**TREE[section], key: values}, "tune": GOAL}
    with pytest.raises(ConfigError, match=f"{section}.{key}: found several values"):
        search(tree, tmp_path)


def test_what_is_worse_than_nothing_is_no_draw():
    def candidate(ftl, value, against):
        return Candidate(ftl, {}, [], [], [value], [], against)

    goal = Goal.of({"minimize": "flash.erases"})
    found = Found("x", goal, [candidate("dftl", 5.0, False)], [candidate("page", 0.0, True)])
    assert "5 worse than page-level" in verdict(found)


def test_several_inputs_end_with_a_row_for_each(tmp_path):
    tree = {**TREE, "tune": {**GOAL, "trials": 2, "against": [{"ftls": ["page"]}]}}
    (found,) = search(tree, tmp_path)
    assert overview([found]) is None
    table = overview([found, found])
    (row, again) = table.rows
    assert row == again and len(row) == len(table.header)
    change, rival = (
        row[table.header.index("")],
        row[table.header.index("the best of those against")],
    )
    assert f"{row[0]}: {change} than {rival}" in verdict(found)
    assert as_text([found, found], "md").endswith(table.markdown())


def test_bounds_have_the_units_of_their_figures():
    assert Limit.of("ram_bytes <= 64KiB").bound == 65536
    assert Limit.of("response_us.p99 <= 2ms").bound == 2000
    assert Limit.of("response_us.p99 <= 150").bound == 150
    assert Limit.of("ram_share <= 25%").bound == 0.25
    assert Limit.of("mapping.hit_ratio >= 90%").bound == 0.9
    assert Goal.of({"minimize": "ram_bytes", "trials": "1k"}).trials == 1000


@pytest.mark.long
def test_a_search_of_the_command_line(ftlab):
    asked = ("tune", *SMALL, "--minimize", "response_us.mean,ram_bytes", "--trials", "8")
    first = ftlab(*asked, "--limit", "ram_bytes <= 64KiB", "--plot", "front.svg")
    assert first.exit_code == 0, first.output
    assert "randrw: 8 trials" in first.stdout
    assert ElementTree.parse("front.svg")
    assert "mean response" in first.stdout
    rows = json.loads(ftlab(*asked, "--json").stdout)
    assert len(rows) == 8
    files = set(os.listdir("ftlab-results"))
    assert {f"{point}.json.gz" for row in rows for point in row["points"]} == files
    assert any(row["best"] for row in rows)
    table = list(csv.DictReader(io.StringIO(ftlab(*asked, "--csv").stdout)))
    assert [float(row["response_us.mean"]) for row in table] == [
        row["response_us.mean"] for row in rows
    ]
    assert ftlab(*asked, "-o", "found.md").exit_code == 0
    assert "| found |" in Path("found.md").read_text()
    assert ftlab("tune", *SMALL, "--minimize", "ram_bytes", "--plot", "one.png").exit_code == 0
    none = ftlab(*asked, "--limit", "ram_bytes <= 1")
    assert none.exit_code == 1
    assert "no trial has all figures and keeps all limits" in none.stdout


def test_a_figure_of_many_searches_has_an_end_and_says_so():
    found = Found("a trace", Goal.of({"minimize": ["ram_bytes"], "trials": 1}), [], [])
    figure = fronts([found] * (MOST_PANELS + 40))
    assert sum(axes.axison for axes in figure.axes) == MOST_PANELS
    assert figure.get_supxlabel() == "the first 60 of 100 panels"
    assert fronts([found] * 2).get_supxlabel() == ""


def test_a_search_as_a_file_and_where_it_does_not_belong(ftlab):
    Path("tune.toml").write_text(
        """
        ftls = ["dftl"]
        ftl.cache = ["256B", "1KiB"]
        device.capacity = "4MiB"
        device.pages_per_block = 16
        [workload]
        pattern = "randrw"
        size = "4MiB"
        requests = 500
        [tune]
        minimize = ["response_us.mean"]
        trials = 4
        [[tune.against]]
        ftls = ["page"]
        """
    )
    found = ftlab("tune", "tune.toml")
    assert found.exit_code == 0, found.output
    assert "than page-level in mean response" in found.stdout
    assert ftlab("tune", "--config", "tune.toml").stdout == found.stdout
    assert ftlab("sweep", "--config", "tune.toml", "--missing").stdout == ""
    line = failure(ftlab("run", "--config", "tune.toml"))
    assert "found tune, which belongs to `ftlab tune`" in line
    assert "tune.minimize: found nothing" in failure(ftlab("tune", *SMALL))
    line = failure(ftlab("tune", "tune.toml", "--config", "tune.toml"))
    assert "found --config tune.toml and tune.toml, expected one" in line


@pytest.mark.long
def test_the_searches_that_come_with_it(ftlab):
    options = ("--requests", "300", "--trials", "2", "--capacity", "64MiB")
    found = ftlab("tune", "ram-budget", "financial1", *options)
    assert found.exit_code == 0, found.output
    least = ("--limit", "ram_share <= 0.01%")
    assert ftlab("tune", "ram-budget", "financial1", *options, *least).exit_code == 1
    for ftl in ("DFTL", "FAST", "CACH-FTL", "MNFTL", "superblock FTL", "DLOOP", "TPFTL"):
        assert re.search(rf"^against +{ftl}\b", found.stdout, re.MULTILINE), ftl
    options = (*options, "--address", "modulo")
    found = ftlab("tune", "cachftl-threshold", "financial1", *options, "--least", "40", "--json")
    assert found.exit_code == 0, found.output
    rows = json.loads(found.stdout)
    inputs = {row["input"] for row in rows}
    assert "financial1 volume 0" in inputs
    assert len(rows) == 3 * len(inputs)
