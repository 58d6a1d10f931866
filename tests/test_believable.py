"""Figures that cannot mislead, and names that cannot do harm."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
import textwrap
from contextlib import suppress
from pathlib import Path

import pytest

import sample
from ftlab import (
    Comparison,
    ConfigError,
    FtlabError,
    Result,
    Workload,
    cli,
    compare,
    plot,
    simulate,
)
from ftlab.points import Point, run_points
from ftlab.report.html import report
from ftlab.report.summary import comparison_table, relative_table, run_summary, text_of
from ftlab.report.tables import Table, csv_cell
from marks import long_but
from test_cli import failure
from test_docs import PAGE_MAPPED

COMMAND = str(Path(sys.executable).parent / "ftlab")
SMALL = ("--capacity", "4MiB", "--pages-per-block", "16")
BUSY = "--workload=randwrite,bs=4k,size=4MiB,requests=20000,interarrival=100us"


@pytest.fixture
def strained() -> Comparison:
    """A page-level FTL that keeps up, and DFTL that does not."""
    results = [sample.result("page", 900.0, None, 0), sample.result("dftl", 5e6, 0.8, 128)]
    for result, last, overloaded in zip(results, (3600.0, 1800.0), (False, True), strict=True):
        result["host"].update(last_arrival_s=last, overloaded=overloaded)
    return Comparison([Result(each) for each in results])


def test_overload_stands_beside_each_response_time(strained):
    table = comparison_table(strained)
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["mean response"] == ["900.0 µs", "5.000 s (overload)"]
    assert "(overload)" not in rows["write amplification"][1]
    for text in (table.text(), table.markdown(), table.latex(), report(strained)):
        assert "5.000 s (overload)" in text
    rows = {row[0]: row[1:] for row in relative_table(strained).rows}
    assert "mean response" not in rows, "one sound value is no comparison"
    shown = text_of(run_summary(strained[1]))
    assert "the last request arrived at 30.0 min, the device was done at 60.0 min" in shown


def test_an_overloaded_value_is_never_the_best(strained):
    faster = [strained[1].to_dict(), strained[0].to_dict()]
    faster[0]["response_us"]["mean"] = 1.0
    table = comparison_table(Comparison([Result(each) for each in faster]))
    (row,) = [index for index, row in enumerate(table.rows) if row[0] == "mean response"]
    assert not {column for at, column in table.best if at == row}


@pytest.mark.long
def test_overload_of_a_run_is_in_every_form(ftlab):
    forms = {}
    for end in ("json", "csv", "md", "tex", "txt", "html"):
        option = "--report" if end == "html" else "-o"
        found = ftlab("compare", BUSY, *SMALL, "--ftl", "page,dftl", option, f"x.{end}")
        assert found.exit_code == 0, found.output
        assert "warning: DFTL: overload" in found.output
        forms[end] = Path(f"x.{end}").read_text("utf-8")
    assert [each["host"]["overloaded"] for each in json.loads(forms["json"])] == [True, True]
    rows = list(csv.DictReader(io.StringIO(forms["csv"])))
    assert [row["host.overloaded"] for row in rows] == ["True", "True"]
    assert all("(overload)" in forms[end] for end in ("md", "tex", "txt", "html"))


def test_load_has_the_same_judge(ftlab):
    arguments = ("load", BUSY, *SMALL, "--ftl", "page", "--depths", "1", "--loads", "10%,300%")
    found = ftlab(*arguments, "--json")
    assert found.exit_code == 0, found.output
    (load,) = json.loads(found.stdout)
    assert [row["overloaded"] for row in load["closed"] + load["open"]] == [None, False, True]
    lines = ftlab(*arguments).stdout.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("load "))
    last_column = [line.split()[-1] for line in lines[start : start + 4]]
    assert last_column == ["overload", "–", "no", "yes"]  # noqa: RUF001


def test_every_ratio_names_its_baseline(comparison):
    table = relative_table(comparison)
    assert table.header[0] == "relative to page-level"
    labels = [row[0] for row in table.rows]
    assert "mean response" in labels
    assert "mapping hit ratio, to DFTL" in labels
    assert "<h2>Relative to page-level</h2>" in report(comparison)


def test_zero_is_drawn_as_zero():
    result = sample.result("page", 900.0, None, 0)
    result["flash"]["erases"] = {"data": 0, "translation": 0}
    figure = plot.operations([Result(result)], ["page"])
    erases = figure.axes[2]
    assert [text.get_text() for text in erases.texts] == ["0"]
    assert list(erases.get_yticks()) == [0]


def test_percentages_above_100_need_their_sign(ftlab):
    for text in ("7", "28"):
        found = ftlab("run", BUSY, *SMALL, "--ftl", "page", "--over-provisioning", text)
        assert found.exit_code == 2
        assert f"--over-provisioning: found {text}, expected {text}%" in found.output
    found = ftlab("run", BUSY, *SMALL, "--over-provisioning", "700%", "--print-config", "--json")
    assert json.loads(found.output)["device"]["over_provisioning"] == "700%"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--ftl", "page", "--cache", "8KiB"), "--cache: found a setting that page ignores"),
        (("--ftl", "dftl", "--log-blocks", "5"), "--log-blocks: found a setting that dftl"),
        (("--ftl", "dftl", "--set", "tpftl.threshold=99"), "tpftl.threshold: found a setting"),
    ],
)
def test_an_option_that_no_ftl_obeys_is_an_error(ftlab, options, told):
    found = ftlab("run", BUSY, *SMALL, *options)
    assert (found.exit_code, told in found.output) == (2, True), found.output
    found = ftlab("compare", BUSY, *SMALL, "--ftl", "page,dftl", "--cache", "1KiB")
    assert found.exit_code == 0, found.output


def test_an_option_that_no_ftl_obeys_is_an_error_in_python():
    source = Workload("randwrite", size="4MiB", requests=100)
    with pytest.raises(ConfigError, match=r"gc\.low: found a setting that fast, kast"):
        compare(source, ["fast", "kast"], gc={"low": 4})
    with pytest.raises(ConfigError, match="page ignores, expected one of dftl"):
        simulate(source, "page", config={"ftl": {"cache": "8KiB"}})


NAMES = [
    "no\x1b[31mred\x07",
    "two\nlines\u2028more",
    "\x1b]0;title\x07\x9b31m",
    "\x7fb\rw\u202eetirw",
]
READS = [
    "run {}.spc --ftl page",
    "compare {}.spc --ftl page,dftl",
    "load {}.spc --ftl page --depths 1 --loads 50%",
    "crash {}.spc --ftl page --cuts 2",
    "endurance {}.spc --ftl page --set device.endurance=2 --scale 1 --passes 2",
    "watch {}.spc --ftl page",
    "trace info {}.spc",
    "trace info {}.spc --full",
    "trace curve {}.spc",
    "trace compare {}.spc {}.spc --ftl page",
    "trace convert {}.spc -o x.spc",
    "trace split {}.spc -o {}.folder",
    "sweep {}.spc other.spc --ftl page --missing",
]
"""Commands that end with an error if there is no such trace."""
WORK = [
    "trace convert other.spc -o {}.to.spc",
    "trace split other.spc -o {}.parts",
    "trace generate financial1 --requests 5 -o {}.model.spc",
    "watch other.spc --ftl page --record {}.html",
    "sweep other.spc {}.spc --ftl page --results {}.kept",
    "results {}.kept",
    "results {}.kept --columns trace.name,ram_bytes",
    "results ftlab-results --merge {}.kept",
    "results {}.kept -o {}.csv",
    "plot {}.kept --x input.trace --y ram_bytes -o {}.svg",
    "fleet {}.spc --ftl page --least 1 --results {}.kept",
    "tune {}.spc other.spc --ftl page --minimize ram_bytes --trials 2",
    "compare other.spc --ftl page,{}.py:Named",
    "compare other.spc --ftl page,{}.py:Named -o x.md",
    "compare other.spc --ftl page,{}.py:Named --plot {}.svg",
    "load other.spc --ftl {}.py:Named --depths 1 --loads 50% --plot {}.svg",
    "endurance other.spc --ftl page,{}.py:Named --set device.endurance=2 --scale 1 --plot {}.svg",
    "watch other.spc --ftl {}.py:Named",
    "sweep {}.spc --ftl page,{}.py:Named",
]
"""Commands that tell a name in another way."""
FAIL = [
    "sweep {}.spc --ftl page --gc {}.no.py,greedy",
    "tune {}.spc --ftl page --gc {}.no.py --minimize ram_bytes --trials 2",
    "results {}.kept --columns {}",
    "results {}.kept --where {}=1",
    "run other.spc --ftl {}.no.py",
    "run other.spc --ftl {}.py",
    "run other.spc --ftl {}.py:{}",
    "check {}.py:Broken --cases 1",
    "run --from {}.no.json",
    "run --config {}.no.toml",
    "replay {}.no.toml",
    "model translation {}.no.json",
    "serve --image {}.img --socket no/folder/{} --ftl page",
    "fsck {}.no.img",
    "reproduce tpftl --traces {}.no --out {}.spc/x",
    "list ftls {}",
    "run other.spc --{}",
    "{}",
]
"""And those that tell what is wrong with it."""
FTLS = """
class Named(PageMapped):
    name = {name!r}


