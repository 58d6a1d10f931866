"""What happens before measuring starts: GC in idle time, too, where requests have times."""

import pytest

import ftlab
import sample
from ftlab.report.summary import warning_lines
from ftlab.report.warmups import OF_RUNS, favoured
from ftlab.result import Comparison, Result

WRITES = ftlab.Workload("randwrite", bs="4k", size="8MiB", requests=2000, interarrival="50ms")
DEVICE = ftlab.Device(capacity="8MiB", pages_per_block=16, over_provisioning=0.25, oob="1KiB")
IDLE = [ftlab.CACHFTL(), ftlab.MNFTL(idle_blocks=2)]
NEVER = [ftlab.CACHFTL(async_free=0), ftlab.MNFTL()]


def run(ftl: object, warmup: str, host: str = "open") -> ftlab.Result:
    return ftlab.simulate(WRITES, ftl, DEVICE, warmup=warmup, config={"host": {"mode": host}})


def erases_before(result: ftlab.Result) -> int:
    """Return the blocks that the warm-up erased."""
    return int(result.wear.erases_total) - sum(result.flash.erases.values())


@pytest.mark.parametrize("warmup", ["footprint", "replay:1"])
@pytest.mark.parametrize("ftl", IDLE, ids=["cachftl", "mnftl"])
def test_a_warm_up_of_writes_is_what_they_are_without_one_with_gc_in_idle_time(ftl, warmup):
    alone, closed = run(ftl, "none"), run(ftl, "none", "closed:1")
    assert alone.gc.background_runs > 0
    assert closed.gc.background_runs == 0
    erased, waited = (sum(each.flash.erases.values()) for each in (alone, closed))
    assert erased != waited
    assert erases_before(run(ftl, warmup)) == erased
    assert erases_before(run(ftl, warmup, "closed:1")) == waited


@pytest.mark.parametrize("warmup", ["sequential", "random:1"])
@pytest.mark.parametrize(
    ("ftl", "never"), list(zip(IDLE, NEVER, strict=True)), ids=["cachftl", "mnftl"]
)
def test_between_pages_that_a_warm_up_writes_itself_there_is_no_idle_time(ftl, never, warmup):
    with_idle, without = run(ftl, warmup), run(never, warmup)
    assert with_idle.gc.background_runs > 0
    assert erases_before(with_idle) == erases_before(without)


def test_gc_in_idle_time_goes_on_while_the_input_is_played_until_steady():
    idle, waits = (run(IDLE[1], "steady", host) for host in ("open", "closed:1"))
    assert min(idle.warmup.windows[1:]) > 1.2 * max(waits.warmup.windows[1:])
    for each in (idle, waits):
        assert each.warmup.windows[-1] == pytest.approx(each.write_amplification, rel=0.05)


def hit_ratios(ftls, warmup):
    trace = ftlab.profile("financial1", requests=3000)
    found = ftlab.compare(trace, ftls, preset="tpftl-eurosys15", warmup=warmup)
    return {each.ftl: each.mapping.hit_ratio for each in found}


@pytest.mark.long
def test_a_warm_up_moves_what_holds_runs_of_pages_and_hardly_anything_else():
    before, after = (
        hit_ratios(["dftl", "dloop", *OF_RUNS], mode) for mode in ("sequential", "random:1")
    )
    moved = {ftl for ftl in before if abs(before[ftl] - after[ftl]) > 0.05}
    assert moved == set(OF_RUNS)
    assert abs(before["dftl"] - after["dftl"]) < 0.02


def test_a_comparison_says_whose_hit_ratio_the_warm_up_decides():
    def run(ftl, hits):
        return Result(sample.result(ftl, hit_ratio=hits))

    found = favoured([run("dftl", 0.6), run("sftl", 0.9), run("page", None)])
    assert [bool(note) for note in found] == [False, True, False]
    assert "(footprint)" in found[1] and "--warmup sequential and random:1" in found[1]
    assert favoured([run("sftl", 0.9), run("page", None)]) == ["", ""]
    lines = warning_lines(Comparison([run("dftl", 0.6), run("sftl", 0.9)]))
    assert any(line.startswith("S-FTL: the warm-up") for line in lines)


@pytest.mark.long
def test_a_sweep_says_it_too_unless_it_compares_warm_ups(ftlab):
    asked = ("sweep", "financial1", "--requests", "2k", "--ftl", "dftl,sftl")
    shown = ftlab(*asked, "--warmup", "footprint")
    assert shown.exit_code == 0, shown.output
    assert "the warm-up (footprint) decides the mapping hit ratio" in shown.stdout
    assert "decides the mapping hit ratio" in ftlab("results", "ftlab-results").stdout
    several = ftlab(*asked, "--warmup", "sequential,footprint", "--results", "several")
    assert "decides the mapping hit ratio" not in several.stdout
