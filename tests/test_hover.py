"""Values that a browser shows where the pointer rests on a bar or a point of a figure."""

import re
from html import unescape
from xml.etree import ElementTree

import pytest

from ftlab.hover import MOST, RADIUS, apart
from ftlab.report.html import report
from ftlab.style import image
from test_spread import SMALL

SPACE = "{http://www.w3.org/2000/svg}"


def titles(svg):
    """Return the words of all values, in the order of what is drawn."""
    text = svg.decode() if isinstance(svg, bytes) else svg
    return [unescape(each) for each in re.findall(r"<title>(.*?)</title>", text)]


def test_bars_say_their_cause_their_ftl_and_their_height(comparison):
    told = titles(image(comparison.plot.operations()))
    for result, name in zip(comparison, comparison.titles, strict=True):
        count = result.flash.programs["host"]
        assert f"host: {name}, operations {count:,}" in told


def test_points_say_both_values_and_there_are_not_too_many(comparison):
    told = titles(image(comparison.plot.latency()))
    for result, name in zip(comparison, comparison.titles, strict=True):
        own = [each for each in told if each.startswith(f"{name}: response time (µs) ")]
        points = len(result.distributions.response_us.value)
        assert 0 < len(own) <= min(MOST, points)
        assert all(", share of requests " in each for each in own)


def test_a_sweep_says_its_places_in_their_units_and_its_deviations(ftlab):
    made = ("--workload", "randwrite,bs=4k,size=4MiB,requests=1500", *SMALL)
    asked = ("--ftl", "dftl,tpftl", "--cache", "1KiB,2KiB", "--seeds", "2", "--results", "r")
    ftlab("sweep", *made, *asked)
    ftlab("plot", "r", "--x", "ftl.cache", "--y", "response_us.mean", "-o", "a.svg")
    with open("a.svg", encoding="utf-8") as file:
        told = titles(file.read())
    assert len(told) == 4
    pattern = r"(DFTL|TPFTL): mapping cache [12] KiB, mean response [\d.]+ (µs|ms) ± [\d.]+ (µs|ms)"
    assert all(re.fullmatch(pattern, each) for each in told), told
    ftlab("plot", "r", "--x", "ftl", "--y", "flash.erases", "-o", "b.svg")
    with open("b.svg", encoding="utf-8") as file:
        told = titles(file.read())
    assert any(re.search(r"FTL DFTL, block erases \d+", each) for each in told), told


def test_values_lie_on_what_they_are_of(comparison):
    """The legend's own marks aside, each bar of the drawing is where a value is."""
    svg = ElementTree.fromstring(image(comparison.plot.panel("erases")))
    (values,) = (each for each in svg.iter(f"{SPACE}g") if each.get("class") == "values")
    boxes = []
    for bar in values.iter(f"{SPACE}rect"):
        x, y, width, height = (float(bar.get(key)) for key in ("x", "y", "width", "height"))
        boxes.append((x, y, x + width, y + height))
    drawn = []
    for path in svg.iter(f"{SPACE}path"):
        numbers = [float(n) for n in re.findall(r"-?[\d.]+", path.get("d"))]
        if len(numbers) == 8 and "fill: #" in (path.get("style") or ""):
            drawn.append(
                (min(numbers[::2]), min(numbers[1::2]), *map(max, (numbers[::2], numbers[1::2])))
            )
    assert boxes
    for box in boxes:
        assert any(all(abs(a - b) < 0.2 for a, b in zip(box, each, strict=True)) for each in drawn)


@pytest.mark.long
def test_an_image_of_a_page_has_its_values_over_it(comparison):
    svg = image(comparison.plot.latency())
    plain, over = apart(svg)
    assert titles(plain) == [] and titles(over) == titles(svg) != []
    box = re.search(rb'viewBox="[^"]*"', svg)[0].decode()
    assert over.startswith(f'<svg class="values" {box}') and f'r="{RADIUS:g}"' in over
    assert apart(plain) == (plain, "")
    page = report(comparison)
    assert all(each in titles(page) for each in titles(svg))
    assert "style=" not in re.sub(r'src="[^"]*"', "", page), "its policy forbids styles of elements"


@pytest.mark.long
@pytest.mark.parametrize("name", ["latency", "operations", "timeline"])
def test_the_same_figure_has_the_same_values(comparison, name):
    assert image(getattr(comparison.plot, name)()) == image(getattr(comparison.plot, name)())
