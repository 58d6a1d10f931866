"""What the report on published drives shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ftlab import model
from ftlab.report.tables import ABSENT, Table
from ftlab_papers.charts import bars, panels
from ftlab_papers.claims import Judged
from ftlab_papers.drives.claims import CELL_BAR, CELLS, HALVES, WORDS, level, ratio, stream
from ftlab_papers.drives.points import UNITS, capacity
from ftlab_papers.drives.published import (
    CALIBRATED,
    GIB,
    GUESSES,
    HALF,
    LAST,
    LEVELS,
    MAX,
    STREAMS,
)
from ftlab_papers.findings import number
from ftlab_papers.inputs import Sources
from ftlab_papers.marks import Mark, Series
from ftlab_papers.placed import halves, pages_per_unit
from ftlab_papers.report import Part, claim_parts
from ftlab_papers.runs import Runs
from ftlab_papers.tables import Pictures

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def parts(runs: Runs, sources: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the report."""
    part = WORDS.part
    return [
        part("What was run", [_twins(runs)], units=UNITS, pages=pages_per_unit(sources)),
        *claim_parts(judged),
        part("Cells", [_cells(runs)], _pictures(runs)),
        part("The closed form", [_closed_form()]),
        part("Half a pass", [_halves(runs)]),
        part("Not judged"),
    ]


def _twins(runs: Runs) -> Table:
    physical, advertised = capacity(), max(LEVELS)
    rows = [
        [
            MAX,
            ", ".join(f"{LEVELS[used]} at {used} GiB" for used in CALIBRATED),
            f"{physical:,.0f} GiB",
            number(physical / advertised - 1, "%"),
        ],
        *(
            [drive, f"{STREAMS[drive][LAST]}, {LAST}", ABSENT, number(ratio(drive)(runs) - 1, "%")]
            for drive in STREAMS
        ),
    ]
    return Table(["drive", "calibrated on", "capacity", "spare space"], rows)


def _cells(runs: Runs) -> Table:
    rows = []
    for used in CALIBRATED:
        rows.append(_row(MAX, f"{used:g} GiB", LEVELS[used], level(used)(runs), "calibrates"))
    for drive in STREAMS:
        rows.append(
            _row(drive, LAST, STREAMS[drive][LAST], stream(drive, LAST)(runs), "calibrates")
        )
    for drive, what, said, term in CELLS:
        ours = term(runs)
        is_near = abs(ours / said - 1) <= CELL_BAR
        rows.append(_row(drive, what, said, ours, "held out" if is_near else "held out, a miss"))
    rows.sort(key=lambda row: [MAX, *STREAMS].index(row[0]))
    return Table(["drive", "cell", "published", "twin", "difference", "use"], rows)


def _row(drive: str, what: str, said: float, ours: float, use: str) -> list[str]:
    return [drive, what, number(said), number(ours), number(ours / said - 1, "%+"), use]


def _closed_form() -> Table:
    found = model.capacity([(used * GIB, wrote) for used, wrote in LEVELS.items()])
    pairs = zip(LEVELS.items(), found.fits[0]["left_out"], strict=True)
    rows = [
        [f"{used:g} GiB", number(said), number(ours), number(ours / said - 1, "%+")]
        for (used, said), ours in pairs
    ]
    return Table(["fill level", "published", "from the five others", "difference"], rows)


def _halves(runs: Runs) -> Table:
    rows = []
    for drive, guesses in GUESSES.items():
        key = (drive, f"{guesses[1]:g}")
        found = [half(runs) for half in halves(HALVES, *key)]
        said = STREAMS[drive]
        change = number(said[HALF] / said[LAST] - 1, "%+")
        ours = number(2 * found[1] / sum(found) - 1, "%+")
        rows.append([drive, *map(number, found), ours, change])
    return Table(
        ["drive", "first halves", "second halves", "second against both", "published"], rows
    )


def _pictures(runs: Runs) -> Pictures:
    def draw() -> Figure:
        levels = [Mark(level(used)(runs), published=said) for used, said in LEVELS.items()]
        names = [f"{used:.0f}" for used in LEVELS]
        draws = [bars(f"{MAX}, GiB in use", names, [Series("twin", levels)])]
        for drive, row in STREAMS.items():
            marks = [Mark(stream(drive, what)(runs), published=said) for what, said in row.items()]
            draws.append(bars(drive, list(row), [Series("twin", marks)]))
        return panels(draws, columns=3)

    return {"cells": draw}
