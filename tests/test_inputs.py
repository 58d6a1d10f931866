"""No output replaces what is read, by whatever name."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from ftlab import ConfigError, live
from ftlab.cli import program
from ftlab.cli.written import Written

COMMAND = str(Path(sys.executable).parent / "ftlab")

COMMANDS = {
    "run -o": "run {0} --ftl page --json -o {1}",
    "run --timeline": "run {0} --ftl page --timeline {1}",
    "compare -o": "compare {0} --ftl page,dftl --json -o {1}",
    "explain -o": "explain {0} --ftl page,dftl --json -o {1}",
    "load -o": "load {0} --ftl page --depths 1 --loads 50% --json -o {1}",
    "trace info -o": "trace info {0} --json -o {1}",
    "trace curve -o": "trace curve {0} --json -o {1}",
    "trace compare -o, A": "trace compare {0} other.spc --ftl none --json -o {1}",
    "trace compare -o, B": "trace compare other.spc {0} --ftl none --json -o {1}",
    "trace convert -o": "trace convert {0} --to spc --requests 5 -o {1}",
    "sweep -o": "sweep {0} --ftl page --json -o {1}",
    "sweep -o, of two": "sweep other.spc {0} --ftl page --json -o {1}",
    "fleet -o": "fleet {0} --ftl page --least 1 --json -o {1}",
    "fleet -o, an array": "fleet {0} --ftl page --devices 2 --stripe 4KiB --json -o {1}",
    "crash -o": "crash {0} --ftl page --cuts 2 --json -o {1}",
    "endurance -o": "endurance {0} --ftl page --set device.endurance=9 --json -o {1}",
    "tune -o": "tune {0} --ftl page --minimize response_us.mean --trials 1 --json -o {1}",
    "--set input.trace": "run {0} --set input.trace=small.spc --ftl page --json -o {1}",
}

CONFIG = """
ftls = "page"
[input]
trace = "small.spc"
"""
SESSION = """
ftls = "page"
[input]
trace = "s.csv"
"""
FILES = {
    "c.toml": CONFIG,
    "search.toml": f'{CONFIG}[tune]\nminimize = "response_us.mean"\n',
    "s.csv.toml": SESSION,
    "s.csv": "time,offset,length,op\n0,0,4096,w\n",
    "m.toml": "requests = 5",
    "r.json": '{"ftl": "page", "config": {"input": {"trace": "small.spc"}}}',
    "disk.img": "an image",
    "drive.csv": "used,write_amplification\n1GiB,2\n",
    "mine.py": "class Mine: ...",
    "kept/x.json.gz": "a result",
    "kept/volumes/0a/volume-0.parquet": "a volume",
    "kept/inputs/0a.spc": "a made input",
    "more/x.json.gz": "a result",
}
"""Files that commands read, beside the trace."""

RUNS = ("run", "compare", "load", "fleet", "crash", "endurance", "sweep", "tune", "advise")
MODEL = "--ftl page --capacity 64MiB"
SERVE = f"serve {MODEL} --socket no/folder/s.sock"
"""Fails, and does not serve, if nothing is refused before."""
OTHERS = {
    **{f"{verb}: its --config": ("c.toml", f"{verb} --config c.toml --json -o") for verb in RUNS},
    **{f"{verb}: a trace in it": ("small.spc", f"{verb} --config c.toml -o") for verb in RUNS},
    "compare --plot": ("c.toml", "compare --config c.toml --plot"),
    "explain --plot": ("c.toml", "explain --config c.toml --ftl page,dftl --plot"),
    "compare --report": ("c.toml", "compare --config c.toml --report"),
    "run --plot": ("c.toml", "run --config c.toml --plot"),
    "run --report": ("c.toml", "run --config c.toml --report"),
    "run --timeline": ("c.toml", "run --config c.toml --timeline"),
    "run --log": ("c.toml", "run --config c.toml --log"),
    "load --plot": ("c.toml", "load --config c.toml --plot"),
    "run --series": ("c.toml", "run --config c.toml --series"),
    "advise --plot": ("c.toml", "advise --config c.toml --plot"),
    "advise --report": ("c.toml", "advise --config c.toml --report"),
    "crash --plot": ("c.toml", "crash --config c.toml --plot"),
    "endurance --plot": ("c.toml", "endurance --config c.toml --plot"),
    "tune FILE.toml": ("search.toml", "tune search.toml --json -o"),
    "tune --plot": ("search.toml", "tune search.toml --plot"),
    "run --from": ("r.json", "run --from r.json --json -o"),
    "compare --from": ("r.json", "compare --from r.json --json -o"),
    "run --from: its trace": ("small.spc", "run --from r.json --json -o"),
    "watch --record": ("c.toml", "watch --config c.toml --record"),
    "watch --record, its trace": ("small.spc", "watch --config c.toml --record"),
    "serve --image": ("disk.img", f"{SERVE} --image disk.img --json -o"),
    "serve --config": ("c.toml", f"{SERVE} --image new.img --config c.toml --json -o"),
    "serve --record": ("c.toml", f"{SERVE} --image new.img --config c.toml --record"),
    "fsck -o": ("disk.img", "fsck disk.img --json -o"),
    "replay -o": ("s.csv.toml", "replay s.csv.toml --json -o"),
    "replay -o, the recording": ("s.csv", "replay s.csv.toml --json -o"),
    "results -o": ("kept/x.json.gz", "results kept --json -o"),
    "results -o, a volume": ("kept/volumes/0a/volume-0.parquet", "results kept -o"),
    "results -o, a made input": ("kept/inputs/0a.spc", "results kept --json -o"),
    "results --merge": ("more/x.json.gz", "results kept --merge more --json -o"),
    "plot -o": ("kept/x.json.gz", "plot kept --x ftl.cache --y ram_bytes -o"),
    "sweep --results": ("kept/x.json.gz", "sweep --config c.toml --results kept --json -o"),
    "fleet --results": ("kept/x.json.gz", "fleet --config c.toml --results kept --json -o"),
    "tune --results": ("kept/x.json.gz", "tune search.toml --results kept --json -o"),
    "trace info --plot": ("small.spc", "trace info small.spc --plot"),
    "trace curve --plot": ("small.spc", "trace curve small.spc --plot"),
    "trace compare --plot": ("small.spc", "trace compare small.spc other.spc --plot"),
    "trace compare --config": ("c.toml", "trace compare small.spc other.spc --config c.toml -o"),
    "trace fit -o": ("m.toml", "trace fit m.toml -o"),
    "trace generate -o": ("m.toml", "trace generate m.toml --to spc -o"),
    "identify -o": ("drive.csv", "identify drive.csv --json -o"),
    "model translation -o": ("r.json", "model translation r.json --json -o"),
    "model translation --plot": ("r.json", "model translation r.json --plot"),
    "an FTL": ("mine.py", "compare small.spc --ftl page,mine.py:Mine --json -o"),
}
"""Further inputs, each with a command line that ends in the option of an output."""

ENDS = {
    "--plot": ".svg",
    "--report": ".html",
    "--record": ".html",
    "--timeline": ".svg",
    "--log": ".parquet",
    "--series": ".csv",
}
"""How the names of outputs have to end, where the command line does not say their form."""


@pytest.fixture
def here(trace, tmp_path, monkeypatch):
    """The trace by its name and through links of both kinds, in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.spc").write_bytes(trace.read_bytes())
    (tmp_path / "soft.spc").symlink_to("small.spc")
    os.link(trace, tmp_path / "hard.spc")
    return trace


