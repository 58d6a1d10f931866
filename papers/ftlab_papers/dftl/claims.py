"""What the abstract of DFTL's journal version claims: J1 to J5."""

from __future__ import annotations

from ftlab import Result
from ftlab_papers.claims import Claim
from ftlab_papers.dftl.points import CACHED, FIN, HYBRIDS, LOADS, TPCH, under
from ftlab_papers.findings import Change, Order, Statement, Value, number
from ftlab_papers.measures import at, relative
from ftlab_papers.quantities import RESPONSE
from ftlab_papers.runs import Runs


def collector_operations(result: Result) -> float:
    """Return the pages moved and the blocks erased, by GC or merges.

    So the abstract's "operations" are read (choices.md#collector-operations).
    """
    programs, erases = result["flash"]["programs"], result["flash"]["erases"]
    moved = sum(programs[cause] for cause in ("gc_data", "gc_mapping", "gc_translation", "merge"))
    return float(moved + sum(erases.values()))


def ram(result: Result) -> float:
    """Return the RAM of map, cache and buffer, bytes."""
    return float(sum(result["ram_bytes"].values()))


def against_hybrids(workload: str, said: float) -> list[Statement]:
    """Return DFTL's change against FAST, and that it is faster than each hybrid FTL."""
    own = (workload, "dftl")
    return [
        Change("vs FAST", said, relative(RESPONSE, own, (workload, "fast"))),
        *(
            Order("", {each: at(RESPONSE, workload, each) for each in ("dftl", ftl)}, "us")
            for ftl in HYBRIDS
        ),
    ]


def with_cache() -> list[Statement]:
    """Return DFTL with a write-back cache against page mapping."""
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


def _why_collector(runs: Runs) -> str:
    fast, dftl = (runs[FIN, ftl] for ftl in ("fast", "dftl"))
    return (
        f"FAST merged {fast['merges']['full']:,} blocks in full and copied "
        f"{fast['merges']['copied_pages']:,} pages; DFTL's GC copied "
        f"{dftl['gc']['copied_pages']:,} pages and updated the map for "
        f"{dftl['flash']['programs']['gc_mapping']:,}."
    )


def _why_cached(runs: Runs) -> str:
    buffer = runs[FIN, "dftl", CACHED]["buffer"]
    return (
        f"The cache has {number(buffer['hit_ratio'], '%')} of the page accesses; "
        f"{buffer['absorbed']:,} page writes were never programmed. It has "
        f"{number(runs(ram, FIN, 'dftl', CACHED) / runs(ram, FIN, 'page'), '%')} of page's RAM."
    )


def _reads(runs: Runs) -> str:
    mapping = runs[TPCH, "dftl"]["mapping"]
    merges = runs[TPCH, "fast"]["merges"]
    total = sum(merges[kind] for kind in ("switch", "partial", "full"))
    return (
        f"DFTL finds {number(mapping['hit_ratio'] or 0.0, '%')} of the mappings in its cache and "
        f"reads {mapping['translation_reads']:,} translation pages; FAST merges {total:,} blocks."
    )


CLAIMS = (
    Claim(
        "J1",
        "abstract",
        "response on random-write OLTP, against a hybrid FTL",
        against_hybrids(FIN, -0.78),
        _why_collector,
    ),
    Claim(
        "J2",
        "abstract",
        "a third of the collector's operations",
        [
            Value(
                "FAST / DFTL",
                3.0,
                at(collector_operations, FIN, "fast") / at(collector_operations, FIN, "dftl"),
            )
        ],
        _why_collector,
    ),
    Claim(
        "J3",
        "abstract",
        "response on TPC-H, against a hybrid FTL",
        against_hybrids(TPCH, -0.56),
        _reads,
    ),
    Claim(
        "J4", "abstract", "with a write-back cache, against page mapping", with_cache(), _why_cached
    ),
    Claim(
        "J5",
        "abstract",
        "better overload behaviour than hybrid FTLs",
        [under_load(name, load) for name in (FIN, TPCH) for load in LOADS if load >= 1],
    ),
)
