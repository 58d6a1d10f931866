"""What a run tells of a power cut at its end."""

import pytest

from ftlab import ConfigError
from ftlab import crash as crashes
from ftlab.simulation import execute

CONFIG = {
    "workload": {"pattern": "randwrite", "bs": "4k", "size": "1MiB", "requests": 600},
    "device": {"capacity": "1MiB", "pages_per_block": 16, "over_provisioning": "50%"},
    "run": {"recovery": True},
}


def run(name, **sections):
    (result,) = execute([({**CONFIG, **sections}, name)])
    return result


@pytest.mark.parametrize("ftl", ["page", "dftl", "fast", "mnftl", "superblock"])
def test_a_mount_costs_what_it_costs_after_a_cut_behind_all_changes(ftl):
    found = run(ftl, ftl={"power_safe": True}).recovery
    changes = crashes.crash(CONFIG, ftl, 1).changes
    mounts = crashes.crash(CONFIG, ftl, at=crashes.cut(f"{changes}:before")).mounts
    assert found.oob_reads == mounts.oob_reads.mean > 0
    assert (found.page_reads, found.programs) == (mounts.reads.mean, mounts.programs.mean)
    assert found.erases == mounts.erases.mean
    assert found.time_s == pytest.approx(mounts.time_us.mean / 1e6)
    maps = found.ram_bytes // 12 - 256
    assert (maps > 0) == (ftl == "dftl")
    assert (found.at_risk_bytes, found.at_risk_bytes_max) == (0, 0)


def test_an_ftl_in_an_order_that_a_cut_may_harm_tells_no_mount():
    found = run("fast")
    assert (found.recovery.time_s, found.recovery.at_risk_bytes) == (None, None)
    assert any("set ftl.power_safe = true" in warning for warning in found.warnings)


def test_a_buffer_loses_what_it_holds():
    result = run("page", buffer={"policy": "lru", "size": "64KiB"})
    found = result.recovery
    assert found.time_s > 0
    assert found.at_risk_bytes == result.timeline.at_risk_bytes[-1] > 0
    assert found.at_risk_bytes_max == max(result.timeline.at_risk_bytes)


def test_an_ftl_that_keeps_writes_loses_what_it_holds():
    found = run("treeftl", ftl={"cache": "16KiB"}).recovery
    assert found.time_s > 0
    assert found.at_risk_bytes_max >= found.at_risk_bytes > 0


@pytest.mark.parametrize("ftl", ["page", "fast", "kast", "gftl", "block-optimized", "cachftl"])
def test_it_is_told_where_it_is_asked_for_and_changes_nothing(ftl):
    plain = run(ftl, run={})
    assert plain["recovery"] is None
    assert set(plain.timeline.at_risk_bytes) == {None}
    asked = run(ftl).to_dict()
    for key in ("host", "flash", "gc", "response_us", "planes", "wear"):
        assert plain.to_dict()[key] == asked[key], key


def test_a_checkpoint_makes_a_mount_shorter():
    warm = {**CONFIG["run"], "warmup": "sequential"}
    without, with_them = (
        run("page", device={**CONFIG["device"], "checkpoint": every}, run=warm)
        for every in (None, 64)
    )
    assert with_them.recovery.oob_reads < without.recovery.oob_reads / 2
    assert with_them.recovery.page_reads > 0


def test_blocks_that_wear_out_are_refused():
    with pytest.raises(ConfigError, match=r"device\.endurance: found 1000 with run\.recovery"):
        run("page", device={**CONFIG["device"], "endurance": 1000})
