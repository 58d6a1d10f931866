"""What traces are like, and how alike two are."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

import ftlab as package
from ftlab import distances
from ftlab.plot_traces import small_multiples
from ftlab.record import Record
from ftlab.style import image

DOCS = Path(__file__).parent.parent / "docs"
SMALL = package.Workload("zipf", bs="4k", size="4MiB", requests=3000, read_share=0.5)
UNIFORM = package.Workload("randrw", bs="8k", size="8MiB", requests=4000, interarrival="2ms")


@pytest.fixture(scope="module")
def found() -> package.TraceComparison:
    return package.compare_traces(SMALL, UNIFORM)


def test_every_figure_of_a_trace_is_documented():
    words = set(re.findall(r"[a-z0-9_]+", (DOCS / "traces.md").read_text("utf-8")))

    def names(record):
        for key, value in record.items():
            yield key
            if isinstance(value, Mapping):
                yield from names(value)

    new = set(names(SMALL.characteristics())) - set(SMALL.info())
    assert len(new) > 40
    assert new <= words


def test_characteristics_extend_the_statistics():
    info, full = SMALL.info(), SMALL.characteristics()
    assert {key: full[key] for key in info} == dict(info)
    assert full.page_accesses == 3000
    assert full.footprint.pages == full.unique_pages_4k == full.miss_ratio_curve.cache_pages[-1]
    assert full.miss_ratio_curve.miss_ratio[-1] == pytest.approx(full.footprint.pages / 3000)
    assert SMALL.characteristics(page="8KiB").footprint.pages < full.footprint.pages


def test_a_trace_is_like_itself():
    same = package.compare_traces(SMALL, SMALL)
    assert set(same.distances.values()) == {0.0}
    assert same.a.to_dict() == same.b.to_dict()


def test_different_traces_differ_and_run_on_one_device(found):
    assert found.distances.miss_ratio_max_points > found.distances.miss_ratio_mean_points > 5
    assert found.distances.size_ks == 1.0
    assert found.run.device.capacity == 64 << 20
    assert found.run.run.warmup == "footprint"
    for side in (found.a, found.b):
        assert set(side.ftls) == {"dftl", "tpftl"}
        assert 0 < side.ftls.dftl.hit_ratio <= 1
        assert side.ftls.tpftl.write_amplification >= 1


def test_distances_of_distributions_are_those_of_kolmogorov_and_smirnov():
    a = {"value": [1, 2, 4], "fraction": [0.25, 0.5, 1.0]}
    b = {"value": [2, 3], "fraction": [0.9, 1.0]}
    assert distances._ks(a, b) == 0.5
    assert distances._ks(a, a) == 0.0
    assert distances._ks(a, None) is None


def test_miss_ratio_curves_of_different_lengths_are_compared_over_the_longer():
    a = Record({"cache_pages": [1, 2], "miss_ratio": [0.5, 0.5]})
    b = Record({"cache_pages": [1, 2, 1000], "miss_ratio": [0.4, 0.4, 0.4]})
    mean, largest = distances._between_curves(a, b)
    assert (mean, largest) == (pytest.approx(10), pytest.approx(10))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_figure_has_the_same_bytes_each_time(found, kind):
    first, second = (image(found.plot(), kind) for _ in "12")
    assert first == second
    single = image(small_multiples([found["a"]], ["A"]), kind)
    assert single != first


def test_a_trace_of_one_request_can_be_drawn():
    one = package.Workload("randwrite", bs="4k", size="4MiB", requests=1).characteristics()
    assert one.arrivals is None
    assert image(small_multiples([one], ["one"])).startswith(b"<?xml")


def test_a_sampled_trace_says_so_in_the_figure(found):
    sampled = Record({**found.a.to_dict(), "pages_per_sample": 4})
    texts = [text.get_text() for text in small_multiples([sampled], ["x"]).texts]
    assert any("one of 4 pages" in text for text in texts)


def test_trace_info_in_full(ftlab, trace):
    text = ftlab("trace", "info", trace, "--full")
    assert text.exit_code == 0, text.output
    for part in ("sequential reads", "burstiness", "update interval", "miss ratio", "followed"):
        assert part in text.stdout
    done = ftlab("trace", "info", trace, "--page", "8k", "--plot", "a.svg", "-o", "a.json")
    assert done.exit_code == 0, done.output
    assert json.loads(Path("a.json").read_text())["page_bytes"] == 8192
    assert sorted(os.listdir()) == ["a.json", "a.svg"]


@pytest.mark.long
def test_two_parts_of_a_trace_are_compared(ftlab, trace):
    result = ftlab(
        "trace", "compare", trace, trace, "--skip", "0,30", "--requests", "20,10", "--json"
    )
    figures = json.loads(result.stdout)
    assert (figures["a"]["requests"], figures["b"]["requests"]) == (20, 10)
    assert figures["b"]["duration_s"] == pytest.approx(0.09)
    table = ftlab("trace", "compare", trace, trace, "--ftl", "none", "--plot", "a.html")
    assert "LRU miss-ratio curves" in table.stdout
    assert "dftl" not in table.stdout
    assert Path("a.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--skip", "40"), "--skip: found 40, expected less than the input's 40 requests"),
        (("--skip", "1,2,3"), "--skip: found 1,2,3, expected one value, or two as A,B"),
        (("--requests", "0"), "0"),
        (("--ftl", "tpftll"), "tpftl"),
    ],
)
def test_mistakes_are_told_in_one_line(ftlab, trace, options, part):
    result = ftlab("trace", "compare", trace, trace, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert part in line


def test_a_run_can_leave_out_the_first_requests(ftlab, trace):
    assert package.read_trace(trace, skip=30).info().requests == 10
    done = ftlab("run", trace, "--skip", "30", "--requests", "5", "--ftl", "page", "--json")
    assert json.loads(done.stdout)["host"]["requests"] == 5
