"""Write what came out of a paper's evaluation into its page of the documentation.

Run ``ftlab reproduce PAPER``, then ``python3 tools/claims.py PAPER ftlab-reproduce/PAPER``. The
table between ``<!-- claims PAPER -->`` and ``<!-- end -->`` is replaced. What is too long for a
page is in the report.
"""

import argparse
import json
import re
from collections import Counter
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
LONGEST = 260
"""Characters of a cell."""

HEADER = "| claim | what | published | ours | verdict |\n| :-- | :-- | :-- | :-- | :-- |\n"


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
        if mark.search(text):
            page.write_text(mark.sub(lambda found: found[1] + table(claims) + found[2], text))
            counts = Counter(claim["verdict"] for claim in claims)
            print(f"{page.name}: {dict(counts)}")
            return
    parser.error(f"no page has <!-- claims {options.paper} -->")


def table(claims: list[dict]) -> str:
    """Return the table of claims."""
    return HEADER + "".join(map(row, claims)) + "\n"


def row(claim: dict) -> str:
    """Return the line of a claim."""
    cells = [claim["id"], claim["what"], side(claim, "published"), side(claim, "ours")]
    verdict = claim["verdict"]
    for each in claim["instead"]:
        if each["verdict"] != verdict:
            verdict += f"; with {each['change']}: {each['verdict']}"
    return f"| {' | '.join([*cells, verdict])} |\n".replace("<", "&lt;")


def side(claim: dict, name: str) -> str:
    """Return all findings of one side."""
    parts = [(each["what"], each[name]) for each in claim["findings"]]
    if not parts:
        return claim["published"].replace("\n", " ") if name == "published" else "-"
    text = "; ".join(f"{what}: {found}" if what else found for what, found in parts)
    return text if len(text) <= LONGEST else "in the report"


if __name__ == "__main__":
    main()
