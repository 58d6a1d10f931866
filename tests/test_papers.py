"""The papers are a distribution of their own, on what ftlab offers to others."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import ftlab_papers

ROOT = Path(__file__).parent.parent
SOURCES = sorted(Path(ftlab_papers.__file__).parent.rglob("*.py"))
ABSENT = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "ftlab_papers" else find(name, *rest)
sys.argv[0] = "ftlab"
from ftlab.__main__ import main
main()
assert "ftlab_papers" not in sys.modules
"""


def imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield what is imported from ftlab: the module, and the name."""
    for each in ast.walk(tree):
        if isinstance(each, ast.ImportFrom) and str(each.module).split(".")[0] == "ftlab":
            yield from ((str(each.module), alias.name) for alias in each.names)
        if isinstance(each, ast.Import):
            yield from ((a.name, "") for a in each.names if a.name.split(".")[0] == "ftlab")


def is_public(module: str, name: str) -> bool:
    """Tell whether a module offers a name, or is a package with a module of this name that does."""
    offered = getattr(import_module(module), "__all__", ())
    if name in offered:
        return True
    try:
        return bool(import_module(f"{module}.{name}").__all__)
    except (ImportError, AttributeError):
        return False


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_papers_stand_on_what_ftlab_offers(path: Path) -> None:
    found = set(imports(ast.parse(path.read_text("utf-8"))))
    assert {each for each in found if not is_public(*each)} == set()


def test_what_is_not_offered_is_told_from_what_is() -> None:
    tree = ast.parse("from ftlab.points.kept import keep\nfrom ftlab.points import Point\n")
    assert [is_public(*each) for each in imports(tree)] == [False, True]


@pytest.mark.parametrize("line", [[], ["tpftl"], ["tpftl", "--quick", "--seeds", "2"]])
def test_without_papers_the_command_says_what_to_install(line: list[str]) -> None:
    command = [sys.executable, "-c", ABSENT, "reproduce", *line]
    done = subprocess.run(command, capture_output=True, text=True)
    told = "error: reproduce: found no ftlab-papers, expected it: pip install 'ftlab[papers]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)


@pytest.mark.long
def test_without_papers_the_help_has_the_command() -> None:
    done = subprocess.run([sys.executable, "-c", ABSENT, "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "needs ftlab[papers]" in done.stdout


def test_both_distributions_have_one_version() -> None:
    papers = tomllib.loads((ROOT / "papers" / "pyproject.toml").read_text("utf-8"))["project"]
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]
    assert papers["version"] == cargo["version"]
    assert f"ftlab[plot]=={cargo['version']}" in papers["dependencies"]
