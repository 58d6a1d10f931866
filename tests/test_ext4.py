"""A file system on a live device whose server is killed: a few of `make kills-ext4`."""

import os
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "tools"))

import kills_ext4


def test_a_file_that_was_synced_outlives_kills(tmp_path):
    if why := kills_ext4.not_permitted():
        if os.environ.get("FTLAB_EXT4_REQUIRED"):
            pytest.fail(why)
        pytest.skip(f"REAL FILE SYSTEM NOT TESTED: {why}")
    killed = kills_ext4.kill("tpftl", 3, seed=7, folder=tmp_path)
    assert killed.wrong == []
    assert killed.kills == 3
    assert killed.syncs > 0
    assert killed.files > 0


def test_a_file_that_is_not_as_it_was_synced_is_told(tmp_path):
    files = kills_ext4.Files(synced={"a": 1, "b": 2, "c": 0, "d": 4}, in_flight=("d", 5))
    (tmp_path / "a").write_bytes(kills_ext4.content("a", 1))
    (tmp_path / "c").write_bytes(b"deleted")
    (tmp_path / "d").write_bytes(kills_ext4.content("d", 5))
    wrong = files.wrong(tmp_path)
    assert [each.split(":")[0] for each in wrong] == ["file b", "file c"]
    assert files.synced["d"] == 5
