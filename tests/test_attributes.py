"""Attributes of requests, from a trace to columns, files and statistics."""

import json
from pathlib import Path

import numpy as np
import pytest

from ftlab import ConfigError, Trace, Workload, profile, read_trace

COLUMNS = "time=t:ns,offset=o,length=l,op=op,hint=stream,lifetime=life"


@pytest.fixture
def hinted(tmp_path: Path) -> Trace:
    """A trace of three writes and a read, two of them with handles."""
    text = "t,o,l,op,stream,life\n0,0,4096,w,7,short\n1,4096,4096,w,,\n2,0,512,w,7,\n3,0,512,r,2,\n"
    path = tmp_path / "hinted.csv"
    path.write_text(text)
    return read_trace(path, columns=COLUMNS)


def test_columns_of_declared_attributes(hinted):
    columns = hinted.to_numpy()
    assert list(columns)[5:] == ["hint", "lifetime"]
    assert columns["hint"].tolist() == [7, 0, 7, 2]
    assert columns["lifetime"].tolist() == [2, 0, 0, 0]
    assert list(profile("financial1", requests=5).to_numpy())[5:] == []


def test_a_file_of_columns_keeps_them(hinted, tmp_path):
    written = hinted.convert(tmp_path / "hinted.parquet")
    again = read_trace(tmp_path / "hinted.parquet")
    assert written.digest == again.info().digest == hinted.info().digest
    for name, column in hinted.to_numpy().items():
        assert np.array_equal(again.to_numpy()[name], column), name


def test_handles_are_counted(hinted):
    counts = [(one.handle, one.requests, one.written_bytes) for one in hinted.info().handles]
    assert counts == [(0, 1, 4096), (2, 1, 0), (7, 2, 4608)]
    assert profile("financial1", requests=5).info().handles == []


def test_the_command_line_shows_handles(hinted, ftlab):
    shown = ftlab("trace", "info", hinted.trace, "--columns", COLUMNS)
    assert shown.exit_code == 0, shown.output
    handles = shown.output[
        shown.output.index("handles\n") : shown.output.index("volumes\n")
    ].split()
    assert handles[1:] == [
        *("handle", "requests", "writes", "written", "bytes"),
        *("0", "1", "1", "4", "KiB", "2", "1", "0", "0", "B", "7", "2", "2", "4.5", "KiB"),
    ]


def test_a_value_that_is_none_names_line_and_column(ftlab, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("0,0,4096,w,65536\n")
    columns = "time=1,offset=2,length=3,op=4,hint=5"
    done = ftlab("trace", "info", path, "--columns", columns)
    assert done.exit_code == 2
    assert 'bad.csv:1: column 5 (hint): found "65536", expected a whole number' in done.output


def test_text_refuses_attributes(hinted, ftlab):
    done = ftlab("trace", "convert", hinted.trace, "--columns", COLUMNS, "-o", "hinted.spc")
    assert done.exit_code == 2
    assert "request 1: found hint 7, which spc cannot tell" in done.output


def test_a_workload_has_the_words_of_a_job(ftlab):
    words = "randwrite,requests=4,plids=3:5,write_hint=long"
    assert ftlab("trace", "info", "--workload", words).exit_code == 0
    columns = Workload(pattern="randwrite", requests=4, plids="3:5", write_hint="long").to_numpy()
    assert columns["hint"].tolist() == [3, 5, 3, 5]
    assert columns["lifetime"].tolist() == [4] * 4
    one = ftlab("trace", "info", "--workload", "randwrite,requests=4,plids=3", "--json")
    assert [each["handle"] for each in json.loads(one.output)["handles"]] == [3]
    bad = ftlab("trace", "info", "--workload", "randwrite,plids=5-2")
    assert bad.exit_code == 2
    assert "workload.plids" in bad.output and "handles and ranges of them" in bad.output


def test_handles_by_volume_address_and_size(hinted, trace):
    plain = read_trace(hinted.trace, columns=COLUMNS.rpartition(",hint")[0])
    by_size = Trace(trace=plain.trace, columns=plain.columns, hint_by="size:4KiB")
    assert by_size.to_numpy()["hint"].tolist() == [1, 1, 0, 0]
    assert by_size.info().digest != plain.info().digest
    by_range = read_trace(trace, hint_by="range:8KiB:64KiB").to_numpy()
    writes = by_range["op"] == 1
    expected = (by_range["offset"] >= 8192).astype(int) + (by_range["offset"] >= 65536)
    assert (by_range["hint"] == np.where(writes, expected, 0)).all()


def test_two_sources_of_handles_are_refused(hinted):
    with pytest.raises(ConfigError, match="found volume, but the input has handles of its own"):
        Trace(trace=hinted.trace, columns=COLUMNS, hint_by="volume").info()
    with pytest.raises(ConfigError, match=r"input.hint_by.*size:16KiB:128KiB"):
        Trace(trace=hinted.trace, hint_by="hash").info()
