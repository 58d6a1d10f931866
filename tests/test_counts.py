"""What the documentation says of counts of claims is what its tables have."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("counts_tool", ROOT / "tools" / "counts.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_count_claims_as_their_tables_do(tool):
    assert tool.wrong(tool.pages()) == []


@pytest.mark.parametrize(
    ("page", "old", "new", "told"),
    [
        ("README.md", "of 126 statements", "of 139 statements", "README.md: found"),
        ("README.md", "| 46 | 4 |", "| 46 | 0 |", "README.md: tpftl: found [46, 0"),
        (
            "reproduce-dloop.md",
            "claims of the paper ",
            "claims of the papers ",
            "dloop: found claims 'of the papers', which are no group",
        ),
        ("reproduce-cachftl.md", "of this project 4 agree", "of this project 5 agree", "cachftl: "),
        ("reproduce.md", "| T1 | random", "| O1 | random", "tpftl: found no row of ['T1']"),
    ],
)
def test_a_sentence_that_says_otherwise_is_found(tool, page, old, new, told):
    texts = tool.pages()
    assert old in texts[page]
    texts[page] = texts[page].replace(old, new)
    try:
        found = "; ".join(tool.wrong(texts))
    except ValueError as problem:
        found = str(problem)
    assert told in found
