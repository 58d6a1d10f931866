"""Ends commands inside a class of the user's at random moments, by each signal.

Run `python tools/own_signals.py --times 100 run check`. A command is a process of its own, in a
new folder, that runs an FTL in Python: one that loops, is slow, is busy, or is right. It is ended
at a random moment. Its exit code must be that of the signal, or it had ended before; it must say
so in a line, leave no part of an output and no process, and the interpreter must not crash. Prints
a row for each command, and ends with 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from textwrap import indent

from signals import SIGNALS, listen_again

from ftlab.report.tables import Table

COMMAND = (sys.executable, "-m", "ftlab")
ROOT = Path(__file__).parent.parent
LATEST_S = 3.0
"""When a command is ended at the latest, since it has begun to listen to signals."""
ENDS_S = 30.0
"""Within what a command has to end where others work, too."""

WRITES = {
    "right": "pass",
    "loops": "while True: pass",
    "slow": "__import__('time').sleep(0.2)",
    "busy": "sum(range(100_000))",
    "holds back": "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
}
"""What a class does before it writes."""

OWN = "--ftl own.py:Own"
SOURCE = "--workload randrw,bs=4k,size=8MiB,requests=200000 --capacity 8MiB --pages-per-block 16"
COMMANDS = {
    "run": f"run {SOURCE} {OWN} -o r.json --plot p.svg",
    "compare": f"compare {SOURCE} --ftl page,own.py:Own -o r.csv --report r.html",
    "check": "check own.py:Own",
    "watch": f"watch {SOURCE} {OWN} --record w.html",
    "endurance": f"endurance {SOURCE} {OWN} --set device.endurance=300 --scale 1 -o r.csv",
    "sweep": f"sweep {SOURCE} {OWN} --seeds 3 -o r.csv",
    "tune": f"tune {SOURCE} {OWN} --set gc.low=2,3 --minimize response_us.mean -o r.csv",
    "load": f"load {SOURCE} {OWN} -o r.csv",
}
"""Every verb that takes a class, in a form that works for a while."""


def own(kind: str) -> str:
    """Return a file with a class: the tutorial's FTL, and what it does before it writes."""
    right = (ROOT / "python" / "ftlab" / "page_mapped.py").read_text("utf-8")
    body = indent(f"{WRITES[kind]}\nsuper().write(pages, flash)", 8 * " ")
    write = f"    def write(self, pages, flash):\n{body}\n"
    return f"{right}\n\nclass Own(PageMapped):\n{write}"


def ended(command: str, kind: str, number: int, after_s: float, folder: Path) -> str | None:
    """End a command after a while; return what is wrong, or None."""
    (folder / "own.py").write_text(own(kind))
    process = subprocess.Popen(
        [*COMMAND, *command.split()],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        while process.poll() is None and not listens(process.pid):
            time.sleep(0.01)
        time.sleep(after_s)
        process.send_signal(number)
        _, errors = process.communicate(timeout=ENDS_S)
    except subprocess.TimeoutExpired:
        return f"did not end in {ENDS_S:.0f} s"
    finally:
        process.kill()
        process.communicate()
    return wrong(process.returncode, errors, number, folder) or orphan(process.pid)


def listens(pid: int) -> bool:
    """Tell whether a command has begun to listen to signals: to SIGTERM, which Python does not."""
    with suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text()
        caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
        return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)
    return False


def wrong(code: int, errors: str, number: int, folder: Path) -> str | None:
    """Return what is wrong with how a command has ended."""
    if code == 0:
        return None
    if code != 128 + number:
        return f"exit code {code}: {errors.strip()[-300:]}"
    # A run that is over may have been warned of.
    *before, last = errors.strip().splitlines() or [""]
    if not last.startswith("error: interrupted") or any(
        line and not line.startswith("warning: ") for line in before
    ):
        return f"said {[*before, last][-5:]}"
    results = folder / "ftlab-results"
    left = [
        each.name for each in folder.rglob("*") if each.is_file() and results not in each.parents
    ]
    # A result is written before its picture is drawn.
    parts = [name for name in left if name not in ("own.py", "r.json") and name[-4:] != ".pyc"]
    if "r.json" in left:
        json.loads((folder / "r.json").read_text("utf-8"))
    parts += [each.name for each in results.glob("*") if "partial" in each.name]
    return f"left {', '.join(parts)}" if parts else None


def orphan(session: int) -> str | None:
    """Return what lives on of what a command has started."""
    found = subprocess.run(["ps", "-o", "pid=", "-s", str(session)], capture_output=True, text=True)
    return f"lives on: {found.stdout.split()}" if found.stdout.split() else None


def main(times: int, names: list[str], seed: int) -> int:
    """End each command so many times by each signal, and print what was wrong; return a code."""
    listen_again()
    moments = random.Random(seed)
    rows, bad = [], 0
    for name in names or COMMANDS:
        for number in SIGNALS:
            found: Counter[str] = Counter()
            for _ in range(times):
                kind = moments.choice(list(WRITES))
                with tempfile.TemporaryDirectory(prefix="ftlab-own-") as folder:
                    after = moments.uniform(0.0, LATEST_S)
                    what = ended(COMMANDS[name], kind, number, after, Path(folder))
                found[f"{kind}: {what}" if what else ""] += 1
            del found[""]
            bad += found.total()
            told = "; ".join(f"{count} x {what}" for what, count in found.items())
            rows.append([name, signal.Signals(number).name, str(times), told or "none"])
            print("\t".join(rows[-1]), file=sys.stderr, flush=True)
    print(Table(["command", "signal", "times", "wrong"], rows).text())
    return 1 if bad else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *COMMANDS])
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    sys.exit(main(asked.times, asked.names, asked.seed))
