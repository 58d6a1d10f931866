"""Running FTLs on a trace: one (`simulate`) or several side by side (`compare`)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
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
    return execute([(merge([setup, chosen.config()]), chosen.name)], progress)[0]


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

    All of them share one pass over the trace, each on its own thread.
    """
    setup = _setup(trace, device, preset, gc, buffer, host, warmup, address, seed, verify, config)
    chosen = [as_ftl(ftl) for ftl in ftls]
    if not chosen:
        raise ValueError("compare needs at least one FTL")
    points = [(merge([setup, ftl.config()]), ftl.name) for ftl in chosen]
    results = execute(points, progress)
    names = [ftl.name for ftl in chosen]
    labels = [ftl.name if names.count(ftl.name) == 1 else str(ftl) for ftl in chosen]
    return Comparison(results, labels)


def execute(points: Iterable[tuple[Config, str]], progress: Progress | None = None) -> list[Result]:
    """Run points, each a complete configuration and the name of an FTL: the one door to the core.

    All of them name the same input, seed and warm-up, and share one reading of it.
    """
    answer = _core.simulate([(json.dumps(config), ftl) for config, ftl in points], progress)
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
