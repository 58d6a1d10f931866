"""The installed command as a process: exit codes, pipes, signals, start-up."""

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ftlab.report.summary import PERCENTILES
from marks import long_but

COMMAND = str(Path(sys.executable).parent / "ftlab")
DEVICE = ("--capacity", "4MiB", "--pages-per-block", "16")
GENERATED = ("--workload", "randwrite,bs=4k,size=4MiB,requests=3000", *DEVICE)
ENDLESS = ("--workload", "randwrite,bs=4k,size=64MiB,requests=4000000000", "--capacity", "64MiB")


def ftlab(*arguments: str, **extra) -> subprocess.CompletedProcess:
    return subprocess.run([COMMAND, *arguments], capture_output=True, timeout=60, **extra)


def test_the_command_is_installed():
    done = ftlab("--version")
    assert done.returncode == 0
    assert done.stdout.startswith(b"ftlab ")


def test_a_mistake_ends_with_2_and_one_line():
    done = ftlab("run", "no-such-trace")
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"error: ")
    assert done.stderr.count(b"\n") == 1


def test_no_arguments_show_the_help():
    done = ftlab()
    assert done.returncode == 2
    assert b"Usage: ftlab" in done.stderr


def test_a_pipe_gets_plain_text_and_no_progress():
    done = ftlab("run", *GENERATED)
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout + done.stderr
    assert b"%|" not in done.stderr


