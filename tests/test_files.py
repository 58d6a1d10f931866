import fcntl
import os
import signal
import subprocess
import sys
import textwrap

import pytest

from ftlab import ConfigError, files
from ftlab.points import Store


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


def test_a_file_is_on_disk_before_it_has_its_name(tmp_path, monkeypatch):
    calls = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (calls.append("sync"), sync(file)))
    monkeypatch.setattr(os, "replace", lambda *names: (calls.append("rename"), replace(*names)))
    files.write_atomically(tmp_path / "x.json", "new")
    assert calls == ["sync", "rename"]


def test_what_a_killed_writer_left_is_removed(tmp_path):
    killed = f"""
        import os, signal
        from ftlab import files
        os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        files.write_atomically("{tmp_path}/x.json", "new")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(killed)])
    assert done.returncode == -signal.SIGKILL
    (left,) = os.listdir(tmp_path)
    (tmp_path / ".y.json.z.partial").write_text("of another")
    files.check_writable(tmp_path / "x.json")
    assert os.listdir(tmp_path) == [".y.json.z.partial"]
    (tmp_path / left).write_text("again")
    Store(tmp_path)
    assert os.listdir(tmp_path) == []


def test_what_is_being_written_stays(tmp_path, monkeypatch):
    replace = os.replace

    def look(*names):
        files.check_writable(tmp_path / "x.json")
        Store(tmp_path)
        replace(*names)

    monkeypatch.setattr(os, "replace", look)
    files.write_atomically(tmp_path / "x.json", "new")
    assert (tmp_path / "x.json").read_text() == "new"


def test_a_folder_that_is_being_made_stays_and_goes_when_its_writer_is_killed(tmp_path):
    killed = f"""
        import os, signal
        from pathlib import Path
        from ftlab import files
        with files.workplace(Path("{tmp_path}/made")) as place:
            (place / "half").touch()
            files.sweep(place.parent)
            assert place.exists()
            os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(killed)])
    assert done.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".made.")
    files.sweep(tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_told_in_a_line(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(ConfigError, match="file/made: cannot be written: File exists"),
        files.workplace(tmp_path / "file" / "made"),
    ):
        pass


def test_a_file_system_without_locks_is_written_to_and_not_swept(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", refuse)
    (tmp_path / ".x.json.y.partial").touch()
    files.check_writable(tmp_path / "x.json")
    files.write_atomically(tmp_path / "x.json", "new")
    assert sorted(os.listdir(tmp_path)) == [".x.json.y.partial", "x.json"]


@pytest.mark.parametrize("name", ["x" * 300 + ".json", "x\0.json"])
def test_a_name_that_cannot_be_is_told_in_a_line(tmp_path, name):
    with pytest.raises(ConfigError, match="cannot be written"):
        files.check_writable(tmp_path / name)
