"""What MNFTL's paper claims: M1 to M10, and the order of the FTLs that it rests on, O1."""

from __future__ import annotations

from statistics import fmean

from ftlab import Result
from ftlab_papers.findings import Bound, Change, Order, Value, number
from ftlab_papers.measures import At, Measure, Of, at, least
from ftlab_papers.mnftl.points import ONE_BLOCK, WRITE_DOMINANT
from ftlab_papers.mnftl.proofs import COPY_US, ERASE_US, OOB_US, READ_US, WRITE_US, table_change
from ftlab_papers.mnftl.published import FTLS, KIB, NAMES, RAM_BYTES, TABLE_2, TRACES
from ftlab_papers.quantities import RESPONSE, erases
from ftlab_papers.runs import Figure, NotMeasuredError, Runs
from ftlab_papers.tables import Says, Words

WORDS = Words(__package__)

WEB = "websearch3"
PAGE_NUMBER_BYTES = 3
ENTRY_BYTES = 4
"""Bytes that ftlab counts for an entry of a page map; the paper counts `PAGE_NUMBER_BYTES`."""


def data_copies(result: Result) -> float:
    """Return the valid pages of data that were copied."""
    return float(result.find("flash.programs.gc_data") or 0)


def copies(result: Result) -> float:
    """Return the valid pages that were copied, of data and of the map (choices.md#mnftl-copies)."""
    return data_copies(result) + float(result.find("flash.programs.gc_translation") or 0)


def all_copies(result: Result) -> float:
    """Return these, and the pages of the map that were rewritten since data moved."""
    return copies(result) + float(result.find("flash.programs.gc_mapping") or 0)


def ram(result: Result) -> float:
    """Return the RAM of the address mapping, with page numbers as the paper counts them."""
    tables = float(result.find("ram_bytes.tables"))
    if result.ftl == "page":
        tables *= PAGE_NUMBER_BYTES / ENTRY_BYTES
    return tables + float(result.ram_bytes.cache)


def oob_reads_per_request(result: Result) -> float:
    """Return the OOB reads of the host for each request."""
    return float(result.flash.oob_reads["host"]) / float(result.host.requests)


def collection_by_formula(result: Result) -> float:
    """Return the time of collection / that by section 4.3's formula; 1 without collection."""
    oob, host = result.flash.oob_reads, result.host
    served = host.writes * WRITE_US + host.reads * READ_US + oob["host"] * OOB_US
    formula = oob["gc_data"] * OOB_US + copies(result) * COPY_US + erases(result) * ERASE_US
    total = (result.response_us.mean or 0.0) * host.requests
    return (total - served) / formula if formula else 1.0


def against(rival: str, figure: Figure) -> Measure:
    """Return the mean over traces of MNFTL's change against a rival, where that is not 0."""

    def mean_change(*figures: float) -> float:
        pairs = zip(figures[::2], figures[1::2], strict=True)
        changes = [ours / theirs - 1 for ours, theirs in pairs if theirs]
        if not changes:
            raise NotMeasuredError("no run has any")
        return fmean(changes)

    return Of(
        mean_change, tuple(At(figure, (trace, ftl)) for trace in TRACES for ftl in ("mnftl", rival))
    )


WRITTEN = [trace for trace in TRACES if TABLE_2[trace, "dftl"].copies]
"""The traces on which anything is collected in Table 2."""


def fewer(what: str, figure: Figure, trace: str) -> Order:
    """Return that MNFTL has no more of something than DFTL on a trace, as Table 2 has it."""
    figures = {NAMES[ftl]: at(figure, trace, ftl) for ftl in ("mnftl", "dftl")}
    return Order(f"{what}, {TRACES[trace].name}", figures)


def erases_fewer(trace: str) -> bool:
    """Tell whether MNFTL erases less than DFTL on a trace by Table 2."""
    return TABLE_2[trace, "mnftl"].erases < TABLE_2[trace, "dftl"].erases


def _ram(runs: Runs) -> str:
    return WORDS("ram")


