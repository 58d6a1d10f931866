"""The spare space of a drive from measurements: the command, its verdicts, its mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ftlab as package
from test_cli import failure

GIB = 1 << 30
MAX_7450 = {
    "372.6GiB": 1.104,
    "447.1GiB": 1.177,
    "521.6GiB": 1.278,
    "596.2GiB": 1.408,
    "670.7GiB": 1.602,
    "745.2GiB": 1.889,
}
"""Micron 7450 MAX, 800 GB (SSD-iq, PVLDB 18)."""


def written(rows: dict[str, float], name: str = "drive.csv") -> str:
    lines = ["# measured", "used,write_amplification", *(f"{k},{v}" for k, v in rows.items())]
    Path(name).write_text("\n".join(lines) + "\n", "utf-8")
    return name


@pytest.mark.long
def test_the_7450_max_has_1051_gib_and_a_third_of_spare_space(ftlab):
    shown = ftlab("identify", written(MAX_7450), "--capacity", "800GB")
    assert shown.exit_code == 0, shown.output
    assert "capacity: 1,050.9 GiB (1,039.6 GiB to 1,053.0 GiB), victims fifo" in shown.stdout
    assert "spare space: 41.1 % of 745.1 GiB" in shown.stdout
    assert "RMS error: 1.9 %" in shown.stdout
    assert "spare space explains these measurements" in shown.stdout
    assert "+4.4 %" in shown.stdout and "-2.5 %" in shown.stdout


@pytest.mark.long
def test_the_capacity_in_python_is_that_of_the_command_and_a_run_meets_it(ftlab):
    rows = [(package.units.number(used, "size"), wrote) for used, wrote in MAX_7450.items()]
    found = package.model.capacity(rows[-2:], 64, measured=1)
    shown = json.loads(
        ftlab(
            *("identify", written(dict(list(MAX_7450.items())[-2:])), "--json"),
            *("--pages-per-unit", "64", "--seeds", "1"),
        ).stdout
    )
    assert shown == found.to_dict()
    greedy = next(each for each in found.fits if each["victims"] == "greedy")
    for (run,), said in zip(found.measured, greedy["fitted"], strict=True):
        assert run == pytest.approx(said, rel=0.02)


def test_what_spare_space_does_not_explain_is_said(ftlab):
    flat = {f"{used}GiB": 1.5 + used / 1000 for used in (400, 500, 600, 700, 800)}
    told = ftlab("identify", written(flat)).stdout
    assert "cannot be explained by spare space: the error follows the fill level" in told
    one = {"800GiB": 2.5}
    assert "a capacity and no test" in ftlab("identify", written(one)).stdout


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "drive.csv:1: found no column used, expected used,write_amplification"),
        ("used,wa\n1GiB,2\n", "drive.csv:1: found no column write_amplification"),
        ("used,write_amplification\n", "model.measurements: found 0, expected 1 to 1000"),
        ("used,write_amplification\nhalf,2\n", "drive.csv:2: used: found half, expected a size"),
        ("used,write_amplification\n\n1GiB\n", "drive.csv:3: write_amplification: found nothing"),
        ("used,write_amplification\n1GiB,nan\n", "drive.csv:2: write_amplification: found nan"),
        ("used,write_amplification\n1GiB,0.5\n", "0.5, expected 1 or more"),
        ("used,write_amplification\n0,2\n", "found 0 bytes in use"),
        ("\xff\x00\x01", "drive.csv:1: found no column used"),
        ("x" * 200_000, "drive.csv:1: field larger than field limit (131072), expected a CSV"),
        ('used,write_amplification\n"1\n\nGiB",x\n', "drive.csv:4: write_amplification: found x"),
        ("used,write_amplification\n1e400,2\n", "drive.csv:2: used: found 1e400, expected a size"),
        ("used,write_amplification\n1,1e400\n", "drive.csv:2: write_amplification: found 1e400"),
    ],
)
def test_a_mistake_is_one_line_with_its_place(ftlab, content: str, told: str):
    Path("drive.csv").write_bytes(content.encode("latin-1"))
    assert told in failure(ftlab("identify", "drive.csv"), 2)


@pytest.mark.parametrize("capacity", ["1e400", "1e300GB", "0", "half"])
def test_a_capacity_that_no_drive_has_is_told(ftlab, capacity: str):
    outcome = ftlab("identify", written(MAX_7450), "--capacity", capacity)
    assert f"found {capacity}, expected a size such as 960GB" in failure(outcome, 2)
