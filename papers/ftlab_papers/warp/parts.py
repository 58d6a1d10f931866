"""What the report on WARP shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ftlab.report.tables import ABSENT, Table
from ftlab.style import Draw
from ftlab_papers.charts import bars, curves, lines, panels
from ftlab_papers.claims import Judged
from ftlab_papers.findings import number
from ftlab_papers.inputs import Sources
from ftlab_papers.marks import Marks, Series, known
from ftlab_papers.measures import Measure, Term
from ftlab_papers.placed import PAGE, pages_per_unit
from ftlab_papers.quantities import AMPLIFICATION, cell
from ftlab_papers.report import Part, claim_parts
from ftlab_papers.runs import Runs
from ftlab_papers.tables import Pictures
from ftlab_papers.warp.claims import WORDS, cumulative, in_halves, interval, level, one_stream
from ftlab_papers.warp.points import (
    CELL,
    MIX_UNIT,
    MIXES,
    ORDERS,
    RATIOS,
)
from ftlab_papers.warp.published import (
    CUMULATIVE,
    INTERVAL,
    LEVELS,
    PLACEMENTS,
    SPARES,
    THIRDS,
    TYPES,
    UNITS,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def parts(runs: Runs, sources: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the report."""
    part = WORDS.part
    return [
        part("What was run", [_runs(runs)], pages=pages_per_unit(sources)),
        *claim_parts(judged),
        part("Twelve cells", [_cells(runs)], _pictures(runs, judged, "cells", "course")),
        part(
            "Two types of isolation",
            [*(_levels(runs, unit) for unit in UNITS), _mixes(runs)],
            _pictures(runs, judged, "levels"),
        ),
        part("One stream", [_streams(runs)]),
        part("Not reproduced"),
    ]


def _runs(runs: Runs) -> Table:
    """Return what each kind of run is."""
    kinds = list(dict.fromkeys(key[0] for key in runs))
    rows = []
    for kind in kinds:
        keys = [key for key in runs if key[0] == kind]
        pages = sum(int(runs[key]["host"]["page_writes"]) for key in keys)
        rows.append([kind, str(len(keys)), f"{pages / 1e6:,.1f} M"])
    return Table(["runs", "number", "page writes"], rows)


def _compared(runs: Runs, term: Term, said: float | None) -> str:
    """Return what is published, ours and the difference."""
    ours = cell(runs, term)
    if said is None or ours == ABSENT:
        return ours
    return f"{number(said)} / {ours} ({number(term(runs) / said - 1, '%+')})"


def _cells(runs: Runs) -> Table:
    rows = []
    for third in THIRDS:
        for each in PLACEMENTS:
            early, late = CUMULATIVE[third][each], INTERVAL[third][each]
            rows.append(
                [
                    third,
                    each,
                    _compared(runs, cumulative(third, each), early),
                    _compared(runs, interval(third, each), late),
                ]
            )
    return Table(["third stream", "placement", "cumulative at 4x", "from 4x to 6x"], rows)


def _levels(runs: Runs, unit: str) -> Table:
    rows = [
        [
            kind,
            *(
                _compared(runs, level(unit, kind, spare), LEVELS[unit, kind].get(spare))
                for spare in SPARES
            ),
        ]
        for kind in TYPES
    ]
    return Table([f"units of {unit}", *(f"{spare} %" for spare in SPARES)], rows)


def _mixes(runs: Runs) -> Table:
    rows = [
        [
            kind,
            *(number(runs(AMPLIFICATION, MIXES, MIX_UNIT, kind, f"{spare} %")) for spare in SPARES),
        ]
        for kind in TYPES
    ]
    return Table([f"units of {MIX_UNIT}, mix of A2", *(f"{spare} %" for spare in SPARES)], rows)


def _streams(runs: Runs) -> Table:
    rows = []
    for ratio in RATIOS:
        found = [one_stream(order, ratio)(runs) for order in ORDERS]
        halves = [half(runs) for half in in_halves(ratio)]
        change = number(found[0] / found[1] - 1, "%+")
        rows.append([f"{ratio:g}", *map(number, found), change, *map(number, halves)])
    return Table(
        ["physical / logical", *ORDERS, "difference", "first halves", "second halves"], rows
    )


def _pictures(runs: Runs, judged: Sequence[Judged], *names: str) -> Pictures:
    mark = Marks(runs, known(each.claim for each in judged))

    def cells() -> Figure:
        draws = [
            bars(title, list(THIRDS), [_series(mark, name, term) for name in PLACEMENTS])
            for title, term in (("cumulative at 4x", cumulative), ("from 4x to 6x", interval))
        ]
        return panels(draws, columns=2)

    def _series(mark: Marks, name: str, term: Callable[[str, str], Measure]) -> Series:
        return Series(name, [mark(term(third, name)) for third in THIRDS])

    def levels() -> Figure:
        return panels(
            [
                lines(
                    unit,
                    [f"{spare} %" for spare in SPARES],
                    [
                        Series(kind, [mark(level(unit, kind, spare)) for spare in SPARES])
                        for kind in TYPES
                    ],
                    label="over-provisioning",
                )
                for unit in UNITS
            ],
            columns=2,
        )

    draws = {
        "cells": cells,
        "course": lambda: panels([_course(runs, third) for third in THIRDS], columns=2),
        "levels": levels,
    }
    return {name: draws[name] for name in names}


def _course(runs: Runs, third: str) -> Draw:
    """Return how to draw the write amplification of each interval over what was written."""
    found = {}
    for each in PLACEMENTS:
        result = runs[CELL, third, each]
        pages = int(result["config"]["workload"]["size"]) / PAGE
        timeline = result["timeline"]
        places = [done / pages for done in timeline["requests"]]
        found[each] = (places, [value or 0.0 for value in timeline["write_amplification"]])
    return curves(third, found, x="times the capacity", y="write amplification")
