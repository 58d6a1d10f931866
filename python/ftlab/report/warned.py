"""What runs warn of, gathered in one way by all commands that show several runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ftlab.report.tables import wording
from ftlab.report.warmups import favoured
from ftlab.result import Result

SECTOR = 512
"""The least that a host reads or writes, bytes."""


def warned(results: Sequence[Result]) -> list[list[str]]:
    """Return what each of several runs warns of, and what to know where they are compared."""
    return [
        [*(result.find("warnings") or []), *filter(None, [note, _lengths(result)])]
        for result, note in zip(results, favoured(results), strict=True)
    ]


def _lengths(result: Result) -> str:
    """Return what to say of a CSV file whose lengths were read in too small a unit."""
    counts = [
        result.find(f"host.{name}") for name in ("reads", "writes", "bytes_read", "bytes_written")
    ]
    if result.find("trace.format") != "csv" or not all(isinstance(each, int) for each in counts):
        return ""
    reads, writes, read, written = counts
    return too_short((read + written) / (reads + writes)) if reads + writes else ""


def too_short(mean_bytes: float) -> str:
    """Return what to say of requests to a block device that are shorter than a sector."""
    if mean_bytes >= SECTOR:
        return ""
    return (
        f"a request has {mean_bytes:.3g} B on average, less than a sector of {SECTOR} B: name the "
        "unit of lengths in --columns, as length=3:sectors or length=3:pages"
    )


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
