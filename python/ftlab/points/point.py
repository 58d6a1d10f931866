"""What a point is, and what decides its result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from ftlab import _core, cores
from ftlab.config import Config
from ftlab.errors import ConfigError

DIGEST_DIGITS = 20
"""Of a digest, as much as names a file: 80 bits."""


@dataclass(frozen=True)
class Point:
    """One FTL on one configuration; the ``label`` is for people and decides nothing."""

    label: str
    config: Config
    ftl: str

    @cached_property
    def core(self) -> ModuleType:
        """The compiled core that runs it."""
        return cores.core_of(self.config, self.ftl)

    @cached_property
    def resolved(self) -> Config:
        """The configuration with all defaults; raises `ftlab.ConfigError` that names the point."""
        try:
            tree: Config = json.loads(self.core.resolve(json.dumps(self.config)))
        except ConfigError as error:
            raise ConfigError(f"{self.label}: {error}") from error
        return tree

    @cached_property
    def input(self) -> Config:
        """What has to be the same for points that share a reading of their input."""
        run = self.resolved["run"]
        return {
            "input": {**self.resolved["input"], "trace": _content(self.resolved["input"]["trace"])},
            "workload": self.resolved["workload"],
            "seed": run["seed"],
            "warmup": run["warmup"],
        }

    def check_input(self) -> None:
        """Raise `ftlab.ConfigError` if the input is no longer what its digest says."""
        trace = self.resolved["input"]["trace"]
        _known_file_digest.cache_clear()
        if _content(trace) != self.input["input"]["trace"]:
            raise ConfigError(f"{trace}: changed while it was read; run it again")

    @cached_property
    def identity(self) -> Config:
        """Everything that decides the result: input by its content, configuration, FTL, code."""
        sections = {k: v for k, v in self.resolved.items() if k not in ("input", "workload")}
        return {"input": self.input, "config": sections, "ftl": self.ftl, "code": code(self.core)}

    @cached_property
    def digest(self) -> str:
        """The name of the point's result."""
        return sha256(canonical(self.identity))[:DIGEST_DIGITS]


def canonical(tree: Mapping[str, Any]) -> str:
    """Return the one JSON text of a tree."""
    return json.dumps(tree, sort_keys=True, separators=(",", ":"), allow_nan=False)


def sha256(text: str) -> str:
    """Return the digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def code(core: ModuleType) -> str:
    """Return what names the code: the version, and the digest of a compiled core.

    The built-in profiles are part of the core.
    """
    return f"ftlab {core.__version__}, core {_file_digest(Path(str(core.__file__)))}"


def _content(trace: str | None) -> str | None:
    """Return what names the content of a trace: a file's digest, or the name of a profile."""
    if trace is None:
        return None
    path = Path(trace)
    if path.is_file():
        stat = path.stat()
        return f"sha256 {_known_file_digest(path.resolve(), stat.st_size, stat.st_mtime_ns)}"
    if trace not in _profiles():
        raise ConfigError(f"input.trace: found {trace}, expected a file or the name of a profile")
    return f"profile {trace}"


@cache
def _profiles() -> frozenset[str]:
    return frozenset(each["name"] for each in json.loads(_core.catalog())["profiles"])


@cache
def _known_file_digest(path: Path, size: int, mtime_ns: int) -> str:
    """Return the digest of a file; one that has not changed is read once."""
    return _file_digest(path)


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
