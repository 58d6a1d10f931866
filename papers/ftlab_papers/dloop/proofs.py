"""Two sentences of section V.C held against each other.

Which of two FTLs responds faster at a page size is one thing: where one sentence says that it is
DLOOP and another that it is DFTL, no runs meet both, but those in which they are the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from ftlab_papers.dloop.points import PAGES
from ftlab_papers.tables import Words


@dataclass(frozen=True)
class Said:
    """That one FTL responds faster than another, on Financial1, at page sizes."""

    sentence: str
    faster: str
    slower: str
    pages: tuple[str, ...]


FOR_EVERY = Said("for every page size DLOOP performs better than DFTL", "dloop", "dftl", PAGES)
AS_PAGES_GROW = Said(
    "as we increase page size, DFTL performs better than DLOOP", "dftl", "dloop", PAGES[1:]
)


def contradicted(one: Said, other: Said) -> list[str]:
    """Return the page sizes at which two sentences call each other's faster FTL the slower."""
    if (one.faster, one.slower) != (other.slower, other.faster):
        return []
    return [page for page in one.pages if page in other.pages]


def proof_of_d29(words: Words) -> str:
    """Return why D29 cannot agree where D13 does."""
    pages = ", ".join(contradicted(FOR_EVERY, AS_PAGES_GROW))
    sentences = {"every": FOR_EVERY.sentence, "grow": AS_PAGES_GROW.sentence}
    return words("proof of D29", pages=pages, **sentences)
