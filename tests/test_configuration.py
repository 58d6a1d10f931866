import json
import math

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ftlab
import sample
from ftlab import _core
from ftlab.cli import parse
from ftlab.config import merge, nested

KEYS = st.text("abc_", min_size=1, max_size=3)
TREES = st.dictionaries(
    KEYS, st.recursive(st.integers(), lambda each: st.dictionaries(KEYS, each), max_leaves=5)
)


@pytest.fixture
def calls(monkeypatch):
    """Replaces the core's simulation by one that records what it is asked."""
    asked = []

    def simulate(points, *rest):
        asked.append([(json.loads(config), ftl) for config, ftl in points])
        return json.dumps([sample.result(ftl) for _, ftl in points])

    monkeypatch.setattr(_core, "simulate", simulate)
    return asked


def test_only_what_was_given_reaches_the_core(calls):
    ftlab.simulate(
        ftlab.Workload("randwrite", bs="4k", requests=10),
        ftl=ftlab.TPFTL(cache="8KiB", threshold=4),
        device=ftlab.Device(capacity="512MiB", over_provisioning=0.15),
        gc="greedy",
        host="closed:4",
        seed=7,
    )
    config = {
        "workload": {"pattern": "randwrite", "bs": "4k", "requests": 10},
        "device": {"capacity": "512MiB", "over_provisioning": 0.15},
        "gc": {"policy": "greedy"},
        "host": {"mode": "closed:4"},
        "run": {"seed": 7},
        "ftl": {"cache": "8KiB"},
        "tpftl": {"threshold": 4},
    }
    assert calls == [[(config, "tpftl")]]


def test_further_sections_are_stronger_than_arguments(calls):
    ftlab.simulate("financial1", seed=1, config={"run": {"seed": 2}, "gc": {"copies": "any"}})
    config = {
        "input": {"trace": "financial1"},
        "run": {"seed": 2},
        "gc": {"copies": "any"},
    }
    assert calls == [[(config, "page")]]


def test_layers_of_a_comparison_share_one_run_and_keep_their_order(calls):
    small, large = ftlab.TPFTL(cache="1KiB"), ftlab.TPFTL(cache="8KiB")
    result = ftlab.compare("financial1", [small, "page", large, ftlab.DFTL(cache="1KiB")])
    ((*points,),) = calls
    assert [(config.get("ftl"), ftl) for config, ftl in points] == [
        ({"cache": "1KiB"}, "tpftl"),
        (None, "page"),
        ({"cache": "8KiB"}, "tpftl"),
        ({"cache": "1KiB"}, "dftl"),
    ]
    assert [each.ftl for each in result] == ["tpftl", "page", "tpftl", "dftl"]
    assert result.labels == ["tpftl(cache=1KiB)", "page", "tpftl(cache=8KiB)", "dftl"]


def test_a_comparison_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        ftlab.compare("financial1", [])


@given(TREES)
def test_merging_with_nothing_changes_nothing(tree):
    assert merge([tree, {}]) == merge([{}, tree]) == merge([tree, tree]) == tree


@pytest.mark.long
@given(TREES, TREES, TREES)
def test_merging_does_not_depend_on_the_grouping(a, b, c):
    assert merge([merge([a, b]), c]) == merge([a, b, c])


def test_a_dotted_path_becomes_a_tree():
    assert nested("a.b.c", 1) == {"a": {"b": {"c": 1}}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8),
        ("1_000", 1000),
        ("0.15", 0.15),
        ("true", True),
        ("'8'", "8"),
        ("4k", "4k"),
        ("15%", "15%"),
        ("closed:4", "closed:4"),
        ("inf", "inf"),
        ("2026-01-01", "2026-01-01"),
        ("[1, 2.5, '4k']", [1, 2.5, "4k"]),
        ("[2026-01-01]", "[2026-01-01]"),
        ("{a = 1}", "{a = 1}"),
        ("1\nother = 2", "1\nother = 2"),
        ("", ""),
    ],
)
def test_a_value_is_a_toml_scalar_or_text(text, value):
    assert parse.value(text) == value
    assert type(parse.value(text)) is type(value)


@given(st.text())
def test_any_text_is_a_value_that_json_can_carry(text):
    value = parse.value(text)
    assert json.loads(json.dumps(value, allow_nan=False)) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_stay_numbers(number):
    assert math.isclose(parse.value(repr(number)), number)


def test_overrides_build_one_tree():
    assert parse.overrides(("gc.policy=greedy", "gc.low=4", "gc.low=5")) == {
        "gc": {"policy": "greedy", "low": 5}
    }


def test_a_workload_is_a_pattern_and_settings():
    assert parse.workload("randwrite, bs=4k, size=80%") == {
        "pattern": "randwrite",
        "bs": "4k",
        "size": "80%",
    }


@pytest.mark.parametrize("text", ["", "bs=4k", "randwrite,4k", "randwrite,=4k"])
def test_a_malformed_workload_is_a_usage_error(text):
    with pytest.raises(click.UsageError):
        parse.workload(text)


@pytest.mark.parametrize("text", ["", "page,", "page,page"])
def test_a_malformed_list_of_layers_is_a_usage_error(text):
    with pytest.raises(click.UsageError):
        parse.names(text)
