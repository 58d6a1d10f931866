"""Makes a table and a figure of how long FTLs take to come back after a power cut.

Run `python tools/recovery.py RECOVERY.csv FIGURE.svg` on what `cargo run --release -p ftlab
--example recovery` has printed for FTLs without checkpoints and with some distances of them.
"""

from __future__ import annotations

import argparse
import csv
from itertools import groupby
from pathlib import Path

from ftlab.report.tables import Table
from ftlab.style import image, sized, styled

Row = dict[str, str]


def main() -> None:
    """Print the table, and draw the figure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("measured", type=Path, metavar="RECOVERY.csv")
    parser.add_argument("figure", type=Path, metavar="FIGURE.svg")
    arguments = parser.parse_args()
    with arguments.measured.open(newline="") as file:
        rows = list(csv.DictReader(file))
    ftls = {name: list(group) for name, group in groupby(rows, lambda row: row["ftl"])}
    distances, *others = ([distance(row) for row in group] for group in ftls.values())
    if len(distances) < 2 or any(other != distances for other in others):
        parser.error("found other distances of checkpoints for one FTL than for another, or none")
    header = ("FTL", *distances, "OOBs read", "pages read", "write amplification")
    print(Table(header, [cells(name, group) for name, group in ftls.items()]).markdown(), end="")
    arguments.figure.write_bytes(drawn(ftls, distances))


def distance(row: Row) -> str:
    """Return how many pages are programmed between two checkpoints."""
    return f"{pages:,}" if (pages := int(row["checkpoint_pages"])) else "none"


def cells(ftl: str, rows: list[Row]) -> list[str]:
    """Return a line of the table."""

    def ends(form: str, key: str) -> str:
        return ", ".join(form.format(float(row[key])) for row in rows[:2])

    return [
        f"`{ftl}`",
        *(f"{float(row['device_s']):.1f} s" for row in rows),
        *(ends("{:,.0f}", key) for key in ("oob_reads", "page_reads")),
        ends("{:.3f}", "write_amplification"),
    ]


def drawn(ftls: dict[str, list[Row]], distances: list[str]) -> bytes:
    """Draw the times of mounts, and what the most frequent checkpoints cost."""
    with styled():
        drawing = sized(8.5, 1 + 0.2 * len(ftls))
        left, right = drawing.subplots(1, 2, sharey=True, width_ratios=(3, 1))
        places = range(len(ftls))
        for number, label in reversed(list(enumerate(distances))):
            back = [float(rows[number]["device_s"]) for rows in ftls.values()]
            left.plot(back, places, "osD^v"[number % 5], label=label)
        amplification = [
            [float(row["write_amplification"]) for row in rows[:2]] for rows in ftls.values()
        ]
        right.barh(places, [100 * (then / base - 1) for base, then in amplification], height=0.6)
        left.set_title("back after a power cut")
        left.set_xlabel("s")
        left.set_xscale("log")
        left.set_yticks(places, ftls)
        left.invert_yaxis()
        right.set_title("write amplification")
        right.set_xlabel(f"% more with {distances[1]}")
        drawing.legend(
            *left.get_legend_handles_labels(),
            loc="outside upper center",
            ncols=len(distances),
            title="pages programmed between checkpoints",
        )
        return image(drawing)


if __name__ == "__main__":
    main()
