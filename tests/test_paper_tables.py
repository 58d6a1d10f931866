"""The tables of papers: claims, changes, and the words of reports."""

from importlib import import_module
from pathlib import Path

import pytest

from ftlab_papers import PAPERS, tables
from ftlab_papers.claims import Claim, Group
from ftlab_papers.findings import Value

EXPERIMENTS = {
    paper: import_module(f"ftlab_papers.{paper.replace('-', '_')}").EXPERIMENT for paper in PAPERS
}
CLAIMS = """| claim | where | what | kind | reason |
| :-- | :-- | :-- | :-- | :-- |
| T1 | 5.2, Fig. 6 | faster | headline, double of T2 | told: both; src |
| T2 | ours | slower | own, by construction | |
| T3 | 1 | plain | | |
"""
CHANGES = """| change | what is changed | claims | settings | points |
| :-- | :-- | :-- | :-- | :-- |
| half | half the load | T1 T2 | host.time_scale=1/2 host.mode=closed:1 | fast; both but 1/8 |
| more | more blocks | T3 | log_of 16 | |
| other | another volume | T3 | | odd |
"""


@pytest.fixture
def package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Path:
    """Return the folder of a package with tables."""
    folder = tmp_path / f"paper_of_{request.node.name}"
    folder.mkdir()
    for name, text in (("__init__.py", ""), ("claims.md", CLAIMS), ("changes.md", CHANGES)):
        (folder / name).write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


VALUE = Value("", 1.0, lambda runs: 1.0)
BOTH = {"both": ("ts", "web")}


def told(runs: object, *names: str) -> str:
    return " ".join(names)


def test_a_claim_has_its_kinds_and_its_reason(package: Path) -> None:
    says = {"T1": VALUE, "T2": [VALUE, VALUE], "T3": VALUE}
    first, second, third = tables.claims(package.name, says, {"told": told}, {"T3": "it is"}, BOTH)
    assert (first.id, first.where, first.what) == ("T1", "5.2, Fig. 6", "faster")
    assert (first.headline, first.own, first.constructed, first.double) == (
        True,
        False,
        False,
        "T2",
    )
    assert (second.headline, second.own, second.constructed) == (False, True, True)
    assert third == Claim("T3", "1", "plain", [VALUE], None, "it is")
    assert [len(each.statements) for each in (first, second)] == [1, 2]
    assert first.why is not None
    assert first.why(None) == "ts web src"  # type: ignore[arg-type]


def test_a_table_that_does_not_fit_what_claims_say_is_refused(package: Path) -> None:
    says = {"T1": VALUE, "T2": VALUE}
    with pytest.raises(ValueError, match=r"differ in \['T3'\]"):
        tables.claims(package.name, says)
    (package / "claims.md").write_text(CLAIMS.replace("own, by", "ours, by"), "utf-8")
    with pytest.raises(ValueError, match=r"T2: found \['ours'\], expected"):
        tables.claims(package.name, {**says, "T3": VALUE})


def test_a_change_has_settings_and_points(package: Path) -> None:
    def log_of(blocks: int) -> object:
        return lambda *_: {"log": {"blocks": blocks}}

    odd = {"odd": lambda key: len(key) % 2 == 1}
    half, more, other = tables.changes(
        package.name, BOTH | odd, {"log_of": log_of}, counted={"other": {"a": "b"}}
    )
    assert half.sections == {"host": {"time_scale": 0.5, "mode": "closed:1"}}
    assert list(half.claims) == ["T1", "T2"]
    chosen = [("ts", "page"), ("src", "fast"), ("src", "page"), ("web", "fast", "1/8")]
    assert [half.only(key) for key in chosen] == [True, True, False, False]
    assert callable(more.sections) and more.only(("any",))
    assert more.sections(("any",), None, package) == {"log": {"blocks": 16}}  # type: ignore[arg-type]
    assert (other.sections, other.counted) == ({}, {"a": "b"})
    assert [other.only(key) for key in (("a",), ("a", "b"))] == [True, False]


@pytest.mark.parametrize(
    ("text", "value"),
    [("4MiB", "4MiB"), ("16", 16), ("0.05", 0.05), ("1/400", 1 / 400), ("False", False)],
)
def test_a_setting_is_a_number_a_truth_or_a_text(text: str, value: object) -> None:
    assert tables._value(text) == value
    assert type(tables._value(text)) is type(value)


def test_words_are_put_into_paragraphs_and_captions(package: Path) -> None:
    blocks = ["# First", "Of {count:,}\nrequests.", "More.", "![A\nfigure of {count}.](fig.svg)"]
    (package / "text.md").write_text("\n\n".join([*blocks, "## last\n"]), "utf-8")
    words = tables.Words(package.name)
    part = words.part("First", (), {"fig": lambda: None}, count=1000)  # type: ignore[dict-item]
    assert part.paragraphs == ["Of 1,000 requests.", "More."]
    assert [(each.name, each.caption) for each in part.pictures] == [("fig", "A figure of 1000.")]
    assert words("last") == ""


@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_has_headlines_and_own_claims_by_their_letters(paper: str) -> None:
    claims = {each.id: each for each in EXPERIMENTS[paper].claims}
    assert any(each.headline for each in claims.values())
    assert {each.id for each in claims.values() if each.own} == {i for i in claims if i[0] in "AO"}
    assert all(claims[each.double].id != each.id for each in claims.values() if each.double)


def test_of_176_claims_138_are_of_papers_and_what_cannot_fail_is_apart() -> None:
    claims = {name: experiment.claims for name, experiment in EXPERIMENTS.items()}
    groups = [each.group for found in claims.values() for each in found]
    assert {group: groups.count(group) for group in Group} == {
        Group.PAPER: 126,
        Group.APART: 12,
        Group.OURS: 38,
    }
    apart = {
        name: [each.id for each in found if each.group is Group.APART]
        for name, found in claims.items()
    }
    assert apart == {
        "tpftl": ["T1", "T4", "T10", "T46"],
        "mnftl": ["M2", "M6", "M7", "M8", "M9"],
        "dloop": ["D2"],
        "cachftl": ["C3", "C21"],
        "dftl": [],
        "separation": [],
        "warp": [],
        "drives": [],
        "fdp-cache": [],
    }
