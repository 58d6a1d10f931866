"""Power cuts on the command line and in Python: what is promised, told, drawn and had again."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ftlab import ConfigError
from ftlab import crash as crashes
from ftlab.record import Record
from test_cli import failure

SMALL = (
    *("--workload", "randrw,bs=4k,size=1MiB,requests=300"),
    *("--capacity", "1MiB", "--pages-per-block", "16", "--over-provisioning", "50%"),
)
CONFIG = {
    "workload": {"pattern": "randrw", "bs": "4k", "size": "1MiB", "requests": 300},
    "device": {"capacity": "1MiB", "pages_per_block": 16, "over_provisioning": "50%"},
}


def test_ftls_side_by_side_lose_nothing(ftlab, tmp_path):
    figure = tmp_path / "mounts.svg"
    ftls = ("--ftl", "page,dftl,fast", "--cuts", "200", "--plot", figure)
    shown = ftlab("crash", *SMALL, *ftls, "--warmup", "sequential", "--csv")
    assert shown.exit_code == 0, shown.output
    header, *rows = [line.split(",") for line in shown.stdout.splitlines()]
    assert [row[0] for row in rows] == ["page", "dftl", "fast"]
    at = header.index("violations")
    assert [(row[at], row[header.index("cuts")]) for row in rows] == [("0", "300")] * 3
    assert "longest mount (ms)" in figure.read_text("utf-8")


@pytest.mark.long
def test_a_hundred_thousand_cuts_lose_nothing():
    tool = Path(__file__).parent.parent / "tools" / "cuts.py"
    command = [sys.executable, str(tool), "--cuts", "100000"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    rows = [[cell.strip() for cell in line.split("|")] for line in ended.stdout.splitlines()]
    assert [row[1] for row in rows[2:]] == [*crashes.mounting(), "all"]
    assert int(rows[-1][2].replace(",", "")) >= 100_000
    assert {row[5] for row in rows[2:]} == {"0"}


def test_a_cut_has_a_text_that_names_it():
    for text in ("12:before", "7:within:3:before"):
        assert crashes.written(crashes.cut(text)) == text
    for wrong in ("", "x:before", "1", "1:torn", "1:before:2", "1:before:x:within", "-1:before"):
        with pytest.raises(ConfigError, match="expected CHANGE:TEAR"):
            crashes.cut(wrong)


@pytest.mark.parametrize("fsync", [None, 5])
@pytest.mark.parametrize(("ftl", "buffer"), [("page", "lru"), ("treeftl", "none")])
def test_what_was_flushed_is_there(ftl, buffer, fsync):
    config = {
        **CONFIG,
        "workload": {**CONFIG["workload"], "fsync": fsync},
        "buffer": {"policy": buffer, "size": "64KiB"},
        "ftl": {"cache": "64KiB"},
    }
    report = crashes.crash(config, ftl, 100)
    assert report.violations == 0
    assert (0 < report.unflushed.max <= 5) if fsync else report.unflushed.max > 5


def test_one_cut_can_be_made_alone():
    report = crashes.crash(CONFIG, "tpftl", at=crashes.cut("40:within:9:before"))
    assert (report.cuts, report.again, report.torn, report.violations) == (2, 1, 1, 0)
    with pytest.raises(ConfigError, match=r"found change 1000000, expected \d+ to"):
        crashes.crash(CONFIG, "tpftl", at=crashes.cut("1000000:before"))
    with pytest.raises(ConfigError, match="cuts: found 0"):
        crashes.crash(CONFIG, "tpftl", cuts=0)


def test_what_is_lost_ends_with_1_and_says_how_to_have_it_again(ftlab, monkeypatch):
    sound = crashes.crash(CONFIG, "page", cuts=1).to_dict()
    first = {
        "cut": {"change": 5, "tear": "within", "again": [3, "before"]},
        "what": "page 1 is new\n  left: 3",
    }
    lost = Record({**sound, "violations": 2, "first": first})
    monkeypatch.setattr(crashes, "crash", lambda *_: lost)
    ended = ftlab("crash", *SMALL, "--ftl", "page", "--json")
    assert ended.exit_code == 1
    told = json.loads(ended.stdout)[0]
    assert (told["violations"], told["config"]["device"]["pages_per_block"]) == (2, 16)
    assert len(told["trace"]["digest"]) == 16
    assert ended.stderr == (
        "page-level: 2 violations; the first with --at 5:within:3:before: page 1 is new\n"
        "  left: 3\n"
    )


def test_what_cannot_be_cut_is_told(ftlab):
    warmed = ftlab("crash", *SMALL, "--ftl", "page", "--warmup", "footprint")
    assert "expected none, sequential or random:K" in failure(warmed)
    assert "--at: found '1'" in failure(ftlab("crash", *SMALL, "--ftl", "page", "--at", "1"))
