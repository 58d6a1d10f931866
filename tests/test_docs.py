"""The documentation is true: its commands and its Python run, its tables have every name."""

import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path

import click
import pytest

import ftlab as ftlab_
from ftlab.cli import GROUPS, program

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(path for path in ROOT.glob("docs/**/*.md") if "_build" not in path.parts),
]

PAGE_MAPPED = (ROOT / "python" / "ftlab" / "page_mapped.py").read_text("utf-8")
"""The FTL in Python that `ftlab new` writes under another name."""

sys.path.insert(0, str(ROOT / "docs" / "_extensions"))

RUN = {"console", "python", "toml", "{figure-of}", "{plotted}"}
"""Languages of blocks that are run here, if nothing above them says otherwise."""
SHOWN = {"text", "{memory}", "{eval-rst}", "{toctree}", "{settings-of}", "{ftl-index}"}
SHOWN |= {"{settings-of-separation}"}
"""Languages of blocks that cannot be run: text, and what Sphinx fills in."""
HOURS = {
    f"docs/reproduce{name}.md": "evaluations take hours; test_reproduce*.py runs parts of them"
    for name in ("", "-cachftl", "-dloop", "-drives", "-fdp-cache", "-separation", "-warp")
}
"""Pages whose blocks without a language are not run, and why."""


@dataclass(frozen=True)
class Block:
    """A block of a page: its language, its text, and what is said of it in the comment above."""

    page: Path
    language: str
    text: str
    exempt: str

    @property
    def name(self) -> str | None:
        """The name of the file that the page tells to save it in: its first line."""
        found = re.match(r"# (\w+\.(?:py|toml|csv))\n", self.text)
        return found[1] if found else None


def blocks_of(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    pattern = (
        r"(?:^<!-- ((?:not run here: |run by )\S[^\n]*) -->\n)?"
        r"^(`{3}|:{3})(\{?[\w-]*\}?)[^\n]*\n(.*?)^\2"
    )
    found = re.finditer(pattern, page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [Block(page, each[3], each[4], each[1] or "") for each in found]


BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def blocks(page: Path, language: str) -> list[str]:
    """The text of the blocks of a page that are run."""
    here = (each for each in BLOCKS if each.page == page and not each.exempt)
    return [each.text for each in here if each.language == language]


def files_of(page: Path) -> dict[str, str]:
    """The files that a page tells to save: blocks that begin with their name."""
    return {each.name: each.text for each in BLOCKS if each.page == page and each.name}


SESSIONS = [
    pytest.param(page, commands, id=f"{page.name}: {commands[0]}")
    for page in PAGES
    for block in blocks(page, "console")
    if (commands := re.findall(r"^\$ ftlab (.*)", block, re.MULTILINE))
]


def begun(page: Path) -> list[str]:
    """The commands by which a page writes files that its later commands read."""
    every = re.findall(r"^\$ ftlab (new .*)", "".join(blocks(page, "console")), re.MULTILINE)
    return [each.strip() for each in every]


def test_every_block_is_run_or_says_why_not():
    def is_fine(block: Block) -> bool:
        if not block.language:
            return str(block.page.relative_to(ROOT)) in HOURS
        return block.language in RUN | SHOWN or bool(block.exempt)

    loose = [each for each in BLOCKS if not is_fine(each)]
    assert [f"{each.page.name}: {each.language} {each.text[:40]}" for each in loose] == []


def test_every_line_of_a_console_block_is_a_command_or_its_output():
    starts = [(each.page.name, each.text) for each in BLOCKS if each.language == "console"]
    assert [page for page, text in starts if not text.startswith("$ ftlab ")] == []
    others = [line for _, text in starts for line in text.splitlines() if line.startswith("$")]
    assert [line for line in others if not line.startswith("$ ftlab ")] == []


def test_toml_files_of_the_docs_are_used_by_their_page():
    for page in PAGES:
        commands = " ".join(blocks(page, "console"))
        named = [name for name in files_of(page) if name.endswith(".toml")]
        assert [name for name in named if name not in commands] == [], page.name


NAMELESS = [
    pytest.param(each.text, id=f"{each.page.name}: {each.text[:30]}")
    for each in BLOCKS
    if each.language == "toml" and not each.name and not each.exempt
]


@pytest.mark.parametrize("text", NAMELESS)
def test_toml_without_a_name_is_a_workload(text):
    words = tomllib.loads(text) | {"requests": 200}
    result = ftlab_.simulate(ftlab_.Workload(**words), "page")
    assert result.host.requests == 200


FIGURES = [
    pytest.param(each.text, id=each.text.splitlines()[-1])
    for each in BLOCKS
    if each.language == "{figure-of}"
]


@pytest.mark.long
@pytest.mark.parametrize("code", FIGURES)
def test_figures_of_the_docs_are_drawn(code):
    from gallery import figure_of, image_of

    assert len(image_of(figure_of(code, "docs"))) > 10_000


PLOTTED = [
    pytest.param(each.text.splitlines(), id=each.text.split()[-1])
    for each in BLOCKS
    if each.language == "{plotted}"
]


@pytest.mark.long
@pytest.mark.parametrize("commands", PLOTTED)
def test_figures_of_papers_are_drawn_by_commands(commands):
    from gallery import picture_of

    drawn = picture_of(commands).decode()
    # Bars, lines and markers are clipped to their axes; axes without any have none.
    assert drawn.count("clip-path=") >= 4 and "no data" not in drawn
    words = shlex.split(commands[-1])
    labels = [word.rpartition("=")[2] for flag, word in pairwise(words) if flag == "--label"]
    assert all(f">{label}</text>" in drawn for label in labels)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_headings_of_the_docs_skip_no_level(page):
    """As `make docs` demands, which takes longer."""
    text = re.sub(r"^(```|:::).*?^\1", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    levels = [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)]
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))


