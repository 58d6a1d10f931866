"""What the report on DLOOP shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ftlab.report.tables import Table
from ftlab.titles import title as ftl_title
from ftlab_papers.claims import Judged
from ftlab_papers.dloop.claims import SDRPP, WORDS, pairs_that_fall
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
from ftlab_papers.quantities import RESPONSE, cell, erases
from ftlab_papers.report import Part, claim_parts
from ftlab_papers.runs import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


def parts(runs: Runs, inputs: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the paper's figures 8 to 10, and the claims."""
    used = Table(["workload", "input"], [[name, each.described] for name, each in inputs.items()])
    mark = Marks(runs, known(each.claim for each in judged))
    figures = {
        f"figure-{number}": partial(drawn, mark, what, settings)
        for number, (what, settings) in enumerate(SWEEPS.items(), 8)
    }
    part = WORDS.part
    return [
        part("What was run", [used]),
        part("Figures 8 to 10", pictures=figures),
        part("Mean response over capacity", [responses(runs)]),
        part("Mean response over page size", [by_page_size(runs)]),
        part("An open choice: the mapping cache", [caches(runs)]),
        part("TPC-C with short transfers", [transfers(runs)]),
        part("Hot planes", [hot_planes(runs)]),
        *claim_parts(judged),
    ]


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
