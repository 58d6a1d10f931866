"""Dictionaries that cannot be changed, whose keys are attributes, too: what runs and files have."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, get_args, get_type_hints


class Section(Mapping[str, Any]):
    """A read-only dictionary with attributes for its keys: ``r.mapping.hit_ratio``.

    Type checkers know those that its class declares, and sections in it are of the class declared.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)
        self._asked: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        """Return the figure of that name."""
        if key not in self._asked:
            value = self._values[key]
            is_section = isinstance(value, Mapping)
            kind = _kinds(type(self)).get(key, Record) if is_section else _wrap
            self._asked[key] = kind(value)
        return self._asked[key]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the figure of that name."""
            if name.startswith("_"):
                raise AttributeError(name)
            try:
                return self[name]
            except KeyError:
                known = ", ".join(self._values)
                raise AttributeError(f"no figure named {name!r} here; there are: {known}") from None

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the figures."""
        return iter(self._values)

    def __len__(self) -> int:
        """Return the number of figures."""
        return len(self._values)

    def __dir__(self) -> list[str]:
        """List the figures next to the methods, for completion."""
        return [*super().__dir__(), *self._values]

    def __repr__(self) -> str:
        """Text of the plain dictionary."""
        return repr(self.to_dict())

    def find(self, path: str) -> Any:
        """Return the figure at a dotted path, or None where this record has none."""
        value: Any = self
        for key in path.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def to_dict(self) -> dict[str, Any]:
        """Return plain dictionaries, lists and scalars."""
        return {key: _plain(value) for key, value in self._values.items()}

    def to_json(self, indent: int | None = 2) -> str:
        """Return the same as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)


class Record(Section):
    """A section of which anything may be asked."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the value of that name."""


class Numbers(Section):
    """Numbers by name, such as joules by cause."""

    if TYPE_CHECKING:

        def __getitem__(self, key: str) -> float:
            """Return the number of that name."""

        def __getattr__(self, name: str) -> float:
            """Return the number of that name."""


class Counts(Section):
    """Counts by name, such as pages by cause."""

    if TYPE_CHECKING:

        def __getitem__(self, key: str) -> int:
            """Return the number of that name."""

        def __getattr__(self, name: str) -> int:
            """Return the number of that name."""


class Absent(Section):
    """A section that a run does not have: it is false and empty, and all its figures are None."""

    def __init__(self) -> None:
        super().__init__({})

    def __getattr__(self, name: str) -> None:
        """Return None for a figure of any name, so that a loop over results goes on."""
        if name.startswith("_"):
            raise AttributeError(name)


@cache
def _kinds(section: type[Section]) -> dict[str, type[Section]]:
    """Return the classes that a section declares for the sections in it."""
    declared = get_type_hints(section)
    kinds = {name: [hint, *get_args(hint)] for name, hint in declared.items()}
    return {name: each for name, among in kinds.items() for each in among if _is_section(each)}


def _is_section(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Section)


def _wrap(value: Any) -> Any:
    """Return mappings as sections, at any depth."""
    if isinstance(value, Mapping):
        return Record(value)
    return [_wrap(each) for each in value] if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """Return sections as dictionaries, at any depth."""
    if isinstance(value, Section):
        return value.to_dict()
    return [_plain(each) for each in value] if isinstance(value, list) else value
