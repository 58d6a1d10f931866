"""Running FTLs on a trace: one (`simulate`) or several side by side (`compare`)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from ftlab import _core, cores
from ftlab.config import Config, Progress, given, merge
from ftlab.errors import ConfigError
from ftlab.frames import Frame, Show
from ftlab.names import known
from ftlab.plugins import Named, Plugged, Plugin, PythonFtl
from ftlab.plugins import run as run_by
from ftlab.recording import joined, names
from ftlab.result import Comparison, Result
from ftlab.seeds import MOST, without_effect

if TYPE_CHECKING:
    from ftlab._settings import GC, Buffer, Device, Energy, Host, Run, Wear
    from ftlab.ftls import Ftl
    from ftlab.settings import Settings
    from ftlab.source import Source


def simulate(
    trace: Source | str | os.PathLike[str],
    ftl: Ftl | Named = "page",
    device: Device | None = None,
    *,
    preset: str | None = None,
    wear: Wear | str | Mapping[str, Any] | None = None,
    gc: GC | Named | Mapping[str, Any] | None = None,
    buffer: Buffer | Named | Mapping[str, Any] | None = None,
    host: Host | str | Mapping[str, Any] | None = None,
    energy: Energy | Mapping[str, Any] | None = None,
    run: Run | Mapping[str, Any] | None = None,
    warmup: str | None = None,
    address: str | None = None,
    seed: int | None = None,
    verify: bool | None = None,
    config: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    frames: Show | None = None,
    every: int | None = None,
    log: str | os.PathLike[str] | None = None,
) -> Result:
    """Run one FTL on a trace and return all metrics.

    Parameters
    ----------
    trace
        A source of requests, or the path of a trace, or the name of a profile.
    ftl
        The FTL, its name, or your own class (`PythonFtl`).
    device
        The flash device; by default it has the size of the trace's address space.
    preset
        A published set-up to start from; the other arguments change it.
    wear
        Wear levelling: a `Wear`, ``"none"``, ``"dynamic"`` or ``"static"``, or the section.
    gc
        Garbage collection: a `GC`, the name of a policy, or the section as a mapping.
    buffer
        Write buffer above the FTL: a `Buffer`, its name, or the section as a mapping.
    host
        A `Host`, ``"open"`` or ``"closed:QD"``, or the section as a mapping.
    energy
        Power of the device: an `Energy`, or the section as a mapping.
    run
        A `Run`, or the section as a mapping; the four arguments below take precedence.
    warmup
        ``"none"``, ``"footprint"``, ``"replay:K"``, ``"sequential"``, ``"random:K"``,
        ``"steady:X%"`` or ``"steady-random:X%"``.
    address
        How trace addresses become device addresses: ``compact``, ``overlay`` or ``modulo``.
    seed
        Seed of all random choices; the same seed gives the same result.
    verify
        Whether every read is compared with the last write (default: yes).
    config
        Further sections of the configuration, which take precedence over the other arguments.
    progress
        Called about 10 times a second with phase, requests done and the share done.
    frames
        Called with a `ftlab.frames.Frame` of the measured phase: every block, planes, metrics.
    every
        Requests between two frames; by default there are about 240 frames.
    log
        A Parquet file to write: a row for each request, with its waits by cause.

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError
        when the set-up or the trace is invalid
    ftlab.Interrupted, KeyboardInterrupt
        when the run is stopped
    """
    point = described(
        trace,
        ftl,
        device,
        preset=preset,
        wear=wear,
        gc=gc,
        buffer=buffer,
        host=host,
        energy=energy,
        run=run,
        warmup=warmup,
        address=address,
        seed=seed,
        verify=verify,
        config=config,
    )
    if log is not None:
        if frames is not None:
            raise TypeError("log: found frames, too, expected one of both")
        return logged(*point, os.fspath(log), progress)
    if frames is not None:
        return watch(*point, frames, every, progress)
    if every is not None:
        raise TypeError(f"every: found {every!r} without frames, which are taken so often")
    return execute([point], progress)[0]


class Setup(TypedDict, total=False):
    """The arguments of `simulate` that describe a run, without trace, FTL and device."""

    preset: str | None
    wear: Wear | str | Mapping[str, Any] | None
    gc: GC | Named | Mapping[str, Any] | None
    buffer: Buffer | Named | Mapping[str, Any] | None
    host: Host | str | Mapping[str, Any] | None
    energy: Energy | Mapping[str, Any] | None
    run: Run | Mapping[str, Any] | None
    warmup: str | None
    address: str | None
    seed: int | None
    verify: bool | None
    config: Mapping[str, Any] | None


def described(
    trace: Source | str | os.PathLike[str],
    ftl: Ftl | Named,
    device: Device | None,
    **setup: Unpack[Setup],
) -> tuple[Config, Named]:
    """Return the configuration and the FTL that arguments of `simulate` describe."""
    from ftlab.ftls import as_ftl

    tree = setup_of(trace, device, **setup)
    chosen = as_ftl(ftl)
    check_obeyed(tree, [named(chosen)])
    return merge([tree, chosen.config()]), named(chosen)


def compare(
    trace: Source | str | os.PathLike[str],
    ftls: Iterable[Ftl | Named],
    device: Device | None = None,
    *,
    preset: str | None = None,
    wear: Wear | str | Mapping[str, Any] | None = None,
    gc: GC | Named | Mapping[str, Any] | None = None,
    buffer: Buffer | Named | Mapping[str, Any] | None = None,
    host: Host | str | Mapping[str, Any] | None = None,
    energy: Energy | Mapping[str, Any] | None = None,
    run: Run | Mapping[str, Any] | None = None,
    warmup: str | None = None,
    address: str | None = None,
    seed: int | None = None,
    verify: bool | None = None,
    seeds: int = 1,
    parts: int | None = None,
    config: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Run several FTLs on the same trace and device; arguments and errors as `simulate`.

    All FTLs share one pass over the trace, each on a separate thread. Each is run with ``seeds``
    seeds, from ``seed`` on; if the second changes no result, there is no third. With ``parts``,
    each instead runs on that many parts of the trace, each with a separate warm-up.
    """
    from ftlab.ftls import as_ftl

    setup = setup_of(
        trace,
        device,
        preset=preset,
        wear=wear,
        gc=gc,
        buffer=buffer,
        host=host,
        energy=energy,
        run=run,
        warmup=warmup,
        address=address,
        seed=seed,
        verify=verify,
        config=config,
    )
    if isinstance(ftls, str) or not isinstance(ftls, Iterable):
        raise TypeError(f"ftls: found {ftls!r}, expected a list of FTLs")
    chosen = [as_ftl(ftl) for ftl in ftls]
    if not chosen:
        raise ValueError("compare needs at least one FTL")
    check_obeyed(setup, map(named, chosen))
    points = [(merge([setup, ftl.config()]), named(ftl)) for ftl in chosen]
    results, *more = repeated(points, seeds, parts, progress)
    names = [ftl.name for ftl in chosen]
    labels = [ftl.name if names.count(ftl.name) == 1 else str(ftl) for ftl in chosen]
    return Comparison(results, labels, more)


