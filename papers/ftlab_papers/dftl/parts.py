"""What the report on DFTL's journal version shows."""

from __future__ import annotations

from collections.abc import Sequence

from ftlab.report.tables import Table
from ftlab.titles import title as ftl_title
from ftlab_papers.charts import bars, lines, panels
from ftlab_papers.claims import Judged
from ftlab_papers.dftl.claims import WORDS, collector_operations
from ftlab_papers.dftl.points import (
    CACHED,
    FIN,
    FIN1,
    FOLD,
    FTLS,
    HYBRIDS,
    LOADS,
    MAIN,
    NEAREST,
    PREFIX_LOOP,
    REQUESTS,
    TPCH,
    capacity,
    under,
)
from ftlab_papers.dftl.volumes import FINANCIAL, row
from ftlab_papers.findings import number
from ftlab_papers.inputs import Sources
from ftlab_papers.marks import Marks, Series, known
from ftlab_papers.measures import Measure, at, relative
from ftlab_papers.quantities import RESPONSE, cell
from ftlab_papers.report import Part, claim_parts
from ftlab_papers.runs import Runs
from ftlab_papers.tables import Pictures
from ftlab_papers.volumes import MIB


def parts(runs: Runs, sources: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the report."""
    part = WORDS.part
    return [
        part("What was run", [_inputs(runs, sources)], requests=REQUESTS, row=FINANCIAL),
        *claim_parts(judged),
        part("Response", [_table(runs)], _pictures(runs, judged)),
        part("Which Financial", [_elsewhere(runs), _volumes(runs, sources)]),
    ]


def _inputs(runs: Runs, sources: Sources) -> Table:
    rows = []
    for name in _workloads(runs):
        host = runs[name, "page"]["host"]
        accesses = host["page_reads"] + host["page_writes"]
        written = number(host["page_writes"] / max(accesses, 1), "%")
        made = _described(sources, name)
        rows.append([name, made, f"{host['requests']:,}", f"{accesses:,}", written])
    return Table(["workload", "input", "requests", "page accesses", "written"], rows)


def _workloads(runs: Runs) -> list[str]:
    return [name for name in (*NEAREST, FOLD, PREFIX_LOOP, TPCH) if (name, "page") in set(runs)]


def _described(sources: Sources, name: str) -> str:
    if name == PREFIX_LOOP:
        return "the beginning of the real financial1, looped"
    if name in (FOLD, TPCH):
        return sources[name].described
    file = sources[name].file
    (volume,) = (
        each for each in sources if each.startswith(f"{FIN1}/") and sources[each].file == file
    )
    return f"{volume}, of {sources[FOLD].described}"


def _elsewhere(runs: Runs) -> Table:
    rows = []
    for name in _workloads(runs):
        slower = sum(runs(RESPONSE, name, ftl) >= runs(RESPONSE, name, "dftl") for ftl in HYBRIDS)
        cached = relative(RESPONSE, (name, "dftl", CACHED), (name, "page"))
        rows.append(
            [
                name,
                f"{slower} of {len(HYBRIDS)}",
                cell(runs, _against_fast(name), "%+"),
                cell(runs, cached, "%+"),
                cell(runs, _collected(name)),
            ]
        )
    header = ["workload", "hybrids not faster than DFTL", "DFTL vs FAST"]
    return Table([*header, "DFTL with cache vs page", "collector's operations, FAST / DFTL"], rows)


def _against_fast(name: str) -> Measure:
    """Return the change of DFTL's response against FAST's."""
    return relative(RESPONSE, (name, "dftl"), (name, "fast"))


def _collected(name: str) -> Measure:
    """Return FAST's operations of the collector / DFTL's."""
    return at(collector_operations, name, "fast") / at(collector_operations, name, "dftl")


def _volumes(runs: Runs, sources: Sources) -> Table:
    rows = []
    for name, source in sources.items():
        if not name.startswith(f"{FIN1}/"):
            continue
        found = row(source)
        rows.append(
            [
                name,
                number(found.interarrival_ms),
                number(found.writes, "%"),
                number(found.mean_kib),
                number(found.sequential, "%"),
                f"{FINANCIAL.distance(found):.2f}",
                f"{capacity(name, source) // MIB:,}",
                *(cell(runs, at(RESPONSE, name, ftl)) for ftl in MAIN),
                cell(runs, _against_fast(name), "%+"),
                cell(runs, _collected(name)),
            ]
        )
    header = ["volume", "ms between", "writes", "KiB", "sequential", "distance", "device, MiB"]
    figures = [
        *(f"{ftl_title(ftl)}, us" for ftl in MAIN),
        "DFTL vs FAST",
        "operations, FAST / DFTL",
    ]
    return Table([*header, *figures], rows)


def _table(runs: Runs) -> Table:
    rows = []
    for name in (FIN, FOLD, TPCH):
        settings = [(ftl,) for ftl in FTLS] + [(ftl, CACHED) for ftl in ("dftl", "fast")]
        for setting in settings:
            rows.append(
                [name, ftl_title(", ".join(setting)), cell(runs, at(RESPONSE, name, *setting))]
            )
    return Table(["workload", "FTL", "mean response, us"], rows)


def _pictures(runs: Runs, judged: Sequence[Judged]) -> Pictures:
    shown_on = (FIN, TPCH)
    mark = Marks(runs, known(each.claim for each in judged))

    def response(name: str) -> list[Series]:
        return [Series("", [mark(at(RESPONSE, name, ftl) / 1000) for ftl in FTLS])]

    def by_load(name: str) -> list[Series]:
        return [
            Series(ftl, [mark(at(RESPONSE, name, ftl, under(load)) / 1000) for load in LOADS], ftl)
            for ftl in MAIN
        ]

    def against() -> list[Series]:
        changes = [_against_fast(name) for name in shown_on]
        changes.append(relative(RESPONSE, (FIN, "dftl", CACHED), (FIN, "page")))
        return [Series("", [mark(each) for each in changes])]

    shown = [f"{load:g}" for load in LOADS]
    names = [f"{name},\nDFTL against FAST" for name in shown_on]
    names.append(f"{FIN}, DFTL with\ncache against page")
    changes = bars("Change of mean response", names, against(), percent=True)
    ftls = [*map(ftl_title, FTLS)]
    by_ftl = [bars(name, ftls, response(name)) for name in shown_on]
    loaded = [lines(name, shown, by_load(name), label="load") for name in shown_on]
    return {
        "against": lambda: panels([changes], wide=True),
        "response": lambda: panels(by_ftl, columns=2),
        "overload": lambda: panels(loaded, columns=2),
    }
