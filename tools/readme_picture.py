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
from ftlab.titles import title

PICTURE = Path(__file__).parent.parent / "docs" / "_static" / "readme.svg"
REQUESTS = 100_000
FTLS = ["page", "tpftl", "dftl", "fast"]
CAUSES = {
    "host requests": ("#0072B2", ["host"], []),
    "address translation": (
        "#E69F00",
        ["translation", "gc_mapping", "gc_translation"],
        ["translation"],
    ),
    "garbage collection": ("#D55E00", ["gc_data", "merge"], ["data", "log"]),
}
"""What a share of a bar is: its colour, the causes of its reads and programs, the erases in it."""


def main() -> None:
    """Run and draw."""
    results = ftlab.compare(
        ftlab.profile("financial1", requests=REQUESTS),
        FTLS,
        ftlab.Device(capacity="512MiB"),
        preset="tpftl-eurosys15",
        warmup="random:1",
    )
    matplotlib.rcParams.update(
        {"svg.fonttype": "none", "svg.hashsalt": "ftlab", "font.family": "sans-serif"}
    )
    figure = Figure(figsize=(5.4, 3.2), facecolor="white", layout="constrained")
    draw(figure.subplots(), list(results))
    figure.savefig(PICTURE, metadata={"Date": None})
    print(PICTURE)


def draw(axes: Axes, results: Sequence[ftlab.Result]) -> None:
    """Draw a bar for each FTL: the time of the flash for a request, by its cause.

    The figure is as narrow as a phone, so that its text is legible there.
    """
    names = [f"{title(each.ftl)}\n{ram_of(each):.3g} KiB of RAM" for each in results]
    ends = [0.0] * len(results)
    for label, (colour, causes, kinds) in CAUSES.items():
        times = [time_of(result, causes, kinds) for result in results]
        axes.barh(names, times, left=ends, color=colour, label=label, height=0.6)
        ends = [end + time for end, time in zip(ends, times, strict=True)]
    for place, end in enumerate(ends):
        axes.annotate(f"{end:.2f}", (end, place), (4, 0), textcoords="offset points", va="center")
    axes.invert_yaxis()
    axes.set(xlim=(0, 1.15 * max(ends)), xlabel="flash time per request (ms)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.figure.legend(loc="outside upper left", frameon=False, ncols=2, fontsize=10)


def ram_of(result: ftlab.Result) -> float:
    """Return the RAM of a run in KiB, all parts together."""
    return float(sum(result["ram_bytes"].values()) / 1024)


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