def execute(
    points: Iterable[tuple[Config, Named]],
    progress: Progress | None = None,
    reading: Any = None,
    warmup: Any = None,
) -> list[Result]:
    """Run points, each a complete configuration and an FTL; all access to the core is here.

    All points name the same input and seed, and share each pass over it. Calls with one
    ``reading``, which belongs to the core that runs them, decode it once. Calls of single points
    with one ``warmup`` share that, too. A class may replace a name, of an FTL or in a
    configuration (`ftlab.plugins`).
    """
    plugged = Plugged()
    named = plugged.points(points)
    found = cores.simulate(named, progress, plugged.plugins, reading, warmup)
    return [_result(each) for each in found]


def repeated(
    points: Sequence[tuple[Config, Named]],
    seeds: int = 1,
    parts: int | None = None,
    progress: Progress | None = None,
) -> list[list[Result]]:
    """Run points of one input with ``seeds`` seeds, or on ``parts`` parts of it."""
    if parts is None:
        return with_seeds(points, seeds, progress)
    if seeds != 1:
        raise ConfigError(f"parts: found {seeds} seeds, too, expected one of both")
    from ftlab.spread import parts as cut

    found = []
    for part in cut(points[0][0], parts, progress):
        found.append(execute([(merge([config, part]), ftl) for config, ftl in points], progress))
    return found


