"""``ftlab identify``: the spare space of a drive, from measurements of its write amplification."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from math import isinf
from statistics import fmean
from typing import Any

import click

from ftlab import model, units
from ftlab.cli.options import measured_option
from ftlab.cli.output import Outputs, in_form, output_options
from ftlab.cli.say import say
from ftlab.cli.show import show_table
from ftlab.errors import ConfigError
from ftlab.record import Record
from ftlab.report.tables import ABSENT, Table

USED, MEASURED = "used", "write_amplification"
LONGEST = 1000
"""Characters of a cell."""

MOST = 1 << 63
"""Bytes of a drive, and that are in use, are fewer."""

VERDICTS = {
    "explained": "spare space explains these measurements",
    "systematic": "these cannot be explained by spare space: the error follows the fill level",
    "scattered": "these cannot be explained by spare space: they scatter around the fill level",
    "untested": "one measurement gives a capacity and no test of it; measure another fill level",
}


class Size(click.ParamType[int]):
    """A size in bytes, such as ``960GB`` (powers of 1000) or ``894GiB``."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of bytes."""
        found = size(str(value))
        if found is None or not 0 < found < MOST:
            self.fail(f"found {value}, expected a size such as 960GB or 894GiB", param, ctx)
        return int(found)


@click.command()
@click.argument("measurements", type=click.Path())
@click.option("--capacity", type=Size(), help="Capacity that the drive advertises.")
@click.option(
    "--pages-per-unit",
    type=click.IntRange(2, 1 << 20),
    metavar="N",
    help="Pages that GC erases together [many].",
)
@measured_option("Also run each fill level with N seeds.")
@output_options
def identify(
    measurements: str,
    capacity: int | None,
    pages_per_unit: int | None,
    seeds: int,
    **options: Any,
) -> None:
    """Find the spare space of a drive from measurements.

    MEASUREMENTS is a CSV file with the columns used and write_amplification. The first has bytes
    in use, such as 372.6GiB, the second that of uniform random writes to them in the steady state.
    Lines that begin with # are comments.
    """
    outputs = Outputs.of(options, measurements)
    with open(measurements, encoding="utf-8", errors="replace", newline="") as file:
        rows = list(_rows(measurements, _lines(measurements, file)))
    found = model.capacity(rows, pages_per_unit, measured=seeds)
    table = _table(found)
    text = in_form(outputs.form, table, found.to_dict())
    outputs.result(text, lambda: _show(found, table, capacity))


def size(text: str) -> float | None:
    """Return bytes; ``GB`` and its like are powers of 1000 as on the label of a drive."""
    plain = text.strip()
    for power, letter in enumerate("kmgt", 1):
        if plain.lower().endswith(f"{letter}b"):
            number = units.number(plain[:-2].strip(), "count")
            return None if number is None else number * 1000.0**power
    return units.number(plain, "size")


def _lines(path: str, text: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Return the cells of each line of a CSV file, with the number of the line."""
    lines = csv.reader(text)
    try:
        for cells in lines:
            if any(cells) and not cells[0].startswith("#"):
                yield lines.line_num, cells
    except csv.Error as error:
        raise ConfigError(f"{path}:{lines.line_num}: {error}, expected a CSV file") from error


def _rows(path: str, lines: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[float, float]]:
    """Return the measurements of a CSV file."""
    number, header = next(lines, (1, []))
    names = [cell.strip().lstrip("\ufeff").lower() for cell in header]
    if missing := [name for name in (USED, MEASURED) if name not in names]:
        raise ConfigError(
            f"{path}:{number}: found no column {missing[0]}, expected {USED},{MEASURED}"
        )
    for number, cells in lines:
        row = dict(zip(names, (cell.strip()[:LONGEST] for cell in cells), strict=False))
        used, wrote = size(row.get(USED, "")), units.number(row.get(MEASURED, ""), "factor")
        if used is None or not used < MOST:
            told = f"{USED}: found {row.get(USED) or 'nothing'}, expected a size such as 372.6GiB"
            raise ConfigError(f"{path}:{number}: {told}")
        if wrote is None or isinf(wrote):
            told = f"{MEASURED}: found {row.get(MEASURED) or 'nothing'}, expected a number"
            raise ConfigError(f"{path}:{number}: {told}")
        yield used, wrote


def _table(found: Record) -> Table:
    """Return a row for each measurement, as the best rule has it."""
    best = found.fits[0]
    tested = bool(best["left_out"])
    rows = []
    for at, (used, wrote) in enumerate(found.parameters["measurements"]):
        left_out = best["left_out"][at] if tested else None
        runs = found.measured[at]
        rows.append(
            [
                _gib(used),
                f"{wrote:.3f}",
                f"{best['fitted'][at]:.3f}",
                ABSENT if left_out is None else f"{left_out:.3f}",
                ABSENT if left_out is None else f"{100 * (left_out / wrote - 1):+.1f} %",
                f"{fmean(runs):.3f}" if runs else ABSENT,
            ]
        )
    return Table(["used", "measured", "fitted", "leave-one-out", "error", "run"], rows)


def _show(found: Record, table: Table, advertised: int | None) -> None:
    show_table(table)
    best, *others = found.fits
    spread = ""
    if best["capacities"]:
        spread = f" ({_gib(min(best['capacities']))} to {_gib(max(best['capacities']))})"
    say("", f"capacity: {_gib(best['capacity'])}{spread}, victims {best['victims']}")
    if advertised is not None:
        say(f"spare space: {100 * (best['capacity'] / advertised - 1):.1f} % of {_gib(advertised)}")
    if best["capacities"]:
        misfits = ", ".join(f"{each['victims']}: {100 * each['misfit']:.1f} %" for each in others)
        say(f"RMS error: {100 * best['misfit']:.1f} % ({misfits})")
    say(VERDICTS[best["verdict"]])


def _gib(size: float) -> str:
    return f"{size / (1 << 30):,.1f} GiB"
