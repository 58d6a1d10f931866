"""What the report on DFTL's journal version shows."""

from __future__ import annotations

from collections.abc import Sequence

from ftlab.experiments.charts import bars, lines, panels
from ftlab.experiments.claims import Judged
from ftlab.experiments.dftl.claims import FIN1
from ftlab.experiments.dftl.points import CACHED, CAPACITY, FTLS, LOADS, REQUESTS
from ftlab.experiments.findings import number
from ftlab.experiments.inputs import Sources
from ftlab.experiments.marks import Marks, Series, known
from ftlab.experiments.measures import at, relative
from ftlab.experiments.quantities import RESPONSE
from ftlab.experiments.report import Part, Picture, claim_parts
from ftlab.experiments.runs import NotMeasuredError, Runs
from ftlab.report.tables import ABSENT, Table


def parts(runs: Runs, sources: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the report."""
    return [
        Part("What was run", SETUP, [_inputs(runs, sources)]),
        *claim_parts(judged),
        Part("Response", (), [_table(runs)], _pictures(runs, judged)),
    ]


SETUP = (
    "The device is the preset dftl-asplos09: pages of 2 KiB, 64 in a block, 130.9 us, 405.9 us and "
    "1.5 ms for read, program and erase, 3 % over-provisioning, as log blocks of the hybrid FTLs. "
    "It has 512 MiB for financial1 and 4 GiB for TPC-H; every request is served once as a write "
    f"before. DFTL's mapping cache has 64 KiB. The first {REQUESTS:,} requests are run.",
    "Requests come as slowly as the table of workloads of the conference version says (remembered, "
    "not checked): every 133.5 ms in financial1, 16.3 times the time of the whole trace, and every "
    "155.6 ms in TPC-H.",
    "The abstract says no more than the claims. The write-back cache is an LRU of pages with the "
    "RAM that a whole page map has beyond DFTL's cache and directory, so both take as much. "
    "Operations of the collector are pages moved and blocks erased.",
)


def _inputs(runs: Runs, sources: Sources) -> Table:
    rows = []
    for name, source in sources.items():
        host = runs[name, "page"]["host"]
        accesses = host["page_reads"] + host["page_writes"]
        written = number(host["page_writes"] / max(accesses, 1), "%")
        rows.append([name, source.described, f"{host['requests']:,}", f"{accesses:,}", written])
    return Table(["workload", "input", "requests", "page accesses", "written"], rows)


def _of(runs: Runs, *key: str) -> float | None:
    try:
        return runs(RESPONSE, *key)
    except NotMeasuredError:
        return None


def _table(runs: Runs) -> Table:
    rows = []
    for name in CAPACITY:
        settings = [(ftl,) for ftl in FTLS] + [(ftl, CACHED) for ftl in ("dftl", "fast")]
        for setting in settings:
            found = _of(runs, name, *setting)
            rows.append([name, ", ".join(setting), ABSENT if found is None else number(found)])
    return Table(["workload", "FTL", "mean response, us"], rows)


def _pictures(runs: Runs, judged: Sequence[Judged]) -> list[Picture]:
    mark = Marks(runs, known(each.claim for each in judged))

    def response(name: str) -> list[Series]:
        return [Series("", [mark(at(RESPONSE, name, ftl) / 1000) for ftl in FTLS])]

    def by_load(name: str) -> list[Series]:
        return [
            Series(
                ftl,
                [mark(at(RESPONSE, name, ftl, f"load {load:g}") / 1000) for load in LOADS],
                ftl,
            )
            for ftl in ("page", "dftl", "fast")
        ]

    def against() -> list[Series]:
        changes = [relative(RESPONSE, (name, "dftl"), (name, "fast")) for name in CAPACITY]
        changes.append(relative(RESPONSE, (FIN1, "dftl", CACHED), (FIN1, "page")))
        return [Series("", [mark(each) for each in changes])]

    shown = [f"{load:g}" for load in LOADS]
    names = [f"{name},\nDFTL against FAST" for name in CAPACITY]
    names.append(f"{FIN1}, DFTL with\ncache against page")
    return [
        Picture(
            "against",
            "Change of DFTL's mean response; outlined: published.",
            lambda: panels(
                [bars("Change of mean response", names, against(), percent=True)], wide=True
            ),
        ),
        Picture(
            "response",
            "Mean response in ms at the usual load.",
            lambda: panels([bars(name, FTLS, response(name)) for name in CAPACITY], columns=2),
        ),
        Picture(
            "overload",
            "Mean response in ms over offered load, as a multiple of the usual one.",
            lambda: panels(
                [lines(name, shown, by_load(name), label="load") for name in CAPACITY], columns=2
            ),
        ),
    ]
