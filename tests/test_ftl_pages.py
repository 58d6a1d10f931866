"""Each FTL has a page, and what the page names exists: settings, figures, other pages."""

import html
import re
import sys
from pathlib import Path

import pytest

import ftlab
from ftlab.catalogue import catalog

DOCS = Path(__file__).parent.parent / "docs"
sys.path.insert(0, str(DOCS / "_extensions"))

import memory_picture  # noqa: E402

CATALOGUE = catalog()
FTLS = [ftl.name for ftl in CATALOGUE.ftls]
SECTIONS = ["Pseudo-code", "Settings", "Run it", "References"]
INHERITS = {"aps": "treeftl", "mnftl-hybrid": "mnftl"}
"""Pages that say: the figures of that FTL, and more."""


def text_of(ftl: str) -> str:
    return (DOCS / "ftls" / f"{ftl}.md").read_text("utf-8")


def test_every_ftl_has_a_page_and_every_page_an_ftl():
    assert sorted(path.stem for path in DOCS.glob("ftls/*.md")) == sorted(FTLS)


SOURCES = Path(__file__).parent.parent / "crates" / "ftlab" / "src" / "ftl"
HEADERS = {path: path.read_text("utf-8").split("\n\n")[0] for path in SOURCES.rglob("*.rs")}


def test_what_is_known_by_an_abstract_or_by_others_is_a_reconstruction_everywhere():
    found = [path.stem for path, text in HEADERS.items() if "a reconstruction" in text]
    source = {"aps": "aps", "treeftl": "tree"}
    pages = [ftl for ftl in FTLS if "A reconstruction: known to this project by" in text_of(ftl)]
    assert sorted(source.get(each, each) for each in pages) == sorted(found)
    for path, text in HEADERS.items():
        if re.search(r"known to us by|not known to us in", text):
            assert "a reconstruction" in text, path
        assert "nothing known" not in text, path


def test_every_buffer_has_a_section_with_its_settings():
    text = (DOCS / "buffers.md").read_text("utf-8")
    named = re.findall(r"^## (\S+)$", text, re.MULTILINE)
    assert sorted(named) == sorted(buffer.name for buffer in CATALOGUE.buffers)
    assert named == re.findall(r"^```\{settings-of\} (\S+)$", text, re.MULTILINE)


@pytest.mark.parametrize("ftl", FTLS)
def test_a_page_has_pseudo_code_settings_and_references(ftl):
    text = text_of(ftl)
    assert text.startswith(f"# {ftl}\n")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert [name for name in headings if name in SECTIONS] == SECTIONS
    assert f"```{{settings-of}} {ftl}\n" in text
    assert re.search(rf"^\$ ftlab run .* --ftl {ftl}( |$)", text, re.MULTILINE)


PICTURES = [
    pytest.param(found[1], found[2], id=f"{page.stem}: {found[1]}")
    for page in sorted(DOCS.glob("**/*.md"))
    for found in re.finditer(
        r"^:::\{memory\} (.+?)\n(.*?)^:::", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
]


def test_every_page_has_a_picture():
    assert {each.id.split(":")[0] for each in PICTURES} >= {*FTLS, "ftls", "buffers"}


@pytest.mark.parametrize(("title", "text"), PICTURES)
def test_a_picture_is_drawn_with_all_its_steps(title, text):
    svg, steps = memory_picture.draw(text, title)
    assert f"<title>{html.escape(title)}</title>" in svg
    assert svg.count('class="step"') == 2 * len(steps) == 2 * len(re.findall(" -> ", text)) > 0


@pytest.mark.parametrize(("title", "text"), PICTURES)
def test_a_picture_is_legible_on_a_telephone(title, text):
    svg = memory_picture.drawn(text, title, memory_picture.NARROW, "narrow")
    column, font = 390 - 2 * 16, 11
    width = float(re.search(r'viewBox="0 0 (\d+) ', svg)[1])
    assert font * min(1.0, column / width) > 10.8
    rights = re.findall(r'<rect class="\w+" x="(\d+)" y="\d+" width="(\d+)"', svg)
    assert all(int(x) + int(wide) <= width for x, wide in rights)


def test_no_number_of_a_step_lies_on_cells():
    text = "RAM: map[1]\na: one[1]\nb: two[1]\nmap -> two: a step past the cell between them"
    svg = memory_picture.drawn(text, "past", memory_picture.NARROW, "narrow")
    y = int(re.search(r'class="step" cx="\d+" cy="(\d+)"', svg)[1])
    tops = [
        int(top)
        for top in re.findall(r'<rect class="data" x="\d+" y="(\d+)" width="24" height="24"', svg)
    ]
    assert len(tops) == 3
    assert all(y < top - 8 or y > top + memory_picture.CELL + 8 for top in tops)


def test_a_step_to_nowhere_is_an_error():
    with pytest.raises(memory_picture.PictureError, match="'flush'"):
        memory_picture.draw("RAM: map[1 2]\nmap -> flush: a typing error", "wrong")


@pytest.mark.parametrize("page", ["ftls.md", *(f"ftls/{ftl}.md" for ftl in FTLS)])
def test_settings_that_a_page_names_exist(page):
    keys = {row.key for row in CATALOGUE.settings}
    sections = {key.split(".")[0] for key in keys}
    figures = {f"{ftl}.{name}" for ftl in FTLS for name in own_figures(ftl)}
    results = {"gc.mode", "device.program_order"}
    named = set(re.findall(r"(?<![\w/.-])([a-z-]+)\.([a-z_]+)\b", (DOCS / page).read_text("utf-8")))
    unknown = {f"{section}.{name}" for section, name in named if section in sections}
    assert unknown - keys - figures - results - {f"{section}.md" for section in sections} == set()


OWN: dict[str, set[str]] = {}


def own_figures(ftl: str) -> set[str]:
    """The figures of an FTL alone, as a run has them."""
    if ftl not in OWN:
        load = ftlab.Workload("randwrite", bs="4k", size="32MiB", requests=200)
        result = ftlab.simulate(load, ftl, ftlab.Device(capacity="512MiB"))
        own = [key.split(".") for key in result.to_dict()["own"]]
        # Pages by class are told once, in docs/separation.md.
        OWN[ftl] = {name for group, name in own if group != "separation"}
    return OWN[ftl]


@pytest.mark.parametrize("ftl", FTLS)
def test_a_page_tells_every_figure_of_its_ftl(ftl):
    text = text_of(ftl) + (text_of(INHERITS[ftl]) if ftl in INHERITS else "")
    words = set(re.findall(r"[a-z_]+", text))
    assert own_figures(ftl) - words == set()
