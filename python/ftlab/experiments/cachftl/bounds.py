"""How near CACH-FTL's response to random writes can come to BM's, by the paper's own numbers.

Both are below the same cache, so each group that it evicts is held against itself. BM writes its
block anew. So does CACH-FTL with a group above the threshold; a smaller one it appends to the PMR,
and collects while no request is there. Sections 4.2.2, 4.3, 5.1 and Table 2.
"""

from __future__ import annotations

import math

READ, PROGRAM, ERASE = 0.025, 0.2, 1.5
"""Of a page, of a page, of a block, ms."""

BLOCK_PAGES = 64
BLOCKS = 4096
"""Of 1 GB."""

CACHED_BLOCKS = 128 + 6
"""Those of which the p-space and the b-space can hold pages at once."""

THRESHOLD = 4
WRITES = 250_000
GAP = 200.0
"""Between requests, ms."""

NEAR = 0.2
"""The spatial locality, as a share of all requests that stay in the block of the one before."""

REWRITTEN = ERASE + BLOCK_PAGES * (READ + PROGRAM)
"""The most that writing a block anew takes, ms."""

PAGE_FREED = ERASE + (BLOCK_PAGES - 1) * (READ + PROGRAM) + REWRITTEN
"""The most GC for one page, ms: BMR-GC, and PMR-GC of a block with no more than one to recycle."""


def joining(sequential: float) -> float:
    """Return how likely a write is at most to fall into a block that is in the cache."""
    return 1 - _elsewhere(sequential) * (1 - CACHED_BLOCKS / BLOCKS)


def large(sequential: float) -> float:
    """Return the largest share of groups above the threshold, by Markov's inequality."""
    return min(_pages(sequential) / THRESHOLD, 1.0)


def in_use(sequential: float) -> float:
    """Return the least share of pages that the warm-up has written, on average."""
    return 1 - math.exp(-_elsewhere(sequential) * WRITES / (BLOCKS * BLOCK_PAGES))


def most_of_bm(sequential: float) -> float:
    """Return the most that CACH-FTL's response can be of BM's, at a rate of sequential writes."""
    share = large(sequential)
    of_both = share * REWRITTEN
    of_bm = (1 - share) * (ERASE + in_use(sequential) * BLOCK_PAGES * PROGRAM)
    appended = (1 + _pages(sequential)) * PROGRAM
    return min((of_both + appended) / (of_both + of_bm), 1.0)


def proof(sequential: float) -> str:
    """Return what the bound says of CACH-FTL's gain over BM."""
    most, share, used = (f"{100 * each(sequential):.0f} %" for each in (most_of_bm, large, in_use))
    return (
        f"GC for a page takes {PAGE_FREED:.1f} ms or less (5.1, Algorithm 2), and requests of a "
        f"page come every {GAP:.0f} ms: idle time has room for it. Besides, CACH-FTL's response is "
        f"{most} of BM's or less: at most {share} of the groups have more than {THRESHOLD} pages, "
        "which both write as a block; for each other one BM writes a block anew of which at least "
        f"{used} are in use, and CACH-FTL its pages."
    )


def _elsewhere(sequential: float) -> float:
    return max(1 - sequential - NEAR, 0.0)


def _pages(sequential: float) -> float:
    """Return the mean number of pages of a group behind its first, at most."""
    joins = joining(sequential)
    return joins / (1 - joins) if joins < 1 else math.inf
