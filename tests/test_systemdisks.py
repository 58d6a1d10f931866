"""The Systemdisks begin where MNFTL's page-level column says: at few pages, which come again."""

import json
from pathlib import Path

import pytest

from marks import long_but

PAGE, PAGES_OF_BLOCK, WRAPPED = 2048, 128, 1 << 30
REQUESTS = "300000"


@pytest.mark.parametrize(
    "name", long_but(["systemdisk1"], ["systemdisk1", "systemdisk2", "systemdisk3"])
)
def test_a_logical_block_has_fewer_than_sixteen_start_pages_on_average(
    ftlab, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "trace.spc"
    ftlab("trace", "generate", name, "--requests", REQUESTS, "-o", str(path))
    starts = {
        int(sector) * 512 % WRAPPED // PAGE
        for _, sector, _, op, *_ in (
            line.split(",") for line in path.read_text("utf-8").splitlines()
        )
        if op in "wW"
    }
    blocks = {each // PAGES_OF_BLOCK for each in starts}
    assert len(starts) / len(blocks) < 16
    assert {each * PAGE % (16 << 10) for each in starts} == {0}, "the grain is 16 KiB"


@pytest.mark.long
@pytest.mark.parametrize("name", ["systemdisk1", "systemdisk3"])
def test_page_mapping_hardly_copies(ftlab, name: str) -> None:
    run = ftlab("run", name, "--ftl", "page", "--preset", "mnftl-dac11", "--json")
    result = json.loads(run.stdout)
    assert result["flash"]["programs"]["gc_data"] < 0.01 * result["host"]["page_writes"]
