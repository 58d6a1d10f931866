"""Commands that are ended from outside: exit codes, files, the terminal, pipes."""

import os
import pty
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from marks import long_but
from test_process import COMMAND, ENDLESS, wait_until

sys.path.append(str(Path(__file__).parent.parent / "tools"))

import signals

SENT = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGQUIT: 131}


def started(*arguments: str, **how) -> subprocess.Popen:
    """Start a command; return its process once it listens to signals."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **how}
    process = subprocess.Popen([COMMAND, *arguments], **pipes)
    wait_until(process, lambda: signals._listens(process.pid))
    return process


@pytest.mark.parametrize("number", long_but([signal.SIGTERM], SENT), ids=lambda number: number.name)
def test_each_signal_ends_a_command_with_its_code_and_nothing_is_left(tmp_path, number):
    output = tmp_path / "o.parquet"
    generate = ("trace", "generate", "financial1", "--requests", "400000000", "-o", str(output))
    process = started(*generate)
    wait_until(process, lambda: list(tmp_path.iterdir()))
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    by = "" if number == signal.SIGINT else f" by {number.name}"
    assert (process.returncode, errors.strip()) == (SENT[number], f"error: interrupted{by}")
    assert os.listdir(tmp_path) == []


@pytest.mark.long
def test_a_second_signal_changes_nothing(tmp_path):
    process = started("run", *ENDLESS, "-o", str(tmp_path / "r.json"))
    time.sleep(1)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        process.send_signal(number)
        time.sleep(0.05)
    _, errors = process.communicate(timeout=30)
    # A process that gets several at once may see any of them first.
    told = {130: "", 143: " by SIGTERM", 129: " by SIGHUP"}[process.returncode]
    assert errors.strip() == f"error: interrupted{told}"


@pytest.mark.parametrize("endless", [False, True])
def test_a_signal_waits_for_an_import_but_not_for_ever(tmp_path, endless):
    last = "while True: time.sleep(0.01)" if endless else "WHOLE = True"
    (tmp_path / "slow.py").write_text(
        f"import signal, time\nsignal.raise_signal(signal.SIGHUP)\ntime.sleep(0.1)\n{last}\n"
    )
    script = f"""
        import sys, time
        from ftlab import ending
        ending.IMPORT_S = 0.3
        ending.listen()
        sys.path.append({str(tmp_path)!r})
        try:
            import slow
            time.sleep(5)
        except KeyboardInterrupt:
            print("slow" in sys.modules, ending.code())
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert (ended.stdout, ended.stderr) == (f"{not endless} 129\n", "")


def test_a_signal_that_comes_in_a_destructor_is_not_lost():
    script = """
        import os, signal, time
        from ftlab import ending
        class Last:
            def __del__(self):
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(1)
        ending.listen()
        try:
            Last()
            time.sleep(60)
        except KeyboardInterrupt:
            print(ending.told())
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.stderr) == ("interrupted by SIGTERM\n", "")


PLACES = {
    "code made of text": "exec('stop()', {'stop': stop})",
    "a name that is set": "type('A', (), {'a': Stops()})",
}


@pytest.mark.parametrize("where", PLACES)
def test_an_interrupt_that_python_tells_otherwise_has_its_code(where):
    script = """
        import os, signal, sys, ftlab.__main__ as command
        from ftlab import cli
        def stop(*_):
            os.kill(os.getpid(), signal.SIGTERM)
        class Stops:
            __set_name__ = stop
        sys.argv = ["ftlab", "list"]
        cli.main = lambda: PLACE
        command.main()
    """
    script = textwrap.dedent(script).replace("PLACE", PLACES[where])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (143, "error: interrupted by SIGTERM\n")


@pytest.mark.long
def test_an_error_that_a_module_makes_of_a_signal_has_its_code(tmp_path):
    script = """
        import os, signal, sys, time, ftlab.__main__ as command
        from ftlab import style
        def image(*_, **__):
            try:
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(60)
            except KeyboardInterrupt:
                raise ValueError("Invalid affine transformation matrix") from None
        style.image = image
        workload = "randwrite,bs=4k,size=1MiB,requests=100"
        sys.argv = ["ftlab", "trace", "info", "--workload", workload, "--plot", "p.svg"]
        command.main()
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (143, "error: interrupted by SIGTERM\n")
    assert not list(tmp_path.iterdir())


