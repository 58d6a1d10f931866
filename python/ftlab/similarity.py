"""The similarity of two traces: in themselves, and in the results of FTLs on the same device."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ftlab import _core
from ftlab.config import Config, Progress, merge
from ftlab.record import Record
from ftlab.result import Result
from ftlab.shares import SMALLEST_DEVICE_BYTES
from ftlab.simulation import check_obeyed, execute
from ftlab.source import Source, characteristics
from ftlab.traces import read_trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FTLS = ("dftl", "tpftl")
"""The FTLs whose results are compared: the two that most papers compare."""

SETUP: Config = {"preset": "tpftl-eurosys15", "run": {"address": "compact"}}
"""The device of TPFTL's evaluation, with its cache of 1/128 of a full map and its warm-up.

Volumes of a trace are placed one after the other.
"""


class TraceComparison(Record):
    """The findings of `compare_traces`: ``a``, ``b``, ``distances`` between them, and ``run``."""

    def plot(self) -> Figure:
        """Draw both traces in the same panels; needs ``ftlab[plot]``."""
        from ftlab.plot_traces import small_multiples

        return small_multiples([self["a"], self["b"]], self.labels)

    @property
    def labels(self) -> tuple[str, str]:
        """The names of both traces, distinguished if they are equal."""
        first, second = self["a"]["name"], self["b"]["name"]
        return (first, second) if first != second else (f"A {first}", f"B {second}")


def compare_traces(
    a: Source | str | os.PathLike[str],
    b: Source | str | os.PathLike[str],
    *,
    ftls: Sequence[str] = FTLS,
    config: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> TraceComparison:
    """Return the similarity of two traces.

    Both are read once for their characteristics, then run on the same device. By default, it is
    that of the preset ``tpftl-eurosys15``, with the size of the larger address space.

    Parameters
    ----------
    a, b
        Sources of requests, or paths of traces, or names of profiles.
    ftls
        Names of the FTLs to run; an empty list leaves the runs out.
    config
        Sections of the configuration, which take precedence over the preset.
    progress
        Called about 10 times a second with phase, requests done and the share done.

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError
        when the set-up or a trace is invalid
    """
    sources = [each if isinstance(each, Source) else read_trace(each) for each in (a, b)]
    return compare_sources([each.config() for each in sources], config or {}, ftls, progress)


def compare_sources(
    sources: Sequence[Config],
    config: Mapping[str, Any],
    ftls: Sequence[str] = FTLS,
    progress: Progress | None = None,
) -> TraceComparison:
    """Do the work of `compare_traces` for the two sections that name the requests."""
    from ftlab.distances import distances  # loads NumPy

    if ftls:
        check_obeyed(config, ftls)
    setups = [merge([SETUP, source, config]) for source in sources]
    found = [characteristics(setup, progress) for setup in setups]
    capacity = {"device": {"capacity": _capacity(found)}}
    setups = [merge([capacity, setup]) for setup in setups]
    sides = [
        {**each.to_dict(), "ftls": _figures(execute([(setup, ftl) for ftl in ftls], progress))}
        for each, setup in zip(found, setups, strict=True)
    ]
    resolved = json.loads(_core.resolve(json.dumps(setups[0])))
    run = {"ftls": list(ftls), **{key: resolved[key] for key in ("preset", "device", "run")}}
    return TraceComparison(
        {"a": sides[0], "b": sides[1], "distances": distances(*found), "run": run}
    )


def _capacity(found: Iterable[Record]) -> int:
    """Return an address space that holds either trace, on a device that is not tiny."""
    return max(SMALLEST_DEVICE_BYTES, *(each["address_space_bytes"] or 0 for each in found))


def _figures(results: Iterable[Result]) -> dict[str, Any]:
    """Return the metrics to compare; traffic is per access, as traces differ in length."""
    figures = {}
    for result in results:
        accesses = result["host"]["page_reads"] + result["host"]["page_writes"]
        mapping = result.find("mapping") or Record({})
        figures[result["ftl"]] = {
            "hit_ratio": mapping.find("hit_ratio"),
            "translation_reads_per_access": _per(mapping.find("translation_reads"), accesses),
            "translation_writes_per_access": _per(mapping.find("translation_writes"), accesses),
            "write_amplification": result["write_amplification"],
            "mean_response_us": result.find("response_us.mean"),
        }
    return figures


def _per(count: int | None, accesses: int) -> float | None:
    return None if count is None or not accesses else count / accesses
