"""JSON and TOML of users as trees; documents nested too deeply are rejected."""

from __future__ import annotations

import gzip
import json
import math
import re
import tomllib
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from ftlab.errors import ConfigError

MOST_BYTES = 1 << 30
"""The largest size of an unpacked file: more than any result has."""

PART_BYTES = 1 << 20
"""Bytes that are unpacked at a time."""

DEEPEST = 100
"""The most levels of a tree. Configurations and results have less than ten; the core takes 127."""

_PART = r"""(?:[\w-]++|"(?:\\.|[^"\\\n])*+"|'[^'\n]*+')"""
_DOT = r"[ \t]*+\.[ \t]*+"
_TEXT = r"""#[^\n]*+|\"{3}(?:\\.|[^\\])*?\"{3}|'{3}.*?'{3}"""
_KEYS = re.compile(
    rf"{_TEXT}|(?P<deep>{_PART}(?:{_DOT}{_PART}){{{DEEPEST}}})|{_PART}(?:{_DOT}{_PART})*+",
    re.DOTALL,
)
"""Comments, strings and keys.

`deep` matches keys of more than `DEEPEST` parts: the time to read a key grows with the square of
their number.
"""

GZIP = b"\x1f\x8b"
"""How compressed files begin."""


class TooDeepError(ValueError):
    """A tree has more than `DEEPEST` levels."""

    def __init__(self) -> None:
        super().__init__(f"found lists or tables nested more than {DEEPEST} levels deep")


def from_json(text: str | bytes) -> Any:
    """Return the tree of a JSON text; raises `ValueError` if it is invalid or too deep."""
    return _read(json.loads, text)


def from_toml(text: str) -> dict[str, Any]:
    """Return the tree of a TOML text; raises `ValueError` if it is invalid or too deep."""
    if any(found["deep"] for found in _KEYS.finditer(text)):
        raise TooDeepError
    tree: dict[str, Any] = _read(tomllib.loads, text)
    return tree


def value(text: str) -> Any:
    """Return a TOML value (number, truth value, quoted text, array), or the text unchanged."""
    try:
        document = from_toml(f"value = {text}")
    except ValueError:
        return text
    found = document["value"]
    return found if _plain(found) and len(document) == 1 else text


def _plain(found: Any) -> bool:
    """Return whether JSON can express a value of TOML."""
    if isinstance(found, list):
        return all(_plain(each) for each in found)
    return isinstance(found, str | int) or (isinstance(found, float) and math.isfinite(found))


def unpacked(content: bytes) -> bytes:
    """Return what gzip has compressed; raises `ValueError` for more than `MOST_BYTES`."""
    parts: list[bytes] = []
    with gzip.GzipFile(fileobj=BytesIO(content)) as file:
        claims_less = int.from_bytes(content[-4:], "little") <= MOST_BYTES
        for _ in range(0, MOST_BYTES + 1, PART_BYTES):
            part = file.read(PART_BYTES)
            if not part:
                return b"".join(parts)
            # A file that exceeds the stated size, or is damaged, is not kept.
            parts += [part] if claims_less else []
    raise ValueError(f"found more than {MOST_BYTES >> 30} GiB when it is unpacked")


def json_file(path: str, expected: str) -> Any:
    """Return the tree in a file of JSON, which gzip may have compressed.

    Raises `ftlab.ConfigError`, which states what was ``expected``, for a file without one.
    """
    try:
        content = Path(path).read_bytes()
        return from_json(unpacked(content) if content.startswith(GZIP) else content)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ConfigError(f"{path}: found a damaged file, expected {expected}") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{path}: {error}; expected {expected}") from error


def _read(read: Callable[[Any], Any], text: str | bytes) -> Any:
    try:
        tree = read(text)
    except RecursionError:
        raise TooDeepError from None
    check_depth(tree)
    return tree


def check_depth(tree: Any) -> None:
    """Raise `TooDeepError` for a tree of more than `DEEPEST` levels."""
    level = _containers([tree])
    for _ in range(DEEPEST):
        level = [inner for each in level for inner in _containers(each)]
    if level:
        raise TooDeepError


def _containers(tree: dict[str, Any] | list[Any]) -> list[dict[str, Any] | list[Any]]:
    """Return the lists and tables directly inside one."""
    children = tree.values() if isinstance(tree, dict) else tree
    return [each for each in children if isinstance(each, dict | list)]
