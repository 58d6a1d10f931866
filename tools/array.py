"""Measures an array by FTL: time, processor time and memory of requests over many drives.

    python3 tools/array.py --ftl page,dftl,tpftl
    python3 tools/array.py --ftl fast --run 8 --size 16TiB --requests 1000000000

Each FTL is a process of its own that runs devices of an array (`ftlab sweep`). With `--run` only
the first devices of the array run, as all are alike under a uniform workload. Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FTLAB = Path(sys.executable).parent / "ftlab"
HEADER = ("FTL", "devices", "cores", "time", "processor time", "peak memory", "WA", "hit ratio")


def main() -> None:
    """Run each FTL and print a row for it as soon as it has ended."""
    told = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    told.add_argument("--ftl", default="page,dftl,tpftl", help="FTLs, separated by commas")
    told.add_argument("--devices", type=int, default=32, help="devices of the array")
    told.add_argument("--run", type=int, help="how many of them to run [all]")
    told.add_argument("--size", type=int, default=16 << 40, help="bytes of the array")
    told.add_argument("--requests", type=int, default=10**9, help="requests to the array")
    told.add_argument("--stripe", default="64KiB", help="bytes that a device takes in turn")
    told.add_argument("--page", default="4KiB", help="flash page, and length of a request")
    told.add_argument("--warmup", default="sequential", help="warm-up of each device")
    asked = told.parse_args()
    print(f"| {' | '.join(HEADER)} |")
    print(f"| {' | '.join([':--', *['--:'] * (len(HEADER) - 1)])} |")
    for ftl in asked.ftl.split(","):
        print(f"| {' | '.join(measured(ftl, asked))} |", flush=True)


def measured(ftl: str, asked: argparse.Namespace) -> list[str]:
    """Return the cells of an FTL."""
    run = asked.run or asked.devices
    shards = ",".join(f"{each}/{asked.devices}:{asked.stripe}" for each in range(run))
    workload = (
        f"randwrite,arrivals=fixed,bs={asked.page},size={asked.size},requests={asked.requests}"
    )
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "found.json"
        command = [
            *(str(FTLAB), "sweep", "--workload", workload, "--ftl", ftl, "--page", asked.page),
            *("--capacity", str(asked.size // asked.devices), "--warmup", asked.warmup),
            *("--set", f"input.shard={shards}", "--results", f"{folder}/r", "-o", str(output)),
        ]
        begin = time.perf_counter()
        child = subprocess.Popen(command)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"{ftl}: ended with {child.returncode}")
        results = [each["result"] for each in json.loads(output.read_text("utf-8"))]
    flash = [each["flash"] for each in results]
    programs = sum(sum(each[kind].values()) for each in flash for kind in ("programs", "copybacks"))
    written = sum(each["host"]["page_writes"] for each in results)
    hits = [each["mapping"]["hit_ratio"] for each in results if each["mapping"]]
    return [
        f"`{ftl}`",
        f"{run} of {asked.devices}",
        str(len(os.sched_getaffinity(0))),
        seconds(wall),
        seconds(used.ru_utime + used.ru_stime),
        f"{used.ru_maxrss / (1 << 20):.1f} GiB",
        f"{programs / written:.3f}",
        f"{100 * sum(hits) / len(hits):.1f} %" if hits else "",
    ]


def seconds(found: float) -> str:
    """Return a time for people."""
    return f"{found:.0f} s" if found < 100 else f"{found / 60:.1f} min"


if __name__ == "__main__":
    main()
