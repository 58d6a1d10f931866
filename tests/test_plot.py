import pytest

import sample
from ftlab import Comparison, Result, plot

FIGURES = sorted(plot.FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_draws_every_layer(name, comparison):
    svg = plot.image(plot.FIGURES[name](list(comparison), comparison.labels))
    assert svg.startswith(b"<?xml")
    assert len(svg) > 10_000


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_same_results_give_the_same_bytes(name, kind, comparison):
    first, second = (
        plot.image(plot.FIGURES[name](list(comparison), comparison.labels), kind) for _ in "12"
    )
    assert first == second
    assert b"<dc:date>" not in first


def test_the_bytes_do_not_depend_on_the_users_settings(comparison):
    import matplotlib as mpl

    before = plot.image(comparison.plot.latency())
    with mpl.rc_context({"font.size": 30, "svg.hashsalt": "other"}):
        assert plot.image(comparison.plot.latency()) == before


def test_response_times_are_drawn_on_a_logarithmic_axis(result):
    (axes,) = result.plot.latency().axes
    assert axes.get_xscale() == "log"
    (line,) = axes.lines
    assert len(line.get_xdata()) == sample.POINTS


def test_operations_are_stacked_by_the_causes_that_occur(comparison):
    reads, _, erases = comparison.plot.operations().axes
    labels = [bars.get_label() for bars in reads.containers]
    assert labels == ["host", "translation", "GC data"]
    assert [bars.get_label() for bars in erases.containers] == ["data", "translation"]


def test_a_layer_without_a_cache_has_no_line_of_hits(comparison):
    hits, amplification = comparison.plot.timeline().axes
    assert [line.get_label() for line in hits.lines] == ["dftl", "tpftl"]
    assert len(amplification.lines) == 3


def test_the_warm_up_has_a_point_for_each_window(comparison):
    (axes,) = comparison.plot.warmup().axes
    assert [line.get_label() for line in axes.lines] == ["page", "dftl", "tpftl"]
    assert list(axes.lines[0].get_xdata()) == list(range(1, 10))


def test_a_result_without_series_still_draws():
    bare = sample.result() | {"distributions": {"response_us": None}, "timeline": None}
    bare["warmup"] = None
    for name in FIGURES:
        assert plot.image(plot.FIGURES[name]([Result(bare)], ["page"]))


def test_labels_are_never_read_as_mathematics():
    odd = Comparison([Result(sample.result())], ["_page$x$(a=b)"])
    assert plot.image(odd.plot.overview())
