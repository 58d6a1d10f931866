"""What TPFTL says of its prefetching equals a count in Python, and explains its hit ratio."""

import random

import pytest

import ftlab
from ftlab.lookups import FIRST_USES, IN_SEQUENCE, MISSES, shares_of
from recount import Cache

PAGES = 4096
ENTRIES = 128


def requests(seed: int, count: int) -> list[tuple[bool, int, int]]:
    """Return runs of single pages and of longer requests, and random requests."""
    rng = random.Random(seed)
    streams = [rng.randrange(PAGES // 2) for _ in range(3)]
    made = []
    for _ in range(count):
        length = rng.choice([1, 1, 1, 2, 4, 9])
        if rng.random() < 0.6:
            at = rng.randrange(3)
            first = streams[at] = (streams[at] + 1) % (PAGES - 20)
            streams[at] += length - 1
        else:
            first = int(rng.random() ** 3 * (PAGES - 20))
        made.append((rng.random() < 0.3, first, first + length - 1))
    return made


@pytest.mark.parametrize(
    ("features", "cache", "threshold"),
    [("rsbc", 300, 1), ("rsbc", 1200, 3), ("sbc", 2400, 2), ("rsc", 1200, 1), ("rbc", 600, 3)],
)
def test_counts_are_those_of_a_count_in_python(features, cache, threshold, tmp_path):
    made = requests(cache, 1200)
    path = tmp_path / "made.csv"
    lines = [
        f"{at},{'W' if writes else 'R'},{512 * first},{512 * (last - first + 1)}\n"
        for at, (writes, first, last) in enumerate(made)
    ]
    path.write_text("time,op,offset,length\n" + "".join(lines))
    trace = ftlab.Trace(str(path), columns="time=1:s,op=2,offset=3,length=4")
    shape = {"page": 512, "pages_per_block": 64, "over_provisioning": "900%"}
    device = ftlab.Device(capacity=512 * PAGES, **shape)
    ftl = ftlab.TPFTL(cache=cache, features=features, threshold=threshold)
    result = ftlab.simulate(trace, ftl, device, warmup="replay:1", host="closed:1")
    assert result.gc.runs == 0 and result.device.written_ratio is not None

    counted = Cache(cache, ENTRIES, features, threshold)
    counted.requests(made)
    counted.restart()
    counts = counted.requests(made)
    assert (result.mapping.lookups, result.mapping.hits) == (counts["lookups"], counts["hits"])
    found = result.prefetch.to_dict()
    assert found.pop("on_ratio") == pytest.approx(counts["on"] / counts["lookups"])
    assert found == {name: counts[name] for name in found}
    if "s" in features:
        assert min(found["switches"], found["successors_used"], found["successors_unused"]) > 0


SEQUENCES = ftlab.Workload("rw", streams=4, size="128MiB", requests=20_000)
SETUP = {"preset": "tpftl-eurosys15", "address": "modulo", "host": "closed:1"}


def test_shares_of_lookups_add_up_and_name_what_prefetching_saves():
    device = ftlab.Device(capacity="128MiB")
    ftls = [ftlab.TPFTL(features="rbc"), ftlab.TPFTLAdaptive()]
    without, with_all = (ftlab.simulate(SEQUENCES, ftl, device, **SETUP) for ftl in ftls)
    assert (without.prefetch.on_ratio, with_all.prefetch.on_ratio) == (0.0, 1.0)
    shares = {name.strip(): values for name, *values in shares_of(without, with_all)}
    for side, result in enumerate((without, with_all)):
        first_uses = sum(shares[name][side] for name in FIRST_USES)
        assert (first_uses > 0) == bool(side)
        assert shares["hits"][side] == result.mapping.hit_ratio
        assert shares["hits"][side] + shares["misses"][side] == pytest.approx(1.0)
        misses = sum(shares[name][side] for name in MISSES)
        assert misses == pytest.approx(shares["misses"][side])
    off, on = shares[IN_SEQUENCE]
    assert off > 0.9
    assert on == 0.0


def test_what_is_no_prefetching_has_no_shares():
    trace = ftlab.profile("financial1", requests=500)
    runs = [ftlab.simulate(trace, name) for name in ("page", "dftl")]
    assert [run.find("prefetch") for run in runs] == [None, None]
    assert runs[0].prefetch.on_ratio is None
    assert shares_of(*runs) == []
