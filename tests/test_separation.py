"""Which pages share blocks: separations of the core and of Python, under every kind of FTL."""

from __future__ import annotations

import math
import re
from typing import Any, Literal

import pytest

import ftlab
from ftlab.errors import ConfigError, RuleError
from ftlab.points.grid import obeyed

SMALL = ftlab.Device(capacity="8MiB", over_provisioning=0.2, pages_per_block=16)
SOURCE = ftlab.Workload("zipf", bs="4k", size="8MiB", requests=20_000, zipf_theta=1.1)


def run(ftl: str, separation: object = None, copies: str | None = None) -> ftlab.Result:
    """Run an FTL under a separation."""
    tree = {"ftl": {"separation": separation}} if separation else {}
    tree |= {"gc": {"copies": copies}} if copies else {}
    return ftlab.simulate(SOURCE, ftl, SMALL, warmup="sequential", config=tree)


def counts(result: ftlab.Result) -> tuple[object, ...]:
    """Return what GC did, and the separation's own figures."""
    return result.flash.erases, result.flash.programs, result.own


class Twin:
    """SepBIT, as the core has it."""

    classes = 6
    spread = 3

    def __init__(self, pages: int) -> None:
        self.ages: list[int] = []
        self.mean: int | None = None

    def within(self, age: int, means: int) -> bool:
        return self.mean is None or age < means * self.mean

    def of_write(self, page: int, age: int | None) -> int:
        return 0 if age is not None and self.within(age, 1) else 1

    def of_move(self, page: int, from_class: int, age: int) -> int:
        if from_class == 0:
            return 2
        return 3 if self.within(age, 4) else 4 if self.within(age, 16) else 5

    def collected(self, block_class: int, age: int) -> None:
        if block_class == 0:
            self.ages.append(age)
        if len(self.ages) == 16:
            self.mean, self.ages = sum(self.ages) // 16, []


class Frequent:
    """A model of what is known of a page."""

    classes = 2

    def __init__(self, pages: int) -> None:
        self.seen: dict[int, int] = {}
        self.before = 0

    def class_of_write(self, page: int, features: ftlab.Features) -> int:
        assert features.writes == self.seen.get(page, 0)
        assert (features.interval is None) == (features.writes == 0)
        assert features.previous == self.before
        assert 0 <= features.weighted_writes <= features.writes <= features.chunk_writes
        self.seen[page], self.before = features.writes + 1, page
        return int(features.weighted_writes > 2)


def test_a_model_hears_what_is_known_of_a_page_and_its_classes_stay_apart() -> None:
    result = run("page", Frequent)
    assert result["classes"]["written"][1] > result["classes"]["written"][0] > 0
    assert result["classes"]["copied_to_unit"][0] > 0


@pytest.mark.parametrize("model", ["table", "linear"])
def test_the_models_that_come_with_the_hook_are_separations(model: str) -> None:
    tree = {"ftl": {"separation": "learned"}, "learned": {"model": model}}
    result = ftlab.simulate(SOURCE, "page", SMALL, warmup="sequential", config=tree)
    assert min(result["classes"]["written"][:2]) > 0


def test_a_model_that_is_none_is_refused() -> None:
    tree = {"ftl": {"separation": "learned"}, "learned": {"table": "0,x"}}
    with pytest.raises(ConfigError, match=r'learned.table: found "x" in "0,x"'):
        ftlab.simulate(SOURCE, "page", SMALL, config=tree)


class Beyond(Twin):
    """A class that there is not."""

    def of_write(self, page: int, age: int | None) -> int:
        return 6


class Many(Twin):
    """More classes than a device has frontiers for."""

    classes = 17


@pytest.mark.parametrize("ftl", ["page", "dftl", "tpftl"])
def test_a_separation_in_python_does_what_its_twin_in_the_core_does(ftl: str) -> None:
    twin, core = run(ftl, Twin), run(ftl, "sepbit")
    assert twin.flash.erases == core.flash.erases
    assert twin.flash.programs == core.flash.programs
    assert core.own["sepbit.short_pages"] > 0


def test_sepbit_is_page_with_its_separation() -> None:
    assert counts(run("sepbit")) == counts(run("page", "sepbit"))


def test_copies_is_what_gc_copies_says() -> None:
    assert counts(run("page", "copies")) == counts(run("page", copies="own"))


@pytest.mark.parametrize("separation", ["none", "temperature", "sepbit", "handles"])
def test_each_separation_goes_with_planes_and_a_mapping_cache(separation: str) -> None:
    result = ftlab.simulate(
        SOURCE,
        "tpftl",
        ftlab.Device(capacity="64MiB", over_provisioning=0.5),
        preset="dloop",
        warmup="sequential",
        config={"ftl": {"separation": separation}},
    )
    assert result.write_amplification >= 1


