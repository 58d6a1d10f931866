"""The workloads of a paper: real traces if there are any, otherwise their built-in models.

The consequences for verdicts are in choices.md#models-for-traces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ftlab import ConfigError, FtlabError, read_trace
from ftlab.points import Config

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


WHOLE = {
    "financial1": 5_334_987,
    "financial2": 3_699_194,
    "websearch3": 4_261_709,
}
"""Requests of public traces: those of UMass, as counted by DLOOP and MNFTL."""

NEARLY = 0.99
"""A file with at least this share of the requests is the whole trace."""


@dataclass(frozen=True)
class Prefix:
    """The first requests of a trace, which are looped.

    Attributes
    ----------
    files
        File names of the prefix, without the suffix of compression.
    rounds
        How often it is played.
    scan
        Volumes that the prefix scans, which the whole trace does far less often.
    slower
        Factor by which the times between requests are stretched.
    what
        Its name, if a trace has more than one prefix.
    """

    files: tuple[str, ...]
    rounds: int
    scan: tuple[int, ...] = ()
    slower: int = 1
    what: str = "prefix"


FINANCIAL1_PREFIX = Prefix(("Financial1.first10000.spc",), 134, (18, 19, 20))
"""As many requests as MNFTL plays of Financial1.

Its share of writes is 59 %. The whole trace has 77 %, and the prefix without the scan 82 %.
"""

FINANCIAL1_BEGINNING = Prefix(
    ("Financial1.first50002.DERIVED-noasu.spc",), 27, what="first 50,002 requests"
)
"""About as many requests, from five times as much of the trace.

Its volumes are laid over each other.
"""


@dataclass(frozen=True)
class Workload:
    """A trace of a paper.

    Attributes
    ----------
    name
        The built-in profile that models it.
    files
        File names of the whole real trace, without the suffix of compression.
    prefixes
        Its first requests, if they are public.
    modelled
        Whether a profile models it. If not, it is left out when there is no file.
    """

    name: str
    files: tuple[str, ...]
    prefixes: tuple[Prefix, ...] = ()
    modelled: bool = True


@dataclass(frozen=True)
class Source:
    """The input of a workload."""

    workload: Workload
    file: Path | None
    requests: int | None
    seed: int = 1
    """Seed of the model."""
    prefixes: tuple[tuple[Prefix, Path], ...] = ()
    """Its real prefixes and their files, if the whole trace is missing."""
    part: Config = field(default_factory=dict, hash=False)
    """Settings of the input that select a part of the file."""

    @property
    def config(self) -> Config:
        """The section of the configuration that names it."""
        trace = self.workload.name if self.file is None else str(self.file)
        section: Config = {"trace": trace, **self.part}
        if self.requests is not None:
            section["requests"] = self.requests
        made = {} if self.file is not None else {"run": {"seed": self.seed}}
        return {"input": section, **made}

    @property
    def files(self) -> list[Path]:
        """The real files to read."""
        whole = [] if self.file is None else [self.file]
        return whole + [path for _, path in self.prefixes]

    @property
    def share(self) -> str | None:
        """The share of the public trace that the file has, if it is a part of it."""
        whole = WHOLE.get(self.workload.name)
        found = counted(self.file) if self.file and whole else None
        if found is None or whole is None or found >= NEARLY * whole:
            return None
        return f"{found:,} of {whole:,} requests"

    @property
    def described(self) -> str:
        """A text that describes the input."""
        part = f"a part of the real trace ({self.share})" if self.share else "the real trace"
        what = "the built-in model" if self.file is None else f"{part}, {self.file.name}"
        part = "" if self.requests is None else f", its first {self.requests:,} requests"
        chosen = "".join(f", {key} {value}" for key, value in self.part.items())
        return what + chosen + part


Sources = Mapping[str, Source]


def sources(
    workloads: Sequence[Workload], traces: str | Path | None, requests: int | None, seed: int = 1
) -> dict[str, Source]:
    """Return the input of each workload, by its name.

    The folder ``traces`` is searched for real traces. ``requests`` cuts all inputs short. Models
    are made with ``seed``.
    """
    files = _files(traces) if traces is not None else {}
    found = {}
    for workload in workloads:
        file = _first(files, workload.files)
        if not workload.modelled and file is None:
            continue
        named = [(prefix, _first(files, prefix.files)) for prefix in workload.prefixes]
        prefixes = tuple((prefix, path) for prefix, path in named if path and file is None)
        found[workload.name] = Source(workload, file, requests, seed, prefixes)
    return found


def modelled(found: Sources, traces: str | Path) -> str | None:
    """Return a remark on the workloads that the folder ``traces`` has no file of, if any."""
    lacking = [each.workload for each in found.values() if not each.files]
    if not lacking:
        return None
    names = ", ".join(each.files[0] for each in lacking if each.files)
    missing = f"found no file called {names}; " if names else ""
    return f"{traces}: {missing}{len(lacking)} of {len(found)} inputs are built-in models"


def parts(found: Sources) -> list[str]:
    """Return remarks on the real traces of which a file has only a part."""
    return [
        f"{each.file.name}: found {each.share}; verdicts on {name} are of that part"
        for name, each in found.items()
        if each.file and each.share
    ]


@cache
def counted(file: Path) -> int | None:
    """Return how many requests a file has; None for one that is no trace, which its run refuses."""
    try:
        return int(read_trace(file).info().requests)
    except FtlabError:
        return None


def _first(files: Mapping[str, Path], names: Sequence[str]) -> Path | None:
    lower = (name.lower() for name in names)
    return next((files[name] for name in lower if name in files), None)


def _files(folder: str | Path) -> dict[str, Path]:
    """Return the files of a folder by their names in lower case, compressed or not."""
    if not Path(folder).is_dir():
        raise ConfigError(f"{folder}: found no such folder, expected one with traces")
    plain: dict[str, Path] = {}
    for path in sorted(Path(folder).iterdir()):
        name = path.name.lower()
        for end in COMPRESSED:
            name = name.removesuffix(end)
        plain.setdefault(name, path)
    return plain
