"""One file of a folder of results: sealed, compressed JSON, which is read only if undamaged."""

from __future__ import annotations

import gzip
import json
import math
import re
import stat
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from ftlab import errors
from ftlab.blame import by_a_file, places
from ftlab.config import Config
from ftlab.documents import check_depth, unpacked
from ftlab.points.point import digest_of, sha256
from ftlab.points.shape import check_shape
from ftlab.result import Result

END = ".json.gz"
"""The suffix of the files."""

SEAL = ',"checksum":'

MOMENTARY = {"FileError", "MemoryError", "OSError", "ResourceError"}
"""Errors of the moment, which do not depend on the point."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class UnsoundError(Exception):
    """A file has no valid result; the message gives the reason."""


@dataclass(frozen=True)
class Failure:
    """The reason why a point has no result: the exception's name and message."""

    error: str
    message: str

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Return the failure for an exception; an exception of a class is a broken rule."""
        if isinstance(error, errors.RuleError) or by_a_file(error):
            own = isinstance(error, errors.RuleError)
            told = str(error) if own else f"{type(error).__name__}: {error}"
            at = "; ".join(places(error))
            return cls("RuleError", f"{told} ({at})" if at else told)
        kind = "OSError" if isinstance(error, OSError) else type(error).__name__
        return cls(kind, str(error))

    @property
    def momentary(self) -> bool:
        """Whether it depends on the moment, like a lack of memory: the point is then rerun."""
        return self.error in MOMENTARY

    def __str__(self) -> str:
        """Return the message, after the name of an exception that is not one of ftlab's."""
        own = self.error in errors.__all__
        return self.message if own else f"{self.error}: {self.message}"


Outcome: TypeAlias = Result | Failure


@dataclass(frozen=True)
class Entry:
    """The content of a file: a point as given, and its outcome."""

    path: Path
    label: str
    config: Config
    ftl: str
    outcome: Outcome
    identity: Config

    @property
    def failed(self) -> bool:
        """Whether there is no result."""
        return isinstance(self.outcome, Failure)

    @property
    def digest(self) -> str:
        """The name of its file."""
        return self.path.name.partition(".")[0]


def sealed(text: str) -> str:
    """Return the text of an object with its checksum as the last member."""
    body = text[:-1]
    return f'{body}{SEAL}"{sha256(body)}"}}\n'


def unsealed(text: str) -> Any:
    """Return the tree in a sealed text; raises `ValueError` if it was changed after sealing."""
    if text != sealed(text.rpartition(SEAL)[0] + "}"):
        raise ValueError("damaged")
    tree = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    check_depth(tree)
    if _SURROGATE.search(text):
        json.dumps(tree, ensure_ascii=False).encode()
    return tree


def _finite(text: str) -> float:
    """Return a number; raises `ValueError` for one that is too large, which no core returns."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("no finite number")
    return number


def entry(path: Path) -> Entry:
    """Return the content of a file of a store; raises `UnsoundError` if it is invalid.

    A copy under another name is not a separate result.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UnsoundError("is no file")
        tree = unsealed(unpacked(path.read_bytes()).decode())
        check_shape(tree)
    except OSError as error:
        told = f"cannot be read: {error.strerror}" if error.strerror else "damaged"
        raise UnsoundError(told) from error
    except (EOFError, zlib.error, ValueError, RecursionError) as error:
        raise UnsoundError("damaged") from error
    if path.name != f"{digest_of(tree['identity'])}{END}":
        raise UnsoundError("a copy, which has another name than its result")
    failure = tree.get("failure")
    outcome = Result(tree["result"]) if failure is None else Failure(**failure)
    return Entry(path, tree["label"], tree["config"], tree["ftl"], outcome, tree["identity"])


def packed(content: Config) -> bytes:
    """Return the content of a file of a store."""
    text = sealed(json.dumps(content, separators=(",", ":")))
    return gzip.compress(text.encode(), mtime=0)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"found {constant}")
