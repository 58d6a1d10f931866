"""Classes written in Python: FTLs, orders of replacement, victim policies, separations, buffers.

A class has the methods of its kind. ftlab makes an instance for each device and calls them. The
class itself, or the text ``path/to/file.py:Class``, can replace any name. The name of the class may
be left out if the file has only one of that kind.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

from ftlab import cores, leaving, trust  # noqa: F401 - what is imported is left well.
from ftlab.blame import PREFIX, where, written
from ftlab.config import Config, merge
from ftlab.errors import ConfigError
from ftlab.names import ftl as named
from ftlab.names import known
from ftlab.shares import sized

METHODS: dict[str, tuple[str, ...]] = {
    "ftl": ("read", "write", "trim"),
    "replacement": ("insert", "touch", "victim", "remove"),
    "policy": ("close", "remove", "choose"),
    "separation": ("of_write", "of_move"),
    "buffer": ("insert", "touch", "evict", "remove"),
}
"""The methods that a class of each kind must have."""

INSTEAD = {"separation": "class_of_write"}
"""The method that replaces all of them."""

KINDS = {
    "ftl": "an FTL",
    "replacement": "an order of replacement",
    "policy": "a victim policy",
    "separation": "a separation",
    "buffer": "a write buffer",
}
"""The names of the kinds in messages."""

PLACES = {
    ("dftl", "replacement"): "replacement",
    ("gc", "policy"): "policy",
    ("ftl", "separation"): "separation",
    ("buffer", "policy"): "buffer",
}
"""The settings whose values may be classes, and their kinds."""

REFERENCE = re.compile(r"(?P<path>.+\.py)(:(?P<name>\w+))?", re.DOTALL)

MOST_BLOCKS = 2**32 - 1
"""The largest number of blocks."""


class Pool(NamedTuple):
    """The blocks that a victim policy chooses from, numbered from 0."""

    blocks: int
    pages_per_block: int
    seed: int


class Plugin:
    """A class of the user's with settings: the keyword arguments of its constructor."""

    kind = ""
    arguments: tuple[str, ...] = ()
    """The arguments of the constructor before the settings."""

    def __init__(self, cls: type, /, **settings: Any) -> None:
        self.cls = cls
        self.settings = settings
        cores.utf8(self.given_name)
        missing = lacking(self.kind, cls)
        if missing:
            raise ConfigError(
                f"{self.given_name}: found no method {missing[0]}, "
                f"expected {', '.join(METHODS[self.kind])}"
            )
        self._check_settings()

    def _check_settings(self) -> None:
        """Refuse settings that the constructor does not take."""
        try:
            signature = inspect.signature(self.cls)
        except (TypeError, ValueError):
            return  # A constructor that does not tell: it will refuse by itself.
        known = list(signature.parameters.values())[len(self.arguments) :]
        names = [each.name for each in known if each.kind is not each.VAR_KEYWORD]
        unknown = next((key for key in self.settings if key not in names), None)
        if unknown and len(names) == len(known):
            known_keys = ", ".join(f"{self.given_name}.{name}" for name in names) or "none"
            raise ConfigError(f'unknown key "{self.given_name}.{unknown}"; known: {known_keys}')
        try:
            signature.bind(*self.arguments, **self.settings)
        except TypeError as error:
            told = ", ".join([*self.arguments, "**settings"])
            raise ConfigError(f"{self.given_name}: {error}, expected __init__({told})") from error

    @property
    def given_name(self) -> str:
        """The class's ``name``, or its Python name."""
        return called(self.cls)

    @property
    def name(self) -> str:
        """The name in results, with the settings, which distinguish two variants of a class."""
        return str(self)

    @property
    def summary(self) -> str:
        """The first line of the class's docstring."""
        return _utf8((inspect.getdoc(self.cls) or "written in Python").partition("\n")[0])

    @property
    def source(self) -> str:
        """The file of the class; a class typed at a prompt has none."""
        try:
            return _utf8(os.path.relpath(inspect.getsourcefile(self.cls) or "Python"))
        except (TypeError, OSError):
            return "Python"

    def build(self, *arguments: Any) -> Any:
        """Return an instance of the class: the core calls this for each device."""
        return self.cls(*arguments, **self.settings)

    def _told(self, attribute: str, default: str) -> str:
        """Return a text that the class has as an attribute."""
        value = getattr(self.cls, attribute, default)
        return value if isinstance(value, str) else default

    def __reduce__(self) -> tuple[Callable[..., Plugin], tuple[Any, ...]]:
        """Return how another process makes the same plug-in: it reads the class from its file."""
        cls = self.cls
        if cls.__module__ == "__main__" or cls.__qualname__ != cls.__name__:
            raise ConfigError(
                f"{self}: found a class that other processes cannot load, expected one at the top "
                "of a file of its own, as FILE.py:CLASS or imported"
            )
        if not cls.__module__.startswith(PREFIX):
            return partial(type(self), cls, **self.settings), ()
        file = str(inspect.getsourcefile(cls))
        return partial(_loaded, type(self), file, cls.__name__, **self.settings), ()

    def __eq__(self, other: object) -> bool:
        """Return whether both make the same instances."""
        if not isinstance(other, Plugin) or type(self) is not type(other):
            return False
        return (self.cls, self.settings, self.name) == (other.cls, other.settings, other.name)

    def __hash__(self) -> int:
        """Return the hash of the class and how its settings are written."""
        return hash((self.cls, self.name))

    def __str__(self) -> str:
        """Return the name of the class, with the settings."""
        inside = ", ".join(f"{key}={value}" for key, value in self.settings.items())
        return f"{self.given_name}({inside})" if inside else self.given_name

    def __repr__(self) -> str:
        """Return the expression that makes the same plug-in."""
        named = "".join(f", {key}={value!r}" for key, value in self.settings.items())
        return f"{type(self).__name__}({self.cls.__name__}{named})"


