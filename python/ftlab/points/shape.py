"""The shape of the tree of a stored result, checked so that its use cannot fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ftlab.names import LEAST, MOST
from ftlab.report.summary import HEADLINES


def check_shape(tree: Any) -> None:
    """Raise `ValueError` if a tree is not a stored result or failure."""
    given = isinstance(tree, dict) and _is_text(tree.get("label")) and _is_text(tree.get("ftl"))
    _expect(given and _is_config(tree.get("config")) and isinstance(tree.get("identity"), dict))
    _expect(_is_config(tree["identity"].get("config", {})))
    _expect(("result" in tree) != ("failure" in tree))
    if "failure" in tree:
        failure = tree["failure"]
        _expect(isinstance(failure, dict) and set(failure) == {"error", "message"})
        _expect(all(map(_is_text, failure.values())))
        _check_leaves(tree["config"])
    else:
        _check_result(tree["result"])


def _check_result(result: Any) -> None:
    _expect(isinstance(result, dict) and _is_text(result.get("ftl")))
    _expect(_is_config(result.get("config")))
    warnings = result.get("warnings", [])
    _expect(isinstance(warnings, list) and all(map(_is_text, warnings)))
    _check_leaves(result)
    for figure in HEADLINES:
        _check_figure(result, figure.path)


def _check_figure(result: Mapping[str, Any], path: str) -> None:
    """Raise `ValueError` for a metric that is neither a number nor numbers by cause."""
    found: Any = result
    for key in path.split("."):
        _expect(found is None or isinstance(found, dict))
        found = (found or {}).get(key)
    parts = found.values() if isinstance(found, dict) else [found]
    _expect(all(each is None or _is_number(each) for each in parts))


def _check_leaves(tree: Any) -> None:
    """Raise `ValueError` for a whole number that no core returns."""
    for value in tree.values() if isinstance(tree, dict) else tree:
        if isinstance(value, dict | list):
            _check_leaves(value)
        elif isinstance(value, int):
            _expect(LEAST <= value <= MOST)


def _is_config(tree: Any) -> bool:
    """Return whether a tree has sections of settings and otherwise plain values."""
    if not isinstance(tree, dict):
        return False
    if not all(isinstance(tree.get(each, {}), dict) for each in ("input", "run")):
        return False
    sections = [each for each in tree.values() if isinstance(each, dict)]
    return all(not isinstance(leaf, dict) for each in sections for leaf in each.values())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _expect(holds: bool) -> None:
    if not holds:
        raise ValueError("found no result")
