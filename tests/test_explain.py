"""`ftlab explain`: the parts of two runs add up to their difference, and name what made it."""

import json
from pathlib import Path

import pytest

import ftlab as package
from ftlab.explain import moved_table, parts_of, sentence
from marks import long_but
from test_cli import failure

INPUT = ("financial1", "--requests", "20k", "--preset", "tpftl-eurosys15")
REQUESTS = 20_000
SOURCES = {
    "serial": {"preset": "tpftl-eurosys15", "warmup": "random:1"},
    "closed": {"preset": "tpftl-eurosys15", "host": "closed:8"},
    "parallel": {
        "preset": "onfi-tlc",
        "device": package.Device(capacity="8GiB", pages_per_block=32),
    },
    "buffer": {"preset": "tpftl-eurosys15", "buffer": package.Buffer(policy="lru", size="1MiB")},
}


def watched(ftl, **setup):
    trace = package.profile("financial1", requests=REQUESTS)
    return package.simulate(trace, ftl=ftl, run=package.Run(causes=True), **setup)


@pytest.mark.parametrize("name", long_but([*SOURCES][:1], SOURCES))
def test_parts_add_up_to_what_they_are_parts_of(name):
    first, second = watched("dftl", **SOURCES[name]), watched("tpftl", **SOURCES[name])
    parts = parts_of(first, second)
    for side, result in (("first", first), ("second", second)):
        service = sum(getattr(part, side) for part in parts if part.section == "service")
        assert service == pytest.approx(result.service_us.mean, rel=1e-9)
        response = sum(getattr(part, side) for part in parts)
        assert response == pytest.approx(result.response_us.mean, rel=1e-9)


def test_on_one_plane_service_is_counts_times_durations():
    result = watched("dftl", **SOURCES["serial"])
    service, flash = result.causes.service_us, result.flash
    for cause in ("host", "translation", "gc_data"):
        for kind, time in (("reads", 25), ("programs", 200)):
            part = service.get(f"{cause}.{kind}", 0.0)
            assert part * REQUESTS == pytest.approx(flash[kind][cause] * time, rel=1e-9)
    assert service.erases * REQUESTS == pytest.approx(1500 * sum(flash.erases.values()), rel=1e-9)
    assert result.causes.pauses > 0
    assert "other" not in service


def test_the_slower_run_and_the_largest_part_are_named(ftlab):
    result = ftlab("explain", *INPUT, "--plot", "bridge.svg")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert any(
        "longer for a request" in line and "translation page writes" in line for line in lines
    )
    assert lines.index(next(line for line in lines if line.startswith("service"))) < lines.index(
        next(line for line in lines if line.startswith("response"))
    )
    assert "<svg" in Path("bridge.svg").read_text()


def test_a_changed_setting_is_explained_by_the_figures_that_it_moves(ftlab):
    change = ("--ftl", "dftl", "--change", "ftl.cache=64KiB")
    tree = json.loads(ftlab("explain", *INPUT, *change, "--json").stdout)
    assert tree["runs"] == ["DFTL", "ftl.cache=64KiB"]
    written = [part for part in tree["parts"] if part["name"] == "translation.programs"]
    assert all(part["difference"] < 0 for part in written) and len(written) == 2
    assert "mapping.hit_ratio" in [row["metric"] for row in tree["moved"]]


def test_a_hit_ratio_counts_by_its_misses_and_own_metrics_are_kept():
    def run(hits, fetched):
        tree = {
            "mapping": {"hit_ratio": hits, **{f"m{at}": 100 + fetched * at for at in range(30)}},
            "own": {"tpftl.prefetched_entries": fetched},
        }
        return package.Result(tree)

    table = moved_table(["a", "b"], run(0.990, 100), run(0.987, 99))
    rows = {row[0]: row[1:] for row in table.rows}
    assert table.rows[0] == ["mapping.hit_ratio", "99.00 %", "98.70 %", "-0.30 points"]
    assert rows["own.tpftl.prefetched_entries"] == ["100", "99", "0.990 x"]
    assert len(rows) == 12 or len(rows) == 13


def test_the_runs_of_a_change_are_warned_of_by_their_names(ftlab):
    short = ("explain", "financial1", "--requests", "2k", "--preset", "tpftl-eurosys15")
    told = ftlab(*short, "--ftl", "tpftl", "--change", "ftl.cache=16KiB").stderr
    assert "warning: TPFTL, --cache=16KiB: GC never ran" in told


def test_equal_runs_have_nothing_to_explain():
    run = watched("dftl", preset="tpftl-eurosys15")
    parts = parts_of(run, run)
    assert "take equally long" in sentence(["a", "b"], parts)
    assert moved_table(["a", "b"], run, run).rows == []


def test_what_cannot_be_explained_is_said_in_a_line(ftlab):
    expected = "expected two FTLs, or one and --change KEY=VALUE"
    assert expected in failure(ftlab("explain", *INPUT, "--ftl", "dftl"))
    assert expected in failure(ftlab("explain", *INPUT, "--ftl", "dftl,tpftl,page"))
    assert expected in failure(ftlab("explain", *INPUT, "--change", "ftl.cache=64KiB"))
    unwatched = package.simulate(package.profile("financial1", requests=100), "page")
    with pytest.raises(package.ConfigError, match=r"run\.causes = true"):
        parts_of(unwatched, unwatched)
