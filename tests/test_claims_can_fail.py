"""Each claim fails with figures that contradict it: none agrees whatever comes out."""

import math
import random
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module

import pytest

from ftlab_papers import PAPERS
from ftlab_papers.cachftl.points import TRACES as VOLUMES
from ftlab_papers.claims import Claim, Group, judge
from ftlab_papers.findings import Verdict
from ftlab_papers.runs import Figure, Key, Runs
from ftlab_papers.tpftl.readings import read_relatively

AGREES, DIRECTION, DIFFERS, NOT_MEASURED = Verdict
CLAIMS = {
    (paper, claim.id): claim
    for paper in PAPERS
    for claim in import_module(f"ftlab_papers.{paper.replace('-', '_')}").EXPERIMENT.claims
}
DRAWS = 1000


def bare(claim: Claim) -> Claim:
    """Return a claim without the reason that counters give."""
    return replace(claim, why=None)


def name_of(figure: Figure) -> str:
    return figure if isinstance(figure, str) else figure.__name__


class Given(Runs):
    """Runs whose figures are those that a function of their names gives, once for each seed."""

    def __init__(self, *seeds: Callable[[str, Key], float], keys: Sequence[Key] = ()) -> None:
        super().__init__(*(dict.fromkeys(keys) for _ in seeds))  # type: ignore[arg-type]
        self._given, self._keys = seeds, keys

    def __call__(self, figure: Figure, *key: str) -> float:
        self._used.add(key)
        found = [given(name_of(figure), key) for given in self._given]
        return sum(found) / len(found)

    @property
    def seeds(self) -> Sequence[Runs]:
        return [Given(each, keys=self._keys) for each in self._given]

    def noting(self, work):  # type: ignore[no-untyped-def]
        return work(self), frozenset(self._used)


def drawn(draw: int) -> Callable[[str, Key], float]:
    """Return figures that have nothing to do with each other, the same for the same names.

    An FTL is by a factor better or worse than another, whatever it is set to.
    """

    def some(*names: str) -> float:
        return random.Random(zlib.crc32(" ".join([str(draw), *names]).encode())).gauss(0, 2)

    return lambda name, key: math.exp(some(name, *key) + some(*key[1:2]))


@pytest.mark.parametrize(
    ("paper", "claim"),
    [(paper, claim) for (paper, _), claim in CLAIMS.items() if not claim.constructed],
    ids=[f"{paper}-{name}" for (paper, name), claim in CLAIMS.items() if not claim.constructed],
)
def test_figures_without_a_pattern_make_a_claim_fail(paper: str, claim: Claim) -> None:
    keys = [(f"{trace}/0", "page") for trace in VOLUMES] if paper == "cachftl" else []
    verdicts = (judge(bare(claim), Given(drawn(each), keys=keys)).verdict for each in range(DRAWS))
    assert any(each in (DIRECTION, DIFFERS) for each in verdicts), (
        f"{claim.id} agrees with anything"
    )


def verdict(paper: str, name: str, *seeds: Mapping[tuple[str, ...], float]) -> Verdict:
    """Return the verdict on figures by their name and their point, once for each seed."""

    def given(figures: Mapping[tuple[str, ...], float]) -> Callable[[str, Key], float]:
        return lambda name, key: figures[name, *key]

    return judge(bare(CLAIMS[paper, name]), Given(*map(given, seeds))).verdict


def sdrpp(setting: str, **figures: float) -> dict[tuple[str, ...], float]:
    return {
        ("planes.host_sdrpp", "financial1", setting, ftl): each for ftl, each in figures.items()
    }


@pytest.mark.parametrize(
    ("figures", "found"),
    [
        ({"dloop": 11.3, "fast": 11.8, "dftl": 12.2}, AGREES),
        ({"dloop": 9.3, "fast": 9.8, "dftl": 10.2}, AGREES),
        ({"dloop": 11.15, "fast": 9.265, "dftl": 13.71}, DIFFERS),
        ({"dloop": 11.3, "fast": 12.8, "dftl": 13.2}, DIRECTION),
    ],
    ids=["published", "another level", "the other FTL is evenest", "far above"],
)
def test_logarithms_are_judged_by_their_order_and_their_differences(
    figures: dict[str, float], found: Verdict
) -> None:
    assert verdict("dloop", "D27", sdrpp("3 %", **figures)) is found


@pytest.mark.parametrize(("at_10", "found"), [(1494, DIFFERS), (1484, DIFFERS), (1600, AGREES)])
def test_a_flat_line_does_not_rise(at_10: float, found: Verdict) -> None:
    figures = {
        ("response_us.mean", "financial1", each, "dftl"): response
        for each, response in (("7 %", 1484.0), ("10 %", at_10))
    }
    assert verdict("dloop", "D22", figures) is found


