"""Write buffers from Python and from the command line; CACH-FTL below one."""

import json

import pytest

import ftlab

WORKLOAD = ftlab.Workload("zipf", bs="4k", size="8MiB", requests=4000, read_share=0.3)
DEVICE = ftlab.Device(capacity="8MiB", pages_per_block=16, over_provisioning=0.5)
BLOCK = 16 << 12
"""Bytes of the block in RAM through which CACH-FTL merges."""
BUFFERS = [each["name"] for each in ftlab.catalog()["buffers"]]
KEYS = (
    "hits read_hits hit_ratio absorbed flushed_groups flushed_pages mean_group_pages padded_pages "
    "at_risk_bytes_mean at_risk_bytes_max flushed_at_end"
)


def run(policy: str) -> ftlab.Result:
    buffer = {"policy": policy, "size": "256KiB"}
    ftl = ftlab.CACHFTL(threshold=1)
    return ftlab.simulate(WORKLOAD, ftl, DEVICE, buffer=buffer, warmup="replay:1")


@pytest.mark.parametrize("policy", ["lru", "cflru"])
def test_reads_of_nothing_are_counted_in_ram_and_on_flash(policy):
    reads = ftlab.Workload("randread", bs="4k", size="1MiB", requests=1000)
    buffer = {"policy": policy, "size": "256KiB"}
    result = ftlab.simulate(reads, ftlab.Page(), DEVICE, buffer=buffer, warmup="none")
    assert 0 < result.buffer.read_hits < 1000
    assert result.host.unwritten_page_reads == result.host.page_reads == 1000


@pytest.mark.parametrize("policy", BUFFERS)
def test_every_buffer_absorbs_writes_and_loses_nothing(policy):
    result = run(policy)
    buffer, host = result.buffer, result.host
    assert set(buffer) == set(KEYS.split())
    assert buffer.absorbed > 0 and buffer.hits >= buffer.read_hits > 0
    assert 0 < buffer.at_risk_bytes_mean <= buffer.at_risk_bytes_max <= (256 << 10) + BLOCK
    went = result.flash.programs["host"] + buffer.absorbed + buffer.flushed_at_end.pages
    assert host.page_writes <= went <= host.page_writes + 64
    assert result.flash.programs["padding"] == buffer.padded_pages
    assert result.checks.reads_verified == host.page_reads
    assert result.ram_bytes.buffer == (256 << 10) + BLOCK
    risks = result.timeline.at_risk_bytes
    assert len(risks) == len(result.timeline.time_s) and max(risks) <= buffer.at_risk_bytes_max


@pytest.mark.parametrize("policy", ["lru", "cflru"])
def test_a_read_looks_for_all_of_its_pages_before_it_keeps_any(policy, tmp_path):
    def run(op, *requests):
        lines = (f"0,{8 * first},{4096 * pages},{op},0\n" for first, pages in requests)
        (tmp_path / "pages.spc").write_text("".join(lines))
        trace = ftlab.read_trace(tmp_path / "pages.spc")
        two_pages = {"policy": policy, "size": "8KiB"}
        return ftlab.simulate(trace, "page", DEVICE, buffer=two_pages, warmup="sequential").buffer

    assert run("r", (1, 1), (5, 1), (0, 2)).read_hits == 1, "of page 1"
    assert run("r", (1, 1), (5, 1), (0, 1), (1, 1)).read_hits == 0, "0 has pushed it out"
    assert run("w", (1, 1), (5, 1), (0, 2)).hits == 0, "writes come page after page"


def test_without_a_buffer_there_is_none():
    assert run("none")["buffer"] is None
    assert set(run("none").timeline.at_risk_bytes) == {None}


def test_pages_of_a_merge_are_at_risk_beside_those_of_the_buffer():
    # Groups of one page go to the PMR; requests interrupt the merges that GC makes in idle time.
    workload = ftlab.Workload("randwrite", bs="4k", size="8MiB", requests=4000, interarrival="3ms")
    buffer = {"policy": "lru", "size": "16KiB"}
    result = ftlab.simulate(workload, ftlab.CACHFTL(enough=16), DEVICE, buffer=buffer)
    assert 16 << 10 < result.buffer.at_risk_bytes_max <= (16 << 10) + BLOCK
    assert max(result.timeline.at_risk_bytes) <= result.buffer.at_risk_bytes_max


def test_a_buffer_brings_groups_to_cachftl():
    alone, buffered = run("none"), run("fab")
    assert alone.own["cachftl.bmr_groups"] == 0
    assert buffered.own["cachftl.bmr_groups"] > 0
    assert buffered.buffer.mean_group_pages > 1


def test_the_command_line_knows_buffers(ftlab):
    listed = ftlab("list", "buffers")
    assert listed.exit_code == 0 and "buffer.page_space" in listed.stdout
    generated = ("--workload", "randwrite,bs=4k,size=8MiB,requests=2000", "--capacity", "64MiB")
    options = (*generated, "--buffer", "clash", "--buffer-size", "1MiB", "--ftl", "page", "--json")
    result = json.loads(ftlab("run", *options).stdout)
    assert result["config"]["buffer"]["policy"] == "clash"
    assert result["buffer"]["flushed_at_end"]["pages"] > 0
    wrong = ftlab("run", *generated, "--buffer", "clach")
    assert wrong.exit_code == 2
    assert 'unknown --buffer "clach" (did you mean "clash"?)' in wrong.stderr
