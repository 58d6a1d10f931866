"""Runs that are stopped inside a class of the user's: on the command line, and in a session."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from test_own_code import COMMAND, DEVICE, SOURCE, write_wrong

LOOPS = "def write(self, pages, flash):\n    while True:\n        pass"
SLOW = """
def write(self, pages, flash):
    from time import sleep
    sleep(0.2)
    super().write(pages, flash)
"""
BUSY = """
def write(self, pages, flash):
    from random import random
    for _ in range(20_000):
        random()
    super().write(pages, flash)
"""
HOLDS_BACK = """
def write(self, pages, flash):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""
SLEEPS = "def write(self, pages, flash):\n    __import__('time').sleep(3600)"

WHOLE = "wrong.py:Wrong"
COMMANDS = {
    "run": ("run", *SOURCE, *DEVICE, "--ftl", WHOLE, "-o", "result.json"),
    "compare": ("compare", *SOURCE, *DEVICE, "--ftl", f"page,{WHOLE}", "-o", "result.json"),
    "check": ("check", WHOLE),
    "watch": ("watch", *SOURCE, *DEVICE, "--ftl", WHOLE, "--record", "watched.html"),
    "endurance": (
        "endurance",
        *SOURCE,
        *DEVICE,
        "--ftl",
        WHOLE,
        "--set",
        "device.endurance=100",
        "--scale",
        "1",
    ),
    "sweep": ("sweep", *SOURCE, *DEVICE, "--ftl", WHOLE, "--seeds", "3"),
    "load": ("load", *SOURCE, *DEVICE, "--ftl", WHOLE),
}


BEGINS_S, ENDS_S = 120, 30
"""It takes less than a second each where nothing else runs; here it has to happen at all."""


def begun(folder: Path) -> bool:
    """Tell whether the class is inside its first call."""
    return (folder / "begun").exists()


def write_endless(body: str, folder: Path) -> None:
    """Write a class that says where it is when its first write begins."""
    first = "def write(self, pages, flash):\n"
    body = textwrap.dedent(body).strip()
    assert body.startswith(first)
    mark = f"{first}    open({str(folder / 'begun')!r}, 'w').close()\n"
    write_wrong(body.replace(first, mark, 1), folder)


def wait_until_begun(process: subprocess.Popen, folder: Path) -> None:
    """Wait until a command is inside its class."""
    end = time.monotonic() + BEGINS_S
    while not begun(folder) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.2)
    assert process.poll() is None, process.communicate()


def interrupted(folder: Path, command: tuple[str, ...], number: int) -> tuple[int, str]:
    """Run a command and send it a signal inside a class; return its code and errors."""
    process = subprocess.Popen(
        [COMMAND, *command],
        cwd=folder,
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        wait_until_begun(process, folder)
        process.send_signal(number)
        _, errors = process.communicate(timeout=ENDS_S)
        return process.returncode, errors.strip()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "body"),
    [
        *((name, LOOPS) for name in COMMANDS),
        *(("run", each) for each in (SLOW, BUSY, HOLDS_BACK, SLEEPS)),
    ],
    ids=[*COMMANDS, "slow", "busy", "holds back", "sleeps"],
)
def test_ctrl_c_inside_a_class_ends_every_command(tmp_path, name, body):
    write_endless(body, tmp_path)
    code, errors = interrupted(tmp_path, COMMANDS[name], signal.SIGINT)
    assert code == 130, errors
    assert re.fullmatch(r"error: interrupted(: 0 of 3 points done and kept)?", errors), errors
    left = {each.name for each in tmp_path.rglob("*") if each.is_file()}
    assert left <= {"wrong.py", "begun"} | {each for each in left if each.endswith(".pyc")}, left


