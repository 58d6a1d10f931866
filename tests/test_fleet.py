"""Fleets: volumes as points of their own, and what is told of them together."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import ftlab as package
from ftlab.fleet import FEW_REQUESTS, NO_ERASE, Fleet, Member, percentiles
from ftlab.points import volumes
from ftlab.points.entry import sealed
from ftlab.points.store import VOLUMES
from ftlab.points.volumes import split
from marks import long_but
from test_cli import failure

SMALL = ("--pages-per-block", "16", "--capacity", "4MiB", "--address", "modulo", "--least", "50")


@pytest.fixture
def cloud(tmp_path) -> Path:
    """Four volumes: two that overwrite their pages for long, one for a while, one for a moment."""
    requests = {3: 3000, 7: 2000, 11: 60, 12: 5}
    rows = [
        (step, f"{step / 100:.6f}", volume, 8 * (step * step % 997))
        for volume, count in requests.items()
        for step in range(count)
    ]
    lines = [f"{volume},{sector},4096,w,{time}\n" for _, time, volume, sector in sorted(rows)]
    path = tmp_path / "cloud.spc"
    path.write_text("".join(lines))
    return path


def test_a_fleet_is_the_sum_of_its_volumes(ftlab, cloud):
    found = ftlab("fleet", cloud, *SMALL, "--ftl", "page,dftl", "--json")
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    assert [each["ftl"] for each in told["fleet"]] == ["page", "dftl"]
    rows = [row for row in told["volumes"] if row["ftl"] == "dftl"]
    assert {row["volume"]: row["left_out"] for row in rows} == {
        3: None,
        7: None,
        11: NO_ERASE,
        12: FEW_REQUESTS,
    }
    page_writes, programs = (sum(r[k] for r in rows[:2]) for k in ("page_writes", "programs"))
    fleet = told["fleet"][1]
    assert page_writes == 5000
    assert fleet["write_amplification"] == programs / page_writes > 1
    for row in rows[:3]:
        assert row["programs"] / row["page_writes"] == pytest.approx(row["write_amplification"])
    both = [row["write_amplification"] for row in rows[:2]]
    spread = fleet["percentiles"]["write_amplification"]
    assert spread["mean"] == pytest.approx(sum(both) / 2)
    assert (spread["volumes"], spread["min"], spread["max"]) == (2, min(both), max(both))
    assert {spread[f"p{q}"] for q in (5, 25, 50, 75, 95)} == {None}, "of two there are none"
    assert fleet["worst"] == [
        row["volume"] for row in sorted(rows[:2], key=lambda r: -r["write_amplification"])
    ]
    assert (fleet["volumes"], fleet["few_requests"], fleet["nothing_erased"]) == (4, 1, 1)
    assert fleet["write_amplification_with_small"] < fleet["write_amplification"]


def test_percentiles_are_of_twenty_volumes_or_more():
    outcome = package.Result({"write_amplification": 2.0})
    volume = volumes.Volume(1, 1000, Path("1.spc"))
    few = [Member("page", volume, outcome)] * 19
    assert percentiles(few, "write_amplification")["p50"] is None
    assert percentiles([*few, few[0]], "write_amplification")["p95"] == 2.0
    assert percentiles(few, "mapping.hit_ratio") == {}


def test_a_volume_is_as_it_is_alone(ftlab, cloud):
    device = package.Device(capacity="4MiB", pages_per_block=16)
    alone = package.simulate(package.read_trace(cloud, volume=7), "dftl", device, address="modulo")
    found = ftlab("fleet", cloud, *SMALL, "--ftl", "dftl", "--csv")
    rows = {row["volume"]: row for row in csv.DictReader(io.StringIO(found.stdout))}
    assert float(rows["7"]["write_amplification"]) == alone.write_amplification
    assert float(rows["7"]["response_us.p99"]) == alone.response_us.p99
    assert rows["12"]["left_out"] == FEW_REQUESTS
    assert rows["12"]["write_amplification"] == ""


def test_a_fleet_is_split_and_run_once(ftlab, cloud, monkeypatch):
    first = ftlab("fleet", cloud, *SMALL, "--ftl", "dftl")
    files = {path: path.stat().st_mtime_ns for path in Path("ftlab-results").rglob("*.*")}
    again = ftlab("fleet", cloud, *SMALL, "--ftl", "dftl")
    assert again.stdout == first.stdout
    assert files == {path: path.stat().st_mtime_ns for path in Path("ftlab-results").rglob("*.*")}
    for part in ("fleet", "over volumes", "worst", "have fewer than 50 requests"):
        assert part in first.stdout
    lines = [line.split() for line in first.stdout.splitlines()]
    (header,) = [line for line in lines if line[:1] == ["fleet"]]
    assert header[:8] == ["fleet", "volumes", "few", "requests", "not", "erased", "failed", "write"]
    (counts,) = [line for line in lines if line[:1] == ["DFTL"]]
    assert counts[1:5] == ["4", "1", "1", "0"]
    assert "no percentiles of fewer than 20 volumes" in first.stdout
    ftlab("fleet", cloud, *SMALL, "--ftl", "dftl", "--warmup", "sequential")


def test_two_that_split_at_once_use_what_the_first_has_made(cloud, tmp_path, monkeypatch):
    config = package.read_trace(cloud).config()

    def while_another_does(*arguments):
        monkeypatch.undo()
        split(config, tmp_path)
        return volumes.parts(*arguments)

    monkeypatch.setattr(volumes, "parts", while_another_does)
    found = split(config, tmp_path)
    assert [each.number for each in found] == [3, 7, 11, 12]
    assert all(each.file.is_file() for each in found)
    (folder,) = (tmp_path / "volumes").iterdir()
    assert folder == found[0].file.parent
    (folder / volumes.INDEX).unlink()
    assert split(config, tmp_path) == found


def test_volumes_of_a_trace_that_changes_meanwhile_are_not_kept(cloud, tmp_path, monkeypatch):
    config = package.read_trace(cloud).config()

    def and_change(*arguments):
        found = volumes_of(*arguments)
        cloud.write_text(cloud.read_text() + "3,8,4096,w,99.9\n")
        return found

    volumes_of = volumes.parts
    monkeypatch.setattr(volumes, "parts", and_change)
    with pytest.raises(package.ConfigError, match=r"cloud\.spc: changed while it was read"):
        split(config, tmp_path)
    assert list((tmp_path / VOLUMES).iterdir()) == []
    monkeypatch.undo()
    assert split(config, tmp_path)[0].requests == 3001


def test_what_a_killed_split_left_is_removed_by_the_next(cloud, tmp_path):
    killed = f"""
        import os, signal, ftlab
        from pathlib import Path
        from ftlab.points import volumes
        volumes.keep = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        volumes.split(ftlab.read_trace({str(cloud)!r}).config(), Path({str(tmp_path)!r}))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(killed)])
    assert done.returncode == -signal.SIGKILL
    assert len(list((tmp_path / VOLUMES).iterdir())) == 1
    found = split(package.read_trace(cloud).config(), tmp_path)
    assert list((tmp_path / VOLUMES).iterdir()) == [found[0].file.parent]