def _responses(runs: Runs) -> str:
    def row(trace: str) -> str:
        each = ", ".join(f"{NAMES[ftl]} {runs(RESPONSE, trace, ftl):,.0f}" for ftl in FTLS)
        return f"{TRACES[trace].name}: {each} us"

    return WORDS("responses", rows="; ".join(map(row, TRACES)))


def _copies(runs: Runs) -> str:
    def row(trace: str) -> str:
        ftls = ("mnftl", "dftl")
        pairs = [f"{runs(copies, trace, f):,.0f}/{runs(erases, trace, f):,.0f}" for f in ftls]
        return f"{TRACES[trace].name}: {' and '.join(pairs)}"

    rows = "; ".join(map(row, TRACES))
    data = number(against("dftl", data_copies)(runs), "%+")
    printed = {
        what: number(table_change(figure), "%+")
        for what, figure in (
            ("copies", lambda cell: cell.copies),
            ("erases", lambda cell: cell.erases),
        )
    }
    return WORDS("copies", rows=rows, data=data, **printed)


SAYS: Says = {
    "M1": Change("vs DFTL, six traces", -0.3009, against("dftl", RESPONSE)),
    "M2": [
        Change("vs DFTL", -0.3092, against("dftl", RESPONSE)),
        Bound("vs GFTL", against("gftl", RESPONSE), below=-0.3092, unit="%+"),
        Bound("vs SFTL", against("superblock", RESPONSE), below=-0.3092, unit="%+"),
    ],
    "M3": [
        *(fewer("copies", copies, trace) for trace in WRITTEN),
        *(fewer("erases", erases, trace) for trace in WRITTEN if erases_fewer(trace)),
    ],
    "M4": [
        Value(
            "SFTL - MNFTL", 15, at(RESPONSE, WEB, "superblock") - at(RESPONSE, WEB, "mnftl"), "us"
        ),
        Value(
            "MNFTL - page-level", 20, at(RESPONSE, WEB, "mnftl") - at(RESPONSE, WEB, "page"), "us"
        ),
        *(
            Value(
                f"copies and erases, {NAMES[ftl]}", 0, at(copies, WEB, ftl) + at(erases, WEB, ftl)
            )
            for ftl in FTLS
        ),
    ],
    "M5": [
        Value("SFTL", 2, at(oob_reads_per_request, WEB, "superblock")),
        Value("MNFTL", 1, at(oob_reads_per_request, WEB, "mnftl")),
    ],
    "M6": [
        Value("median read", OOB_US + READ_US, at("read_response_us.p50", WEB, "mnftl"), "us"),
        Value(
            "median write",
            OOB_US + WRITE_US,
            at("write_response_us.p50", "systemdisk1", "mnftl"),
            "us",
        ),
    ],
    "M7": [
        Value(TRACES[trace].name, 1, at(collection_by_formula, trace, "mnftl"))
        for trace in WRITE_DOMINANT
    ],
    "M8": Bound(
        "longest write",
        at("write_response_us.max", "financial1", "mnftl"),
        above=ERASE_US + COPY_US + WRITE_US,
        unit="us",
    ),
    "M9": Value("valid pages of a victim", 0, at("gc.mean_valid_data", *ONE_BLOCK)),
    "M10": [
        Value(NAMES[ftl], RAM_BYTES[ftl] / KIB, at(ram, "ram", ftl) / KIB, "KiB") for ftl in FTLS
    ],
    "O1": [
        Order(
            TRACES[trace].name,
            {
                "page-level": at(RESPONSE, trace, "page"),
                "MNFTL": at(RESPONSE, trace, "mnftl"),
                "the fastest of the others": least(
                    at(RESPONSE, trace, ftl) for ftl in ("dftl", "gftl", "superblock")
                ),
            },
            "us",
        )
        for trace in WRITE_DOMINANT
    ],
}

REASONS = {"ram": _ram, "responses": _responses, "copies": _copies}

PROOFS = {
    "M10": WORDS("proof of M10", kib=0.16 * RAM_BYTES["page"] / KIB),
}
