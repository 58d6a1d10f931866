"""Tables of an evaluation in the documentation."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").glob("reproduce*.md"))


@pytest.fixture
def tool(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("claims_tool", ROOT / "tools" / "claims.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "DOCS", tmp_path)
    return module


def finding(ours, verdict):
    return {"what": "at 4 GB", "published": "-50.0 %", "ours": ours, "verdict": verdict}


def claim(name, verdict, explained, *instead):
    return {
        "id": name,
        "group": "of this project" if name[0] == "O" else "of the paper",
        "what": "what it says",
        "published": "-50.0 %",
        "verdict": verdict,
        "findings": [finding("-10.0 %", verdict)],
        "explained": explained,
        "proof": "",
        "instead": [
            {"change": change, "verdict": found, "findings": [finding(ours, found)]}
            for change, ours, found in instead
        ],
    }


def test_a_page_gets_claims_what_was_tried_and_tables_of_the_report(tool, tmp_path, monkeypatch):
    folder = tmp_path / "results"
    folder.mkdir()
    claims = [
        claim("X1", "agrees", None),
        claim("X2", "differs", "agrees when one thing is changed", ("half", "-49 %", "agrees")),
        claim("O1", "agrees", None),
        claim("X3", "differs", "explained by nothing that was tried", ("half", "1 %", "differs")),
    ]
    (folder / "claims.json").write_text(json.dumps(claims))
    (folder / "report.md").write_text(
        "# A\n\n## Loads\n\nWords.\n\n| a |\n| :-- |\n| 1 |\n\n## B\n"
    )
    page = tmp_path / "reproduce.md"
    page.write_text(
        "# A\n\n<!-- claims x -->\nstale\n<!-- end -->\n\nmore\n"
        "<!-- tables x: Loads -->\n<!-- end -->\n"
    )
    monkeypatch.setattr(sys, "argv", ["claims.py", "x", str(folder)])
    tool.main()
    text = page.read_text()
    assert "stale" not in text and "Of 3 claims of the paper 1 agree, 2 differ." in text
    assert "Of 1 claims of this project 1 agree." in text
    assert "| agrees when one thing is changed | X2 (1) |\n" in text
    assert "| at 4 GB: -10.0 % | differs | agrees with 1 of 1: half |" in text
    assert "| X3 | at 4 GB | -50.0 % | -10.0 % | half: 1 % |" in text
    assert "| X2 | at 4 GB" not in text
    assert text.endswith("more\n<!-- tables x: Loads -->\n| a |\n| :-- |\n| 1 |\n\n<!-- end -->\n")
    tool.main()
    assert page.read_text() == text


def test_a_mark_without_a_table_is_refused(tool, tmp_path, monkeypatch, capsys):
    (tmp_path / "claims.json").write_text("[]")
    (tmp_path / "report.md").write_text("# A\n")
    page = tmp_path / "reproduce.md"
    page.write_text("<!-- tables x: Loads -->\n<!-- end -->\n")
    monkeypatch.setattr(sys, "argv", ["claims.py", "x", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        tool.main()
    assert "found the mark 'tables x: Loads'" in capsys.readouterr().err
    assert page.read_text() == "<!-- tables x: Loads -->\n<!-- end -->\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_mark_of_the_documentation_has_its_table(page):
    text = page.read_text()
    marks = re.findall(r"<!-- (?:claims|tables) .*? -->", text)
    marked = re.findall(
        r"<!-- (?:claims|tables) .*? -->\n(.*?)\n<!-- end -->", text, flags=re.DOTALL
    )
    assert marked and all("| :-- |" in each for each in marked)
    assert len(marked) == len(marks) == len(set(marks)) == text.count("<!-- end -->")
