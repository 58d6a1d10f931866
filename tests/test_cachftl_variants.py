"""Claims on variants of CACH-FTL agree, or fail with what each is set to."""

import pytest

from ftlab.config import merge
from ftlab.simulation import execute
from ftlab_papers.cachftl import EXPERIMENT
from ftlab_papers.cachftl import variants as variants_of_cachftl
from ftlab_papers.cachftl.points import (
    AS_IT_IS,
    BUFFERS,
    FTLS,
    TEN_ROUNDS,
    TRACES,
    VARIANTS,
    VARIED_REQUESTS,
    longest,
    points,
)
from ftlab_papers.claims import judge
from ftlab_papers.findings import Verdict
from ftlab_papers.inputs import Source, Workload
from ftlab_papers.runs import Runs

SMALL = {
    "preset": "cachftl",
    "device": {"capacity": "128MiB"},
    "workload": {
        "pattern": "zipf",
        "bs": "4k",
        "size": "64MiB",
        "requests": 40_000,
        "arrivals": "poisson",
        "interarrival": "20ms",
    },
}


@pytest.fixture(scope="module")
def found():
    """Return what comes out for each FTL and variant on a small device that is mostly full."""
    keys = [(ftl, variant) for variant, (ftls, _) in VARIANTS.items() for ftl in ftls]
    points = [(merge([SMALL, VARIANTS[variant][1]]), ftl) for ftl, variant in keys]
    return dict(zip(keys, execute(points), strict=True))


SWAPPED = {
    "A4": (AS_IT_IS, "FIFO"),
    "A5": (AS_IT_IS, "cost-benefit"),
    "A6": (AS_IT_IS, "adaptive PMR"),
    "A7": ("adaptive PMR", "cache of 512 KiB"),
    "A8": ("out of place", variants_of_cachftl.LEVELLED),
    "A10": ("PMR of 5 %", "PMR of 30 %"),
}
"""Two variants of CACH-FTL whose settings are exchanged."""

MADE_EQUAL = {"A2": (TEN_ROUNDS,), "A3": BUFFERS, "A9": variants_of_cachftl.BY_CACHE.values()}
"""Variants that get the settings of none."""


def exchanged(claim):
    """Return whose results stand in for whose."""
    if claim.id in MADE_EQUAL:
        return {(ftl, each): (ftl, AS_IT_IS) for ftl in FTLS for each in MADE_EQUAL[claim.id]}
    one, other = SWAPPED[claim.id]
    return {("cachftl", one): ("cachftl", other), ("cachftl", other): ("cachftl", one)}


OF_VARIANTS = [each for each in EXPERIMENT.claims if each.id in variants_of_cachftl.SAYS]


@pytest.mark.long
@pytest.mark.parametrize("claim", OF_VARIANTS, ids=lambda claim: claim.id)
def test_a_claim_on_variants_agrees_or_fails_with_what_each_is_set_to(claim, found):
    def verdict(stands_in):
        keys = {(trace, *key): found[stands_in.get(key, key)] for key in found for trace in TRACES}
        return judge(claim, Runs(keys)).verdict

    assert {verdict({}), verdict(exchanged(claim))} == {Verdict.AGREES, Verdict.DIFFERS}


def test_variants_are_run_on_the_volume_with_most_requests(tmp_path):
    def volume(number, requests):
        path = tmp_path / f"{number}.spc"
        path.write_text("".join(f"0,{8 * each},4096,w,{each}\n" for each in range(requests)))
        return Source(Workload(f"cello99/{number}", ()), path, None)

    inputs = {f"cello99/{number}": volume(number, 10 * number) for number in (1, 3, 2)}
    assert longest(inputs, "cello99") == "cello99/3"
    assert longest(inputs, "financial1") is None
    found = {key: point for key, point in points(inputs).items() if key[0] == "cello99"}
    assert {key[2] for key in found} == VARIANTS.keys()
    asked = found["cello99", "cachftl", variants_of_cachftl.LEVELLED].resolved
    assert asked["input"]["trace"] == str(tmp_path / "3.spc")
    assert asked["input"]["requests"] == VARIED_REQUESTS
    assert asked["cachftl"]["wear_gap"] == 2
