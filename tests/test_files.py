import os

import pytest

from ftlab import ConfigError, files


def test_a_file_is_replaced_as_a_whole(tmp_path):
    target = tmp_path / "result.json"
    target.write_text("old")
    files.write_atomically(target, "new µs")
    assert target.read_text("utf-8") == "new µs"
    assert os.listdir(tmp_path) == ["result.json"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    target = tmp_path / "result.json"
    target.write_text("old")

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(ConfigError, match=r"result\.json: cannot be written: No space left"):
        files.write_atomically(target, "new")
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["result.json"]


def test_a_device_is_written_to_and_never_replaced(monkeypatch):
    monkeypatch.setattr(os, "replace", lambda *_: pytest.fail("would have replaced a device"))
    files.check_writable("/dev/null")
    files.write_atomically("/dev/null", "gone")


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "real" / "result.json")
    files.check_writable(link)
    files.write_atomically(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "real" / "result.json").read_text() == "new"


def test_new_files_have_the_permissions_of_any_other(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("")
    files.write_atomically(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == plain.stat().st_mode


def test_what_cannot_be_written_is_known_beforehand(tmp_path):
    with pytest.raises(ConfigError, match="does not exist"):
        files.check_writable(tmp_path / "missing" / "x.json")
    with pytest.raises(ConfigError, match="is a folder"):
        files.check_writable(tmp_path)
    files.check_writable(tmp_path / "x.json")
    assert os.listdir(tmp_path) == []