@pytest.mark.parametrize("name", ["small.spc", "./small.spc", "soft.spc", "hard.spc"])
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_an_output_that_is_the_input_is_refused(ftlab, here, monkeypatch, command, name):
    monkeypatch.chdir(here.parent)
    before = {path: path.read_bytes() for path in here.parent.glob("*.spc")}
    found = ftlab(*command.format("small.spc", name).split())
    assert found.exit_code == 2
    assert "is the input small.spc, expected another file to write" in found.output
    assert found.output.count("\n") == 1
    assert {path: path.read_bytes() for path in here.parent.glob("*.spc")} == before
    found = ftlab(*command.format(name, "small.spc").split())
    assert found.exit_code == 2


@pytest.fixture
def inputs(here):
    """A file of each kind that a command reads, in the folder of the test."""
    for name, text in FILES.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    return here.parent


@pytest.mark.parametrize(("file", "command"), OTHERS.values(), ids=OTHERS)
def test_whatever_a_command_reads_is_no_output(ftlab, inputs, monkeypatch, file, command):
    monkeypatch.chdir(inputs)
    end = end_of(command, file)
    Path(f"by-link{end}").symlink_to(Path(file).resolve())
    os.link(file, f"by-hard-link{end}")
    before = contents()
    for output in (f"by-link{end}", f"by-hard-link{end}", *([file] if file.endswith(end) else [])):
        found = ftlab(*command.split(), output)
        assert found.exit_code == 2, found.output
        assert f"error: {output}: is " in found.output
        assert "expected another file to write" in found.output
        assert found.output.count("\n") == 1
        assert contents() == before