class Broken(Named):
    def write(self, pages, flash):
        raise ValueError({name!r})
"""


def controls(output: str) -> set[str]:
    """What of an output is neither text nor the end of a line."""
    return {each for each in output if not each.isprintable()} - {"\n"}


@pytest.mark.long
@pytest.mark.parametrize("name", long_but(NAMES[:1], NAMES))
def test_control_characters_of_names_do_not_reach_the_terminal(ftlab, trace, name):
    Path("other.spc").write_text(f"{trace.read_text()}0,8,4096,w,9.9\n")
    for there in (False, True):
        if there:
            Path(f"{name}.spc").write_bytes(trace.read_bytes())
        for command in READS:
            found = ftlab(*(part.replace("{}", name) for part in command.split()))
            assert found.exit_code == (0 if there else 2), found.output
            assert not controls(found.output), command
            assert there or found.output.count("\n") == 1
    own = PAGE_MAPPED
    Path(f"{name}.py").write_text(own + FTLS.format(name=name))
    for command in (*WORK, *FAIL):
        found = ftlab(*(part.replace("{}", name) for part in command.split()))
        assert isinstance(found.exception, SystemExit | None), command
        assert (found.exit_code == 0) == (command in WORK), f"{command}: {found.output}"
        assert not controls(found.output), command


@pytest.mark.parametrize("name", long_but(NAMES[:1], NAMES))
def test_control_characters_of_names_are_in_no_report(ftlab, trace, name):
    Path(f"{name}.spc").write_bytes(trace.read_bytes())
    found = ftlab("run", f"{name}.spc", "--ftl", "page", "--report", "report.html")
    assert found.exit_code == 0, found.output
    assert not controls(Path("report.html").read_text("utf-8"))


def test_what_is_a_line_stays_one(ftlab, trace):
    name = "two\nlines"
    for each in (name, "two-lines", "other"):
        Path(f"{each}.spc").write_bytes(trace.read_bytes())
    for command in (*READS, "sweep {}.spc --ftl page", "results ftlab-results"):
        lines = []
        for each in (name, "two-lines"):
            found = ftlab(*(part.replace("{}", each) for part in command.split()))
            assert found.exit_code == 0, found.output
            lines.append(found.output.count("\n"))
        assert lines[0] == lines[1], command


def test_a_message_of_several_lines_stays_with_its_law(ftlab):
    own = PAGE_MAPPED
    Path("mine.py").write_text(own + FTLS.format(name="first\nholds   \x1b second"))
    found = ftlab("check", "mine.py:Broken", "--cases", 1)
    lines = found.output.splitlines()
    place = lines.index("        ValueError: first")
    assert lines[place + 1] == r"        holds   \x1b second"


def on_a_terminal(*command: str) -> str:
    """What a terminal is sent, without what moves its cursor and makes colours of ours."""
    controller, terminal = pty.openpty()
    wide = {**os.environ, "TERM": "xterm", "COLUMNS": "400"}
    with subprocess.Popen([COMMAND, *command], stdout=terminal, stderr=terminal, env=wide):
        os.close(terminal)
        parts = []
        with suppress(OSError):
            while part := os.read(controller, 1 << 16):
                parts.append(part)
    os.close(controller)
    text = b"".join(parts).decode().replace("\r\n", "\n")
    # A bar begins its line anew; the carriage return of a name has an x behind it.
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r(?!x)", "", text)


SHOWING = [
    "run {} --ftl page",
    "run {} --ftl page --csv",
    "run {} --ftl page --json",
    "compare {} --ftl page,dftl --csv",
    "compare {} --ftl page,dftl",
    "sweep {} other.spc --ftl page",
    "sweep {} other.spc --ftl page --csv",
    "trace info {} --json",
    "trace info {}",
    "run {} --print-config",
    "watch {} --ftl page --speed 1000",
    "run no{}",
]


@pytest.mark.parametrize("command", long_but(SHOWING[::6], SHOWING))
def test_a_terminal_is_sent_no_control_characters_of_names(ftlab, trace, command):
    name = "\x1b]0;title\x07\x9b31m\x7f\rx\ny.spc"
    Path(name).write_bytes(trace.read_bytes())
    Path("other.spc").write_text(f"{trace.read_text()}0,8,4096,w,9.9\n")
    shown = on_a_terminal(*(part.replace("{}", name) for part in command.split()))
    assert "title" in shown
    assert not controls(shown)
    assert "--csv" in command or "x\ny" not in shown


def test_whatever_the_command_prints_goes_one_way():
    folder = Path(cli.__file__).parent
    for path in folder.rglob("*.py"):
        if path.name != "say.py":
            assert not re.search(r"\becho\(|(?<!\.)\bprint\(|\.write\(", path.read_text("utf-8")), (
                path
            )


def test_a_mistake_with_a_newline_is_one_line(ftlab):
    found = ftlab("run", BUSY, "--set", "a\nb")
    assert (found.exit_code, found.output.count("\n")) == (2, 1)
    with pytest.raises(FtlabError) as raised:
        simulate("x\ny.spc")
    assert "\n" not in str(raised.value)


def test_a_cell_is_no_formula(ftlab, trace):
    name = "=1+1.spc"
    Path(name).write_bytes(trace.read_bytes())
    for command in ("run {} --ftl page --csv", "trace info {} --csv"):
        found = ftlab(*command.format(name).split())
        assert f"'{name}" in found.output
        assert f",{name}" not in found.output
    assert csv_cell("\tx") == "\\tx", "a tab is written out"
    for text in ("=1", "@x", "+x", "-x"):
        assert csv_cell(text) == f"'{text}"
        assert Table([text], [[text]]).csv().count("'") == 2
    for value in ("-1.5", "+2.4 %", "–", -3, None, "", "5 µs"):  # noqa: RUF001
        assert csv_cell(value) == value


def test_a_result_of_a_trace_that_changed_meanwhile_is_not_kept(trace, tmp_path, monkeypatch):
    point = Point("p", {"input": {"trace": str(trace)}}, "page")
    results = tmp_path / "results"
    original = point.input
    trace.write_text(trace.read_text() + "0,8,4096,w,9.9\n")
    assert original["input"]["trace"]
    with pytest.raises(ConfigError, match="changed while it was read"):
        run_points([point], results)
    assert not list(results.iterdir())
    (found,) = run_points([Point("p", point.config, "page")], results)
    assert found.host.requests == 41


ROOM = """
    import resource, sys
    limit, capacity, ftl, what = int(sys.argv[1]), *sys.argv[2:]
    # As ulimit, before the core is loaded: its allocator then reserves less.
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    import ftlab, ftlab.crash, ftlab.live
    workload = {"pattern": "randwrite", "size": "16MiB", "requests": 10}
    config = {"workload": workload, "device": {"capacity": capacity}, "run": {"warmup": "none"}}
    try:
        if what == "run":
            ftlab.simulate(ftlab.Workload(workload.pop("pattern"), **workload), ftl,
                           ftlab.Device(capacity=capacity))
        elif what == "crash":
            ftlab.crash.crash(config, ftl, 1)
        else:
            ftlab.live.Device("image", "socket", ftl, {"device": config["device"]})
        print("fits")
    except ftlab.errors.FtlabError as error:
        print(error)
    print("the interpreter lives")
