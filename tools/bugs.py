"""Runs the laws over each bug that is seeded in the core: they must catch every one.

The laws are built once, with all bugs (`crates/ftlab/src/bugs.rs`); which one is there is chosen
when they run. Run `python3 tools/bugs.py [PART OF A NAME]`. It exits with 1 when a bug survives,
and with 2 when the laws cannot be built or the core breaks one by itself.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

ROOT = Path(__file__).resolve().parent.parent
CRATE = ROOT / "crates/ftlab"
# Of the same crates as `make test-long`, so that all but the core are built once for both.
BUILD = ["cargo", "build", "--locked", "--profile=long", "--features", "ftlab/bugs"]
TARGETS = ["--test", "laws", "--example", "bugs", "--message-format=json-render-diagnostics"]
JOBS = 2
CASES = 1500
# Cases are shared out among all FTLs, so that some of them can have more.
CASES_OF_SOME_FTLS = 20_000
# Enough to show that the build is sound: `cargo test` runs many more.
CASES_WITHOUT_A_BUG = 300
LONGEST_S = 300


class UnusableError(Exception):
    """The laws tell nothing of the bugs."""


@dataclass(frozen=True)
class Bug:
    """A bug as `crates/ftlab/src/bugs.rs` has it."""

    name: str
    what: str
    why: str
    place: str
    law: str
    by: str


@dataclass
class Run:
    """A run of the laws until one is broken: its message, if any, and whether the bug was met."""

    broken: str = ""
    met: bool = False
    code: int = 0
    seconds: float = 0.0

    def verdict(self, bug: Bug) -> str:
        """Tell what caught the bug, or how it survived."""
        if self.broken:
            return f"caught by: {self.broken}"
        how = "all laws hold" if self.code == 0 else f"no law is broken, exit code {self.code}"
        how = f"no end after {LONGEST_S} s" if self.seconds > LONGEST_S else how
        place = "is met" if self.met else "is never met"
        return f"SURVIVED: {how}, {bug.place} {place}"


def build() -> tuple[str, list[Bug]]:
    """Build the laws with the bugs; the executable and the bugs."""
    cargo = subprocess.run([*BUILD, *TARGETS], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if cargo.returncode != 0:
        raise UnusableError("the laws do not compile with the feature bugs")
    messages = [json.loads(line) for line in cargo.stdout.splitlines()]
    built = {m["target"]["name"]: m["executable"] for m in messages if m.get("executable")}
    table = subprocess.run([built["bugs"]], stdout=subprocess.PIPE, check=True).stdout
    return built["laws"], [Bug(**entry) for entry in json.loads(table)]


def run_laws(laws: str, law: str, **chosen: str) -> Run:
    """Run a law, or all, until one is broken; the environment of this script chooses nothing."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FTLAB_")}
    environment |= {"RUST_BACKTRACE": "0"} | {k: v for k, v in chosen.items() if v}
    run = Run()
    start = time.monotonic()
    with subprocess.Popen(
        [laws, "--test-threads=1", "--nocapture", *([law] if law else [])],
        cwd=CRATE,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        timer = Timer(LONGEST_S, process.kill)
        timer.start()
        for line in process.stdout or ():
            run.met |= "bug met at" in line
            if "panicked at" in line:
                run.broken = next(process.stdout, "").strip() or line.strip()
                process.kill()
                break
        timer.cancel()
    run.code = process.returncode
    run.seconds = time.monotonic() - start
    return run


def chase(laws: str, bug: Bug) -> Run:
    """Run the laws over the core with a bug."""
    cases = CASES_OF_SOME_FTLS if bug.by else CASES
    chosen = {"FTLAB_BUG": bug.name, "FTLAB_LAWS_CASES": str(cases), "FTLAB_LAWS_FTLS": bug.by}
    run = run_laws(laws, bug.law, **chosen)
    if run.broken and not run.met:
        raise UnusableError(f"{bug.name}: a law is broken before {bug.place}: {run.broken}")
    return run


def vouch(laws: str) -> None:
    """Show that the core without a bug obeys the laws: else they tell nothing of a bug."""
    run = run_laws(laws, "", FTLAB_LAWS_CASES=str(CASES_WITHOUT_A_BUG))
    if run.code != 0:
        raise UnusableError(f"without a bug: {run.broken or 'the laws do not end'}")
    print(f"without a bug\n    {run.seconds:.1f} s, all laws hold", flush=True)


def main() -> int:
    """Print each bug with what caught it, and the score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", default="", help="run bugs with this in their names")
    part = parser.parse_args().part
    start = time.monotonic()
    laws, bugs = build()
    bugs = [bug for bug in bugs if part in bug.name]
    if not bugs:
        raise UnusableError(f"no bug has {part!r} in its name")
    survivors: list[str] = []
    with ThreadPoolExecutor(JOBS) as pool:
        try:
            sound = pool.submit(vouch, laws)
            runs = pool.map(lambda bug: chase(laws, bug), bugs)
            for bug, run in zip(bugs, runs, strict=True):
                survivors += [] if run.broken else [f"{bug.name}, {run.verdict(bug)}"]
                print(f"{bug.name}: {bug.what}\n    {run.seconds:.1f} s", end=", ")
                print(run.verdict(bug)[:120], flush=True)
            sound.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    caught = len(bugs) - len(survivors)
    print(f"{caught}/{len(bugs)} caught in {time.monotonic() - start:.0f} s", *survivors, sep="\n")
    return 1 if survivors else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UnusableError as problem:
        print(f"bugs: {problem}", file=sys.stderr)
        sys.exit(2)