def session(folder: Path, script: str) -> subprocess.CompletedProcess:
    """Run a program in a folder with the class `wrong.Wrong`."""
    head = """
        import os, signal, sys, threading, time, ftlab
        from ftlab.plugins import load
        wrong = load("ftl", "wrong.py", "Wrong")
        device = ftlab.Device(capacity="8MiB", pages_per_block=16)
        workload = ftlab.Workload("randwrite", bs="4k", size="8MiB", requests=50_000)
        def simulate():
            return ftlab.simulate(workload, wrong, device)
        def cpu():
            used = os.times()
            return used.user + used.system
        threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    """
    text = textwrap.dedent(head) + textwrap.dedent(script)
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, cwd=folder, timeout=BEGINS_S
    )


@pytest.mark.long
@pytest.mark.parametrize("body", [LOOPS, SLOW, BUSY], ids=["loops", "slow", "busy"])
def test_in_a_session_ctrl_c_ends_what_the_class_does(tmp_path, body):
    write_wrong(body, tmp_path)
    done = session(
        tmp_path,
        """
        try:
            simulate()
        except KeyboardInterrupt:
            print("stopped")
        time.sleep(0.5)
        before = cpu()
        time.sleep(1)
        print(cpu() - before < 0.2)
        print(ftlab.simulate(workload, "page", device).ftl)
        """,
    )
    assert (done.returncode, done.stdout.split()) == (0, ["stopped", "True", "page"]), done.stderr
    assert done.stderr == ""


@pytest.mark.long
def test_a_class_that_holds_back_what_is_raised_in_it_does_not_break_the_end_of_a_session(tmp_path):
    write_wrong(HOLDS_BACK, tmp_path)
    done = session(
        tmp_path,
        """
        try:
            simulate()
        except KeyboardInterrupt:
            print("stopped")
        """,
    )
    assert (done.returncode, done.stdout) == (1, "stopped\n"), done.stderr


def test_a_run_on_another_thread_does_not_break_the_end_of_a_session(tmp_path):
    write_wrong(LOOPS, tmp_path)
    done = session(
        tmp_path,
        """
        threading.Thread(target=simulate, daemon=True).start()
        try:
            time.sleep(10)
        except KeyboardInterrupt:
            print("ends")
        """,
    )
    assert (done.returncode, done.stdout) == (0, "ends\n"), done.stderr


@pytest.mark.long
def test_a_run_inside_a_class_is_stopped_with_it(tmp_path):
    write_wrong(
        """
        def write(self, pages, flash):
            import ftlab
            endless = ftlab.Workload("randwrite", bs="4k", size="8MiB", requests=2**31)
            ftlab.simulate(endless, "page")
        """,
        tmp_path,
    )
    done = session(
        tmp_path,
        """
        try:
            simulate()
        except KeyboardInterrupt:
            print("stopped")
        time.sleep(0.5)
        before = cpu()
        time.sleep(1)
        print(cpu() - before < 0.2)
        """,
    )
    assert (done.returncode, done.stdout.split()) == (0, ["stopped", "True"]), done.stderr


@pytest.mark.long
@pytest.mark.parametrize("name", ["run", "watch"])
def test_a_terminal_is_as_it_was_when_a_class_is_stopped(tmp_path, name):
    write_endless(LOOPS, tmp_path)
    master, terminal = os.openpty()
    process = subprocess.Popen(
        [COMMAND, *COMMANDS[name]],
        cwd=tmp_path,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm-256color"},
        process_group=0,
    )
    os.close(terminal)
    seen = bytearray()
    reader = threading.Thread(target=read_all, args=(master, seen), daemon=True)
    reader.start()
    try:
        wait_until_begun(process, tmp_path)
        process.send_signal(signal.SIGINT)
        assert process.wait(ENDS_S) == 130
    finally:
        process.kill()
        process.wait()
    reader.join(10)
    for on, off in ((b"\x1b[?25l", b"\x1b[?25h"), (b"\x1b[?1049h", b"\x1b[?1049l")):
        assert seen.rfind(off) >= seen.rfind(on), seen[-500:]
    assert b"error: interrupted" in seen


def read_all(terminal: int, seen: bytearray) -> None:
    """Read a terminal until nobody has it any more."""
    with contextlib.suppress(OSError):
        while piece := os.read(terminal, 65536):
            seen += piece
