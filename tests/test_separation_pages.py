"""Each separation has a page, and what the page says is so: RAM, names, output of commands."""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

import ftlab
from ftlab.catalogue import catalog
from test_ftl_pages import DOCS, memory_picture

FOLDER = DOCS / "separations"
PAGES = {path.stem: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.md"))}
GUIDE = (DOCS / "how-to" / "which-separation.md").read_text("utf-8")
CATALOGUE = catalog()
SEPARATIONS = [each.name for each in CATALOGUE.separations]
SECTIONS = ["Rules", "Settings", "RAM", "Evidence", "Departures", "References"]
TRACE = "HP_hplajw_1week.csv.zst"

PHONE = 358
"""Width of the text on a screen of 390 px: a picture that is wider is drawn smaller."""


def names_of(page: str) -> list[str]:
    """The separations that a page is about."""
    found = re.search(r"^```\{settings-of-separation\} (.+)$", PAGES[page], re.MULTILINE)
    return found[1].split() if found else []


def test_every_separation_has_a_page():
    assert sorted(name for page in PAGES for name in names_of(page)) == sorted(SEPARATIONS)
    assert [page for page in PAGES if not names_of(page)] == ["2r"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_a_picture_rules_ram_evidence_and_departures(page):
    text = PAGES[page]
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS
    assert len(re.findall(r"^:::\{memory\} ", text, re.MULTILINE)) == 1
    assert re.search(r"^\$ ftlab ", text, re.MULTILINE), "anybody can run it"


def test_the_overview_has_each_separation_once():
    rows = re.findall(r"^\| \[(.+?)\]\(separations/(\w+)\.md\)", overview(), re.MULTILINE)
    named = [name for cell, _ in rows for name in re.findall(r"`([\w-]+)`", cell)]
    assert sorted(named) == sorted(SEPARATIONS)
    for cell, page in rows:
        assert set(re.findall(r"`([\w-]+)`", cell)) <= set(names_of(page))
    assert {*re.findall(r"\(separations/(\w+)\.md\)", overview())} == set(PAGES)


def overview() -> str:
    return (DOCS / "separation.md").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_a_picture_is_legible_on_a_phone(page):
    title, text = re.search(
        r"^:::\{memory\} (.+?)\n(.*?)^:::", PAGES[page], re.DOTALL | re.MULTILINE
    ).groups()
    svg, _ = memory_picture.draw(text, title)
    assert float(re.search(r'width="(\d+)"', svg)[1]) <= PHONE


@pytest.mark.parametrize("page", [*PAGES, "overview", "guide"])
def test_settings_and_metrics_that_a_page_names_exist(page):
    text = {**PAGES, "overview": overview(), "guide": GUIDE}[page]
    text = re.sub(r"^```python.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    keys = {row.key for row in CATALOGUE.settings}
    sections = {key.split(".")[0] for key in keys} | set(SEPARATIONS)
    named = set(re.findall(r"(?<![\w/.-])([a-z-]+)\.([a-z_]+N?)\b", text))
    unknown = {f"{section}.{name}" for section, name in named if section in sections}
    metrics = {row.name for row in CATALOGUE.metrics}
    metrics |= {key for name in SEPARATIONS for key in own(name)}
    files = {f"{section}.md" for section in sections} | {"learned.rs", "midas.rs", "midas.md"}
    assert unknown - keys - metrics - files == set()


OWN: dict[str, list[str]] = {}


def own(name: str) -> list[str]:
    """The metrics of a separation alone, as a run has them; those of groups are one, with N."""
    if name not in OWN:
        load = ftlab.Workload("randwrite", bs="4k", size="32MiB", requests=200)
        device = ftlab.Device(capacity="64MiB")
        result = ftlab.simulate(load, "page", device, config={"ftl": {"separation": name}})
        OWN[name] = [re.sub(r"_\d+$", "_N", key) for key in result.to_dict()["own"]]
    return OWN[name]


@pytest.mark.parametrize("name", SEPARATIONS)
def test_a_page_names_every_metric_of_its_separation(name):
    (page,) = (page for page in PAGES if name in names_of(page))
    # Pages by class are the overview's.
    alone = [key for key in own(name) if not key.startswith("separation.")]
    assert [key for key in alone if key not in PAGES[page]] == []


DEVICE = ftlab.Device(capacity=f"{512 * 25}MiB", page=65536, pages_per_block=128)


def formulas() -> Iterator[tuple[str, str]]:
    """Each separation and what its page says of its RAM."""
    for page, text in PAGES.items():
        for which, formula in re.findall(r"^RAM \(B\)(?:, (\S+))? = (.+)$", text, re.MULTILINE):
            for name in [which] if which else names_of(page):
                yield name, formula


def test_every_separation_has_one_formula_of_ram():
    assert sorted(name for name, _ in formulas()) == sorted(SEPARATIONS)


@pytest.mark.parametrize(("name", "formula"), [*formulas()])
def test_ram_is_what_the_page_says(name, formula):
    def tables(name: str) -> ftlab.Result:
        load = ftlab.Workload("randwrite", bs="64k", size="32MiB", requests=10)
        return ftlab.simulate(load, "page", DEVICE, config={"ftl": {"separation": name}})

    result = tables(name)
    more = result.ram_bytes.tables - tables("none").ram_bytes.tables
    blocks = result.device.blocks
    pages = result.device.logical_blocks * 128
    for row in CATALOGUE.settings:
        value = row.default
        number = float(value[:-1]) / 100 if value.endswith("%") else value
        formula = formula.replace(row.key, str(number))
    said = eval(formula.replace(" x ", " * "), {"pages": pages, "blocks": blocks})
    assert more == pytest.approx(said, rel=1e-6)


COMMANDS = re.compile(
    r"^<!-- run by tests/test_separation_pages.py -->\n```sh\n(.*?)^```\n(.*?)(?=^<!--|^## |\Z)",
    re.DOTALL | re.MULTILINE,
)


def recorded() -> Path | None:
    """The trace that the pages are about, if it is here."""
    folder = os.environ.get("FTLAB_TRACES", "../shared/traces")
    found = DOCS.parent / folder / TRACE
    if not found.exists() and os.environ.get("FTLAB_TRACES_REQUIRED"):
        pytest.fail(f"{found} is missing")
    return found if found.exists() else None


@pytest.fixture
def here(monkeypatch, tmp_path):
    """A folder with the trace."""
    if not (trace := recorded()):
        pytest.skip("the trace is not here: set FTLAB_TRACES")
    monkeypatch.chdir(tmp_path)
    (tmp_path / TRACE).symlink_to(trace.resolve())


def run(ftlab_, command: str) -> str:
    """What a command prints."""
    result = ftlab_(*shlex.split(command.removeprefix("ftlab ")))
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.long
@pytest.mark.parametrize("page", [page for page in PAGES if COMMANDS.search(PAGES[page])])
def test_the_commands_of_a_page_print_what_it_says(ftlab, here, page):
    commands, words = COMMANDS.search(PAGES[page]).groups()
    said = re.findall(r"(\d\.\d{3})\s+with\s+`([\w-]+)`", words)
    printed = []
    for number, command in enumerate(commands.splitlines()):
        run(ftlab, f"{command} --results {number}")
        table = run(ftlab, f"ftlab results {number} --columns write_amplification,gc.policy")
        printed += re.findall(r" (\d\.\d{3}) +([\w-]+)", table)
    assert sorted(printed) == sorted(said)


@pytest.mark.long
def test_the_guide_shows_what_its_commands_print(ftlab, here):
    blocks = re.findall(
        r"^```(?:sh|console)\n(.*?)^```\n\n```text\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE
    )
    assert len(blocks) == 8
    for commands, shown in blocks:
        for command in commands.replace("$ ", "").splitlines():
            printed = run(ftlab, command)
        lines = iter(printed.splitlines())
        missing = [line for line in shown.splitlines() if line not in lines]
        assert missing == [], printed
