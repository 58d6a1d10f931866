"""The workloads of a paper: real traces where there are any, else the built-in models of them.

What that means for verdicts: choices.md#models-for-traces.
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
"""Requests of public traces: those of UMass, as DLOOP and MNFTL count them."""

NEARLY = 0.99
"""A file with this share of the requests is the whole trace."""


@dataclass(frozen=True)
class Prefix:
    """The first requests of a trace, which are looped.

    Attributes
    ----------
    files
        Names under which they are known, without the end of a compressed file.
    rounds
        How often they are played.
    scan
        Volumes of which they have a scan, which the whole trace is far from having as often.
    slower
        How many times as far apart they come.
    what
        What it is called, where a trace has more than one.
    """

    files: tuple[str, ...]
    rounds: int
    scan: tuple[int, ...] = ()
    slower: int = 1
    what: str = "prefix"


FINANCIAL1_PREFIX = Prefix(("Financial1.first10000.spc",), 134, (18, 19, 20))
"""As many requests as MNFTL plays of Financial1.

Its share of writes is 59 %, that of the whole trace 77 %, and that of all but the scan 82 %.
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
        The built-in profile that stands for it.
    files
        Names under which the whole real trace is known, without the end of a compressed file.
    prefixes
        Its first requests, where they are public.
    modelled
        Whether a profile stands for it; what is not modelled is left out where there is no file.
    """

    name: str
    files: tuple[str, ...]
    prefixes: tuple[Prefix, ...] = ()
    modelled: bool = True


@dataclass(frozen=True)
class Source:
    """What is run for a workload."""

    workload: Workload
    file: Path | None
    requests: int | None
    seed: int = 1
    """Of the model."""
    prefixes: tuple[tuple[Prefix, Path], ...] = ()
    """Its real beginnings and their files, where they are all that is there of it."""
    part: Config = field(default_factory=dict, hash=False)
    """Settings of the input that choose a part of the file."""

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
        """The real files that are read."""
        whole = [] if self.file is None else [self.file]
        return whole + [path for _, path in self.prefixes]

    @property
    def share(self) -> str | None:
        """What the file has of the public trace, where that is a part of it."""
        whole = WHOLE.get(self.workload.name)
        found = counted(self.file) if self.file and whole else None
        if found is None or whole is None or found >= NEARLY * whole:
            return None
        return f"{found:,} of {whole:,} requests"

    @property
    def described(self) -> str:
        """The text that says what was run."""
        part = f"a part of the real trace ({self.share})" if self.share else "the real trace"
        what = "the built-in model" if self.file is None else f"{part}, {self.file.name}"
        part = "" if self.requests is None else f", its first {self.requests:,} requests"
        chosen = "".join(f", {key} {value}" for key, value in self.part.items())
        return what + chosen + part


Sources = Mapping[str, Source]


def sources(
    workloads: Sequence[Workload], traces: str | Path | None, requests: int | None, seed: int = 1
) -> dict[str, Source]:
    """Return what to run for each workload, by its name.

    ``traces`` is a folder that is searched for real traces; ``requests`` cuts all of them short;
    models are made with ``seed``.
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
    """Return what to say of the workloads of which a folder of ``traces`` has no file, if any."""
    lacking = [each.workload for each in found.values() if not each.files]
    if not lacking:
        return None
    names = ", ".join(each.files[0] for each in lacking if each.files)
    missing = f"found no file called {names}; " if names else ""
    return f"{traces}: {missing}{len(lacking)} of {len(found)} inputs are built-in models"


def parts(found: Sources) -> list[str]:
    """Return what to say of the real traces of which a file has only a part."""
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
