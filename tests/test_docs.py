"""The documentation is true: its commands and its Python run, its tables have every name."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path

import click
import pytest

from ftlab.cli import program
from ftlab.config import merge
from test_core import SECTIONS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


def files_of(page: Path) -> dict[str, str]:
    """The files that a page tells to save: blocks that begin with their name."""
    named = re.compile(r"# (\w+\.(?:py|toml))\n")
    found = (
        (named.match(block), block) for block in [*blocks(page, "python"), *blocks(page, "toml")]
    )
    return {name[1]: block for name, block in found if name}


SESSIONS = [
    pytest.param(page, commands, id=f"{page.name}: {commands[0]}")
    for page in PAGES
    for block in blocks(page, "console")
    if (commands := re.findall(r"^\$ ftlab (.*)", block, re.MULTILINE))
]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_headings_of_the_docs_skip_no_level(page):
    """As `make docs` demands, which takes longer."""
    text = re.sub(r"^(```|:::).*?^\1", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    levels = [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)]
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))


@pytest.mark.parametrize(("page", "commands"), SESSIONS)
def test_commands_of_the_docs_run_one_after_another(ftlab, page, commands):
    for name, text in files_of(page).items():
        Path(name).write_text(text)
    for command in commands:
        result = ftlab(*shlex.split(command))
        assert result.exit_code == 0, f"{page.name}: {result.output}"


# What needs the package of examples/own-ftl is run where that is installed: test_own_ftl.py.
OWN = ROOT / "docs/tutorial-rust.md"
RUN = [page for page in PAGES if page != OWN and blocks(page, "python")]


@pytest.mark.parametrize("page", RUN, ids=str)
def test_python_of_the_docs_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)


def test_the_example_of_the_package_runs():
    import doctest

    import ftlab

    assert doctest.testmod(ftlab).failed == 0


def test_every_figure_of_a_result_is_documented():
    text = (ROOT / "docs" / "results.md").read_text("utf-8")
    words = set(re.findall(r"[a-z0-9_]+", text))
    named = merge({section: dict.fromkeys(keys.split())} for section, keys in SECTIONS.items())
    missing = [f"{s}.{key}" for s, keys in named.items() for key in keys if key not in words]
    assert missing == []


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
    known = {*re.findall(r"[\w-]+", rows), "ftlab", "ftlab-traces"}
    assert sorted(set(requirements()) - known) == []


def test_every_option_of_a_verb_with_many_is_documented():
    text = (ROOT / "docs" / "cli.md").read_text("utf-8")
    verbs = ("run", "compare", "sweep", "results", "check")
    options = [
        name for verb in verbs for each in program.commands[verb].params for name in each.opts
    ]
    flags = [name for name in options if name.startswith("--") and name != "--output"]
    assert [flag for flag in flags if flag not in text] == []
