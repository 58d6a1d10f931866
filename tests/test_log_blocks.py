"""Rules of KAST and LAST that their abstracts leave open, each by runs of a few pages.

The rules: choices.md#kast-rules, choices.md#last-rules.
"""

from collections.abc import Sequence
from pathlib import Path

import ftlab

PAGES_PER_BLOCK = 4
PAGE = 4096
LOGICAL_BLOCKS = 16


def written(folder: Path, ftl: object, log_blocks: int, *requests: Sequence[int]) -> ftlab.Result:
    """Return what writes of pages do to a device that was filled in order."""
    trace = folder / "writes.spc"
    sectors = PAGE // 512
    lines = (
        f"0,{pages[0] * sectors},{len(pages) * PAGE},w,{second}\n"
        for second, pages in enumerate(requests)
    )
    trace.write_text("".join(lines))
    device = ftlab.Device(
        capacity=LOGICAL_BLOCKS * PAGES_PER_BLOCK * PAGE,
        page=PAGE,
        pages_per_block=PAGES_PER_BLOCK,
        blocks=LOGICAL_BLOCKS + log_blocks + 1,
    )
    setup = {"log": {"blocks": log_blocks}, "run": {"address": "overlay"}}
    return ftlab.simulate(ftlab.read_trace(trace), ftl, device, warmup="sequential", config=setup)


def each(*pages: int) -> list[list[int]]:
    """Return a request for each page."""
    return [[page] for page in pages]


def test_a_broken_sequential_log_is_the_newest_random_one_of_kast(tmp_path):
    # 0 opens a sequential log, and 5 a random one; 2 breaks the first, so that each has an owner.
    ftl = ftlab.KAST(associativity=1)
    result = written(tmp_path, ftl, 2, *each(0, 5, 2, 9, 1, 3))
    assert result.own["kast.sequences_broken"] == 1
    assert result.merges.full == 1, "9 takes the place of 5; what was broken has room for 1 and 3"


def test_kast_goes_on_where_a_block_wrote_last_while_that_has_a_valid_page_of_it(tmp_path):
    # The sequence 4 to 7 supersedes 5 in the log that has 10 beside it, which takes 13 then.
    ftl = ftlab.KAST(associativity=2)
    pages = (5, 10, 4, 5, 6, 7, 13)
    assert written(tmp_path, ftl, 2, *each(*pages)).merges.switch == 1
    result = written(tmp_path, ftl, 2, *each(*pages, 6, 21, 25))
    assert result.merges.full == 2, "6 opens a log, which 21 fills up; for 25 the first must go"


def test_pages_that_a_sequential_request_of_last_overwrites_do_not_make_its_merge_full(tmp_path):
    ftl = ftlab.LAST(threshold=2)
    over = written(tmp_path, ftl, 3, [0, 1], [1, 2])
    assert (over.merges.partial, over.merges.full) == (1, 0)
    spoilt = written(tmp_path, ftl, 3, [0, 1], [1], [1, 2])
    assert (spoilt.merges.partial, spoilt.merges.full) == (0, 1)


def test_a_block_of_last_that_cools_is_the_newest_of_the_cold_ones(tmp_path):
    # 17 is hot and finds no room, so that the block of 1, 5, 9 and 13 cools. Then that and the one
    # of 21, 25 and 29, which was opened after it, have three owners each; 33 reclaims one of them.
    ftl = ftlab.LAST(threshold=8, sequential=0.0, hot=0.34)
    pages = each(1, 5, 9, 13, 1, 5, 9, 13, 17, 21, 25, 29, 17, 1, 33)
    before = written(tmp_path, ftl, 4, *pages).own
    assert (before["last.cooled_blocks"], before["last.random_reclaims"]) == (1, 1)
    after = written(tmp_path, ftl, 4, *pages, [5]).own
    assert after["last.hot_pages"] == before["last.hot_pages"] + 1, "5 is there still"
