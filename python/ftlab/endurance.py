"""Runs to the end of a device: how much a host writes before blocks wear out (``docs/wear.md``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ftlab import cores
from ftlab.config import Config, Progress
from ftlab.errors import ConfigError
from ftlab.plugins import Named, Plugged, resolved
from ftlab.report.numbers import factor, ratio, size
from ftlab.report.tables import Table
from ftlab.result import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SCALE = 4
PASSES = 1_000_000
SHORTEST = 4
"""Erases of a run to project from, at least, in gaps of a leveller: before, it has not settled."""


def endurance(
    config: Config,
    ftl: Named,
    scale: int = SCALE,
    passes: int = PASSES,
    progress: Progress | None = None,
) -> Record:
    """Run a workload again and again until the device takes no more writes.

    Parameters
    ----------
    config
        The configuration, with `device.endurance`.
    ftl
        An FTL.
    scale
        End when a block has had a quarter of the erases that it endures, and project the rest from
        two snapshots of all blocks; 1 runs the whole life.
    passes
        Over the input, at most.
    progress
        As of `ftlab.simulate`.

    Returns
    -------
    Record
        ``ftl``, ``trace``, ``endurance``; ``capacity`` and, in bytes that the host has written,
        ``failures`` of blocks in their order and the ``life`` up to the last of them, if it ends
        the device; ``drive_writes``, the life over the capacity; ``projected``, whether that is
        from snapshots; and of the run its ``passes``, ``write_amplification``, ``wear`` and
        ``used``, the share of what all blocks endure that their erases are at the end of the life.

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError
        when the set-up or the trace is wrong, or blocks last for ever
    """
    if not 1 <= scale <= 1000:
        raise ConfigError(f"scale: found {scale}, expected 1 to 1000")
    told = resolved(config, ftl)
    cycles = told["device"]["endurance"]
    if cycles is not None and scale > 1:
        _check_scale(told["wear"], cycles, scale)
    plugged = Plugged()
    point = plugged.point(config, ftl)
    life = Record(cores.endurance(point, passes, scale, progress, plugged.plugins))
    return _told(cycles, life)


def _check_scale(wear: Config, cycles: int, scale: int) -> None:
    least = SHORTEST * (wear["gap"] if wear["policy"] == "static" else 1)
    if cycles // scale < least:
        most = max(cycles // least, 1)
        raise ConfigError(
            f"scale: found {scale}, a run to {cycles // scale} erases, too short to project from; "
            f"expected at most {most}, or 1 for the whole life"
        )


def _told(cycles: int, life: Record) -> Record:
    report, wear = life.report, life.report.wear
    page, lifetime = report.config.device.page, report.lifetime
    projected = life.projected is not None
    failures = [each * page for each in life.projected or ()] or lifetime.bytes_at_failure
    end = failures[-1] if projected or lifetime.read_only else None
    blocks = report.device.blocks + lifetime.worn_out_blocks + lifetime.spare_blocks
    written = report.warmup.host_page_writes * page + report.host.page_writes * page
    used = wear.erases_total / (cycles * blocks)
    return Record(
        {
            "ftl": report.ftl,
            "trace": report.trace.name,
            "endurance": cycles,
            "capacity": report.device.capacity_bytes,
            "failures": failures,
            "life": end,
            "drive_writes": None if end is None else end / report.device.capacity_bytes,
            "projected": projected,
            "passes": life.passes,
            "write_amplification": report.write_amplification,
            "wear": wear.to_dict(),
            "used": None if end is None else used * end / written,
        }
    )


def table(reports: Sequence[Record]) -> Table:
    """Return a row for each FTL."""
    header = ["FTL", "first block worn out", "end", "drive writes", "worn out", "used"]
    rows = [
        [
            each.ftl,
            size(each.failures[0]) if each.failures else "never",
            size(each.life) if each.life else "not reached",
            factor(each.drive_writes) if each.life else "",
            f"{len(each.failures):,}",
            ratio(each.used) if each.life else "",
            factor(each.write_amplification),
            f"{each.wear.erases_min:,} to {each.wear.erases_max:,}",
        ]
        for each in reports
    ]
    return Table([*header, "write amplification", "erases of a block"], rows)


def drawn(reports: Sequence[Record], columns: int | None = None) -> Figure:
    """Draw the blocks that wear out over what is written, and how often blocks were erased."""
    from matplotlib.ticker import MaxNLocator

    from ftlab.looks import of_ftls
    from ftlab.style import legend_above, literal, mark_empty, sized, styled

    planes = any(len(each.wear.planes) > 1 for each in reports)
    with styled(columns):
        figure = sized(10.5 if planes else 8.0, 4.0, columns)
        panels = figure.subplots(1, 3 if planes else 2)
        for report, look in zip(reports, of_ftls([each.ftl for each in reports]), strict=True):
            line: dict[str, Any] = {**look.line, "marker": ""}
            written = [0.0, *(each / report.capacity for each in report.failures)]
            name = literal(report.ftl)
            panels[0].step(written, range(len(written)), where="post", label=name, **line)
            share, erases = _shares(report.wear.blocks_by_erases)
            panels[1].step(share, erases, where="pre", **line)
            if planes:
                _by_plane(panels[2], report, line)
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


def _by_plane(axes: Axes, report: Record, line: dict[str, Any]) -> None:
    means = [plane.erases_mean for plane in report.wear.planes]
    axes.plot(range(len(means)), means, **{**line, "linestyle": "", "marker": "o"})
