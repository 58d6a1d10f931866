"""Bounds CACH-FTL's response to random writes relative to BM's, by the paper's own numbers.

Both are below the same cache, so they are compared for each group that it evicts. BM rewrites the
group's block. CACH-FTL does so for a group above the threshold and appends a smaller one to the
PMR. Its GC works while there is no request.

The times are those of section 5.1, in ms, and the workload that of 5.2. The mechanisms are those of
4.1, 4.2.2 and 4.3.3. Shares are of groups.
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
"""Blocks of which C-lash can hold pages at once: one page each in the p-space, and the b-space."""
THRESHOLD = 4

WRITES = 250_000
GAP = 200.0
"""The mean time between requests of a page."""
LOCAL = 0.2
"""The spatial locality in its widest reading: a share of all requests, not of the others."""

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
"""Pages of the PMR between the start of GC in idle time and the point where a write waits for
it."""

REWRITTEN = ERASE + BLOCK_PAGES * (READ + PROGRAM)
"""The longest time to rewrite a block."""


def writes_to_group(sequential: float) -> float:
    """Return an upper bound of the mean number of writes that a group stands for.

    A write joins a group if its block is in the cache.
    """
    apart = _elsewhere(sequential) * (1 - CACHED_BLOCKS / BLOCKS)
    return 1 / apart if apart else math.inf


def large(sequential: float) -> float:
    """Return an upper bound of the share of groups above the threshold, by Markov's inequality."""
    return min((writes_to_group(sequential) - 1) / THRESHOLD, 1.0)


def in_use(sequential: float) -> float:
    """Return a lower bound of the mean share of a block's pages that the warm-up has written."""
    return 1 - math.exp(-_elsewhere(sequential) * WRITES / (BLOCKS * BLOCK_PAGES))


def waiting(sequential: float) -> float:
    """Return an upper bound of the mean wait of a request.

    Gaps are exponential, so a request arrives at any time. It waits for the rest of a phase of GC
    or of another request. Each request is assumed to evict a group.
    """
    writes, share = writes_to_group(sequential), large(sequential)
    spans = (*GC_PHASES, THRESHOLD * PROGRAM)
    squares = sum(each**2 for each in spans) + share * REWRITTEN**2
    idle = GAP - share * REWRITTEN - writes * PROGRAM
    return squares / (2 * idle) if idle > 0 else math.inf


def most_of_bm(sequential: float) -> float:
    """Return the highest ratio of CACH-FTL's response to BM's, at a rate of sequential writes.

    Large groups are assumed to be those of the fullest blocks.
    """
    writes, share = writes_to_group(sequential), large(sequential)
    of_both = share * REWRITTEN
    ours = of_both + writes * (PROGRAM + waiting(sequential))
    used = max(in_use(sequential) - share, 0.0)
    theirs = of_both + (1 - share) * ERASE + used * BLOCK_PAGES * PROGRAM
    return min(ours / theirs, 1.0)


def _elsewhere(sequential: float) -> float:
    """Return the least share of requests that go anywhere."""
    return max(1 - sequential - LOCAL, 0.0)


RANDOM = SEQUENTIAL[0] / 100
GAIN = -0.41
"""CACH-FTL / BM - 1, as published."""
LEAST = 1 + GAIN * (1 + NEAR_RATIO)
"""The lowest ratio to BM's response that meets the published gain."""


def proof_of_c23(words: Words) -> str:
    """Return the reason why C23 cannot agree."""
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
