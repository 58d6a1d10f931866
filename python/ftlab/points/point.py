"""A point, and all that determines its result."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Unpack

from ftlab import _core, cores
from ftlab._settings import Device
from ftlab.config import Config
from ftlab.errors import ConfigError, FtlabError
from ftlab.ftls import Ftl
from ftlab.plugins import Named, Plugged, Plugin, plugged, shown
from ftlab.simulation import Setup, described
from ftlab.traces import Source

DIGEST_DIGITS = 20
"""Digits of a digest in the name of a file: 80 bits."""


@dataclass(frozen=True)
class Point:
    """One FTL on one configuration; the ``label`` has no effect on the result.

    ``config`` has the sections of a configuration as plain dictionaries. `of` takes the arguments
    of `ftlab.simulate`.
    """

    label: str
    config: Config
    ftl: Named

    @classmethod
    def of(
        cls,
        trace: Source | str | os.PathLike[str],
        ftl: Ftl | Named = "page",
        device: Device | None = None,
        *,
        label: str | None = None,
        **setup: Unpack[Setup],
    ) -> Point:
        """Return the point that `ftlab.simulate` runs with these arguments.

        By default, the label is the FTL as it is written.
        """
        config, named = described(trace, ftl, device, **setup)
        return cls(str(ftl) if label is None else label, config, named)

    @cached_property
    def core(self) -> ModuleType:
        """The compiled core that runs it."""
        return cores.core_of(*self.for_core)

    @cached_property
    def resolved(self) -> Config:
        """The configuration with all defaults; raises `ftlab.ConfigError` if it is wrong."""
        config, _, plugins = self.for_core
        tree: Config = json.loads(self.core.resolve(json.dumps(config), plugins))
        return tree

    @cached_property
    def for_core(self) -> tuple[Config, str, list[Plugin]]:
        """Configuration and FTL in the form of the core, and the classes that they name."""
        found = Plugged()
        return *found.point(self.config, self.ftl), found.plugins

    @cached_property
    def input(self) -> Config:
        """The part that must be equal for points to have the same input."""
        run, trace = self.resolved["run"], self.resolved["input"]["trace"]
        config, _, plugins = self.for_core
        capacity = trace and self.core.sized_by(json.dumps(config), plugins)
        return {
            "input": {**self.resolved["input"], "trace": _content(trace)},
            "workload": self.resolved["workload"],
            "seed": run["seed"],
            "warmup": run["warmup"],
            **({} if capacity is None else {"capacity": capacity}),
        }

    @cached_property
    def warmup_key(self) -> str | None:
        """What is equal for points that can share a warm-up; None if it can share none."""
        if self.refusal:
            return None
        config, ftl, plugins = self.for_core
        if plugins:
            return None
        key: str | None = self.core.warmup_key((json.dumps(config), ftl))
        return key

    @cached_property
    def memory(self) -> int | None:
        """Most bytes of RAM that it takes; None where that is not known before it is run."""
        if self.refusal:
            return None
        config, ftl, plugins = self.for_core
        try:
            found: int | None = self.core.memory((json.dumps(config), ftl), list(plugins))
        except FtlabError:
            return None
        return found

    def check_input(self) -> None:
        """Raise `ftlab.ConfigError` if the input no longer has its digest."""
        trace = self.resolved["input"]["trace"]
        if _content(trace) != self.input["input"]["trace"]:
            raise ConfigError(f"{trace}: changed while it was read; run it again")

    @cached_property
    def refusal(self) -> ConfigError | None:
        """The error of the configuration, if any."""
        try:
            self.resolved  # noqa: B018
        except ConfigError as error:
            return error
        return None

    @cached_property
    def identity(self) -> Config:
        """All that determines the result: the content of the input, configuration, FTL and code.

        A configuration that is refused is included as given.
        """
        if self.refusal:
            return {"refused": self.given, "code": code(_core)}
        _, ftl, plugins = self.for_core
        sections = {k: v for k, v in self.resolved.items() if k not in ("input", "workload")}
        written = {"written": [_class(each) for each in plugins]} if plugins else {}
        known: Config = {"input": self.input, "config": sections, "ftl": ftl}
        return {**known, **written, "code": code(self.core)}

    @cached_property
    def given(self) -> Config:
        """The given settings as JSON; a class is represented by its name."""
        asked = {"config": self.config, "ftl": self.ftl}
        tree: Config = json.loads(json.dumps(asked, default=shown))
        return tree

    @cached_property
    def digest(self) -> str:
        """The name of the point's result."""
        return digest_of(self.identity)

    def __reduce__(self) -> tuple[type[Point], tuple[str, Config, Named]]:
        """Return what another process needs to make the same point."""
        return Point, (self.label, *plugged(self.config, self.ftl))


def canonical(tree: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return the canonical JSON text of a tree."""
    return json.dumps(tree, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest_of(identity: Config | Sequence[Any]) -> str:
    """Return the name of the result with an identity."""
    return sha256(canonical(identity))[:DIGEST_DIGITS]


def sha256(text: str) -> str:
    """Return the digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def code(core: ModuleType) -> str:
    """Return the identity of the code: the version, and the digest of a compiled core.

    The built-in profiles are part of the core.
    """
    return f"ftlab {core.__version__}, core {_file_digest(Path(str(core.__file__)))}"


def _class(plugin: Plugin) -> Config:
    """Return the identity of a user's class: its settings, and the content of its file alone."""
    try:
        file = Path(inspect.getsourcefile(plugin.cls) or "")
        content = _file_digest(file)
    except (TypeError, OSError) as error:
        raise ConfigError(
            f"{plugin}: found a class without a file, expected one whose file names its results"
        ) from error
    return {"kind": plugin.kind, "class": str(plugin), "file": content}


def _content(trace: str | None) -> str | None:
    """Return the identity of a trace's content: digests of its files, or the name of a profile."""
    if trace is None:
        return None
    path = Path(trace)
    if path.is_file():
        schemes = [each for each in _core.job_schemes(trace) if each.is_file()]
        if schemes:
            return f"jobs {digest_of([content_digest(each) for each in (path, *schemes)])}"
        return f"{'model' if path.suffix == '.toml' else 'sha256'} {content_digest(path)}"
    # A folder of that name cannot be the trace.
    if trace in _profiles() and (path.is_dir() or not path.exists()):
        return f"profile {trace}"
    parts = [(Path(file), member) for file, member in _core.trace_parts(trace)]
    odd = next((file for file, _ in parts if not file.is_file()), None)
    if odd is not None:
        raise ConfigError(f"input.trace: found {odd}, expected a file or the name of a profile")
    return f"parts {digest_of([(content_digest(file), member) for file, member in parts])}"


def content_digest(path: Path) -> str:
    """Return the digest of a file, which is read again only if it has changed."""
    stat = path.stat()
    return _known_file_digest(path.resolve(), stat.st_size, stat.st_mtime_ns)


@cache
def _profiles() -> frozenset[str]:
    return frozenset(each["name"] for each in json.loads(_core.catalog())["profiles"])


@cache
def _known_file_digest(path: Path, size: int, mtime_ns: int) -> str:
    """Return the digest of a file; an unchanged file is read once."""
    return _file_digest(path)


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
