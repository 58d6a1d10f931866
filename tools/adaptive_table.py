"""Prints what adaptive prefetching does beside TPFTL with and without prefetching, as Markdown.

Run `python tools/adaptive_table.py`; with `FTLAB_TRACES` set, real traces are part of it. Each
figure is a mean over devices that differ by one block: what GC finds in its victims is a matter of
chance, and single runs on a full device differ by 1 to 3 % for no other reason.
"""

from __future__ import annotations

import argparse
from itertools import product
from statistics import mean

import suite

from ftlab import TPFTL, Comparison, TPFTLAdaptive
from ftlab.report.tables import Table

FTLS = [TPFTL(features="bc"), TPFTL(), TPFTLAdaptive()]
HEADER = ["mean response, us", "bc", "rsbc", "adaptive", "against the better, %"]
WORST = 1.0
"""Percent by which the adaptive variant may be worse."""


def main() -> None:
    """Print the table; a mark follows where the adaptive variant is worse than it may be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000, help="of a generated workload")
    parser.add_argument("--devices", type=int, default=3, help="that each figure is a mean of")
    parser.add_argument("--again", type=int, default=16, help="the same where that is too much")
    arguments = parser.parse_args()
    rows, failures = [], 0
    sources = suite.workloads(arguments.requests).items()
    for (name, source), warmup in product(sources, suite.WARMUPS):
        runs: list[Comparison] = []
        for devices in (arguments.devices, arguments.again):
            runs += [suite.run(source, FTLS, warmup, more) for more in range(len(runs), devices)]
            times = [mean(run[ftl].response_us.mean for run in runs) for ftl in range(len(FTLS))]
            worse = 100 * (times[-1] / min(times[:-1]) - 1)
            if worse <= WORST:
                break
        failures += worse > WORST
        mark = " !" if worse > WORST else ""
        cells = [f"{each:.1f}" for each in times]
        rows.append([f"{name}, {warmup}", *cells, f"{worse:+.2f}{mark}"])
    print(Table(HEADER, rows).markdown(), end="")
    print(f"\n{failures} of {len(rows)} more than {WORST:g} % worse.")


if __name__ == "__main__":
    main()
