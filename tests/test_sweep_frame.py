"""Sweeps from Python: settings and metrics as a frame, and a day's work in a script."""

import pytest

import ftlab as package
from ftlab import Sweep, sweep
from ftlab.report.difference import Measured


@pytest.fixture
def swept(tmp_path) -> Sweep:
    trace = package.profile("financial1", requests=2000)
    ftls = [
        package.DFTL(["1KiB", "4KiB"]),
        "tpftl:cache=4KiB",
        package.TPFTL("4KiB", features="bc"),
    ]
    return sweep(trace, ftls, preset="tpftl-eurosys15", seeds=2, results=tmp_path / "kept")


def test_a_sweep_is_a_row_for_each_run_with_settings_and_metrics(swept):
    rows = swept.rows()
    assert len(rows) == len(swept) == 8
    assert {"ftl", "ftl.cache", "run.seed", "mapping.hit_ratio", "response_us.mean"} <= set(rows[0])
    assert len(rows[0]) < 40 and not any(name.startswith("config.") for name in rows[0])
    assert {row["ftl.cache"] for row in rows} == {1024, 4096}
    assert {row["run.seed"] for row in rows} == {1, 2}
    narrow = swept.rows("gc.runs", "mapping.hit_ratio")
    assert list(narrow[0])[-2:] == ["gc.runs", "mapping.hit_ratio"]
    with pytest.raises(package.ConfigError, match="no metric or setting"):
        swept.rows("p99")


def test_a_frame_is_grouped_in_a_line(swept):
    pytest.importorskip("pandas")
    frame = swept.to_pandas()
    means = frame.groupby(["ftl", "ftl.cache"])["response_us.mean"].mean()
    values = [
        result.response_us.mean
        for result in swept.results
        if result.ftl == "dftl" and result.config.ftl.cache == 1024
    ]
    assert means["dftl", 1024] == pytest.approx(Measured.of(values).mean, rel=1e-12)
    assert frame["mapping.hit_ratio"].dtype == "float64"


def test_missing_metrics_are_empty_and_do_not_end_a_loop(tmp_path):
    pytest.importorskip("pandas")
    trace = package.profile("financial1", requests=500)
    found = sweep(trace, ["page", "dftl"], results=tmp_path / "kept")
    ratios = found.to_pandas()["mapping.hit_ratio"]
    assert ratios.isna().sum() == 1 and 0 <= ratios.mean() <= 1


def test_arrow_and_polars_take_the_same_rows(swept):
    arrow = pytest.importorskip("pyarrow")
    assert isinstance(swept.to_arrow(), arrow.Table)
    polars = pytest.importorskip("polars")
    assert swept.to_polars("mapping.hit_ratio").height == 8 and polars


def test_a_sweep_shows_itself(swept):
    assert "±" in str(swept) and "TPFTL" in swept._repr_html_()
    assert repr(swept) == "<Sweep of 8 runs>"
    first = ["TPFTL (features=bc)"]
    figure = swept.plot("ftl.cache", "mapping.hit_ratio", columns=1, order=first)
    assert figure.axes[0].get_xlabel() == "mapping cache"


def test_parts_and_conditions_are_those_of_the_command(tmp_path):
    lines = "".join(f"0,{n * n % 900 * 8},4096,W,{n / 100:.2f}\n" for n in range(900))
    trace = tmp_path / "t.spc"
    trace.write_text(lines)
    found = sweep(
        trace,
        ["dftl", "page"],
        package.Device(capacity="16MiB"),
        parts=3,
        when="ftl.cache < 8KiB",
        config={"ftl": {"cache": ["4KiB", "16KiB"]}},
        results=tmp_path / "kept",
    )
    rows = found.rows("host.requests")
    assert {row["host.requests"] for row in rows} == {300}
    assert [row["ftl"] for row in rows].count("dftl") == 3


def test_parts_keep_capacities_and_presets_that_are_varied(tmp_path):
    trace = tmp_path / "t.spc"
    trace.write_text("".join(f"0,{n * n % 900 * 8},4096,W,{n / 100:.2f}\n" for n in range(900)))
    kept = {"parts": 2, "results": tmp_path / "kept"}
    found = sweep(trace, ["page"], package.Device(capacity=["16MiB", "32MiB"]), **kept)
    sizes = [row["device.capacity_bytes"] >> 20 for row in found.rows("device.capacity_bytes")]
    assert sorted(sizes) == [16, 16, 32, 32]
    presets = ["tpftl-eurosys15", "cachftl"]
    found = sweep(trace, ["page"], package.Device(capacity="16MiB"), preset=presets, **kept)
    assert len(found) == 4
    with pytest.raises(package.ConfigError, match="presets without a capacity"):
        sweep(trace, ["page"], preset=presets, **kept)


def test_traces_are_shown_in_notebooks():
    text = package.profile("financial1", requests=500)._repr_html_()
    assert "<table" in text and "requests" in text
