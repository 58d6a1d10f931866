"""Messages about errors of a user's class: its line, its method and its attribute.

The core uses them when a class raises, or returns an invalid answer.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from inspect import isasyncgen, iscoroutine, isgenerator, unwrap
from itertools import takewhile
from reprlib import Repr
from traceback import FrameSummary, extract_tb, walk_tb
from typing import Any

from ftlab.errors import RuleError

PREFIX = "ftlab_plugin_"
"""The prefix of module names of files."""

INSIDE = os.path.dirname(os.path.abspath(__file__)) + os.sep
"""The folder of ftlab itself."""

MOST_LINES = 8
"""Lines of a traceback that are shown, the last ones."""

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 80


def where(error: BaseException) -> str | None:
    """Return the last line of the user's code that an exception passed, if there is one."""
    own = lines(error)
    return own[-1] if own else None


def lines(error: BaseException) -> list[str]:
    """Return the lines of the user's code that an exception passed, the last one last.

    They are those of files that name classes, or otherwise the innermost ones outside ftlab. If it
    passed none, they are those of its cause.
    """
    files = _files()
    frames = extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename in files]
    own = own or [*takewhile(lambda frame: not _is_inside(frame.filename), reversed(frames))][::-1]
    if not own and error.__cause__:
        return lines(error.__cause__)
    return [_told(frame) for frame in own[-MOST_LINES:]]


def places(error: BaseException) -> list[str]:
    """Return the run, and the place in the user's code, where a rule was broken."""
    line = where(error)
    return [*getattr(error, "__notes__", []), *([line] if line else [])]


def by_a_file(error: BaseException) -> bool:
    """Return whether code of a file that names a class has raised an exception."""
    files = _files()
    return any(frame.filename in files for frame in extract_tb(error.__traceback__))


def blamed(error: BaseException) -> BaseException:
    """Return the exception raised in place of one from a class.

    It is unchanged, unless it would end the program of its caller or has no line of the user's
    code.
    """
    if isinstance(error, RuleError):
        return error
    told = f"{type(error).__name__}: {error}".removesuffix(": ")
    if not isinstance(error, Exception):
        told = f"a class must not end the program that calls it: found {told}"
    elif any(not _is_inside(frame.f_code.co_filename) for frame, _ in walk_tb(error.__traceback__)):
        return error
    broken = RuleError(told)
    broken.__cause__ = error
    return broken


def refused(method: Any, found: Any, expected: str) -> BaseException:
    """Return the exception for an invalid answer of a method, or the one raised in its call."""
    name = getattr(method, "__qualname__", type(method).__name__).rpartition("<locals>.")[2]
    if isinstance(found, BaseException):
        told = f"{name} cannot be called: {found}"
    elif kind := _for_later(found):
        told = f"{name}: found {kind}, expected a method that does its work when it is called"
    else:
        told = f"{name}() returned {written(found)}, expected {expected}"
    return placed(method, RuleError(told))


def unfit(found: Any, of: Any, attribute: str, expected: str) -> RuleError:
    """Return the exception for an invalid attribute of an object."""
    name = f"{type(of).__name__}.{attribute}"
    return RuleError(f"{name}: found {written(found)}, expected {expected}")


def placed(method: Any, error: BaseException) -> BaseException:
    """Return an exception with a note that gives the place of a method, if it is known."""
    code = getattr(unwrap(method), "__code__", None)
    if code is not None:
        name, line = os.path.basename(code.co_filename), code.co_firstlineno
        error.add_note(f"{name}, line {line}, in {code.co_name}")
    return error


def written(value: Any) -> str:
    """Return a value as messages show it: on one line and shortened."""
    try:
        return " ".join(_SHORT.repr(value).split())
    except Exception:
        return f"a {type(value).__name__}"


def _for_later(answer: Any) -> str | None:
    """Return a description of an answer that is work which is never done, such as a coroutine."""
    if iscoroutine(answer):
        answer.close()  # Or Python warns that nobody has awaited it.
        return "a coroutine (async def)"
    if isgenerator(answer) or isasyncgen(answer):
        return "a generator (it has yield)"
    return None


def _files() -> set[str | None]:
    """Return the files that name classes."""
    return {each.__file__ for name, each in list(sys.modules.items()) if name.startswith(PREFIX)}


@cache
def _is_inside(file: str) -> bool:
    """Return whether a file belongs to ftlab, or to the modules that import files."""
    return os.path.abspath(file).startswith(INSIDE) or file.startswith("<frozen")


def _told(frame: FrameSummary) -> str:
    line = f": {frame.line}" if frame.line else ""
    return f"{os.path.basename(frame.filename)}, line {frame.lineno}, in {frame.name}{line}"
