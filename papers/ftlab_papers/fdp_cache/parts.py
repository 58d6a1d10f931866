"""What the report on flash caches shows."""

from __future__ import annotations

from collections.abc import Sequence

from ftlab.report.tables import ABSENT, Table
from ftlab_papers.claims import Judged
from ftlab_papers.fdp_cache.claims import (
    STEADY,
    WHOLE,
    WORDS,
    closed_form,
    form,
    row,
    small_objects,
)
from ftlab_papers.fdp_cache.points import (
    DRIVE_SPARES,
    FDP,
    LOGICAL,
    NONE,
    OBJECT_UNITS,
    OBJECTS,
    PASSES,
    ROW,
    SMALL,
    UNITS,
)
from ftlab_papers.fdp_cache.published import CACHELIB, LM_FDP, LM_NONE
from ftlab_papers.findings import number
from ftlab_papers.inputs import Sources
from ftlab_papers.placed import pages_per_unit
from ftlab_papers.quantities import AMPLIFICATION
from ftlab_papers.report import Part, claim_parts
from ftlab_papers.runs import Runs


def parts(runs: Runs, sources: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the report."""
    part = WORDS.part
    return [
        part("What was run", passes=PASSES, pages=pages_per_unit(sources)),
        *claim_parts(judged),
        part("The closed form", [_form(runs)], logical=LOGICAL, small=SMALL),
        part("CacheLib's rows", [_rows(runs), _spares(runs)]),
        part("LMCache's objects", [_objects(runs)]),
        part("Not reproduced"),
    ]


def _form(runs: Runs) -> Table:
    rows = []
    for units in UNITS:
        said, ours = closed_form(units), form(units, FDP)(runs)
        rows.append(
            [
                f"{units}",
                number(small_objects(units)),
                number(said),
                number(ours),
                number(ours / said - 1, "%+"),
                number(form(units, NONE)(runs)),
            ]
        )
    return Table(["units", "SOC, form", "device, form", "FDP", "difference", "none"], rows)


def _rows(runs: Runs) -> Table:
    rows = []
    for name, cached in CACHELIB.items():
        for placement, said in ((FDP, cached.fdp), (NONE, cached.none)):
            ours = row(name, placement)(runs)
            use = "calibrates" if (name, placement) == (WHOLE, NONE) else "predicted"
            published = ABSENT if said is None else number(said)
            rows.append([name, placement, published, number(ours), use])
    return Table(["cache", "placement", "published", "ours", "use"], rows)


def _spares(runs: Runs) -> Table:
    rows = [
        [
            f"{name}, {placement}",
            *(number(runs(STEADY, ROW, name, f"{spare} %", placement)) for spare in DRIVE_SPARES),
        ]
        for name in CACHELIB
        for placement in (FDP, NONE)
    ]
    return Table(["over-provisioning", *(f"{spare} %" for spare in DRIVE_SPARES)], rows)


def _objects(runs: Runs) -> Table:
    rows = [
        [
            f"{placement} ({number(said)} published)",
            *(
                number(runs(AMPLIFICATION, OBJECTS, f"{units}", placement))
                for units in OBJECT_UNITS
            ),
        ]
        for placement, said in ((FDP, LM_FDP), (NONE, LM_NONE))
    ]
    return Table(["units", *(f"{units}" for units in OBJECT_UNITS)], rows)
