import csv
import io
import json

import pytest

import ftlab
import sample
from ftlab import Comparison, Result
from ftlab.result import is_nullable


def test_nested_figures_are_attributes(result):
    assert result.response_us.mean == 450.0
    assert result.mapping.hit_ratio == result["mapping"]["hit_ratio"] == 0.8
    assert result.planes.busy_fraction == [0.5, 0.25]


def test_an_unknown_figure_names_those_there_are(result):
    with pytest.raises(AttributeError, match=r"'hitrate'.*hit_ratio"):
        _ = result.mapping.hitrate


def test_a_section_that_a_run_does_not_have_is_empty_and_ends_no_loop():
    trace = ftlab.Workload("randwrite", bs="4k", size="4MiB", requests=50)
    found = ftlab.compare(trace, ["page", "dftl"])
    page, dftl = (each.mapping.hit_ratio for each in found)
    assert page is None and 0 <= dftl <= 1
    missing = {name for name, value in found[0].to_dict().items() if value is None}
    assert "mapping" in missing and all(map(is_nullable, missing))
    assert not found[0].mapping and dict(found[0].mapping) == {}
    assert found[0]["mapping"] is None and "mapping" in found[0].to_dict()
    with pytest.raises(AttributeError):
        _ = found[0].maping


def test_find_follows_dots_and_never_fails(result):
    assert result.find("mapping.hit_ratio") == 0.8
    assert result.find("mapping.nothing.here") is None


def test_json_gives_back_what_the_core_returned(result):
    assert json.loads(result.to_json()) == result.to_dict()
    assert result.to_dict() == sample.result("dftl", 450.0, 0.8, 128)


def test_csv_has_one_row_of_scalars_and_absent_figures_are_empty():
    (row,) = csv.DictReader(io.StringIO(Result(sample.result()).to_csv()))
    assert row["response_us.mean"] == "900.0"
    assert row["mapping"] == ""
    assert row["planes.busy_fraction"] == "0.5 0.25"
    assert not any(name.startswith(("timeline", "distributions", "warnings")) for name in row)


def test_csv_of_a_comparison_has_one_row_for_each_layer(comparison):
    rows = list(csv.DictReader(io.StringIO(comparison.to_csv())))
    assert [row["ftl"] for row in rows] == ["page", "dftl", "tpftl"]


def test_csv_of_layers_with_different_figures_has_all_columns():
    first, second = sample.result("page"), sample.result("tpftl")
    second["own"] = {"prefetched": 7}
    rows = list(csv.DictReader(io.StringIO(Comparison([Result(first), Result(second)]).to_csv())))
    assert [row["own.prefetched"] for row in rows] == ["", "7"]


def test_frames_have_one_row_for_each_layer(result, comparison):
    assert result.to_pandas().loc[0, "mapping.hit_ratio"] == 0.8
    assert list(comparison.to_pandas().index) == ["page", "dftl", "tpftl"]


def test_a_comparison_is_a_sequence_with_labels(comparison):
    assert len(comparison) == 3
    assert comparison["dftl"] is comparison[1]
    assert [each.ftl for each in comparison] == comparison.labels


def test_notebooks_show_tables(result, comparison):
    assert "<table" in result._repr_html_()
    assert "<b>80.00 %</b>" not in comparison._repr_html_()
    assert "<b>90.00 %</b>" in comparison._repr_html_()


def test_results_say_what_they_are_in_one_line(result, comparison):
    assert repr(result) == "<Result dftl: WA 1.114, mean response 450.0 us>"
    assert repr(comparison) == "<Comparison of page, dftl, tpftl>"


@pytest.mark.parametrize("key", sample.result())
def test_what_has_few_figures_shows_those(key):
    whole = sample.result("dftl", 450.0, 0.8, 128)
    without = {each: value for each, value in whole.items() if each != key}
    for found in (Result(without), Result({key: whole[key]})):
        assert repr(found).startswith("<Result ")
        assert str(found)
        assert found._repr_html_().startswith("<table")
    assert ("450.0 us" in repr(Result(without))) == (key != "response_us")


def test_what_has_no_figures_says_so():
    nothing = Result({})
    assert str(nothing) == repr(nothing) == "<Result None: WA None, mean response None us>"
    assert nothing._repr_html_().startswith("<table")


def test_what_is_printed_is_a_table(result, comparison):
    assert "write amplification" in str(result)
    header, *rows = str(comparison).splitlines()
    assert header.split() == ["page-level", "DFTL", "TPFTL"]
    assert any(row.startswith("mean response") and row.rstrip().endswith("*") for row in rows)
