"""Tables for Excel have the rows of CSV, with numbers as numbers."""

import csv
import io
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

import ftlab as package
from ftlab.report.excel import MOST_CHARACTERS, workbook
from ftlab.report.tables import csv_of
from test_cli import GENERATED, failure

SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def sheet(data):
    """Return the rows of the only sheet of a workbook, read as its format says."""
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        texts = [
            "".join(part.text or "" for part in each.iter(f"{SPACE}t"))
            for each in ElementTree.fromstring(book.read("xl/sharedStrings.xml"))
        ]
        tree = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    rows = {}
    for cell in tree.iter(f"{SPACE}c"):
        assert cell.find(f"{SPACE}f") is None, "no formula"
        value = cell.findtext(f"{SPACE}v")
        found = texts[int(value)] if cell.get("t") == "s" else float(value)
        name = cell.get("r")
        column = name.rstrip("0123456789")
        rows.setdefault(int(name[len(column) :]), {})[column] = found
    return [list(row.values()) for row in rows.values()]


def test_numbers_are_numbers_and_texts_stay():
    cells = ["007", "1e5", "4adf4f1f9a388bdd", "12345678e1234567", "=1+1", "-", "1 %", "nan"]
    header = [f"c{at}" for at in range(len(cells) + 5)]
    text = csv_of(header, [[*cells, 12, -3, 0.1, 2.5e-07, 1234567890123456]])
    assert sheet(workbook(text)) == [header, [*cells, 12, -3, 0.1, 2.5e-07, "1234567890123456"]]


def test_equal_tables_are_equal_files():
    assert workbook("a,b\n1,x\n") == workbook("a,b\n1,x\n")


def test_what_a_sheet_cannot_hold_is_refused():
    with pytest.raises(package.ConfigError, match="found 200,000 characters in a cell"):
        workbook(csv_of(["a"], [["x" * 200_000]]))
    with pytest.raises(package.ConfigError, match=r"found 2 rows of 20,000 columns"):
        workbook(csv_of(range(20_000), [[]]))
    assert sheet(workbook(csv_of(["a"], [["x" * MOST_CHARACTERS]])))[1] == ["x" * MOST_CHARACTERS]


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


def rows_of(text):
    rows = list(csv.reader(io.StringIO(text)))
    return [rows[0], *([number(cell) for cell in row if cell] for row in rows[1:])]


@pytest.mark.parametrize("verb", ["run", "compare", "explain"])
def test_a_result_for_excel_has_the_rows_of_csv(ftlab, verb):
    ftls = "dftl" if verb == "run" else "dftl,tpftl"
    asked = (verb, *GENERATED, "--ftl", ftls)
    assert ftlab(*asked, "-o", "r.xlsx").exit_code == 0
    text = ftlab(*asked, "--csv").stdout
    found, wanted = sheet(Path("r.xlsx").read_bytes()), rows_of(text)
    apart = {at for at, name in enumerate(wanted[0]) if name.startswith("speed.")}
    assert found[0] == wanted[0] and len(found) == len(wanted) > 1
    if not apart:
        assert [[str(number(str(c))) for c in row] for row in found[1:]] == [
            [str(c) for c in row] for row in wanted[1:]
        ]
    else:
        assert len(found[1]) == len(wanted[1])
        assert sum(a == b for a, b in zip(found[1], wanted[1], strict=True)) > 200


def test_results_of_a_sweep_are_a_sheet(ftlab):
    swept = (*GENERATED, "--ftl", "dftl", "--cache", "2KiB,4KiB", "--results", "kept")
    ftlab("sweep", *swept, "-o", "swept.xlsx")
    ftlab("results", "kept", "-o", "kept.xlsx")
    wanted = rows_of(ftlab("results", "kept", "--csv").stdout)
    for name in ("swept.xlsx", "kept.xlsx"):
        found = sheet(Path(name).read_bytes())
        assert found[0] == wanted[0] and len(found) == 3
        at = found[0].index("response_us.mean")
        assert isinstance(found[1][found[0].index("label")], str) and at > 0
        assert any(isinstance(cell, float) for cell in found[1])


def test_without_the_library_one_line_says_how_to_come_by_it(ftlab, monkeypatch):
    monkeypatch.setattr("ftlab.cli.output.find_spec", lambda name: None)
    for asked in (("run", *GENERATED), ("results", ".")):
        told = failure(ftlab(*asked, "-o", "r.xlsx"))
        assert ".xlsx needs XlsxWriter: pip install 'ftlab[xlsx]'" in told
