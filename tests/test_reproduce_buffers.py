"""``ftlab reproduce cachftl`` and ``dftl``: complete, and every claim has its row."""

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from statistics import fmean

import pytest

from ftlab.config import merge
from ftlab.points import Point, run_points
from ftlab.result import Result
from ftlab.traces import read_trace
from ftlab_papers import cachftl, dftl
from ftlab_papers.cachftl import bounds
from ftlab_papers.cachftl.claims import FIGURE_4, FIGURE_5, otherwise
from ftlab_papers.cachftl.points import PRESET, SPARES, THRESHOLDS, synthetic
from ftlab_papers.cachftl.proofs import not_the_same_runs, worse_at_best
from ftlab_papers.cachftl.quantities import against, best, sparing, thresholds, to_bmr
from ftlab_papers.claims import Claim, judge
from ftlab_papers.dftl.points import (
    CACHED,
    FIN,
    FOLD,
    PAGE,
    PREFIX_LOOP,
    TPCH,
    WORKLOADS,
    points,
    prepare,
)
from ftlab_papers.dftl.volumes import FINANCIAL, Row, by_distance, row
from ftlab_papers.findings import Change, Verdict
from ftlab_papers.inputs import Source, Workload, sources
from ftlab_papers.made import looped
from ftlab_papers.quantities import erases
from ftlab_papers.runs import Runs
from ftlab_papers.volumes import extent

CLAIMS = cachftl.EXPERIMENT.claims
PROVED = {claim.id: claim.proof for claim in CLAIMS if claim.proof}
BEGINNING = "Financial1.first50002.DERIVED-noasu.spc"


def test_cachftl_is_run_with_the_settings_of_the_paper():
    volume = Source(Workload("tpch", ()), None, 200)
    found = cachftl.EXPERIMENT.points({"financial1/0": volume})
    volumes = [key for key in found if key[0] == "financial1/0"]
    assert len(volumes) == (4 + 1) + 4 + (2 + 1) + 5 + 5 * 10 + 2
    device = found["financial1/0", "page", "reserve"].resolved["device"]
    assert device["blocks"] == extent(volume) // (256 << 10) + 5
    names = {key[0] for key in found}
    assert {"sequential 90", "stream 90", "writes 5000000", "arrivals 50"} < names
    assert found["stream 90", "page"].resolved["workload"]["sequential"] == "stream"
    for claim in cachftl.EXPERIMENT.claims:
        assert claim.what and claim.where


@pytest.mark.long
def test_the_whole_of_figure_5_has_every_threshold_on_all_requests():
    volume = {"financial1/0": Source(Workload("tpch", ()), None, None)}
    some, every = cachftl.EXPERIMENT.points(volume), cachftl.EXPERIMENT.whole(volume)
    assert len(every) - len(some) == 5 * 22
    key = "financial1/0", "cachftl", "25", "31"
    assert key not in some
    assert every[key].resolved["cachftl"]["threshold"] == 31
    results = dict.fromkeys(every, Result({"ftl": "x"}))
    assert list(thresholds(Runs(results), "financial1/0")) == list(range(1, 33))


@pytest.mark.long
@pytest.mark.parametrize(("most", "cut"), [(1_000, 1_000), (10**9, None)])
def test_settings_are_varied_on_the_first_requests_of_a_volume_that_has_more(
    monkeypatch, most, cut
):
    monkeypatch.setattr(import_module("ftlab_papers.cachftl.points"), "GRID_REQUESTS", most)
    volume = {"financial1/0": Source(Workload("tpch", ()), None, None)}
    for found, requests in ((cachftl.EXPERIMENT.points, cut), (cachftl.EXPERIMENT.whole, None)):
        setting = found(volume)["financial1/0", "fast", "5"].resolved
        assert setting["input"].get("requests") == requests


def test_a_paper_of_which_nothing_is_left_out_has_no_whole(ftlab):
    done = ftlab("reproduce", "dftl", "--whole")
    assert done.exit_code == 2
    said = "error: --whole: found dftl, of which nothing is left out, expected cachftl"
    assert done.output.startswith(said)


def test_figures_4_and_5_contradict_each_other_about_bm():
    assert worse_at_best(FIGURE_4, FIGURE_5) == ["financial1", "financial2"]
    assert not_the_same_runs(FIGURE_4, FIGURE_5) == ["financial1"]
    assert FIGURE_4["financial1"].bm_over_pm == pytest.approx(1.39 / 0.53)
    assert FIGURE_5["financial1"].bm_over_pm == pytest.approx(1.04 / 0.64)
    assert not_the_same_runs(FIGURE_4, FIGURE_4) == []
    assert "36.0 % over BM at best and 47.0 % by default" in PROVED["C17"]


def test_random_writes_gain_more_over_bm_than_is_published():
    assert bounds.most_of_bm(0.1) < bounds.LEAST < bounds.most_of_bm(0.2)
    assert bounds.most_of_bm(0.9) == 1, "it says nothing of sequential writes"
    assert "at most 45 % of BM's, where 59 % are published" in PROVED["C23"]


