import re
import zlib

import pytest

import sample
from ftlab import Comparison, Result, plot
from ftlab.style import COLUMNS, image, page, themed

FIGURES = sorted(plot.FIGURES)


@pytest.mark.long
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_draws_every_layer(name, comparison):
    svg = image(plot.FIGURES[name](list(comparison), comparison.labels))
    assert svg.startswith(b"<?xml")
    assert len(svg) > 10_000
    for label in comparison.titles:
        assert f">{label}</text>".encode() in svg, "text is text"


def pdf_objects(pdf: bytes) -> bytes:
    """Return a PDF with its compressed streams written out behind it."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    return pdf + b"".join(zlib.decompress(s) for s in streams if s[:1] == b"x")


@pytest.mark.long
@pytest.mark.parametrize("columns", [None, 1, 2])
def test_a_pdf_embeds_truetype_and_no_type_3(comparison, columns):
    pdf = image(comparison.plot.overview(columns), "pdf")
    objects = pdf_objects(pdf)
    assert re.search(rb"/FontFile2\b", objects), "a TrueType font is embedded"
    assert b"/Type3" not in objects
    if columns:
        box = re.search(rb"/MediaBox \[ ?0 0 ([0-9.]+)", objects)
        assert float(box[1]) == pytest.approx(72 * COLUMNS[columns], abs=0.1)


@pytest.mark.parametrize("name", [name for name in plot.PANELS if name != "classes"])
def test_each_panel_can_be_drawn_alone(comparison, name):
    (axes,) = comparison.plot.panel(name, columns=1).axes
    assert axes.has_data()


def test_an_svg_on_a_page_is_dark_where_pages_are(comparison):
    svg = image(comparison.plot.latency())
    dark = themed(svg)
    assert b"@media (prefers-color-scheme:dark)" in dark
    assert len(dark) < len(svg) + 1500
    whole = page(comparison.plot.latency())
    assert b'name="viewport"' in whole
    assert not re.search(rb'(?:src|href)="(?!#)|url\((?!#)', whole.replace(b"xlink:href", b"href"))


@pytest.mark.long
@pytest.mark.parametrize("name", FIGURES)
def test_legends_cover_nothing_with_30_series(name):
    layers = [Result(sample.result("dftl", 400.0 + n, 0.8, 128)) for n in range(30)]
    many = Comparison(layers, [f"dftl(cache={n} KiB)" for n in range(30)])
    figure = plot.FIGURES[name](list(many), many.labels)
    figure.draw_without_rendering()
    parts = [figure, *figure.subfigs, *(each for sub in figure.subfigs for each in sub.subfigs)]
    legends = [legend for part in parts for legend in part.legends]
    assert legends
    boxes = [legend.get_window_extent() for legend in legends]
    for box in boxes:
        assert figure.bbox.x0 - 1 <= box.x0 and box.x1 <= figure.bbox.x1 + 1
        assert not any(box.overlaps(axes.get_tightbbox()) for axes in figure.axes)


@pytest.mark.long
@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_the_same_results_give_the_same_bytes(name, kind, comparison):
    first, second = (
        image(plot.FIGURES[name](list(comparison), comparison.labels), kind) for _ in "12"
    )
    assert first == second
    assert b"<dc:date>" not in first


def test_the_bytes_do_not_depend_on_the_users_settings(comparison):
    import matplotlib as mpl

    before = image(comparison.plot.latency())
    with mpl.rc_context({"font.size": 30, "svg.hashsalt": "other"}):
        assert image(comparison.plot.latency()) == before


def test_response_times_are_drawn_on_a_logarithmic_axis(result):
    (axes,) = result.plot.latency().axes
    assert axes.get_xscale() == "log"
    (line,) = axes.lines
    assert len(line.get_xdata()) == sample.POINTS


def test_operations_are_stacked_by_the_causes_that_occur(comparison):
    reads, _, erases = comparison.plot.operations().axes
    labels = [bars.get_label() for bars in reads.containers]
    assert labels == ["host", "translation", "GC data"]
    assert [bars.get_label() for bars in erases.containers] == ["data blocks", "translation"]


def test_a_layer_without_a_cache_has_no_line_of_hits(comparison):
    hits, amplification = comparison.plot.timeline().axes
    assert [line.get_label() for line in hits.lines] == ["DFTL", "TPFTL"]
    assert len(amplification.lines) == 3


def test_the_warm_up_has_a_point_for_each_window(comparison):
    (axes,) = comparison.plot.warmup().axes
    assert [line.get_label() for line in axes.lines] == ["page-level", "DFTL", "TPFTL"]
    assert list(axes.lines[0].get_xdata()) == list(range(1, 10))


def test_a_result_without_series_still_draws():
    bare = sample.result() | {"distributions": {"response_us": None}, "timeline": None}
    bare["warmup"] = None
    for name in FIGURES:
        assert image(plot.FIGURES[name]([Result(bare)], ["page"]))


def test_labels_are_never_read_as_mathematics():
    odd = Comparison([Result(sample.result())], ["_page$x$(a=b)"])
    assert image(odd.plot.overview())
