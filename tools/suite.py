"""The workloads behind the tables of the documents: patterns, profiles and real traces.

Real traces are the first 50,000 requests of those in the folder `normalized` below the one that
`FTLAB_TRACES` names; without it there are none. All run on a device of 512 MiB, TPFTL's, so larger
traces are folded into it, one request at a time, so no request waits for another.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import ftlab
from ftlab import Device, Workload, profile, read_trace
from ftlab.traces import Source

SIZE = "512MiB"
BLOCKS = 2355
TRACE_REQUESTS = 50_000
WARMUPS = ("footprint", "random:1")
SETUP: dict[str, Any] = {"preset": "tpftl-eurosys15", "address": "modulo", "host": "closed:1"}
MIXED = [["4k", 6], ["16k", 3], ["64k", 1]]


def workloads(requests: int) -> dict[str, Source]:
    """Return every workload by name; those that are generated have so many requests."""
    shape = {"size": SIZE, "requests": requests, "read_share": "30%"}
    patterns = {
        "uniform": Workload("randrw", **shape),
        "zipf": Workload("zipf", zipf_theta=0.99, **shape),
        "zipf, in order": Workload("zipf", zipf_theta=0.99, scatter=False, **shape),
        "hot and cold": Workload("hotcold", **shape),
        "mixed sizes": Workload("randrw", bs_mix=MIXED, align="4k", **shape),
        "sequential": Workload("rw", **shape),
        "4 streams": Workload("rw", streams=4, **shape),
        "random reads": Workload("randread", size=SIZE, requests=requests),
    }
    profiles = {name: profile(name, requests=requests) for name in ("financial1", "financial2")}
    return {**patterns, **profiles, **traces()}


def traces() -> dict[str, Source]:
    """Return the real traces by name."""
    folder = os.environ.get("FTLAB_TRACES")
    files = sorted(Path(folder, "normalized").glob("*.spc.zst")) if folder else []
    return {_name(path.name): read_trace(path, requests=TRACE_REQUESTS) for path in files}


def _name(file: str) -> str:
    """Return the file's name up to its format; the second part tells pieces of a trace apart."""
    first, second, *_ = file.split(".")
    piece = second[:1].isdigit() or second.startswith(("first", "req"))
    return f"{first} {second}" if piece else first


def run(
    source: Source, ftls: list[ftlab.Ftl | str], warmup: str, more_blocks: int = 0
) -> ftlab.Comparison:
    """Run FTLs on a workload of the suite, on a device of 15 % spare blocks and some more."""
    device = Device(capacity=SIZE, blocks=BLOCKS + more_blocks)
    return ftlab.compare(source, ftls, device, warmup=warmup, **SETUP)
