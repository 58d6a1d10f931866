"""Ends every command at random moments, by each signal, and looks what is left.

Run `make signals`, or `python tools/signals.py --times 100 convert sweep`. A command is a process
of its own, in a new folder; it is ended at a random moment after it has begun to listen to signals.
Its exit code must be that of the signal, or it had ended before; that of a server is that of a
session which ended well. It must say so in a line and end soon, every file that is there must be
whole, and nothing that it has started may live on. Prints a row for each command, and ends with 1
if anything was wrong.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ftlab.points import store
from ftlab.report.tables import Table

COMMAND = (sys.executable, "-m", "ftlab")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SOON_S = 1.0
"""Within what a command has to end on a machine that does nothing else."""
BUSY = 20.0
"""How much longer that may take where others work, too."""
DURING = 0.8
"""The part of its time after its start in which a command is ended."""
NOTICED = ("Traceback", "Exception ignored", "FATAL", "panicked")

SMALL = "--capacity 16MiB --pages-per-block 32 --address modulo"
RUN = f"financial1 --requests 15k {SMALL} --warmup footprint"
SOURCE = "--workload randrw,bs=4k,size=12MiB,requests=15000 --capacity 16MiB --pages-per-block 32"
POINTS = "ftl.cache=8KiB,16KiB"

COMMANDS = {
    "demo": "demo --requests 5k",
    "run": f"run {RUN} -o r.json --plot p.svg --report r.html --timeline t.json",
    "compare": f"compare {RUN} --plot p.svg -o r.md",
    "identify": "identify {inputs}/drive.csv --seeds 8 -o r.csv",
    "crash": f"crash {SOURCE} --cuts 200 -o r.csv --plot p.svg",
    "advise": f"advise {SOURCE} --ftl page --over-provisioning 15% --years 0.01 --dwpd 1 -o r.csv",
    "endurance": f"endurance {SOURCE} --set device.endurance=100 -o r.csv",
    "watch": f"watch {RUN} --record w.html",
    "serve": "serve --image image --socket s --ftl page --capacity 64MiB --record s.csv -o r.json",
    "fsck": "fsck {inputs}/image -o r.csv",
    "replay": "replay {inputs}/session.toml -o r.json",
    "sweep": f"sweep {RUN} --set {POINTS} --seeds 2 --ftl page,dftl -o r.csv",
    "results": "results {inputs}/results -o r.csv",
    "plot": "plot {inputs}/results --x ftl.cache --y write_amplification -o p.pdf",
    "fleet": "fleet {inputs}/t.spc --least 10 --pages-per-block 16 -o r.csv",
    "array": "fleet {inputs}/t.spc --devices 2 --pages-per-block 16 -o r.csv",
    "tune": f"tune {RUN} --set {POINTS} --minimize response_us.mean --ftl dftl -o r.csv",
    "check": "check page --cases 20",
    "new": "new my_own.py",
    "explain": f"explain {SOURCE} --ftl page,dftl -o r.csv --plot p.svg",
    "load": f"load {SOURCE} --depths 1,4,16 -o r.csv --plot p.svg",
    "convert": "trace convert {inputs}/t.spc -o o.parquet",
    "convert to text": "trace convert {inputs}/t.spc -o o.spc.zst",
    "generate": "trace generate financial1 --requests 500000 -o o.parquet",
    "split": "trace split {inputs}/t.spc -o volumes",
    "info": "trace info {inputs}/t.spc --full -o r.json --plot p.svg",
    "fit": "trace fit {inputs}/t.spc -o m.toml",
    "curve": "trace curve {inputs}/t.spc -o r.csv --plot p.svg",
    "trace compare": f"trace compare {{inputs}}/t.spc financial1 --requests 20k -o r.csv {SMALL}",
    "model": "model gc --set logical_blocks=58 --set blocks=64 --seeds 2 -o r.json",
    "reproduce": "reproduce dftl --quick",
    "list": "list",
}
"""Every verb, in a form that works for a while and writes what it can."""


@dataclass
class Ended:
    """What came of a command that was ended so many times."""

    times: int = 0
    before: int = 0
    """How often it had ended by itself."""
    longest_s: float = 0.0
    wrong: list[str] = field(default_factory=list)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=12, help="of each command [12]")
    parser.add_argument("--seed", type=int, default=1, help="[1]")
    parser.add_argument("commands", nargs="*", help="[all]")
    arguments = parser.parse_args()
    listen_again()
    rows, wrong = [], []
    with tempfile.TemporaryDirectory() as name:
        inputs = prepared(Path(name))
        for command in arguments.commands or COMMANDS:
            ended = end(command, arguments.times, arguments.seed, inputs)
            counts = (ended.times, ended.before, f"{ended.longest_s:.2f}", len(ended.wrong))
            rows.append([command, *map(str, counts)])
            wrong += [f"{command}: {each}" for each in ended.wrong]
            print(" ".join(rows[-1]), file=sys.stderr)
    head = ["command", "signals", "ended before", "longest, s", "wrong"]
    print(Table(head, rows).markdown(), end="")
    print(*wrong, sep="\n", file=sys.stderr)
    sys.exit(bool(wrong))


def listen_again() -> None:
    """Hear all signals, which a shell in the background and nohup have commands ignore."""
    for each in SIGNALS:
        signal.signal(each, signal.SIG_DFL)


def prepared(folder: Path) -> Path:
    """Return a folder with what commands read."""
    rng = random.Random(1)
    write_trace(folder / "t.spc", 100_000)
    (folder / "drive.csv").write_text("used,write_amplification\n400GB,1.1\n720GB,1.6\n")
    _run(f"sweep {RUN} --set {POINTS} --ftl page,dftl --results results", folder)
    session = _started(f"{COMMANDS['serve']} --image image --record session", folder)
    _wait_until(session, lambda: (folder / "session.toml").exists())
    session.send_signal(signal.SIGINT)
    session.communicate()
    requests = (f"{n * 1000},{4096 * rng.randrange(16_000)},4096,w\n" for n in range(30_000))
    (folder / "session").write_text("time,offset,length,op\n" + "".join(requests))
    return folder


def write_trace(path: Path, requests: int) -> None:
    """Write a trace of eight volumes."""
    rng = random.Random(1)
    lines = (
        f"{rng.randrange(8)},{8 * rng.randrange(20_000)},4096,{rng.choice('rw')},{n / 1e4:.4f}\n"
        for n in range(requests)
    )
    path.write_text("".join(lines))


def end(command: str, times: int, seed: int, inputs: Path) -> Ended:
    """End a command so many times, by one signal after another."""
    ended, rng = Ended(), random.Random(f"{command} {seed}")
    words = COMMANDS[command].format(inputs=inputs)
    with _folder() as reference:
        start = time.monotonic()
        process = _started(words, reference)
        if command == "serve":
            _wait_until(process, lambda: (reference / "s.csv.toml").exists())
            process.send_signal(signal.SIGTERM)
        _, err = process.communicate()
        lasts, code = time.monotonic() - start, process.returncode
        if code or any(each in err for each in NOTICED):
            ended.wrong.append(f"by itself: exit code {code}, {err}")
        for number in range(times):
            which = SIGNALS[number % len(SIGNALS)]
            with _folder() as folder:
                _end_once(
                    words, which, rng.uniform(0, DURING * lasts), code, reference, folder, ended
                )
    return ended


def _end_once(
    words: str,
    which: signal.Signals,
    after_s: float,
    code: int,
    reference: Path,
    folder: Path,
    ended: Ended,
) -> None:
    process = _started(words, folder)
    _wait_until(process, lambda: _listens(process.pid))
    time.sleep(after_s)
    is_before = process.poll() is not None
    process.send_signal(which)
    start = time.monotonic()
    try:
        _, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        _, err = process.communicate()
    took = time.monotonic() - start
    ended.times += 1
    ended.before += is_before or process.returncode == code
    ended.longest_s = max(ended.longest_s, took)
    told = f"{which.name} after {after_s:.3f} s: "
    if process.returncode not in (128 + which, code):
        ended.wrong.append(f"{told}exit code {process.returncode}: {err}")
    if any(each in err for each in NOTICED):
        ended.wrong.append(f"{told}{err}")
    if took > SOON_S * BUSY:
        ended.wrong.append(f"{told}took {took:.1f} s")
    ended.wrong += [told + each for each in (*_left(folder, reference), *_orphans(process.pid))]


def _left(folder: Path, reference: Path) -> Iterator[str]:
    """Yield what of a folder should not be there, or is not whole."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.name.startswith("."):
            yield f"{name} is left"
        elif path.is_file() and not _is_whole(path, reference / name):
            yield f"{name} is not whole"
        elif path.is_socket():
            yield f"the socket {name} is left"


