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
    assert sum(fdp["copied_by_writer"]) == sum(fdp["copied_by_owner"]) == copied
    assert fdp["host_bytes_written"] == 6_000 * PAGE
    assert fdp["media_bytes_written"] == (6_000 + copied) * PAGE
    assert fdp["media_bytes_erased"] == sum(fdp["erased_by_owner"]) * UNIT
    assert fdp["events"]["invalid_placement_identifier"] == 1
    for handle, factor in enumerate(fdp["write_amplification"]):
        host = classes["written"][handle]
        assert factor == pytest.approx((host + fdp["copied_by_writer"][handle]) / host)


def test_the_text_is_that_of_nvme(trace: str) -> None:
    result = json.loads(ran(*RUN, trace, COLUMNS, "--json"))["fdp"]
    text = ran(*RUN, trace, COLUMNS, "--fdp")
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


def test_a_zoned_drive_has_no_handles(trace: str) -> None:
    outcome = CliRunner().invoke(program, [*RUN, "--ftl=zones", trace, COLUMNS, "--fdp"])
    assert outcome.exit_code == 2
    assert "--fdp: found zones, expected placement handles" in outcome.stderr
    assert "HBMW" not in outcome.stdout
