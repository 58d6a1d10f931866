"""How sure a figure is: means with deviations, how many runs they are of, and of what."""

import csv
import io
import json
from pathlib import Path

import pytest

import ftlab as package
from ftlab.report.difference import Measured, winners
from ftlab.report.summary import comparison_table
from ftlab.seeds import NO_EFFECT
from ftlab.spread import axes, parts
from test_cli import failure

SMALL = ("--capacity", "4MiB", "--pages-per-block", "16")
WRITES = "--workload=randwrite,bs=4k,size=4MiB,requests=1500"
TRACE = "".join(
    f"0,{n * n * 31 % (500 + n // 6) * 8},4096,{'RW'[n % 3 > 0]},{n / 100:.6f}\n"
    for n in range(3000)
)
SWEPT = ("--ftl", "dftl,tpftl", "--cache", "2KiB,4KiB")


@pytest.fixture
def recorded(ftlab):
    Path("t.spc").write_text(TRACE)
    return "t.spc"


def test_parts_are_equal_pieces_on_the_device_of_the_whole(recorded):
    cuts = parts({"input": {"trace": recorded}}, 4)
    assert [cut["input"] for cut in cuts] == [
        {"skip": 750 * at, "requests": 750} for at in range(4)
    ]
    (capacity,) = {cut["device"]["capacity"] for cut in cuts}
    whole = package.simulate(recorded)
    assert capacity == whole.device.capacity_bytes
    given = parts({"input": {"trace": recorded}, "device": {"capacity": "4MiB"}}, 2)
    assert all("device" not in cut for cut in given)


@pytest.mark.long
def test_parts_of_a_recorded_trace_have_a_deviation_where_seeds_have_none(ftlab, recorded):
    seeds = ftlab("compare", recorded, *SMALL, "--ftl", "page,dftl", "--seeds", 3)
    assert "seed changes nothing" in seeds.stderr and "--parts 10" in NO_EFFECT
    result = ftlab("compare", recorded, *SMALL, "--ftl", "page,dftl", "--parts", 5)
    assert result.exit_code == 0, result.output
    assert "Mean ± standard deviation of 5 parts of the input with 600 requests each." in (
        result.stdout
    )
    row = next(line for line in result.stdout.splitlines() if line.startswith("mean response"))
    assert row.count("±") == 1, "each part has as many writes, which is all that page needs"


def test_each_part_is_the_run_of_its_requests(ftlab, recorded):
    both = json.loads(
        ftlab("compare", recorded, *SMALL, "--ftl", "dftl", "--parts", 2, "--json").stdout
    )
    alone = ["run", recorded, *SMALL, "--ftl", "dftl", "--skip", 1500, "--requests", 1500]
    again = json.loads(ftlab(*alone, "--json").stdout)
    assert {**both[1], "speed": None} == {**again, "speed": None}


@pytest.mark.long
def test_what_a_deviation_is_of_is_said_in_every_form(ftlab, recorded):
    runs = ("compare", WRITES, *SMALL, "--ftl", "page,dftl", "--seeds", 3)
    told = "3 seeds of the workload"
    assert told in ftlab(*runs).stdout
    for form in ("md", "tex", "txt"):
        ftlab(*runs, "-o", f"r.{form}")
        text = Path(f"r.{form}").read_text()
        assert told in text and "±" in text
    ftlab(*runs, "--report", "r.html")
    assert told in Path("r.html").read_text()
    warm = ("compare", recorded, *SMALL, "--ftl", "dftl", "--warmup", "random:1", "--seeds", 2)
    assert "2 seeds of the warm-up, on one recorded trace" in ftlab(*warm).stdout


def test_differences_of_parts_count_and_not_their_levels():
    low, high = Measured.of([1.0, 10.0, 100.0], True), Measured.of([1.1, 11.0, 111.0], True)
    assert winners([low, high], "lower") == []
    steady = Measured.of([2.0, 11.0, 101.0], True)
    assert winners([low, steady], "lower") == [0], "always 1 more, whatever the part"
    assert winners([Measured.of(low.parts), Measured.of(steady.parts)], "lower") == []


def test_python_runs_parts(recorded):
    found = package.compare(recorded, ["page", "dftl"], parts=3)
    assert [len(runs) for runs in found.runs] == [3, 3]
    assert "±" in comparison_table(found).text()
    with pytest.raises(package.ConfigError, match="expected one of both"):
        package.compare(recorded, ["page"], parts=3, seeds=2)


def test_what_cannot_be_cut_is_told(ftlab, recorded):
    told = failure(ftlab("compare", WRITES, *SMALL, "--ftl", "page", "--parts", 3))
    assert "use several seeds" in told
    assert "expected 2 to" in failure(ftlab("compare", recorded, "--parts", 1))