def _is_whole(path: Path, reference: Path) -> bool:
    """Tell whether a file is as one that nobody has disturbed; figures of speed are never alike."""
    content = path.read_bytes()
    match path.name:
        case name if name.endswith(store.END):
            return store.read(path) is not None
        case name if name.endswith(".json"):
            json.loads(content)
            return True
        case name if name.endswith((".html", ".md", ".toml")):
            return content[-20:].rstrip()[-1:] == reference.read_bytes()[-20:].rstrip()[-1:]
        case name if name.endswith(".csv"):
            return len(content.splitlines()) == len(reference.read_bytes().splitlines())
        case "image":
            return subprocess.run([*COMMAND, "fsck", path], capture_output=True).returncode == 0
    return content == reference.read_bytes()


def _orphans(session: int) -> Iterator[str]:
    """Yield the processes of a session that are left."""
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of = each.read_text().rpartition(") ")[2].split()[:4]
        except OSError:
            continue
        if int(of) == session and state != "Z":
            yield f"process {each.parent.name} is left"


def _listens(pid: int) -> bool:
    """Tell whether a command has begun to listen to signals."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
    # What loads Python listens to Ctrl-C before the command does: SIGTERM tells of both.
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


def _wait_until(process: subprocess.Popen[str], holds: Callable[[], object]) -> None:
    while process.poll() is None and not holds():
        time.sleep(0.005)


def _started(words: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *words.split()],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _run(words: str, folder: Path) -> None:
    subprocess.run([*COMMAND, *words.split()], cwd=folder, check=True, capture_output=True)


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


if __name__ == "__main__":
    main()
