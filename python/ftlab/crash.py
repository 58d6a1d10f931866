"""Power cuts in a run on any trace: whether an FTL goes on, and what mounting costs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ftlab import cores
from ftlab.catalogue import catalog
from ftlab.config import Config, Progress
from ftlab.errors import ConfigError
from ftlab.plugins import Named, Plugged
from ftlab.record import Record
from ftlab.report.numbers import brief
from ftlab.report.tables import Table
from ftlab.titles import FtlName, title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CUTS = 10_000
TEARS = ("before", "within", "paired")
"""How a change of the medium that is cut is left: not begun, torn, or torn with the pages that were
programmed to the same cells before."""

Cut = Mapping[str, Any]
"""``change``, ``tear``, and for a second cut ``again``: its number and its tear."""


def crash(
    config: Config,
    ftl: Named,
    cuts: int = CUTS,
    at: Cut | None = None,
    progress: Progress | None = None,
) -> Record:
    """Cut the power of a run and return what came of it (``docs/power-loss.md``).

    Parameters
    ----------
    config
        The configuration; `run.warmup` is ``none``, ``sequential`` or ``random:K``.
    ftl
        An FTL that mounts.
    cuts
        How many changes of the medium are cut, drawn with `run.seed`; every other one is cut
        once more, while the FTL mounts or after.
    at
        This cut instead, as the ``first`` of a report tells it.
    progress
        As of `ftlab.simulate`.

    Returns
    -------
    Record
        ``ftlab``, ``ftl``, ``config`` and ``trace`` as in a result; ``requests``, ``changes``;
        ``cuts``, ``torn`` and ``again`` as made; the ``mean`` and ``max`` of ``unflushed`` pages,
        which were acknowledged, and in RAM alone, and of pages that ``came_back``, which were
        trimmed and have an older version; ``exposed`` pages, which paired cuts have destroyed;
        ``violations``, the ``first`` of them (None without any); ``mounts`` with the ``mean`` and
        ``max`` of ``oob_reads``, ``reads``, ``programs``, ``erases``, ``time_us`` (of the device)
        and ``wall_us`` (of the simulation), and the ``longest``.

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError
        when the set-up or the trace is wrong, or the FTL does not mount
    """
    if not 0 < cuts < 2**40:
        raise ConfigError(f"cuts: found {cuts}, expected 1 to 2^40 - 1")
    plugged = Plugged()
    point = plugged.point(config, ftl)
    return Record(cores.crash(point, cuts, at, progress, plugged.plugins))


def check_mounts(ftls: Iterable[Named]) -> None:
    """Raise `ftlab.ConfigError` for an FTL that does not mount, of those that ftlab has."""
    able = mounting()
    unable = [each["name"] for each in catalog().ftls if each["name"] not in able]
    for ftl in ftls:
        if ftl in unable:
            raise ConfigError(f"ftl: found {ftl}, expected one that mounts: {', '.join(able)}")


def mounting() -> list[str]:
    """Return the FTLs that come back from a power cut, if only with what was flushed."""
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
    """Return what was wrong first, and how to have it again."""
    first = report.first
    if first is None:
        return None
    return (
        f"{title(report.ftl)}: {report.violations:,} violations; the first with --at "
        f"{written(first.cut)}: {first.what}"
    )


def drawn(reports: Sequence[Record], columns: int | None = None) -> Figure:
    """Draw the longest mount over the place of the cut in the run."""
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
