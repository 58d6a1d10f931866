"""A fleet as tables, JSON and CSV."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain

from ftlab.fleet import FIGURES, LEAST_VOLUMES, PERCENTILES, Fleet
from ftlab.report.numbers import written
from ftlab.report.points import FIGURES as KNOWN
from ftlab.report.summary import OVERLOAD, Figure, in_a_line, setup_of
from ftlab.report.tables import Table, csv_of_rows
from ftlab.report.warned import once, warned
from ftlab.result import Result
from ftlab.titles import FtlName, title
from ftlab.units import number

ERASES = {
    "wear.erases_mean": "erases of a block",
    "wear.erases_max": "erases of the most worn block",
}
ALONE = (
    "an array is an approximation: devices do not wait for each other, a response time is that of "
    "one device's part of a request, and queue depth, clock and warm-up are those of each device"
)
COLUMNS = ("mean", "min", *(f"p{each}" for each in PERCENTILES), "max")


def tables(fleet: Fleet) -> list[Table]:
    """Return the fleet as a whole, figures over volumes, and the worst volumes, FTL by FTL."""
    found = (_whole(fleet), _spread(fleet), _worst(fleet))
    return [each for each in found if each.rows]


def setup(fleet: Fleet) -> str:
    """Return one line with the set-up of all members; devices are as large as their volumes."""
    results = _results(fleet)
    if not results:
        return ""
    told = setup_of(results[0])
    told.pop("format", None)
    sizes = sorted({result["device"]["capacity_bytes"] for result in results})
    ends = dict.fromkeys(written(each, "bytes") for each in (sizes[0], sizes[-1]))
    told.pop("shard", None)
    told |= {"trace": fleet.name, "device": " to ".join(ends)}
    if fleet.stripe is not None:
        devices = len(fleet.members) // len(fleet.ftls)
        stripe = number(str(fleet.stripe), "size")
        shown = str(fleet.stripe) if stripe is None else written(stripe, "bytes")
        told |= {"devices": str(devices), "stripe": shown}
    return in_a_line(told)


def _results(fleet: Fleet) -> list[Result]:
    return [each.outcome for each in fleet.members if isinstance(each.outcome, Result)]


def notes(fleet: Fleet, least: int) -> list[str]:
    """Return what the tables leave out, and what the runs warn of."""
    whole = fleet.summary(fleet.ftls[0])
    told = []
    if whole["few_requests"]:
        told.append(
            f"{whole['few_requests']:,} of {whole['volumes']:,} volumes have fewer than {least:,} "
            "requests and were not run; --least runs smaller ones"
        )
    if whole["nothing_erased"]:
        told.append(
            f"write amplification excludes {whole['nothing_erased']:,} {fleet.kind}s without an "
            "erase; set run.warmup = steady, or a smaller device.capacity with run.address = "
            "modulo, to include them"
        )
    most = max((len(fleet.under(ftl)) for ftl in fleet.ftls), default=0)
    if most < LEAST_VOLUMES:
        told.append(f"there are no percentiles of fewer than {LEAST_VOLUMES} {fleet.kind}s")
    if fleet.stripe is not None:
        told.append(ALONE)
    for ftl in fleet.ftls:
        over = fleet.summary(ftl)["overloaded"]
        if over:
            told.append(
                f"{title(ftl)}: {over:,} {fleet.kind}s are overloaded: their response times grow "
                "with the length of the input; use host.time_scale or host.mode = closed:QD"
            )
        failed = fleet.failed(ftl)
        told += [
            f"{title(ftl)}: {fleet.kind} {each.volume.number} failed: {each.failure}"
            for each in failed
        ]
    texts = [text for text in chain(*warned(_results(fleet))) if not text.startswith(OVERLOAD)]
    return [*told, *(f"warning: {text}" for text in once(texts))]


def _whole(fleet: Fleet) -> Table:
    few = {"few requests": "few_requests"} if fleet.stripe is None else {}
    counted = {
        f"{fleet.kind}s": f"{fleet.kind}s",
        **few,
        "not erased": "nothing_erased",
        "failed": "failed",
    }
    header = ["fleet", *counted, "write amplification", "with those not erased"]
    rows = []
    for ftl in fleet.ftls:
        found = fleet.summary(ftl)
        keys = ("write_amplification", "write_amplification_with_small")
        factors = [written(found[key], "factor") for key in keys]
        rows.append([FtlName(ftl), *(written(found[key]) for key in counted.values()), *factors])
    return Table(header, rows)


def _spread(fleet: Fleet) -> Table:
    known = _known(fleet)
    rows = []
    for ftl in fleet.ftls:
        whole = fleet.summary(ftl)
        for path, found in whole["percentiles"].items():
            if found:
                figure, over = known[path], whole["overloaded"]
                doubt = f" ({OVERLOAD} on {over:,})" if figure.waits and over else ""
                cells = [written(found[each], figure.unit) for each in COLUMNS]
                label = f"{title(ftl)}: {figure.label}{doubt}"
                rows.append([label, written(found["volumes"]), *cells])
    return Table([f"over {fleet.kind}s", f"{fleet.kind}s", *COLUMNS], rows)


def _worst(fleet: Fleet) -> Table:
    rows = [
        [
            f"{title(ftl)}: {fleet.kind} {each.volume.number}",
            written(each.requests),
            *(written(each.figure(path), KNOWN[path].unit) for path in FIGURES),
        ]
        for ftl in fleet.ftls
        for each in fleet.worst(ftl)
    ]
    return Table(["worst", "requests", *(KNOWN[path].label for path in FIGURES)], rows)


def _known(fleet: Fleet) -> dict[str, Figure]:
    """Return the metrics over members by their paths."""
    worn = {path: replace(Figure.declared(path), label=label) for path, label in ERASES.items()}
    return {path: KNOWN.get(path) or worn[path] for path in fleet.figures}


def as_json(fleet: Fleet) -> str:
    """Return the summary of each FTL and a row for each volume."""
    summaries = [fleet.summary(ftl) for ftl in fleet.ftls]
    return json.dumps({"fleet": summaries, f"{fleet.kind}s": fleet.rows()}, indent=2) + "\n"


def as_csv(fleet: Fleet) -> str:
    """Return a row for each volume and FTL; what does not exist is empty."""
    return csv_of_rows(fleet.rows())


def as_text(fleet: Fleet, form: str, least: int) -> str:
    """Return the tables in Markdown, LaTeX or aligned text, with what they leave out."""
    *first, last = tables(fleet)
    parts = [each.with_notes(form, []) for each in first]
    return "\n".join([*parts, last.with_notes(form, notes(fleet, least))])
