"""Nothing is lost for a picture, and nothing is run for what cannot be written."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from ftlab import style
from test_cli import failure
from test_process import COMMAND, DEVICE, GENERATED

SHORT = ("--workload", "randwrite,bs=4k,size=2MiB,requests=300", *DEVICE)
DRAWING = {
    "run": ("run", *SHORT, "--ftl", "page"),
    "compare": ("compare", *SHORT, "--ftl", "page,dftl"),
    "load": ("load", *SHORT, "--depths", "1", "--loads", "50%"),
    "crash": ("crash", *SHORT, "--ftl", "page", "--cuts", "10"),
    "endurance": (
        "endurance",
        *SHORT,
        "--set",
        "device.endurance=5",
        "--scale",
        "1",
        "--ftl",
        "page",
    ),
    "trace info": ("trace", "info", *SHORT[:2]),
    "trace curve": ("trace", "curve", *SHORT[:2]),
    "trace compare": ("trace", "compare", "financial1", "financial1", "--requests", "500"),
}


def last(result) -> str:
    """Return the last line on standard error, behind warnings, of a command that failed."""
    assert result.exit_code == 2, result.output
    return result.stderr.splitlines()[-1]


@pytest.mark.parametrize("what", DRAWING)
@pytest.mark.parametrize("error", [ValueError("a font\nis broken"), OSError(28, "No space left")])
def test_a_result_is_written_though_its_figure_cannot_be(ftlab, monkeypatch, what, error):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr(style, "image", refuse)
    line = last(ftlab(*DRAWING[what], "--plot", "p.svg", "--json", "-o", "r.json"))
    assert line.startswith("error: p.svg: ")
    assert json.loads(Path("r.json").read_text())
    assert os.listdir() == ["r.json"]


def test_a_result_is_written_though_its_report_cannot_be(ftlab, monkeypatch):
    def refuse(*_):
        raise ValueError("a font is broken")

    monkeypatch.setattr("ftlab.report.html.report", refuse)
    line = last(ftlab(*DRAWING["run"], "--report", "r.html", "-o", "r.json"))
    assert line == "error: r.html: cannot be drawn: ValueError: a font is broken"
    assert os.listdir() == ["r.json"]


FOREIGN = {
    "a notebook's backend": {"MPLBACKEND": "module://nowhere.backend"},
    "no backend": {"MPLBACKEND": "nonsense"},
    "a date": {"SOURCE_DATE_EPOCH": "today"},
    "a file of settings": {"MATPLOTLIBRC": "broken"},
}


def drawn(folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess:
    outputs = ("--plot", "p.pdf", "--report", "r.html", "-o", "r.json")
    return subprocess.run(
        [COMMAND, "run", *GENERATED, *outputs],
        capture_output=True,
        cwd=folder,
        env={**os.environ, **environment},
        text=True,
        timeout=300,
    )


@pytest.mark.long
@pytest.mark.parametrize("what", FOREIGN)
def test_what_the_environment_says_to_matplotlib_breaks_nothing(tmp_path, what):
    (tmp_path / "broken").write_bytes(b"\xff\xfe\n")
    done = drawn(tmp_path, FOREIGN[what])
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(os.listdir(tmp_path)) == ["broken", "p.pdf", "r.html", "r.json"]


def test_a_file_of_settings_in_the_folder_is_told_before_the_run(tmp_path):
    (tmp_path / "matplotlibrc").write_bytes(b"\xff\xfe\n")
    done = drawn(tmp_path, {})
    assert done.returncode == 2
    assert "a file matplotlibrc in this folder may be why" in done.stderr
    assert "Traceback" not in done.stderr
    assert os.listdir(tmp_path) == ["matplotlibrc"]


@pytest.mark.parametrize("verb", ["sweep", "tune", "fleet"])
def test_a_folder_of_results_that_cannot_be_is_told_before_the_first_run(
    ftlab, monkeypatch, trace, verb
):
    Path("file").write_text("a thesis")
    monkeypatch.setattr("ftlab.points.batch.attempt", lambda *_: pytest.fail("it ran"))
    more = ("--set", "ftl.cache=8KiB,16KiB", "--minimize", "response_us.mean")
    options = more if verb == "tune" else ("--least", "1") if verb == "fleet" else ()
    line = failure(ftlab(verb, trace, *DEVICE, "--ftl", "dftl", "--results", "file", *options))
    assert line.startswith("error: file")
    assert Path("file").read_text() == "a thesis"


def test_a_result_that_is_a_link_or_a_pipe_is_run_again_and_replaced(ftlab, trace):
    sweep = ("sweep", trace, *DEVICE, "--ftl", "page", "--results", "kept")
    assert ftlab(*sweep).exit_code == 0
    (result,) = Path("kept").iterdir()
    Path("thesis").write_text("of mine")
    for make in (
        lambda: result.symlink_to(Path("thesis").resolve()),
        lambda: result.symlink_to(result.name),
        lambda: os.mkfifo(result),
    ):
        result.unlink()
        make()
        assert "page" not in ftlab("results", "kept").stdout
        assert ftlab(*sweep).exit_code == 0
        assert not result.is_symlink()
        assert "page" in ftlab("results", "kept").stdout
    assert Path("thesis").read_text() == "of mine"
