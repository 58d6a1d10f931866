"""What a drive with placement handles reports: metrics, table, the text of nvme."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from ftlab.cli import program

PAGE = 4096
UNIT = 16 * PAGE

RUN = [
    "run",
    "--ftl=page",
    "--separation=handles",
    "--capacity=3MiB",
    "--warmup=none",
    "--set=device.pages_per_block=16",
    "--set=device.blocks=64",
    "--set=gc.start=each-page",
    "--set=gc.low=6",
    "--set=gc.high=7",
    "--set=handles.count=3",
]


@pytest.fixture
def trace(tmp_path: Path) -> str:
    """Return a trace: a loop by handle 0, random pages by 1 and 2, and one invalid handle."""
    lines = ["time,op,offset,size,hint"]
    number = 12_345
    for step in range(6_000):
        number = number * 1_103_515_245 + 12_345 & 0x7FFF_FFFF
        page, hint = (step % 512, 0) if step % 2 else (512 + (number >> 8) % 256, 1 + step % 3 % 2)
        hint = 7 if step == 5_999 else hint
        lines.append(f"{step / 1e3},W,{page * PAGE},{PAGE},{hint}")
    path = tmp_path / "streams.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


COLUMNS = "--columns=time=time:s,op=op,offset=offset,length=size,hint=hint"


def ran(*arguments: str) -> str:
    """Return what the command prints."""
    outcome = CliRunner().invoke(program, list(arguments))
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def test_a_result_counts_by_handle_and_all_adds_up(trace: str) -> None:
    result = json.loads(ran(*RUN, trace, COLUMNS, "--json"))
    fdp, classes = result["fdp"], result["classes"]
    copied = result["flash"]["programs"]["gc_data"]
    assert copied > 0
    assert sum(classes["copied_by_writer"]) == sum(fdp["copied_by_owner"]) == copied
    assert fdp["host_bytes_written"] == 6_000 * PAGE
    assert fdp["media_bytes_written"] == (6_000 + copied) * PAGE
    assert fdp["media_bytes_erased"] == sum(fdp["erased_by_owner"]) * UNIT
    assert fdp["events"]["invalid_placement_identifier"] == 1
    for handle, factor in enumerate(fdp["write_amplification"]):
        host = classes["written"][handle]
        assert factor == pytest.approx((host + classes["copied_by_writer"][handle]) / host)


def test_the_text_is_that_of_nvme(trace: str) -> None:
    result = json.loads(ran(*RUN, trace, COLUMNS, "--json"))["fdp"]
    text = ran(*RUN, trace, COLUMNS, "--fdp")
    text, mark, events = text.partition("Event[0]")
    assert mark and "Invalid Placement Identifier" in events
    stats, *status = text.rstrip("\n").split("\n\n")
    assert stats.split("\n") == [
        f"Host Bytes with Metadata Written (HBMW): {result['host_bytes_written']}",
        f"Media Bytes with Metadata Written (MBMW): {result['media_bytes_written']}",
        f"Media Bytes Erased (MBE): {result['media_bytes_erased']}",
    ]
    assert len(status) == 3
    for handle, (each, blocks) in enumerate(
        zip(status, result["available_media_writes"], strict=True)
    ):
        assert each.split("\n") == [
            f"Placement Identifier {handle}; Reclaim Unit Handle Identifier {handle}",
            "  Estimated Active Reclaim Unit Time Remaining (EARUTR): 0",
            f"  Reclaim Unit Available Media Writes (RUAMW): {blocks}",
        ]
        assert 0 <= blocks <= UNIT // 512


def test_the_summary_has_a_row_for_each_handle(trace: str) -> None:
    text = ran(*RUN, trace, COLUMNS)
    assert re.search(r"^placement handles$", text, re.MULTILINE), text
    assert re.search(r"^ *2 +[\d,]+ +\d\.\d{3} ", text, re.MULTILINE), text
    assert "shared by GC" in text
    assert "invalid placement identifier" in text


def test_a_drive_without_handles_reports_none(trace: str) -> None:
    arguments = ["run", "--ftl=page", "--warmup=none", trace, COLUMNS]
    result = json.loads(ran(*arguments, "--json"))
    assert (result["classes"], result["fdp"]) == (None, None)
    outcome = CliRunner().invoke(program, [*arguments, "--fdp"])
    assert outcome.exit_code == 2
    assert "found separation none, expected handles" in outcome.stderr


def test_a_zoned_drive_has_no_handles_and_runs_in_vain_for_none() -> None:
    outcome = CliRunner().invoke(program, [*RUN, "--ftl=zones", "no-such-file.csv", "--fdp"])
    assert outcome.exit_code == 2
    assert "--fdp: found zones, expected placement handles" in outcome.stderr, "before it is read"


def test_the_text_of_nvme_is_no_other_form() -> None:
    for form, found in (("--json", "--json"), ("--output=x.csv", "--output x.csv")):
        outcome = CliRunner().invoke(program, [*RUN, "no-such-file.csv", "--fdp", form])
        assert outcome.exit_code == 2
        assert f"--fdp and {found} exclude each other" in outcome.stderr


@pytest.fixture
def updated(tmp_path: Path) -> str:
    """Return a trace that leaves a unit of handle 1 after 5 pages, and one of handle 2 after 20."""
    writes = [(1, 0)] * 5 + [(1, 1)] + [(2, 0)] * 20 + [(2, 1), (2, 1)]
    lines = ["time,op,offset,size,hint,update"]
    for page, (hint, update) in enumerate(writes):
        lines.append(f"{page / 1e3},W,{page * PAGE},{PAGE},{hint},{update}")
    # Reads may update a handle, too. Handle 7 is none of the drive.
    lines += [f"1.0,R,0,{PAGE},1,1", f"1.1,R,0,{PAGE},7,1"]
    path = tmp_path / "updated.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


UPDATES = f"{COLUMNS},update=update"


@pytest.mark.parametrize("ftl", ["page", "dftl", "hat"])
def test_an_update_leaves_the_unit_as_it_is(updated: str, ftl: str) -> None:
    common = [each for each in RUN if ftl != "dftl" or "gc.start" not in each]
    ahead = [] if ftl == "dftl" else ["--set=gc.open=ahead"]
    arguments = [*common, f"--ftl={ftl}", *ahead, updated, UPDATES, "--json"]
    fdp = json.loads(ran(*arguments))["fdp"]
    assert fdp["updates"] == 4, "that of handle 7 is refused"
    # Handle 1 after 5 pages of 16, and after 1. Handle 2 after 4 of its second unit, and after 1.
    assert fdp["events"]["not_fully_written"] == 4
    assert fdp["unwritten"] == 11 + 15 + 12 + 15
    full = UNIT // 512
    assert fdp["available_media_writes"] == [full, full, full - PAGE // 512]
    assert fdp["log"]["handle"] == [1, 2, 2, 1]
    assert fdp["log"]["kind"] == ["not_fully_written"] * 4


def test_the_text_has_events_as_nvme_prints_them(updated: str) -> None:
    text = ran(*RUN, updated, UPDATES, "--fdp")
    assert text.split("Event[1]\n", 1)[1].split("\n")[:5] == [
        "  Event Type: 0 (Reclaim Unit Not Fully Written)",
        "  Event Timestamp: 26 (0.026 s)",
        "  Placement Identifier (PID): 0x2",
        "  Reclaim Group Identifier: 0",
        "  Reclaim Unit Handle Identifier 2",
    ]


def test_a_handle_is_updated_after_so_many_bytes(trace: str) -> None:
    every = f"--set=input.update_every={10 * PAGE}"
    result = json.loads(ran(*RUN, trace, COLUMNS, every, "--json"))
    written = result["classes"]["written"]
    assert result["fdp"]["updates"] == sum((pages - 1) // 10 for pages in written[:3])
    assert result["fdp"]["events"]["not_fully_written"] == result["fdp"]["updates"]


def test_an_input_that_updates_its_handles_has_no_other_updates(updated: str) -> None:
    arguments = [*RUN, updated, UPDATES, "--set=input.update_every=64KiB"]
    outcome = CliRunner().invoke(program, arguments)
    assert outcome.exit_code == 2
    assert "input.update_every: found 64KiB, but the input updates its handles" in outcome.stderr


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_course_has_columns_for_each_handle(trace: str, tmp_path: Path, suffix: str) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow" if suffix == "parquet" else "pandas")
    path = tmp_path / f"course.{suffix}"
    result = json.loads(ran(*RUN, trace, COLUMNS, "--json", f"--series={path}"))
    table = pd.read_csv(path) if suffix == "csv" else pd.read_parquet(path)
    for handle in range(3):
        for name, total in (("written", "written"), ("copied", "copied_by_writer")):
            assert table[f"{name}.{handle}"].sum() == result["classes"][total][handle]
    assert list(table["requests"]) == result["timeline"]["requests"]
    both = (table["written.1"] + table["copied.1"]) / table["written.1"]
    found = table["write_amplification.1"]
    assert (found - both)[table["written.1"] > 0].abs().max() < 1e-12
