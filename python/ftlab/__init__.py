"""A laboratory for flash translation layers: any FTL on one checked NAND model.

>>> import ftlab
>>> trace = ftlab.Workload("randwrite", bs="4k", size="64MiB", requests=2000)
>>> result = ftlab.simulate(trace, ftl=ftlab.TPFTL(cache="1KiB"))
>>> result.checks.violations
0
"""

from __future__ import annotations

TYPE_CHECKING = False  # As `typing` has it, which takes a while to import.

if TYPE_CHECKING:
    from ftlab._settings import *  # noqa: F403
    from ftlab.api import *  # noqa: F403
    from ftlab.api import __all__ as __all__
else:

    def __getattr__(name: str) -> object:
        """Return a module of the package, or what `ftlab.api` has by this name.

        The command line takes modules alone, and so begins without what it does not need.
        """
        from importlib import import_module
        from importlib.util import find_spec

        if name.isidentifier() and find_spec(f"{__name__}.{name}"):
            return import_module(f"{__name__}.{name}")
        api = import_module("ftlab.api")
        if name != "__all__" and name not in api.__all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(api, name)
        return found

    def __dir__() -> list[str]:
        """List what the package offers."""
        from ftlab import api

        return sorted({*globals(), *api.__all__})
