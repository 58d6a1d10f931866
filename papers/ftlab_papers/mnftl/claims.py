"""What MNFTL's paper claims: M1 to M10, and the order of the FTLs that it rests on, O1."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from ftlab import Result
from ftlab.points import Config, merge
from ftlab_papers.claims import Claim, Counterfactual, of, on
from ftlab_papers.findings import Bound, Change, Order, Value, number
from ftlab_papers.inputs import Source
from ftlab_papers.made import side_by_side
from ftlab_papers.measures import At, Measure, Of, at, least
from ftlab_papers.mnftl.points import ONE_BLOCK, WRITE_DOMINANT, requests_of
from ftlab_papers.mnftl.proofs import (
    COPY_US,
    ERASE_US,
    OOB_US,
    READ_US,
    WRITE_US,
    table_change,
)
from ftlab_papers.mnftl.published import FTLS, KIB, NAMES, RAM_BYTES, TRACES
from ftlab_papers.quantities import RESPONSE, erases
from ftlab_papers.runs import Figure, Key, NotMeasuredError, Runs

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
    tables = float(result.ram_bytes.tables)
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
    total = float(result.response_us.mean) * host.requests
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
        mean_change,
        tuple(At(figure, (trace, ftl)) for trace in TRACES for ftl in ("mnftl", rival)),
    )


def _why_m10(runs: Runs) -> str:
    return (
        "The rule here counts what a device has to keep. The paper's 62 KB are 2 B for each of the "
        "four data blocks of 8192 - 256 superblocks, without log blocks and directories; its 176 "
        "KB are the cache and 7 B (a page number and a pointer) for each of 16,384 translation "
        "pages of 8 B entries; its 446 KB have no room for the page map of a buffer of 16 %."
    )


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
    data = number(against("dftl", data_copies)(runs), "%+")
    return f"Copies/erases of MNFTL and DFTL. {rows}. Of pages of data alone the change is {data}."


ORDERED = ("mnftl", "dftl")

CLAIMS = (
    Claim(
        "M1",
        "1",
        "lower mean response than previous work",
        [Change("vs DFTL, six traces", -0.3009, against("dftl", RESPONSE))],
        _why_responses,
    ),
    Claim(
        "M2",
        "5.2",
        "lower mean response than DFTL; more against the others",
        [
            Change("vs DFTL", -0.3092, against("dftl", RESPONSE)),
            Bound("vs GFTL", against("gftl", RESPONSE), below=-0.3092, unit="%+"),
            Bound("vs SFTL", against("superblock", RESPONSE), below=-0.3092, unit="%+"),
        ],
        _why_responses,
    ),
    Claim(
        "M3",
        "5.2",
        "fewer valid page copies and erases than DFTL",
        [
            Change("copies vs DFTL", -0.6978, against("dftl", copies)),
            Change("erases vs DFTL", -0.3335, against("dftl", erases)),
        ],
        _why_copies,
        proof=(
            "Table 2 itself has "
            f"{number(table_change(lambda cell: cell.copies), '%+')} of the copies and "
            f"{number(table_change(lambda cell: cell.erases), '%+')} of the erases in the mean of "
            "its traces, so that the two numbers of the text are none of its runs."
        ),
    ),
    Claim(
        "M4",
        "5.2",
        "Websearch: between page-level and SFTL; no collection",
        [
            Value(
                "SFTL - MNFTL",
                15,
                at(RESPONSE, WEB, "superblock") - at(RESPONSE, WEB, "mnftl"),
                "us",
            ),
            Value(
                "MNFTL - page-level",
                20,
                at(RESPONSE, WEB, "mnftl") - at(RESPONSE, WEB, "page"),
                "us",
            ),
            *(
                Value(
                    f"copies and erases, {NAMES[ftl]}",
                    0,
                    at(copies, WEB, ftl) + at(erases, WEB, ftl),
                )
                for ftl in FTLS
            ),
        ],
    ),
    Claim(
        "M5",
        "5.2",
        "OOB reads of a lookup",
        [
            Value("SFTL", 2, at(oob_reads_per_request, WEB, "superblock")),
            Value("MNFTL", 1, at(oob_reads_per_request, WEB, "mnftl")),
        ],
    ),
    Claim(
        "M6",
        "4.2",
        "a read is T_oob + T_r, a write T_oob + T_w",
        [
            Value("median read", OOB_US + READ_US, at("read_response_us.p50", WEB, "mnftl"), "us"),
            Value(
                "median write",
                OOB_US + WRITE_US,
                at("write_response_us.p50", "systemdisk1", "mnftl"),
                "us",
            ),
        ],
    ),
    Claim(
        "M7",
        "4.3",
        "collection is N T_oob + S (T_r + T_w) + T_e: time / formula",
        [
            Value(TRACES[trace].name, 1, at(collection_by_formula, trace, "mnftl"))
            for trace in WRITE_DOMINANT
        ],
    ),
    Claim(
        "M8",
        "2",
        "a write with a copy and an erase takes at least 3160 us",
        [
            Bound(
                "longest write",
                at("write_response_us.max", "financial1", "mnftl"),
                above=ERASE_US + COPY_US + WRITE_US,
                unit="us",
            )
        ],
    ),
    Claim(
        "M9",
        "4.3",
        "of more than P blocks of one logical block one has no valid page",
        [Value("valid pages of a victim", 0, at("gc.mean_valid_data", *ONE_BLOCK))],
    ),
    Claim(
        "M10",
        "5.1",
        "RAM of the address mapping of 8 GB",
        [Value(NAMES[ftl], RAM_BYTES[ftl] / KIB, at(ram, "ram", ftl) / KIB, "KiB") for ftl in FTLS],
        _why_m10,
        proof=(
            "page numbers take 3 B, as in the page-level 12,288 KiB, so the page map of GFTL's "
            f"buffer of 16 % alone is {0.16 * RAM_BYTES['page'] / KIB:,.0f} KiB, where 446 are "
            "printed."
        ),
    ),
    Claim(
        "O1",
        "5.2",
        "write-dominant traces: page-level, MNFTL, all others",
        [
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
        _why_responses,
    ),
)


def volumes_side_by_side(key: Key, source: Source, results: Path) -> Config:
    """Return the input with its volumes one behind the other before they are wrapped."""
    limit: Config = {"input": {"requests": requests_of(source)}}
    return {"input": {"trace": str(side_by_side(merge([source.config, limit]), results))}}


COUNTERFACTUALS = (
    Counterfactual(
        "volumes side by side",
        "Financial1's volumes one behind the other, then wrapped at 1 GiB",
        ("M1", "M2", "M3", "M7", "M8", "O1"),
        volumes_side_by_side,
        only=on("financial1"),
    ),
    Counterfactual(
        "eight pieces",
        "SFTL with eight pieces of a superblock's map, not four",
        ("M2", "M4", "M5", "O1"),
        {"superblock": {"pieces": 8}},
        only=of("superblock"),
    ),
    Counterfactual(
        "a large cache",
        "DFTL with a cache for the whole map of 1 GiB, whose pages GC moves all the same",
        ("M1", "M2", "M3", "O1"),
        {"ftl": {"cache": "4MiB"}},
        only=lambda key: key[1] == "dftl" and key[0] != "ram",
    ),
    Counterfactual(
        "least valid victims",
        "MNFTL's victim is the block with the fewest valid pages of all (4.3, the other way)",
        ("M1", "M2", "M3", "O1"),
        {"mnftl": {"victim": "global"}},
        only=lambda key: key[1] == "mnftl" and key[0] in TRACES,
    ),
)
