"""Parameters that the sources leave open, as the evaluation of TPFTL sweeps them."""

import pytest

from ftlab_papers.inputs import Source, Workload
from ftlab_papers.tpftl import choices

POINTS = choices.points(Source(Workload("financial1", ()), None, 1000), {})


@pytest.mark.parametrize("ftl", choices.CHOICES)
def test_the_first_value_of_each_is_the_default(ftl):
    parameters = choices.CHOICES[ftl]
    assert all(len(values) > 1 for values in parameters.values())
    firsts = [POINTS[choices.WORKLOAD, ftl, name, str(v[0])] for name, v in parameters.items()]
    plain = [POINTS[choices.WORKLOAD, ftl, name, str(v[1])] for name, v in parameters.items()]
    assert len({point.digest for point in firsts}) == 1
    assert len({point.digest for point in plain} - {firsts[0].digest}) == len(plain)
