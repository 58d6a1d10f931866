import signal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import settings

import sample
from ftlab import Comparison
from ftlab import Result as RunResult
from ftlab.cli import program

settings.register_profile("reproducible", derandomize=True, deadline=None)
settings.load_profile("reproducible")

# A shell has what it starts in the background ignore Ctrl-C, and so would all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def result() -> RunResult:
    return RunResult(sample.result("dftl", 450.0, 0.8, 128))


@pytest.fixture
def comparison() -> Comparison:
    layers = [("page", 900.0, None, 0), ("dftl", 450.0, 0.8, 128), ("tpftl", 300.0, 0.9, 64)]
    return Comparison([RunResult(sample.result(*layer)) for layer in layers])


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A trace of 40 requests in SPC's format, one each 10 ms, half of them writes."""
    lines = [f"0,{8 * (n % 20)},4096,{'rw'[n % 2]},{n / 100:.6f}\n" for n in range(40)]
    path = tmp_path / "small.spc"
    path.write_text("".join(lines))
    return path


@pytest.fixture
def ftlab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs the command line in an empty folder and returns what click's runner returns."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def run(*arguments: object, **extra: object) -> Result:
        return CliRunner().invoke(program, [str(each) for each in arguments], **extra)

    return run
