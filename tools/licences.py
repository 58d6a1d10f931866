"""The crates that a wheel has compiled in, with their licences, as one text.

`tools/dist.py` puts it into the wheel; `python tools/licences.py` prints it. The texts are those
in the packages of the crates, which cargo has fetched.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
WHEEL = "ftlab-python"
"""The crate that is the wheel's module."""
PLATFORMS = ("x86_64-unknown-linux-gnu", "aarch64-apple-darwin", "x86_64-pc-windows-msvc")
"""Those for which wheels are built; others of the same systems link the same crates."""
NAMES = re.compile(r"(licen[cs]e|copying|notice|unlicense)([.-][\w.-]+)?", re.IGNORECASE)
SOURCES = {".c", ".h", ".rs", ".py"}
"""Ends of files that are no texts for people, whatever their names."""
RULE = "=" * 100


def compiled_in(root: Path) -> list[dict[str, Any]]:
    """Return the crates that are linked into the module on some platform, by name and version."""
    found = {
        (each["name"], each["version"]): each
        for platform in PLATFORMS
        for each in linked_on(platform, root)
    }
    return [found[key] for key in sorted(found)]


def linked_on(platform: str, root: Path) -> Iterator[dict[str, Any]]:
    """Yield the crates of others that are linked on a platform."""
    command = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1"]
    command += ["--filter-platform", platform]
    told = json.loads(subprocess.run(command, cwd=root, capture_output=True, check=True).stdout)
    packages = {each["id"]: each for each in told["packages"]}
    needs = {node["id"]: node["deps"] for node in told["resolve"]["nodes"]}
    seen: set[str] = set()
    waiting = [key for key, each in packages.items() if each["name"] == WHEEL]
    while waiting:
        key = waiting.pop()
        if key in seen or is_macro(packages[key]):
            continue
        seen.add(key)
        if packages[key]["source"]:
            yield packages[key]
        kinds = ((each["pkg"], kind["kind"]) for each in needs[key] for kind in each["dep_kinds"])
        waiting += [name for name, kind in kinds if kind is None]


def is_macro(package: dict[str, Any]) -> bool:
    """Return whether a crate runs in the compiler alone."""
    return any("proc-macro" in target["kind"] for target in package["targets"])


def texts_of(package: dict[str, Any]) -> Iterator[str]:
    """Yield the licences in a crate's package, and in the library in C that it brings along.

    No crate is under the GPL alone: where its text lies beside another licence, the other is used.
    """
    folder = Path(package["manifest_path"]).parent
    for path in sorted([*folder.glob("*"), *folder.glob("*/*")]):
        if path.is_file() and NAMES.fullmatch(path.name) and path.suffix not in SOURCES:
            text = path.read_text("utf-8", errors="replace").strip()
            if not text.startswith("GNU "):
                yield text


def whole_list(root: Path) -> str:
    """Return who, under what, and each text once."""
    users: dict[str, list[str]] = {}
    lines = ["The module ftlab._core has these crates compiled in.", ""]
    for crate in compiled_in(root):
        name = f"{crate['name']} {crate['version']}"
        lines.append(f"{name}: {crate['license']}")
        for text in dict.fromkeys(texts_of(crate)):
            users.setdefault(text, []).append(name)
    for text, names in users.items():
        lines += ["", RULE, ", ".join(names), RULE, "", text]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(whole_list(ROOT))