def test_results_have_a_row_for_each_point_with_n(ftlab):
    swept = ftlab("sweep", WRITES, *SMALL, *SWEPT, "--seeds", 3, "--results", "kept")
    assert swept.exit_code == 0, swept.output
    for shown in (swept, ftlab("results", "kept")):
        rows = [line for line in shown.stdout.splitlines() if "KiB" in line and "±" in line]
        assert len(rows) == 4
        assert "3 seeds of the workload" in shown.stdout
        assert "run.seed" not in shown.stdout
    each = ftlab("results", "kept", "--each").stdout
    assert "run.seed" in each and "±" not in each
    for form in ("md", "tex"):
        ftlab("results", "kept", "-o", f"r.{form}")
        assert "3 seeds of the workload" in Path(f"r.{form}").read_text()
    rows = list(csv.DictReader(io.StringIO(ftlab("results", "kept", "--csv", "--means").stdout)))
    each = list(csv.DictReader(io.StringIO(ftlab("results", "kept", "--csv").stdout)))
    assert (len(rows), len(each)) == (4, 12)
    name = "response_us.mean"
    values = [float(row[name]) for row in each if row["ftl"] == "dftl"][:3]
    found = Measured.of(values)
    assert float(rows[0][name]) == pytest.approx(found.mean, rel=1e-12)
    assert float(rows[0][f"{name}.sd"]) == pytest.approx(found.deviation, rel=1e-12)
    assert rows[0]["n"] == "3"


def test_runs_that_failed_for_one_reason_are_one_row(ftlab):
    asked = ("--ftl", "dftl", "--cache", "4,2KiB", "--seeds", 3, "--results", "kept")
    rows = ftlab("sweep", WRITES, *SMALL, *asked).stdout.splitlines()
    assert [row.split()[1:3] for row in rows[1:3]] == [["4B", "3"], ["2KiB", "3"]]
    assert rows[1].count("failed") > 1 and "failed" not in rows[2]
    each = ftlab("results", "kept", "--each").stdout.splitlines()
    assert len([row for row in each if " 4B " in row]) == 3


@pytest.mark.long
def test_a_sweep_over_parts_is_drawn_with_whiskers(ftlab, recorded):
    swept = ftlab("sweep", recorded, *SMALL, *SWEPT, "--parts", 3, "--results", "kept")
    assert swept.exit_code == 0, swept.output
    assert "3 parts of the input with 1,000 requests each" in swept.stdout
    drawn = ["plot", "kept", "--x", "ftl.cache", "--y", "mapping.hit_ratio", "-o", "p.svg"]
    told = ftlab(*drawn)
    assert "Whiskers: mean ± standard deviation of 3 parts" in told.stdout
    assert Path("p.svg").read_text().count(">TPFTL<") == 1, "one line, not one for each part"


@pytest.mark.long
def test_parts_of_traces_of_unequal_length_are_groups_of_their_own(ftlab, recorded):
    Path("u.spc").write_text("".join(TRACE.splitlines(keepends=True)[:2100]))
    traces = (recorded, "u.spc")
    swept = ftlab("sweep", *traces, *SMALL, "--ftl", "dftl", "--parts", 3, "--results", "kept")
    assert swept.exit_code == 0, swept.output
    rows = [line for line in swept.stdout.splitlines() if "±" in line and line.startswith("DFTL")]
    assert len(rows) == 2 and "input.skip" not in swept.stdout
    for size in ("1,000", "700"):
        assert f"3 parts of the input with {size} requests each" in swept.stdout


@pytest.mark.parametrize(
    "inputs, expected",
    [
        ([{"skip": 0, "requests": 5}, {"skip": 5, "requests": 5}], ["run.seed", "input.skip"]),
        ([{"requests": 5}, {"skip": 10, "requests": 5}], ["run.seed", "input.skip"]),
        ([{"skip": 0, "requests": 5}, {"skip": 3, "requests": 5}], ["run.seed"]),
        ([{"skip": 0}, {"skip": 5}], ["run.seed"]),
        ([{"requests": 5}], ["run.seed"]),
        ([{}], ["run.seed"]),
        (
            [
                {"trace": trace, "skip": at * size, "requests": size}
                for trace, size in (("a", 5), ("b", 7))
                for at in (0, 1)
            ],
            ["run.seed", "input.skip"],
        ),
        (
            [{"trace": "a", "requests": 5}, {"trace": "b", "skip": 5, "requests": 5}],
            ["run.seed"],
        ),
    ],
)
def test_parts_are_known_by_their_settings(inputs, expected):
    assert axes([{"input": each} for each in inputs]) == expected


def test_a_column_of_a_metric_has_its_unit(ftlab):
    asked = ("--workload", "randread,bs=4k,size=4MiB,requests=300", "--ftl", "dftl")
    done = ftlab("sweep", *asked, "--cache", "1KiB", "--seeds", 2, "--results", "r")
    assert done.exit_code == 0, done.output
    columns = "service_us.mean,host.duration_s,service_us.p50"
    table = ftlab("results", "r", "--columns", columns).stdout
    row = table.splitlines()[1]
    assert " µs ± " in row and " ms ± " in row and "± 0 " not in row
    each = ftlab("results", "r", "--columns", "response_us.p90", "--each").stdout
    assert "µs" in each.splitlines()[1] or "ms" in each.splitlines()[1]
