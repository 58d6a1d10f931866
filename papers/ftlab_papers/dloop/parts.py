"""What the report on DLOOP shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ftlab.report.tables import Table
from ftlab.titles import title as ftl_title
from ftlab_papers.cells import cell
from ftlab_papers.claims import Judged
from ftlab_papers.dloop.claims import SDRPP, pairs_that_fall
from ftlab_papers.dloop.points import (
    ALL,
    CACHES,
    CAPACITIES,
    FIN1,
    FTLS,
    HOT_FTLS,
    PAGES,
    SHORT,
    SKEWS,
    SWEEPS,
    TPCC,
)
from ftlab_papers.findings import number
from ftlab_papers.inputs import Sources
from ftlab_papers.marks import Marks, Series, known
from ftlab_papers.measures import Measure, at
from ftlab_papers.quantities import RESPONSE, erases
from ftlab_papers.report import Part, Picture, claim_parts
from ftlab_papers.runs import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

SETUP = (
    "The device is that of the preset dloop: planes of 2048 data blocks, so a device of "
    "another capacity or page size has as many planes as it needs, half of them on each "
    "channel. Where the paper is silent: a mapping cache of 64 KiB (and others, for "
    "Financial1); every request of the trace is served once as a write before measuring "
    "(FlashSim's warm-up); addresses beyond the device wrap around; FAST has all spare blocks "
    "but one as log blocks; SDRPP counts flash operations for the host and the map, and not "
    "those of GC (choices.md#dloop-silent, choices.md#sdrpp).",
)


def parts(runs: Runs, inputs: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the paper's figures 8 to 10, and the claims."""
    used = Table(["workload", "input"], [[name, each.described] for name, each in inputs.items()])
    mark = Marks(runs, known(each.claim for each in judged))
    figures = [
        Picture(
            f"figure-{number}",
            f"Figure {number}: mean response (left, ms) and SDRPP (right) over {what}; hollow: "
            "published, where the text tells a number.",
            lambda what=what, settings=settings: drawn(mark, what, settings),  # type: ignore[misc]
        )
        for number, (what, settings) in enumerate(SWEEPS.items(), 8)
    ]
    return [
        Part("What was run", SETUP, [used]),
        Part("Figures 8 to 10", pictures=figures),
        Part("Mean response over capacity", ["In ms."], [responses(runs)]),
        Part("Mean response over page size", [PAGES_TEXT], [by_page_size(runs)]),
        Part("An open choice: the mapping cache", [CACHE_TEXT], [caches(runs)]),
        Part("TPC-C with short transfers", [TPCC_TEXT], [transfers(runs)]),
        Part("Hot planes", [HOT_TEXT], [hot_planes(runs)]),
        *claim_parts(judged),
    ]


CACHE_TEXT = (
    "Financial1 with other mapping caches than the 64 KiB of all else here. The published means of "
    "DLOOP and DFTL at 64 GB are 0.43 and 2.0 ms."
)


PAGES_TEXT = (
    "In ms, with 25 ns for a byte on the bus (Table I), and with 50 us for a page of any size "
    "(section III.A, first seed). A pair of page sizes falls if the larger has the lower mean."
)

TPCC_TEXT = (
    "TPC-C has 3,000 requests a second, and a page takes 102 us on the bus by Table I, but 50 us "
    "by section III.A. Mean response, ms:"
)

HOT_TEXT = (
    "The paper leaves extra blocks for hot planes to later; dloop-hot has them. 300,000 writes of "
    "two pages over 4 GB, every 10 ms: where the first two of every eight pages are written, all "
    "go to two of the eight planes."
)


def responses(runs: Runs) -> Table:
    """Return the mean response of each FTL on each workload, over capacity."""
    rows = [
        [
            f"{name}: {ftl_title(ftl)}",
            *(cell(runs, at(RESPONSE, name, each, ftl) / 1000) for each in CAPACITIES),
        ]
        for name in ALL
        for ftl in FTLS
    ]
    return Table(["", *CAPACITIES], rows)


def by_page_size(runs: Runs) -> Table:
    """Return the mean response over page size for both times of a transfer."""
    rows = []
    for name in ALL:
        for ftl in FTLS:
            for what, behind in (("25 ns/B", ()), (SHORT, (SHORT,))):
                means = [at(RESPONSE, name, page, ftl, *behind) / 1000 for page in PAGES]
                fall = pairs_that_fall([name], PAGES, ftl, *behind)
                cells = (cell(runs, each) for each in (*means, fall))
                rows.append([f"{name}: {ftl_title(ftl)}", what, *cells])
    return Table(["", "transfer", *PAGES, "pairs that fall"], rows)


def transfers(runs: Runs) -> Table:
    """Return the mean response with TPC-C for both times of a transfer."""
    rows = []
    for capacity in CAPACITIES:
        for what, behind in (("102 us", ()), (SHORT, (SHORT,))):
            keys = [(TPCC, capacity, ftl, *behind) for ftl in FTLS]
            rows.append([capacity, what, *(cell(runs, at(RESPONSE, *key) / 1000) for key in keys)])
    return Table(["capacity", "transfer", *map(ftl_title, FTLS)], rows)


def hot_planes(runs: Runs) -> Table:
    """Return what extra blocks for hot planes do, where planes are hot and where they are not."""
    rows = []
    for name in SKEWS:
        for ftl in HOT_FTLS:
            key = (name, CAPACITIES[0], ftl)
            if key not in set(runs):
                continue
            served = runs[key]["planes"]["host_requests"]
            figures = [
                number(runs(RESPONSE, *key) / 1000),
                f"{runs('gc.copied_pages', *key):,.0f}",
                f"{runs(erases, *key):,.0f}",
                f"{min(served):,} to {max(served):,}",
            ]
            rows.append([name, ftl, *figures])
    header = ["workload", "FTL", "response, ms", "pages moved", "erases", "operations of a plane"]
    return Table(header, rows)


def caches(runs: Runs) -> Table:
    """Return hit ratio and mean response for each size of the mapping cache."""
    rows = []
    for key in runs:
        if key[0] == FIN1 and key[2] == "dloop" and key[3:] and key[3] in CACHES:
            _, capacity, _, cache = key
            hits = runs("mapping.hit_ratio", *key)
            ours, theirs = (
                runs(RESPONSE, FIN1, capacity, ftl, cache) / 1000 for ftl in ("dloop", "dftl")
            )
            figures = [number(hits, "%"), number(ours), number(theirs)]
            rows.append([capacity, cache, *figures, number(ours / theirs - 1, "%+")])
    return Table(["capacity", "cache", "hits", "DLOOP, ms", "DFTL, ms", "DLOOP against DFTL"], rows)


def drawn(mark: Marks, what: str, settings: Sequence[str]) -> Drawing:
    """Draw a figure: a row for each workload."""
    from ftlab_papers.charts import lines, panels

    def series(workload: str, measure: Callable[..., Measure]) -> list[Series]:
        return [
            Series(ftl, [mark(measure(workload, each, ftl)) for each in settings], ftl)
            for ftl in FTLS
        ]

    columns: list[tuple[str, Callable[..., Measure]]] = [
        ("response, ms", lambda *key: at(RESPONSE, *key) / 1000),
        ("SDRPP", lambda *key: at(SDRPP, *key)),
    ]
    draws = [
        lines(f"{workload}: {title}", settings, series(workload, measure), label=what)
        for workload in ALL
        for title, measure in columns
    ]
    return panels(draws, columns=len(columns))
