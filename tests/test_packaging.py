"""What is published: links, licences, versions that agree."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from ftlab import _core
from ftlab_papers import PAPERS

UV = str(Path(sys.executable).with_name("uv"))
ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import dist  # noqa: E402
import licences  # noqa: E402

README = (ROOT / "README.md").read_text("utf-8")
PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
PERMISSIVE = {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "bzip2-1.0.6", "MIT"}
PERMISSIVE |= {"Unicode-3.0", "Unlicense", "Zlib", "LLVM-exception"}
"""Licences whose texts are all that they ask for."""


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)]+)\)", text)


def test_links_of_a_published_readme_are_absolute():
    published = dist.standing_alone(README, "https://example.org/ftlab/")
    assert len(links(published)) == len(links(README)) > 20
    assert {link.split("/")[2] for link in links(published)} == {"example.org"}
    assert "https://example.org/ftlab/docs/limits.md" in links(published)


def test_without_an_address_a_published_readme_has_words_and_no_links():
    published = dist.standing_alone(README, None)
    assert links(published) == []
    assert "[all limits](docs/limits.md)" in README
    assert "all limits" in published


@pytest.mark.parametrize("url", [None, "https://example.org/ftlab"])
def test_published_papers_need_the_ftlab_of_their_version_and_no_invented_address(url):
    papers = (ROOT / "papers" / "pyproject.toml").read_text("utf-8")
    project = tomllib.loads(dist.with_address(papers, url))["project"]
    assert project.get("urls") == ({"Homepage": url} if url else None)
    assert f"ftlab[plot]=={project['version']}" in project["dependencies"]
    assert links((ROOT / "papers" / "README.md").read_text("utf-8")) == []


def test_published_papers_have_tables_words_and_licence(tmp_path):
    command = [*(UV, "build", "--offline", "--quiet", "--wheel", "--out-dir"), str(tmp_path)]
    subprocess.run(command, cwd=ROOT / "papers", check=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for paper in (name.replace("-", "_") for name in PAPERS):
        files = ("__init__.py", "claims.md", "changes.md", "text.md")
        assert {f"ftlab_papers/{paper}/{each}" for each in files} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert "ftlab_papers/py.typed" in names


@pytest.mark.parametrize("url", [None, "https://example.org/ftlab"])
def test_a_published_project_has_licences_crates_and_no_invented_address(url):
    project = tomllib.loads(dist.completed(PROJECT, url))
    assert project["project"]["license-files"] == ["LICENSE", dist.LICENCES]
    assert project["project"]["authors"] == [{"name": "the ftlab developers"}]
    assert project["project"].get("urls") == ({"Homepage": url} if url else None)
    assert "uv" not in project["tool"], "a published project is no member of a workspace"
    included = {each["path"] for each in project["tool"]["maturin"]["include"]}
    assert included == {"vendor/**/*", ".cargo/config.toml"}


@pytest.mark.long
def test_the_source_of_a_distribution_has_every_crate_and_its_licence(tmp_path, monkeypatch):
    monkeypatch.setattr(dist, "STAGE", tmp_path / "dist")
    tree = dist.stage(None)
    assert "vendored-sources" in (tree / ".cargo" / "config.toml").read_text("utf-8")
    licensed = (tree / dist.LICENCES).read_text("utf-8")
    for crate in licences.compiled_in(ROOT):
        folder = tree / "vendor" / f"{crate['name']}-{crate['version']}"
        assert (folder / "Cargo.toml").is_file()
        assert crate["name"] in licensed


def test_a_project_that_is_not_as_expected_is_refused():
    with pytest.raises(ValueError, match="license-files"):
        dist.completed(PROJECT.replace("license-files", "license_files"), None)


def test_every_crate_of_a_wheel_can_be_had_under_a_permissive_licence():
    crates = licences.compiled_in(ROOT)
    assert len(crates) > 40
    for crate in crates:
        either = re.split(r" OR |/", crate["license"])
        words = [set(re.findall(r"[\w.-]+", each)) - {"AND", "WITH"} for each in either]
        assert any(each <= PERMISSIVE for each in words), crate["name"]
        assert list(licences.texts_of(crate)), f"{crate['name']} has no text"


def test_the_oldest_rust_is_the_one_that_the_pages_name():
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]
    for page in ("README.md", "CHANGELOG.md", "docs/packaging.md"):
        text = (ROOT / page).read_text("utf-8")
        found = re.findall(r"(?:Rust|\| Rust \|) (\d+\.\d+) or later", text)
        assert found == [cargo["rust-version"]], page


def test_one_version_is_everywhere():
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## (\d+\.\d+\.\d+)", changes, re.MULTILINE)
    assert {_core.__version__, cited[1], newest[1]} == {cargo["version"]}