def test_pages_with_a_hot_spot_are_copied_less_when_they_are_separated() -> None:
    together, apart = run("page"), run("page", "sepbit")
    assert apart.write_amplification < 0.95 * together.write_amplification


ROOMY = ftlab.Device(capacity="32MiB", over_provisioning=0.15, pages_per_block=32)
HOT_BYTES = 3_354_624
HINTED_WRITES = 40_000


def hot_and_cold(requests: int, arrivals: Literal["closed", "poisson"]) -> ftlab.Workload:
    """Return writes of which nine in ten go to the first tenth of the space."""
    return ftlab.Workload(
        "hotcold",
        bs="4k",
        size="32MiB",
        requests=requests,
        hot_share=0.1,
        hot_access=0.9,
        scatter=False,
        arrivals=arrivals,
    )


HINTED = hot_and_cold(HINTED_WRITES, "closed")


def hinted(ftl: str, separation: object, **sections: dict[str, object]) -> ftlab.Result:
    """Run writes whose handle is 0 where they are hot, and 1 elsewhere."""
    tree: dict[str, dict[str, object]] = {
        "ftl": {"separation": separation},
        "input": {"hint_by": f"range:{HOT_BYTES}"},
    }
    if separation == "handles":
        tree["handles"] = {"count": 2, "isolation": "none"}
    return ftlab.simulate(HINTED, ftl, ROOMY, warmup="sequential", config=tree | sections)


@pytest.mark.parametrize("ftl", ["page", "dftl", "tpftl"])
@pytest.mark.parametrize("buffer", ["none", "lru"])
def test_what_the_host_says_reaches_the_flash(ftl: str, buffer: str) -> None:
    sections: dict[str, dict[str, object]] = {"buffer": {"policy": buffer, "size": "64KiB"}}
    together, apart = (hinted(ftl, how, **sections) for how in ("none", "handles"))
    assert apart.write_amplification < 0.95 * together.write_amplification
    assert apart.own["handles.invalid"] == 0


class Handles:
    """The host's handles, with what is moved in a class of its own: the core's twin."""

    classes = 3
    spread = 1

    def __init__(self, pages: int) -> None:
        self.handles: set[tuple[int, str, int, bool]] = set()

    def of_write(self, page: int, age: int | None, meta: ftlab.Meta) -> int:
        assert (meta.lifetime, meta.initiator, meta.prefetch) == ("unset", 0, False)
        return meta.handle

    def of_move(self, page: int, from_class: int, age: int) -> int:
        return 2


@pytest.mark.parametrize("ftl", ["page", "dftl"])
def test_handles_in_python_do_what_their_twin_in_the_core_does(ftl: str) -> None:
    initial: dict[str, object] = {"count": 2, "isolation": "initial"}
    twin, core = hinted(ftl, Handles), hinted(ftl, "handles", handles=initial)
    assert (twin.flash.erases, twin.flash.programs) == (core.flash.erases, core.flash.programs)


def test_a_handle_beyond_the_last_is_counted() -> None:
    result = hinted("page", "handles", handles={"count": 1})
    hot = HINTED_WRITES - result.own["handles.invalid"]
    assert 0.85 < hot / HINTED_WRITES < 0.95


def test_an_ftl_that_cannot_separate_pages_refuses() -> None:
    for ftl in ("zftl", "fast"):
        with pytest.raises(ConfigError, match=r"ftl\.separation"):
            run(ftl, "sepbit")


def test_a_class_that_there_is_not_ends_the_run() -> None:
    with pytest.raises(RuleError, match="a class is a number below 6: found 6"):
        run("page", Beyond)
    with pytest.raises(ConfigError, match="found 17 classes"):
        run("page", Many)


def test_copies_of_their_own_and_classes_exclude_each_other() -> None:
    with pytest.raises(ConfigError, match=r"gc\.copies: found own with ftl\.separation = sepbit"):
        run("page", "sepbit", copies="own")


def test_settings_of_a_separation_hold_under_any_ftl_that_takes_one() -> None:
    tree = {"ftl": {"separation": "sepbit"}}
    figures = [
        ftlab.simulate(
            SOURCE,
            "dftl",
            SMALL,
            warmup="sequential",
            config={**tree, "sepbit": {"window": window}},
        ).own["sepbit.lifespan"]
        for window in (1, 16)
    ]
    assert figures[0] != figures[1]
    given = {"ftl.separation": "sepbit", "sepbit.window": 8}
    assert dict(obeyed(given, "dftl")) == given
    assert dict(obeyed(given, "fast")) == {}


