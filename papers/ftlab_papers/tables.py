"""The tables and the words of a paper, which are Markdown files of its package.

``claims.md`` has a row for each claim, ``changes.md`` one for each thing that is changed, and
``text.md`` the words of the report. What is measured and drawn is Python.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias

from ftlab.points import Config, merge
from ftlab.report.tables import Table
from ftlab_papers.claims import Claim, Counterfactual, Maker
from ftlab_papers.findings import Statement
from ftlab_papers.report import Part, Picture
from ftlab_papers.runs import Key, Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OWN, HEADLINE, CONSTRUCTED, DOUBLE = "own", "headline", "by construction", "double of "
"""The kinds of a claim, as its table has them."""

Pictures: TypeAlias = "Mapping[str, Callable[[], Figure]]"
"""How to draw pictures, by the names of their files."""

Says: TypeAlias = Mapping[str, Statement | Sequence[Statement]]
"""The statements that claims are made of, by their names."""

Choice: TypeAlias = Sequence[str] | Callable[[Key], bool]
"""What a table calls by a name: names of points, or whether a point is meant."""


def claims(
    package: str,
    says: Says,
    reasons: Mapping[str, Callable[..., str]] | None = None,
    proofs: Mapping[str, str] | None = None,
    names: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Claim, ...]:
    """Return the claims of a paper in the order of its table.

    What a claim ``says`` are its statements. Its reason in the table is the name of one of the
    ``reasons``, and what that is called with behind the runs; ``names`` stand for several.
    """

    def why(cell: str) -> Callable[[Runs], str] | None:
        name, _, given = cell.partition(": ")
        listed = given.split("; ") if given else []
        words = [part for each in listed for part in (names or {}).get(each, [each])]
        return (lambda runs: (reasons or {})[name](runs, *words)) if name else None

    def claim(name: str, where: str, what: str, kinds: str, reason: str) -> Claim:
        found, kind = says[name], kinds.split(", ") if kinds else []
        known = {OWN, HEADLINE, CONSTRUCTED, *(DOUBLE + other for other in says)}
        if unknown := sorted({*kind} - known):
            raise ValueError(f"{package}: claims.md: {name}: found {unknown}, expected {known}")
        return Claim(
            name,
            where,
            what,
            found if isinstance(found, Sequence) else [found],
            why(reason),
            (proofs or {}).get(name, ""),
            own=OWN in kind,
            headline=HEADLINE in kind,
            constructed=CONSTRUCTED in kind,
            double="".join(each.removeprefix(DOUBLE) for each in kind if each.startswith(DOUBLE)),
        )

    table = _rows(package, "claims.md")
    if listed := {name for name, *_ in table} ^ says.keys():
        raise ValueError(f"{package}: claims.md and what claims say differ in {sorted(listed)}")
    return tuple(claim(*cells) for cells in table)


def changes(
    package: str,
    names: Mapping[str, Choice] | None = None,
    makers: Mapping[str, Callable[..., Any]] | None = None,
    **more: Mapping[str, Any],
) -> tuple[Counterfactual, ...]:
    """Return what is changed, in the order of a paper's table.

    A row chooses points by parts of their names, separated by ``;``, those after ``but`` left out.
    ``names`` has more of them. Settings are as the command line takes them, or the name of one of
    the ``makers`` with what it is called with. ``more`` has further attributes of
    `Counterfactual`, by the names of changes.
    """

    def change(name: str, what: str, judged: str, settings: str, points: str) -> Counterfactual:
        further = {key: given[name] for key, given in more.items() if name in given}
        sections = _sections(settings, makers or {})
        only = _chosen(points, names or {})
        return Counterfactual(name, what, judged.split(), sections, only, **further)

    return tuple(change(*cells) for cells in _rows(package, "changes.md"))


def _sections(cell: str, makers: Mapping[str, Callable[..., Any]]) -> Config | Maker:
    if "=" in cell:
        return merge(map(_section, cell.split(" ")))
    if not cell:
        return {}
    name, *given = cell.split(" ")
    made: Maker = makers[name](*map(_value, given)) if given else makers[name]
    return made


def _section(setting: str) -> Config:
    key, _, value = setting.partition("=")
    section, name = key.split(".")
    return {section: {name: _value(value)}}


def _value(text: str) -> Any:
    """Return a number, a truth, or a quotient of numbers; other texts as they are."""
    if quotient := re.fullmatch(r"([\d.]+)/([\d.]+)", text):
        return float(quotient[1]) / float(quotient[2])
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _chosen(cell: str, names: Mapping[str, Choice]) -> Callable[[Key], bool]:
    def parts(text: str) -> set[str]:
        listed = text.split("; ") if text else []
        return {each for name in listed for each in _listed(names.get(name, [name]))}

    found = names.get(cell)
    if callable(found):
        return found
    some, _, but = cell.partition(" but ")
    wanted, without = parts(some), parts(but)
    return lambda key: (not wanted or not wanted.isdisjoint(key)) and without.isdisjoint(key)


def _listed(choice: Choice) -> Sequence[str]:
    if callable(choice):
        raise TypeError("found a function among names of points, expected it alone")
    return choice


def _rows(package: str, name: str) -> list[list[str]]:
    """Return the cells of a table below its header."""
    lines = [line for line in _read(package, name).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines[2:]]


def _read(package: str, name: str) -> str:
    return resources.files(package).joinpath(name).read_text("utf-8")


@dataclass(frozen=True)
class Section:
    """Words under a heading: paragraphs, and captions by the name of their picture."""

    paragraphs: list[str] = field(default_factory=list)
    captions: dict[str, str] = field(default_factory=dict)


class Words:
    """The words of a paper's report: templates under headings, in which values are put."""

    def __init__(self, package: str) -> None:
        blocks = re.split(r"\n{2,}", _read(package, "text.md").strip())
        self._sections: dict[str, Section] = {}
        for block in (" ".join(each.splitlines()) for each in blocks):
            if block.startswith("#"):
                section = self._sections[block.lstrip("# ")] = Section()
            elif picture := re.fullmatch(r"!\[(.*)\]\((.*)\.svg\)", block):
                section.captions[picture[2]] = picture[1]
            else:
                section.paragraphs.append(block)

    def __call__(self, heading: str, **values: object) -> str:
        """Return the words under a heading as one text."""
        return " ".join(self.paragraphs(heading, **values))

    def paragraphs(self, heading: str, **values: object) -> list[str]:
        """Return the paragraphs under a heading."""
        return [each.format(**values) for each in self._sections[heading].paragraphs]

    def part(
        self,
        title: str,
        tables: Sequence[Table] = (),
        pictures: Pictures | None = None,
        **values: object,
    ) -> Part:
        """Return the part of a report under a heading, with tables and pictures by their names."""
        captions = self._sections[title].captions
        drawn = [Picture(k, captions[k].format(**values), d) for k, d in (pictures or {}).items()]
        return Part(title, self.paragraphs(title, **values), tables, drawn)