def index_of(folder: Path) -> Path:
    return folder / volumes.INDEX


VOLUME = "cloud.volume-3.parquet"
HARMS = {
    "a volume is another": lambda f: (f / VOLUME).write_bytes(
        (f / VOLUME.replace("3", "7")).read_bytes()
    ),
    "a volume is cut": lambda f: os.truncate(f / VOLUME, 100),
    "a volume is missing": lambda f: (f / VOLUME).unlink(),
    "a volume is a pipe": lambda f: ((f / VOLUME).unlink(), os.mkfifo(f / VOLUME)),
    "the index is empty": lambda f: index_of(f).write_text(""),
    "the index is no JSON": lambda f: index_of(f).write_text("{{"),
    "the index was edited": lambda f: index_of(f).write_text(
        index_of(f).read_text().replace('"requests": 3000', '"requests": 7')
    ),
    "the index names another file": lambda f: index_of(f).write_text(
        sealed(json.dumps({"files": [{"file": "../../x", "sha256": "", "volume": 3}]}))
    ),
    "the index is missing": lambda f: index_of(f).unlink(),
}


@pytest.mark.parametrize("harm", long_but([*HARMS][:2], HARMS))
def test_volumes_that_were_harmed_are_made_anew(harm, cloud, tmp_path):
    config = package.read_trace(cloud).config()
    found = split(config, tmp_path)
    folder = found[0].file.parent
    before = {each.file: each.file.read_bytes() for each in found}
    assert VOLUME in os.listdir(folder)
    HARMS[harm](folder)
    assert split(config, tmp_path) == found
    assert {each.file: each.file.read_bytes() for each in found} == before


def test_what_is_in_the_way_of_a_volume_is_named(ftlab, cloud):
    assert ftlab("fleet", cloud, *SMALL, "--ftl", "page", "--results", "r").exit_code == 0
    (folder,) = Path("r/volumes").iterdir()
    (folder / VOLUME).unlink()
    (folder / VOLUME).mkdir()
    line = failure(ftlab("fleet", cloud, *SMALL, "--ftl", "page", "--results", "r"))
    assert line.endswith(f"{folder / VOLUME}: cannot be made anew: Is a directory; remove it")


def test_a_fleet_says_what_it_runs_on_and_what_its_runs_warn_of(ftlab, cloud):
    shown = ftlab("fleet", cloud, "--pages-per-block", "16", "--least", "50", "--ftl", "dftl")
    first, *_ = shown.stdout.splitlines()
    assert first == ("trace cloud.spc, device 64 MiB, addresses compact, warm-up none, seed 1")
    warnings = [each for each in shown.stdout.splitlines() if each.startswith("warning: ")]
    assert any("GC never ran" in each for each in warnings)
    assert not any("overload" in each for each in warnings)


def test_ftls_are_compared_on_the_same_volumes(cloud, tmp_path):
    config = {"device": {"capacity": "4MiB", "pages_per_block": 16}, "run": {"address": "modulo"}}
    trace = package.read_trace(cloud)
    fleet = Fleet.run(trace, ["page", "block"], tmp_path, least=50, config=config)
    large = [{each.volume for each in fleet.large(ftl)} for ftl in fleet.ftls]
    assert large[0] == large[1]
    assert [each.number for each in split(trace.config(), tmp_path)] == [3, 7, 11, 12]


def test_a_fleet_of_small_volumes_says_so(ftlab, cloud):
    line = failure(ftlab("fleet", cloud, "--least", "1M"))
    assert (
        "found 4 volumes with at most 3,000 requests, expected one with at least 1,000,000" in line
    )
    failed = ftlab("fleet", cloud, *SMALL, "--ftl", "dftl", "--cache", "1B")
    assert failed.exit_code == 2
    assert "DFTL: volume 3 failed: --cache: found 1 B" in failed.stdout
    assert ftlab("fleet", cloud, *SMALL, "-o", "fleet.md").exit_code == 0
    assert Path("fleet.md").read_text().count("| :-- |") == 3
