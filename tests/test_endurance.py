"""Wear: how far erases of blocks differ, how long a device lasts, and what is said of it."""

import json
import re

import pytest

import ftlab as lab
from ftlab import ConfigError
from ftlab.endurance import endurance
from marks import long_but
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


def test_a_life_is_projected_from_shorter_ones():
    device = {**LIFE["device"], "endurance": 2000}
    config = {**LIFE, "device": device}
    life, guess = endurance(config, "page", scale=1), endurance(config, "page", scale=4)
    assert not life.projected
    assert life.error is None
    assert guess.projected
    assert guess.error <= 0.03
    assert guess.passes < life.passes
    assert guess.failures[0] == pytest.approx(life.failures[0], rel=0.03)
    assert guess.life == pytest.approx(life.life, rel=0.03)
    assert guess.used == pytest.approx(life.used, rel=0.03)


def test_a_life_of_seconds_is_run_whole():
    assert not endurance(LIFE, "page").projected


@pytest.mark.parametrize("policy", ["dynamic", "static"])
@pytest.mark.parametrize("ftl", long_but(["dftl"], ["page", "dftl", "tpftl", "nftl", "cachftl"]))
def test_a_projection_is_right_or_refused(ftl, policy):
    """Blocks of a map on flash wear out one after another, which ranks do not foretell."""
    config = {
        "workload": {"pattern": "rand", "size": "7MiB", "requests": 20_000},
        "device": {"capacity": "8MiB", "pages_per_block": 16, "endurance": 1000},
        "run": {"warmup": "sequential"},
        "wear": {"policy": policy, "gap": 6},
    }
    life = endurance(config, ftl, scale=1)
    try:
        guess = endurance(config, ftl, scale=4)
    except ConfigError as error:
        assert "scale: found projections" in str(error)
        return
    assert guess.failures[0] == pytest.approx(life.failures[0], rel=0.03)
    assert guess.life == pytest.approx(life.life, rel=0.03)
    assert guess.used == pytest.approx(life.used, rel=0.03)


def test_shorter_lives_that_do_not_agree_are_refused():
    device = {"capacity": "1MiB", "over_provisioning": "200%", "pages_per_block": 16}
    config = {
        "workload": {"pattern": "hotcold", "size": "1MiB", "requests": 777},
        "device": {**device, "endurance": 840, "endurance_spread": "30%"},
        "run": {"warmup": "sequential"},
    }
    with pytest.raises(ConfigError, match=r"scale: found projections .* use --scale 1"):
        endurance(config, "dftl", scale=4)


@pytest.mark.parametrize("warmup", ["none", "sequential", "random:3"])
def test_blocks_are_new_after_the_warm_up(warmup):
    config = {
        "workload": {"pattern": "rand", "size": "3MiB", "requests": 200},
        "device": {"capacity": "8MiB", "pages_per_block": 16, "endurance": 1},
        "run": {"warmup": warmup},
    }
    life = endurance(config, "page", scale=1)
    assert life.failures[0] > 0
    assert 0 < life.used < 1


def test_what_is_used_is_what_was_erased():
    config = {**LIFE, "device": {**LIFE["device"], "spare_blocks": "5%", "endurance": 20}}
    life = endurance(config, "dftl", scale=1)
    blocks = sum(number for _, number in life.wear.blocks_by_erases)
    in_place = sum(erases * number for erases, number in life.wear.blocks_by_erases)
    spare = round(0.05 * blocks)
    assert life.wear.erases_total == in_place + 20 * spare
    assert life.used == pytest.approx(life.wear.erases_total / (20 * (blocks + spare)))


def test_a_life_is_told_as_data_sheets_do():
    config = {**LIFE, "workload": {**LIFE["workload"], "interarrival": "1ms"}}
    life = endurance(config, "page", scale=1)
    assert life.tbw == life.life / 1e12
    assert life.dwpd == pytest.approx(life.drive_writes / (5 * 365))
    seconds = life.life / 4096 / 1000
    assert life.years == pytest.approx(seconds / (365.25 * 24 * 3600), rel=0.02)
    closed = endurance({**config, "host": {"mode": "closed:1"}}, "page", scale=1)
    assert closed.years is None


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


def test_blocks_endure_what_their_cells_are_rated_for(ftlab):
    cells = ("--set", "device.cell=tlc", "--pages-per-block", "48", "--ftl", "page", "--json")
    (rated,) = json.loads(ftlab("endurance", *SMALL, *cells).stdout)
    assert rated["endurance"] == 1000
    told = ("--set", "device.endurance=120")
    (given,) = json.loads(ftlab("endurance", *SMALL, *cells, *told).stdout)
    assert given["endurance"] == 120
    assert rated["life"] > 7 * given["life"]


def test_a_device_that_ends_with_erases_left_says_why():
    uneven = endurance(LIFE, "page")
    assert uneven.used < 0.5
    assert any("erases used" in each and "set static" in each for each in uneven.warnings)
    level = endurance({**LIFE, "wear": {"policy": "static", "gap": 16}}, "page")
    assert level.used > 0.9
    assert not any("erases used" in each for each in level.warnings)


def test_a_life_says_what_it_was_run_on_and_what_the_run_warns_of(ftlab):
    run = ftlab("endurance", *SMALL, "--set", "device.endurance=100", "--ftl", "page,dftl")
    assert run.stdout.startswith("trace rand, format generated, device 16 MiB, addresses compact, ")
    assert "warm-up sequential" in run.stdout.splitlines()[0]
    reads = ("--workload", "randrw,size=820KiB,requests=20k", "--capacity", "16MiB")
    never = ftlab("endurance", *reads, "--set", "device.endurance=100", "--ftl", "page,dftl")
    assert "warning: page-level, DFTL: " in never.stderr
    assert "the rest acts as spare space" in never.stderr
    assert "worn out" not in never.stderr


