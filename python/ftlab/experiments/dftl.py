"""DFTL's journal version (Kim, Gupta & Urgaonkar, 2013): the claims of its abstract.

DFTL against hybrid FTLs on financial1 and TPC-H, with and without a write-back cache at equal RAM,
and under growing load. The device is that of the preset ``dftl-asplos09``; for the workload see
choices.md#journal-workload.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ftlab.config import Config, merge
from ftlab.experiments.charts import bars, lines, panels
from ftlab.experiments.claims import (
    Claim,
    Finding,
    Judged,
    NotMeasuredError,
    Runs,
    change,
    number,
    order,
    ratio,
    value,
)
from ftlab.experiments.experiment import Experiment
from ftlab.experiments.inputs import Sources, Workload
from ftlab.experiments.report import Part, Picture, claim_parts
from ftlab.points import Point
from ftlab.report.tables import ABSENT, Table
from ftlab.result import Result

RESPONSE = "response_us.mean"
MIB = 1 << 20
PAGE = 2048
CAPACITY = {"financial1": 512 * MIB, "tpch": 4096 * MIB}
"""Bytes of the device; volumes lie over each other, and what lies beyond is wrapped."""

CACHE = 64 << 10
"""DFTL's mapping cache, 8192 entries."""

HYBRIDS = ("fast", "bast", "nftl", "last", "kast", "aftl", "waftl")
FTLS = ("page", "dftl", *HYBRIDS)
CACHED = "write-back cache"
LOADS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Offered load as a multiple of the usual one."""

STRETCH = {"financial1": 133.5 / 8.19, "tpch": 1.0}
"""By how much longer the time between requests is than in the input: the table of workloads of the
conference version has a mean of 133.5 ms for Financial (remembered, not checked), whose whole trace
has 8.19 ms; the model of TPC-H has the 155.6 ms of that table already."""

REQUESTS = 1_000_000
"""Of each trace, its first ones."""

WORKLOADS = (
    Workload("financial1", ("financial1.spc", "financial1.parquet")),
    Workload("tpch", ("tpch.parquet",)),
)


def points(sources: Sources) -> dict[tuple[str, ...], Point]:
    """Return all points by workload, FTL, and cache or load."""
    found: dict[tuple[str, ...], Point] = {}
    for name, source in sources.items():
        limit: Config = {"input": {"requests": source.requests or REQUESTS}}
        setup = merge([source.config, limit, _device(name)])

        def add(*key: str, setup: Config = setup, **sections: Config) -> None:
            found[key] = Point(" ".join(key), merge([setup, sections]), key[1])

        for ftl in FTLS:
            add(name, ftl)
        for ftl in ("dftl", "fast"):
            buffer: Config = {"policy": "lru", "size": spare_ram(name)}
            add(name, ftl, CACHED, buffer=buffer)
        for load in LOADS:
            for ftl in ("page", "dftl", "fast"):
                add(name, ftl, f"load {load:g}", host={"time_scale": STRETCH[name] / load})
    return found


def spare_ram(workload: str) -> int:
    """Return the bytes of the page map that DFTL's cache and directory leave for pages."""
    pages = CAPACITY[workload] // PAGE
    directory = 4 * -(-pages // (PAGE // 4))
    return 4 * pages - CACHE - directory


def _device(workload: str) -> Config:
    """Return the device; FAST has what is spare as log blocks, page-level FTLs as spare blocks."""
    return {
        "preset": "dftl-asplos09",
        "device": {"capacity": CAPACITY[workload]},
        "ftl": {"cache": CACHE},
        "host": {"time_scale": STRETCH[workload]},
        "run": {"address": "modulo"},
    }


def collector_operations(result: Result) -> float:
    """Return the pages moved and the blocks erased, by GC or merges.

    So the abstract's "operations" are read (choices.md#collector-operations).
    """
    programs, erases = result["flash"]["programs"], result["flash"]["erases"]
    moved = sum(programs[cause] for cause in ("gc_data", "gc_mapping", "gc_translation", "merge"))
    return float(moved + sum(erases.values()))


def hybrid(workload: str, published: float, runs: Runs) -> Finding:
    """Return the finding of DFTL's change against FAST."""
    return change(
        "vs FAST", published, runs.change(RESPONSE, (workload, "dftl"), (workload, "fast"))
    )


def better_than_all(workload: str, runs: Runs) -> Iterable[Finding]:
    """Return whether DFTL is faster than each hybrid FTL."""
    for ftl in HYBRIDS:
        figures = {each: runs(RESPONSE, workload, each) for each in ("dftl", ftl)}
        yield order("", figures, "us")


def _collector(runs: Runs) -> Iterable[Finding]:
    fast, dftl = (runs(collector_operations, "financial1", ftl) for ftl in ("fast", "dftl"))
    yield value("FAST / DFTL", 3.0, ratio(fast, dftl))


def _cached(runs: Runs) -> Iterable[Finding]:
    cached = ("financial1", "dftl", CACHED)
    yield change("vs page", -0.72, runs.change(RESPONSE, cached, ("financial1", "page")))
    keys = {
        "DFTL with cache": cached,
        "page": ("financial1", "page"),
        "DFTL": ("financial1", "dftl"),
    }
    yield order("", {name: runs(RESPONSE, *key) for name, key in keys.items()}, "us")
    cache, page = runs[cached]["ram_bytes"], runs["financial1", "page"]["ram_bytes"]
    yield value("RAM, of page's", 1.0, ratio(sum(cache.values()), sum(page.values())), "%")


def _overload(runs: Runs) -> Iterable[Finding]:
    for workload in CAPACITY:
        for load in LOADS:
            key = f"load {load:g}"
            figures = {ftl: runs(RESPONSE, workload, ftl, key) for ftl in ("dftl", "fast")}
            yield order(f"{workload}, {key}", figures, "us")


def _why_collector(runs: Runs) -> str:
    fast, dftl = (runs["financial1", ftl] for ftl in ("fast", "dftl"))
    return (
        f"FAST merged {fast['merges']['full']:,} blocks in full and copied "
        f"{fast['merges']['copied_pages']:,} pages; DFTL's GC copied "
        f"{dftl['gc']['copied_pages']:,} pages and updated the map for "
        f"{dftl['flash']['programs']['gc_mapping']:,}."
    )


def _why_cached(runs: Runs) -> str:
    buffer = runs["financial1", "dftl", CACHED]["buffer"]
    return (
        f"The cache has {number(buffer['hit_ratio'], '%')} of the page accesses; "
        f"{buffer['absorbed']:,} page writes were never programmed."
    )


CLAIMS = (
    Claim(
        "J1",
        "abstract",
        "response on random-write OLTP, against a hybrid FTL",
        lambda runs: [hybrid("financial1", -0.78, runs), *better_than_all("financial1", runs)],
        _why_collector,
    ),
    Claim("J2", "abstract", "a third of the collector's operations", _collector, _why_collector),
    Claim(
        "J3",
        "abstract",
        "response on TPC-H, against a hybrid FTL",
        lambda runs: [hybrid("tpch", -0.56, runs), *better_than_all("tpch", runs)],
        lambda runs: _reads(runs),
    ),
    Claim("J4", "abstract", "with a write-back cache, against page mapping", _cached, _why_cached),
    Claim("J5", "abstract", "better overload behaviour than hybrid FTLs", _overload),
)


def _reads(runs: Runs) -> str:
    mapping = runs["tpch", "dftl"]["mapping"]
    merges = runs["tpch", "fast"]["merges"]
    total = sum(merges[kind] for kind in ("switch", "partial", "full"))
    return (
        f"DFTL finds {number(mapping['hit_ratio'] or 0.0, '%')} of the mappings in its cache and "
        f"reads {mapping['translation_reads']:,} translation pages; FAST merges {total:,} blocks."
    )


def parts(runs: Runs, sources: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the report."""
    return [
        Part("What was run", SETUP, [_inputs(runs, sources)]),
        *claim_parts(judged),
        Part("Response", (), [_table(runs)], _pictures(runs)),
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


def _pictures(runs: Runs) -> list[Picture]:
    def response(name: str) -> dict[str, list[float | None]]:
        return {"": [_of(runs, name, ftl) for ftl in FTLS]}

    def by_load(name: str) -> dict[str, list[float | None]]:
        return {
            ftl: [_of(runs, name, ftl, f"load {load:g}") for load in LOADS]
            for ftl in ("page", "dftl", "fast")
        }

    shown = [f"{load:g}" for load in LOADS]
    return [
        Picture(
            "response",
            "Mean response in us at the usual load.",
            lambda: panels([bars(name, FTLS, response(name)) for name in CAPACITY], columns=2),
        ),
        Picture(
            "overload",
            "Mean response in us over offered load, as a multiple of the usual one.",
            lambda: panels(
                [lines(name, shown, by_load(name), label="load") for name in CAPACITY], columns=2
            ),
        ),
    ]


EXPERIMENT = Experiment(
    name="dftl",
    title="A Temporal Locality-Aware Page-Mapped Flash Translation Layer",
    workloads=WORKLOADS,
    points=points,
    claims=CLAIMS,
    parts=parts,
)