def end_of(command: str, file: str) -> str:
    option = command.split()[-1]
    if command.startswith("serve") and option == "--record":
        return ""
    if command.startswith("plot"):
        return ".svg"
    if option == "-o" and ("--json" in command or "--to" in command):
        return Path(file).suffix
    return ENDS.get(option, ".toml" if "fit" in command else ".json")


def contents() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def outputs() -> Iterator[tuple[str, str]]:
    """Every option of every command that names a file which is written."""
    groups: list[tuple[str, click.Command]] = [("", program)]
    while groups:
        name, command = groups.pop()
        if isinstance(command, click.Group):
            groups += [(f"{name} {verb}", command.commands[verb]) for verb in command.commands]
        for each in command.params:
            if isinstance(each.type, Written):
                yield name.strip(), each.opts[0]


def test_every_output_of_every_command_is_tried():
    lines = [*COMMANDS.values(), *(command for _, command in OTHERS.values())]
    untried = {
        (verb, option)
        for verb, option in outputs()
        if not any(line.startswith(f"{verb} ") and f"{option} " in f"{line} " for line in lines)
    }
    assert untried == {("model gc", "-o"), ("model separation", "-o")}, "which read no file"


def test_every_option_that_names_a_file_is_known_as_one_that_is_read_or_written():
    read = {"config", "image", "live", "metrics", "socket"}
    groups: list[click.Command] = [program]
    while groups:
        command = groups.pop()
        if isinstance(command, click.Group):
            groups += [command.commands[verb] for verb in command.commands]
        files = [each for each in command.params if each.metavar in ("FILE", "PATH")]
        found = {each.name for each in files if not isinstance(each.type, Written)}
        assert found <= read, command.name