@pytest.mark.parametrize(
    ("rises", "found"), [((0.9, 0.3, -0.4), DIFFERS), ((0.9, 0.3, 0.1), AGREES)]
)
def test_a_bound_that_one_seed_breaks_is_not_met(rises: Sequence[float], found: Verdict) -> None:
    seeds = [
        sdrpp("3 %", dftl=12.0, fast=9.0) | sdrpp("10 %", dftl=12.5, fast=9.0 + rise)
        for rise in rises
    ]
    assert verdict("dloop", "D33", *seeds) is found


@pytest.mark.parametrize(("wasted", "found"), [(0.8, AGREES), (4.6, DIFFERS)])
def test_what_rarely_happens_is_not_the_rule(wasted: float, found: Verdict) -> None:
    figures: dict[tuple[str, ...], float] = {}
    for name in ("financial1", "financial2", "tpcc", "exchange", "build"):
        figures["flash.wasted_pages", name, "4 GB", "dloop"] = 1000 * wasted
        figures["erases", name, "4 GB", "dloop"] = 1000
    assert verdict("dloop", "D3", figures) is found


TPFTLS = ("financial1", "financial2", "msr-ts", "msr-src")


def losses(*shares: float) -> dict[tuple[str, ...], float]:
    """Return responses and erases of which DFTL loses these shares."""
    return {
        (figure, name, ftl): 100.0 if ftl == "dftl" else 100 * (1 - share)
        for figure in ("response_us.mean", "erases")
        for name, share in zip(TPFTLS, shares, strict=True)
        for ftl in ("dftl", "page")
    }


def test_errors_of_both_signs_do_not_cancel_in_a_mean() -> None:
    published = losses(0.634, 0.526, 0.594, 0.582)
    table = losses(0.459, 0.526, 0.304, 0.562)
    right = published | {key: each for key, each in table.items() if key[0] == "erases"}
    assert verdict("tpftl", "T9", right) is AGREES
    cancelling = right | {
        key: each
        for key, each in losses(0.93, 0.75, 0.21, 0.22).items()
        if key[0] == "response_us.mean"
    }
    assert verdict("tpftl", "T9", cancelling) is DIRECTION


@pytest.mark.parametrize(
    ("changes", "found"),
    [((-0.24, -0.12, 0.0, 0.0), AGREES), ((-0.109, -0.195, 0.0, 0.0), DIFFERS)],
)
def test_the_best_is_judged_where_the_paper_has_it(
    changes: Sequence[float], found: Verdict
) -> None:
    figures = {
        ("response_us.mean", name, ftl): 100.0 if ftl == "sftl" else 100 * (1 + change)
        for name, change in zip(TPFTLS, changes, strict=True)
        for ftl in ("tpftl", "sftl")
    }
    assert verdict("tpftl", "T2", figures) is found


def test_percentages_of_a_section_are_points_and_can_be_read_relatively() -> None:
    hits = {"tpftl": 0.75, "dftl": 0.60, "sftl": 0.595}
    figures = {
        ("mapping.hit_ratio", name, ftl): each for name in TPFTLS[:2] for ftl, each in hits.items()
    }
    assert verdict("tpftl", "T16", figures) is AGREES
    relative = read_relatively(CLAIMS["tpftl", "T16"])
    assert [each.said for each in relative.statements] == [0.148, 0.155]
    given = Given(lambda name, key: figures[name, *key])
    assert judge(bare(relative), given).verdict is DIRECTION


def test_fewer_copies_is_an_order_on_each_trace() -> None:
    traces = ("financial1", "financial2", "systemdisk1", "systemdisk2", "systemdisk3")
    figures: dict[tuple[str, ...], float] = {}
    for name in traces:
        for figure in ("copies", "erases"):
            figures |= {(figure, name, "mnftl"): 50.0, (figure, name, "dftl"): 100.0}
    assert verdict("mnftl", "M3", figures) is AGREES
    figures["copies", "systemdisk3", "mnftl"] = 150.0
    assert verdict("mnftl", "M3", figures) is DIFFERS


def test_the_hybrid_scheme_is_fast_and_the_others_are_ours() -> None:
    figures = {("response_us.mean", "financial", "dftl"): 22.0}
    figures["response_us.mean", "financial", "fast"] = 100.0
    assert verdict("dftl", "J1", figures) is AGREES
    assert CLAIMS["dftl", "O1"].group is Group.OURS
