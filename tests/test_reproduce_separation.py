"""Inputs of the separations' evaluation: exact workloads, and the writes of a trace."""

from itertools import islice

import numpy as np
import pytest

from ftlab.source import columns
from ftlab_papers.separation import generators

MASK = (1 << 64) - 1


class SplitMix:
    """Numbers one by one, with whole numbers of any length."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, limit):
        return ((self.next() >> 32) * limit) >> 32


def test_numbers_are_those_of_the_plain_algorithm():
    plain = SplitMix(7)
    found = generators.splitmix(7, 100)
    assert found.tolist() == [plain.next() for _ in range(100)]
    plain = SplitMix(7)
    limits = np.arange(1, 101)
    assert generators.below(found, limits).tolist() == [plain.below(int(n)) for n in limits]


def test_a_hot_part_moves_eight_times_and_gets_four_of_five_writes():
    plain, pages, writes = SplitMix(2), 1000, 800
    expected = [(page, min(16, pages - page)) for page in range(0, pages, 16)]
    for number in range(writes):
        if number % 100 == 0:
            base = plain.below(900)
        count = 1 + plain.below(8)
        page = base + plain.below(100) if plain.below(100) < 80 else plain.below(1000)
        expected.append((page, min(count, pages - page)))
    first, count = generators.shift(pages, writes, 2)
    assert list(zip(first.tolist(), count.tolist(), strict=True)) == expected


def test_zipf_writes_every_page_once_and_then_by_rank():
    first, count = generators.zipf(500, 20_000, 1)
    assert first[:500].tolist() == list(range(500))
    assert set(count.tolist()) == {1}
    often = np.sort(np.bincount(first[500:], minlength=500))[::-1]
    expected = 20_000 / np.sum(1 / np.arange(1, 501)) / np.arange(1, 501)
    assert often[:5] == pytest.approx(expected[:5], rel=0.1)


def test_a_log_is_circular_and_takes_half_of_the_requests():
    first, count = generators.mixed(1280, 4000, 3)
    of_log = first[80:][count[80:] == 4]
    assert len(of_log) == pytest.approx(2000, abs=100)
    assert list(islice(of_log, 3)) == [0, 4, 8]
    assert of_log.tolist() == [4 * number % 320 for number in range(len(of_log))]


def test_writes_of_a_trace_have_pages_without_gaps(tmp_path):
    trace = tmp_path / "t.spc"
    lines = ["1,0,4096,w,0.5", "0,80,8192,w,0.75", "0,8,512,r,1.0", "1,8,512,w,1.25"]
    trace.write_text("\n".join(lines) + "\n")
    path = generators.page_writes({"input": {"trace": str(trace)}}, tmp_path)
    found = columns({"input": {"trace": str(path)}})
    assert (found["offset"] // 4096).tolist() == [2, 0, 3]
    assert found["length"].tolist() == [4096, 8192, 4096]
    assert set(found["op"].tolist()) == {1}


def test_a_generated_trace_is_made_once(tmp_path):
    first = generators.generated("mixed", 64, 50, 3, tmp_path)
    assert generators.generated("mixed", 64, 50, 3, tmp_path) == first
    assert generators.generated("mixed", 64, 50, 4, tmp_path) != first
    found = columns({"input": {"trace": str(first)}})
    made, count = generators.mixed(64, 50, 3)
    assert found["offset"].tolist() == (made * 4096).tolist()
    assert found["length"].tolist() == (count * 4096).tolist()
