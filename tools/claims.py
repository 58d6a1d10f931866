"""Write what came out of a paper's evaluation into its page of the documentation.

Run ``ftlab reproduce PAPER``, then ``python3 tools/claims.py PAPER ftlab-reproduce/PAPER``. What
lies between ``<!-- claims PAPER -->`` and ``<!-- end -->`` is replaced by how many claims have
which verdict, and a table with a row for each. What is too long for a page is in the report.
"""

import argparse
import json
import re
from collections import Counter
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
LONGEST = 260
"""Characters of a cell."""

HEADER = """\
| claim | what | published | ours | verdict | one change |
| :-- | :-- | :-- | :-- | :-- | :-- |
"""
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
    mark = re.compile(f"(<!-- claims {options.paper} -->\n).*?(<!-- end -->)", re.DOTALL)
    for page in sorted(DOCS.glob("reproduce*.md")):
        text = page.read_text("utf-8")
        if place := mark.search(text):
            before, after = place.end(1), place.start(2)
            told = f"{summary(claims)}\n\n{table(claims)}"
            page.write_text(text[:before] + told + text[after:])
            print(f"{page.name}: {summary(claims)}")
            return
    parser.error(f"no page has <!-- claims {options.paper} -->")


def table(claims: list[dict]) -> str:
    """Return the table of claims."""
    return HEADER + "".join(map(row, claims)) + "\n"


def summary(claims: list[dict]) -> str:
    """Return how many claims have which verdict, and what explains those that do not agree."""
    counts = Counter(claim["verdict"] for claim in claims)
    verdicts = [f"{counts[each]} {told}" for each, told in VERDICTS.items() if counts[each]]
    lines = [f"Of {len(claims)} claims {', '.join(verdicts)}."]
    ways: dict[str, list[str]] = {}
    for claim in claims:
        if claim["explained"]:
            ways.setdefault(claim["explained"], []).append(claim["id"])
    lines += [f"{way[0].upper()}{way[1:]}: {', '.join(names)}." for way, names in ways.items()]
    return " ".join(lines)


def helping(claim: dict) -> list[str]:
    """Return the changes with which a claim agrees."""
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
        return f"agrees with {'; '.join(helping(claim))}"
    if claim["proof"]:
        return f"cannot agree: {claim['proof']}"
    return claim["explained"]


def side(claim: dict, name: str) -> str:
    """Return all findings of one side."""
    parts = [(each["what"], each[name]) for each in claim["findings"]]
    if not parts:
        return claim["published"].replace("\n", " ") if name == "published" else "-"
    text = "; ".join(f"{what}: {found}" if what else found for what, found in parts)
    return text if len(text) <= LONGEST else "in the report"


if __name__ == "__main__":
    main()
