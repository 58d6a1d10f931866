"""One file of a folder of results: sealed JSON, compressed; believed only if nothing harmed it."""

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
"""How the names of files end."""

SEAL = ',"checksum":'

MOMENTARY = {"FileError", "MemoryError", "OSError", "ResourceError"}
"""Errors that hang on the moment, not on the point."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class UnsoundError(Exception):
    """A file has no result that can be believed; says why."""


@dataclass(frozen=True)
class Failure:
    """Why a point has no result: the exception's name, and its message."""

    error: str
    message: str

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Return the failure that an exception is; what a class raises is a rule that it broke."""
        if isinstance(error, errors.RuleError) or by_a_file(error):
            own = isinstance(error, errors.RuleError)
            told = str(error) if own else f"{type(error).__name__}: {error}"
            at = "; ".join(places(error))
            return cls("RuleError", f"{told} ({at})" if at else told)
        kind = "OSError" if isinstance(error, OSError) else type(error).__name__
        return cls(kind, str(error))

    @property
    def momentary(self) -> bool:
        """Whether it hangs on the moment, as memory does: the point is run again by itself."""
        return self.error in MOMENTARY

    def __str__(self) -> str:
        """Return the message, behind the name of an exception that is not one of ftlab's."""
        own = self.error in errors.__all__
        return self.message if own else f"{self.error}: {self.message}"


Outcome: TypeAlias = Result | Failure


@dataclass(frozen=True)
class Entry:
    """What a file holds: a point as it was given, and what came of it."""

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
        """What its file is called."""
        return self.path.name.partition(".")[0]


def sealed(text: str) -> str:
    """Return the text of an object with its checksum as the last of its members."""
    body = text[:-1]
    return f'{body}{SEAL}"{sha256(body)}"}}\n'


def unsealed(text: str) -> Any:
    """Return the tree in a sealed text; raises `ValueError` if it is not as it was sealed."""
    if text != sealed(text.rpartition(SEAL)[0] + "}"):
        raise ValueError("damaged")
    tree = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    check_depth(tree)
    if _SURROGATE.search(text):
        json.dumps(tree, ensure_ascii=False).encode()
    return tree


def _finite(text: str) -> float:
    """Return a number; raises `ValueError` for one that is too large, which no core tells."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("no finite number")
    return number


def entry(path: Path) -> Entry:
    """Return what a file of a store holds; raises `UnsoundError` if that cannot be believed.

    A copy under another name is no result of its own.
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
    """Return what a file of a store has."""
    text = sealed(json.dumps(content, separators=(",", ":")))
    return gzip.compress(text.encode(), mtime=0)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"found {constant}")
