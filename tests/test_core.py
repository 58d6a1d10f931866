"""The border to the core: what it returns has the promised names, types and lengths."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import ftlab
from ftlab import _core

WORKLOAD = ftlab.Workload("randrw", bs="4k", size="4MiB", requests=3000)
DEVICE = ftlab.Device(capacity="4MiB", pages_per_block=16, over_provisioning="20%")

FTLS = {ftl.name: ftl for ftl in ftlab.catalog().ftls}
SMALL = {"ftl": {"cache": "9KiB"}, "mnftl-hybrid": {"slc_blocks": 2}}


def absent_sections(ftl):
    """Return the sections of a result that are null for an FTL, by its row in the catalogue."""
    collects = "collects" in ftl.cleaning or any(each.section == "gc" for each in ftl.settings)
    merges = ftl.cleaning in ("merges", "rewrites and collects")
    there = {"gc": collects, "merges": merges, "mapping": ftl.map == "flash"}
    return {section for section, present in there.items() if not present}


@pytest.fixture(scope="module")
def results() -> ftlab.Comparison:
    return ftlab.compare(WORKLOAD, FTLS, DEVICE, warmup="footprint", seed=3, config=SMALL)


@pytest.mark.parametrize("name", FTLS)
def test_a_result_has_the_sections_of_its_ftl(results, name):
    sections = ("gc", "merges", "mapping")
    missing = {section for section in sections if results[name][section] is None}
    assert missing == absent_sections(FTLS[name])


def test_the_books_balance(results):
    for result in results:
        assert result.seed == 3
        assert result.host.requests == result.host.reads + result.host.writes == 3000
        written = sum([*result.flash.programs.values(), *result.flash.copybacks.values()])
        assert result.write_amplification == pytest.approx(written / result.host.page_writes)
        assert result.checks.violations == 0


def test_a_warm_up_says_what_it_did(results):
    assert results[0].warmup.requests == 3000
    assert results[0].warmup.windows is None
    steady = ftlab.simulate(WORKLOAD, "tpftl", DEVICE, warmup="steady:10%").warmup
    assert steady.mode == "steady:10%"
    assert steady.steady is True
    assert len(steady.windows) >= 5
    assert steady.spread <= 0.1


def test_only_ftls_with_their_map_on_flash_have_a_hit_ratio(results):
    ratios = {each.ftl: each.find("mapping.hit_ratio") for each in results}
    assert {name for name, ratio in ratios.items() if ratio is not None} == {
        name for name, ftl in FTLS.items() if ftl.map == "flash"
    }
    assert all(0 <= ratio <= 1 for ratio in ratios.values() if ratio is not None)


def test_space_utilisation_is_that_of_dftl_as_in_figure_10():
    layers = [each(cache="1KiB") for each in (ftlab.DFTL, ftlab.TPFTL, ftlab.TPFTLAdaptive)]
    found = ftlab.compare(WORKLOAD, layers, DEVICE, warmup="footprint", seed=3)
    used = {each.ftl: each.mapping.space_utilization for each in found}
    assert used["dftl"] == 1, "a full cache"
    for name in ("tpftl", "tpftl-adaptive"):
        assert 0.75 * 8 / 6 < used[name] <= 8 / 6


def test_distributions_rise_to_one(results):
    for result in results:
        points = result.distributions.response_us
        assert len(points.value) == len(points.fraction) > 0
        assert points.value == sorted(points.value)
        assert points.fraction == sorted(points.fraction)
        assert points.fraction[-1] == pytest.approx(1)


def test_the_timeline_is_short_and_even(results):
    for result in results:
        columns = {name: of for name, of in result.timeline.items() if "by_class" not in name}
        assert len(columns) == len(result.timeline) - 2
        lengths = {len(series) for series in columns.values()}
        assert len(lengths) == 1
        assert 0 < lengths.pop() <= 500


def test_columns_are_arrays_of_one_length(trace):
    columns = ftlab.read_trace(trace).to_numpy()
    assert set(columns) == {"time_ns", "volume", "offset", "length", "op"}
    assert {len(column) for column in columns.values()} == {40}
    assert columns["length"].sum() == 40 * 4096
    assert np.all(np.diff(columns["time_ns"].astype(np.int64)) == 10_000_000)
    assert list(columns["op"][:4]) == [0, 1, 0, 1]


def test_columns_can_be_cut_and_framed(trace):
    assert len(ftlab.read_trace(trace).to_pandas(limit=7)) == 7


def test_a_trace_tells_what_is_in_it(trace):
    info = ftlab.read_trace(trace).info()
    assert info.requests == 40
    assert info.format == "spc"


@pytest.mark.long
def test_progress_reports_a_phase_and_a_share():
    calls = []
    many = ftlab.Workload("randwrite", bs="4k", size="4MiB", requests=2_000_000)
    ftlab.simulate(many, "page", DEVICE, progress=lambda *call: calls.append(call))
    assert calls
    assert all(isinstance(phase, str) and requests >= 0 for phase, requests, _ in calls)
    assert all(share is None or 0 <= share <= 1 for _, _, share in calls)


def test_an_exception_in_the_callback_stops_the_run():
    def refuse(*_):
        raise RuntimeError("enough")

    many = ftlab.Workload("randwrite", bs="4k", size="4MiB", requests=200_000_000)
    with pytest.raises(RuntimeError, match="enough"):
        ftlab.simulate(many, "page", DEVICE, progress=refuse)


def test_resolving_fills_in_the_defaults():
    config = json.loads(_core.resolve(json.dumps(WORKLOAD.config())))
    assert config["device"]["page"]
    assert config["run"]["seed"] is not None


@pytest.mark.parametrize(
    ("call", "error", "part"),
    [
        (lambda: ftlab.simulate(WORKLOAD, "tpftll", DEVICE), ftlab.ConfigError, "tpftl"),
        (
            lambda: ftlab.simulate(WORKLOAD, ftlab.KAST(associativity=0)),
            ftlab.ConfigError,
            "kast.a",
        ),
        (lambda: ftlab.simulate("no.spc", "page", DEVICE), ftlab.TraceError, "no.spc"),
        (lambda: ftlab.simulate(WORKLOAD, gc="greedily", device=DEVICE), ftlab.ConfigError, "gre"),
        (lambda: _core.simulate([("{", "page")]), ftlab.ConfigError, ""),
    ],
)
def test_a_mistake_is_an_exception_of_one_line(call, error, part):
    with pytest.raises(error) as caught:
        call()
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_real_trace_runs_on_every_layer():
    folder = os.environ.get("FTLAB_TRACES")
    if folder is None:
        assert "FTLAB_TRACES_REQUIRED" not in os.environ
        pytest.skip("set FTLAB_TRACES to the folder of the real traces")
    path = Path(folder) / "Financial1.first50002.DERIVED-noasu.spc.zst"
    for result in ftlab.compare(ftlab.read_trace(path), FTLS, warmup="footprint"):
        assert result.host.requests == 50_002
        assert result.checks.violations == 0
