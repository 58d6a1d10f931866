"""What DFTL can lose in MSR without a queue, by the paper's own numbers.

Its hit ratio and its write amplification bound what address translation adds to a page access:

* a miss reads a translation page;
* each write beyond the host's is that of a translation page, which is read before, since in MSR GC
  moves almost no page (5.2(4));
* each of these writes takes its share of an erase.

All of it is service. A response has a queue, too, where requests come faster than they are served.
"""

from __future__ import annotations

READ_US, WRITE_US, ERASE_US = 25.0, 200.0, 1500.0
PAGES_PER_BLOCK = 64
"""Table 3."""

WRITES = {"msr-ts": 0.824, "msr-src": 0.887}
"""Table 4: the share of writes."""

LEAST_HITS_OF_TPFTL, MORE_HITS = 0.95, 0.164
"""5.2(1): TPFTL's hit ratio is above this in MSR, and above DFTL's by this."""

LESS_AMPLIFICATION = 0.138
"""5.2(4): by how much TPFTL's write amplification, which is close to 1, is below DFTL's."""


def most_lost(writes: float) -> float:
    """Return the largest share of DFTL's service of a page access that translation takes."""
    misses = 1 - (LEAST_HITS_OF_TPFTL - MORE_HITS)
    more_writes = writes * (1 / (1 - LESS_AMPLIFICATION) - 1)
    added = misses * READ_US + more_writes * (READ_US + WRITE_US + ERASE_US / PAGES_PER_BLOCK)
    data = writes * WRITE_US + (1 - writes) * READ_US
    return added / (data + added)


def most_lost_in_msr() -> float:
    """Return the larger of both workloads."""
    return max(map(most_lost, WRITES.values()))
