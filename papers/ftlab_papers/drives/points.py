"""What is run: the fill levels of one drive, and one stream at three capacities for two others."""

from __future__ import annotations

from ftlab import model
from ftlab.points import Point, merge
from ftlab_papers.drives.published import CALIBRATED, GIB, GUESSES, LEVELS, MAX
from ftlab_papers.inputs import Sources
from ftlab_papers.placed import one_stream, pages_per_unit, seed
from ftlab_papers.runs import Key

UNITS = 1024
PASSES = 10
"""How often one stream writes the whole drive; the artifact says 5 to 10 times."""

LEVEL_PASSES = 12


def capacity() -> float:
    """Return the physical GiB of the 7450 MAX, by the closed form from what calibrates it."""
    found = model.capacity([(used * GIB, LEVELS[used]) for used in CALIBRATED])
    return float(found.fits[0]["capacity"]) / GIB


def points(sources: Sources) -> dict[Key, Point]:
    """Return all points."""
    found: dict[Key, Point] = {}
    pages, seeds, physical = pages_per_unit(sources), seed(sources), capacity()

    def add(key: Key, share: float, passes: int, *, permuted: bool) -> None:
        job = one_stream(pages, UNITS, round(UNITS * share), passes, permuted=permuted)
        found[key] = Point(" ".join(key), merge([job, seeds]), "page")

    for used in LEVELS:
        add((MAX, f"{used:g} GiB"), used / physical, LEVEL_PASSES, permuted=False)
    for drive, guesses in GUESSES.items():
        for guess in guesses:
            add((drive, f"{guess:g}"), 1 / guess, PASSES, permuted=True)
    return found
