"""Running FTLs on a trace: one (`simulate`) or several side by side (`compare`)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ftlab import _core
from ftlab.config import Config, Progress, given, merge
from ftlab.devices import Device
from ftlab.ftls import Ftl, as_ftl
from ftlab.result import Comparison, Result
from ftlab.traces import Source, read_trace


def simulate(
    trace: Source | str | os.PathLike[str],
    ftl: Ftl | str = "page",
    device: Device | None = None,
    *,
    preset: str | None = None,
    gc: str | Mapping[str, Any] | None = None,
    buffer: str | Mapping[str, Any] | None = None,
    host: str | Mapping[str, Any] | None = None,
    warmup: str | None = None,
    address: str | None = None,
    seed: int | None = None,
    verify: bool | None = None,
    config: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Run one FTL on a trace and return everything that was measured.

    Parameters
    ----------
    trace
        A source of requests, or the path of a trace, or the name of a profile.
    ftl
        The FTL, or its name.
    device
        The flash device; by default as large as the trace's address space.
    preset
        A published set-up to start from; the other arguments change it.
    gc
        Victim policy by name, or the ``gc`` section as a mapping.
    buffer
        Write buffer above the FTL by name, or the ``buffer`` section as a mapping.
    host
        ``"open"`` or ``"closed:QD"``, or the ``host`` section as a mapping.
    warmup
        ``"none"``, ``"footprint"``, ``"replay:K"``, ``"sequential"``, ``"random:K"``,
        ``"steady:X%"`` or ``"steady-random:X%"``.
    address
        How trace addresses become device addresses: ``compact``, ``overlay`` or ``modulo``.
    seed
        Of all random choices; the same seed gives the same result.
    verify
        Whether every read is compared with the last write (it is by default).
    config
        Further sections of the configuration, stronger than the other arguments.
    progress
        Called about 10 times a second with phase, requests done and the share done.

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError
        when the set-up or the trace is wrong
    ftlab.Interrupted, KeyboardInterrupt
        when the run is stopped
    """
    setup = _setup(trace, device, preset, gc, buffer, host, warmup, address, seed, verify, config)
    chosen = as_ftl(ftl)
    return execute(merge([setup, chosen.config()]), [chosen.name], progress)[0]


def compare(
    trace: Source | str | os.PathLike[str],
    ftls: Iterable[Ftl | str],
    device: Device | None = None,
    *,
    preset: str | None = None,
    gc: str | Mapping[str, Any] | None = None,
    buffer: str | Mapping[str, Any] | None = None,
    host: str | Mapping[str, Any] | None = None,
    warmup: str | None = None,
    address: str | None = None,
    seed: int | None = None,
    verify: bool | None = None,
    config: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Run several FTLs on the same trace and device; arguments and errors as `simulate`.

    FTLs with the same settings share one pass over the trace, each on its own thread.
    """
    setup = _setup(trace, device, preset, gc, buffer, host, warmup, address, seed, verify, config)
    chosen = [as_ftl(ftl) for ftl in ftls]
    if not chosen:
        raise ValueError("compare needs at least one FTL")
    results: dict[int, Result] = {}
    for batch in _batches(chosen):
        tree = merge([setup, *batch.sections])
        done = execute(tree, [chosen[index].name for index in batch.indices], progress)
        results.update(zip(batch.indices, done, strict=True))
    names = [ftl.name for ftl in chosen]
    labels = [ftl.name if names.count(ftl.name) == 1 else str(ftl) for ftl in chosen]
    return Comparison([results[index] for index in range(len(chosen))], labels)


def execute(config: Config, ftls: Sequence[str], progress: Progress | None = None) -> list[Result]:
    """Run the named FTLs on a complete configuration: the one door to the core's simulation."""
    answer = _core.simulate(json.dumps(config), list(ftls), progress)
    return [Result(each) for each in json.loads(answer)]


def _setup(
    trace: Source | str | os.PathLike[str],
    device: Device | None,
    preset: str | None,
    gc: str | Mapping[str, Any] | None,
    buffer: str | Mapping[str, Any] | None,
    host: str | Mapping[str, Any] | None,
    warmup: str | None,
    address: str | None,
    seed: int | None,
    verify: bool | None,
    config: Mapping[str, Any] | None,
) -> Config:
    """Return the configuration that the arguments of `simulate` describe, without the FTL."""
    source = trace if isinstance(trace, Source) else read_trace(trace)
    sections = given(
        preset=preset,
        device=device.config() if device else None,
        gc={"policy": gc} if isinstance(gc, str) else gc,
        buffer={"policy": buffer} if isinstance(buffer, str) else buffer,
        host={"mode": host} if isinstance(host, str) else host,
        run=given(warmup=warmup, address=address, seed=seed, verify=verify) or None,
    )
    return merge([source.config(), sections, config or {}])


@dataclass
class _Batch:
    """FTLs that one configuration can serve."""

    indices: list[int] = field(default_factory=list)
    sections: list[Config] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)

    def takes(self, ftl: Ftl) -> bool:
        """Tell whether the FTL's shared settings are those of the batch, and its own are free."""
        shared = ftl.config().get("ftl")
        return ftl.section not in self.taken and shared == self.sections[0].get("ftl")

    def add(self, index: int, ftl: Ftl) -> None:
        """Put the FTL at position ``index`` of the comparison into the batch."""
        self.indices.append(index)
        self.sections.append(ftl.config())
        self.taken.add(ftl.section)


def _batches(ftls: Sequence[Ftl]) -> list[_Batch]:
    """Group FTLs into as few runs as their settings allow, first come first served."""
    batches: list[_Batch] = []
    for index, ftl in enumerate(ftls):
        batch = next((each for each in batches if each.takes(ftl)), None)
        if batch is None:
            batch = _Batch()
            batches.append(batch)
        batch.add(index, ftl)
    return batches