class PythonFtl(Plugin):
    """An FTL written in Python, with settings for its constructor.

    The class has the methods ``read(pages, flash)``, ``write(pages, flash)`` and
    ``trim(pages, flash)``. ``__init__(device, **settings)`` receives the geometry of the device.
    docs/tutorial-python.md describes its optional methods.
    """

    kind = "ftl"
    arguments: tuple[str, ...] = ("device",)

    def config(self) -> Config:
        """Return the sections that this FTL adds to the configuration: none."""
        return {}

    def with_settings(self, settings: Mapping[str, Any]) -> PythonFtl:
        """Return the same FTL with more settings, which take precedence."""
        return PythonFtl(self.cls, **{**self.settings, **settings})

    @property
    def map(self) -> str:
        """Where the map lives: ``ram``, ``flash`` or ``oob``."""
        return self._told("map", "ram")

    @property
    def cleaning(self) -> str:
        """How blocks are freed: ``itself``, or ``collects`` for an FTL that keeps to ``gc.low``."""
        return self._told("cleaning", "itself")

    @property
    def program_order(self) -> str:
        """The order in which pages of a block are programmed: ``ascending`` or ``any``."""
        return self._told("program_order", "ascending")

    @property
    def opens_least_erased(self) -> bool:
        """Whether the free block with the fewest erases is opened."""
        return getattr(self.cls, "opens_least_erased", False) is True

    @property
    def spare_blocks(self) -> int | None:
        """Blocks that it needs in addition to the logical ones; None for ``gc.high`` + 1."""
        spare = getattr(self.cls, "spare_blocks", None)
        is_number = isinstance(spare, int) and not isinstance(spare, bool)
        if spare is None or (is_number and 0 <= spare <= MOST_BLOCKS):
            return spare
        raise ConfigError(
            f"{self.given_name}.spare_blocks: found {written(spare)}, "
            f"expected 0 to {MOST_BLOCKS} blocks, or None"
        )


class Replacement(Plugin):
    """An order of replacement of DFTL's cached entries."""

    kind = "replacement"
    arguments: tuple[str, ...] = ("entries",)
    base = "dftl"
    """The FTL that has the cache."""

    def under(self, base: str) -> Replacement:
        """Return the same order for the cache of this FTL."""
        order = Replacement(self.cls, **self.settings)
        order.base = base
        return order

    @property
    def name(self) -> str:
        """The name in results: that of the FTL, and the order."""
        return f"{self.base}({self})"


