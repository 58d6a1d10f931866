"""Cuts the power of every FTL that mounts, many times over, on small devices that are always full.

Run `make cuts`, or `python tools/cuts.py --cuts 100000 dftl`. Prints a row for each FTL, and ends
with 1 if anything that was acknowledged is lost. `ftlab crash` does the same for one input.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import cycle
from pathlib import Path

from ftlab.config import Config, merge
from ftlab.crash import crash, mounting, violation
from ftlab.errors import ConfigError
from ftlab.record import Record
from ftlab.report.numbers import brief
from ftlab.report.tables import Table
from ftlab.simulation import check_obeyed

WORKLOADS = (
    {"pattern": "randwrite", "bs": 512, "fsync": 10},
    {"pattern": "randrw", "bs": 2048, "read_share": 0.3},
    {"pattern": "zipf", "bs": 1024, "read_share": 0.2},
    {"pattern": "seq", "bs": 1536, "streams": 3},
)
TRIMS = ("hint", "durable")
"""What a trim promises, each with an input of writes of several blocks and trims."""

COLUMNS = "time=time:ns,op=op,offset=offset:bytes,length=length:bytes"
REQUESTS = 300
LONGEST_REQUEST = 20
"""Pages: more than two blocks."""

SEEDS = 20
"""Inputs of each workload, each on a device of another size."""

HANDLES = 4
UPDATE_EVERY = 10 * 512
"""Bytes of a handle after which it is updated: more than a unit, and less than two."""

ISOLATIONS = ("none", "initial", "persistent")
"""What GC may mix of their pages."""

LOGICAL_BLOCKS = 12
"""Of the smallest device."""

PAGES_PER_BLOCK = 8
PAGE = 512
CACHE = 3 * PAGE
"""Room for a page of mappings, which is the least that some FTLs need."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cuts", type=int, default=10_000_000, help="of all FTLs [10000000]")
    parser.add_argument("--handles", action="store_true", help="writes have placement handles")
    parser.add_argument("ftls", nargs="*", help="[all that mount, and hear handles]")
    arguments = parser.parse_args()
    ftls = arguments.ftls or [ftl for ftl in mounting() if not arguments.handles or hears(ftl)]
    inputs = (len(WORKLOADS) + len(TRIMS)) * SEEDS
    on_each_input = -(-arguments.cuts // (len(ftls) * inputs))
    # A second cut follows every other one.
    cuts = -(-2 * on_each_input // 3)
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(os.cpu_count()) as cores:
        configurations = every_configuration(Path(folder))
        if arguments.handles:
            configurations = [*map(with_handles, configurations, cycle(ISOLATIONS))]
        found = list(cores.map(partial(reports, configurations, cuts), ftls))
    print(table(ftls, found).markdown(), end="")
    lost = [told for each in found for report in each if (told := violation(report))]
    print(*lost, sep="\n", end="", file=sys.stderr)
    sys.exit(bool(lost))


def reports(configurations: Sequence[Config], cuts: int, ftl: str) -> list[Record]:
    """Return what came of an FTL on every input."""
    return [crash(configuration, ftl, cuts) for configuration in configurations]


def every_configuration(folder: Path) -> list[Config]:
    """Return devices that are full from the first request on, and what is done to them."""
    found = []
    for seed in range(1, SEEDS + 1):
        size = (LOGICAL_BLOCKS + seed) * PAGES_PER_BLOCK * PAGE
        for workload in WORKLOADS:
            generated = {**workload, "size": size, "requests": REQUESTS}
            found.append(configuration(seed, size, workload=generated))
        trace = folder / f"{seed}.csv"
        trace.write_text(mixed(random.Random(seed), size // PAGE))
        for trim in TRIMS:
            recorded = {"trace": str(trace), "columns": COLUMNS}
            found.append(configuration(seed, size, {"trim": trim}, input=recorded))
    return found


def hears(ftl: str) -> bool:
    """Tell whether an FTL obeys placement handles."""
    try:
        check_obeyed({"ftl": {"separation": "handles"}}, [ftl])
    except ConfigError:
        return False
    return True


def with_handles(config: Config, isolation: str) -> Config:
    """Return a device whose writes carry a handle for each quarter of its addresses."""
    size = config["device"]["capacity"]
    borders = ":".join(str(quarter * size // 4) for quarter in (1, 2, 3))
    handles: Config = {
        "ftl": {"separation": "handles"},
        "handles": {"count": HANDLES, "isolation": isolation},
        "input": {"hint_by": f"range:{borders}", "update_every": UPDATE_EVERY},
        # A frontier for each class, and one for what GC moves of it.
        "device": {"over_provisioning": "200%"},
    }
    return merge([config, handles])


def mixed(rng: random.Random, pages: int) -> str:
    """Return a trace of writes, a third of them long, and trims."""
    lines = ["time,op,offset,length"]
    for time in range(REQUESTS):
        count = rng.randint(1, LONGEST_REQUEST if rng.random() < 1 / 3 else 3)
        first = rng.randrange(pages - count)
        op = "t" if rng.random() < 0.25 else "w"
        lines.append(f"{time},{op},{first * PAGE},{count * PAGE}")
    return "\n".join(lines) + "\n"


def configuration(seed: int, size: int, device: Config | None = None, **source: Config) -> Config:
    """Return a device of so many bytes, and where its requests come from."""
    return {
        **source,
        "device": {
            "capacity": size,
            "page": PAGE,
            "pages_per_block": PAGES_PER_BLOCK,
            "over_provisioning": 0.8,
            **(device or {}),
        },
        "ftl": {"cache": CACHE},
        "run": {"seed": seed, "warmup": "sequential", "address": "modulo"},
    }


def table(ftls: Sequence[str], found: Sequence[Sequence[Record]]) -> Table:
    """Return a row for each FTL: sums of counts, and the most that a mount has cost."""
    counts = ("cuts", "torn", "again", "violations")
    costs = ("oob_reads", "programs", "erases")
    rows = [
        [
            ftl,
            *(f"{sum(report[key] for report in each):,}" for key in counts),
            *(f"{max(report.mounts[key].max for report in each):,.0f}" for key in costs),
            brief(max(report.mounts.time_us.max for report in each), "us"),
        ]
        for ftl, each in zip(ftls, found, strict=True)
    ]
    total = [f"{sum(report[key] for each in found for report in each):,}" for key in counts]
    rows.append(["all", *total, "", "", "", ""])
    header = ["FTL", "cuts", "torn", "second", "lost"]
    return Table([*header, "most OOBs read", "programs", "erases", "longest recovery"], rows)


if __name__ == "__main__":
    main()
