"""FTLs as Python objects: a name and settings. Those with a class are in `ftlab._settings`."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

from ftlab import cores, names, variants
from ftlab.config import Config, given
from ftlab.documents import value
from ftlab.errors import ConfigError
from ftlab.plugins import Named, PythonFtl, as_plugin, shown
from ftlab.settings import Settings, written


class Ftl(Settings):
    """A flash translation layer by its name (``ftlab list ftls``), for example ``Ftl("tpftl")``.

    ``Ftl("tpftl", "8KiB", threshold=4)`` runs as ``TPFTL("8KiB", threshold=4)`` does: it takes the
    settings of that class. A wrong name of an FTL is a `ConfigError` at run time.
    """

    classes: ClassVar[dict[str, type[NamedFtl]]] = {}

    def __init__(self, name: str, /, *values: Any, **settings: Any) -> None:
        self.name: str = names.ftl(name)
        name = self.name
        if name not in self.classes:
            import_module("ftlab._settings")
        if name not in self.classes:
            cores.plugins()  # Their packages declare classes, too.
        known = self.classes.get(name)
        accepted = known.accepted(values, settings) if known else given(**settings)
        self.given: Config = accepted

    def config(self) -> Config:
        """Return the sections of the configuration that these settings make, only what is given."""
        known = self.classes.get(self.name)
        if known:
            return known.tree(self.given)
        plugin = as_plugin("ftl", self.name)
        section = plugin.given_name if plugin else self.name
        is_known = plugin or cores.have(self.name)
        return {section: dict(self.given)} if self.given and is_known else {}

    def __str__(self) -> str:
        """Name and whatever was set, to tell two variants of one FTL apart."""
        inside = ", ".join(f"{name}={shown(value)}" for name, value in self.given.items())
        return f"{self.name}({inside})" if inside else self.name

    def __repr__(self) -> str:
        """Text that makes the same FTL."""
        return written(self, [repr(self.name)])


class NamedFtl(Ftl):
    """An FTL whose class says its name and its settings."""

    registered: ClassVar[str]

    def __init_subclass__(cls) -> None:
        """Make the settings known to `Ftl`."""
        cls.classes[cls.registered] = cls

    @classmethod
    def keys(cls) -> dict[str, str]:
        """Return the keys of the settings; those of a separation are known by their keys."""
        found = super().keys()
        if "ftl.separation" in found.values():
            separations = cores.own_catalogue()["separations"]
            found |= {rule["key"]: rule["key"] for each in separations for rule in each["settings"]}
        return found

    def __init__(self, *values: Any, **settings: Any) -> None:
        super().__init__(self.registered, *values, **settings)

    def __repr__(self) -> str:
        """Text that makes the same FTL."""
        return written(self, [])


def as_ftl(ftl: Ftl | Named) -> Ftl | PythonFtl:
    """Return ``ftl`` itself, the FTL of that name, or the one that a class of the user's is.

    A text may have settings behind the name (`ftlab.variants`).
    """
    if isinstance(ftl, Ftl):
        return ftl
    name, settings = variants.split(ftl) if isinstance(ftl, str) else ("", {})
    if settings:
        return _variant(name, {key: value(text) for key, text in settings.items()})
    plugin = as_plugin("ftl", ftl)
    return plugin if isinstance(plugin, PythonFtl) else Ftl(str(ftl))


def own(ftl: Named) -> tuple[Named, Config]:
    """Return what a point calls an FTL, and the sections of the settings in its text."""
    name, settings = variants.split(ftl) if isinstance(ftl, str) else (ftl, {})
    if not settings:
        return ftl, {}
    found = as_ftl(ftl)
    if isinstance(found, PythonFtl):
        return name, {found.given_name: found.settings}
    return found.name, found.config()


def _variant(name: str, settings: Config) -> Ftl | PythonFtl:
    """Return an FTL with settings, by the names of its class or by their keys."""
    plugin = as_plugin("ftl", name)
    if isinstance(plugin, PythonFtl):
        return plugin.with_settings(settings)
    known = Ftl(name)
    keys = known.classes[known.name].keys() if known.name in known.classes else {}
    names_of = {key: setting for setting, key in keys.items()}
    try:
        return Ftl(name, **{names_of.get(key, key): value for key, value in settings.items()})
    except TypeError as error:
        raise ConfigError(str(error)) from error
