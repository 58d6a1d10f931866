"""The glossary: in order, with links that lead somewhere, and used by the pages of a newcomer."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
GLOSSARY = (DOCS / "glossary.md").read_text("utf-8")
ENTRIES = dict(re.findall(r"^## (.+)\n\n((?:(?!## ).*\n)*)", GLOSSARY, re.MULTILINE))
ABBREVIATIONS = [term for term in ENTRIES if term.isupper()]
NEWCOMERS = [
    "getting-started.md",
    "results.md",
    "warmup.md",
    "ftls.md",
    "citing.md",
    *sorted(f"how-to/{path.name}" for path in DOCS.glob("how-to/*.md")),
]
"""Pages that link an abbreviation where they use it."""


def anchor(term: str) -> str:
    return term.lower().replace(" ", "-")


def prose(page: str) -> str:
    """The text of a page without code and without headings, which can have no link."""
    text = (DOCS / page).read_text("utf-8")
    text = re.sub(r"^(```|:::).*?^\1", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`|^#.*", "", text, flags=re.MULTILINE)


def unlinked(text: str) -> list[str]:
    """The abbreviations that a text uses and links nowhere to the glossary."""
    linked = set(re.findall(r"glossary\.md#([\w-]+)", text))
    words = re.sub(r"\]\([^)]*\)", "]", text)
    used = [term for term in ABBREVIATIONS if re.search(rf"\b{term}s?\b", words)]
    return [term for term in used if anchor(term) not in linked]


def test_terms_are_in_alphabetical_order_and_each_has_a_link():
    assert list(ENTRIES) == sorted(ENTRIES, key=str.casefold)
    assert [term for term, text in ENTRIES.items() if "](" not in text] == []
    assert len(ABBREVIATIONS) >= 15


def test_links_to_the_glossary_lead_to_a_term():
    anchors = {anchor(term) for term in ENTRIES}
    links = set(re.findall(r"\]\(#([\w-]+)\)", GLOSSARY))
    for page in (path for path in DOCS.glob("**/*.md") if "_build" not in path.parts):
        links |= set(re.findall(r"glossary\.md#([\w-]+)", page.read_text("utf-8")))
    assert links - anchors == set()


@pytest.mark.parametrize("page", NEWCOMERS)
def test_a_page_for_newcomers_links_each_abbreviation_that_it_uses(page):
    assert unlinked(prose(page)) == []


def test_an_abbreviation_without_a_link_is_seen():
    assert unlinked("GC runs, and WA grows: [GC](glossary.md#gc).") == ["WA"]
    assert unlinked("[the FTLs](ftls.md)") == ["FTL"]


def test_write_amplification_is_defined_once():
    defined = re.compile(r"pages programmed[^|.]{0,20} / pages written by the host")
    pages = [path for path in DOCS.glob("**/*.md") if "_build" not in path.parts]
    found = [path.name for path in pages if defined.search(path.read_text("utf-8"))]
    assert found == ["glossary.md"]
