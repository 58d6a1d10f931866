"""Draws the time per flash operation over the size of the device, as the benchmark measured it.

Run `python tools/plot_sizes.py SIZES.csv FIGURE.svg`; needs matplotlib.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt


def main(table: Path, figure: Path) -> None:
    """Draw one line for each FTL."""
    with table.open(newline="") as file:
        header, *rows = list(csv.reader(file))
    sizes = [int(row[0]) / 2**30 for row in rows]
    canvas, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
    for column, name in enumerate(header[1:], start=1):
        axes.plot(sizes, [float(row[column]) for row in rows], marker="o", label=name)
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
    axes.set_ylim(bottom=0)
    axes.set_xlabel("capacity (GiB)")
    axes.set_ylabel("ns per flash operation")
    axes.legend(frameon=False)
    canvas.savefig(figure)
    print(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
