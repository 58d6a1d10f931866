"""What runs warn of, gathered in one way by all commands that show several runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ftlab.report.tables import wording
from ftlab.report.warmups import favoured
from ftlab.result import Result


def warned(results: Sequence[Result]) -> list[list[str]]:
    """Return what each of several runs warns of, and what to know where they are compared."""
    return [
        [*(result.find("warnings") or []), *filter(None, [note])]
        for result, note in zip(results, favoured(results), strict=True)
    ]


def labelled(labels: Iterable[str], texts: Iterable[Iterable[str]]) -> list[str]:
    """Return each text once, after the labels of the runs that it concerns."""
    found: dict[str, list[str]] = {}
    for label, told in zip(labels, texts, strict=True):
        for text in told:
            found.setdefault(text, []).append(label)
    return [f"{', '.join(named)}: {text}" for text, named in found.items()]


def alike(texts: Iterable[str]) -> dict[str, list[str]]:
    """Return texts by their words: those that differ in numbers only are together, each once."""
    found: dict[str, list[str]] = {}
    for text in texts:
        known = found.setdefault(wording(text), [])
        if text not in known:
            known.append(text)
    return found


def once(texts: Iterable[str]) -> list[str]:
    """Return the first of the texts that differ in numbers only, and how many others there are."""
    return [
        first + (f" ({len(others)} more with other numbers)" if others else "")
        for first, *others in alike(texts).values()
    ]
