"""The compiled cores: that of ftlab, and those of installed packages with further FTLs.

A package with FTLs in Rust brings a separate core: all of ftlab with a longer catalogue. It names
its module by an entry point in the group ``ftlab.cores``. ftlab searches for packages only for
lists, and for names in a run that its own core does not know.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from ftlab import _core
from ftlab.config import Config, Progress
from ftlab.errors import ConfigError

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

GROUP = "ftlab.cores"

PointOfRun: TypeAlias = tuple[Config, str | None]
"""A configuration and the name of an FTL, if there is one."""


def utf8(name: str) -> str:
    """Return a name that a core accepts; raises `ftlab.ConfigError` if it is not UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError as error:
        message = f"{name}: found a name that is not UTF-8, expected one that is"
        raise ConfigError(message) from error
    return name


@cache
def plugins() -> tuple[ModuleType, ...]:
    """Import the cores of installed packages, in the order of their names.

    A core that cannot be imported, or was built with another version of ftlab, is left out. A
    warning names its package.
    """
    found = []
    for distribution, entry in _entries():
        try:
            core = entry.load()
            _check(core)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            _leave_out(distribution, error, entry.value)
        else:
            found.append(core)
    return tuple(found)


def _entries() -> list[tuple[Distribution, EntryPoint]]:
    """Return the entry points of packages for cores, each once, in the order of names."""
    from importlib.metadata import distributions  # A third of the time ftlab takes to import.

    found: dict[EntryPoint, Distribution] = {}
    for distribution in distributions():
        try:
            entries = distribution.entry_points.select(group=GROUP)
        except Exception as error:
            if _names_cores(distribution):
                _leave_out(distribution, error, "entry_points.txt")
            continue
        for entry in entries:
            found.setdefault(entry, distribution)
    known = sorted(found, key=lambda entry: entry.name)
    return [(found[entry], entry) for entry in known]


def _names_cores(distribution: Distribution) -> bool:
    """Return whether the unreadable entry points of a package may name a core."""
    try:
        return GROUP in (distribution.read_text("entry_points.txt") or "")
    except UnicodeDecodeError:
        return True


def _check(core: ModuleType) -> None:
    """Raise an exception if a module is no core of this version."""
    if core.__version__ != _core.__version__:
        raise ConfigError(
            f"found a core built with ftlab {core.__version__}, "
            f"expected {_core.__version__}; build the package again"
        )
    lacking = next((name for name in _functions(_core) if name not in _functions(core)), None)
    if lacking:
        raise ConfigError(f"found a core without {lacking}; build the package again")
    _sections(core)
    for kind in _catalogue(_core):
        for entry in _catalogue(core)[kind]:
            _name(entry)
    for setting in _catalogue(_core)["settings"]:
        _obeying(core, setting["key"])


def _functions(core: ModuleType) -> list[str]:
    """Return the functions of a core; exceptions are those of ftlab."""
    own = ((name, each) for name, each in vars(core).items() if callable(each))
    return [name for name, each in own if not isinstance(each, type)]


def _leave_out(distribution: Distribution, error: BaseException, what: str) -> None:
    """Warn that the core of a package cannot be used."""
    try:
        package = f"package {distribution.name}"
    except Exception:
        package = "a package"
    reason = str(error) if isinstance(error, ConfigError) else f"{type(error).__name__}: {error}"
    reason = " ".join(reason.split())
    message = f"{package}, which has FTLs, is left out: {what}: {reason}"
    warnings.warn(message, PackageWarning, stacklevel=2)


class PackageWarning(UserWarning):
    """A package with custom FTLs that cannot be used."""


def core_of(config: Config, ftl: str | None = None, written: Sequence[Any] = ()) -> ModuleType:
    """Return the core that knows the FTL and everything in the configuration.

    It is that of ftlab if it does, or if none does: its message then states the error. A core that
    only knows the FTL is preferred to one that does not. Every core accepts what is ``written`` in
    Python.
    """
    if _knows(_core, config, ftl, written):
        return _core
    knowing = [core for core in (_core, *plugins()) if _names_ftl(core, ftl, written)]
    fitting = (core for core in knowing if _knows(core, config, ftl, written))
    return next(fitting, knowing[0] if knowing else _core)


