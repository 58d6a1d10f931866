"""The columnar store from the outside: converting, splitting, ranges of time, other programs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ftlab import ConfigError, TraceError, Workload, profile, read_trace
from marks import long_but
from test_cli import failure

COMMAND = str(Path(sys.executable).parent / "ftlab")


def test_a_converted_trace_is_the_same_trace(ftlab, trace):
    result = ftlab("trace", "convert", trace, "-o", "small.parquet")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("small.parquet: 40 requests as parquet, ")
    before, after = (
        json.loads(ftlab("trace", "info", path, "--json").stdout)
        for path in (trace, "small.parquet")
    )
    assert after["format"] == "parquet"
    ignored = {"name", "format", "units"}
    assert {k: after[k] for k in after.keys() - ignored} == {
        k: before[k] for k in before.keys() - ignored
    }
    runs = [json.loads(ftlab("run", path, "--json").stdout) for path in (trace, "small.parquet")]
    assert runs[0]["flash"] == runs[1]["flash"]
    assert runs[0]["trace"]["digest"] == runs[1]["trace"]["digest"]
    assert os.listdir() == ["small.parquet"]


@pytest.mark.parametrize(("codec", "number"), [("gzip", 2), ("brotli", 4), ("lz4", 5), ("lz4", 7)])
def test_a_codec_that_is_not_read_is_told_by_its_name(ftlab, trace, codec, number):
    ftlab("trace", "convert", trace, "-o", "small.parquet")
    # The codec follows the column's name in the footer, as field 4: a zigzag integer of Thrift.
    of_column = b"time_ns\x15%c"
    zstd = Path("small.parquet").read_bytes()
    assert zstd.count(of_column % 12) == 1
    Path("other.parquet").write_bytes(zstd.replace(of_column % 12, of_column % (2 * number)))
    line = failure(ftlab("run", "other.parquet"))
    assert f"found columns compressed with {codec}, expected zstd, snappy or none" in line


@pytest.mark.parametrize(
    "name", long_but(["a.parquet"], ["a.spc", "a.mqsim.zst", "a.disksim.trace.gz", "a.parquet"])
)
def test_a_workload_can_be_given_to_other_simulators(name, tmp_path):
    workload = Workload("randrw", bs="8k", size="4MiB", requests=3000)
    written = workload.convert(tmp_path / name)
    assert written.requests == 3000
    assert written.bytes == (tmp_path / name).stat().st_size
    columns, same = workload.to_numpy(), read_trace(tmp_path / name).to_numpy()
    for column, values in columns.items():
        assert np.array_equal(values, same[column]), column


def test_standard_output_is_a_target_and_standard_input_a_source(trace):
    convert = [COMMAND, "trace", "convert", str(trace), "-o", "-", "--to", "spc"]
    text = subprocess.run(convert, capture_output=True, check=True).stdout
    assert text.count(b"\n") == 40
    info = [COMMAND, "trace", "info", "-", "--json"]
    done = subprocess.run(info, input=text, capture_output=True, check=True)
    assert json.loads(done.stdout)["digest"] == read_trace(trace).info().digest


def test_mistakes_are_told_in_one_line_and_leave_nothing(ftlab, trace):
    ftlab("trace", "convert", trace, "-o", "small.parquet")
    line = failure(ftlab("trace", "convert", trace, "-o", "small.txt"))
    assert "expected a name that ends in .spc, .mqsim, .disksim, .parquet" in line
    line = failure(ftlab("trace", "convert", trace, "-o", "x", "--to", "parket"))
    assert 'did you mean "parquet"' in line
    failure(ftlab("trace", "convert", "missing.spc", "-o", "x.parquet"))
    line = failure(ftlab("run", "small.parquet", "--format", "spc"))
    assert line.startswith("error: small.parquet")
    line = failure(ftlab("run", trace, "--format", "parquet"))
    assert "expected PAR1 at both ends" in line
    assert os.listdir() == ["small.parquet"]


def test_a_pipe_cannot_be_read_from_its_end(ftlab, trace):
    ftlab("trace", "convert", trace, "-o", "small.parquet")
    for options in ([], ["--format", "parquet"]):
        done = subprocess.run(
            [COMMAND, "trace", "info", "-", *options],
            input=Path("small.parquet").read_bytes(),
            capture_output=True,
        )
        assert done.returncode == 2
        assert b"is read from its end" in done.stderr


def test_a_range_of_time_is_taken_from_any_format(ftlab, trace):
    ftlab("trace", "convert", trace, "-o", "small.parquet")
    for path in (trace, "small.parquet"):
        options = ("--since", "100ms", "--until", "0.2s", "--json")
        info = json.loads(ftlab("trace", "info", path, *options).stdout)
        assert (info["requests"], info["duration_s"]) == (10, 0.09)
        columns = read_trace(path, from_="100ms", until="200ms", requests=3).to_numpy()
        assert columns["time_ns"].tolist() == [0, 10_000_000, 20_000_000]
        line = failure(ftlab("trace", "info", path, "--since", "1h"))
        assert line == "error: --since: found 3600 s, but the last request comes after 0.39 s"
    line = failure(ftlab("run", "financial1", "--since", "1h"))
    assert line.startswith("error: --since: found a model, expected a trace")


def test_each_volume_becomes_a_file(ftlab, tmp_path):
    path = tmp_path / "three.spc"
    path.write_text("".join(f"{n % 3},{8 * n},4096,w,{n}\n" for n in range(30)))
    result = ftlab("trace", "split", path, "-o", "volumes")
    assert result.stdout == "volumes: 3 volumes, 30 requests as parquet\n"
    assert sorted(os.listdir("volumes")) == [f"three.volume-{n}.parquet" for n in range(3)]
    for n in range(3):
        alone = read_trace(f"volumes/three.volume-{n}.parquet").info()
        assert alone.digest == read_trace(path, volume=n).info().digest
    assert "not empty" in failure(ftlab("trace", "split", path, "-o", "volumes"))
    path.write_text("0,8,4096,w,1\n1,8,4096,w,0\n")
    failure(ftlab("trace", "split", path, "-o", "none"))
    assert os.listdir() == ["volumes"]


@pytest.mark.parametrize("place", ["nodir/x", "nodir/x/y", "file/x", "file", "x" * 300])
def test_a_folder_that_cannot_be_made_is_told_by_its_name(ftlab, trace, place):
    Path("file").write_text("")
    line = failure(ftlab("trace", "split", trace, "-o", place))
    assert line.startswith(f"error: {place}: ")
    assert ".partial" not in line
    assert os.listdir() == ["file"]


@pytest.mark.long
def test_thousands_of_volumes_need_little_memory(tmp_path):
    path = tmp_path / "many.spc"
    path.write_text(
        "".join(f"{n * 7919 % 5000},{8 * n},4096,w,{n / 1e3:.3f}\n" for n in range(200_000))
    )
    split = [COMMAND, "trace", "split", str(path), "-o", str(tmp_path / "volumes")]
    code = (
        f"import subprocess, resource; subprocess.run({split!r}, check=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert len(os.listdir(tmp_path / "volumes")) == 5000
    kilobytes = int(done.stdout.split()[-1]) >> (10 if sys.platform == "darwin" else 0)
    assert kilobytes < 120_000


def test_pandas_opens_what_is_written(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path = tmp_path / "profile.parquet"
    source = profile("financial1", requests=5000)
    source.convert(path)
    frame = pandas.read_parquet(path)
    types = {"time_ns": "int64", "volume": "uint32", "offset": "int64", "length": "uint32"}
    assert frame.dtypes.astype(str).to_dict() == {**types, "op": "uint8"}
    for column, values in source.to_numpy().items():
        assert np.array_equal(frame[column].to_numpy(), values), column
    changed = frame[frame.op == 1]
    changed.to_parquet(path)
    assert read_trace(path).info().requests == len(changed)


def test_python_raises_what_the_command_line_prints(tmp_path, trace):
    with pytest.raises(ConfigError, match="name that ends in"):
        read_trace(trace).convert(tmp_path / "x.txt")
    with pytest.raises(TraceError, match=r"missing\.parquet"):
        read_trace(tmp_path / "missing.parquet").info()
    (part,) = read_trace(trace).split(tmp_path / "volumes")
    assert (part.volume, part.requests, part.file) == (0, 40, "small.volume-0.parquet")
