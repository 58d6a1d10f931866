"""The metrics that are shown, and their order, in a summary of a run and in a comparison."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import add
from typing import Any, TypeAlias

from ftlab.metrics import METRICS
from ftlab.preset import beside_the_device
from ftlab.record import Record
from ftlab.report.causes import slow
from ftlab.report.classes import classes_table
from ftlab.report.difference import Measured, winners
from ftlab.report.fdp import event_lines, handles_table
from ftlab.report.numbers import by_name, unit_of, written
from ftlab.report.tables import ABSENT, Table, printable
from ftlab.report.warned import labelled, warned
from ftlab.result import Comparison, Result
from ftlab.seeds import NO_EFFECT, without_effect
from ftlab.spread import are_parts, of_groups
from ftlab.titles import FtlName, title

NOT_STATED = "not stated"
"""The text for the RAM of an FTL that does not state it."""


@dataclass(frozen=True)
class Figure:
    """A metric of a result: its path, name, unit, and whether more or less is better."""

    path: str
    label: str
    unit: str
    better: str = ""
    waits: bool = False
    """Whether it includes queueing time: under overload it has no meaning."""
    absent: str = ABSENT
    """The text of a cell for a result without this metric."""

    @classmethod
    def declared(cls, path: str) -> Figure:
        """Return the metric of that name as the core declares it."""
        metric = METRICS[path]
        waits = path.partition(".")[0].endswith("response_us")
        absent = NOT_STATED if path.startswith(("ram_bytes", "energy")) else ABSENT
        return cls(path, metric.label, unit_of(path), metric.better, waits, absent)

    def of(self, result: Result) -> float | None:
        """Return its value, or None if the result lacks it or a part of it."""
        value = result.find(self.path)
        if isinstance(value, Mapping):
            parts = list(value.values())
            return None if not parts or None in parts else sum(parts)
        return value if isinstance(value, int | float) else None

    def of_all(self, results: Sequence[Result]) -> list[float]:
        """Return its value in each of several results; none unless all have it."""
        values = [value for each in results if (value := self.of(each)) is not None]
        return values if len(values) == len(results) else []

    def doubt(self, result: Result) -> str:
        """Return a word for why its value cannot be compared with others; empty if it can.

        A doubtful value has no star, and no other value is a multiple of it.
        """
        if self.better and refused(result):
            return WORN_OUT
        if self.better and loss(result):
            return LOSES_DATA
        return OVERLOAD if self.waits and overloaded(result) else ""

    def sound(self, result: Result) -> float | None:
        """Return its value, or None if it does not exist or is doubtful."""
        return None if self.doubt(result) else self.of(result)

    def measured(self, runs: Sequence[Result]) -> Measured | None:
        """Return its value over several seeds, or None unless it is sound with each."""
        values = [self.sound(run) for run in runs]
        known = [value for value in values if value is not None]
        return Measured.of(known, are_parts(runs)) if len(known) == len(values) > 0 else None

    def cell(self, *runs: Result) -> str:
        """Return its value as text; with several seeds, the mean over runs and their deviation."""
        values = self.of_all(runs)
        if not values:
            return self.absent
        found = Measured.of(values)
        spread = found.deviation if self.better else 0.0
        deviation = f" ± {written(spread, self.unit)}" if spread else ""
        doubt = next(filter(None, map(self.doubt, runs)), "")
        return written(found.mean, self.unit) + deviation + (f" ({doubt})" if doubt else "")


SHOWN = """
    buffer.hit_ratio mapping.hit_ratio mapping.dirty_replacement_probability
    mapping.translation_reads mapping.translation_writes write_amplification optimum.gap
    flash.erases gc.copied_pages merges.copied_pages response_us.mean response_us.p99
    response_us.p999 response_us.p9999 read_response_us.mean write_response_us.mean
    service_us.mean recovery.time_s recovery.at_risk_bytes_max ram_bytes energy.nj_per_host_byte
    speed.requests_per_s