def test_an_image_that_a_session_makes_is_no_output(ftlab, inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    for more in (["-o", "./new.img"], ["--metrics", "m", "-o", "m"]):
        found = ftlab(*SERVE.split(), "--image", "new.img", "--json", *more)
        assert (found.exit_code, "is the input" in found.output) == (2, True), found.output
    assert not Path("new.img").exists()


def test_a_recording_is_two_files(ftlab, inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    command = [*SERVE.split(), "--image", "new.img", "--record"]
    for more in (["r.csv", "-o", "r.csv"], ["r.csv", "--json", "-o", "r.csv.toml"]):
        found = ftlab(*command, *more)
        assert (found.exit_code, "the same file" in found.output) == (2, True), found.output
    found = ftlab(*command, "c", "--config", "c.toml")
    assert (found.exit_code, "c.toml: is the input" in found.output) == (2, True), found.output
    with pytest.raises(ConfigError, match=r"new\.toml: is the input"):
        live.Device("new.toml", "s.sock", "page", record="new")
    assert not Path("new.img").exists()
    assert Path("c.toml").read_text() == CONFIG


def test_a_result_that_is_not_there_yet_has_its_name(ftlab, inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    for output in ("kept/y.json.gz", "./kept/y.json.gz", "kept/volumes/0a/y"):
        found = ftlab("sweep", "--config", "c.toml", "--results", "kept", "--json", "-o", output)
        assert (found.exit_code, "results in kept" in found.output) == (2, True), found.output
    found = ftlab("results", "kept", "-o", "kept/table.csv")
    assert "x.json.gz (damaged)" in found.output, "which is no result"
    assert Path("kept/table.csv").exists()


def test_a_link_is_no_way_around_a_suffix(ftlab, here, monkeypatch):
    monkeypatch.chdir(here.parent)
    for option, link in [("--plot", "x.svg"), ("--report", "x.html"), ("-o", "x.csv")]:
        Path(link).symlink_to("small.spc")
        found = ftlab("run", "small.spc", "--ftl", "page", option, link)
        assert found.exit_code == 2
        assert "is the input small.spc" in found.output
    assert here.read_bytes() == Path("other.spc").read_bytes()


@pytest.mark.long
def test_a_model_an_ftl_and_a_result_are_inputs_too(ftlab, tmp_path):
    assert ftlab("trace", "fit", "financial1", "--requests", 5000, "-o", "m.toml").exit_code == 0
    Path("mine.py").write_text("class Mine: ...\n")
    ftlab("run", "m.toml", "--requests", 500, "--ftl", "dftl", "--json", "-o", "r.json")
    before = {name: Path(name).read_bytes() for name in ("m.toml", "mine.py", "r.json")}
    for command in [
        "run m.toml --requests 500 --ftl page --json -o m.toml",
        "trace generate m.toml --to spc --requests 500 -o m.toml",
        "trace fit m.toml -o m.toml",
        "run m.toml --ftl mine.py --json -o mine.py",
        "run m.toml --ftl mine.py:Mine --json -o mine.py",
        "model translation r.json --json -o r.json",
    ]:
        found = ftlab(*command.split())
        assert (found.exit_code, "is the input" in found.output) == (2, True), command
    assert {name: Path(name).read_bytes() for name in before} == before


def test_standard_input_may_be_a_file(here):
    for command in ["run - --address modulo --capacity 64MiB --json", "trace info - --json"]:
        with here.open() as file:
            done = subprocess.run(
                [COMMAND, *command.split(), "-o", "small.spc"], stdin=file, capture_output=True
            )
        assert (done.returncode, b"is the input -," in done.stderr) == (2, True), done.stderr
    assert here.read_bytes() == Path("other.spc").read_bytes()


def test_conversion_from_python_keeps_its_input(here):
    import ftlab

    for name in ("small.spc", "soft.spc"):
        with pytest.raises(ftlab.ConfigError, match="is the input"):
            ftlab.read_trace("small.spc").convert(name)
    assert here.read_bytes() == Path("other.spc").read_bytes()


@pytest.mark.parametrize(("unit", "told"), [("", True), (":sectors", False)])
def test_lengths_in_too_small_a_unit_are_told_with_the_remedy(ftlab, tmp_path, unit, told):
    trace = tmp_path / "lengths.csv"
    trace.write_text("".join(f"{step},{step % 50 * 8},8,w\n" for step in range(200)))
    columns = f"time=1,offset=2:sectors,length=3{unit},op=4"
    for verb in (["run"], ["trace", "info"]):
        found = ftlab(*verb, trace, "--columns", columns)
        assert found.exit_code == 0, found.output
        assert ("8 B on average, less than a sector" in found.stderr) == told
        assert ("length=3:sectors" in found.stderr) == told
