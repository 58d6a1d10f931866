"""Makes a table and a figure of how long FTLs take to come back after a power cut.

Run `python tools/recovery.py RECOVERY.csv FIGURE.svg` on what `cargo run --release -p ftlab
--example recovery` has printed for several FTLs and distances of checkpoints.
"""

from __future__ import annotations

import argparse
import csv
from itertools import groupby
from pathlib import Path

from ftlab.report.tables import Table
from ftlab.style import image, sized, styled

Row = dict[str, str]

HEADER = (
    *("FTL", "`device.checkpoint`", "back in", "OOBs read", "pages read", "programs"),
    "write amplification",
)


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
    print(Table(HEADER, [cells(row) for row in rows]).markdown(), end="")
    arguments.figure.write_bytes(drawn(rows))


def cells(row: Row) -> list[str]:
    """Return a line of the table."""
    counts = ("oob_reads", "page_reads", "programs")
    return [
        f"`{row['ftl']}`",
        f"{distance:,}" if (distance := int(row["checkpoint_pages"])) else "none",
        f"{float(row['device_s']):.1f} s",
        *(f"{int(row[key]):,}" for key in counts),
        f"{float(row['write_amplification']):.4f}",
    ]


def drawn(rows: list[Row]) -> bytes:
    """Draw the time of the mount, and what checkpoints cost, over their distance."""
    with styled():
        drawing = sized(8.5, 3.4)
        left, right = drawing.subplots(1, 2)
        for ftl, group in groupby(rows, lambda row: row["ftl"]):
            without, *with_them = group
            distances = [int(row["checkpoint_pages"]) for row in with_them]
            back = [float(row["device_s"]) for row in with_them]
            (line,) = left.plot(distances, back, marker="o", label=ftl)
            left.axhline(float(without["device_s"]), color=line.get_color(), lw=0.8, ls=":")
            base = float(without["write_amplification"])
            cost = [100 * (float(row["write_amplification"]) / base - 1) for row in with_them]
            right.plot(distances, cost, marker="o", color=line.get_color())
        left.set_title("back after a power cut (dotted: no checkpoints)")
        left.set_ylabel("s")
        left.set_yscale("log")
        right.set_title("added to write amplification")
        right.set_ylabel("%")
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_xlabel("pages programmed between checkpoints")
        drawing.legend(loc="outside right upper")
        return image(drawing)


if __name__ == "__main__":
    main()
