"""What a drive with placement handles reports, as a table and as ``nvme`` prints it."""

from __future__ import annotations

from collections.abc import Iterator

from ftlab.report.numbers import written
from ftlab.report.tables import ABSENT, Table
from ftlab.result import Result

STATS = (
    ("host_bytes_written", "Host Bytes with Metadata Written (HBMW)"),
    ("media_bytes_written", "Media Bytes with Metadata Written (MBMW)"),
    ("media_bytes_erased", "Media Bytes Erased (MBE)"),
)
"""Metrics of a result, and their names in ``nvme fdp stats``."""


EVENTS = {
    "not_fully_written": (0x0, "Reclaim Unit Not Fully Written"),
    "invalid_placement_identifier": (0x3, "Invalid Placement Identifier"),
    "media_reallocated": (0x80, "Media Reallocated"),
    "implicitly_modified_handle": (0x81, "Implicitly Modified Reclaim Unit Handle"),
}
"""Kinds of events: their types, and their names in ``nvme fdp events``."""


def has_handles(result: Result) -> bool:
    """Tell whether a result is of a drive with placement handles."""
    return result.find("fdp.host_bytes_written") is not None


def stats_text(result: Result) -> str:
    """Return what ``nvme fdp stats`` prints."""
    return "".join(f"{name}: {result.find(f'fdp.{key}')}\n" for key, name in STATS)


def status_text(result: Result) -> str:
    """Return what ``nvme fdp status`` prints: a handle is the identifier of its placement."""
    return "".join(
        f"Placement Identifier {handle}; Reclaim Unit Handle Identifier {handle}\n"
        "  Estimated Active Reclaim Unit Time Remaining (EARUTR): 0\n"
        f"  Reclaim Unit Available Media Writes (RUAMW): {blocks}\n\n"
        for handle, blocks in enumerate(result.find("fdp.available_media_writes") or [])
    )


def events_text(result: Result) -> str:
    """Return what ``nvme fdp events`` prints: the latest events, at times of the run."""
    log = result["fdp"]["log"]
    rows = zip(log["kind"], log["time_s"], log["handle"], strict=True)
    return "".join(_event(number, *row) for number, row in enumerate(rows))


def _hexadecimal(number: int) -> str:
    """Return a number as C prints it."""
    return f"{number:#x}" if number else "0"


def _event(number: int, kind: str, time_s: float, handle: int) -> str:
    code, name = EVENTS[kind]
    milliseconds = round(1000 * time_s)
    lines = [
        f"Event[{number}]",
        f"  Event Type: {_hexadecimal(code)} ({name})",
        f"  Event Timestamp: {milliseconds} ({time_s:.3f} s)",
        f"  Placement Identifier (PID): {_hexadecimal(handle)}",
    ]
    if kind != "invalid_placement_identifier":
        lines.append("  Reclaim Group Identifier: 0")
        lines.append(f"  Reclaim Unit Handle Identifier {handle}")
    return "".join(f"{line}\n" for line in lines) + "\n"


def handles_table(result: Result) -> Table | None:
    """Return a row for each handle, and one for what initially isolated handles share."""
    if not has_handles(result):
        return None
    header = ["handle", "host (pages)", "WA", "by writer", "by unit", "erased"]
    return Table(header, list(_rows(result)))


def event_lines(result: Result) -> list[tuple[str, str]]:
    """Return how many events of each kind a drive would have logged."""
    if not has_handles(result):
        return []
    fdp = result["fdp"]
    counts = {**fdp["events"], "updates": fdp["updates"], "pages left unwritten": fdp["unwritten"]}
    return [(kind.replace("_", " "), written(count)) for kind, count in counts.items()]


def _rows(result: Result) -> Iterator[list[str]]:
    of_writer = result.find("classes.copied_by_writer") or []
    of_unit = result.find("fdp.copied_by_owner") or []
    erased = result.find("fdp.erased_by_owner") or []
    host = result.find("classes.written") or []
    amplification = result.find("fdp.write_amplification") or []
    for handle, factor in enumerate(amplification):
        shown = ABSENT if factor is None else f"{factor:.3f}"
        counts = [of_writer[handle], of_unit[handle], erased[handle]]
        yield [str(handle), written(host[handle]), shown, *map(written, counts)]
    yield ["shared by GC", ABSENT, ABSENT, ABSENT, written(of_unit[-1]), written(erased[-1])]
