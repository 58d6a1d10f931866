"""Wear: how far erases of blocks differ, how long a device lasts, and what is said of it."""

import pytest

import ftlab as lab
from ftlab import ConfigError
from ftlab.endurance import endurance
from test_cli import failure

HOT = lab.Workload("rand", size="820KiB", requests=60_000)
FULL = {"warmup": "sequential", "device": lab.Device(capacity="16MiB")}
LIFE = {
    "workload": {"pattern": "rand", "size": "820KiB", "requests": 20_000},
    "device": {"capacity": "16MiB", "endurance": 300},
    "run": {"warmup": "sequential"},
}
SMALL = (
    *("--workload", "rand,size=820KiB,requests=20k", "--capacity", "16MiB"),
    *("--warmup", "sequential"),
)


@pytest.mark.parametrize("ftl", ["page", "dftl", "fast", "mnftl", "superblock", "cachftl"])
def test_the_gap_is_kept_at_a_price_that_is_told(ftl):
    uneven = lab.simulate(HOT, ftl, **FULL)
    level = lab.simulate(HOT, ftl, wear=lab.Wear("static", gap=12), **FULL)
    assert uneven.wear.erases_max - uneven.wear.erases_min > 24
    assert level.wear.erases_max - level.wear.erases_min <= 12
    assert uneven.flash.programs.wear == 0
    assert level.flash.programs.wear == level.flash.reads.wear > 0
    assert level.wear.moved_blocks > 0
    assert level.write_amplification > uneven.write_amplification
    assert level.ram_bytes.tables == uneven.ram_bytes.tables + 4 * level.device.blocks


def test_regions_can_be_levelled_apart():
    wear = {"policy": "static", "gap": 12}
    both = lab.simulate(HOT, "cachftl", wear=wear, **FULL)
    apart = lab.simulate(HOT, "cachftl", wear={**wear, "part": "region"}, **FULL)
    assert both.wear.erases_max - both.wear.erases_min <= 12
    assert apart.wear.erases_max - apart.wear.erases_min > 12


def test_nothing_at_all_wears_more_unevenly_than_the_choice_of_the_free_block():
    none, dynamic = (lab.simulate(HOT, "dftl", wear=each, **FULL) for each in ("none", "dynamic"))
    assert none.wear.erases_max > dynamic.wear.erases_max
    assert none.write_amplification == pytest.approx(dynamic.write_amplification, rel=0.05)


def test_what_is_told_of_blocks_and_planes_adds_up():
    device = lab.Device(capacity="32MiB", planes_per_die=2, over_provisioning="25%")
    wear = lab.simulate(HOT, "dloop", device).wear
    counts = wear.blocks_by_erases
    assert sum(erases * blocks for erases, blocks in counts) == wear.erases_total
    assert min(plane.erases_min for plane in wear.planes) == wear.erases_min == counts[0][0]
    assert max(plane.erases_max for plane in wear.planes) == wear.erases_max == counts[-1][0]
    assert len(wear.planes) == 2


@pytest.mark.parametrize("policy", ["dynamic", "static"])
def test_a_life_is_projected_from_a_quarter_of_it(policy):
    config = {**LIFE, "wear": {"policy": policy}}
    life, guess = endurance(config, "page", scale=1), endurance(config, "page")
    assert not life.projected
    assert guess.projected
    assert guess.passes < life.passes
    assert guess.failures[0] == pytest.approx(life.failures[0], rel=0.03)
    assert guess.life == pytest.approx(life.life, rel=0.03)


def test_levelling_makes_a_device_last():
    uneven = endurance(LIFE, "page", scale=1)
    level = endurance({**LIFE, "wear": {"policy": "static"}}, "page", scale=1)
    assert level.life > 3 * uneven.life
    assert uneven.used < 0.5 < 0.9 < level.used < 1


def test_spare_blocks_take_the_place_of_bad_ones_until_there_is_none():
    def told(**device):
        return endurance({**LIFE, "device": {**LIFE["device"], **device}}, "page", scale=1)

    none, some = told(spare_blocks=0.0), told(spare_blocks="10%")
    assert none.failures[0] == none.life
    assert len(some.failures) >= 1 + round(0.1 * 73)
    assert some.failures[0] == none.life < some.failures[round(0.1 * 73)] == some.life
    assert told(spare_blocks="10%", bad_blocks="10%").life == none.life
    with pytest.raises(ConfigError, match=r"device\.bad_blocks: found 10%, expected at most"):
        told(spare_blocks="5%", bad_blocks="10%")


def test_a_device_that_is_read_only_is_read_and_refuses_writes():
    mixed = lab.Workload("rand", size="820KiB", requests=60_000, read_share=0.5)
    device = lab.Device(capacity="16MiB", endurance=20)
    run = lab.simulate(mixed, "page", device, warmup="sequential")
    assert run.lifetime.read_only
    assert run.lifetime.refused_requests > 0
    assert run.lifetime.worn_out_blocks == len(run.lifetime.bytes_at_failure) > 1
    assert run.lifetime.spare_blocks == 0
    assert run.checks.reads_verified == run.host.reads
    assert run.host.reads > run.host.writes


def test_endurance_is_a_command(ftlab, tmp_path):
    figure = tmp_path / "life.svg"
    cycles = ("--set", "device.endurance=300")
    shown = ftlab("endurance", *SMALL, *cycles, "--ftl", "page,dftl", "--csv", "--plot", figure)
    assert shown.exit_code == 0, shown.output
    header, *rows = [line.split(",") for line in shown.stdout.splitlines()]
    assert [row[0] for row in rows] == ["page", "dftl"]
    assert "drive writes" in header
    assert "blocks worn out" in figure.read_text("utf-8")


def test_what_has_no_end_is_refused(ftlab):
    assert "device.endurance: found none" in failure(ftlab("endurance", *SMALL))
    short = ("--set", "device.endurance=30", "--set", "wear.policy=static")
    assert "scale: found 4" in failure(ftlab("endurance", *SMALL, *short))
    reads = ("--workload", "randread,size=16MiB,requests=100", "--capacity", "16MiB")
    cycles = ("--set", "device.endurance=100")
    assert "writes nothing" in failure(ftlab("endurance", *reads, *cycles))
