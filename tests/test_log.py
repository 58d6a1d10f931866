"""The log of requests and what it is for: the tail of response times and what was waited for."""

import json
from pathlib import Path

import pytest

import ftlab as package
from ftlab.report.causes import PARTS, spent
from test_cli import failure

INPUT = ("financial1", "--requests", "5k", "--preset", "tpftl-eurosys15", "--warmup", "random:1")


def test_a_run_writes_a_log_and_is_what_it_is_without(ftlab):
    logged = ftlab("run", *INPUT, "--ftl", "tpftl", "--log", "requests.parquet", "--json")
    assert logged.exit_code == 0, logged.output
    content = Path("requests.parquet").read_bytes()
    assert content[:4] == content[-4:] == b"PAR1"
    plain = ftlab("run", *INPUT, "--ftl", "tpftl", "--set", "run.causes=true", "--json")
    both = [{**json.loads(each.stdout), "speed": None} for each in (logged, plain)]
    assert both[0] == both[1]


def test_a_log_adds_up_to_the_result(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "requests.parquet"
    trace = package.profile("financial1", requests=5000)
    result = package.simulate(trace, "tpftl", preset="tpftl-eurosys15", log=path)
    frame = parquet.read_table(path).to_pandas()
    response = (frame.end_ns - frame.arrival_ns) / 1e3
    assert len(frame) == 5000
    assert response.mean() == pytest.approx(result.response_us.mean, rel=1e-12)
    assert response.quantile(0.99) == pytest.approx(result.response_us.p99, rel=0.02)
    parts = frame[[name for name in frame if name.startswith("wait_us.")]]
    waits = (frame.start_ns - frame.arrival_ns) / 1e3
    assert (parts.sum(axis=1) - waits).abs().max() < 1e-6


@pytest.mark.long
def test_the_slowest_requests_say_what_they_waited_for(ftlab):
    shown = ftlab("run", *INPUT, "--ftl", "tpftl", "--slowest").stdout
    lines = shown[shown.index("slowest requests") :].splitlines()[1:11]
    result = json.loads(ftlab("run", *INPUT, "--ftl", "tpftl", "--slowest", "--json").stdout)
    slowest = result["causes"]["slowest"]
    assert len(slowest) == 10 and slowest[0]["response_us"] == result["response_us"]["max"]
    for line, each in zip(lines, slowest, strict=True):
        assert f"{each['op']} {each['request']}" in line and "waits for" in line
        waits, service = sum(each["wait_us"].values()), sum(each["service_us"].values())
        assert waits + service == pytest.approx(each["response_us"], rel=1e-9)
    times = [each["response_us"] for each in slowest]
    assert times == sorted(times, reverse=True)
    explained = ftlab("explain", *INPUT, "--ftl", "dftl,tpftl").stdout
    assert "slowest request of TPFTL: " in explained


def test_a_time_is_told_by_its_largest_parts():
    parts = {"host.reads": 25.0, "erases": 1500.0, "gc_data.programs": 400.0, "other": 5.0}
    told = spent(parts)
    assert told.startswith(f"{PARTS['erases']} 1.500 ms, ") and told.endswith("others 5.000 µs")
    assert spent({}) == ""


def test_the_tail_is_drawn_on_logarithmic_axes():
    trace = package.profile("financial1", requests=5000)
    found = package.compare(trace, ["dftl", "tpftl"], preset="tpftl-eurosys15")
    (axes,) = found.plot.panel("tail").axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    for line in axes.lines:
        shares = list(line.get_ydata())
        assert shares == sorted(shares, reverse=True)
        rare = [share for share in shares if 1e-3 <= share <= 1e-2 * 1.0001]
        assert len(rare) >= 20, "points of a decade"
        assert shares[-1] >= 0.9 / 5000, "no share is less than one request"


def test_the_last_percentile_needs_enough_requests():
    few = package.profile("financial1", requests=5000)
    assert package.simulate(few).response_us.p9999 is None
    times = package.simulate(package.profile("financial1", requests=100_000)).response_us
    assert times.p999 <= times.p9999 <= times.max


def test_mistakes_are_told(ftlab):
    told = failure(ftlab("run", *INPUT, "--log", "requests.csv"))
    assert "--log requests.csv: the name must end in .parquet" in told
    trace = package.profile("financial1", requests=10)
    with pytest.raises(TypeError, match="expected one of both"):
        package.simulate(trace, log="a.parquet", frames=print)
    assert not Path("a.parquet").exists()
