"""Classes of the user's that are wrong: what is said of them, and that nothing else breaks."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import ftlab
from ftlab.blame import where
from ftlab.plugins import load
from marks import long_but
from test_docs import PAGE_MAPPED, ROOT

COMMAND = str(Path(sys.executable).parent / "ftlab")
RIGHT = PAGE_MAPPED
SOURCE = ("--workload", "randrw,bs=4k,size=8MiB,requests=3000")
DEVICE = ("--capacity", "8MiB", "--pages-per-block", "16")
RUN = ("run", *SOURCE, *DEVICE, "--ftl", "wrong.py:Wrong")
SMALL = ftlab.Device(capacity="8MiB", pages_per_block=16)
WORKLOAD = ftlab.Workload("randrw", bs="4k", size="8MiB", requests=500)


def write_wrong(body: str, folder: Path | str = ".") -> Path:
    """Write a file with the tutorial's FTL and a subclass of it, which has this body."""
    path = Path(folder) / "wrong.py"
    text = textwrap.indent(textwrap.dedent(body), "    ")
    path.write_text(f"{RIGHT}\n\nclass Wrong(PageMapped):\n{text}\n")
    return path


HOOKS = {
    "write": "def write(self, pages, flash):\n    {}",
    "read": "def read(self, pages, flash):\n    {}",
    "__init__": "def __init__(self, device):\n    super().__init__(device)\n    {}",
    "format": "def format(self, flash):\n    {}",
    "mapping": "def mapping(self, lpn):\n    {}",
    "metrics": "def metrics(self):\n    {}",
    "ram": "def ram(self):\n    {}",
    "background": "def background(self, flash):\n    {}",
}


@pytest.mark.long
@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("leaving", ["raise SystemExit(0)", "raise KeyboardInterrupt"])
def test_a_class_that_would_end_the_program_is_told_with_its_line(ftlab, hook, leaving):
    write_wrong(HOOKS[hook].format(leaving))
    answer = ftlab(*RUN, "-o", "result.json")
    assert answer.exit_code == 1, answer.output
    assert "a class must not end the program that calls it" in answer.stderr
    assert re.search(rf"wrong.py, line \d+, in {hook}: {re.escape(leaving)}", answer.stderr)
    assert not Path("result.json").exists()
    broken = ftlab("check", "wrong.py:Wrong", "--cases", "3")
    assert broken.exit_code == 1
    assert f"in {hook}: {leaving}" in broken.output


def test_a_file_that_would_end_the_program_is_a_mistake(ftlab):
    Path("wrong.py").write_text("import sys\nsys.exit(0)\n")
    answer = ftlab("run", "financial1", "--ftl", "wrong.py")
    told = "error: wrong.py: cannot be loaded: SystemExit: 0 (wrong.py, line 2, in <module>: "
    assert (answer.exit_code, answer.stderr) == (2, f"{told}sys.exit(0))\n")


def test_in_python_a_class_that_would_end_the_program_breaks_a_rule(tmp_path):
    wrong = load(
        "ftl", str(write_wrong(HOOKS["write"].format("raise SystemExit(7)"), tmp_path)), "Wrong"
    )
    with pytest.raises(ftlab.RuleError, match=r"must not end .*: found SystemExit: 7") as raised:
        ftlab.simulate(WORKLOAD, wrong, SMALL)
    assert "raise SystemExit(7)" in where(raised.value)
    assert isinstance(raised.value.__cause__, SystemExit)


@pytest.mark.parametrize(
    "body",
    [
        "def background(self, flash):\n    return True",
        """
        def background(self, flash):
            self.make_room(flash)
            new = self.next_page(flash)
            old = next(ppn for ppn in self.map if ppn is not None)
            self.map[flash.relocate(old, new)] = new
            return True
        """,
    ],
    ids=["without commands", "with commands"],
)
def test_idle_work_without_an_end_is_refused(ftlab, body):
    write_wrong(body)
    idle = ["--workload", "randwrite,bs=4k,size=1MiB,requests=300,interarrival=100s"]
    answer = ftlab("run", *idle, *DEVICE, "--ftl", "wrong.py:Wrong")
    assert answer.exit_code == 1, answer.output
    assert re.search(r"error: idle work must end: found more than \d+ steps", answer.stderr)
    assert re.search(r"in Wrong at request \d+ with seed", answer.stderr)
    assert re.search(r"wrong.py, line \d+, in background", answer.stderr)