@pytest.mark.long
@pytest.mark.parametrize(("page", "commands"), SESSIONS)
def test_commands_of_the_docs_run_one_after_another(ftlab, page, commands):
    for name, text in files_of(page).items():
        Path(name).write_text(text)
    for command in [*(each for each in begun(page) if each not in commands), *commands]:
        result = ftlab(*shlex.split(command))
        assert result.exit_code == 0, f"{page.name}: {result.output}"


@pytest.mark.long
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=str)
def test_python_of_the_docs_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)


def test_the_example_of_the_package_runs():
    import doctest

    import ftlab

    assert doctest.testmod(ftlab).failed == 0


def test_the_index_omits_no_page():
    index = ROOT / "docs" / "index.md"
    linked = set(re.findall(r"\]\(([\w./-]+\.md)\)", index.read_text("utf-8")))
    pages = {path.name for path in ROOT.glob("docs/*.md")} - {"index.md"}
    assert pages - linked == set()


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        targets = re.findall(r"\]\(([\w./-]+\.(?:md|cff))\)", page.read_text("utf-8"))
        assert [each for each in targets if not (page.parent / each).exists()] == [], page.name


def verbs(group: click.Group, before: str = "ftlab") -> Iterator[str]:
    """The verbs of the command line, as they are written."""
    for name, each in group.commands.items():
        if isinstance(each, click.Group):
            yield from verbs(each, f"{before} {name}")
        else:
            yield f"{before} {name}"


def test_commands_are_grouped_as_in_the_help():
    text = (ROOT / "docs" / "cli.md").read_text("utf-8")
    rows = re.findall(r"^\| (.*) \| (`.*`) \|$", text.partition("## Commands")[2], re.MULTILINE)
    groups = [(title, ", ".join(f"`{name}`" for name in group)) for title, group in GROUPS.items()]
    assert rows[: len(groups)] == groups


def test_every_verb_has_a_section():
    text = (ROOT / "docs" / "cli.md").read_text("utf-8")
    headings = " ".join(re.findall(r"^## (.*)", text, re.MULTILINE))
    assert [verb for verb in verbs(program) if not re.search(rf"`{verb}\b", headings)] == []


def requirements() -> Iterator[str]:
    """The packages and crates that are asked for somewhere."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    asked = [project["build-system"]["requires"], project["project"]["dependencies"]]
    asked += project["project"]["optional-dependencies"].values()
    asked += project["dependency-groups"].values()
    for each in chain.from_iterable(asked):
        yield re.match(r"[\w-]+", each)[0]
    for path in [*ROOT.glob("crates/*/Cargo.toml"), ROOT / "fuzz" / "Cargo.toml"]:
        crate = tomllib.loads(path.read_text("utf-8"))
        yield from crate["dependencies"]
        yield from crate.get("dev-dependencies", {})


def test_every_dependency_has_a_row():
    text = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    rows = " ".join(re.findall(r"^\| ([^|]*) \|", text, re.MULTILINE))
    known = {*re.findall(r"[\w-]+", rows), "ftlab", "ftlab-papers", "ftlab-traces"}
    known |= {each.lower() for each in known}
    assert sorted(set(requirements()) - known) == []


def test_every_option_of_a_verb_with_many_is_documented():
    text = (ROOT / "docs" / "cli.md").read_text("utf-8")
    verbs = ("run", "compare", "sweep", "results", "check")
    options = [
        name for verb in verbs for each in program.commands[verb].params for name in each.opts
    ]
    flags = [name for name in options if name.startswith("--") and name != "--output"]
    assert [flag for flag in flags if flag not in text] == []
