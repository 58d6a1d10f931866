"""Compare the quick build of the core with the full one: what it costs to build, and to run.

Run `make builds` on an idle machine. Pairs of builds alternate, each in an empty folder, with
crates that cargo has fetched. Pairs of runs of some FTLs follow.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
PROFILES = {"quick": "dev", "full": "release"}
FTLS = ["page", "dftl", "tpftl", "fast"]
LOADS = {
    "randwrite": ["--workload", "randwrite,bs=4k,size=256MiB,requests=1M", "--capacity", "256MiB"],
    "financial1": ["financial1", "--requests", "1M", "--preset", "tpftl-eurosys15"],
}


def timed(command: list[str], **options: object) -> tuple[float, float, str]:
    """Run a command that must succeed; return its processor time, its wall time and its output."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options)
    wall, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, wall, done.stdout


def build(profile: str, target: Path) -> tuple[float, float]:
    """Build a core in an empty folder; return processor and wall time."""
    shutil.rmtree(target, ignore_errors=True)
    command = ["cargo", "build", "--quiet", "--locked", "-p", "ftlab-python", "--profile", profile]
    own = {"CARGO_TARGET_DIR": str(target), "PYO3_PYTHON": sys.executable}
    # As make does for the first build of a clone.
    environment = {**os.environ, **own, "CARGO_INCREMENTAL": "0"}
    spent, wall, _ = timed(command, cwd=ROOT, env=environment)
    return spent, wall


def package(target: Path, place: Path) -> Path:
    """Return a folder from which Python imports ftlab with the core of a build."""
    shutil.copytree(ROOT / "python", place, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    (built,) = target.glob("*/libftlab_python.so")
    shutil.copy(built, place / "ftlab" / "_core.abi3.so")
    return place


def run(place: Path, ftl: str, load: str) -> float:
    """Run an FTL; return the processor time of the process."""
    command = [sys.executable, "-m", "ftlab", "run", *LOADS[load], "--ftl", ftl, "--json"]
    spent, _, output = timed(command, env={**os.environ, "PYTHONPATH": str(place)})
    assert json.loads(output)["ftl"] == ftl
    return spent


def main() -> None:
    """Build and run in pairs, and print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=2, help="pairs of builds, and of runs")
    pairs = range(parser.parse_args().pairs)
    with tempfile.TemporaryDirectory() as folder:
        targets = {name: Path(folder) / name for name in PROFILES}
        print("| pair | quick: processor, s | wall, s | full: processor, s | wall, s | ratio |")
        print("| --: | --: | --: | --: | --: | --: |")
        for pair in pairs:
            (quick, quick_wall), (full, full_wall) = (
                build(profile, targets[name]) for name, profile in PROFILES.items()
            )
            times = f"{quick:.0f} | {quick_wall:.0f} | {full:.0f} | {full_wall:.0f}"
            print(f"| {pair + 1} | {times} | {quick / full:.2f} |", flush=True)
        places = {n: package(t, Path(folder) / f"{n}-package") for n, t in targets.items()}
        print("\n| FTL | load | quick, s | full, s | ratio |\n| :-- | :-- | --: | --: | --: |")
        for ftl, load in product(FTLS, LOADS):
            took = [{name: run(at, ftl, load) for name, at in places.items()} for _ in pairs]
            quick, full = (median(each[name] for each in took) for name in PROFILES)
            ratio = f"{quick:.2f} | {full:.2f} | {quick / full:.1f}"
            print(f"| `{ftl}` | {load} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
