"""Write what the benchmark measured into `docs/performance.md`, and draw its figure of sizes.

Run `make bench`, which calls ``python tools/speed.py target/bench``. What lies between
``<!-- NAME -->`` and ``<!-- end -->`` is replaced, for `machine`, `ratios` and `sizes`; the figure
goes to `docs/_static/sizes.svg`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt

DOCS = Path(__file__).resolve().parent.parent / "docs"
MEASURED = ("ratios", "sizes")
DRAWN = ("page", "dftl", "tpftl", "fast", "mnftl")
"""FTLs of the figure."""
GIB = 2**30


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    measured = [json.loads((folder / f"{name}.json").read_text("utf-8")) for name in MEASURED]
    page = DOCS / "performance.md"
    text = page.read_text("utf-8")
    told = [machine(measured[0]["machine"]), ratios(measured[0]["ratios"])]
    rows = measured[1]["sizes"]
    for name, table in zip(("machine", *MEASURED), (*told, sizes(rows)), strict=True):
        before, mark, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        if not mark or not end:
            parser.error(f"found no <!-- {name} --> with its <!-- end --> in {page}")
        text = before + mark + table + end + after
    page.write_text(text, "utf-8")
    draw(rows, DOCS / "_static" / "sizes.svg")
    print(page)


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a table whose first column is text."""
    marks = [":--", *["--:"] * (len(header) - 1)]
    lines = [header, marks, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def machine(about: dict[str, Any]) -> str:
    """Return what the benchmark ran on."""
    return (
        f"{about['processor']}, {about['processors']} processors, {about['memory']}, "
        f"{about['system']}.\n"
    )


def ratios(workloads: list[dict[str, Any]]) -> str:
    """Return a row for each FTL, with its ratios under each workload."""
    header = ["FTL"]
    rows: dict[str, list[str]] = {}
    for workload in workloads:
        name = workload["workload"]
        header += [f"{name}: M operations/s", "ratio", "quartiles", "pairs"]
        for ftl in workload["ftls"]:
            low, high = ftl["ratio"]["quartiles"]
            rows.setdefault(f"`{ftl['ftl']}`", []).extend(
                [
                    f"{ftl['speed'] / 1e6:.1f}",
                    f"{ftl['ratio']['median']:.3f}",
                    f"{low:.3f} to {high:.3f}",
                    f"{ftl['pairs']}{'+' if ftl['limit_hit'] else ''}",
                ]
            )
    return table(header, [[name, *cells] for name, cells in rows.items()])


def sizes(rows: list[dict[str, Any]]) -> str:
    """Return a row for each FTL, with its times by size, with and without early loads."""
    devices = sorted({(row["capacity"], row["filled"]) for row in rows})
    cells: dict[str, dict[tuple[int, float], dict[str, Any]]] = {}
    for row in rows:
        cells.setdefault(row["ftl"], {})[row["capacity"], row["filled"]] = row
    small, large = devices[0], max(device for device in devices if device[1] == 1)

    def cell(row: dict[str, Any]) -> str:
        return f"{row['time']:.0f} ({row['time_without']:.0f})"

    def line(name: str, measured: dict[tuple[int, float], dict[str, Any]]) -> list[str]:
        growth = measured[large]["time"] / measured[small]["time"]
        return [
            f"`{name}`",
            *(cell(measured[device]) for device in devices),
            f"{growth:.1f}",
            f"{measured[large]['memory_per_page']:.1f}",
            f"{measured[devices[-1]]['memory'] / GIB:.1f}",
        ]

    header = ["FTL", *map(size, devices), "growth", "B/page", "GiB"]
    return table(header, [line(name, measured) for name, measured in cells.items()])


def size(device: tuple[int, float]) -> str:
    """Return the name of a device."""
    capacity, filled = device
    gib = capacity / GIB
    name = f"{gib:g} GiB" if gib < 1024 else f"{gib / 1024:g} TiB"
    return name if filled == 1 else f"{name}, {filled:.0%}"


def draw(rows: list[dict[str, Any]], figure: Path) -> None:
    """Draw the time per operation over the size of full devices."""
    canvas, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    full = [row for row in rows if row["filled"] == 1]
    for name in DRAWN:
        of_ftl = sorted((row for row in full if row["ftl"] == name), key=lambda r: r["capacity"])
        gib = [row["capacity"] / GIB for row in of_ftl]
        (line,) = axes.plot(gib, [row["time"] for row in of_ftl], marker="o", label=name)
        without = [row["time_without"] for row in of_ftl]
        axes.plot(gib, without, color=line.get_color(), linestyle=":", marker=".")
    axes.plot([], [], color="gray", linestyle=":", label="without early loads")
    capacities = sorted({row["capacity"] / GIB for row in full})
    axes.set_xscale("log", base=2)
    axes.set_xticks(capacities, [f"{gib:g}" for gib in capacities])
    axes.set_ylim(bottom=0)
    axes.set_xlabel("capacity (GiB)")
    axes.set_ylabel("ns per flash operation")
    axes.legend(frameon=False)
    canvas.savefig(figure)
    print(figure)


if __name__ == "__main__":
    main()