UNFIT = {
    "mapping": (
        "def mapping(self, lpn):\n    return 1.5",
        "Wrong.mapping() returned 1.5, expected the number of a page, or None",
    ),
    "mapping, negative": ("def mapping(self, lpn):\n    return -1", "mapping() returned -1, exp"),
    "metrics": ("def metrics(self):\n    return {'a': 0.5}", "metrics() returned {'a': 0.5}, exp"),
    "metrics, no dictionary": (
        "def metrics(self):\n    return 5",
        "metrics() returned 5, expected",
    ),
    "ram, a method": ("def ram(self):\n    return -1", "Wrong.ram() returned -1, expected bytes"),
    "arguments": ("def read(self, pages):\n    pass", "cannot be called: PageMapped.read() takes"),
}
ATTRIBUTES = {
    "ram": ("ram = 'much'", "Wrong.ram: found 'much', expected bytes, from 0 to 2^64 - 1"),
    "ram, negative": ("ram = -1", "Wrong.ram: found -1, expected bytes"),
}


@pytest.mark.long
@pytest.mark.parametrize("what", [*UNFIT, *ATTRIBUTES])
def test_what_cannot_be_taken_is_told_with_its_method_or_attribute(ftlab, what):
    body, told = (UNFIT | ATTRIBUTES)[what]
    told = told.replace("PageMapped.read", "Wrong.read")
    write_wrong(body)
    answer = ftlab(*RUN)
    assert answer.exit_code == 1
    assert told in answer.stderr.splitlines()[0], answer.stderr
    method = re.search(r"def (\w+)", body)
    if method:
        assert re.search(rf"wrong.py, line \d+, in {method[1]}", answer.stderr), answer.stderr
    broken = ftlab("check", "wrong.py:Wrong", "--cases", "3")
    assert (broken.exit_code, told in broken.output) == (1, True), broken.output


@pytest.mark.parametrize("found", ["-1", "2**40", "1.5", "True", "'many'"])
def test_spare_blocks_that_are_none_are_refused(ftlab, found):
    write_wrong(f"spare_blocks = {found}")
    for command in (RUN, ("check", "wrong.py:Wrong", "--cases", "2")):
        answer = ftlab(*command)
        told = f"error: Wrong.spare_blocks: found {eval(found)!r}, expected 0 to 4294967295 blocks"
        assert (answer.exit_code, answer.stderr) == (2, f"{told}, or None\n")


def test_spare_blocks_do_not_wrap(ftlab):
    write_wrong("spare_blocks = 2**32 - 1")
    answer = ftlab(*RUN)
    assert answer.exit_code == 2
    assert re.search(r"device.blocks: found \d+, Wrong needs 4294967295\n", answer.stderr)


@pytest.mark.parametrize("argument", ["-1", "1.5", "2**100", "None"])
def test_an_argument_that_is_no_number_is_told_with_the_line(ftlab, argument):
    write_wrong(f"def write(self, pages, flash):\n    flash.program({argument}, pages[0])")
    answer = ftlab(*RUN)
    assert answer.exit_code == 1
    first, *rest = answer.stderr.splitlines()
    found = f"error: TypeError: found {eval(argument)!r}, expected a number from 0 to 4294967295"
    assert (first, rest[0]) == (found, "while processing 'ppn'")
    assert re.fullmatch(r"in Wrong at request 1 with seed \d+", rest[1])
    assert re.fullmatch(r"wrong.py, line \d+, in write: flash.program\(.*\)", rest[2])
    assert len(rest) == 3


def test_an_exception_is_told_with_the_users_part_of_its_traceback(ftlab):
    write_wrong(
        """
        def write(self, pages, flash):
            self.first()

        def first(self):
            open("nothing-here")
        """
    )
    answer = ftlab(*RUN)
    assert answer.exit_code == 1
    told = answer.stderr.splitlines()
    assert (
        told[0] == "error: FileNotFoundError: [Errno 2] No such file or directory: 'nothing-here'"
    )
    assert told[1].startswith("in Wrong at request 1")
    assert [re.sub(r"line \d+", "line N", each) for each in told[2:]] == [
        "wrong.py, line N, in write: self.first()",
        'wrong.py, line N, in first: open("nothing-here")',
    ]


def test_the_tutorial_says_what_the_command_does(ftlab):
    tutorial = (ROOT / "docs" / "tutorial-python.md").read_text("utf-8")
    right = "if flash.is_full(self.open):\n            self.closed"
    assert right in RIGHT
    wrong = RIGHT.replace(right, right.replace("open)", "opened)"))
    Path("my_ftl.py").write_text(wrong.replace("PageMapped", "MyFtl"))
    writes = ("--workload", "randwrite,bs=4k,size=8MiB,requests=10", "--seed", "42")
    answer = ftlab("run", *writes, "--ftl", "my_ftl.py")
    assert f"```text\n{answer.stderr}```" in tutorial


