"""The build of the core: *quick* to compile, or *full*, which runs faster. Results are the same."""

from ftlab._core import PROFILE, __version__

SLOWER = 3
"""How many times as long runs take in a quick build, as docs/performance.md has measured."""


def cost() -> str | None:
    """Return what the build costs; `None` for a full one."""
    if PROFILE == "full":
        return None
    return f"quick build: runs take about {SLOWER} times as long as after make release"


def version() -> str:
    """Return the version, and what the build costs."""
    quick = cost()
    return f"{__version__} ({quick})" if quick else __version__
