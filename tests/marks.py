"""Cases of which `make test` runs a few, and `make test-long` all."""

from collections.abc import Iterable

import pytest


def long_but(quick: Iterable[object], cases: Iterable[object]) -> list[object]:
    """Return the cases; those that are not quick are long."""
    few = list(quick)
    return [each if each in few else pytest.param(each, marks=pytest.mark.long) for each in cases]