@pytest.mark.parametrize("hook", long_but(["format"], ["__init__", "format", "ram"]))
def test_a_check_tells_what_a_class_raised_when_it_was_built(ftlab, hook):
    write_wrong(HOOKS[hook].format("raise ValueError('boom')"))
    answer = ftlab("check", "wrong.py:Wrong", "--cases", "2")
    assert answer.exit_code == 1
    assert "Wrong: no settings that it accepts, the last: ValueError: boom" in answer.output
    assert re.search(rf"wrong.py, line \d+, in {hook}: raise ValueError\('boom'\)", answer.output)


def test_a_rule_whose_exception_was_caught_is_told_with_its_line(ftlab):
    write_wrong(
        """
        def write(self, pages, flash):
            try:
                flash.erase(10**6)
            except Exception:
                pass
        """
    )
    answer = ftlab(*RUN)
    assert answer.exit_code == 1
    assert "must be on the device: found block 1000000" in answer.stderr
    assert re.search(r"wrong.py, line \d+, in write: flash.erase\(10\*\*6\)", answer.stderr)
    assert "cores.py" not in answer.stderr


LATE = {
    "a coroutine (async def)": "async def {}(self, {}):\n    pass",
    "a generator (it has yield)": "def {}(self, {}):\n    yield",
}


@pytest.mark.parametrize("kind", LATE)
@pytest.mark.parametrize(
    ("method", "arguments"),
    [("write", "pages, flash"), ("background", "flash"), ("mapping", "lpn"), ("format", "flash")],
)
def test_a_method_that_does_its_work_later_is_named_as_what_it_is(ftlab, kind, method, arguments):
    write_wrong(LATE[kind].format(method, arguments))
    answer = ftlab(*RUN)
    assert answer.exit_code == 1
    told = f"error: Wrong.{method}: found {kind}, expected a method that does its work when it is"
    assert answer.stderr.startswith(told), answer.stderr
    assert re.search(rf"wrong.py, line \d+, in {method}", answer.stderr)


def test_pages_are_not_gone_through_inside_themselves(tmp_path):
    write_wrong(
        """
        def write(self, pages, flash):
            for _ in range(300_000):
                pages = flash.begin_each(pages)
            list(pages)
        """,
        tmp_path,
    )
    done = subprocess.run([COMMAND, *RUN], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 1
    assert "the access of a page begins once: found begin_each inside begin_each" in done.stderr


def test_pages_are_not_gone_through_inside_themselves_by_a_detour(ftlab):
    write_wrong(
        """
        def write(self, pages, flash):
            super().write(map(int, flash.begin_each(pages)), flash)
        """
    )
    answer = ftlab(*RUN)
    assert answer.exit_code == 1
    assert "found begin_each inside begin_each" in answer.stderr


def test_a_page_is_not_stored_on_another_device(tmp_path):
    wrong = write_wrong(
        """
        kept = []

        def write(self, pages, flash):
            if self.kept:
                flash.store(self.next_page(flash), self.kept.pop(), "gc_data")
            super().write(pages, flash)
            if pages[0] in self.map or self.map[pages[0]] is not None:
                self.kept.append(flash.load(self.map[pages[0]], "gc_data"))
                raise ValueError("enough")
        """,
        tmp_path,
    )
    wrong = load("ftl", str(wrong), "Wrong")
    with pytest.raises(ValueError, match="enough"):
        ftlab.simulate(WORKLOAD, wrong, SMALL)
    with pytest.raises(ftlab.RuleError, match="stored on the device that it was loaded from"):
        ftlab.simulate(WORKLOAD, wrong, SMALL)


def test_a_name_that_is_no_text_is_refused(ftlab):
    write_wrong("name = 'a\\ud800'")
    answer = ftlab(*RUN)
    assert (answer.exit_code, answer.stderr.count("\n")) == (2, 1)
    assert "found a name that is not UTF-8" in answer.stderr


def test_a_text_about_a_class_may_have_anything(tmp_path):
    wrong = load("ftl", str(write_wrong("pass", tmp_path)), "Wrong")
    wrong.__doc__ = "a\ud800"
    assert ftlab.simulate(WORKLOAD, wrong, SMALL).ftl == "Wrong"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (HOOKS["write"].format("raise OSError('boom')"), "OSError: boom (in Wrong at request 1"),
        (HOOKS["write"].format("raise SystemExit(0)"), "a class must not end the program"),
    ],
    ids=["an exception", "the end of the program"],
)
def test_what_a_class_raises_in_a_sweep_is_a_rule_that_it_broke(ftlab, body, told):
    write_wrong(body)
    writes = ("--workload", "randwrite,bs=4k,size=8MiB,requests=10", *DEVICE)
    answer = ftlab("sweep", *writes, "--ftl", "wrong.py:Wrong,page")
    assert answer.exit_code == 1, answer.output
    assert "1 of 2 points failed; --retry runs them again" in answer.stderr
    shown = " ".join(answer.output.split())
    assert told in shown
    assert re.search(r"wrong.py, line \d+, in write: raise", shown)
