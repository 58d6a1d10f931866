"""The real beginning of a trace, played over and over: what no model of the trace invents.

A loop is an extreme of what is used again: every page of it is, at the same distance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

from ftlab.experiments.inputs import Source, Workload
from ftlab.files import write_atomically
from ftlab.points import Point
from ftlab.points.point import canonical, sha256
from ftlab.traces import read_trace

FOLDER = "prefixes"
DIGEST_DIGITS = 20

FINANCIAL1 = Workload(
    "financial1, its beginning", ("financial1.first50002.derived-noasu.spc",), modelled=False
)
"""50,002 requests, with the volumes laid over each other."""


def looped(source: Source, requests: int, results: Path) -> Source:
    """Return the requests of a file from the first to the last, again and again, so many in all.

    The new file is in ``results/prefixes``, named by the digest of what is looped.
    """
    what = {"input": Point("", source.config, "page").input, "requests": requests}
    file = results / FOLDER / f"{sha256(canonical(what))[:DIGEST_DIGITS]}.spc"
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, _loop(source, requests))
    return replace(source, file=file, requests=None)


def _loop(source: Source, requests: int) -> str:
    columns = read_trace(str(source.file), requests=source.requests).to_numpy()
    names = ("volume", "offset", "length", "op", "time_ns")
    once = list(zip(*(columns[name].tolist() for name in names), strict=True))
    last = once[-1][-1]
    period = last + last // max(len(once) - 1, 1)

    def lines() -> Iterator[str]:
        for start in count(0, period):
            for volume, offset, length, op, time in once:
                yield f"{volume},{offset // 512},{length},{'rw'[op]},{(start + time) / 1e9:.9f}\n"

    return "".join(islice(lines(), requests))
