"""Has `fio` write to, trim, flush and verify a live device on every FTL that mounts.

Run `python tools/fio.py`, or with the names of FTLs; needs a `fio` with the engine `nbd`. Prints
for each FTL how many requests of each kind came, and 4 KiB requests a second at depth 32, random
writes, a half of each, and random reads; the server has one processor, and `fio` another where
there is one. Ends with 1 where `fio` finds anything else than it has written, or the image is
damaged.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ftlab import live
from ftlab.report.tables import Table

CONFIG = {
    "device": {"capacity": "64MiB", "page": 4096, "pages_per_block": 64, "over_provisioning": 0.3},
    "ftl": {"cache": 65536},
}
SIZE = "60m"
VERIFY = ("--verify=crc32c", "--verify_fatal=1", "--verify_state_save=0")
JOBS = (
    ("trim", "--rw=randtrimwrite", "--bs=4k", "--fsync=50", "--io_size=16m"),
    ("pages", "--rw=randwrite", "--bs=4k", "--fsync=50", *VERIFY),
    ("parts", "--rw=randwrite", "--bsrange=512-16k", "--io_size=16m", *VERIFY),
)
FAST = ("--bs=4k", "--iodepth=32", "--norandommap", "--time_based", "--runtime=5")
MIXES = ("randwrite", "randrw", "randread")
SERVER, *CLIENT = sorted(os.sched_getaffinity(0))
"""The processor of the server, and those of `fio`."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ftls", nargs="*", help="[all that mount]")
    ftls = parser.parse_args().ftls
    if not shutil.which("fio"):
        sys.exit("found no fio (apt-get install fio)")
    os.sched_setaffinity(0, {SERVER})
    rows, failed = [], []
    for ftl in ftls or live.ftls():
        with tempfile.TemporaryDirectory() as folder:
            try:
                rows.append([ftl, *(f"{each:,.0f}" for each in row(ftl, Path(folder)))])
            except subprocess.CalledProcessError as error:
                failed.append(f"{ftl}: fio: {error.stderr.strip()}\n")
            if not live.is_clean(report := live.fsck(Path(folder) / "image")):
                failed.append(f"{ftl}: {report.to_dict()}\n")
    header = ["FTL", "writes", "trims", "flushes", "verified", *(f"{mix} IOPS" for mix in MIXES)]
    print(Table(header, rows).markdown(), end="")
    print(*failed, sep="", end="", file=sys.stderr)
    sys.exit(bool(failed))


def row(ftl: str, folder: Path) -> list[float]:
    """Return requests and pages of the verified jobs, and how many a second come at depth 32."""
    with live.Device(folder / "image", folder / "socket", ftl, CONFIG) as device:
        verified = 0.0
        for name, *how in JOBS:
            job = fio(folder, f"--name={name}", "--iodepth=16", *how)
            verified += job["read"]["total_ios"]
        figures = device.figures()
        kinds = [figures[f'ftlab_requests_total{{op="{op}"}}'] for op in ("write", "trim")]
        speeds = []
        for mix in MIXES:
            job = fio(folder, f"--name={mix}", f"--rw={mix}", *FAST)
            speeds.append(job["read"]["iops"] + job["write"]["iops"])
    return [*kinds, figures["ftlab_flushes_total"], verified, *speeds]


def fio(folder: Path, *how: str) -> Any:
    """Run a job and return what `fio` says of it."""
    where = ("--ioengine=nbd", f"--uri=nbd+unix:///?socket={folder / 'socket'}", f"--size={SIZE}")
    on = [f"--cpus_allowed={','.join(map(str, CLIENT))}"] if CLIENT else []
    line = ["fio", "--output-format=json", *where, *on, *how]
    ended = subprocess.run(line, capture_output=True, text=True, check=True)
    # Notes may stand before what was asked for.
    return json.loads(ended.stdout[ended.stdout.index("{") :])["jobs"][0]


if __name__ == "__main__":
    main()