def test_what_is_ignored_stays_so():
    """As ``nohup`` asks for it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = started("run", *ENDLESS)
    finally:
        signal.signal(signal.SIGHUP, before)
    process.send_signal(signal.SIGHUP)
    time.sleep(1)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 143


@pytest.mark.long
@pytest.mark.parametrize("output", ["-o o.parquet", "-o o.spc", "volumes"])
def test_ctrl_c_in_a_pipeline_leaves_no_part_of_a_trace(tmp_path, output):
    """The producer of the input gets it, too, so that the input ends."""
    (tmp_path / "o.parquet").write_text("older")
    verb = "split - -o volumes" if output == "volumes" else f"convert - {output}"
    lines = 'for i in range(7000): print(f"0,{8 * i},4096,w,{i}", flush=i == 6999)'
    producer = f"{sys.executable} -c '{lines}\nimport time; time.sleep(60)'"
    script = f"{producer} | {COMMAND} trace {verb}"
    for _ in range(3):
        process = subprocess.Popen(
            ["bash", "-c", script],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        wait_until(process, lambda: [each for each in os.listdir(tmp_path) if each[0] == "."])
        time.sleep(0.2)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert "error: interrupted" in errors
        assert (tmp_path / "o.parquet").read_text() == "older"
        assert os.listdir(tmp_path) == ["o.parquet"]


def test_what_waits_for_a_pipe_leaves_nothing_either(tmp_path):
    """The work is left alone there: the end of the process removes what it has begun."""
    lines = 'for i in range(200_000): print(f"0,8,4096,w,{i}")\nimport time; time.sleep(60)'
    producer = subprocess.Popen([sys.executable, "-uc", lines], stdout=subprocess.PIPE)
    output = str(tmp_path / "o.parquet")
    process = started("trace", "convert", "-", "-o", output, stdin=producer.stdout)
    wait_until(process, lambda: list(tmp_path.iterdir()))
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 143
    assert os.listdir(tmp_path) == []
    producer.kill()
    producer.communicate()


SHOWN = {
    "watch": (["watch", *ENDLESS, "--every", "1000"], "\x1b[?1049h", "\x1b[?1049l"),
    "run": (["run", *ENDLESS], "\x1b[?25l", "\x1b[?25h"),
}


@pytest.mark.parametrize(
    "number", long_but([signal.SIGTERM], [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
)
@pytest.mark.parametrize("what", SHOWN)
def test_the_terminal_is_as_it_was(what, number):
    arguments, begins, ends = SHOWN[what]
    master, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"}
    process = subprocess.Popen(
        [COMMAND, *arguments], stdin=terminal, stdout=terminal, stderr=terminal, env=environment
    )
    os.close(terminal)
    shown = ""
    while begins not in shown:
        shown += os.read(master, 65536).decode(errors="replace")
    process.send_signal(number)
    try:
        while chunk := os.read(master, 65536):
            shown += chunk.decode(errors="replace")
    except OSError:
        pass  # The terminal is closed.
    os.close(master)
    assert process.wait(30) == SENT[number]
    assert shown.rfind(ends) > shown.rfind(begins)
    assert shown.rfind("\x1b[?25h") > shown.rfind("\x1b[?25l")
    assert "Traceback" not in shown


def test_a_terminal_that_is_closed_is_no_traceback():
    master, terminal = pty.openpty()
    process = subprocess.Popen([COMMAND, "run", *ENDLESS], stdin=terminal, stderr=terminal)
    wait_until(process, lambda: signals._listens(process.pid))
    os.close(terminal)
    time.sleep(1)
    os.close(master)
    process.send_signal(signal.SIGHUP)
    assert process.wait(30) == 129


@pytest.mark.parametrize(
    "arguments",
    long_but(["list ftls"], ["--version", "list ftls", "trace convert t.spc --to spc -o -"]),
)
@pytest.mark.parametrize("reader", ["| head -1", "| (exec <&-)", "| true", ">&-"])
def test_who_has_seen_enough_is_told_nothing(tmp_path, arguments, reader):
    lines = (f"0,{8 * n},4096,w,{n}\n" for n in range(100_000))
    (tmp_path / "t.spc").write_text("".join(lines))
    command = f"set -o pipefail; {COMMAND} {arguments} {reader}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60, cwd=tmp_path)
    if (arguments.startswith("trace"), reader) == (True, ">&-"):
        assert b"Traceback" not in done.stderr
    else:
        assert (done.returncode, done.stderr) == (0, b"")


CONVERT = "trace convert t.spc --to spc -o -"


@pytest.mark.parametrize("arguments", ["--version", "list ftls", "list --json"])
def test_a_full_disk_behind_standard_output_is_told_in_a_line(arguments):
    command = f"{COMMAND} {arguments} >/dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60, text=True)
    told = "error: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, told)


@pytest.mark.long
def test_ctrl_c_while_an_empty_input_ends_is_no_mistake(tmp_path):
    for _ in range(3):
        process = started("run", "-", "--capacity", "4MiB", stdin=subprocess.PIPE)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        process.stdin = None
        _, errors = process.communicate(timeout=30)
        assert (process.returncode, errors.strip()) == (130, "error: interrupted")


@pytest.mark.long
@pytest.mark.parametrize("command", ["convert", "split", "serve"])
def test_commands_that_are_ended_at_random_leave_nothing(tmp_path_factory, command):
    """`make signals` does so more often, and with every command."""
    inputs = tmp_path_factory.mktemp("inputs")
    signals.write_trace(inputs / "t.spc", 100_000)
    ended = signals.end(command, 3, 1, inputs)
    assert ended.wrong == []
    assert ended.times == 3


@pytest.mark.long
@pytest.mark.parametrize("command", signals.COMMANDS)
def test_every_command_that_is_ended_at_random_leaves_nothing(prepared, command):
    assert signals.end(command, 3, 2, prepared).wrong == []


@pytest.fixture(scope="module")
def prepared(tmp_path_factory) -> Path:
    """A folder with what commands read."""
    return signals.prepared(tmp_path_factory.mktemp("prepared"))


def test_the_tool_knows_every_verb():
    from ftlab.cli import VERBS

    verbs = {words.split()[0] for words in signals.COMMANDS.values()}
    assert verbs == set(VERBS.data)


def test_what_is_left_is_told(tmp_path):
    for name in ("whole", "half"):
        (tmp_path / name).mkdir()
    (tmp_path / "whole" / "o.spc").write_text("all of it")
    (tmp_path / "half" / "o.spc").write_text("all")
    (tmp_path / "half" / ".o.spc.0123456789abcdef.ftlab.partial").touch()
    left = list(signals._left(tmp_path / "half", tmp_path / "whole"))
    assert [re.sub(r"\.[0-9a-f]{16}\.", ".", each) for each in left] == [
        ".o.spc.ftlab.partial is left",
        "o.spc is not whole",
    ]
