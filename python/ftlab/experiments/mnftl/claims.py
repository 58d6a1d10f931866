"""What MNFTL's paper claims: M1 to M10, and the order of the FTLs that it rests on, O1."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from ftlab.experiments.claims import (
    Claim,
    Finding,
    NotMeasuredError,
    Runs,
    bound,
    change,
    order,
    value,
)
from ftlab.experiments.mnftl.points import ONE_BLOCK
from ftlab.experiments.mnftl.proofs import COPY_US, ERASE_US, OOB_US, READ_US, WRITE_US
from ftlab.experiments.mnftl.published import FTLS, KIB, NAMES, RAM_BYTES, TRACES
from ftlab.result import Result

RESPONSE = "response_us.mean"
WEB = "websearch3"
WRITE_DOMINANT = ("financial1", "systemdisk1", "systemdisk2", "systemdisk3")
PAGE_NUMBER_BYTES = 3
ENTRY_BYTES = 4
"""Bytes that ftlab counts for an entry of a page map; the paper counts `PAGE_NUMBER_BYTES`."""


def copies(result: Result) -> float:
    """Return the valid pages copied: of data alone (choices.md#mnftl-copies)."""
    return float(result.find("flash.programs.gc_data") or 0)


def erases(result: Result) -> float:
    """Return the blocks erased."""
    return float(sum(result.flash.erases.values()))


def ram(result: Result) -> float:
    """Return the RAM of the address mapping, with page numbers as the paper counts them."""
    tables = float(result.ram_bytes.tables)
    if result.ftl == "page":
        tables *= PAGE_NUMBER_BYTES / ENTRY_BYTES
    return tables + float(result.ram_bytes.cache)


def oob_reads_per_request(result: Result) -> float:
    """Return the OOB reads of the host for each request."""
    return float(result.flash.oob_reads["host"]) / float(result.host.requests)


def mean_change(runs: Runs, figure: object, rival: str) -> float:
    """Return the mean over traces of MNFTL's change against a rival, where that is not 0."""
    changes = []
    for trace in TRACES:
        rivals = runs(figure, trace, rival)  # type: ignore[arg-type]
        if rivals:
            ours = runs(figure, trace, "mnftl")  # type: ignore[arg-type]
            changes.append(ours / rivals - 1)
    if not changes:
        raise NotMeasuredError("no run has any")
    return fmean(changes)


def _m1(runs: Runs) -> Iterator[Finding]:
    yield change("vs DFTL, six traces", -0.3009, mean_change(runs, RESPONSE, "dftl"))


def _m2(runs: Runs) -> Iterator[Finding]:
    changes = {
        rival: mean_change(runs, RESPONSE, rival) for rival in ("dftl", "gftl", "superblock")
    }
    yield change("vs DFTL", -0.3092, changes["dftl"])
    yield bound("vs GFTL", changes["gftl"], below=-0.3092, unit="%+")
    yield bound("vs SFTL", changes["superblock"], below=-0.3092, unit="%+")


def _m3(runs: Runs) -> Iterator[Finding]:
    yield change("copies vs DFTL", -0.6978, mean_change(runs, copies, "dftl"))
    yield change("erases vs DFTL", -0.3335, mean_change(runs, erases, "dftl"))


def _m4(runs: Runs) -> Iterator[Finding]:
    page, superblock, mnftl = (runs(RESPONSE, WEB, ftl) for ftl in ("page", "superblock", "mnftl"))
    yield value("SFTL - MNFTL", 15, superblock - mnftl, "us")
    yield value("MNFTL - page-level", 20, mnftl - page, "us")
    for ftl in FTLS:
        work = runs(copies, WEB, ftl) + runs(erases, WEB, ftl)
        yield value(f"copies and erases, {NAMES[ftl]}", 0, work)


def _m5(runs: Runs) -> Iterator[Finding]:
    yield value("SFTL", 2, runs(oob_reads_per_request, WEB, "superblock"))
    yield value("MNFTL", 1, runs(oob_reads_per_request, WEB, "mnftl"))


def _m6(runs: Runs) -> Iterator[Finding]:
    yield value("median read", OOB_US + READ_US, runs("read_response_us.p50", WEB, "mnftl"), "us")
    median = runs("write_response_us.p50", "systemdisk1", "mnftl")
    yield value("median write", OOB_US + WRITE_US, median, "us")


def _m7(runs: Runs) -> Iterator[Finding]:
    for trace in WRITE_DOMINANT:
        result = runs[trace, "mnftl"]
        oob = result.flash.oob_reads
        host = result.host.writes * WRITE_US + result.host.reads * READ_US + oob["host"] * OOB_US
        collections = oob["gc_data"] * OOB_US + copies(result) * COPY_US + erases(result) * ERASE_US
        total = runs(RESPONSE, trace, "mnftl") * result.host.requests
        yield value(TRACES[trace].name, 1, (total - host) / collections if collections else 1.0)


def _m8(runs: Runs) -> Iterator[Finding]:
    least = ERASE_US + COPY_US + WRITE_US
    yield bound(
        "longest write",
        runs("write_response_us.max", "financial1", "mnftl"),
        above=least,
        unit="us",
    )


def _m9(runs: Runs) -> Iterator[Finding]:
    yield value("valid pages of a victim", 0, runs("gc.mean_valid_data", *ONE_BLOCK))


def _m10(runs: Runs) -> Iterator[Finding]:
    for ftl in FTLS:
        yield value(NAMES[ftl], RAM_BYTES[ftl] / KIB, runs(ram, "ram", ftl) / KIB, "KiB")


def _why_m10(runs: Runs) -> str:
    return (
        "The rule here counts what a device has to keep. The paper's 62 KB are 2 B for each of the "
        "four data blocks of 8192 - 256 superblocks, without log blocks and directories; its 176 "
        "KB are the cache and 7 B (a page number and a pointer) for each of 16,384 translation "
        "pages of 8 B entries; its 446 KB have no room for the page map of a buffer of 16 %."
    )


def _order(runs: Runs) -> Iterator[Finding]:
    for trace in WRITE_DOMINANT:
        page, mnftl = runs(RESPONSE, trace, "page"), runs(RESPONSE, trace, "mnftl")
        rivals = [runs(RESPONSE, trace, ftl) for ftl in ("dftl", "gftl", "superblock")]
        figures = {"page-level": page, "MNFTL": mnftl, "the fastest of the others": min(rivals)}
        yield order(TRACES[trace].name, figures, "us")


def _why_responses(runs: Runs) -> str:
    def row(trace: str) -> str:
        each = ", ".join(f"{NAMES[ftl]} {runs(RESPONSE, trace, ftl):,.0f}" for ftl in FTLS)
        return f"{TRACES[trace].name}: {each} us"

    return "; ".join(row(trace) for trace in TRACES) + "."


def _why_copies(runs: Runs) -> str:
    def row(trace: str) -> str:
        pairs = [f"{runs(copies, trace, f):,.0f}/{runs(erases, trace, f):,.0f}" for f in ORDERED]
        return f"{TRACES[trace].name}: {' and '.join(pairs)}"

    rows = "; ".join(row(trace) for trace in TRACES)
    return f"Copies/erases of MNFTL and DFTL. {rows}. The paper's own table gives 46 % and 14 %."


ORDERED = ("mnftl", "dftl")

CLAIMS = (
    Claim("M1", "1", "lower mean response than previous work", _m1, _why_responses),
    Claim(
        "M2", "5.2", "lower mean response than DFTL; more against the others", _m2, _why_responses
    ),
    Claim("M3", "5.2", "fewer valid page copies and erases than DFTL", _m3, _why_copies),
    Claim("M4", "5.2", "Websearch: between page-level and SFTL; no collection", _m4),
    Claim("M5", "5.2", "OOB reads of a lookup", _m5),
    Claim("M6", "4.2", "a read is T_oob + T_r, a write T_oob + T_w", _m6),
    Claim("M7", "4.3", "collection is N T_oob + S (T_r + T_w) + T_e: time / formula", _m7),
    Claim("M8", "2", "a write with a copy and an erase takes at least 3160 us", _m8),
    Claim("M9", "4.3", "of more than P blocks of one logical block one has no valid page", _m9),
    Claim("M10", "5.1", "RAM of the address mapping of 8 GB", _m10, _why_m10),
    Claim(
        "O1", "5.2", "write-dominant traces: page-level, MNFTL, all others", _order, _why_responses
    ),
)
