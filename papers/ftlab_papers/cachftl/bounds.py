"""How near CACH-FTL's response to random writes can come to BM's, by the paper's own numbers.

Both are below the same cache, so each group that it evicts is held against itself. BM writes its
block anew. So does CACH-FTL with a group above the threshold; a smaller one it appends to the PMR,
and its GC works while no request is there (4.1, 4.2.2, 4.3.3; times of 5.1; workload of 5.2).
Times are ms, shares are of groups.
"""

from __future__ import annotations

import math

from ftlab_papers.cachftl.points import BLOCK, SEQUENTIAL, SYNTHETIC_BYTES
from ftlab_papers.findings import NEAR_RATIO
from ftlab_papers.tables import Words

READ, PROGRAM, ERASE = 0.025, 0.2, 1.5
BLOCKS = SYNTHETIC_BYTES // BLOCK
BLOCK_PAGES = 64
CACHED_BLOCKS = 128 + 6
"""Those of which C-lash can hold pages at once: a page each in the p-space, and the b-space."""
THRESHOLD = 4

WRITES = 250_000
GAP = 200.0
"""Between requests of a page, on average."""
LOCAL = 0.2
"""The spatial locality, read as widely as a share can be: of all requests, not of the others."""

OTHERS = BLOCK_PAGES - 1
GC_PHASES = (
    OTHERS * READ,
    OTHERS * PROGRAM,
    ERASE,
    BLOCK_PAGES * READ,
    ERASE,
    BLOCK_PAGES * PROGRAM,
)
"""The most GC for a page: PMR-GC of a block with one to recycle, and BMR-GC if none has one."""

PMR_SHARE, IDLE_SHARE, SYNC_BLOCKS = 0.1, 0.1, 3
BETWEEN = (math.floor(PMR_SHARE * IDLE_SHARE * BLOCKS) - SYNC_BLOCKS) * BLOCK_PAGES
"""Pages of the PMR between where GC begins in idle time and where a write waits for it."""

REWRITTEN = ERASE + BLOCK_PAGES * (READ + PROGRAM)
"""The most that it takes to write a block anew."""


def writes_to_group(sequential: float) -> float:
    """Return the mean number of writes that a group stands for, at most.

    A write joins a group if its block is in the cache.
    """
    apart = _elsewhere(sequential) * (1 - CACHED_BLOCKS / BLOCKS)
    return 1 / apart if apart else math.inf


def large(sequential: float) -> float:
    """Return the share of groups above the threshold, at most, by Markov's inequality."""
    return min((writes_to_group(sequential) - 1) / THRESHOLD, 1.0)


def in_use(sequential: float) -> float:
    """Return the share of a block's pages that the warm-up has written, at least, on average."""
    return 1 - math.exp(-_elsewhere(sequential) * WRITES / (BLOCKS * BLOCK_PAGES))


def waiting(sequential: float) -> float:
    """Return the mean wait of a request, at most.

    Gaps are exponential, so it comes at any time, and waits for what is left of a phase of GC or of
    a request; each request is taken to evict a group.
    """
    writes, share = writes_to_group(sequential), large(sequential)
    spans = (*GC_PHASES, THRESHOLD * PROGRAM)
    squares = sum(each**2 for each in spans) + share * REWRITTEN**2
    idle = GAP - share * REWRITTEN - writes * PROGRAM
    return squares / (2 * idle) if idle > 0 else math.inf


def most_of_bm(sequential: float) -> float:
    """Return the most that CACH-FTL's response can be of BM's, at a rate of sequential writes.

    Large groups are taken to be those of the fullest blocks.
    """
    writes, share = writes_to_group(sequential), large(sequential)
    of_both = share * REWRITTEN
    ours = of_both + writes * (PROGRAM + waiting(sequential))
    used = max(in_use(sequential) - share, 0.0)
    theirs = of_both + (1 - share) * ERASE + used * BLOCK_PAGES * PROGRAM
    return min(ours / theirs, 1.0)


def _elsewhere(sequential: float) -> float:
    """Return the share of requests that go anywhere, at least."""
    return max(1 - sequential - LOCAL, 0.0)


RANDOM = SEQUENTIAL[0] / 100
GAIN = -0.41
"""CACH-FTL / BM - 1, as it is published."""
LEAST = 1 + GAIN * (1 + NEAR_RATIO)
"""The least share of BM's response with which that is met."""


def proof_of_c23(words: Words) -> str:
    """Return why C23 cannot agree."""
    return words(
        "proof of C23",
        gc=sum(GC_PHASES),
        gap=GAP,
        between=BETWEEN,
        large=math.ceil(100 * large(RANDOM)),
        threshold=THRESHOLD,
        used=math.floor(100 * in_use(RANDOM)),
        most=math.ceil(100 * most_of_bm(RANDOM)),
        published=100 * (1 + GAIN),
        least=100 * LEAST,
    )
