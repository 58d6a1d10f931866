"""Settings as arguments with names and types; the classes in `ftlab._settings` declare them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import Parameter, Signature, get_annotations
from typing import Any, ClassVar, dataclass_transform

from ftlab.config import Config, given, merge, nested

MARK = "_"
"""What `dataclasses.KW_ONLY` is written behind: settings below it are given by name."""


class Setting:
    """A setting in the body of a class: the key of a configuration that its value goes to."""

    def __init__(self, key: str) -> None:
        self.key = key

    def __set_name__(self, owner: type, name: str) -> None:
        """Take the name that arguments and attributes have."""
        self.name = name

    def __get__(self, settings: Settings | None, owner: type) -> Any:
        """Return what was given, or None; of a class, this object."""
        return self if settings is None else settings.given.get(self.name)

    def __set__(self, settings: Settings, value: object) -> None:
        """Refuse: settings do not change."""
        raise AttributeError(f"{type(settings).__name__}.{self.name} does not change")


def setting(key: str) -> Any:
    """Declare a setting, by default None: what the core has for it."""
    return Setting(key)


class _Signature:
    """What ``inspect`` and documents show as the arguments of a class that declares settings."""

    def __get__(self, settings: Settings | None, owner: type[Settings]) -> Signature:
        types = get_annotations(owner)
        if MARK not in types:
            raise AttributeError("__signature__")
        free = owner.positional()
        kinds = {
            name: Parameter.POSITIONAL_OR_KEYWORD if name in free else Parameter.KEYWORD_ONLY
            for name in types
            if name != MARK
        }
        return Signature(
            [Parameter(name, kinds[name], default=None, annotation=types[name]) for name in kinds]
        )


@dataclass_transform(frozen_default=True)
class Settings:
    """Settings by name; what is left out, or None, is as in the preset or the core's defaults.

    A name that does not exist is a `TypeError` at once. Values are checked by the core, when they
    are used.
    """

    __signature__: ClassVar[_Signature] = _Signature()

    def __init__(self, *values: Any, **named: Any) -> None:
        self.given: Config = self.accepted(values, named)

    @classmethod
    def keys(cls) -> dict[str, str]:
        """Return the key in a configuration of each setting."""
        found = {}
        for each in reversed(cls.__mro__):
            found.update({n: v.key for n, v in vars(each).items() if isinstance(v, Setting)})
        return found

    @classmethod
    def positional(cls) -> Sequence[str]:
        """Return the settings that need no name, in their order: those before ``_: KW_ONLY``."""
        declared = (list(get_annotations(each)) for each in cls.__mro__)
        return next((names[: names.index(MARK)] for names in declared if MARK in names), [])

    @classmethod
    def accepted(cls, values: Sequence[Any], named: Mapping[str, Any]) -> Config:
        """Return the settings that are given by position or by name, if they exist."""
        first = cls.positional()
        if len(values) > len(first):
            raise TypeError(
                f"{cls.__name__}: found {len(values)} values without a name, "
                f"expected at most {len(first)}"
            )
        placed = dict(zip(first, values, strict=False))
        twice = next((name for name in placed if name in named), None)
        if twice:
            raise TypeError(f"{cls.__name__}: found two values of {twice}, expected one")
        known = list(cls.keys())
        check_known(named, known, "setting", cls.__name__)
        return given(**placed, **named)

    @classmethod
    def tree(cls, given: Mapping[str, Any]) -> Config:
        """Return the sections of the configuration that settings make."""
        keys = cls.keys()
        return merge(nested(keys[name], value) for name, value in given.items())

    def config(self) -> Config:
        """Return the sections of the configuration that these settings make, only what is given."""
        return self.tree(self.given)

    def __eq__(self, other: object) -> bool:
        """Tell whether both are written alike."""
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self) -> int:
        """Return the hash of how it is written."""
        return hash(repr(self))

    def __repr__(self) -> str:
        """Text that makes the same settings."""
        return written(self, [])


def written(settings: Settings, first: Sequence[str]) -> str:
    """Return the text that makes settings, with ``first`` before what has names."""
    named = [f"{name}={value!r}" for name, value in settings.given.items()]
    return f"{type(settings).__name__}({', '.join([*first, *named])})"


def check_known(named: Iterable[str], known: Sequence[str], kind: str, owner: str) -> None:
    """Raise `TypeError` for a name that does not exist, as the core refuses an unknown key."""
    from ftlab.names import near

    unknown = next((name for name in named if name not in known), None)
    if unknown:
        meant, every = near(unknown, known), ", ".join(known) or "none"
        raise TypeError(f'unknown {kind} "{unknown}" of {owner}{meant}; known: {every}')