def with_seeds(
    points: Sequence[tuple[Config, Named]], seeds: int, progress: Progress | None = None
) -> list[list[Result]]:
    """Run points with ``seeds`` seeds, from ``run.seed`` on; return the results with each.

    If the second seed changes no result, no further seed is tried.
    """
    if not 1 <= seeds <= MOST:
        raise ConfigError(f"seeds: found {seeds}, expected 1 to {MOST}")
    found = [execute(points, progress)]
    first = int(found[0][0]["seed"])
    for seed in range(first + 1, first + seeds):
        again = [(merge([config, {"run": {"seed": seed}}]), ftl) for config, ftl in points]
        found.append(execute(again, progress))
        if seed == first + 1 and all(map(without_effect, zip(*found, strict=True))):
            break
    return found


def watch(
    config: Config,
    ftl: Named,
    show: Show,
    every: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Run one point and call ``show`` with a `Frame` first, each ``every`` requests, and last.

    The run waits for ``show`` and ends if it raises. By default there are about 240 frames.
    """
    if every is not None and not 1 <= every < 2**63:
        raise ConfigError(f"every: found {every}, expected 1 to 2^63 - 1 requests between frames")
    return _result(
        run_by("watch", config, ftl, lambda each: show(Frame.of_core(each)), every, progress)
    )


def logged(config: Config, ftl: Named, path: str, progress: Progress | None = None) -> Result:
    """Run one point and write a row for each request to a Parquet file."""
    return _result(run_by("log", config, ftl, path, progress))


def _result(tree: Config) -> Result:
    """Return a result to pass on: a trace in this user's home is named without its path."""
    home = os.path.join(os.path.expanduser("~"), "")
    read = tree["config"].get("input") or {}
    trace = read.get("trace")
    if isinstance(trace, str):
        read["trace"] = joined([re.sub(f"^{re.escape(home)}", "~/", name) for name in names(trace)])
    return Result(tree)


def check_obeyed(config: Mapping[str, Any], ftls: Iterable[Named]) -> None:
    """Raise `ftlab.ConfigError` for a setting of FTLs that none of these obeys.

    The settings of a user's class, or of an FTL of another package, are not known.
    """
    names = [ftl if isinstance(ftl, str) else "" for ftl in ftls]
    if cores.ftls().issuperset(names):
        _core.check_obeyed(json.dumps(config, default=str), names)


def named(ftl: Ftl | PythonFtl) -> Named:
    """Return the FTL in the form of a point."""
    return ftl if isinstance(ftl, PythonFtl) else ftl.name


def setup_of(
    trace: Source | str | os.PathLike[str], device: Device | None, **setup: Unpack[Setup]
) -> Config:
    """Return the configuration that the arguments of `simulate` describe, without the FTL."""
    from ftlab._settings import Device
    from ftlab.settings import check_known
    from ftlab.source import Source
    from ftlab.traces import read_trace

    check_known(setup, list(Setup.__annotations__), "argument", "a run")
    source = trace if isinstance(trace, Source) else read_trace(trace)
    if device is not None and not isinstance(device, Device):
        raise TypeError(f"device: found {device!r}, expected a Device")
    sections = {
        "wear": _section("wear", setup.get("wear"), "policy"),
        "gc": _section("gc", setup.get("gc"), "policy"),
        "buffer": _section("buffer", setup.get("buffer"), "policy"),
        "host": _section("host", setup.get("host"), "mode"),
        "energy": _section("energy", setup.get("energy"), "read"),
        "run": _section("run", setup.get("run"), "warmup"),
    }
    config = _table("config", setup.get("config"))
    for name, section in config.items():
        if name != "preset":
            _table(f'config["{name}"]', section)
    named = given(**{name: setup.get(name) for name in ("warmup", "address", "seed", "verify")})
    parts = [
        source.config(),
        given(preset=setup.get("preset")),
        device.config() if device else {},
        {name: section for name, section in sections.items() if section},
        {"run": named} if named else {},
        config,
    ]
    return known(merge(parts))


def _table(name: str, found: Any) -> Mapping[str, Any]:
    """Return settings by their keys, or an empty mapping; raise `TypeError` for anything else."""
    if found is not None and not isinstance(found, Mapping):
        raise TypeError(f"{name}: found {found!r}, expected settings by their keys")
    return found or {}


def _section(
    name: str, settings: Settings | Named | Mapping[str, Any] | None, first: str
) -> Mapping[str, Any]:
    """Return the content of a section; a text or a class is its setting ``first``."""
    from ftlab.settings import Settings

    if isinstance(settings, Settings):
        (section,) = settings.config().values() or [{}]
        return section
    if isinstance(settings, str | type | Plugin):
        return {first: settings}
    return _table(name, settings)
