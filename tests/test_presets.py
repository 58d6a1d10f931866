"""Each preset starts as it is; the set-up of a result says what it sets beside the device."""

import pytest

import ftlab
from ftlab.catalogue import catalog
from ftlab.preset import beside_the_device
from ftlab.report.summary import setup_line
from ftlab.result import Comparison
from marks import long_but

PRESETS = [preset.name for preset in catalog().presets]


@pytest.mark.parametrize("preset", long_but(PRESETS[::4], PRESETS))
def test_a_preset_starts_as_it_is(preset):
    result = ftlab.simulate(ftlab.profile("financial1", requests=500), "tpftl", preset=preset)
    assert result.checks.violations == 0
    assert f"preset {preset}" in setup_line(Comparison([result]))


def test_what_a_preset_sets_beside_the_device_is_told():
    trace = ftlab.profile("financial1", requests=100)
    assert beside_the_device("onfi-tlc")["ftl.placement"] == "round-robin"
    result = ftlab.simulate(trace, "dftl", preset="onfi-tlc")
    assert "ftl.placement = round-robin" in setup_line(Comparison([result]))
    striped = ftlab.DFTL(placement="striped")
    other = ftlab.simulate(trace, striped, preset="onfi-tlc")
    assert "ftl.placement" not in setup_line(Comparison([other]))
    assert "preset" not in setup_line(Comparison([ftlab.simulate(trace, "dftl")]))


def test_a_preset_without_a_capacity_says_where_that_is_from():
    def line(**how):
        trace = ftlab.profile("financial1", requests=100)
        return setup_line(Comparison([ftlab.simulate(trace, "dftl", **how)]))

    assert line(preset="tpftl-eurosys15").endswith("tpftl-eurosys15 (capacity of the trace)")
    device = ftlab.Device(capacity="512MiB")
    given = line(preset="tpftl-eurosys15", device=device)
    assert "512 MiB" in given
    assert "capacity of" not in given
    assert "capacity of" not in line(preset="onfi-tlc")
