"""The border to the core: what it returns has the promised names, types and lengths."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import ftlab
import sample
from ftlab import _core
from ftlab.report.summary import HEADLINES

WORKLOAD = ftlab.Workload("randrw", bs="4k", size="4MiB", requests=3000)
DEVICE = ftlab.Device(capacity="4MiB", pages_per_block=16, over_provisioning="20%")
SECTIONS = {
    "device": "capacity_bytes blocks logical_blocks planes program_order cell "
    "effective_spare_ratio",
    "warmup": "mode requests host_page_writes block_erases passes window_page_writes windows "
    "spread drift steady",
    "host": "requests reads writes trims flushes writes_through page_reads page_writes page_trims "
    "unwritten_page_reads bytes_read bytes_written folded_requests cut_requests "
    "duration_s",
    "flash": "reads oob_reads programs copybacks erases wasted_pages",
    "mapping": "lookups hits hit_ratio replacements dirty_replacements gc_hit_ratio "
    "dirty_replacement_probability translation_reads translation_writes cached_entries "
    "cached_translation_pages space_utilization",
    "gc": "runs data_blocks translation_blocks copied_pages mean_valid_data "
    "mean_valid_translation background_runs",
    "merges": "switch partial full copied_pages",
    "response_us": "mean stddev p50 p90 p99 p999 p9999 max",
    "read_response_us": "mean stddev p50 p90 p99 p999 p9999 max",
    "write_response_us": "mean stddev p50 p90 p99 p999 p9999 max",
    "service_us": "mean stddev p50 p90 p99 p999 p9999 max",
    "planes": "requests sdrpp host_requests host_sdrpp busy_fraction",
    "channels": "busy_fraction",
    "wear": "erases_total erases_min erases_max erases_mean erases_stddev blocks_by_erases planes "
    "moved_blocks levelled_within",
    "ram_bytes": "tables cache buffer",
    "energy": "flash_j ram_j total_j nj_per_host_byte",
    "speed": "wall_s requests_per_s flash_ops_per_s trace_read_s",
    "checks": "reads_verified rules_checked violations",
}


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
def test_a_result_has_every_promised_figure(results, name):
    result = results[name]
    assert set(sample.result()) <= set(result)
    absent = absent_sections(FTLS[name])
    for section, keys in SECTIONS.items():
        if section in absent:
            assert result[section] is None, section
        else:
            assert set(keys.split()) <= set(result[section]), section


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
        lengths = {len(series) for series in result.timeline.values()}
        assert len(lengths) == 1
        assert 0 < lengths.pop() <= 500


def test_every_headline_that_the_catalogue_defines_agrees_with_it():
    metrics = {metric.name: metric for metric in ftlab.catalog().metrics}
    for figure in HEADLINES:
        if figure.path in metrics:
            assert figure.better == metrics[figure.path].better, figure.path


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
