import pytest

from ftlab.report import numbers
from ftlab.report.summary import (
    comparison_table,
    relative_table,
    run_summary,
    text_of,
)
from ftlab.report.tables import Table

TABLE = Table(["", "a_1", "b"], [["hits", "1 %", "2 %"], ["odd|name", "–", "9"]], {(0, 2)})  # noqa: RUF001


def test_text_is_aligned_and_marks_the_best():
    assert TABLE.text() == (
        "          a_1      b\nhits      1 %    2 % *\nodd|name    –      9\n"  # noqa: RUF001
    )


def test_csv_leaves_absent_figures_empty():
    assert TABLE.csv() == ",a_1,b\nhits,1 %,2 %\nodd|name,,9\n"


def test_markdown_keeps_cells_inside_their_columns():
    assert TABLE.markdown().splitlines()[2:] == [
        "| hits | 1 % | **2 %** |",
        r"| odd\|name | – | 9 |",  # noqa: RUF001
    ]


def test_latex_escapes_what_latex_would_read():
    lines = TABLE.latex().splitlines()
    assert lines[0] == r"\begin{tabular}{lrr}"
    assert lines[2] == r" & a\_1 & b \\"
    assert lines[4] == r"hits & 1 \% & \textbf{2 \%} \\"


def test_a_comparison_marks_the_best_of_each_row(comparison):
    table = comparison_table(comparison)
    rows = {row[0]: (index, row) for index, row in enumerate(table.rows)}
    index, row = rows["mapping hit ratio"]
    assert row[1:] == ["–", "80.00 %", "90.00 %"]  # noqa: RUF001
    assert {column for r, column in table.best if r == index} == {3}
    index, _ = rows["pages copied by GC"]
    assert not {column for r, column in table.best if r == index}, "equal values are no best"


def test_relative_figures_start_from_the_first_layer_that_has_one(comparison):
    rows = {row[0]: row[1:] for row in relative_table(comparison).rows}
    assert rows["mean response"] == ["1.000 x", "0.500 x", "0.333 x"]
    assert rows["mapping hit ratio, to DFTL"] == ["–", "1.000 x", "1.125 x"]  # noqa: RUF001


def test_the_summary_tells_the_set_up_and_what_was_checked(result):
    text = text_of(run_summary(result))
    for part in (
        "512 MiB",
        "spc",
        "overlay",
        "300 reads verified",
        "0 violations",
        "80.00 %",
        "  prefetched entries",
    ):
        assert part in text
    assert "1,114 (host 1,000, GC data 50, translation 64)" in text


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (numbers.count(1234567), "1,234,567"),
        (numbers.count(3.125), "3.12"),
        (numbers.microseconds(0.5), "0.500 µs"),
        (numbers.microseconds(1500), "1.500 ms"),
        (numbers.microseconds(2.5e6), "2.500 s"),
        (numbers.seconds(3600.0), "60.0 min"),
        (numbers.seconds(43712.0), "12.1 h"),
        (numbers.size(536870912), "512 MiB"),
        (numbers.size(2**50), "1024 TiB"),
        (numbers.rate(3.5e6), "3.5 M/s"),
        (numbers.by_name("hit_ratio", 0.5), "50.00 %"),
        (numbers.by_name("bytes_read", 4096), "4 KiB"),
        (numbers.by_name("requests", None), "–"),  # noqa: RUF001
    ],
)
def test_figures_are_written_in_their_unit(written, expected):
    assert written == expected


def test_a_table_wider_than_the_terminal_goes_on_below_with_its_first_column():
    header = ["", *(f"ftl{number}" for number in range(12))]
    rows = [["mean response", *["1.086 ms"] * 12], ["RAM", *["8.46 KiB"] * 12]]
    parts = Table(header, rows, frozenset({(0, 11)})).parts(80)
    assert [column for part in parts for column in part.header[1:]] == header[1:]
    for part in parts:
        assert part.rows[0][0] == "mean response"
        assert sum(max(map(len, column)) + 3 for column in zip(*part.rows, strict=True)) <= 80
    assert [part.best for part in parts] == [frozenset(), frozenset(), frozenset({(0, 1)})]
    assert Table(header, rows).parts(20)[0].header == ["", "ftl0"], "one column at least"