class Policy(Plugin):
    """A victim policy."""

    kind = "policy"
    arguments: tuple[str, ...] = ("pool",)

    def build(self, *arguments: Any) -> Any:
        """Return an instance for a pool of blocks."""
        return super().build(Pool(*arguments))


class Separation(Plugin):
    """Which pages of the host share blocks: each has a class, a number below ``classes``.

    The class has the attribute ``classes``. Its methods ``of_write(page, age)`` and
    ``of_move(page, from_class, age)`` return the class of a page. Optional methods are
    ``collected(block_class, age)`` and ``trimmed(page)``. Ages are in page writes of the host; a
    page without data has the age ``None``. ``of_write(page, age, meta)`` also receives the
    attributes of the request (:class:`ftlab.Meta`). ``spread`` is the most classes that the pages
    of one victim may go to; by default all.

    A model may instead have ``class_of_write(page, features)`` (:class:`ftlab.Features`). If moved
    pages change their class, it also has ``class_of_move(page, from_class, features)``.
    """

    kind = "separation"
    arguments: tuple[str, ...] = ("pages",)


class Buffer(Plugin):
    """A write buffer."""

    kind = "buffer"
    arguments: tuple[str, ...] = ("capacity", "pages_per_block")


CLASSES: dict[str, type[Plugin]] = {
    each.kind: each for each in (PythonFtl, Replacement, Policy, Separation, Buffer)
}

Named: TypeAlias = "str | type | Plugin"
"""A name, a class, or a plug-in."""


class Plugged:
    """Configurations and FTLs whose classes are replaced by names, and these plug-ins."""

    def __init__(self) -> None:
        self.plugins: list[Plugin] = []

    def point(self, config: Mapping[str, Any], ftl: Named) -> tuple[Config, str]:
        """Return a configuration for the core, and the name of the FTL."""
        return self.points([(config, ftl)])[0]

    def points(self, points: Iterable[tuple[Mapping[str, Any], Named]]) -> list[tuple[Config, str]]:
        """Return configurations for the core, and the names of FTLs.

        A section named like one of the classes has settings for that class alone.
        """
        trees = [
            (known(sized(config)), as_plugin("ftl", ftl) or cores.utf8(named(str(ftl))))
            for config, ftl in points
        ]
        sections = {ftl.given_name for _, ftl in trees if isinstance(ftl, PythonFtl)}
        for name in sections & cores.sections():
            raise ConfigError(
                f"FTL: found one called {name} as a section of the configuration is; "
                "give the class another `name`"
            )
        return [self._point(tree, ftl, sections) for tree, ftl in trees]

    def _point(self, tree: Config, ftl: Plugin | str, sections: set[str]) -> tuple[Config, str]:
        own = {name: _table(name, tree.pop(name, None)) for name in sorted(sections)}
        name = str(ftl)
        if isinstance(ftl, PythonFtl):
            name = self._add(ftl.with_settings(own[ftl.given_name])).name
        for (section, key), kind in PLACES.items():
            table = tree.get(section)
            found = as_plugin(kind, table.get(key)) if isinstance(table, Mapping) else None
            if isinstance(found, Replacement):
                del tree[section][key]
                name = self._under(found, name, f"{section}.{key}")
            elif found:
                tree[section][key] = self._add(found).name
        return tree, name

    def _under(self, order: Replacement, ftl: str, key: str) -> str:
        """Return the name of an FTL with this order, or unchanged if it obeys none."""
        own, foreign = cores.obeying(key)
        if ftl in own:
            return self._add(order.under(ftl)).name
        if ftl in foreign:
            raise ConfigError(f"{key}: found a class under {ftl}, expected {', '.join(own)}")
        return ftl

    def _add(self, plugin: Plugin) -> Plugin:
        """Return the plug-in, registered once."""
        if plugin not in self.plugins:
            self.plugins.append(plugin)
        return plugin


def called(cls: type) -> str:
    """Return the name of a class: its ``name``, or its Python name."""
    name = getattr(cls, "name", None)
    return name if isinstance(name, str) and name else cls.__name__


def _utf8(text: str) -> str:
    """Return a text in which a mark replaces what no core accepts."""
    return text.encode(errors="replace").decode()


def shown(value: Any) -> str:
    """Return the value of a setting for names and labels."""
    return called(value) if isinstance(value, type) else str(value)