"""
HEADLINES = tuple(map(Figure.declared, SHOWN.split()))
"""The metrics of comparisons, in the order of the table."""

MEASURED = tuple(figure for figure in HEADLINES if not figure.path.startswith("speed."))
"""The metrics that are equal in every run: for files of papers and reports."""

PERCENTILES = ("mean", "p50", "p90", "p99", "p999", "p9999", "max")


def comparison_table(comparison: Comparison, figures: Sequence[Figure] = HEADLINES) -> Table:
    """Return one row for each figure and one column for each FTL, the best values marked."""
    shown = [each for each in figures if any(each.of(result) is not None for result in comparison)]
    rows = [[each.label, *(each.cell(*runs) for runs in comparison.runs)] for each in shown]
    best = {
        (row, column + 1)
        for row, each in enumerate(shown)
        for column in winners([each.measured(runs) for runs in comparison.runs], each.better)
    }
    return Table(["", *map(FtlName, comparison.labels)], rows, frozenset(best))


def cost_table(comparison: Comparison) -> Table:
    """Return a row for each kind of operation and cause that occurs, and a column for each FTL."""
    rows = []
    for kind in comparison[0]["flash"]:
        counts = [result.find(f"flash.{kind}") for result in comparison]
        named = [each for each in counts if isinstance(each, Mapping)]
        for cause in dict.fromkeys(cause for each in named for cause in each):
            found = [result.find(f"flash.{kind}.{cause}") for result in comparison]
            if any(found):
                rows.append([f"{words(kind)}, {words(cause)}", *map(written, found)])
    return Table(["operations", *map(FtlName, comparison.labels)], rows)


def warning_lines(comparison: Comparison) -> list[str]:
    """Return the warnings of the runs, each text once after the labels that it concerns.

    Of runs that differ in their seeds, the first one's are shown.
    """
    texts = warned([runs[0] for runs in comparison.runs])
    idle = [[NO_EFFECT] * without_effect(runs) for runs in comparison.runs]
    return labelled(comparison.titles, map(add, texts, idle))


OVERLOAD = "overload"
"""The mark of a response time that depends on the length of the input."""


def overloaded(result: Result) -> bool:
    """Return whether requests arrived faster than they were served."""
    return bool(result.find("host.overloaded"))


WORN_OUT = "worn out"
"""The mark of metrics of a device that took only a part of its requests."""


def refused(result: Result) -> int:
    """Return the number of requests that a device refused because its blocks were worn out."""
    return int(result.find("lifetime.refused_requests") or 0)


LOSES_DATA = "loses data"
"""The mark of metrics of an FTL that loses data by design."""


def loss(result: Result) -> str:
    """Return the warning of an FTL that loses data by design; empty for all others."""
    if "loss.versions" not in (result.find("own") or ()):
        return ""
    warnings = result.find("warnings") or []
    return next((str(each) for each in warnings if "loses data" in each), LOSES_DATA)


def relative_table(comparison: Comparison, figures: Sequence[Figure] = HEADLINES) -> Table:
    """Return each metric as a multiple of that of the first FTL.

    If that value is missing, zero or not comparable, the next FTL is used, which the row names.
    """
    rows = []
    first = comparison.titles[0]
    for figure in figures:
        sound = [figure.measured(runs) for runs in comparison.runs]
        named = zip(comparison.titles, sound, strict=True)
        name, base = next(
            ((n, value.mean) for n, value in named if value and value.mean), (first, 0)
        )
        if figure.better and base and sum(value is not None for value in sound) > 1:
            label = figure.label if name == first else f"{figure.label}, to {name}"
            cells = [_multiple(figure, runs, base) for runs in comparison.runs]
            rows.append([label, *cells])
    return Table([f"relative to {first}", *map(FtlName, comparison.labels)], rows)


def _multiple(figure: Figure, runs: Sequence[Result], base: float) -> str:
    """Return a figure as a multiple, if it has a sound value."""
    if value := figure.measured(runs):
        return f"{value.mean / base:.3f} x"
    return next(filter(None, map(figure.doubt, runs)), figure.absent)


CELL_WIDTH = 11
"""Characters of a column of a table among lines of a summary."""

Lines: TypeAlias = list[tuple[str, str]]
"""Labels, each with its text."""

Section: TypeAlias = tuple[str, Lines | Table]
"""A title and its content."""


def run_summary(result: Result) -> list[Section]:
    """Return the metrics of one run that a user needs, in sections; absent ones have no line."""
    sections: list[Section] = [
        ("run", _setup(result)),
        ("loss of data", [("warning", text)] if (text := loss(result)) else []),
        ("warm-up", _warmup(result)),
        ("host", _host(result)),
        ("flash operations", _operations(result)),
        ("mapping", _group(result, "mapping")),
        ("prefetching of mappings", _group(result, "prefetch")),
        (f"{title(result.find('ftl'))} alone", _own(result)),
        ("garbage collection", _group(result, "gc")),
        ("classes", classes_table(result) or []),
        ("placement handles", handles_table(result) or []),
        ("placement events", event_lines(result)),
        ("zones", _zones(result)),
        ("merges", _group(result, "merges")),
        ("write buffer", _group(result, "buffer")),
        ("response time", _responses(result)),
        ("slowest requests", _slowest(result)),
        ("power cut at the end", _group(result, "recovery")),
        ("lifetime", _group(result, "lifetime")),
        ("cost", _cost(result)),
    ]
    return [(title, content) for title, content in sections if content]


def setup_line(comparison: Comparison) -> str:
    """Return one line with the set-up of all runs: trace, format, device, addresses, seeds."""
    runs = comparison.runs[0]
    told = setup_of(runs[0])
    if len(runs) > 1 and not are_parts(runs):
        told["seed"] = f"{told['seed']} to {runs[-1]['seed']}"
    return in_a_line(told)


def setup_of(result: Result) -> dict[str, str]:
    """Return the set-up of a run by labels: trace, format, device, addresses, warm-up, seed."""
    return {label: text for label, text in _setup(result) if label != "ftl"}


def in_a_line(setup: Mapping[str, str]) -> str:
    """Return a set-up as one line."""
    return ", ".join(f"{label} {text}" for label, text in setup.items())


def spread_line(comparison: Comparison) -> str:
    """Return the meaning of deviations in a comparison; empty if each FTL has one run."""
    text = of_groups(comparison.runs)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def checks_line(result: Result) -> str:
    """Return how many reads were compared with the last write, and the findings."""
    verified, violations = result.find("checks.reads_verified"), result.find("checks.violations")
    rules = result.find("checks.rules_checked")
    return (
        f"{written(verified)} reads verified, {written(rules)} device rules checked, "
        f"{written(violations)} violations"
    )


def _setup(result: Result) -> list[tuple[str, str]]:
    capacity = result.find("device.capacity_bytes")
    lines = [
        ("ftl", (ftl := result.find("ftl")) and title(ftl)),
        ("trace", result.find("trace.name")),
        ("format", result.find("trace.format")),
        ("shard", result.find("config.input.shard")),
        ("device", capacity and written(capacity, "bytes")),
        ("addresses", result.find("config.run.address")),
        ("warm-up", result.find("config.run.warmup")),
        ("seed", result.find("seed")),
        ("preset", _preset(result)),
    ]
    return [(label, str(value)) for label, value in lines if value is not None]


def _preset(result: Result) -> str | None:
    """Return the preset, with its settings in force outside the device."""
    name = result.find("config.preset")
    if not name:
        return None
    known = beside_the_device(name).items()
    kept = [f"{key} = {value}" for key, value in known if result.find(f"config.{key}") == value]
    told = [f"beside the device: {', '.join(kept)}"] if kept else []
    if result.find("config.device.capacity") is None:
        told.append("capacity of the trace")
    return f"{name} ({'; '.join(told)})" if told else str(name)


def _warmup(result: Result) -> list[tuple[str, str]]:
    """Return the warm-up, and how a warm-up by rule ended."""
    warmup = result.find("warmup")
    if not warmup or not warmup["requests"]:
        return []
    pages, passes = _of(warmup, "host_page_writes"), warmup.find("passes")
    lines = [("requests", f"{_of(warmup, 'requests')} ({pages} pages written)")]
    if passes is not None:
        lines.append(("passes over the input", written(passes)))
    if warmup.find("windows"):
        steady = "yes" if warmup["steady"] else "no"
        spread, drift = (written(warmup.find(key), "ratio") for key in ("spread", "drift"))
        lines += [
            ("steady", f"{steady}: spread {spread}, drift {drift} of the last windows"),
            ("write amplification", _ends(warmup["windows"])),
        ]
    return lines


def _ends(windows: Sequence[float]) -> str:
    """Return the first and the last of several windows, and their number."""
    texts = [written(value, "factor") for value in windows]
    shown = texts if len(texts) <= 8 else [*texts[:2], "...", *texts[-5:]]
    return f"{' '.join(shown)} in {written(len(texts))} windows"


def _host(result: Result) -> list[tuple[str, str]]:
    host = result.find("host")
    if not host:
        return []
    moved = f"{written(host.find('bytes_read'), 'bytes')} read"
    return [
        ("requests", f"{_of(host, 'requests')} in {written(host.find('duration_s'), 's')}"),
        *_overload(host),
        ("reads", f"{_of(host, 'reads')} ({_of(host, 'page_reads')} pages, {moved})"),
        (
            "writes",
            f"{_of(host, 'writes')} ({_of(host, 'page_writes')} pages, "
            f"{written(host.find('bytes_written'), 'bytes')} written)",
        ),
    ]


def _overload(host: Record) -> list[tuple[str, str]]:
    """Return when, and how many, requests arrived faster than they were served, as lines."""
    if not host.find("overloaded"):
        return []
    last, done = (written(host.find(key), "s") for key in ("last_arrival_s", "duration_s"))
    lines = [(OVERLOAD, f"the last request arrived at {last}, the device was done at {done}")]
    if share := host.find("backlog_ratio"):
        since, until = (written(host.find(f"backlog_{end}_s"), "s") for end in ("from", "to"))
        told = f"{written(share, 'ratio')} of requests, between {since} and {until}"
        lines.append(("waited in a backlog", told))
    return lines


def _of(record: Record, path: str) -> str:
    return written(record.find(path))


def _operations(result: Result) -> list[tuple[str, str]]:
    lines = []
    flash = result.find("flash")
    if not flash:
        return []
    for kind, causes in flash.items():
        if isinstance(causes, Mapping):
            counts = [(cause, number) for cause, number in causes.items() if number]
            parts = sorted(counts, key=lambda each: (each[0] not in ("host", "data"), each[0]))
            total = sum(number for _, number in parts)
            detail = ", ".join(f"{words(cause)} {written(number)}" for cause, number in parts)
            if total:
                lines.append((words(kind), f"{written(total)} ({detail})"))
        elif causes:
            lines.append((words(kind), written(causes)))
    for label, name in (("", "write"), (" by bytes", "byte_write")):
        amplification = written(result.find(f"{name}_amplification"), "factor")
        lines.append((f"write amplification{label}", amplification))
    return lines


def _group(result: Result, name: str) -> list[tuple[str, str]]:
    """Return the metrics of a section that exist, each in the unit that its name states."""
    figures: Iterable[tuple[str, Any]] = (result.find(name) or {}).items()
    return [
        (words(key), by_name(f"{name}.{key}", value))
        for key, value in figures
        if value is not None and not isinstance(value, Mapping | list)
    ]


def _zones(result: Result) -> list[tuple[str, str]]:
    """Return the metrics of zones, and the commands that the drive refused."""
    refused: Mapping[str, int] = (result.find("zones") or {}).get("refused", {})
    return [
        *_group(result, "zones"),
        *((f"refused: {words(status)}", f"{count:,}") for status, count in refused.items()),
    ]


def _own(result: Result) -> list[tuple[str, str]]:
    """Return the FTL's own metrics, whose names begin with the FTL's."""
    prefix = f"{result.find('ftl')}."
    return [(label.removeprefix(prefix), text) for label, text in _group(result, "own")]


def _responses(result: Result) -> Lines | Table:
    """Return a row of percentiles for each kind of request."""
    names = {
        "response_us": "all",
        "read_response_us": "reads",
        "write_response_us": "writes",
        "flush_response_us": "flushes",
        "service_us": "service time",
    }
    known = {kind: name for kind, name in names.items() if isinstance(result.find(kind), Mapping)}
    shown = [key for key in PERCENTILES if any(result[k].find(key) is not None for k in known)]
    rows = [
        [name, *(written(result[kind].find(key), "us") for key in shown)]
        for kind, name in known.items()
    ]
    return Table(["", *shown], rows) if rows else []


def _slowest(result: Result) -> list[tuple[str, str]]:
    """Return a line for each of the slowest requests, if they were recorded."""
    slowest = result.find("causes.slowest") or []
    return [(f"{each['op']} {each['request']}", slow(each)) for each in slowest]


def _cost(result: Result) -> list[tuple[str, str]]:
    parts = (result.find("ram_bytes") or {}).items()
    ram = ", ".join(
        f"{part} {NOT_STATED if value is None else written(value, 'bytes')}"
        for part, value in parts
    )
    pace = f"{written(result.find('speed.requests_per_s'), '1/s')} requests"
    work = f"{written(result.find('speed.flash_ops_per_s'), '1/s')} flash operations"
    lines = {
        "ram_bytes": ("RAM", ram),
        "speed": ("speed", f"{written(result.find('speed.wall_s'), 's')}: {pace}, {work}"),
        "checks": ("checks", checks_line(result)),
    }
    return [line for key, line in lines.items() if result.find(key)]


def words(key: str) -> str:
    """Return a name in words; its unit is shown with the value."""
    if not key.endswith("_per_s"):
        key = key.removesuffix("_us").removesuffix("_s")
    key = re.sub(r"\bgc_", "GC_", key)
    return key.replace("_", " ").replace("copybacks", "copy-backs")


def lines_of(content: Lines | Table) -> Lines:
    """Return the content below a title as lines; cells of a table are in columns."""
    if isinstance(content, Table):
        rows = (content.header, *content.rows)
        return [(row[0], "".join(cell.rjust(CELL_WIDTH) for cell in row[1:])) for row in rows]
    return content


def text_of(sections: Sequence[Section]) -> str:
    """Return sections as aligned plain text."""
    written_out = [(title, lines_of(content)) for title, content in sections]
    width = max((len(label) for _, lines in written_out for label, _ in lines), default=0)
    blocks = [
        [title, *(f"  {label.ljust(width)}  {text}" for label, text in lines)]
        for title, lines in written_out
    ]
    return "\n\n".join("\n".join(map(printable, block)) for block in blocks) + "\n"
