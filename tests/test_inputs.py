"""No output replaces what is read, by whatever name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = str(Path(sys.executable).parent / "ftlab")

COMMANDS = {
    "run -o": "run {0} --ftl page --json -o {1}",
    "run --timeline": "run {0} --ftl page --timeline {1}",
    "compare -o": "compare {0} --ftl page,dftl --json -o {1}",
    "load -o": "load {0} --ftl page --depths 1 --loads 50% --json -o {1}",
    "trace info -o": "trace info {0} --json -o {1}",
    "trace curve -o": "trace curve {0} --json -o {1}",
    "trace compare -o, A": "trace compare {0} other.spc --ftl none --json -o {1}",
    "trace compare -o, B": "trace compare other.spc {0} --ftl none --json -o {1}",
    "trace convert -o": "trace convert {0} --to spc --requests 5 -o {1}",
    "--set input.trace": "run {0} --set input.trace=small.spc --ftl page --json -o {1}",
}


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


def test_a_link_is_no_way_around_a_suffix(ftlab, here, monkeypatch):
    monkeypatch.chdir(here.parent)
    for option, link in [("--plot", "x.svg"), ("--report", "x.html"), ("-o", "x.csv")]:
        Path(link).symlink_to("small.spc")
        found = ftlab("run", "small.spc", "--ftl", "page", option, link)
        assert found.exit_code == 2
        assert "is the input small.spc" in found.output
    assert here.read_bytes() == Path("other.spc").read_bytes()


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