def as_plugin(kind: str, found: Any) -> Plugin | None:
    """Return the plug-in that a value stands for, or None if it is the name of something else."""
    if isinstance(found, Plugin):
        if found.kind == kind:
            return found
        raise ConfigError(f"{found}: found {KINDS[found.kind]}, expected {KINDS[kind]}")
    if isinstance(found, type):
        return CLASSES[kind](found)
    if isinstance(found, str) and (match := REFERENCE.fullmatch(found)):
        return CLASSES[kind](load(kind, match["path"], match["name"]))
    return None


def plugged(config: Mapping[str, Any], ftl: Named) -> tuple[Config, Named]:
    """Return a configuration and an FTL with plug-ins for classes, which other processes can load.

    A text that names a file is unchanged.
    """
    tree = merge([config])
    for (section, key), kind in PLACES.items():
        table = tree.get(section)
        if isinstance(table, Mapping) and isinstance(table.get(key), type):
            tree[section][key] = CLASSES[kind](table[key])
    return tree, PythonFtl(ftl) if isinstance(ftl, type) else ftl


def _loaded(plugin: type[Plugin], path: str, name: str, /, **settings: Any) -> Plugin:
    """Return the plug-in of a class in a file."""
    return plugin(load(plugin.kind, path, name), **settings)


def lacking(kind: str, cls: type) -> list[str]:
    """Return the methods that a class lacks for a kind."""
    if callable(getattr(cls, INSTEAD.get(kind, ""), None)):
        return []
    return [each for each in METHODS[kind] if not callable(getattr(cls, each, None))]


def load(kind: str, path: str, name: str | None = None) -> type:
    """Return the class ``name`` of a file, or the only one with the methods of a kind."""
    module = _module(path)
    if name:
        found = getattr(module, name, None)
        if isinstance(found, type):
            return found
        raise ConfigError(f"{path}: found no class {name}, expected one")
    own = [each for each in vars(module).values() if isinstance(each, type)]
    own = [each for each in own if each.__module__ == module.__name__]
    fitting = [each for each in own if not lacking(kind, each)]
    if len(fitting) == 1:
        return fitting[0]
    names = ", ".join(each.__name__ for each in fitting) or "none"
    raise ConfigError(
        f"{path}: found {len(fitting)} classes with {', '.join(METHODS[kind])} ({names}), "
        f"expected one, or {path}:CLASS"
    )


def _table(name: str, section: Any) -> Mapping[str, Any]:
    """Return a section of settings for a class, or an empty one."""
    if section is None or isinstance(section, Mapping):
        return section or {}
    raise ConfigError(f"{name}: found {section!r}, expected settings by their keys")


def _module(path: str) -> ModuleType:
    """Return the module in a file, reloaded if the file has changed."""
    from hashlib import sha256

    trust.check(path)
    file = Path(path)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    return _executed(file.resolve(), sha256(content).hexdigest())


@cache
def _executed(path: Path, digest: str) -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    name = f"{PREFIX}{path.stem}_{digest[:12]}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{path}: found a file that Python cannot load")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        line = where(error)
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):
            raise
        told = f"{os.path.relpath(path)}: cannot be loaded: {type(error).__name__}: {error}"
        raise ConfigError(f"{told} ({line})" if line else told) from error
    return module


def resolved(config: Mapping[str, Any], ftl: Named = "page", *others: Named) -> Config:
    """Return a configuration with all defaults; raises `ftlab.ConfigError` if it is invalid.

    It is that of ``ftl`` in a run together with ``others``.
    """
    plugged = Plugged()
    tree, name = plugged.points([(config, each) for each in (ftl, *others)])[0]
    core = cores.core_of(tree, name, plugged.plugins)
    answer: Config = json.loads(core.resolve(json.dumps(tree), plugged.plugins))
    return answer


def run(how: str, config: Mapping[str, Any], ftl: Named, *arguments: Any) -> Any:
    """Run a point by a function of the core that has its FTL, as ``crash``; return the answer.

    The function gets the point, these ``arguments``, and the plug-ins.
    """
    plugged = Plugged()
    tree, name = plugged.point(config, ftl)
    function = getattr(cores.core_of(tree, name, plugged.plugins), how)
    return json.loads(function((json.dumps(tree), name), *arguments, plugged.plugins))