def test_the_bounds_are_those_of_the_device_and_the_workload_that_are_run():
    made = dict(synthetic(None))["sequential 10"]
    found = Point("", merge([PRESET, {"workload": made}]), "cachftl").resolved
    device, own = found["device"], found["cachftl"]
    times = (bounds.READ, bounds.PROGRAM, bounds.ERASE)
    assert [device[name] for name in ("read", "program", "erase")] == [each * 1e6 for each in times]
    assert device["pages_per_block"] == bounds.BLOCK_PAGES
    assert own["threshold"] == bounds.THRESHOLD
    assert (device["over_provisioning"], own["async_free"]) == (bounds.PMR_SHARE, bounds.IDLE_SHARE)
    assert own["sync_blocks"] == bounds.SYNC_BLOCKS
    assert bounds.BETWEEN == 37 * 64
    assert found["workload"]["spatial_locality"] == bounds.LOCAL


@pytest.mark.long
@pytest.mark.parametrize("requests", [200, None])
def test_settings_are_varied_on_fewer_requests_but_never_on_more(tmp_path, requests):
    (few,) = (
        each for each in cachftl.EXPERIMENT.counterfactuals if each.name == "a short beginning"
    )
    volume = {"cello99/0": Source(Workload("tpch", ()), None, requests)}
    points = cachftl.EXPERIMENT.points(volume)
    changed = {
        key
        for key in points
        if few.alter(key, points, volume, tmp_path).digest != points[key].digest
    }
    if requests:
        assert not changed
    else:
        kept = {("cachftl",), ("page", "reserve"), ("cachftl", "enough", "4")}
        cut = {
            ("page", "start"),
            ("page", "start", "reserve"),
            ("cachftl", "adaptive", "threshold"),
        }
        names = {key[1:] for key in changed}
        assert cut < names and not kept & names
        assert {key[0] for key in changed} == {"cello99/0"}


@pytest.mark.long
@pytest.mark.parametrize("name", ["sequential 10", "stream 10"])
def test_a_run_of_random_writes_is_within_the_bounds(tmp_path, name):
    settings = merge([PRESET, {"workload": dict(synthetic(None))[name]}])
    runs = [Point(each, settings, each) for each in ("cachftl", "block-optimized")]
    ours, rival = run_points(runs, tmp_path)
    assert ours["response_us"]["mean"] < bounds.most_of_bm(0.1) * rival["response_us"]["mean"]
    groups = ours["buffer"]["flushed_groups"]
    assert 1 < bounds.WRITES / groups < bounds.writes_to_group(0.1)
    assert 0 < to_bmr(ours) < bounds.large(0.1)
    copied = rival["merges"]["copied_pages"] / groups
    assert copied > bounds.in_use(0.1) * bounds.BLOCK_PAGES - bounds.writes_to_group(0.1)
    assert ours["gc"]["runs"] == 0, "no write waits for GC"


def test_a_change_of_means_can_be_read_as_the_mean_of_changes():
    def run(response):
        return Result({"ftl": "x", "response_us": {"mean": response}})

    runs = Runs(
        {
            (f"cello99/{volume}", ftl): run(response)
            for volume, ftl, response in (
                (0, "cachftl", 50.0),
                (0, "page", 100.0),
                (1, "cachftl", 2000.0),
                (1, "page", 1000.0),
            )
        }
    )
    claim = Claim("X", "", "", [Change("", 0.25, against("response_us.mean", "cello99", "page"))])
    assert judge(claim, runs).findings[0].ours == "+86.4 %"
    assert judge(otherwise(claim, middle=fmean), runs).findings[0].ours == "+25.0 %"


def settings_of_a_volume(fewest: float) -> Runs:
    """Return runs of all settings of CACH-FTL and of its rivals, which erase 100 blocks.

    CACH-FTL is fastest at 5 % and threshold 1, and erases least at 10 % and threshold 2: `fewest`.
    """

    def run(response, erased):
        return Result(
            {
                "ftl": "x",
                "response_us": {"mean": response},
                "flash": {"erases": {"data": erased, "log": 0}},
            }
        )

    found = {
        ("cachftl", str(spare), str(each)): run(1000.0 + spare + each, 200)
        for spare in SPARES
        for each in THRESHOLDS
    }
    found["cachftl", "10", "2"] = run(1500.0, fewest)
    rivals = [*(("fast", str(spare)) for spare in SPARES), ("block-optimized", "start")]
    found |= dict.fromkeys(rivals, run(2000.0, 100))
    return Runs({("cello99/0", *key): result for key, result in found.items()})


