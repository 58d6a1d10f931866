"""Filters, names and sizes as people type them."""

import json

import pytest

import ftlab as package
from ftlab.shares import share_of
from test_cli import failure

INPUT = ("financial1", "--requests", "2k", "--preset", "tpftl-eurosys15")
WHOLE = 512 << 20
MAP_BYTES = WHOLE // 4096 * 8


@pytest.mark.parametrize(
    "typed, share", [("1/128", 1 / 128), ("1%", 0.01), ("12.5 %", 0.125), ("1 / 2", 0.5)]
)
def test_a_cache_may_be_a_share_of_the_whole_map(ftlab, typed, share):
    asked = ("run", *INPUT, "--ftl", "dftl", "--capacity", "512MiB")
    result = json.loads(ftlab(*asked, "--cache", typed, "--json").stdout)
    assert result["config"]["ftl"]["cache"] == round(share * MAP_BYTES)
    assert share_of(typed) == pytest.approx(share)


def test_the_share_of_the_papers_is_their_size(ftlab):
    asked = ("run", *INPUT, "--ftl", "tpftl", "--capacity", "512MiB", "--json", "--cache")
    both = [json.loads(ftlab(*asked, cache).stdout) for cache in ("1/128", "8KiB")]
    assert {**both[0], "speed": None} == {**both[1], "speed": None}


def test_a_share_is_of_the_device_that_the_trace_needs():
    trace = package.profile("financial1", requests=2000)
    result = package.simulate(trace, package.Ftl("dftl", "1/64"))
    pages = result.device.capacity_bytes // result.config.device.page
    # The device rounds each volume up to blocks.
    assert result.config.ftl.cache == pytest.approx(pages * 8 / 64, rel=0.01)


def test_shares_are_swept_and_drawn(ftlab):
    swept = ftlab("sweep", *INPUT, "--ftl", "dftl", "--cache", "1/128,1/64,1%", "--json")
    assert swept.exit_code == 0, swept.output
    caches = {each["result"]["config"]["ftl"]["cache"] for each in json.loads(swept.stdout)}
    assert len(caches) == 3
    assert "1/128" in ftlab("results", "ftlab-results").stdout
    drawn = ftlab(
        "plot", "ftlab-results", "--x", "FTL.Cache", "--y", "mapping.hit_ratio", "-o", "a.svg"
    )
    assert drawn.exit_code == 0, drawn.output


@pytest.mark.parametrize("typed", ["3/2", "0%", "1/0", "120%"])
def test_what_is_no_share_is_told(ftlab, typed):
    told = failure(ftlab("run", *INPUT, "--ftl", "dftl", "--cache", typed))
    assert f"--cache: found {typed}, expected a share of the map up to 1" in told


def test_filters_take_percent_and_names_in_any_case(ftlab):
    ftlab("sweep", *INPUT, "--ftl", "dftl,tpftl", "--cache", "1KiB,2KiB", "--results", "kept")
    for condition in ("ftl = TPFTL", "FTL = tpftl", "ftl=Tpftl"):
        rows = json.loads(ftlab("results", "kept", "--where", condition, "--json").stdout)
        assert [row["result"]["ftl"] for row in rows] == ["tpftl"] * 2
    ratios = [row["result"]["mapping"]["hit_ratio"] for row in rows]
    percent = f"{50 * sum(ratios):.6f}%"
    kept = json.loads(
        ftlab("results", "kept", "--where", f"Mapping.hit_ratio > {percent}", "--json").stdout
    )
    assert all(row["result"]["mapping"]["hit_ratio"] > sum(ratios) / 2 for row in kept)
    assert 0 < len(kept) < 4
    shown = ftlab("results", "kept", "--columns", "MAPPING.Hit_Ratio,Gc.runs")
    assert shown.exit_code == 0 and "mapping hit ratio" in shown.stdout


def test_filters_take_units_of_metrics_and_the_names_of_columns(ftlab):
    ftlab("sweep", *INPUT, "--ftl", "page,dftl,tpftl", "--cache", "1KiB,2KiB", "--results", "kept")
    every = json.loads(ftlab("results", "kept", "--json").stdout)
    runs = [package.Result(each["result"]) for each in every]
    mean = sorted(run.response_us.mean for run in runs)[2] + 0.01
    for condition, wanted in {
        f"response_us.mean < {mean:.3f}": 3,
        f"response_us.mean < {mean:.3f}us": 3,
        f"response_us.mean < {mean / 1000:.6f} ms": 3,
        f"Mean response < {mean:.3f} µs": 3,
        "mapping hit ratio > 0%": 4,
        "mapping.hit_ratio <= 1": 4,
        "host.duration_s > 1m": 0,
        "host.duration_s < 1h": 5,
        "ram_bytes > 100KiB": 1,
        "flash.erases < 1k": 5,
        "write amplification < 1000x": 5,
        "ftl.cache >= 2 KiB": 3,
        "warnings = none at all": 0,
    }.items():
        done = ftlab("results", "kept", "--where", condition, "--json")
        assert done.exit_code == 0, done.output
        assert len(json.loads(done.stdout)) == wanted, condition
    told = failure(ftlab("results", "kept", "--where", "response_us.mean < 5 parsecs"))
    assert told == "error: found 5 parsecs, expected a time to compare with"
    told = failure(ftlab("results", "kept", "--where", "ftl.cache < 2kB"))
    assert told == "error: found 2kB, expected a size to compare with such as 16KiB"


def test_a_run_that_failed_meets_no_condition_on_a_metric(ftlab):
    ftlab("sweep", *INPUT, "--ftl", "dftl", "--cache", "4,2KiB", "--results", "kept")
    where = ("results", "kept", "--json", "--where")
    assert len(json.loads(ftlab(*where, "mapping.hit_ratio > 1%").stdout)) == 1
    assert len(json.loads(ftlab(*where, "ftl = dftl").stdout)) == 2


@pytest.mark.parametrize(
    "verb",
    [
        ("run", "--ftl", "page"),
        ("explain",),
        ("trace", "info"),
        ("trace", "curve"),
        ("load", "--depths", "1", "--loads", "50%"),
    ],
)
def test_counts_are_typed_with_their_thousands(ftlab, verb):
    first = 2 if verb[0] == "trace" else 1
    result = ftlab(*verb[:first], "financial1", "--requests", "0.5k", *verb[first:])
    assert result.exit_code == 0, result.output
