"""Builds what is published from the last commit: source distributions, and from those wheels.

Run `make dist`, or with an address `make dist URL=https://...` to have links in the README and in
the metadata. `make dist TARGETS=aarch64-unknown-linux-gnu` builds a wheel for that target, too. The
source distribution holds every crate, so it builds without network; wheels are built from it, to
prove that. The papers (`papers/`) are a distribution of their own.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

from licences import whole_list

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
STAGE = ROOT / "target" / "dist"
LICENCES = "THIRD-PARTY-LICENSES.txt"
PLATFORM = "manylinux_2_28"
"""The oldest system that the wheel runs on: glibc 2.28, of 2018."""
VENDORED = """[source.crates-io]
replace-with = "vendored-sources"

[source.vendored-sources]
directory = "vendor"
"""
INCLUDED = """include = [
    { path = "vendor/**/*", format = "sdist" },
    { path = ".cargo/config.toml", format = "sdist" },
]
"""


WORKSPACE = re.compile(r"\[tool\.uv\.\w+\]\n(?:.+\n)+\n")
"""What binds the distributions in the repository; a published one stands alone."""


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a command that must succeed."""
    print("+", *command, flush=True)
    subprocess.run(command, cwd=cwd, check=True, stdout=sys.stderr)


def stage(url: str | None) -> Path:
    """Return a copy of the last commit, with every crate and what only a distribution has."""
    tree = STAGE / "source"
    shutil.rmtree(STAGE, ignore_errors=True)
    tree.mkdir(parents=True)
    archive = STAGE / "source.tar"
    run("git", "archive", "--output", archive, "HEAD")
    with tarfile.open(archive) as files:
        files.extractall(tree, filter="data")
    run("cargo", "vendor", "--quiet", "--locked", "--versioned-dirs", "vendor", cwd=tree)
    (tree / ".cargo").mkdir(exist_ok=True)
    (tree / ".cargo" / "config.toml").write_text(VENDORED)
    (tree / LICENCES).write_text(whole_list(tree), "utf-8")
    project = tree / "pyproject.toml"
    project.write_text(completed(project.read_text("utf-8"), url), "utf-8")
    papers = tree / "papers" / "pyproject.toml"
    papers.write_text(with_address(papers.read_text("utf-8"), url), "utf-8")
    readme = tree / "README.md"
    readme.write_text(standing_alone(readme.read_text("utf-8"), url), "utf-8")
    return tree


def completed(project: str, url: str | None) -> str:
    """Return pyproject.toml with what only a distribution has."""
    changes = {
        'license-files = ["LICENSE"]\n': f'license-files = ["LICENSE", "{LICENCES}"]\n',
        "[tool.maturin]\n": f"[tool.maturin]\n{INCLUDED}",
    }
    for before, after in changes.items():
        if project.count(before) != 1:
            raise ValueError(f"pyproject.toml: expected {before!r} once")
        project = project.replace(before, after)
    return with_address(WORKSPACE.sub("", project), url)


def with_address(project: str, url: str | None) -> str:
    """Return a pyproject.toml with the address of the project, if it has one."""
    if url:
        project += f'\n[project.urls]\nHomepage = "{url}"\n'
    tomllib.loads(project)
    return project


def standing_alone(readme: str, url: str | None) -> str:
    """Return the README with links that lead somewhere from any page, or without links."""
    if url:
        return re.sub(r"\]\((?!https?:|#)([^)]+)\)", rf"]({url.rstrip('/')}/\1)", readme)
    words = re.sub(r"!\[[^\]]*\]\([^)]+\)\n*", "", readme)
    return re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]+\)", r"\1", words)


def build(tree: Path, offline: list[str], targets: list[str]) -> list[Path]:
    """Return the source distributions of a tree, and the wheels that were built from them alone."""
    shutil.rmtree(DIST, ignore_errors=True)
    run("maturin", "sdist", "--out", DIST, cwd=tree)
    (source,) = DIST.glob("*.tar.gz")
    with tarfile.open(source) as files:
        files.extractall(STAGE / "unpacked", filter="data")
    (unpacked,) = (STAGE / "unpacked").iterdir()
    options = ["--release", "--locked", "--offline", "--zig", "--compatibility", PLATFORM]
    options += ["--target-dir", str(ROOT / "target"), "--out", str(DIST)]
    for target in [[], *(["--target", target] for target in targets)]:
        run(*offline, "maturin", "build", *options, *target, cwd=unpacked)
    run(*offline, "uv", "build", "--offline", "--quiet", "--out-dir", DIST, cwd=tree / "papers")
    (DIST / ".gitignore").unlink(missing_ok=True)
    return sorted(DIST.iterdir())


def without_network() -> list[str]:
    """Return the command that takes the network away from another, where the system has it."""
    command = ["unshare", "--map-root-user", "--net"]
    if shutil.which("unshare") is None:
        return []
    return command if subprocess.run([*command, "true"]).returncode == 0 else []


def main() -> None:
    """Build all, and tell what they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="where the files of the repository are read")
    parser.add_argument("--target", action="append", default=[], help="another Rust target")
    given = parser.parse_args()
    for path in build(stage(given.url), without_network(), given.target):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