def test_the_best_setting_can_be_that_of_fewest_erases():
    runs = settings_of_a_volume(50)
    assert best(runs, "cello99/0", "cachftl") == ("cello99/0", "cachftl", "5", "1")
    assert sparing(runs, "cello99/0", "cachftl") == ("cello99/0", "cachftl", "10", "2")
    term = against(erases, "cello99", "fast", best)
    claim = Claim("X", "", "", [Change("", -0.5, term)])
    assert judge(claim, runs).findings[0].ours == "+100.0 %"
    assert judge(otherwise(claim, choice=sparing), runs).findings[0].ours == "-50.0 %"


@pytest.mark.parametrize(
    ("fewest", "verdict"), [(100, Verdict.AGREES), (101, Verdict.DIFFERS)], ids=["as few", "more"]
)
def test_no_rival_may_erase_less_than_the_setting_that_erases_least(fewest, verdict):
    (claim,) = (replace(each, why=None) for each in CLAIMS if each.id == "C31")
    assert judge(claim, settings_of_a_volume(fewest)).verdict is verdict


def test_dftl_has_equal_ram_with_and_without_its_cache(tmp_path):
    inputs = prepare(sources(WORKLOADS, None, 400), tmp_path)
    found = points(inputs)
    assert {FIN, FOLD, TPCH} < {key[0] for key in found}
    assert (PREFIX_LOOP, "page") not in found, "there is no real trace"
    for workload in (FIN, FOLD, TPCH):
        config = found[workload, "dftl", CACHED].resolved
        pages = config["device"]["capacity"] // PAGE
        directory = 4 * pages // 512
        used = config["buffer"]["size"] + config["ftl"]["cache"] + directory
        assert used == 4 * pages, "as much as the whole map"


def trace(path, gap_s, length, op, requests=1000):
    lines = (f"0,{8 * each},{length},{op},{each * gap_s}\n" for each in range(requests))
    path.write_text("".join(lines))
    return Source(Workload("", ()), path, None)


def test_financial_is_the_volume_nearest_to_its_row(tmp_path):
    near = trace(tmp_path / "near.spc", 0.15, 4096, "w")
    far = trace(tmp_path / "far.spc", 0.008, 4096, "w")
    reads = trace(tmp_path / "reads.spc", 0.1335, 4096, "r")
    few = trace(tmp_path / "few.spc", 0.1335, 4096, "w", requests=10)
    assert row(near) == Row(pytest.approx(150), 1.0, 4.0, pytest.approx(0.999, abs=0.002))
    assert FINANCIAL.distance(FINANCIAL) == 0
    volumes = {"few": few, "far": far, "reads": reads, "near": near}
    assert list(by_distance(volumes)) == ["near", "reads", "far"], "few are no workload"


def test_a_prefix_is_looped_with_a_mean_gap_between_its_rounds(tmp_path):
    text = "0,16,4096,w,0.0\n0,0,512,r,0.5\n0,8,1024,w,2.0\n"
    (tmp_path / BEGINNING).write_text(text)
    inputs = sources(WORKLOADS, tmp_path, None)
    path = looped(inputs[WORKLOADS[-1].name].config, 2, [], tmp_path)
    columns = read_trace(str(path)).to_numpy()
    assert columns["offset"].tolist() == [8192, 0, 4096] * 2
    assert columns["op"].tolist() == [1, 0, 1] * 2
    assert (columns["time_ns"] / 1e9).tolist() == [0, 0.5, 2, 3, 3.5, 5]


def test_every_claim_has_a_row_of_its_own():
    names = [claim.id for claim in cachftl.EXPERIMENT.claims]
    assert sorted(names, key=lambda name: (name[0] != "C", int(name[1:]))) == [
        *(f"C{number}" for number in range(1, 32)),
        *(f"A{number}" for number in range(1, 11)),
    ]
    names = [claim.id for claim in dftl.EXPERIMENT.claims]
    assert names == ["J1", "J2", "J3", "J4", "J5", "O1", "O2"]


@pytest.mark.long
@pytest.mark.parametrize("paper", ["cachftl", "dftl"])
def test_the_report_is_complete(paper, monkeypatch, ftlab):
    monkeypatch.setattr(import_module("ftlab.cli.reproduce"), "QUICK_REQUESTS", 400)
    for module in ("points", "quantities", "parts"):
        few = import_module(f"ftlab_papers.cachftl.{module}")
        monkeypatch.setattr(few, "THRESHOLDS", (1, 4, 32))
    lines = (f"0,{8 * (each % 37)},4096,{'rw'[each % 2]},{each}\n" for each in range(400))
    Path(BEGINNING).write_text("".join(lines))
    done = ftlab("reproduce", paper, "--quick", "--traces", ".")
    assert done.exit_code == 0, done.output
    rows = json.loads(Path("ftlab-reproduce", paper, "claims.json").read_text("utf-8"))
    claims = (cachftl if paper == "cachftl" else dftl).EXPERIMENT.claims
    assert [row["id"] for row in rows] == [claim.id for claim in claims]
    report = Path("ftlab-reproduce", paper, "report.md").read_text("utf-8")
    assert {"cachftl": "## The real beginning", "dftl": "| prefix |"}[paper] in report
