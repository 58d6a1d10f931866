"""What is published of flash caches, and statements of ours.

Bars were written before the first run.
"""

from __future__ import annotations

from ftlab import model
from ftlab_papers.fdp_cache.points import (
    DRIVE_SPARES,
    FDP,
    FORM,
    FROM,
    LOGICAL,
    NONE,
    OBJECT_UNITS,
    OBJECTS,
    OUT_OF_USE,
    PASSES,
    ROW,
    SMALL,
    SMALL_WRITES,
    UNITS,
)
from ftlab_papers.fdp_cache.published import CACHELIB, LM_FDP, LM_NONE
from ftlab_papers.findings import Order, Statement, Value
from ftlab_papers.measures import Measure, Of, at
from ftlab_papers.placed import between
from ftlab_papers.quantities import AMPLIFICATION
from ftlab_papers.tables import Says, Words, claims

WORDS = Words(__package__)

STEADY = between(FROM, PASSES)
FORM_BAR, FORM_MOST = 0.10, 1.6
WHOLE = "whole drive"
"""The row whose figure without FDP says the spare space of the drive."""


def small_objects(units: int) -> float:
    """Return the write amplification of small objects by Theorem 1."""
    small = LOGICAL * SMALL / 100
    spare = units - LOGICAL - OUT_OF_USE
    fill = small / (small + spare)
    return float(model.separation(fill=fill, zone=0.5)["together"])


def closed_form(units: int) -> float:
    """Return the write amplification of the device: large objects have 1."""
    share = SMALL_WRITES / 100
    return share * small_objects(units) + 1 - share


def form(units: int, placement: str) -> Measure:
    """Return the write amplification of a device with this number of units."""
    return at(STEADY, FORM, f"{units}", placement)


def row(name: str, placement: str) -> Measure:
    """Return that of CacheLib on the drive whose spare space explains `WHOLE` without FDP."""
    without = [at(STEADY, ROW, WHOLE, f"{spare} %", NONE) for spare in DRIVE_SPARES]
    wanted = [at(STEADY, ROW, name, f"{spare} %", placement) for spare in DRIVE_SPARES]
    published = CACHELIB[WHOLE].none
    assert published is not None
    return _nearest(without, wanted, published)


def objects(placement: str) -> Measure:
    """Return that of LMCache on the device whose figure without FDP is the nearest."""
    without = [at(AMPLIFICATION, OBJECTS, f"{units}", NONE) for units in OBJECT_UNITS]
    wanted = [at(AMPLIFICATION, OBJECTS, f"{units}", placement) for units in OBJECT_UNITS]
    return _nearest(without, wanted, LM_NONE)


def _nearest(without: list[Measure], wanted: list[Measure], said: float) -> Measure:
    count = len(without)

    def work(*found: float) -> float:
        at_ = min(range(count), key=lambda i: abs(found[i] - said))
        return found[count + at_]

    return Of(work, (*without, *wanted))


def _form_values() -> list[Statement]:
    return [
        Value(f"{units} units", closed_form(units), form(units, FDP), within=FORM_BAR)
        for units in UNITS
        if small_objects(units) < FORM_MOST
    ]


def _rows() -> list[Statement]:
    return [
        Value(f"{name}, {placement}", said, row(name, placement))
        for name in ("half of the drive", WHOLE)
        for placement, said in ((FDP, CACHELIB[name].fdp), (NONE, CACHELIB[name].none))
        if said is not None
    ]


def _errors() -> Order:
    errors = {
        f"{units} units": form(units, FDP) / closed_form(units) for units in sorted(UNITS)[::-1]
    }
    return Order("run / closed form", {"1": _one(), **errors})


def _one() -> Measure:
    return Of(lambda: 1.0, ())


def _gains() -> list[Statement]:
    return [
        *(
            Order(f"{units} units", {each: form(units, each) for each in (FDP, NONE)})
            for units in UNITS
        ),
        *(Order(name, {each: row(name, each) for each in (FDP, NONE)}) for name in CACHELIB),
        Order("LMCache", {each: objects(each) for each in (FDP, NONE)}),
    ]


SAYS: Says = {
    "F1": _form_values(),
    "F2": _rows(),
    "F3": Value("FDP", CACHELIB["whole drive, SOC 64 %"].fdp, row("whole drive, SOC 64 %", FDP)),
    "F4": Value("FDP", LM_FDP, objects(FDP)),
    "O1": _errors(),
    "O2": _gains(),
}

CLAIMS = claims(__package__, SAYS)