def simulate(
    points: Sequence[tuple[Config, str]],
    progress: Progress | None = None,
    written: Sequence[Any] = (),
    reading: Any = None,
    warmup: Any = None,
) -> list[Any]:
    """Run points and return their results in order.

    If one core knows all points, they run on it, over one reading of their input. Otherwise each
    core runs its own points, one core after another. A ``reading`` and a ``warmup`` are shared with
    other calls; they belong to the core that knows all points.
    """
    for core in _lazily():
        if all(_knows(core, *point, written) for point in points):
            return _run(core, points, progress, written, reading, warmup)
    cores = [core_of(*point, written) for point in points]
    results: dict[int, Any] = {}
    for core in dict.fromkeys(cores):
        places = [place for place, each in enumerate(cores) if each is core]
        part = [(_familiar(points[place][0], core), points[place][1]) for place in places]
        results.update(zip(places, _run(core, part, progress, written), strict=True))
    return [results[place] for place in range(len(points))]


def server(config: Config, ftl: str | None, **how: Any) -> Any:
    """Serve a device in the core that has its FTL; return the server."""
    return core_of(config, ftl).Server(json.dumps(config), ftl, **how)


def replay(config: Config, ftl: str, progress: Progress | None) -> str:
    """Run a recorded session in the core that has its FTL; return the result as JSON."""
    core = core_of(config, ftl)
    answer: str = core.replay(json.dumps(config), ftl, progress)
    return answer


def catalogue() -> dict[str, Any]:
    """Return what all cores offer; what several have is listed once."""
    merged = dict(_catalogue(_core))
    for core in plugins():
        for kind in merged:
            entries, known = _catalogue(core)[kind], {_name(each) for each in merged[kind]}
            merged[kind] = [*merged[kind], *(e for e in entries if _name(e) not in known)]
    return merged


def own_catalogue() -> dict[str, Any]:
    """Return what ftlab itself offers."""
    return _catalogue(_core)


def sections() -> frozenset[str]:
    """Return the sections of a configuration that ftlab itself has."""
    return _sections(_core)


def ftls() -> frozenset[str]:
    """Return the FTLs that ftlab itself has."""
    return frozenset(each["name"] for each in _catalogue(_core)["ftls"])


def titles() -> dict[str, str]:
    """Return the titles, by name, of the FTLs of ftlab and of the packages in use."""
    used = plugins() if plugins.cache_info().currsize else ()
    return {
        name: title for core in (*reversed(used), _core) for name, title in _titles(core).items()
    }


def have(ftl: str) -> bool:
    """Return whether a core has this FTL."""
    return any(_names_ftl(core, ftl, ()) for core in _lazily())


def stop_classes(seconds: float) -> bool:
    """Stop the runs of classes in all cores; return whether none is left after ``seconds``."""
    used = (_core, *(plugins() if plugins.cache_info().currsize else ()))
    return all([core.stop_classes(seconds) for core in used])


def obeying(key: str) -> tuple[list[str], list[str]]:
    """Return the FTLs that obey a setting: those of ftlab, and those of packages."""
    own = _obeying(_core, key)
    others = [name for core in plugins() for name in _obeying(core, key)]
    return own, [name for name in others if name not in own]


def _obeying(core: ModuleType, key: str) -> list[str]:
    ftls = _catalogue(core)["ftls"]
    return [ftl["name"] for ftl in ftls if any(each["key"] == key for each in ftl["settings"])]


def _lazily() -> Any:
    yield _core
    yield from plugins()


def _run(
    core: ModuleType,
    points: Sequence[tuple[Config, str]],
    progress: Progress | None,
    written: Sequence[Any],
    reading: Any = None,
    warmup: Any = None,
) -> list[Any]:
    texts = [(json.dumps(config), ftl) for config, ftl in points]
    answer = core.simulate(texts, progress, list(written), reading, warmup)
    results: list[Any] = json.loads(answer)
    return results


def _knows(core: ModuleType, config: Config, ftl: str | None, written: Sequence[Any]) -> bool:
    if not _names_ftl(core, ftl, written):
        return False
    try:
        core.resolve(json.dumps(config), list(written))
    except ConfigError:
        return False
    return True


def _names_ftl(core: ModuleType, ftl: str | None, written: Sequence[Any]) -> bool:
    known = [each["name"] for each in _catalogue(core)["ftls"]]
    return ftl is None or ftl in known or any(each.name == ftl for each in written)


def _familiar(config: Config, core: ModuleType) -> Config:
    """Return the sections that a core knows, and those that none knows, which it then reports."""
    foreign = set().union(*map(_sections, (_core, *plugins()))) - _sections(core)
    return {section: leaves for section, leaves in config.items() if section not in foreign}


@cache
def _sections(core: ModuleType) -> frozenset[str]:
    return frozenset(each["section"] for each in _catalogue(core)["settings"])


@cache
def _catalogue(core: ModuleType) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(core.catalog())
    return tree


@cache
def _titles(core: ModuleType) -> dict[str, str]:
    return {each["name"]: each.get("title", each["name"]) for each in _catalogue(core)["ftls"]}


def _name(entry: Any) -> str:
    return str(entry.get("key", entry.get("name")))
