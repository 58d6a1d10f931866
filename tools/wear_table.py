"""Prints the tables of ``docs/wear.md``: ``python tools/wear_table.py gaps|lives|planes``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import product

import ftlab
from ftlab.endurance import endurance
from ftlab.report.tables import Table

FTLS = ("page", "dftl", "tpftl", "dloop", "fast", "mnftl", "superblock", "cachftl")
GAPS = (64, 32, 16)
PER_PLANE = {"channels": 2, "over_provisioning": "20%"}
"""The device of DLOOP, which is for several planes."""


def device(ftl: str, **settings: object) -> ftlab.Device:
    """Return a device for an FTL."""
    return ftlab.Device(**(PER_PLANE if ftl == "dloop" else {}), **settings)


def spread(result: ftlab.Result) -> int:
    """Return the most that erases of two blocks of a plane differ by."""
    return max(plane.erases_max - plane.erases_min for plane in result.wear.planes)


def gaps() -> Iterator[Sequence[str]]:
    """Overwrite 5 % of a full device 488 times."""
    yield ["FTL", *(f"{each}: erases, write amplification" for each in ("dynamic", *GAPS))]
    trace = ftlab.Workload("rand", size="3276KiB", requests=400_000)
    for ftl in FTLS:
        cells = []
        for wear in ("dynamic", *({"policy": "static", "gap": gap} for gap in GAPS)):
            full = {"warmup": "sequential", "wear": wear}
            run = ftlab.simulate(trace, ftl, device(ftl, capacity="64MiB"), **full)
            cells.append(f"{spread(run)}, {run.write_amplification:.3f}")
        yield [ftl, *cells]


def lives() -> Iterator[Sequence[str]]:
    """Overwrite 5 % of a full device whose blocks last for 1,000 erases to its end."""
    figures = ["first failure", "end", "used", "write amplification"]
    yield ["FTL", *(f"{wear}: {each}" for wear in ("dynamic", "static") for each in figures)]
    for ftl in FTLS:
        cells = []
        for wear in ("dynamic", "static"):
            config = {
                "workload": {"pattern": "rand", "size": "1638KiB", "requests": 200_000},
                "run": {"warmup": "sequential"},
                "wear": {"policy": wear},
                **device(ftl, capacity="32MiB", endurance=1000).config(),
            }
            life = endurance(config, ftl, scale=1)
            cells += [
                f"{life.failures[0] / life.capacity:.0f}",
                f"{life.drive_writes:.0f}",
                f"{100 * life.used:.0f} %",
                f"{life.write_amplification:.3f}",
            ]
        yield [ftl, *cells]


def planes() -> Iterator[Sequence[str]]:
    """Run DLOOP under workloads from sequential to one that writes 5 %, and without its map."""
    yield ["writes", "FTL", "policy", "erases of the blocks of each plane", "write amplification"]
    size, requests = "128MiB", 1_000_000
    workloads = {
        "sequential": ftlab.Workload("seq", size=size, requests=requests),
        "uniform": ftlab.Workload("rand", size=size, requests=requests),
        "80 % to 20 %": ftlab.Workload("hotcold", size=size, requests=requests),
        "to 5 %": ftlab.Workload("rand", size="6552KiB", requests=requests),
    }
    flash = ftlab.Device(capacity=size, channels=2, planes_per_die=2)
    points = [*((name, "dloop") for name in workloads), ("uniform", "page")]
    for (name, ftl), wear in product(points, ("dynamic", "static")):
        config = {"ftl": {"placement": "striped"}} if ftl == "page" else None
        setup = {"warmup": "sequential", "wear": wear, "config": config}
        run = ftlab.simulate(workloads[name], ftl, flash, **setup)
        erases = (f"{each.erases_min} to {each.erases_max}" for each in run.wear.planes)
        yield [name, ftl, wear, "; ".join(erases), f"{run.write_amplification:.3f}"]


if __name__ == "__main__":
    tables = {each.__name__: each for each in (gaps, lives, planes)}
    for asked in sys.argv[1:] or tables:
        header, *rows = tables[asked]()
        print(Table(list(header), [list(row) for row in rows]).markdown(), end="\n")
