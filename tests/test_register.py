"""The register of choices, docs/choices.md, and those who cite it agree."""

import json
import re
from itertools import chain
from pathlib import Path

from ftlab import _core

ROOT = Path(__file__).parent.parent
REGISTER = ROOT / "docs" / "choices.md"
FOLDERS = {
    "crates": (".rs", ".toml", ".json", ".snap", ".md"),
    "docs": (".md",),
    "examples": (".rs", ".py", ".toml"),
    "fuzz": (".rs", ".toml"),
    "papers": (".py", ".md", ".toml"),
    "python": (".py", ".pyi"),
    "tests": (".py", ".toml"),
    "tools": (".py",),
}
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]

CITATION = re.compile(r"choices\.md#([a-z0-9-]+)")
ENTRY = re.compile(r"^### (.+)\n((?:(?!^#).*\n)*)", re.MULTILINE)
SETTING = re.compile(r"^Setting: ((?:[^\n]+\n)+)", re.MULTILINE)
NUMBERED = re.compile(
    r"\b(?:ALGORITHMS|RELIABILITY|CLAIMS|ARCHITECTURE|CONVENTIONS|COVERAGE)(?:\.md|\s+\d)"
    r"|\b\d\d-[A-Z]\d"
)
"""Sections of documents that are not part of the project, such as those a plan is made of."""


def files():
    for folder, suffixes in FOLDERS.items():
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in suffixes and not {"_build", "target"} & set(path.parts):
                yield path
    yield from PAGES


TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in files()
    if path != Path(__file__)
}
ENTRIES = ENTRY.findall(REGISTER.read_text("utf-8"))
NAMES = [name for name, _ in ENTRIES]


def keys_of(body):
    """Return the settings that an entry names; an entry has one line of them."""
    (line,) = SETTING.findall(body)
    return re.findall(r"`([^`]+)`", line)


def known_keys():
    config = json.loads(_core.resolve("{}"))
    sections = {name: keys for name, keys in config.items() if isinstance(keys, dict)}
    return {f"{name}.{key}" for name, keys in sections.items() for key in keys}


def test_names_of_choices_are_short_and_unique():
    assert len(set(NAMES)) == len(NAMES)
    assert [name for name in NAMES if not re.fullmatch(r"[a-z0-9-]{2,24}", name)] == []


def test_every_choice_says_what_switches_it():
    silent = [name for name, body in ENTRIES if len(SETTING.findall(body)) != 1]
    assert silent == []
    neither = [name for name, body in ENTRIES if not keys_of(body) and "Setting: none." not in body]
    assert neither == []


def test_every_setting_of_a_choice_is_one_of_the_core():
    known = known_keys()
    unknown = [f"{name}: {key}" for name, body in ENTRIES for key in keys_of(body)]
    assert [each for each in unknown if each.split(": ")[1] not in known] == []


def test_every_citation_leads_to_a_choice():
    lost = [
        f"{path}: {name}"
        for path, text in TEXTS.items()
        for name in CITATION.findall(text)
        if name not in NAMES
    ]
    within = re.findall(r"\]\(#([a-z0-9-]+)\)", REGISTER.read_text("utf-8"))
    assert lost + [name for name in within if name not in NAMES] == []


def test_every_choice_is_cited_or_can_be_switched():
    cited = set(chain.from_iterable(CITATION.findall(text) for text in TEXTS.values()))
    idle = [name for name, body in ENTRIES if name not in cited and not keys_of(body)]
    assert idle == []


def test_nothing_cites_a_document_that_is_not_there():
    found = [f"{path}: {each}" for path, text in TEXTS.items() for each in NUMBERED.findall(text)]
    assert found == []