def test_a_closed_pipe_is_no_news():
    process = subprocess.Popen(
        [COMMAND, "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    process.wait(60)
    assert errors == ""


def test_standard_input_is_a_trace(trace):
    done = ftlab("trace", "info", "-", "--json", input=trace.read_bytes())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["requests"] == 40


def test_a_warm_up_reads_a_pipe_only_if_it_must(trace):
    run = ("run", "-", *DEVICE, "--address", "modulo", "--ftl", "page", "--warmup")
    refused = ftlab(*run, "steady", input=trace.read_bytes())
    assert refused.returncode == 2
    assert b"--warmup: found steady:5%" in refused.stderr
    assert b"write it to a file" in refused.stderr
    done = ftlab(*run, "steady-random", "--json", input=trace.read_bytes())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["warmup"]["steady"] is True


def test_ctrl_c_stops_at_once_with_130_and_writes_nothing(tmp_path):
    output = tmp_path / "result.json"
    process = subprocess.Popen(
        [COMMAND, "run", *ENDLESS, "-o", str(output)], stderr=subprocess.PIPE, text=True
    )
    time.sleep(2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert time.monotonic() - start < 2
    assert os.listdir(tmp_path) == []


@pytest.mark.long
def test_only_a_figure_writes_beside_outputs_and_where_matplotlib_is_told(tmp_path):
    home, fonts = tmp_path / "home", tmp_path / "fonts"
    home.mkdir()
    kept = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
    environment = {**kept, "HOME": str(home), "MPLCONFIGDIR": str(fonts)}
    assert ftlab("run", *GENERATED, env=environment).returncode == 0
    assert not fonts.exists()
    figure = tmp_path / "figure.svg"
    assert ftlab("run", *GENERATED, "--plot", str(figure), env=environment).returncode == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["figure.svg", "fonts", "home"]
    assert list(home.iterdir()) == []


def test_importing_the_package_loads_nothing_heavy():
    heavy = "{'matplotlib', 'pandas', 'rich', 'numpy', 'click'}"
    code = f"import sys, ftlab; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def on_a_terminal(columns: int, *arguments: str) -> str:
    """Return what a command shows on a terminal that is so wide."""
    if shutil.which("script") is None:
        script = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
        command = [sys.executable, "-c", script, COMMAND, *arguments]
    else:
        command = ["script", "-qec", " ".join([COMMAND, *arguments]), "/dev/null"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns)}
    done = subprocess.run(command, capture_output=True, env=environment, timeout=60, text=True)
    assert done.returncode == 0
    return done.stdout


def test_the_summary_on_a_terminal_is_the_same_in_colour():
    shown = on_a_terminal(120, "compare", *GENERATED)
    assert "write amplification" in shown
    assert "\x1b[" in shown


def plain_on_a_terminal(columns: int, *arguments: str) -> list[str]:
    """Return the lines that a command shows there, without colours, none of them too long."""
    shown = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", on_a_terminal(columns, *arguments))
    lines = shown.splitlines()
    assert max(map(len, lines)) <= columns
    return lines


@pytest.mark.long
@pytest.mark.parametrize("columns", [50, 80])
def test_a_terminal_cuts_nothing_of_a_summary(columns):
    told = ftlab("run", *GENERATED).stdout.decode().splitlines()
    shown = plain_on_a_terminal(columns, "run", *GENERATED)
    words, seen = (
        [word for line in lines if "/s" not in line for word in line.split()]
        for lines in (told, shown)
    )
    assert set(words) <= set(seen)


@pytest.mark.parametrize(("columns", "heads"), [(80, [6]), (50, [3, 3])])
def test_percentiles_of_a_run_stand_below_their_heads(columns, heads):
    lines = plain_on_a_terminal(columns, "run", *GENERATED)
    start = lines.index(next(line for line in lines if line.startswith("response time"))) + 1
    table = [line.split() for line in lines[start : start + 4 * len(heads)]]
    named = [row for row in table if row[0] in PERCENTILES]
    # A run of few requests has no 99.99th percentile.
    expected = [name for name in PERCENTILES if name != "p9999"]
    assert [cell for row in named for cell in row] == expected
    assert [len(row) for row in named] == heads
    times = [[cell for cell in row if cell[0].isdigit()] for row in table if row not in named]
    assert [len(row) for row in times] == [head for head in heads for _ in range(3)]


WAITING = {
    "a terminal": ["trace", "info", "-"],
    "a silent pipe": ["trace", "info", "-"],
    "a FIFO without a writer": ["trace", "info", "fifo"],
    "a volume that never comes": ["trace", "info", "-", "--volume", "5"],
    "requests left out": ["trace", "info", "-", "--skip", "1000000000"],
    "a log of nothing but open files": ["trace", "info", "-"],
    "a conversion of nothing": ["trace", "convert", "-", "--volume", "5", "-o", "x.spc"],
    "a batch of long requests": [
        "run",
        *("--workload", "randwrite,bs=256MiB,size=1GiB,requests=4000"),
        *("--capacity", "1GiB", "--ftl", "dftl"),
    ],
}

WRITES = "yes 0,8,4096,w,0.0"
OPENS = "echo 'fio version 3 iolog'; echo '0 f add'; yes '0 f open'"

ENDS_S = 30
"""Ctrl-C takes less than a second where nothing else runs; here it has to end at all."""


def interrupted(process: subprocess.Popen) -> tuple[int, str]:
    """Send Ctrl-C; return the exit code and what is on standard error, or raise TimeoutExpired."""
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=ENDS_S)
    return process.returncode, errors.strip()


@pytest.mark.long
@pytest.mark.parametrize("what", WAITING)
def test_ctrl_c_ends_every_wait(tmp_path, what):
    os.mkfifo(tmp_path / "fifo")
    master, terminal = os.openpty()
    silent, _held = os.pipe()
    script = OPENS if "open files" in what else WRITES
    endless = subprocess.Popen(["bash", "-c", script], stdout=subprocess.PIPE, process_group=0)
    inputs = {"a terminal": terminal, "a silent pipe": silent}
    process = subprocess.Popen(
        [COMMAND, *WAITING[what]],
        stdin=inputs.get(what, endless.stdout),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        text=True,
    )
    try:
        time.sleep(2)
        code, told = interrupted(process)
        assert (code, told.splitlines()[-1]) == (130, "error: interrupted")
    finally:
        process.kill()
        os.killpg(endless.pid, signal.SIGKILL)
        endless.communicate()
    os.close(master)


def endless_trace(path: Path, line: bytes, head: bytes = b"") -> None:
    """Write a trace that takes long to read and says little: one piece, compressed, many times."""
    piece = gzip.compress(line * (2**22 // len(line)))
    path.write_bytes(gzip.compress(head) + 2000 * piece)


def wait_until(process: subprocess.Popen, holds: Callable[[], object]) -> None:
    """Wait until something holds, while a process runs; a minute at most."""
    for _ in range(1200):
        assert process.poll() is None, process.communicate()
        if holds():
            return
        time.sleep(0.05)
    pytest.fail("it never held")


def wait_until_read(process: subprocess.Popen, path: Path) -> None:
    """Wait until a process has had a file open for longer than its digest takes."""
    seen = 0

    def is_read() -> bool:
        nonlocal seen
        files = Path(f"/proc/{process.pid}/fd").iterdir()
        seen = seen + 1 if any(os.path.realpath(each) == str(path) for each in files) else 0
        return seen == 10

    wait_until(process, is_read)


SEARCH = ("--set", "ftl.cache=1KiB,2KiB", "--minimize", "response_us.mean")

READING = {
    "sweep, a volume that never comes": ["sweep", "writes.spc.gz", "--volume", "5"],
    "sweep, requests left out": ["sweep", "writes.spc.gz", "--skip", "1000000000000"],
    "sweep, a log of nothing but open files": ["sweep", "Financial1.spc.gz"],
    "fleet, a volume that never comes": ["fleet", "writes.spc.gz", "--volume", "5"],
    "tune, requests left out": ["tune", "writes.spc.gz", "--skip", "1000000000000", *SEARCH],
    "tune, volumes that never come": ["tune", "Financial1.spc.gz", "--volumes", *SEARCH],
    "reproduce, a log of nothing but open files": [
        "reproduce",
        "dloop",
        "--traces",
        ".",
        "--quick",
    ],
}


@pytest.mark.long
@pytest.mark.parametrize("what", READING)
def test_ctrl_c_ends_points_whose_input_is_read(tmp_path, what):
    """Also where nothing of it is a request, so that there is no progress to tell."""
    writes, opens = tmp_path / "writes.spc.gz", tmp_path / "Financial1.spc.gz"
    endless_trace(writes, b"0,8,4096,w,0.0\n")
    endless_trace(opens, b"0 f open\n", head=b"fio version 3 iolog\n0 f add\n")
    process = subprocess.Popen(
        [COMMAND, *READING[what]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        text=True,
    )
    try:
        wait_until_read(process, writes if writes.name in READING[what] else opens)
        code, told = interrupted(process)
        assert (code, told.splitlines()[-1]) == (130, "error: interrupted")
    finally:
        process.kill()
        process.communicate()
    left = [path for path in tmp_path.rglob("*") if path.name.endswith(".partial")]
    assert left == []


def test_ctrl_c_says_how_many_points_are_kept(tmp_path):
    requests = ("--set", "workload.requests=10,4000000000")
    process = subprocess.Popen(
        [COMMAND, "sweep", *("--workload", "randwrite,size=16MiB", "--ftl", "page"), *requests],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        text=True,
    )
    try:
        wait_until(process, lambda: list((tmp_path / "ftlab-results").glob("*.gz")))
        time.sleep(0.5)
        told = "error: interrupted: 1 of 2 points done and kept"
        assert interrupted(process) == (130, told)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.long
def test_what_waits_is_interrupted_in_python_too():
    script = """
        import os, signal, threading, ftlab
        silent, held = os.pipe()
        threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            ftlab.read_trace(f"/dev/fd/{silent}").info()
        except KeyboardInterrupt:
            print("stopped")
        print(ftlab.simulate(ftlab.read_trace("financial1", requests=100), "page").ftl)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, timeout=30, text=True
    )
    assert done.stdout.split() == ["stopped", "page"], done.stderr


def test_ctrl_c_while_the_command_is_loaded_is_no_traceback():
    script = """
        import sys, ftlab.__main__ as command
        class Interrupt:
            def find_spec(self, name, *_):
                if name == "click":
                    raise KeyboardInterrupt
        sys.meta_path.insert(0, Interrupt())
        command.main()
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True)
    assert (done.returncode, done.stderr) == (130, b"error: interrupted\n")


def test_ctrl_c_while_a_text_is_run_has_the_exit_code_of_any_other(tmp_path):
    """As in the middle of making a dataclass; `python -m` looks at how the last text has ended."""
    script = """
        import sys, ftlab.__main__ as command
        class Interrupt:
            def find_spec(self, name, *_):
                if name == "click":
                    exec("raise KeyboardInterrupt")
        sys.meta_path.insert(0, Interrupt())
        command.main()
    """
    (tmp_path / "command.py").write_text(textwrap.dedent(script))
    done = subprocess.run([sys.executable, "-m", "command"], capture_output=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, b"error: interrupted\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("ftlab ru", "plain,run"),
        ("ftlab run --preset onfi-t", "plain,onfi-tlc"),
        ("ftlab compare --ftl dftl,tp", "plain,dftl,tpftl"),
        ("ftlab run financial", "plain,financial1"),
        ("ftlab run --buffer cl", "plain,clash"),
        ("ftlab check dl", "plain,dloop"),
    ],
)
def test_a_shell_completes_names(words, told):
    places = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    done = ftlab(env={**os.environ, **places, "_FTLAB_COMPLETE": "bash_complete"})
    assert told in done.stdout.decode().splitlines()


@pytest.mark.parametrize(
    "arguments", long_but(["--help"], ["list ftls", "--help", "list --json", "run --help"])
)
def test_a_reader_that_has_seen_enough_is_no_mistake(arguments):
    command = f"set -o pipefail; {COMMAND} {arguments} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_is_not_needed_is_not_imported():
    """Start-up is fast: neither the package nor the version needs what takes long to import."""
    heavy = {"click", "rich", "numpy", "pandas", "matplotlib", "importlib.metadata"}
    code = (
        f"import sys; sys.argv = ['ftlab', '--version']; heavy = {heavy}\n"
        "from ftlab.__main__ import main\n"
        "try: main()\nfinally: print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.splitlines()[1:] == ["[]"]
