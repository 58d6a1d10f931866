"""Charts of evaluations: published values beside ours, whiskers over seeds, axes that fit."""

import json

import pytest

from ftlab import Result
from ftlab.looks import COLOURS, FAMILIES, of_ftl, of_ftls
from ftlab.style import PUBLISHED
from ftlab_papers.charts import bars, lines, panels
from ftlab_papers.claims import Claim
from ftlab_papers.findings import Change, Value
from ftlab_papers.marks import Mark, Marks, Series, known
from ftlab_papers.measures import at, mean, relative
from ftlab_papers.runs import Runs


def runs(*responses: float) -> Runs:
    """Return a point of DFTL's with each response, and one of page mapping with 100, by seed."""
    return Runs(
        *(
            {("w", "dftl"): Result({"response": each}), ("w", "page"): Result({"response": 100.0})}
            for each in responses
        )
    )


def response(ftl: str):
    return at("response", "w", ftl)


CLAIMS = [
    Claim(
        "X1",
        "",
        "",
        [
            Value("in ms", 0.43, response("dftl") / 1000),
            Change("against page", 0.5, mean([relative("response", ("w", "dftl"), ("w", "page"))])),
            Change("loss", 0.6, -relative("response", ("w", "page"), ("w", "dftl"))),
        ],
    )
]


def test_a_mark_has_mean_and_deviation_over_seeds_and_what_is_published():
    mark = Marks(runs(200.0, 220.0, 240.0), known(CLAIMS))
    found = mark(response("dftl") / 1000)
    assert found == Mark(pytest.approx(0.22), pytest.approx(0.02), 0.43)
    assert mark(response("page")) == Mark(100.0)
    assert mark(at("response", "w", "none")) == Mark(None)


def test_what_is_published_of_a_term_is_known_of_what_is_made_of_it_with_numbers():
    mark = Marks(runs(200.0), known(CLAIMS))
    change = relative("response", ("w", "dftl"), ("w", "page"))
    assert mark(mean([change]) + 1).published == pytest.approx(1.5)
    assert mark(relative("response", ("w", "page"), ("w", "dftl")) + 1).published == 0.4
    assert mark(change + response("page")).published is None


def series(ftl: str = "dftl") -> Series:
    return Series("DFTL", [Mark(2.0, 0.5, 3.0), Mark(None), Mark(0.0)], ftl)


def test_published_bars_are_outlined_and_a_bar_without_height_is_a_nought():
    (axes,) = panels([bars("", ["a", "b", "c"], [series(), Series("none", [Mark(None)])])]).axes
    ours, said = (each for each in axes.containers if each.get_label() in ("DFTL", PUBLISHED))
    assert [bar.get_height() for bar in ours] == [2.0, 0.0]
    assert ours.errorbar is not None
    assert [bar.get_height() for bar in said] == [3.0]
    assert said[0].get_facecolor()[3] == 0.0
    assert said[0].get_x() == ours[0].get_x()
    assert ours[0].get_width() == pytest.approx(0.8), "a series without bars takes no room"
    assert [text.get_text() for text in axes.texts] == ["0"]


def test_published_points_are_hollow_markers_of_the_same_look():
    (axes,) = panels([lines("", [1, 2, 3], [series()])]).axes
    (hollow,) = (line for line in axes.lines if line.get_label() == PUBLISHED)
    assert hollow.get_markerfacecolor() == "none"
    assert hollow.get_color() == of_ftl("dftl").colour
    assert list(hollow.get_ydata()) == [3.0]


@pytest.mark.parametrize(
    ("figures", "percent", "scale"),
    [
        ((1.0, 40.0), False, "log"),
        ((1.0, 4.0), False, "linear"),
        ((-1.0, 40.0), False, "linear"),
        ((0.001, 1.0), True, "linear"),
    ],
)
def test_an_axis_is_logarithmic_where_the_figures_span_decades(figures, percent, scale):
    marks = [Mark(each) for each in figures]
    for draw in (bars, lines):
        (axes,) = panels([draw("", ["a", "b"], [Series("", marks)], percent=percent)]).axes
        assert axes.get_yscale() == scale


def test_the_legend_is_above_all_panels_and_names_each_series_once():
    many = [Series(f"series {number}", [Mark(1.0)]) for number in range(30)]
    figure = panels([bars("", ["a"], many), lines("", ["a"], [*many, series()])])
    figure.draw_without_rendering()
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names == [*(each.name for each in many), "DFTL", PUBLISHED]
    box = legend.get_window_extent()
    assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1
    for axes in figure.axes:
        assert axes.get_legend() is None
        assert axes.title.get_window_extent().y1 <= box.y0 + 1


def test_what_is_left_of_the_grid_is_empty():
    figure = panels([bars("", ["a"], [series()])] * 4)
    assert [axes.axison for axes in figure.axes] == [True] * 4 + [False] * 2


def test_a_panel_without_anything_to_show_is_left_out():
    nothing = bars("empty", ["a"], [Series("", [Mark(None)])])
    full = bars("full", ["a"], [series()])
    figure = panels([nothing, full])
    assert [axes.get_title("left") for axes in figure.axes] == ["(b) full"]


def test_an_ftl_looks_the_same_everywhere_and_no_two_look_alike():
    names = [name for family in FAMILIES.values() for name in family]
    assert len(set(names)) == len(names)
    assert len({of_ftl(name) for name in names}) == len(names)
    assert of_ftls(["dftl", "page", "dftl"]) == [of_ftl("dftl"), of_ftl("page"), of_ftl("dftl", 1)]
    assert of_ftl("dftl").colour == of_ftl("dftl", 1).colour
    assert of_ftl("a new one") == of_ftl("a new one")


def test_every_ftl_of_the_catalogue_has_a_look(ftlab):
    listed = ftlab("list", "ftls", "--json")
    names = {each["name"] for each in json.loads(listed.output)}
    assert names == {name for family in FAMILIES.values() for name in family}


@pytest.mark.parametrize("background", ["#ffffff", "#15171a"])
def test_colours_stand_out_on_white_and_on_the_dark_page(background):
    for colour in COLOURS:
        assert contrast(colour, background) >= 3.0, colour


def contrast(one: str, other: str) -> float:
    """Return the contrast of WCAG 2."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
