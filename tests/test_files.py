import os
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from ftlab import ConfigError, files
from ftlab.points import Store

NOBODY = 65_534
"""The user without rights on every Linux."""


def ran(code: str) -> subprocess.CompletedProcess:
    """Return what came of a program in Python."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, timeout=60, text=True)


def test_a_file_is_replaced_as_a_whole(tmp_path):
    target = tmp_path / "result.json"
    target.write_text("old")
    files.write_atomically(target, "new µs")
    assert target.read_text("utf-8") == "new µs"
    assert os.listdir(tmp_path) == ["result.json"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "result.json"
    target.write_text("old")
    limited = f"""
        import resource, signal
        from ftlab import ConfigError, files
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            files.write_atomically("{target}", "new" * 1000)
        except ConfigError as error:
            print(error)
    """
    assert ran(limited).stdout == f"{target}: cannot be written: File too large\n"
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["result.json"]


def test_a_device_is_written_to_and_never_replaced():
    files.check_writable("/dev/null")
    files.write_atomically("/dev/null", "gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_what_takes_an_entry_follows_no_link_and_waits_for_no_pipe(tmp_path):
    thesis, entry = tmp_path / "thesis", tmp_path / "entry"
    thesis.write_text("of mine")
    for make in (
        lambda: entry.symlink_to(thesis),
        lambda: entry.symlink_to(entry),
        lambda: entry.symlink_to(tmp_path / "nowhere"),
        lambda: os.mkfifo(entry),
    ):
        entry.unlink(missing_ok=True)
        make()
        files.write_atomically(entry, "a result", place="entry")
        assert (entry.is_symlink(), entry.read_text()) == (False, "a result")
    assert thesis.read_text() == "of mine"
    assert sorted(os.listdir(tmp_path)) == ["entry", "thesis"]


def test_what_is_new_takes_the_place_of_nothing(tmp_path):
    (tmp_path / "there").write_text("of mine")
    with pytest.raises(ConfigError, match=r"there: cannot be written: .*exists"):
        files.write_atomically(tmp_path / "there", "new", place="new")
    assert (tmp_path / "there").read_text() == "of mine"


def test_a_link_that_leads_to_itself_is_told_in_a_line(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(ConfigError, match="loop: cannot be written: Too many levels"):
        files.write_atomically(loop, "new")


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    target = tmp_path / "result.json"
    target.write_text("old")
    target.chmod(0o600)
    files.write_atomically(target, "new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


@pytest.fixture
def own_folder():
    """A folder of someone who may not write to everything, as whom the test runs."""
    user = os.getuid()
    with tempfile.TemporaryDirectory() as folder:
        if user == 0:
            os.chown(folder, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, user)
        try:
            yield Path(folder)
        finally:
            os.setresuid(user, user, user)


def test_a_file_that_may_not_be_written_to_is_not_replaced(own_folder):
    target = own_folder / "result.json"
    target.write_text("old")
    target.chmod(0o444)
    with pytest.raises(ConfigError, match="no permission to write to this file"):
        files.check_writable(target)
    with pytest.raises(ConfigError, match="Permission denied"):
        files.write_atomically(target, "new")
    assert target.read_text() == "old"


@pytest.mark.parametrize("length", [200, 238, 255])
def test_a_long_name_is_written_to(tmp_path, length):
    target = tmp_path / ("n" * (length - 5) + ".json")
    files.check_writable(target)
    files.write_atomically(target, "new")
    assert target.read_text() == "new"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_thread_that_is_left_alone_leaves_nothing_when_the_process_ends(tmp_path, number):
    """Also not of what it would finish while the process ends."""
    ended = f"""
        import os, threading, time
        from pathlib import Path
        from ftlab import files
        from ftlab.ending import listen

        def work():
            with files.workplace(Path("{tmp_path}/made")) as place:
                (place / "half").touch()
                threading.Timer(0.1, os.kill, (os.getpid(), {int(number)})).start()
                time.sleep(60)

        listen()
        threading.Thread(target=work, daemon=True).start()
        time.sleep(60)
    """
    assert "KeyboardInterrupt" in ran(ended).stderr
    assert os.listdir(tmp_path) == []


def test_a_process_that_was_forked_leaves_what_its_parent_makes(tmp_path):
    forked = f"""
        import os, sys
        from pathlib import Path
        from ftlab import files
        with files.workplace(Path("{tmp_path}/made")) as place:
            if child := os.fork():
                os.waitpid(child, 0)
                print(place.exists())
            else:
                sys.exit()
    """
    assert ran(forked).stdout == "True\n"
    assert os.listdir(tmp_path) == []


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


def killed_while_it_makes(tmp_path) -> str:
    """Kill a writer of ``made``; return the name of what it leaves."""
    killed = f"""
        import os, signal
        from pathlib import Path
        from ftlab import files
        with files.workplace(Path("{tmp_path}/made")) as place:
            (place / "half").touch()
            files.sweep(place.parent)
            assert place.exists(), "its writer lives"
            os.kill(os.getpid(), signal.SIGKILL)
    """
    assert ran(killed).returncode == -signal.SIGKILL
    (left,) = [each for each in os.listdir(tmp_path) if each.startswith(".made.")]
    return left


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path):
    left = killed_while_it_makes(tmp_path)
    other = left.replace("made", "other")
    (tmp_path / other).write_text("of another")
    files.check_writable(tmp_path / "made")
    assert os.listdir(tmp_path) == [other]
    Store(tmp_path)
    assert os.listdir(tmp_path) == []


def test_what_is_hidden_and_partial_and_of_others_stays(tmp_path):
    killed_while_it_makes(tmp_path)
    (tmp_path / ".backup.partial").mkdir()
    (tmp_path / ".thesis.tex.partial").touch()
    Store(tmp_path)
    assert sorted(os.listdir(tmp_path)) == [".backup.partial", ".thesis.tex.partial"]


def test_a_folder_that_cannot_be_made_is_told_in_a_line(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(ConfigError, match="file/made: cannot be written: File exists"),
        files.workplace(tmp_path / "file" / "made"),
    ):
        pass


@pytest.mark.parametrize("name", ["x" * 300 + ".json", "x\0.json"])
def test_a_name_that_cannot_be_is_told_in_a_line(tmp_path, name):
    with pytest.raises(ConfigError, match="cannot be written"):
        files.check_writable(tmp_path / name)
