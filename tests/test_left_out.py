"""Nothing is left out of results without a word: damaged files, copies, what is gone."""

import gzip
import json
import os
import shutil
from pathlib import Path

import pytest

from ftlab import documents
from ftlab.points import Failure, Point, Store, run_points
from ftlab.points.entry import SEAL, sealed

WORKLOAD = {"pattern": "randwrite", "bs": "4k", "size": "2MiB", "requests": 300}
DEVICE = {"capacity": "4MiB", "pages_per_block": 16}


def point(ftl: str = "page", /, **sections) -> Point:
    config = {"workload": WORKLOAD, "device": DEVICE, **sections}
    return Point(ftl, config, ftl)


POINTS = [point(), point("dftl", ftl={"cache": "256B"}), point("dftl", ftl={"cache": "1KiB"})]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    run_points(POINTS, folder)
    return folder


@pytest.fixture
def folder(made, ftlab) -> Path:
    """The results of `POINTS`, in the folder that the command line runs in."""
    shutil.copytree(made, "r")
    return Path("r")


def first(folder: Path) -> Path:
    return Store(folder).path(POINTS[0])


def reseal(path: Path, change) -> None:
    """Change the tree of a result and seal it again."""
    tree = json.loads(gzip.decompress(path.read_bytes()))
    del tree["checksum"]
    change(tree)
    path.write_bytes(gzip.compress(sealed(json.dumps(tree)).encode()))


def bomb(path: Path) -> None:
    """A small file that unpacks to more than any result has."""
    path.write_bytes(gzip.compress(bytes(documents.MOST_BYTES + 1)))


def lying_bomb(path: Path) -> None:
    """One whose end says that it is small."""
    bomb(path)
    path.write_bytes(path.read_bytes()[:-4] + bytes(4))


HARMS = {
    "damaged": lambda path: os.truncate(path, 500),
    "bomb": bomb,
    "lying bomb": lying_bomb,
    "folder": lambda path: (path.unlink(), path.mkdir()),
    "fifo": lambda path: (path.unlink(), os.mkfifo(path)),
    "loop": lambda path: (path.unlink(), path.symlink_to(path.name)),
}
WHY = {
    "folder": "is no file",
    "fifo": "is no file",
    "loop": "cannot be read: Too many levels of symbolic links",
}


@pytest.mark.parametrize("harm", HARMS)
def test_a_file_without_a_result_is_named_and_the_others_are_shown(
    harm, folder, ftlab, monkeypatch
):
    monkeypatch.setattr(documents, "MOST_BYTES", 1 << 20)
    path = first(folder)
    HARMS[harm](path)
    whole = ftlab("results", "r", "-o", "x.csv")
    assert whole.exit_code == 2
    why = WHY.get(harm, "damaged")
    assert whole.stderr == f"r: 1 file is left out: {path.name} ({why})\n"
    assert len(Path("x.csv").read_text().splitlines()) == 3
    drawn = ftlab("plot", "r", "--x", "ftl.cache", "--y", "write_amplification", "-o", "x.svg")
    assert (drawn.exit_code, whole.stderr in drawn.stderr) == (2, True)
    assert Path("x.svg").exists()
    merged = ftlab("results", "m", "--merge", "r")
    assert merged.exit_code == 2
    assert merged.stderr == f"2 results taken from r\n{whole.stderr}"


def test_a_copy_of_a_result_does_not_count_twice(folder, ftlab):
    copy = folder / f"again-{first(folder).name}"
    shutil.copy(first(folder), copy)
    shown = ftlab("results", "r", "--json")
    assert shown.exit_code == 2
    assert len(json.loads(shown.stdout)) == 3
    told = f"r: 1 file is left out: {copy.name} (a copy, which has another name than its result)"
    assert shown.stderr.strip() == told


def test_many_files_are_counted_and_three_are_named(folder, ftlab):
    for number in range(5):
        (folder / f"{number}.json.gz").write_bytes(b"")
    named = ", ".join(f"{number}.json.gz (damaged)" for number in range(3))
    assert ftlab("results", "r").stderr == f"r: 5 files are left out: {named}, 2 more\n"


def test_results_that_are_whole_are_told_by_exit_code_0(folder, ftlab):
    assert (ftlab("results", "r").exit_code, ftlab("results", "r").stderr) == (0, "")
    empty = ftlab("results", "r", "--where", "ftl = tpftl")
    assert (empty.exit_code, empty.stderr) == (0, "none of 3 points fits\n")


