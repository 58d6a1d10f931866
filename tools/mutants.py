"""Seeds bugs into copies of the core and shows that the laws catch each of them.

Bugs in the code of different FTLs share a build: each must be caught by the laws of its own FTLs.
Run `python3 tools/mutants.py [PART OF A NAME]`. It exits with 1 when a bug survives, and fails
loudly when a bug cannot be seeded, does not compile, or when the core itself breaks a law.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parent.parent
CRATE = Path("crates/ftlab")
LIST = ROOT / CRATE / "tests/mutants/mutants.toml"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "mutants"
CASES = "1500"
JOBS = 2
LONGEST_BUILD_S = 900
LONGEST_RUN_S = 150
# A bug is best caught where every request is checked; without, some run for ever.
CHECKED_OFTEN = "every_ftl_obeys"
LAWS = ["cargo", "test", "--quiet", "-p", "ftlab", "--test", "laws"]


class UnusableError(Exception):
    """The mutation test itself does not work, so it proves nothing."""


@dataclass(frozen=True)
class Mutant:
    """A bug: in `file`, `find` becomes `replace`.

    `ftls` run the file, if not all do. `law` (all if empty) must catch it, in those of `by`.
    """

    name: str
    why: str
    file: str
    find: str
    replace: str
    ftls: frozenset[str]
    by: frozenset[str]
    law: str = ""

    def may_join(self, batch: list[Mutant]) -> bool:
        """Tell whether no FTL would run both this bug and one of the batch."""
        return bool(self.ftls) and all(m.ftls and self.ftls.isdisjoint(m.ftls) for m in batch)


@dataclass(frozen=True)
class Copy:
    """A copy of the core with a build directory of its own."""

    root: Path

    def refresh(self) -> None:
        """Copy what has changed, so that cargo builds no more than that again."""
        manifest = (ROOT / "Cargo.toml").read_text()
        for key in ("members", "default-members"):
            only = f'{key} = ["{CRATE}"]'
            manifest, count = re.subn(rf"(?m)^{key} = .*$", only, manifest)
            if count != 1:
                raise UnusableError(f"Cargo.toml: found {count} lines of {key}, expected 1")
        self.write("Cargo.toml", manifest)
        self.write("Cargo.lock", (ROOT / "Cargo.lock").read_text())
        sources = [path for path in (ROOT / CRATE).rglob("*") if path.is_file()]
        wanted = {path.relative_to(ROOT) for path in sources}
        for path in wanted:
            self.restore(path)
        for path in (self.root / CRATE).rglob("*"):
            if path.is_file() and path.relative_to(self.root) not in wanted:
                path.unlink()

    def write(self, path: str | Path, text: str) -> None:
        """Write a file, unless it says so already."""
        target = self.root / path
        if not target.is_file() or target.read_text() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)

    def restore(self, path: Path) -> None:
        """Make a file what it is in the repository."""
        source, target = ROOT / path, self.root / path
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())

    def cargo(
        self, command: list[str], longest_s: int, ftls: frozenset[str] = frozenset()
    ) -> subprocess.CompletedProcess[str]:
        """Run cargo here; whatever its environment says, a case is not chosen from outside."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FTLAB_LAWS")}
        environment |= {
            "CARGO_TARGET_DIR": str(self.root / "target"),
            "CARGO_INCREMENTAL": "1",
            # Most bugs are caught in a moment, so it is builds that take the time.
            "CARGO_PROFILE_TEST_OPT_LEVEL": "0",
            "CARGO_TERM_COLOR": "never",
            "RUST_BACKTRACE": "0",
            "FTLAB_LAWS_CASES": CASES,
        }
        if ftls:
            environment["FTLAB_LAWS_FTLS"] = ",".join(sorted(ftls))
        with subprocess.Popen(
            command,
            cwd=self.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                output, _ = process.communicate(timeout=longest_s)
            except subprocess.TimeoutExpired:
                # Cargo's own child, the test, has to end with it.
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return subprocess.CompletedProcess(command, process.returncode, output)

    def build(self, names: str) -> None:
        """Build the laws over the sources as they are here."""
        build = self.cargo([*LAWS, "--no-run"], LONGEST_BUILD_S)
        if build.returncode != 0:
            raise UnusableError(f"{names}: does not compile\n{build.stdout[-3000:]}")

    def laws(self, name: str, ftls: frozenset[str] = frozenset(), law: str = "") -> str | None:
        """Run the law, or all, of these FTLs, or all; the message of the one that was broken."""
        for laws in [[law]] if law else [[CHECKED_OFTEN], ["--skip", CHECKED_OFTEN]]:
            try:
                run = self.cargo([*LAWS, "--", "--test-threads=1", *laws], LONGEST_RUN_S, ftls)
            except subprocess.TimeoutExpired:
                return f"no end after {LONGEST_RUN_S} s"
            if run.returncode != 0:
                break
        else:
            return None
        message = re.search(r"panicked at [^\n]*:\n([^\n]*)", run.stdout)
        if message is None:
            raise UnusableError(f"{name}: failed, but no law was broken\n{run.stdout[-3000:]}")
        return message[1]


def seeded(mutant: Mutant, text: str) -> str:
    """Return the text of the mutant's file with the bug in it."""
    count = text.count(mutant.find)
    if count != 1:
        raise UnusableError(
            f"{mutant.name}: found {mutant.find!r} {count} times in {mutant.file}, expected once"
        )
    return text.replace(mutant.find, mutant.replace)


def kill(batch: list[Mutant], copies: SimpleQueue[Copy]) -> list[tuple[str | None, float]]:
    """Run the laws over the mutants in a copy that is free; what caught each, after how long."""
    copy = copies.get()
    try:
        texts = {mutant.file: (ROOT / CRATE / mutant.file).read_text() for mutant in batch}
        for mutant in batch:
            texts[mutant.file] = seeded(mutant, texts[mutant.file])
        for file, text in texts.items():
            copy.write(CRATE / file, text)
        copy.build(", ".join(mutant.name for mutant in batch))
        return [timed(copy, mutant) for mutant in batch]
    finally:
        for mutant in batch:
            copy.restore(CRATE / mutant.file)
        copies.put(copy)


def timed(copy: Copy, mutant: Mutant) -> tuple[str | None, float]:
    """Run the laws over a mutant; the message of the one that was broken, and the seconds."""
    start = time.monotonic()
    message = copy.laws(mutant.name, mutant.by, mutant.law)
    return message, time.monotonic() - start


def read_mutants(part: str) -> list[Mutant]:
    """Return the mutants whose names contain `part`, each known to be seedable."""
    listed = tomllib.loads(LIST.read_text())
    ftls = {file: frozenset(names) for file, names in listed["ftls"].items()}
    mutants = []
    for entry in listed["mutant"]:
        runs_it = ftls.get(entry["file"], frozenset())
        by = frozenset(entry.pop("by", runs_it))
        mutants.append(Mutant(**entry, ftls=runs_it, by=by))
    for file in {mutant.file for mutant in mutants} | set(ftls):
        if not (ROOT / CRATE / file).is_file():
            raise UnusableError(f"{LIST.name}: there is no {CRATE / file}")
    for mutant in mutants:
        seeded(mutant, (ROOT / CRATE / mutant.file).read_text())
    chosen = [mutant for mutant in mutants if part in mutant.name]
    if not chosen:
        raise UnusableError(f"no mutant has {part!r} in its name")
    return chosen


def batches(mutants: list[Mutant]) -> list[list[Mutant]]:
    """Group mutants into few builds, first come first served."""
    batches: list[list[Mutant]] = []
    for mutant in mutants:
        batch = next((batch for batch in batches if mutant.may_join(batch)), None)
        if batch is None:
            batches.append([mutant])
        else:
            batch.append(mutant)
    return batches


def prepare() -> SimpleQueue[Copy]:
    """Build copies of the core."""
    first, *others = [Copy(TARGET / str(number)) for number in range(JOBS)]
    first.refresh()
    first.build("the core itself")
    copies: SimpleQueue[Copy] = SimpleQueue()
    for copy in (first, *others):
        copy.refresh()
        if not (copy.root / "target").exists():
            # Dependencies are compiled once: their builds do not depend on where they are.
            shutil.copytree(first.root / "target", copy.root / "target", symlinks=True)
        copies.put(copy)
    return copies


def vouch(copies: SimpleQueue[Copy]) -> None:
    """Show that the core itself obeys the laws: else they tell nothing of a bug."""
    copy = copies.get()
    try:
        copy.build("the core itself")
        broken = copy.laws("the core itself")
    finally:
        copies.put(copy)
    if broken is not None:
        raise UnusableError(f"the core itself breaks a law: {broken}")


def main() -> int:
    """Print each mutant with the message that caught it, and the score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", default="", help="run mutants with this in their names")
    start = time.monotonic()
    mutants = read_mutants(parser.parse_args().part)
    copies = prepare()
    killed = 0
    builds = batches(mutants)
    with ThreadPoolExecutor(JOBS) as pool:
        sound = pool.submit(vouch, copies)
        results = pool.map(lambda batch: kill(batch, copies), builds)
        try:
            sound.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        for batch, ends in zip(builds, results, strict=True):
            for mutant, (message, seconds) in zip(batch, ends, strict=True):
                killed += message is not None
                verdict = "SURVIVED" if message is None else f"killed by: {message[:110]}"
                print(f"{mutant.name}\n    {seconds:.0f} s, {verdict}", flush=True)
    seconds = time.monotonic() - start
    print(f"{killed}/{len(mutants)} killed by {len(builds)} builds in {seconds:.0f} s")
    return 0 if killed == len(mutants) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UnusableError as problem:
        print(f"mutants: {problem}", file=sys.stderr)
        sys.exit(2)
