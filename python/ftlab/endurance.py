"""Runs to the end of a device: the writes of a host before blocks wear out (``docs/wear.md``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ftlab.config import Config, Progress, merge
from ftlab.plugins import Named, resolved, run
from ftlab.record import Record
from ftlab.report.numbers import factor, ratio, significant, size
from ftlab.report.summary import OVERLOAD, setup_of
from ftlab.report.tables import Table
from ftlab.result import Result
from ftlab.titles import FtlName

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PASSES = 1_000_000
RATED = {"slc": 100_000, "mlc": 3_000, "tlc": 1_000}
"""Erases that a block endures, by `device.cell` (``docs/wear.md``)."""
YEAR_DAYS = 365
"""Days of a year, as data sheets of drives count."""
WARRANTY_DAYS = 5 * YEAR_DAYS
"""Days over which data sheets count drive writes per day."""
DAY_S = 24 * 3600
UNEVEN = 0.5
"""A device that has used fewer of its erases at its end is unevenly worn."""
EXPECTED = ("the device is worn out", OVERLOAD)
"""Beginnings of warnings that say nothing new of a run to the end, which has no response times."""


def endurance(
    config: Config,
    ftl: Named,
    scale: int | None = None,
    passes: int = PASSES,
    progress: Progress | None = None,
) -> Record:
    """Repeat a workload until the device takes no more writes.

    The blocks are new after the warm-up, whose wear is not counted.

    Parameters
    ----------
    config
        The configuration, with `device.endurance`, or `device.cell` whose `RATED` erases hold.
    ftl
        An FTL.
    scale
        1 runs the whole lifetime. N projects it from four shorter lifetimes, of devices whose
        blocks endure an N-th, half of that, a quarter and an eighth. By default the whole lifetime
        is run if that takes seconds, and otherwise projected with N = 4.
    passes
        The most passes over the input.
    progress
        Called as by `ftlab.simulate`.

    Returns
    -------
    Record
        Metrics are as follows:

        * ``ftl``, ``trace``, ``endurance``, ``setup``: the set-up
        * ``capacity``: of the device, bytes
        * ``failures``: bytes written by the host since the warm-up at each failure of a block
        * ``life``: the same at the last failure, if it ends the device
        * ``drive_writes``: the lifetime over the capacity
        * ``tbw``: the lifetime in terabytes
        * ``dwpd``: the lifetime in drive writes per day of five years
        * ``years``: the lifetime at the pace of the input, if that has times
        * ``projected``: whether the lifetime is projected from shorter ones
        * ``error``: how far several projections differ
        * ``used``: the erases of all blocks at the end of the lifetime over all that they endure
        * ``passes``, ``write_amplification``, ``wear``, ``warnings``: of the run, or of the longest
          shorter lifetime

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError
        when the set-up or the trace is invalid, blocks last for ever, or shorter lifetimes disagree
    """
    device = resolved(config, ftl)["device"]
    cycles = device["endurance"] or RATED.get(device["cell"])
    if cycles:
        config = merge([config, {"device": {"endurance": cycles}}])
    found = run("endurance", config, ftl, passes, scale, progress)
    return _told(cycles or 0, Record(found))


def _told(cycles: int, lifetime: Record) -> Record:
    life, report = lifetime.life, lifetime.life.report
    result = Result(report.to_dict())
    page, capacity = report.config.device.page, report.device.capacity_bytes
    failures = [each * page for each in lifetime.failures]
    end = failures[-1] if lifetime.ends else None
    projection = lifetime.projection
    written = life.pass_page_writes * page
    per_day = written / life.pass_s * DAY_S if life.pass_s else None
    warnings = [w for w in result.find("warnings") or [] if not w.startswith(EXPECTED)]
    return Record(
        {
            "ftl": report.ftl,
            "trace": report.trace.name,
            "endurance": cycles,
            "setup": setup_of(result),
            "capacity": capacity,
            "failures": failures,
            "life": end,
            **data_sheet(end, capacity, per_day),
            "projected": projection is not None,
            "error": None if projection is None else projection.error,
            "passes": life.passes,
            "write_amplification": report.write_amplification,
            "wear": report.wear.to_dict(),
            "used": None if end is None else lifetime.used,
            "warnings": [*_uneven(end and lifetime.used, report.config.wear.policy), *warnings],
        }
    )


def _uneven(used: float | None, policy: str) -> list[str]:
    """Return what to say of a device that ends with most of its erases unused."""
    if used is None or used >= UNEVEN or policy == "static":
        return []
    return [
        f"the device ends with {ratio(used)} of its erases used, as blocks of data that never "
        f"change keep theirs under wear.policy = {policy}; set static. ftlab advise states the "
        "lifetime for all erases"
    ]


def data_sheet(
    life: float | None, capacity: int, per_day: float | None, days: float = WARRANTY_DAYS
) -> dict[str, float | None]:
    """Return a life, in bytes that the host writes, as data sheets state it.

    These are drive writes, terabytes, drive writes per day over ``days``, and years at
    ``per_day`` bytes per day.
    """
    if life is None:
        return dict.fromkeys(("drive_writes", "tbw", "dwpd", "years"))
    return {
        "drive_writes": life / capacity,
        "tbw": life / 1e12,
        "dwpd": life / capacity / days,
        "years": life / per_day / YEAR_DAYS if per_day else None,
    }


def even_life(result: Result, cycles: int) -> float | None:
    """Return the bytes that a host writes until each block is erased ``cycles`` times.

    Erases are spread evenly, at the pace of a run: those that it had, or the blocks that it filled
    if these are more, as a short run erases late. It is None where nothing was programmed.
    """
    device, host = result["device"], result["host"]
    config = result["config"]["device"]
    amplification = result.find("write_amplification")
    erases = sum((result.find("flash.erases") or {}).values())
    filled = (amplification or 0.0) * host["page_writes"] / config["pages_per_block"]
    worn = max(erases, filled)
    written = host["page_writes"] * config["page"]
    return float(cycles * device["blocks"] / worn * written) if worn and written else None


def table(reports: Sequence[Record]) -> Table:
    """Return a row for each FTL."""
    header = ["FTL", "first block worn out", "end", "drive writes", "TBW", "DWPD", "years"]
    rows = [
        [
            FtlName(each.ftl),
            size(each.failures[0]) if each.failures else "never",
            size(each.life) if each.life else "not reached",
            *(
                significant(each[key]) if each[key] else ""
                for key in ("drive_writes", "tbw", "dwpd", "years")
            ),
            _from(each) if each.life else "",
            f"{len(each.failures):,}",
            ratio(each.used) if each.life else "",
            factor(each.write_amplification),
            f"{each.wear.erases_min:,} to {each.wear.erases_max:,}",
        ]
        for each in reports
    ]
    beside = ["run", "worn out", "used", "write amplification", "erases of a block"]
    return Table([*header, *beside], rows)


def _from(report: Record) -> str:
    """Return how exact a lifetime is."""
    return f"projected, ±{ratio(report.error)}" if report.projected else "whole"


def drawn(reports: Sequence[Record], columns: int | None = None) -> Figure:
    """Draw the failures of blocks over the bytes written, and the erases of blocks."""
    from matplotlib.ticker import MaxNLocator

    from ftlab.looks import of_ftls
    from ftlab.style import ftl_label, legend_above, mark_empty, sized, styled

    planes = any(len(each.wear.planes) > 1 for each in reports)
    with styled(columns):
        figure = sized(10.5 if planes else 8.0, 4.0, columns)
        panels = figure.subplots(1, 3 if planes else 2)
        for report, look in zip(reports, of_ftls([each.ftl for each in reports]), strict=True):
            line: dict[str, Any] = {**look.line, "marker": ""}
            written = [0.0, *(each / report.capacity for each in report.failures)]
            name = ftl_label(report.ftl)
            panels[0].step(written, range(len(written)), where="post", label=name, **line)
            share, erases = _shares(report.wear.blocks_by_erases)
            panels[1].step(share, erases, where="pre", **line)
            if planes:
                means = [plane.erases_mean for plane in report.wear.planes]
                dots = {**line, "linestyle": "", "marker": "o"}
                panels[2].plot(range(len(means)), means, **dots)
        panels[0].set(xlabel="written by the host (drive writes)", ylabel="blocks worn out")
        panels[0].set(xlim=(0, None), ylim=(0, None))
        panels[0].yaxis.set_major_locator(MaxNLocator(integer=True))
        panels[1].set(
            xlabel="blocks, fewest erases first (%)", ylabel="erases of a block in the run"
        )
        panels[1].set(xlim=(0, 100), ylim=(0, None))
        if planes:
            panels[2].set(xlabel="plane", ylabel="mean erases of its blocks", ylim=(0, None))
        for axes in panels:
            mark_empty(axes)
        legend_above(figure, figure.get_figwidth())
    return figure


def _shares(counts: Sequence[tuple[int, int]]) -> tuple[list[float], list[int]]:
    """Return the percentages of blocks up to each number of erases, and these numbers."""
    total, before = sum(blocks for _, blocks in counts), 0
    shares, erases = [0.0], [counts[0][0]]
    for number, blocks in counts:
        before += blocks
        shares.append(100 * before / total)
        erases.append(number)
    return shares, erases
