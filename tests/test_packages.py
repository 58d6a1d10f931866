"""Packages with FTLs of their own that cannot be used: one line names each, and all else works."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import ftlab
from marks import long_but

COMMAND = str(Path(sys.executable).parent / "ftlab")
SOURCE = ("--workload", "randrw,bs=4k,size=8MiB,requests=3000")

GOOD = """
from ftlab._core import *
from ftlab import _core
from ftlab._core import __version__
"""
BROKEN = {
    "an exception": ("raise RuntimeError('boom')", "RuntimeError: boom"),
    "a syntax error": ("def (", "SyntaxError: "),
    "an import error": ("import nothing_here", "No module named 'nothing_here'"),
    "the end of the program": ("import sys; sys.exit(0)", "SystemExit: 0"),
    "no version": ("", "AttributeError: "),
    "another version": ("__version__ = '0.0.9'", "found a core built with ftlab 0.0.9, expected"),
    "no function": (f"__version__ = '{ftlab.__version__}'", "found a core without "),
    "no JSON": ("{good}\ndef catalog(): return '{{'", "JSONDecodeError: "),
    "an empty catalogue": ("{good}\ndef catalog(): return '{{}}'", "KeyError: 'settings'"),
    "a strange catalogue": ("{good}\ndef catalog(): return '[1]'", "TypeError: "),
}


def installed(folder: Path, name: str, core: str, entry: str = "{name}") -> dict[str, str]:
    """Put a package with a core into a folder; return the environment that has it."""
    (folder / f"{name}.py").write_text(
        core.replace("{good}", GOOD).replace("{{", "{").replace("}}", "}")
    )
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[ftlab.cores]\n{entry.format(name=name)}\n")
    return {**os.environ, "PYTHONPATH": str(folder)}


def in_an_environment(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess:
    command = [COMMAND, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)


@pytest.mark.parametrize("what", long_but([*BROKEN][::4], BROKEN))
def test_a_broken_package_is_told_in_one_line_and_breaks_nothing_else(tmp_path, what):
    core, told = BROKEN[what]
    environment = installed(tmp_path, "broken", core, "broken = {name}")
    listed = in_an_environment(environment, "list", "ftls", "page", "--json")
    assert (listed.returncode, json.loads(listed.stdout)[0]["name"]) == (0, "page")
    warned = "warning: package broken, which has FTLs, is left out: broken: "
    assert listed.stderr.startswith(warned), listed.stderr
    assert (told in listed.stderr, listed.stderr.count("\n")) == (True, 1), listed.stderr
    unknown = in_an_environment(environment, "run", *SOURCE, "--ftl", "nosuch")
    assert unknown.returncode == 2
    warning, error = unknown.stderr.splitlines()
    assert warning.startswith(warned)
    assert error.startswith('error: unknown FTL "nosuch"; known: ')


@pytest.mark.parametrize("entry", ["broken", "broken = {name}:nothing", "= =", "broken = {name} ["])
def test_an_entry_point_that_is_none_is_told_in_one_line(tmp_path, entry):
    environment = installed(tmp_path, "broken", GOOD, entry)
    listed = in_an_environment(environment, "list", "ftls", "page")
    assert listed.returncode == 0, listed.stderr
    assert listed.stderr.startswith("warning: package broken, which has FTLs, is left out: ")
    assert listed.stderr.count("\n") == 1


def test_a_shell_completes_names_beside_a_broken_package(tmp_path):
    environment = installed(tmp_path, "broken", "raise RuntimeError", "broken = {name}")
    places = {"COMP_WORDS": "ftlab check dl", "COMP_CWORD": "2"}
    done = in_an_environment({**environment, **places, "_FTLAB_COMPLETE": "bash_complete"})
    assert "plain,dloop" in done.stdout.splitlines()
    assert done.stderr == ""


def test_a_broken_package_is_a_warning_in_python(tmp_path):
    environment = installed(tmp_path, "broken", "raise RuntimeError('boom')", "broken = {name}")
    script = """
        import warnings, ftlab
        from ftlab.cores import PackageWarning
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            names = [each.name for each in ftlab.catalog().ftls]
        assert "page" in names
        print(*(f"{each.category.__name__}: {each.message}" for each in told))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        env=environment,
    )
    told = "package broken, which has FTLs, is left out: broken: RuntimeError: boom"
    assert done.stdout == f"PackageWarning: {told}\n", done.stderr
