"""Write what came out of a paper's evaluation into its page of the documentation.

Run ``ftlab reproduce PAPER``, then ``python3 tools/claims.py PAPER ftlab-reproduce/PAPER``. What
lies between a mark and ``<!-- end -->`` is replaced:

``<!-- claims PAPER -->``
    How many claims of the paper have which verdict, apart from those that cannot fail and those of
    this project; what explains those that do not agree; a row for each claim, and what was tried
    for those that agree with no single change.
    What is too long for a page is in the report.
``<!-- tables PAPER: TITLE -->``
    The tables of the part of the report with that title.
"""

import argparse
import json
import re
from collections import Counter
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
LONGEST, MOST_WORDS = 260, 30
"""Characters and words of a cell."""

END = "<!-- end -->"

HEADER = """\
| claim | what | published | ours | verdict | one change |
| :-- | :-- | :-- | :-- | :-- | :-- |
"""
WAYS = """\
| claims of the paper that do not agree | with the number of changes tried |
| :-- | :-- |
"""
TRIED = """\
Findings of claims that agree with no single change; in bold where one agrees:

| claim | finding | published | ours | ours with one change |
| :-- | :-- | :-- | :-- | :-- |
"""
GROUPS = (
    "of the paper",
    "of the paper, that cannot fail or that another says",
    "of this project",
)
"""What claims count among, as `ftlab_papers.claims.Group` names it."""

AGREES = "agrees"
VERDICTS = {
    AGREES: "agree",
    "direction only": "agree in direction only",
    "differs": "differ",
    "not measured": "were not measured",
}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paper")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    claims = json.loads((options.folder / "claims.json").read_text("utf-8"))
    written = [f"{summary(claims)}\n", ways(claims), table(claims), tried(claims)]
    tables = "\n".join(filter(None, written))
    told = {f"claims {options.paper}": tables}
    for title, tables in parts((options.folder / "report.md").read_text("utf-8")).items():
        told[f"tables {options.paper}: {title}"] = tables
    for page in sorted(DOCS.glob("reproduce*.md")):
        text = page.read_text("utf-8")
        for mark in re.findall(f"<!-- ((?:claims|tables) {options.paper}\\b.*?) -->", text):
            if mark not in told:
                parser.error(
                    f"{page.name}: found the mark {mark!r}, expected one of {sorted(told)}"
                )
            text = filled(text, mark, told[mark])
        page.write_text(text)
    print(summary(claims))


def filled(text: str, mark: str, told: str) -> str:
    """Return a page with what is told behind a mark."""
    begin = f"<!-- {mark} -->\n"
    before, after = text.split(begin, 1)
    return f"{before}{begin}{told}\n{after[after.index(END) :]}"


def parts(report: str) -> dict[str, str]:
    """Return the tables of each part of a report, by its title."""
    found = {}
    for part in re.split(r"^## ", report, flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        blocks = [block.strip() for block in body.split("\n\n")]
        found[title] = "\n\n".join(block for block in blocks if block.startswith("|")) + "\n"
    return found


def table(claims: list[dict]) -> str:
    """Return the table of claims."""
    return HEADER + "".join(map(row, claims)) + "\n"


def summary(claims: list[dict]) -> str:
    """Return how many claims of each group have which verdict."""
    found = {group: [each for each in claims if each["group"] == group] for group in GROUPS}
    return " ".join(
        f"Of {len(some)} claims {group} {counted(some)}." for group, some in found.items() if some
    )


def ways(claims: list[dict]) -> str:
    """Return the table of what explains the claims of the paper that do not agree."""
    found: dict[str, list[str]] = {}
    for claim in claims:
        if claim["group"] == GROUPS[0] and claim["explained"]:
            tried = f"{claim['id']} ({len(claim['instead'])})"
            found.setdefault(claim["explained"], []).append(tried)
    rows = [f"| {way} | {', '.join(names)} |\n" for way, names in found.items()]
    return WAYS + "".join(rows) if rows else ""


def counted(claims: list[dict]) -> str:
    """Return how many claims have which verdict."""
    counts = Counter(claim["verdict"] for claim in claims)
    return ", ".join(f"{counts[each]} {told}" for each, told in VERDICTS.items() if counts[each])


def helping(claim: dict) -> list[str]:
    """Return the changes with which a claim agrees that does not agree without."""
    return [each["change"] for each in claim["instead"] if each["verdict"] == AGREES]


def row(claim: dict) -> str:
    """Return the line of a claim."""
    cells = [claim["id"], claim["what"], side(claim, "published"), side(claim, "ours")]
    line = " | ".join([*cells, claim["verdict"], explained(claim)])
    return f"| {line} |\n".replace("<", "&lt;")


def explained(claim: dict) -> str:
    """Return what explains a claim that does not agree."""
    if not claim["explained"]:
        return ""
    if helping(claim):
        helped = helping(claim)
        return f"agrees with {len(helped)} of {len(claim['instead'])}: {'; '.join(helped)}"
    if claim["proof"]:
        return f"cannot agree: {claim['proof']}"
    return claim["explained"]


def tried(claims: list[dict]) -> str:
    """Return the table of what was tried for claims that nothing makes agree."""
    rows = []
    for claim in claims:
        if not claim["explained"] or claim["proof"] or helping(claim):
            continue
        for at, finding in enumerate(claim["findings"]):
            if finding["verdict"] != AGREES and (found := with_changes(claim, at)):
                told = [claim["id"], finding["what"], finding["published"], finding["ours"], found]
                rows.append(f"| {' | '.join(told)} |\n")
    return TRIED + "".join(rows).replace("<", "&lt;") if rows else ""


def with_changes(claim: dict, at: int) -> str:
    """Return what a finding becomes with each change that moves it; those that meet it, if any."""
    ours = claim["findings"][at]["ours"]
    found = [
        (each["change"], each["findings"][at]) for each in claim["instead"] if each["findings"]
    ]
    met = [(change, finding) for change, finding in found if finding["verdict"] == AGREES]
    told = met or [(change, each) for change, each in found if each["ours"] != ours] or found
    bold = "**" if met else ""
    return "; ".join(f"{change}: {bold}{each['ours']}{bold}" for change, each in told)


def side(claim: dict, name: str) -> str:
    """Return all findings of one side."""
    parts = [(each["what"], each[name]) for each in claim["findings"]]
    if not parts:
        return claim["published"].replace("\n", " ") if name == "published" else "-"
    text = "; ".join(f"{what}: {found}" if what else found for what, found in parts)
    fits = len(text) <= LONGEST and len(text.split()) <= MOST_WORDS
    return text if fits else "in the report"


if __name__ == "__main__":
    main()
