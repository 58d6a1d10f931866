"""Traces in several files: names, folders, patterns and archives."""

import json
import tarfile
from pathlib import Path

import pytest

import ftlab as package
from ftlab.points import Point
from ftlab.recording import joined, names, short
from test_cli import failure

ONE = "0,0,4096,w,0.0\n0,8,4096,w,2.0\n"
TWO = "0,16,4096,w,1.0\n0,24,8192,r,3.0\n"
WHOLE = "0,0,4096,w,0.0\n0,16,4096,w,1.0\n0,8,4096,w,2.0\n0,24,8192,r,3.0\n"
SMALL = ("--ftl", "page", "--capacity", "4MiB", "--pages-per-block", "16")


@pytest.fixture
def files(ftlab):
    Path("folder").mkdir()
    Path("folder/a,1.spc").write_text(ONE)
    Path("folder/b.spc").write_text(TWO)
    Path("whole.spc").write_text(WHOLE)
    with tarfile.open("both.tar.gz", "w:gz") as archive:
        archive.add("folder", "data")
    return ["folder/a,1.spc", "folder/b.spc"]


def info(ftlab, *arguments):
    return json.loads(ftlab("trace", "info", *arguments, "--json").stdout)


def test_names_stand_in_braces_and_come_out_again():
    for several in (["a", "b"], ["a,1", "b\\c", "{d}"], ["x/y", "x/z"]):
        assert names(joined(several)) == several
    assert (joined(["a"]), names("a,b"), short("x/a.csv")) == ("a", ["a,b"], "a.csv")
    assert short(joined(["x/b", "x/a", "y/c"])) == "a and 2 more"


def test_what_a_shell_makes_of_a_pattern_is_one_recording(ftlab, files):
    expected = info(ftlab, "whole.spc")["digest"]
    for given in (files, files[::-1], ["folder"], ["folder/*"], ["both.tar.gz"]):
        assert info(ftlab, *given)["digest"] == expected, given
    assert info(ftlab, *files)["name"] == "a,1.spc and 1 more"
    assert package.read_trace(files).info().digest == expected
    assert "named twice" in failure(ftlab("trace", "info", "whole.spc", "whole.spc"))
    run = json.loads(ftlab("run", *files, *SMALL, "--json").stdout)
    assert run["trace"]["digest"] == expected


def test_an_ftl_among_the_files_is_told(ftlab, files):
    told = failure(ftlab("compare", "whole.spc", "tpftl"))
    assert "name it with --ftl tpftl" in told


def test_an_archive_of_several_files_is_not_cut_to_its_first(ftlab, files):
    first = info(ftlab, "both.tar.gz", "--requests", 2)
    assert first["digest"] == info(ftlab, "whole.spc", "--requests", 2)["digest"]
    assert info(ftlab, "both.tar.gz/data/b.spc")["requests"] == 2


@pytest.mark.parametrize(
    "trace", ["folder", "folder/*.spc", "both.tar.gz", "both.tar.gz/data/b.spc"]
)
def test_a_sweep_keeps_results_by_the_content_of_all_files(ftlab, files, trace):
    def kept():
        return {path: path.stat().st_mtime_ns for path in Path("kept").rglob("*") if path.is_file()}

    swept = ["sweep", trace, *SMALL, "--results", "kept"]
    assert ftlab(*swept).exit_code == 0
    first = kept()
    assert first and ftlab(*swept).exit_code == 0
    assert kept() == first, "nothing is run again"


def test_the_content_of_a_recording_decides_and_not_its_name(files, ftlab):
    def content(trace):
        return Point.of(trace, "page").input["input"]["trace"]

    folder = content("folder")
    assert folder == content("folder/*") == content(joined(files))
    assert content("both.tar.gz/data/b.spc") != content("both.tar.gz/data/a,1.spc")
    Path("folder/b.spc").write_text(TWO + "0,0,512,r,9\n")
    assert content("folder") != folder
    with pytest.raises(package.TraceError, match="no file there"):
        content("folder/*.none")
    with pytest.raises(package.ConfigError, match="expected a file or the name of a profile"):
        content("missing")


def test_compare_tune_and_a_sweep_in_python_take_recordings(ftlab, files):
    found = ftlab("compare", *files, "--ftl", "page,dftl", *SMALL[2:])
    assert found.exit_code == 0, found.output
    swept = package.sweep("folder", ["page", "dftl"], device=package.Device(capacity="4MiB"))
    assert len(swept) == 2
