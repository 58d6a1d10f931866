"""What the paper argues and does not run, and what its last section leaves for later.

Each variant changes one thing of MNFTL; what is expected of it is a claim of ours, A1 to A6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ftlab import Result
from ftlab.report.tables import Table
from ftlab_papers.charts import bars, panels
from ftlab_papers.findings import Statement, rising
from ftlab_papers.marks import Marks, Series
from ftlab_papers.measures import Measure, at
from ftlab_papers.mnftl.claims import WORDS, copies
from ftlab_papers.mnftl.points import EARLY, VARIANTS, WRITE_DOMINANT
from ftlab_papers.mnftl.published import TRACES
from ftlab_papers.quantities import RESPONSE, cell
from ftlab_papers.report import Part
from ftlab_papers.runs import Figure, Key, Runs, ratio
from ftlab_papers.tables import Says

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from ftlab.style import Draw

MNFTL = "as it is"
SEPARATED = "separated mapping"


def key_of(trace: str, variant: str) -> Key:
    """Return the key of a variant, or of MNFTL as it is."""
    if variant == MNFTL:
        return (trace, "mnftl")
    return (trace, VARIANTS[variant][0], variant)


def _rises(figure: Figure, unit: str, *variants: str) -> list[Statement]:
    """Return the order of variants by a figure, on each trace."""
    names = {trace: TRACES[trace].name for trace in WRITE_DOMINANT}
    return rising(lambda *named: at(figure, *key_of(*named)), unit, variants, names)


def still_valid(result: Result) -> float:
    """Return the share of the host's pages that are valid when their block of the log goes."""
    return ratio(result.own["mnftl-hybrid.slc_moved"], result.host.page_writes)


def _slc(runs: Runs) -> str:
    found = "; ".join(
        f"{TRACES[trace].name} {cell(runs, at(still_valid, *key_of(trace, 'hybrid')), '%')}"
        for trace in WRITE_DOMINANT
    )
    return WORDS("slc", found=found)


def lost_gain(trace: str) -> Measure:
    """Return how much of MNFTL's gain in response over DFTL is lost with separated mapping."""
    separated, ours, dftl = (
        at(RESPONSE, *key)
        for key in (key_of(trace, SEPARATED), key_of(trace, MNFTL), (trace, "dftl"))
    )
    return (separated - ours) / (dftl - ours)


SAYS: Says = {
    "A1": _rises(copies, "", MNFTL, *(f"{low} kept free" for low in EARLY)),
    "A2": _rises(copies, "", MNFTL, "most blocks first"),
    "A3": _rises(RESPONSE, "us", "cache of 64 KiB", MNFTL),
    "A4": _rises(RESPONSE, "us", "hybrid", MNFTL),
    "A5": _rises(RESPONSE, "us", "open loop, idle from 3", "open loop"),
    "A6": _rises(copies, "", MNFTL, SEPARATED),
}

REASONS = {"slc": _slc}


def part(runs: Runs) -> Part:
    """Return the part of the report: response and copies of each variant, as tables and bars."""
    tables = [*(_table(runs, what, figure) for what, figure in FIGURES), _lost(runs)]
    return WORDS.part("Variants", tables, {"variants": lambda: drawn(runs)})


FIGURES: tuple[tuple[str, Figure], ...] = (
    ("mean response, us", RESPONSE),
    ("valid page copies", copies),
)


def _table(runs: Runs, what: str, figure: Figure) -> Table:
    rows = [
        [variant, *(cell(runs, at(figure, *key_of(trace, variant))) for trace in WRITE_DOMINANT)]
        for variant in (MNFTL, *VARIANTS)
    ]
    return Table([what, *(TRACES[trace].name for trace in WRITE_DOMINANT)], rows)


def _lost(runs: Runs) -> Table:
    row = ["mean response", *(cell(runs, lost_gain(trace), "%") for trace in WRITE_DOMINANT)]
    lost = "lost with separated mapping, of the gain over DFTL"
    return Table([lost, *(TRACES[trace].name for trace in WRITE_DOMINANT)], [row])


def drawn(runs: Runs) -> Drawing:
    """Draw response and copies of all variants."""
    mark = Marks(runs, {})
    shown = [
        (
            variant,
            [key_of(trace, variant) for trace in WRITE_DOMINANT],
            variant.startswith("open loop"),
        )
        for variant in (MNFTL, *VARIANTS)
    ]

    def panel(what: str, figure: Figure, *, open_loop: bool) -> Draw:
        # All are named in each panel, so that each has a colour of its own.
        series = [
            Series(variant, [mark(at(figure, *key)) for key in keys if timed == open_loop])
            for variant, keys, timed in shown
        ]
        return bars(what, [TRACES[trace].name for trace in WRITE_DOMINANT], series)

    draws = [panel(*each, open_loop=timed) for each in FIGURES for timed in (False, True)]
    return panels(draws, columns=2, wide=True)
