"""The claims J1 to J5 of the abstract of DFTL's journal version, and two orders that we chose."""

from __future__ import annotations

from ftlab import Result
from ftlab_papers.dftl.points import CACHED, FIN, HYBRIDS, LOADS, TPCH, under
from ftlab_papers.findings import Change, Order, Statement, Value, number
from ftlab_papers.measures import at, relative
from ftlab_papers.quantities import RESPONSE
from ftlab_papers.runs import Runs
from ftlab_papers.tables import Says, Words, claims

WORDS = Words(__package__)


def collector_operations(result: Result) -> float:
    """Return the pages moved and the blocks erased, by GC or merges.

    This is our reading of the abstract's "operations" (choices.md#collector-operations).
    """
    programs, erases = result["flash"]["programs"], result["flash"]["erases"]
    moved = sum(programs[cause] for cause in ("gc_data", "gc_mapping", "gc_translation", "merge"))
    return float(moved + sum(erases.values()))


def ram(result: Result) -> float:
    """Return the RAM of map, cache and buffer in bytes."""
    return float(sum(result["ram_bytes"].values()))


def against_fast(workload: str, said: float) -> Statement:
    """Return DFTL's change relative to FAST, "the hybrid FTL scheme"."""
    return Change("vs FAST", said, relative(RESPONSE, (workload, "dftl"), (workload, "fast")))


def against_hybrids(workload: str) -> list[Statement]:
    """Return statements that DFTL is faster than each hybrid FTL, some of them reconstructions."""
    return [
        Order("", {each: at(RESPONSE, workload, each) for each in ("dftl", ftl)}, "us")
        for ftl in HYBRIDS
    ]


def with_cache() -> list[Statement]:
    """Return statements that compare DFTL and a write-back cache with page mapping."""
    cached, page = (FIN, "dftl", CACHED), (FIN, "page")
    keys = {"DFTL with cache": cached, "page": page, "DFTL": (FIN, "dftl")}
    return [
        Change("vs page", -0.72, relative(RESPONSE, cached, page)),
        Order("", {name: at(RESPONSE, *key) for name, key in keys.items()}, "us"),
    ]


def under_load(workload: str, load: float) -> Statement:
    """Return that DFTL is faster than FAST under a load (choices.md#journal-overload)."""
    figures = {ftl: at(RESPONSE, workload, ftl, under(load)) for ftl in ("dftl", "fast")}
    return Order(f"{workload}, {under(load)}", figures, "us")


def _collector(runs: Runs) -> str:
    return WORDS("collector", **{ftl: runs[FIN, ftl] for ftl in ("fast", "dftl")})


def _cached(runs: Runs) -> str:
    buffer = runs[FIN, "dftl", CACHED]["buffer"]
    hits = number(buffer["hit_ratio"], "%")
    share = number(runs(ram, FIN, "dftl", CACHED) / runs(ram, FIN, "page"), "%")
    return WORDS("cached", hits=hits, absorbed=buffer["absorbed"], ram=share)


def _reads(runs: Runs) -> str:
    mapping, merges = runs[TPCH, "dftl"]["mapping"], runs[TPCH, "fast"]["merges"]
    hits = number(mapping["hit_ratio"] or 0.0, "%")
    merged = sum(merges[kind] for kind in ("switch", "partial", "full"))
    return WORDS("reads", hits=hits, mapping=mapping, merged=merged)


SAYS: Says = {
    "J1": against_fast(FIN, -0.78),
    "J2": Value(
        "FAST / DFTL",
        3.0,
        at(collector_operations, FIN, "fast") / at(collector_operations, FIN, "dftl"),
    ),
    "J3": against_fast(TPCH, -0.56),
    "J4": with_cache(),
    "J5": [under_load(name, load) for name in (FIN, TPCH) for load in LOADS if load >= 1],
    "O1": against_hybrids(FIN),
    "O2": against_hybrids(TPCH),
}

CLAIMS = claims(__package__, SAYS, {"collector": _collector, "cached": _cached, "reads": _reads})
