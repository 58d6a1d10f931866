"""Metrics are declared once: results, the page of them and the tables have just these."""

import pytest

import ftlab
import sample
from ftlab.metrics import METRICS
from ftlab.report.numbers import unit_of
from ftlab.report.summary import HEADLINES, Figure

SECTIONS = {name.rpartition(".")[0] for name in METRICS} | {"distributions"}
KINDS = {"count": int, "number": float, "text": str, "switch": bool, "list": list, "object": dict}
SIZE = {"capacity": "4MiB", "pages_per_block": 16, "over_provisioning": "25%"}
LOOKS = {"causes": True, "samples": 100, "timeline": 20, "recovery": True}
BUFFERED = {"buffer": {"policy": "lru", "size": "64KiB"}, "host": {"mode": "closed:4"}}


def simulated(ftl, device=SIZE, fsync=None, **config):
    workload = ftlab.Workload("randrw", bs="4k", size="4MiB", requests=3000, fsync=fsync)
    return ftlab.simulate(workload, ftl, config={"device": device, **config}).to_dict()


@pytest.fixture(scope="module")
def results():
    """With them all, every section of a result and every metric is there at least once."""
    return [
        *(simulated(ftl, run=LOOKS | {"warmup": "steady:20%"}) for ftl in ("dftl", "fast", "page")),
        simulated("page", fsync=5, **BUFFERED),
        simulated("tpftl"),
        simulated("page:separation=handles", SIZE | {"pages_per_block": 8}),
        simulated("zones", SIZE),
        simulated("page", SIZE | {"endurance": 40, "cell": "mlc"}, wear={"policy": "static"}),
    ]


def metrics_of(tree, path=""):
    """Yield the names and values of metrics, sections that are null among them."""
    for key, value in tree.items():
        name = f"{path}{key}"
        if name in SECTIONS and value is not None:
            yield from metrics_of(value, f"{name}.")
        else:
            yield name, value


def test_a_result_has_just_the_metrics_that_are_declared(results):
    known = [name for name in METRICS if name not in SECTIONS]
    seen = set()
    for result in results:
        names = [name for name, _ in metrics_of(result)]
        there = [each for each in known if each in names]
        assert [name for name in names if name not in SECTIONS] == there, "in their order"
        seen.update(there)
    assert [name for name in known if name not in seen] == []


def test_a_metric_is_null_only_where_its_declaration_says_so(results):
    for name, value in (each for result in results for each in metrics_of(result)):
        of = [each for each in METRICS.values() if f"{each.name}.".startswith(f"{name}.")]
        if value is None:
            assert all(each.null for each in of), name
        else:
            assert isinstance(value, KINDS[METRICS[name].kind]), name


def test_a_declaration_says_everything():
    for metric in METRICS.values():
        assert metric.unit, metric.name
        assert metric.formula.endswith("."), metric.name
        assert metric.better in ("higher", "lower", ""), metric.name


def test_a_complete_result_for_tests_has_no_other_metrics():
    assert {name for name, _ in metrics_of(sample.result("dftl", hit_ratio=0.5))} <= {
        *METRICS,
        *SECTIONS,
    }


def test_tables_show_metrics_as_they_are_declared():
    assert all(each.label for each in HEADLINES)
    expected = Figure("response_us.p99", "99 % response", "us", "lower", waits=True)
    assert Figure.declared("response_us.p99") == expected
    assert Figure.declared("ram_bytes").absent == "not stated"


def test_a_unit_is_declared_or_the_end_of_a_name():
    assert unit_of("mapping.space_utilization") == "ratio"
    assert unit_of("flash.erases") == "count"
    assert unit_of("energy.flash_j.host") == "J"
    assert unit_of("buffer.at_risk_bytes_mean") == "bytes"
    assert unit_of("own.held_bytes") == unit_of("bytes_read") == "bytes"
    assert unit_of("offered_per_s") == "1/s"
