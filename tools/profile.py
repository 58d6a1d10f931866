"""Tell where the time of an FTL goes, by source file of the core.

    python3 tools/profile.py tpftl sftl

Builds the benchmark with line numbers and without position-independent code, runs it below Linux's
`perf`, and counts each sample for the innermost function that was inlined where it was taken.
Needs `perf` and `addr2line`. Samples of the bare loop, of the workloads and of the kernel are left
out.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target" / "profile"
BUILD = {
    "CARGO_TARGET_DIR": str(TARGET),
    "CARGO_PROFILE_BENCH_DEBUG": "line-tables-only",
    "CARGO_PROFILE_BENCH_STRIP": "none",
}
LEFT_OUT = ("benches/ratios", "ftlab-traces/src/workload", "ftlab-traces/src/rng")
OURS = re.compile(r"crates/(?:ftlab|ftlab-traces)/(?:src/)?(?P<file>\S+?\.rs):")
LEAST = 0.01
"""Share of the samples from which a file is told."""


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ftls", nargs="+")
    options = parser.parse_args()
    program = build()
    for ftl in options.ftls:
        print(f"\n{ftl}")
        print(told(by_file(program, samples(program, ftl))))


def build() -> Path:
    """Return the benchmark, built anew where it must be."""
    command = ["cargo", "rustc", "--locked", "--profile", "bench", "-p", "ftlab"]
    command += ["--bench", "ratios", "--", "-C", "relocation-model=static"]
    subprocess.run(command, cwd=ROOT, env=os.environ | BUILD, check=True)
    built = (TARGET / "release" / "deps").glob("ratios-*")
    programs = [path for path in built if not path.suffix]
    return max(programs, key=lambda path: path.stat().st_mtime)


def samples(program: Path, ftl: str) -> Counter[str]:
    """Return how often each address was found while the benchmark ran an FTL."""
    record = TARGET / f"{ftl}.data"
    run = ["perf", "record", "-q", "-F", "2000", "-o", record, program, "--bench", ftl]
    subprocess.run(run, cwd=TARGET, check=True, capture_output=True)
    script = ["perf", "script", "-i", record, "--no-inline", "-F", "ip,dso"]
    shown = subprocess.run(script, check=True, capture_output=True, text=True).stdout
    lines = [line.split() for line in shown.splitlines()]
    return Counter(line[0] for line in lines if len(line) > 1 and program.name in line[1])


def by_file(program: Path, addresses: Counter[str]) -> Counter[str]:
    """Return the samples of each source file of the core.

    What is inlined from elsewhere counts for the file that it was inlined into.
    """
    command = ["addr2line", "-a", "-i", "-e", program]
    shown = subprocess.run(
        command, input="\n".join(addresses), check=True, capture_output=True, text=True
    ).stdout
    files: Counter[str] = Counter()
    for block in re.split(r"^0x", shown, flags=re.MULTILINE)[1:]:
        address, *lines = block.splitlines()
        if any(part in line for part in LEFT_OUT for line in lines):
            continue
        ours = next((found for line in lines if (found := OURS.search(line))), None)
        name = ours["file"] if ours else "elsewhere"
        files[name] += addresses[f"{int(address, 16):x}"]
    return files


def told(files: Counter[str]) -> str:
    """Return a table of the files with most samples."""
    total = files.total()
    rows = [(count / total, name) for name, count in files.most_common()]
    rest = sum(share for share, _ in rows if share < LEAST)
    lines = [f"| `{name}` | {share:.1%} |" for share, name in rows if share >= LEAST]
    return "\n".join(["| file | share |", "| :-- | --: |", *lines, f"| others | {rest:.1%} |"])


if __name__ == "__main__":
    main()
