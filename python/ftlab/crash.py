"""Power cuts in a run on any trace: whether an FTL recovers, and the cost of recovery."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ftlab.catalogue import catalog
from ftlab.config import Config, Progress
from ftlab.errors import ConfigError
from ftlab.plugins import Named, run
from ftlab.record import Record
from ftlab.report.numbers import brief
from ftlab.report.tables import Table
from ftlab.titles import FtlName, title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CUTS = 10_000
TEARS = ("before", "within", "paired")
"""The possible states of an interrupted change of the medium.

``before``: not begun. ``within``: torn. ``paired``: torn, with the pages that were programmed to
the same cells before.
"""

Cut = Mapping[str, Any]
"""``change`` and ``tear``, and for a second cut ``again``: its number and its tear."""


def crash(
    config: Config,
    ftl: Named,
    cuts: int = CUTS,
    at: Cut | None = None,
    progress: Progress | None = None,
) -> Record:
    """Cut the power of a run and return a report (``docs/power-loss.md``).

    Parameters
    ----------
    config
        The configuration; `run.warmup` is ``none``, ``sequential`` or ``random:K``.
    ftl
        An FTL that recovers after a power cut.
    cuts
        How many changes of the medium are cut, drawn with `run.seed`. Every other one is cut a
        second time, during recovery or after it.
    at
        This cut instead, in the form of the ``first`` of a report.
    progress
        Called as by `ftlab.simulate`.

    Returns
    -------
    Record
        Metrics are as follows:

        * ``ftlab``, ``ftl``, ``config``, ``trace``: as in a result
        * ``requests``, ``changes``: of the run
        * ``cuts``, ``torn``, ``again``: the cuts made
        * ``unflushed``: acknowledged pages in RAM alone, ``mean`` and ``max``
        * ``came_back``: trimmed pages with an older version, ``mean`` and ``max``
        * ``exposed``: pages that paired cuts have destroyed
        * ``violations``, and the ``first`` of them (None without any)
        * ``mounts``: recoveries, with ``mean`` and ``max`` of ``oob_reads``, ``reads``,
          ``programs``, ``erases``, ``time_us`` (of the device) and ``wall_us`` (of the simulation),
          and the ``longest``

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError
        when the set-up or the trace is invalid, or the FTL cannot recover
    """
    if not 0 < cuts < 2**40:
        raise ConfigError(f"cuts: found {cuts}, expected 1 to 2^40 - 1")
    told = None if at is None else json.dumps(dict(at))
    return Record(run("crash", config, ftl, cuts, told, progress))


def check_mounts(ftls: Iterable[Named]) -> None:
    """Raise `ftlab.ConfigError` for an FTL of ftlab that does not recover."""
    able = mounting()
    unable = [each["name"] for each in catalog().ftls if each["name"] not in able]
    for ftl in ftls:
        if ftl in unable:
            raise ConfigError(f"ftl: found {ftl}, expected one that mounts: {', '.join(able)}")


def mounting() -> list[str]:
    """Return the FTLs that recover after a power cut, if only with flushed data."""
    return [each["name"] for each in catalog().ftls if each["mounts"] != "no"]


def cut(text: str) -> Cut:
    """Return the cut that ``CHANGE:TEAR`` or ``CHANGE:TEAR:NUMBER:TEAR`` names."""
    words = text.split(":")
    numbers, tears = words[::2], words[1::2]
    known = all(word.isdecimal() for word in numbers) and set(tears) <= set(TEARS)
    if len(words) not in (2, 4) or not known:
        raise ConfigError(
            f"found {text!r}, expected CHANGE:TEAR or CHANGE:TEAR:NUMBER:TEAR, where TEAR is "
            f"{' or '.join(TEARS)}"
        )
    again = (int(numbers[1]), tears[1]) if len(words) == 4 else None
    return {"change": int(numbers[0]), "tear": tears[0], "again": again}


def written(cut: Cut) -> str:
    """Return the text that names a cut."""
    words = [cut["change"], cut["tear"], *(cut["again"] or ())]
    return ":".join(map(str, words))


def table(reports: Sequence[Record]) -> Table:
    """Return a row for each FTL."""
    rows = []
    for report in reports:
        mounts = report.mounts
        rows.append(
            [
                FtlName(report.ftl),
                *(f"{report[key]:,}" for key in ("changes", "cuts", "torn", "again", "violations")),
                *(_cost(mounts[key]) for key in ("oob_reads", "reads", "programs", "erases")),
                f"{brief(mounts.time_us.mean, 'us')}, {brief(mounts.time_us.max, 'us')}",
            ]
        )
    header = ["FTL", "changes", "cuts", "torn", "second", "violations"]
    costs = ["OOBs read", "pages read", "programs", "erases", "time"]
    return Table([*header, *(f"{each}: mean, most" for each in costs)], rows)


def _cost(cost: Record) -> str:
    return f"{cost.mean:,.1f}, {cost.max:,.0f}"


def violation(report: Record) -> str | None:
    """Return the first violation, and the command that repeats it."""
    first = report.first
    if first is None:
        return None
    return (
        f"{title(report.ftl)}: {report.violations:,} violations; the first with --at "
        f"{written(first.cut)}: {first.what}"
    )


def drawn(reports: Sequence[Record], columns: int | None = None) -> Figure:
    """Draw the longest recovery over the place of the cut in the run."""
    from ftlab.looks import of_ftls
    from ftlab.style import ftl_label, legend_above, mark_empty, sized, styled

    with styled(columns):
        figure = sized(7.0, 4.0, columns)
        axes = figure.subplots()
        for report, look in zip(reports, of_ftls([each.ftl for each in reports]), strict=True):
            longest = report.mounts.longest
            share = [100 * change / max(report.changes, 1) for change, _ in longest]
            times = [time / 1000 for _, time in longest]
            axes.plot(share, times, label=ftl_label(report.ftl), **{**look.line, "marker": ""})
        axes.set(xlabel="place of the cut in the run (%)", ylabel="longest mount (ms)")
        axes.set(title="How long an FTL takes to come back", ylim=(0, None))
        mark_empty(axes)
        legend_above(figure, figure.get_figwidth())
    return figure