"""


@pytest.mark.long
@pytest.mark.parametrize(
    "ftl",
    long_but(
        ["page", "block"], ["page", "dftl", "zftl", "sepbit", "aftl", "mnftl", "gftl", "block"]
    ),
)
def test_a_device_that_does_not_fit_into_memory_is_told_in_a_line(ftl):
    for limit, capacity in [(1, "1TiB"), (1.5, "64GiB"), (1, "32GiB"), (2, "128GiB")]:
        told = of_room("run", limit, capacity, ftl)
        if capacity == "1TiB":
            refused(told, capacity)


@pytest.mark.parametrize("what", ["crash", "serve"])
@pytest.mark.parametrize("ftl", long_but(["dftl"], ["page", "dftl", "fast"]))
def test_a_device_to_mount_that_does_not_fit_into_memory_is_told_in_a_line(what, ftl, tmp_path):
    for limit, capacity in [(1, "1TiB"), (1, "64GiB")]:
        refused(of_room(what, limit, capacity, ftl, tmp_path), capacity)
    assert not list(tmp_path.iterdir())


def of_room(what: str, limit: float, capacity: str, ftl: str, folder: Path | None = None) -> str:
    """Return what an interpreter says of a device that has no more memory than so many GiB."""
    command = [sys.executable, "-c", textwrap.dedent(ROOM), str(int(limit * 2**30)), capacity, ftl]
    done = subprocess.run([*command, what], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    told, lives = done.stdout.splitlines()
    assert lives == "the interpreter lives"
    return told


def refused(told: str, capacity: str) -> None:
    assert told.startswith(f"device.capacity: found {capacity}, whose ")
    assert "GiB of RAM, more than there is" in told


def run(*arguments: str, **streams) -> subprocess.CompletedProcess:
    return subprocess.run([COMMAND, *arguments], capture_output=not streams, text=True, **streams)


@pytest.mark.long
def test_a_full_or_closed_standard_output_is_no_traceback():
    with open("/dev/full", "w") as full:
        done = run("list", "ftls", stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (
        2,
        "error: standard output: No space left on device\n",
    )
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        done = subprocess.run(
            ["sh", "-c", f"exec {COMMAND} run no-such-trace {closed}"], capture_output=True
        )
        assert done.returncode == 2
        assert b"Traceback" not in done.stderr


def test_a_reader_who_has_seen_enough_is_no_error(trace):
    for command in ("list settings", f"trace convert {trace} --to spc -o -"):
        done = subprocess.run(
            ["bash", "-c", f"{COMMAND} {command} | head -c 1; exit ${{PIPESTATUS[0]}}"],
            capture_output=True,
        )
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.long
def test_a_name_that_is_not_utf_8_is_told_so(trace):
    name = os.fsencode(trace.parent) + b"/x\xff.spc"
    Path(os.fsdecode(name)).write_bytes(trace.read_bytes())
    for command in (["run", name, "--ftl", "page"], ["trace", "convert", trace, "-o", name]):
        done = subprocess.run([COMMAND, *command], capture_output=True)
        assert done.returncode == 2
        assert b"not UTF-8" in done.stderr
        assert done.stderr.count(b"\n") == 1
    assert Path(os.fsdecode(name)).read_bytes() == trace.read_bytes()


@pytest.mark.parametrize(
    "command",
    [
        "run {trace} --ftl {}",
        "compare {trace} --ftl page,{}",
        "sweep {trace} --ftl {}",
        "crash {trace} --ftl {}",
        "load {trace} --ftl {}",
        "watch {trace} --ftl {}",
        "tune {trace} --ftl {} --minimize response_us.mean",
        "check {}",
        "check page --case {}",
        "serve --image i --socket no/folder/{}",
        "serve --image i --socket no/folder/s --ftl {}",
        "trace convert {trace} -o {}.spc",
        "trace convert {trace} -o x.spc --to {}",
        "trace generate financial1 --requests 5 -o {}.spc",
        "run {trace} --ftl page --set gc.policy={}",
    ],
)
def test_whatever_is_not_utf_8_is_told_so(ftlab, trace, command):
    name = os.fsdecode(b"x\xff")
    line = failure(ftlab(*(part.format(name, trace=trace) for part in command.split())))
    assert "a name that is not UTF-8, expected one that is" in line
    assert line.isprintable()


def test_files_of_names_that_are_not_utf_8_can_be_written(ftlab, trace):
    for command in ("run {trace} --ftl page --json -o", "trace split {trace} -o"):
        name = os.fsdecode(b"x\xff") + str(len(command))
        found = ftlab(*command.format(trace=trace).split(), name)
        assert found.exit_code == 0, found.output
        assert Path(name).exists()
        assert found.output.replace("\n", "").isprintable()


WRONG = [
    ("config", {"config": "x"}),
    (r'config\["gc"\]', {"config": {"gc": 5}}),
    ("gc", {"gc": 5}),
    ("host", {"host": 3}),
    ("run", {"run": [1]}),
    ("device", {"device": "8GiB"}),
]


@pytest.mark.parametrize(("name", "arguments"), WRONG)
def test_an_argument_of_another_type_is_told_by_its_name(name, arguments):
    source = Workload("randwrite", size="4MiB", requests=10)
    with pytest.raises(TypeError, match=f"^{name}: found .*, expected"):
        simulate(source, "page", **arguments)
    with pytest.raises(TypeError, match=r"^ftls: found 'page', expected a list"):
        compare(source, "page")


@pytest.mark.parametrize("ftl", [5, 5.0, None, b"page", ["page"], {"page": 1}])
def test_an_ftl_of_another_type_is_one_that_is_not_known(ftl):
    source = Workload("randwrite", size="4MiB", requests=10)
    for run in (lambda: simulate(source, ftl), lambda: compare(source, [ftl])):
        with pytest.raises(FtlabError, match=f'^unknown FTL "{re.escape(str(ftl))}"') as raised:
            run()
        assert "\n" not in str(raised.value)
