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


def handles_table(result: Result) -> Table | None:
    """Return a row for each handle, and one for what initially isolated handles share."""
    if not has_handles(result):
        return None
    header = ["handle", "host (pages)", "WA", "copies by writer", "copies by unit", "units erased"]
    return Table(header, list(_rows(result)))


def event_lines(result: Result) -> list[tuple[str, str]]:
    """Return how many events of each kind a drive would have logged."""
    if not has_handles(result):
        return []
    events = result["fdp"]["events"]
    return [(kind.replace("_", " "), written(count)) for kind, count in events.items()]


def _rows(result: Result) -> Iterator[list[str]]:
    of_writer = result.find("fdp.copied_by_writer") or []
    of_unit = result.find("fdp.copied_by_owner") or []
    erased = result.find("fdp.erased_by_owner") or []
    host = (result.find("classes.written") or [])[: len(of_writer)]
    amplification = result.find("fdp.write_amplification") or []
    for handle, factor in enumerate(amplification):
        shown = ABSENT if factor is None else f"{factor:.3f}"
        counts = [of_writer[handle], of_unit[handle], erased[handle]]
        yield [str(handle), written(host[handle]), shown, *map(written, counts)]
    yield ["shared by GC", ABSENT, ABSENT, ABSENT, written(of_unit[-1]), written(erased[-1])]