def test_a_folder_that_cannot_be_read_is_named(ftlab, monkeypatch):
    Path("file").write_text("")
    for name, why in [
        ("file", "found no such folder, but a file"),
        ("a" * 300, "File name too long"),
    ]:
        result = ftlab("results", name)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"error: {name}: ")
        assert why in result.stderr

    def refuse(folder):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "listdir", refuse)
    assert ftlab("results", "r").stderr == "error: r: cannot be read: Permission denied\n"


def test_results_that_go_while_a_sweep_runs_are_counted(ftlab, monkeypatch):
    from ftlab.cli import sweep

    complete = sweep.complete

    def and_remove(points, folder, **how):
        # As where workers of an executor have saved them.
        first, _ = complete(points, folder, **how)
        return [first, None]

    monkeypatch.setattr(sweep, "complete", and_remove)
    setup = ["--workload", "randwrite,bs=4k,size=1MiB,requests=100", "--capacity", "16MiB"]
    done = ftlab("sweep", *setup, "--ftl", "page,dftl", "--results", "r")
    assert done.exit_code == 2
    assert done.stderr.startswith("1 of 2 results were removed from r, or damaged, meanwhile;")
    assert [line.split()[0] for line in done.stdout.splitlines()[:2]] == ["ftl", "page-level"]


LEAVES = [None, True, 7, 2**70, -(2**70), 1.5, "text", "\ud800", [], [[1]], {}, {"a": {"b": "c"}}]


def places(tree, path=()):
    """Yield the path of each value of a tree; of a list or a large table the first alone."""
    for key in tree if isinstance(tree, dict) else range(min(len(tree), 1)):
        yield (*path, key)
        if isinstance(tree[key], dict | list):
            yield from places(tree[key], (*path, key))


def put(tree, path, value):
    for key in path[:-1]:
        tree = tree[key]
    tree[path[-1]] = value


@pytest.mark.long
@pytest.mark.parametrize("failed", [False, True])
def test_a_sealed_entry_of_another_shape_never_ends_in_a_traceback(failed, folder, ftlab):
    """Every value is replaced in turn, each time by the next of `LEAVES`."""
    path = first(folder)
    if failed:
        Store(folder).save(POINTS[0], Failure("ConfigError", "why"))
    sound = path.read_bytes()
    tree = json.loads(gzip.decompress(sound))
    places_of = [each for each in places(tree) if each != ("checksum",)]
    step = 1 if failed else 11
    for number, place in enumerate(places_of[::step]):
        path.write_bytes(sound)
        reseal(path, lambda tree, n=number, p=place: put(tree, p, LEAVES[n % len(LEAVES)]))
        for form in ("x.csv", "x.json", "x.sqlite", "x.md"):
            shown = ftlab("results", "r", "-o", form)
            assert isinstance(shown.exception, SystemExit | None), (place, form, shown.exc_info)
            assert shown.exit_code in (0, 2)


def test_numbers_that_json_does_not_have_are_damage(folder, ftlab):
    reseal(first(folder), lambda tree: put(tree, ("result", "ram_bytes"), float("nan")))
    assert "(damaged)" in ftlab("results", "r").stderr


@pytest.mark.parametrize("place", [("result", "ram_bytes"), ("identity", "ftl")])
def test_a_number_without_end_is_damage(place, folder, ftlab):
    path = first(folder)
    reseal(path, lambda tree: put(tree, place, 17.25))
    text = gzip.decompress(path.read_bytes()).decode().replace("17.25", "1e999")
    path.write_bytes(gzip.compress(sealed(text.rpartition(SEAL)[0] + "}").encode()))
    for command in (
        ["results", "r"],
        ["plot", "r", "--x", "gc.policy", "--y", "ram_bytes", "-o", "x.svg"],
    ):
        told = ftlab(*command)
        assert isinstance(told.exception, SystemExit | None), told.exc_info
        assert "(damaged)" in told.output


@pytest.mark.parametrize("section", [("config", "run"), ("result", "config", "run")])
def test_a_section_that_is_no_table_is_damage(section, folder, ftlab):
    reseal(first(folder), lambda tree: put(tree, section, 5))
    told = ftlab("results", "r")
    assert isinstance(told.exception, SystemExit | None), told.exc_info
    assert "(damaged)" in told.output
