"""Write what the benchmark measured into `docs/performance.md`, and draw its figure of sizes.

Run `make bench`, which calls ``python tools/speed.py target/bench``. What lies between
``<!-- NAME -->`` and ``<!-- end -->`` is replaced, for each part that was measured; the
figure goes to `docs/_static/sizes.svg`.
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
DRAWN = ("page", "dftl", "tpftl", "fast", "mnftl")
"""FTLs of the figure."""
MIB, GIB = 2**20, 2**30
Device = tuple[int, float]
"""Capacity, bytes, and the share that was filled."""


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    told: dict[str, str] = {}
    for name, table_of in TABLES.items():
        path = folder / f"{name}.json"
        if not path.exists():
            print(f"{name}: not measured, left as it is")
            continue
        measured = json.loads(path.read_text("utf-8"))
        told[name] = table_of(measured[name])
        if "machine" in measured:
            told["machine"] = machine(measured["machine"])
        if name == "sizes":
            told["memory"] = memory(measured[name])
            draw(measured[name], DOCS / "_static" / "sizes.svg")
    page = DOCS / "performance.md"
    text = page.read_text("utf-8")
    for name, table in told.items():
        before, mark, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        if not mark or not end:
            parser.error(f"found no <!-- {name} --> with its <!-- end --> in {page}")
        text = before + mark + table + end + after
    page.write_text(text, "utf-8")
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


def standing(measured: dict[str, Any]) -> list[str]:
    """Return the cells of something that ran in pairs."""
    low, high = measured["ratio"]["quartiles"]
    return [
        f"{measured['speed'] / 1e6:.1f}",
        f"{measured['ratio']['median']:.3f}",
        f"{low:.3f} to {high:.3f}",
        f"{measured['pairs']}{'+' if measured['limit_hit'] else ''}",
    ]


def ratios(workloads: list[dict[str, Any]]) -> str:
    """Return a row for each FTL, with its ratios under each workload."""
    header = ["FTL"]
    rows: dict[str, list[str]] = {}
    for workload in workloads:
        header += [f"{workload['workload']}: M operations/s", "ratio", "quartiles", "pairs"]
        for ftl in workload["ftls"]:
            rows.setdefault(f"`{ftl['name']}`", []).extend(standing(ftl))
    return table(header, [[name, *cells] for name, cells in rows.items()])


def buffers(measured: list[dict[str, Any]]) -> str:
    """Return a row for each buffer."""
    header = ["buffer", "M operations/s", "ratio", "quartiles", "pairs"]
    return table(header, [[f"`{each['name']}`", *standing(each)] for each in measured])


def readers(measured: list[dict[str, Any]]) -> str:
    """Return a row for each reader of traces."""
    rows = [
        [
            f"`{each['name']}`",
            f"{each['requests_per_s'] / 1e6:.1f}",
            f"{each['bytes_per_s'] / 1e6:.0f}",
        ]
        for each in measured
    ]
    return table(["reader", "M requests/s", "MB/s"], rows)


def by_size(rows: list[dict[str, Any]]) -> tuple[list[Device], dict[str, dict[Device, Any]]]:
    """Return the devices, and of each FTL the row of each."""
    cells: dict[str, dict[Device, Any]] = {}
    for row in rows:
        cells.setdefault(row["ftl"], {})[row["capacity"], row["filled"]] = row
    return sorted({(row["capacity"], row["filled"]) for row in rows}), cells


def sizes(rows: list[dict[str, Any]]) -> str:
    """Return a row for each FTL and loop, with its times by size, with and without early loads."""
    devices, cells = by_size(rows)
    small, large = devices[0], max(device for device in devices if device[1] == 1)

    def cell(row: dict[str, Any]) -> str:
        return f"{row['time']:.0f} ({row['time_without']:.0f})"

    def line(name: str, measured: dict[Device, dict[str, Any]]) -> list[str]:
        growth = measured[large]["time"] / measured[small]["time"]
        return [f"`{name}`", *(cell(measured[device]) for device in devices), f"{growth:.1f}"]

    header = ["FTL", *map(size, devices), "growth"]
    return table(header, [line(name, measured) for name, measured in cells.items()])


def memory(rows: list[dict[str, Any]]) -> str:
    """Return a row for each FTL and loop, with its memory by size."""
    devices, cells = by_size(rows)

    def cell(row: dict[str, Any]) -> str:
        return f"{row['memory'] / MIB:,.0f} ({row['memory_per_page']:.1f})"

    header = ["FTL", *map(size, devices)]
    lines = [
        [f"`{name}`", *(cell(measured[device]) for device in devices)]
        for name, measured in cells.items()
    ]
    return table(header, lines)


def size(device: Device) -> str:
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


TABLES = {"ratios": ratios, "buffers": buffers, "sizes": sizes, "readers": readers}

if __name__ == "__main__":
    main()
