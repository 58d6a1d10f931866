"""Metrics as attributes have types: of what runs return, and as a type checker sees them."""

import os
import subprocess
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import get_args, get_origin, get_type_hints

import pytest

import ftlab
from ftlab.record import Absent, Counts, Numbers, Record, Section
from test_metrics import results

__all__ = ["results"]

ROOT = Path(__file__).parent.parent
SEARCHED = os.pathsep.join([str(ROOT / "python"), *filter(None, [os.environ.get("PYTHONPATH")])])
SCRIPT = """
import ftlab

result = ftlab.simulate("financial1", "tpftl")
reveal_type(result.write_amplification)
reveal_type(result.mapping.hit_ratio)
reveal_type(result.response_us.p99)
reveal_type(result.host.requests)
reveal_type(result.flash.reads["host"])
reveal_type(result.timeline.hit_ratio)
reveal_type(result.buffer.flushed_at_end.pages)
reveal_type(result.own["tpftl.prefetched_entries"])
reveal_type(ftlab.compare("financial1", ["tpftl"])["tpftl"].gc.runs)
print(result.wirte_amplification, result.mapping.hitratio)
print(result.mapping.hit_ratio * 100)
"""
REVEALED = [
    "float | None",
    "float | None",
    "float | None",
    "int",
    "int",
    "list[float | None]",
    "int | None",
    "float",
    "int | None",
]


def fits(value, kind):
    """Tell whether a value is of a type, at any depth."""
    if isinstance(kind, UnionType):
        return any(fits(value, each) for each in get_args(kind))
    if get_origin(kind) is list:
        return isinstance(value, list) and all(fits(each, *get_args(kind)) for each in value)
    if kind in (Numbers, Counts):
        one = (int, float) if kind is Numbers else int
        return type(value) is kind and all(isinstance(each, one) for each in value.values())
    return isinstance(value, kind)


def attributes(section, path=""):
    """Yield path, value and type of all attributes that the class of a section declares."""
    for name, kind in get_type_hints(type(section)).items():
        if name.startswith("_") or (name == "schedule" and name not in section):
            continue
        value = getattr(section, name)
        yield f"{path}{name}", value, kind
        if isinstance(value, Section) and not isinstance(value, Record | Absent):
            yield from attributes(value, f"{path}{name}.")


def test_attributes_have_the_types_that_are_declared(results):
    seen = set()
    for path, value, kind in (
        each for result in results for each in attributes(ftlab.Result(result))
    ):
        if not isinstance(value, Absent):
            assert fits(value, kind), (path, value, kind)
            seen |= {path} if value is not None else set()
    assert {"mapping.hit_ratio", "merges.full", "buffer.flushed_at_end.pages"} <= seen
    assert {"samples.entries", "causes.slowest", "distributions.response_us.value"} <= seen


def test_of_a_section_that_is_missing_every_metric_may_be(results):
    for result in map(ftlab.Result, results):
        for name, kind in get_type_hints(ftlab.Result).items():
            if not name.startswith("_") and isinstance(getattr(result, name, None), Absent):
                hints = get_type_hints(kind)
                plain = {each: hints[each] for each in hints if not each.startswith("_")}
                below = {n for n, each in plain.items() if NoneType not in get_args(each)}
                assert below <= {"flushed_at_end", "log"}, (name, below)


def checked(tmp_path, *command):
    """Return what a type checker prints of the script."""
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {**os.environ, "MYPYPATH": str(ROOT / "python"), "PYTHONPATH": SEARCHED}
    done = subprocess.run(
        [sys.executable, "-m", *command, "script.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment,
    )
    return done.stdout.splitlines()


@pytest.mark.long
def test_mypy_knows_metrics_and_finds_a_misspelt_one(tmp_path):
    told = checked(tmp_path, "mypy", "--strict", "--cache-dir", str(tmp_path))
    revealed = [line.split('"')[1] for line in told if "Revealed type" in line]
    assert [each.replace("builtins.", "") for each in revealed] == REVEALED, told
    errors = [line.partition("error: ")[2] for line in told if "error:" in line]
    assert '"Result" has no attribute "wirte_amplification"' in errors[0]
    assert '"MappingMetrics" has no attribute "hitratio"' in errors[1]
    assert "Unsupported operand types" in errors[2] and len(errors) == 3


@pytest.mark.long
def test_pyright_knows_metrics_and_finds_a_misspelt_one(tmp_path):
    """Where it is installed: `pip install 'pyright[nodejs]'`."""
    pytest.importorskip("pyright")
    told = checked(tmp_path, "pyright")
    revealed = [line.rpartition(' is "')[2].rstrip('"') for line in told if "Type of" in line]
    assert revealed == REVEALED, told
    errors = [line.partition("error: ")[2] for line in told if "error:" in line]
    assert 'attribute "wirte_amplification" for class "Result"' in errors[0]
    assert 'attribute "hitratio" for class "MappingMetrics"' in errors[1]
    assert 'Operator "*" not supported for "None"' in errors[2] and len(errors) == 3
