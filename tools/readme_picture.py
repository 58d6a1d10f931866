"""Draws the picture of the README: where the time of the flash goes, under four FTLs.

Run `make picture`: it compares them on a built-in profile and writes `docs/_static/readme.svg`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import ftlab

PICTURE = Path(__file__).parent.parent / "docs" / "_static" / "readme.svg"
REQUESTS = 100_000
FTLS = {
    "page": "the whole map in RAM",
    "tpftl": "8 KiB of it, with prefetching",
    "dftl": "8 KiB of it, entry by entry",
    "fast": "a map of blocks, and log blocks",
}
CAUSES = {
    "what the host asked for": ("#0072B2", ["host"], []),
    "finding out where pages are": (
        "#E69F00",
        ["translation", "gc_mapping", "gc_translation"],
        ["translation"],
    ),
    "making room": ("#D55E00", ["gc_data", "merge"], ["data", "log"]),
}
"""What a share of a bar is: its colour, the causes of its reads and programs, the erases in it."""
FLOW = [
    ("a trace", f"{REQUESTS:,} requests, modelled on\na bank's transaction log"),
    ("an FTL", "says where each page is,\nand makes room"),
    ("checked NAND", "every read is compared\nwith the last write"),
    ("figures", "hit ratio, write amplification,\nlatency, wear, RAM"),
]


def main() -> None:
    """Run and draw."""
    results = ftlab.compare(
        ftlab.profile("financial1", requests=REQUESTS),
        list(FTLS),
        ftlab.Device(capacity="512MiB"),
        preset="tpftl-eurosys15",
        warmup="random:1",
    )
    matplotlib.rcParams.update(
        {"svg.fonttype": "none", "svg.hashsalt": "ftlab", "font.family": "sans-serif"}
    )
    figure = Figure(figsize=(8.6, 4.3), facecolor="white", layout="constrained")
    upper, lower = figure.subplots(2, 1, height_ratios=[1, 2.3])
    draw_flow(upper)
    draw_bars(lower, list(results))
    figure.savefig(PICTURE, metadata={"Date": None})
    print(PICTURE)


def draw_flow(axes: Axes) -> None:
    """Draw what ftlab does, from left to right."""
    axes.set(xlim=(0, len(FLOW)), ylim=(0, 1))
    axes.axis("off")
    for place, (title, words) in enumerate(FLOW):
        box = {"boxstyle": "round,pad=0.35", "facecolor": "#eef3f8", "edgecolor": "#0072B2"}
        axes.text(place + 0.5, 0.82, title, ha="center", weight="bold", bbox=box)
        axes.text(place + 0.5, 0.5, words, ha="center", va="top", size=8.5, color="#444444")
        if place:
            axes.annotate(
                "", (place + 0.12, 0.86), (place - 0.12, 0.86), arrowprops={"arrowstyle": "->"}
            )


def draw_bars(axes: Axes, results: Sequence[ftlab.Result]) -> None:
    """Draw a bar for each FTL: the time of the flash for a request, by what caused it."""
    ends = [0.0] * len(results)
    for label, (colour, causes, kinds) in CAUSES.items():
        times = [time_of(result, causes, kinds) for result in results]
        axes.barh(list(FTLS), times, left=ends, color=colour, label=label, height=0.6)
        ends = [end + time for end, time in zip(ends, times, strict=True)]
    for place, (result, end) in enumerate(zip(results, ends, strict=True)):
        words = f"{FTLS[result.ftl]}: {sum(result['ram_bytes'].values()) / 1024:,.1f} KiB of RAM"
        axes.annotate(words, (end, place), (5, 0), textcoords="offset points", va="center", size=9)
    axes.invert_yaxis()
    axes.set(xlim=(0, 1.6 * max(ends)), xlabel="time of the flash for a request, ms")
    axes.set_title("The same trace on the same SSD, under four FTLs", loc="left", pad=24)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False, ncols=len(CAUSES))


def time_of(result: ftlab.Result, causes: Sequence[str], kinds: Sequence[str]) -> float:
    """Return the time of the flash for some causes and kinds of erases, ms a request."""
    flash, device = result["flash"], result["config"]["device"]
    reads = sum(flash["reads"].get(cause, 0) for cause in causes)
    programs = sum(flash["programs"].get(cause, 0) for cause in causes)
    erases = sum(flash["erases"].get(kind, 0) for kind in kinds)
    spent = reads * device["read"] + programs * device["program"] + erases * device["erase"]
    return float(spent / result["host"]["requests"] / 1e6)


if __name__ == "__main__":
    main()