def test_what_has_no_end_is_refused(ftlab):
    none = failure(ftlab("endurance", *SMALL))
    assert "device.endurance: found none" in none
    assert "100000 of SLC" in none
    short = ("--set", "device.endurance=30", "--set", "wear.policy=static", "--scale", "4")
    assert "scale: found 4" in failure(ftlab("endurance", *SMALL, *short))
    reads = ("--workload", "randread,size=16MiB,requests=100", "--capacity", "16MiB")
    cycles = ("--set", "device.endurance=100")
    assert "writes nothing" in failure(ftlab("endurance", *reads, *cycles))
    held = ("--set", "buffer.policy=lru", "--set", "buffer.size=4MiB")
    assert "as RAM holds it" in failure(ftlab("endurance", *SMALL, *cycles, *held))


def test_moves_without_end_are_refused(ftlab):
    for gap in (2, 3):
        small = ("--set", "wear.policy=static", "--set", f"wear.gap={gap}")
        assert f"wear.gap: found {gap}, expected at least 4" in failure(
            ftlab("run", *SMALL, *small, "--ftl", "page")
        )


def test_levelling_that_costs_more_than_what_it_levels_is_told():
    everything = lab.Workload("rand", size="4MiB", requests=4000)
    wear = lab.Wear("static", gap=4)
    device = lab.Device(capacity="4MiB", pages_per_block=8)
    run = lab.simulate(everything, "page", device, warmup="sequential", wear=wear)
    assert any("wear levelling programmed" in warning for warning in run.warnings)


def test_blocks_in_slc_mode_are_levelled_among_themselves():
    device = lab.Device(capacity="16MiB", cell="tlc", pages_per_block=48)
    wear = lab.Wear("static", gap=4)
    run = lab.simulate(HOT, "mnftl-hybrid", device, warmup="sequential", wear=wear)
    assert run.wear.levelled_within <= 4 < run.wear.erases_max - run.wear.erases_min


def test_erases_of_a_worn_device_add_up():
    everything = lab.Workload("randwrite", bs="4k", size="16MiB", requests=60_000)
    run = lab.simulate(everything, "page", lab.Device(capacity="16MiB", endurance=5))
    assert run.lifetime.read_only
    assert run.wear.erases_total == sum(run.flash.erases.values())


def test_bytes_are_those_on_the_device():
    large = lab.Workload("seq", bs="16MiB", size="16MiB", requests=3)
    device = lab.Device(capacity="4MiB", over_provisioning="40%")
    run = lab.simulate(large, "page", device, address="modulo")
    assert run.host.bytes_written == 3 * 4 * 2**20
    assert run.byte_write_amplification == run.write_amplification == 1
    assert run.energy.nj_per_host_byte == pytest.approx(run.energy.total_j * 1e9 / (12 << 20))
    assert run.host.cut_requests == 3
    assert any("100 % of requests were cut at its end" in text for text in run.warnings)


def test_requests_that_are_folded_are_told():
    wide = lab.Workload("rand", size="16MiB", requests=1000)
    device = lab.Device(capacity="4MiB", over_provisioning="40%")
    run = lab.simulate(wide, "page", device, address="modulo")
    assert 650 < run.host.folded_requests < 850
    assert any(re.search("lie beyond the device.*; use a device.capacity", t) for t in run.warnings)
    inside = lab.simulate(wide, "page", lab.Device(capacity="16MiB"), address="modulo")
    assert inside.host.folded_requests == inside.host.cut_requests == 0


def test_few_pages_over_a_large_space_are_not_sent_in_a_circle(tmp_path):
    trace = tmp_path / "few.csv"
    rows = (f"{step},{step * 7919 % 50 * 1_000_071_168},4096,w\n" for step in range(4000))
    trace.write_text("".join(rows))
    source = lab.read_trace(trace, columns="time=1,offset=2,length=3,op=4")
    asked = lab.simulate(source, "page").warnings
    assert any("use a smaller device.capacity with run.address = modulo" in t for t in asked)
    followed = lab.simulate(source, "page", lab.Device(capacity="16MiB"), address="modulo")
    assert followed.host.folded_requests > 3000
    assert any("so locality is kept" in text for text in followed.warnings)
    assert not any("a device.capacity that holds" in text for text in followed.warnings)


@pytest.mark.parametrize("warmup", ["none", "sequential"])
def test_reads_of_trimmed_pages_are_not_called_never_written(tmp_path, warmup):
    trace = tmp_path / "trims.csv"
    lines = [f"{n}.0,{n // 3 * 4096},4096,{'wtr'[n % 3]}" for n in range(30)]
    trace.write_text("time,offset,length,op\n" + "\n".join(lines) + "\n", "utf-8")
    columns = {"format": "csv", "columns": "time=time,offset=offset,length=length,op=op"}
    device = lab.Device(capacity="4MiB", over_provisioning="40%")
    setup = {"warmup": warmup, "config": {"input": columns}}
    run = lab.simulate(str(trace), "page", device, **setup)
    [told] = [text for text in run.warnings if "of page reads" in text]
    assert "trimmed" in told
    assert "set run.warmup" not in told
