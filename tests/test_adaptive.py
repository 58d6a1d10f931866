"""What the documents say of tpftl-adaptive: it finds sequences, and costs nothing without them."""

import pytest

import ftlab

REQUESTS = 30_000
SHAPE = {"size": "128MiB", "requests": REQUESTS, "read_share": "30%"}
WORKLOADS = {
    "uniform": ftlab.Workload("randrw", **SHAPE),
    "zipf": ftlab.Workload("zipf", zipf_theta=0.99, **SHAPE),
    "mixed sizes": ftlab.Workload("randrw", bs_mix=[["4k", 3], ["64k", 1]], align="4k", **SHAPE),
    "4 streams": ftlab.Workload("rw", streams=4, **SHAPE),
    "financial2": ftlab.profile("financial2", requests=REQUESTS),
}


def run(workload: ftlab.Workload | ftlab.Trace, ftl: ftlab.Ftl) -> ftlab.Result:
    device = ftlab.Device(capacity="128MiB")
    setup = {"preset": "tpftl-eurosys15", "address": "modulo", "host": "closed:1"}
    return ftlab.simulate(workload, ftl, device, warmup="footprint", **setup)


@pytest.mark.long
@pytest.mark.parametrize("name", WORKLOADS)
def test_it_is_no_worse_than_the_better_of_with_and_without_prefetching(name):
    ftls = (ftlab.TPFTL(features="bc"), ftlab.TPFTL(), ftlab.TPFTLAdaptive())
    without, with_all, adaptive = (run(WORKLOADS[name], ftl).response_us.mean for ftl in ftls)
    assert adaptive < 1.01 * min(without, with_all)


def test_it_prefetches_in_a_sequence_of_single_pages_where_tpftl_does_not():
    sequence = ftlab.Workload("rw", **SHAPE)
    paper, adaptive = (run(sequence, ftl) for ftl in (ftlab.TPFTL(), ftlab.TPFTLAdaptive()))
    assert paper.mapping.hit_ratio < 0.1
    assert adaptive.mapping.hit_ratio > 0.9
    assert adaptive.response_us.mean < 0.95 * paper.response_us.mean
    own = adaptive.own.to_dict()
    assert own["tpftl-adaptive.guesses_used"] > 0.9 * own["tpftl-adaptive.guesses"]
