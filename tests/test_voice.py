"""The linter of words: it catches each rule."""

import re
import sys
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import voice  # noqa: E402

LONG = " ".join(["page"] * 31)
FINE = """# Garbage collection

Every read is compared with the last write. [Metrics](results.md) defines `write_amplification`.

| metric | unit |
| :-- | :-- |
| `beside` | pages |

> Whoever quotes a text does not write it.

```text
so many blocks, each but one
```

<!-- claims x -->
| claim |
| :-- |
| so many pages beside the map |

<!-- end -->
"""


def found(texts) -> list[str]:
    return [fault for text in texts for fault in voice.faults(text)]


def test_clean_text_has_no_faults():
    assert found(voice.markdown(FINE)) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("The table stays beside the report.", '"beside": write next to'),
        ("It is in every\nFTL but one.", '"every FTL but": write all except'),
        ("| metric |\n| :-- |\n| so many pages |", '"so many": write N'),
        (f"{LONG}.", "31 words, at most 30"),
        ("It ends. So nothing is left.", 'begins with "So"'),
        ("* Else, `gc.low` decides.", 'begins with "Else"'),
        ("**Cut.** Every FTL is cut.", '"**Cut.**": write a noun phrase'),
        ("# What is not modelled", "write a noun or an imperative"),
        ("## The order of all the operations of a run", "write a noun or an imperative"),
    ],
)
def test_each_rule_is_caught(text, fault):
    assert any(fault in each for each in found(voice.markdown(text)))


@pytest.mark.parametrize("pattern", voice.WORDS)
def test_each_house_word_is_a_pattern_with_something_to_write(pattern):
    assert re.compile(pattern).search("") is None
    assert voice.WORDS[pattern].strip()


def test_a_fault_names_its_line():
    _, text = voice.markdown("a\n\nb\n")
    assert (text.line, text.text) == (3, "b")


def test_docstrings_comments_and_messages_are_read():
    source = (
        'class A:\n    """Beside."""\n    x = 1\n    """As it was."""\n'
        'def f():\n    raise E(f"{x} tells `beside` it")\n'
    )
    assert [(each.line, each.text) for each in voice.docstrings(source)] == [
        (2, "Beside."),
        (4, "As it was."),
    ]
    assert len(found(voice.docstrings(source))) == 2
    assert found(voice.messages(source)) == ['"tells": write reports, shows, states']
    assert found(voice.messages('say("a", *b)\nother("so many")\n')) == []
    rust = "//! A page.\n\n// beside\n/// Beside\n/// it.\npub struct A;\n"
    assert [(each.line, each.text) for each in voice.comments(rust)] == [
        (1, "A page."),
        (4, "Beside it."),
    ]


def test_each_parameter_of_a_docstring_is_a_text_of_its_own():
    source = '"""Run.\n\nParameters\n----------\na, b\n    Two pages.\n*c\n    beside\n"""\n'
    assert [(each.line, each.text) for each in voice.docstrings(source)] == [
        (1, "Run."),
        (3, "Parameters"),
        (6, "Two pages."),
        (8, "beside"),
    ]


def test_help_is_one_line_of_sixty_characters():
    short, long = click.Command("a", help="Run."), click.Command("b", help=f"Run {'x' * 57}.")
    option = click.Option(["--c"], help="Runs so many.")
    group = click.Group("g", {"a": short, "b": long}, help="Group.", params=[option])
    assert [*voice.helps(group, "g")] == [
        ("g --help", '"so many": write N'),
        ("g b --help", f'62 characters, at most 60: "Run {"x" * 57}."'),
    ]


def test_a_file_is_read_by_its_kind(tmp_path, monkeypatch):
    monkeypatch.setattr(voice, "ROOT", tmp_path)
    page, file = tmp_path / "page.md", tmp_path / "a.py"
    page.write_text("# A\n\nSo it is.\n")
    file.write_text('"""So."""\nraise E("so many")\n')
    assert [where for where, _ in voice.of_file(page)] == ["page.md:3"]
    assert [where for where, _ in voice.of_file(file)] == ["a.py:1", "a.py:2"]


def test_a_link_has_a_text_which_a_code_host_shows_too(tmp_path, monkeypatch):
    monkeypatch.setattr(voice, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("# A\n\nSee [](b.md) and [B](b.md).\n")
    ((where, fault),) = voice.of_file(page)
    assert where == "page.md:3"
    assert "write its text" in fault


def test_words_of_a_page_are_those_of_its_sentences():
    assert voice.prose(FINE) == 23
    pages = {"docs/a.md": "page " * 3001, voice.REGISTER: "page " * 4000}
    assert [*voice.lengths(pages)] == [("docs/a.md", "3001 words, at most 3000")]
    pages = {f"docs/{number}.md": "page " * 3000 for number in range(21)}
    assert [*voice.lengths(pages)] == [("docs", "63000 words, at most 60000")]


@pytest.mark.long
def test_everything_is_in_the_voice(capsys):
    assert voice.main() == 0, capsys.readouterr().out
