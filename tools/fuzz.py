"""Fuzz every trace reader for a while and print what was run.

Each folder in ``fuzz/seeds`` is a format; ``detect`` leaves the format to be found, from the seeds
of all. What is found is kept in ``fuzz/artifacts``, what reaches new code in ``fuzz/corpus``.
Seconds are those of a processor: what others take of it does not count.

Needs a nightly toolchain and cargo-fuzz, which ``make fuzz`` installs.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

FUZZ = Path(__file__).resolve().parent.parent / "fuzz"
# Where `make fuzz` installs cargo-fuzz.
INSTALLED = FUZZ.parent / "target" / "fuzz" / "bin"
# What the sanitizer takes for leaks.
LEAKS = FUZZ / "leaks.txt"
# The largest windows that are accepted are 128 MiB (zstd) and 256 MiB (xz).
LIMITS = ["-max_len=4096", "-timeout=20", "-malloc_limit_mb=288", "-rss_limit_mb=1024"]


class Run(NamedTuple):
    """What came of fuzzing one format."""

    format: str
    executions: str
    coverage: str
    corpus: str
    found: str


def main() -> int:
    """Run the command line; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seconds", type=int, default=60, help="of a processor, for each format [60]"
    )
    parser.add_argument("--jobs", type=int, default=1, help="formats at a time [1]")
    parser.add_argument("formats", nargs="*", help="only these; all by default")
    options = parser.parse_args()
    known = [*sorted(path.name for path in (FUZZ / "seeds").iterdir()), "detect"]
    unknown = [name for name in options.formats if name not in known]
    if unknown:
        parser.error(f"unknown format {unknown[0]!r}; known: {', '.join(known)}")
    binary = build()
    with ThreadPoolExecutor(options.jobs) as pool:
        show(Run._make(Run._fields))
        runs = pool.map(lambda name: fuzz(binary, name, options.seconds), options.formats or known)
        found = [show(run) for run in runs]
    return int(any(found))


def build() -> Path:
    """Build the fuzz target and return it."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", FUZZ / "target")).absolute()
    command = ["cargo", "+nightly", "fuzz", "build", "--fuzz-dir", str(FUZZ)]
    path = f"{INSTALLED}{os.pathsep}{os.environ['PATH']}"
    command += ["--target-dir", str(target), "trace"]
    subprocess.run(command, cwd=FUZZ, env={**os.environ, "PATH": path}, check=True)
    return next(target.glob("*/release/trace"))


def fuzz(binary: Path, name: str, seconds: int) -> Run:
    """Feed the reader of one format for so long."""
    corpus = FUZZ / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    artifacts = FUZZ / "artifacts" / name
    artifacts.mkdir(parents=True, exist_ok=True)
    seeds = (FUZZ / "seeds").iterdir() if name == "detect" else [FUZZ / "seeds" / name]
    log = artifacts / "log"
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [
                *(binary, corpus, *seeds, *LIMITS, "-print_final_stats=1"),
                f"-artifact_prefix={artifacts}/",
            ],
            env={**os.environ, "FTLAB_FORMAT": name, "LSAN_OPTIONS": f'suppressions="{LEAKS}"'},
            stderr=stderr,
        )
        while process.poll() is None:
            if processor_seconds(process.pid) >= seconds:
                process.send_signal(signal.SIGINT)
            time.sleep(1)
    told = log.read_text("utf-8", errors="replace")
    return Run(
        name,
        executions=last(r"number_of_executed_units:\s*(\d+)", told),
        coverage=last(r"cov: (\d+)", told),
        corpus=last(r"corp: (\d+)", told),
        found="nothing" if "run interrupted; exiting" in told else last(r"SUMMARY: (.*)", told),
    )


def processor_seconds(process: int) -> float:
    """Return the time of a processor that a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    user, system = map(int, fields[11:13])
    return (user + system) / os.sysconf("SC_CLK_TCK")


def last(pattern: str, log: str) -> str:
    """Return what a pattern found last in a log."""
    return next(iter(reversed(re.findall(pattern, log))), "?")


def show(run: Run) -> bool:
    """Print a row; true if something was found."""
    cells = f"{run.format:<14}{run.executions:>12}{run.coverage:>10}{run.corpus:>8}"
    print(f"{cells}  {run.found}", flush=True)
    return run.found != "nothing"


if __name__ == "__main__":
    sys.exit(main())