class Ramcloud:
    """RAMCloud's cost-benefit, as the core has it."""

    def __init__(self, pool: Any) -> None:
        self.pages = pool.pages_per_block
        self.valid: dict[int, int] = {}
        self.filled: dict[int, int] = {}

    def close(self, block: int, valid: int, now: int, block_class: int | None, time: int) -> None:
        self.valid[block], self.filled[block] = valid, time
        assert block_class in (0, 1)

    def shrink(self, block: int, valid: int, now: int) -> None:
        self.valid[block] = valid

    def remove(self, block: int, valid: int) -> None:
        del self.valid[block], self.filled[block]

    def choose(self, now: int, time: int) -> int | None:
        def worth(block: int) -> tuple[float, int, int, int]:
            valid, age = self.valid[block], max(time - self.filled[block], 0)
            gain = math.inf if valid == 0 else (self.pages - valid) / valid * math.sqrt(age)
            return gain, -valid, -self.filled[block], -block

        return max(self.valid, key=worth, default=None)


@pytest.mark.parametrize("separation", ["handles", "sepbit"])
def test_classes_do_not_depend_on_the_mapping_or_the_planes(separation: str) -> None:
    # No block is collected yet, so a lifespan is unknown to all of them.
    source = hot_and_cold(8000, "closed")
    planes = ftlab.Device(
        capacity="128MiB", over_provisioning=0.5, pages_per_block=32, channels=4, planes_per_die=4
    )

    def run(ftl: str | ftlab.Ftl, placement: str) -> ftlab.Result:
        tree = {
            "ftl": {"separation": separation, "placement": placement},
            "input": {"hint_by": f"range:{HOT_BYTES}"},
        }
        return ftlab.simulate(source, ftl, planes, config=tree)

    whole = ftlab.DFTL(cache="2MiB")
    runs = [run("page", "single"), run(whole, "single"), run("page", "striped")]
    pages = [run["classes"]["written"] for run in runs]
    assert [sum(run.flash.erases.values()) for run in runs] == [0, 0, 0]
    assert sum(pages[0]) == 8000
    assert min(pages[0][:2]) > 500
    assert pages[0] == pages[1] == pages[2]


def test_a_policy_in_python_hears_classes_and_the_time_of_the_host() -> None:
    tree = {"ftl": {"separation": "handles"}, "handles": {"count": 2, "isolation": "none"}}
    source = hot_and_cold(6000, "poisson")
    twin, core = (
        ftlab.simulate(
            source, "page", ROOMY, gc=gc, preset="tpftl-eurosys15", warmup="random:1", config=tree
        )
        for gc in (Ramcloud, "ramcloud-cost-benefit")
    )
    assert (twin.flash.erases, twin.flash.programs) == (core.flash.erases, core.flash.programs)


def test_an_ftl_in_python_hears_what_the_host_says() -> None:
    heard: set[int] = set()
    written: set[str] = set()

    class Listens(ftlab.PageMapped):
        def write(self, pages: list[int], flash: ftlab.Flash, meta: ftlab.Meta) -> None:  # type: ignore[override]
            heard.add(meta.handle)
            written.add(repr(meta))
            super().write(pages, flash)

    hint = {"input": {"hint_by": f"range:{HOT_BYTES}"}}
    ftlab.simulate(hot_and_cold(500, "closed"), Listens, ROOMY, config=hint)
    assert heard == {0, 1}
    assert 'Meta(handle=1, initiator=0, lifetime="unset", prefetch=False, update=False)' in written


def test_midas_names_its_victims_and_refuses_what_else_would():
    plain = run("page", "midas")
    assert plain.own["midas.groups"] >= 2
    assert sum(count for key, count in plain.own.items() if "midas.blocks" in key) > 0
    assert plain.checks.violations == 0
    for tree, told in [
        ({"gc": {"policy": "fifo"}}, "gc.policy: found fifo with ftl.separation = midas"),
        ({"gc": {"start": "garbage"}}, "gc.start: found garbage with ftl.separation = midas"),
        ({"ftl": {"placement": "striped"}}, "ftl.placement: found blocks in each plane"),
    ]:
        tree = {**tree, "ftl": {"separation": "midas", **tree.get("ftl", {})}}
        with pytest.raises(ConfigError, match=re.escape(told)):
            ftlab.simulate(SOURCE, "page", SMALL, config=tree)


def test_two_regions_copy_less_where_most_pages_are_cold():
    source = ftlab.Workload(
        "hotcold", bs="4k", size="8MiB", requests=60_000, hot_share=0.1, hot_access=0.9
    )
    copied = {
        policy: ftlab.simulate(
            source,
            "page",
            SMALL,
            warmup="sequential",
            config={"gc": {"policy": policy, "copies": "own"}},
        ).gc.copied_pages
        for policy in ("greedy", "2r-greedy", "2r-fifo")
    }
    assert copied["2r-greedy"] < copied["greedy"]
    assert copied["2r-fifo"] < copied["greedy"]
