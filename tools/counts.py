"""Recompute how many claims have which verdict from the tables of the documentation.

Run ``python tools/counts.py``: it prints the counts of each paper, and each sentence of the
documentation that says otherwise. It fails if there is one. The tables are those that
``tools/claims.py`` writes; what a claim counts among is in the tables of `ftlab_papers`.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from ftlab_papers import PAPERS
from ftlab_papers.claims import Group
from ftlab_papers.findings import Verdict

ROOT = Path(__file__).resolve().parent.parent
TABLE = re.compile(r"<!-- claims ([\w-]+) -->\n(.*?)\n<!-- end -->", re.S)
SENTENCE = re.compile(r"Of (\d+) claims (of [^\d]*?) ((?:\d+ [a-z ]+(?:, )?)+)\.")
ROW = re.compile(r"^\| \[([\w-]+)\]\(docs/reproduce[^)]*\) \|(.*)\|$", re.M)
TOTAL = re.compile(r"(\d+) of (\d+) (?:statements|claims of the papers)")
SAID = {
    "agree": Verdict.AGREES,
    "agree in direction only": Verdict.DIRECTION,
    "differ": Verdict.DIFFERS,
    "were not measured": Verdict.NOT_MEASURED,
}
SHOWN = (Verdict.AGREES, Verdict.DIRECTION, Verdict.DIFFERS)
"""The verdicts of README's table."""

Counts = dict[Group, Counter[str]]


def pages() -> dict[str, str]:
    """Return the pages that count claims, by name."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").glob("reproduce*.md"))]
    return {path.name: path.read_text("utf-8") for path in paths}


def stored(text: str) -> dict[str, tuple[str, str]]:
    """Return the table of each paper on a page, and the sentences above it."""
    return {paper: tuple(body.split("\n\n", 1)[::-1]) for paper, body in TABLE.findall(text)}


def counted(paper: str, table: str) -> Counts:
    """Return how many claims of each group have each verdict."""
    module = import_module(f"ftlab_papers.{paper.replace('-', '_')}")
    claims = {each.id: each for each in module.EXPERIMENT.claims}
    rows = [re.split(r" ?\| ?", line.strip("|").strip()) for line in table.splitlines()]
    found: Counts = {group: Counter() for group in Group}
    seen = set()
    for row in rows:
        if len(row) >= 5 and row[0] in claims and row[0] not in seen:
            seen.add(row[0])
            found[claims[row[0]].group][row[4]] += 1
    if lacking := claims.keys() - seen:
        raise ValueError(f"{paper}: found no row of {sorted(lacking)}")
    return found


def wrong_sentences(paper: str, head: str, found: Counts) -> Iterator[str]:
    """Yield what the sentences above a table say otherwise, and what they leave out."""
    said = {}
    for total, group, verdicts in SENTENCE.findall(head):
        told = {
            SAID[each.split(" ", 1)[1]].value: int(each.split()[0]) for each in verdicts.split(", ")
        }
        said[group] = (int(total), told)
    for group, counts in found.items():
        expected = (counts.total(), dict(counts))
        if counts and said.pop(group.value, None) != expected:
            yield f"{paper}: {group.value}: expected {expected} in its sentence"
    yield from (f"{paper}: found claims {group!r}, which are no group" for group in said)


def cells(found: Counts) -> list[int]:
    """Return a paper's row in README: all, those apart, and the verdicts of the rest."""
    papers, apart = found[Group.PAPER], found[Group.APART]
    every = papers.total() + apart.total()
    return [every, apart.total(), *(papers[each.value] for each in SHOWN)]


def wrong(texts: dict[str, str]) -> list[str]:
    """Return what the pages say otherwise than the tables."""
    found, problems = {}, []
    for text in texts.values():
        for paper, (table, head) in stored(text).items():
            found[paper] = counted(paper, table)
            problems += wrong_sentences(paper, head, found[paper])
    rows = {paper.lower().replace("-", ""): row for paper, row in ROW.findall(texts["README.md"])}
    for paper in (each for each in PAPERS if found[each][Group.PAPER]):
        said = [int(each) for each in rows[paper.replace("-", "")].split("|")]
        if said != cells(found[paper]):
            problems.append(f"README.md: {paper}: found {said}, expected {cells(found[paper])}")
    agree = sum(each[Group.PAPER][Verdict.AGREES.value] for each in found.values())
    every = sum(each[Group.PAPER].total() for each in found.values())
    for name, text in texts.items():
        for said in TOTAL.findall(text):
            if said != (str(agree), str(every)):
                problems.append(f"{name}: found {' of '.join(said)}, expected {agree} of {every}")
    return problems


def main() -> None:
    """Run the command line."""
    texts = pages()
    for text in texts.values():
        for paper, (table, _) in stored(text).items():
            for group, counts in counted(paper, table).items():
                print(f"{paper}: {counts.total()} {group.value}: {dict(counts)}")
    problems = wrong(texts)
    print("\n".join(problems))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
