"""Prints and draws how long FTLs take to come back after a power cut, over the distance of checkpoints.

Run ``python tools/recovery.py [--capacity 64GiB] [--figure FILE.svg] [FTL...]``: each device of
``onfi-slc`` is filled in order, a hundredth of its pages are written over at random, and the FTL is
mounted. Rows come as they are done; 64 GiB need about 10 GB of memory and minutes for each.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import ftlab
from ftlab.style import image, sized, styled
from ftlab.units import number

FTLS = ("page", "dftl", "tpftl", "sftl", "fast", "bast", "gftl", "mnftl", "superblock")
DISTANCES = (None, 100_000, 1_000_000, 10_000_000)
OVERWRITTEN = 100
"""One page in so many."""

HEADER = (
    *("FTL", "`device.checkpoint`", "back in", "OOBs read", "pages read", "programs"),
    *("write amplification", "simulated in", "memory"),
)


def main() -> None:
    """Print the table, and draw it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--capacity", default="64GiB", help="[64GiB]")
    parser.add_argument("--figure", type=Path, help="recovery and cost over the distance")
    parser.add_argument("ftls", nargs="*", default=FTLS, help=f"[{' '.join(FTLS)}]")
    arguments = parser.parse_args()
    print("|", " | ".join(HEADER), "|")
    print("| :-- |", " | ".join("--:" for _ in HEADER[1:]), "|", flush=True)
    found = {}
    for ftl in arguments.ftls:
        found[ftl] = [run(ftl, arguments.capacity, distance) for distance in DISTANCES]
    if arguments.figure:
        arguments.figure.write_bytes(figure(found))


def run(ftl: str, capacity: str, distance: int | None) -> tuple[float, float]:
    """Print a row; return the time of the mount, s, and the write amplification."""
    start = time.monotonic()
    device = ftlab.Device(capacity=capacity, program_order=None, checkpoint=distance)
    page = 4096
    trace = ftlab.Workload(
        "randwrite", bs=page, size=capacity, requests=int(number(capacity, "size")) // page // OVERWRITTEN
    )
    setup = {"warmup": "sequential", "run": {"recovery": True}, "host": "closed:1"}
    result = ftlab.simulate(trace, ftl, device, preset="onfi-slc", **setup)
    back = result.recovery
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    cells = (
        *(f"`{ftl}`", "none" if distance is None else f"{distance:,}", f"{back.time_s:.1f} s"),
        *(f"{each:,}" for each in (back.oob_reads, back.page_reads, back.programs)),
        f"{result.write_amplification:.4f}",
        f"{time.monotonic() - start:.0f} s",
        f"{gigabytes:.1f} GB",
    )
    print("|", " | ".join(cells), "|", flush=True)
    return back.time_s, result.write_amplification


def figure(found: dict[str, list[tuple[float, float]]]) -> bytes:
    """Draw the time of the mount, and what checkpoints cost, over their distance."""
    with styled():
        drawing = sized(8.0, 3.4)
        left, right = drawing.subplots(1, 2)
        for ftl, rows in found.items():
            distances, with_them = DISTANCES[1:], rows[1:]
            (line,) = left.plot(distances, [back for back, _ in with_them], marker="o", label=ftl)
            left.axhline(rows[0][0], color=line.get_color(), linewidth=0.8, linestyle=":")
            cost = [100 * (amplification / rows[0][1] - 1) for _, amplification in with_them]
            right.plot(distances, cost, marker="o", color=line.get_color())
        left.set_title("mount after a power cut (dotted: without checkpoints)")
        left.set_ylabel("s")
        left.set_yscale("log")
        right.set_title("what checkpoints add to write amplification")
        right.set_ylabel("%")
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_xlabel("pages programmed between two checkpoints")
        drawing.legend(loc="outside right upper")
        return image(drawing)


if __name__ == "__main__":
    main()
