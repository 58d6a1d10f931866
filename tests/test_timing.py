"""Where the time of points goes."""

import re

import pytest

from ftlab.points.timing import Span, Timing, noted, timed
from ftlab.points.warmups import Warmups


def timing(spans, cores, seconds):
    found = Timing()
    found.rounds, found.cores, found.seconds = spans, cores, seconds
    return found


def spans(input, reading, running, begin=0.0):
    """One core runs the points of an input one after another."""
    found = []
    for place, seconds in enumerate(running):
        opened = begin + (0.0 if place else reading)
        found.append(Span(input, begin, opened, opened + seconds))
        begin = opened + seconds
    return found


@pytest.mark.parametrize(("cores", "seconds"), [(1, 6.0), (2, 4.0), (4, 3.0), (8, 3.0)])
def test_others_wait_until_an_input_has_been_read(cores, seconds):
    # 0.5 s alone; the input takes 0.5 s, its points 2, 1, 1 and 1 s, in this order.
    one = timing([spans(0, 0.5, [2, 1, 1, 1])], 1, 6.0)
    assert one.expected(cores) == pytest.approx(seconds)


def test_inputs_are_read_at_the_same_time():
    two = timing([[*spans(0, 1, [1, 1]), *spans(1, 1, [1, 1], 3.0)]], 1, 6.0)
    assert two.expected(1) == pytest.approx(6)
    assert two.expected(2) == pytest.approx(3)
    assert two.expected(4) == pytest.approx(2)
    assert two.efficiency(2) == pytest.approx(1)
    assert two.efficiency(4) == pytest.approx(6 / 4 / 2)


def test_a_round_waits_for_the_one_before():
    found = timing([spans(0, 0, [1, 1, 1]), spans(0, 0, [1])], 1, 4.0)
    assert found.expected(2) == pytest.approx(3)


def test_shares_of_the_time_of_all_cores_are_all_of_it():
    # Two cores for 10 s, of which one is alone for 2.
    first = [Span(0, 0.0, 1.0, 8.0), Span(0, 1.0, 1.0, 5.0)]
    rows = timing([first], 2, 10.0).table().rows
    assert [row[1] for row in rows] == ["11.00", "1.00", "4.00", "4.00"]
    assert sum(float(row[2].split()[0]) for row in rows) == pytest.approx(100)


def test_only_what_is_run_inside_is_noted():
    with noted(2, Warmups([])) as spans_outside:
        spans_outside.append(Span(0, 0.0, 0.0, 1.0))
    with timed() as found, noted(2, Warmups([])) as inside:
        inside.append(Span(0, 0.0, 0.5, 1.0))
    assert found.rounds == [[Span(0, 0.0, 0.5, 1.0)]]
    assert found.cores == 2


def test_a_sweep_tells_how_busy_its_cores_were(ftlab, trace):
    run = ftlab("sweep", trace, "--ftl", "page,dftl", "--seeds", 2, "--timing", "--json")
    assert run.exit_code == 0
    head, where, counts = run.stderr.strip().split("\n\n")
    points = int(re.search(r"(\d+) points took", head)[1])
    assert points == run.stdout.count('"wall_s"')
    assert "reading inputs for them" in where
    assert [line.split()[0] for line in counts.splitlines()[1:] if line[0].isdigit()] == [
        "2",
        "4",
        "8",
        "16",
    ]
    assert "took" not in ftlab("sweep", trace, "--ftl", "page,dftl", "--seeds", 2).stderr
    again = ftlab("sweep", trace, "--ftl", "page,dftl", "--seeds", 2, "--timing")
    assert again.stderr.strip() == "no point was run"
