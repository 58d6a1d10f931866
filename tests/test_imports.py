"""What the package offers by name, and what its command imports before it can begin."""

import json
import pkgutil
import subprocess
import sys

import pytest

import ftlab
from ftlab import api

UNNEEDED = {"ftlab.api", "ftlab._settings", "numpy", "matplotlib", "pandas", "rich", "hashlib"}


def imported(statement: str) -> set[str]:
    """Return the modules that a fresh interpreter has after a statement."""
    program = f"import json, sys\n{statement}\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    ("statement", "unneeded"),
    [
        ("from ftlab.__main__ import main", {"click", "typing", *UNNEEDED}),
        ("import ftlab.cli.run, ftlab.cli.compare", UNNEEDED),
        (
            "from ftlab.cli import program\n"
            "line = ['run', '--workload', 'randwrite,requests=100', '--json']\n"
            "try: program(line)\nexcept SystemExit as end: assert not end.code",
            UNNEEDED,
        ),
    ],
)
def test_the_command_begins_without_what_it_does_not_need(
    statement: str, unneeded: set[str]
) -> None:
    assert imported(statement) & unneeded == set()


def test_the_package_offers_every_name_of_its_interface() -> None:
    assert all(getattr(ftlab, name) is getattr(api, name) for name in ftlab.__all__)
    assert set(ftlab.__all__) <= set(dir(ftlab))
    everything: dict[str, object] = {}
    exec("from ftlab import *", everything)
    assert set(ftlab.__all__) <= set(everything)


def test_no_module_hides_a_name_of_the_interface() -> None:
    modules = {each.name for each in pkgutil.iter_modules(ftlab.__path__)}
    assert modules & set(api.__all__) == {"model"}, "which is offered as a module"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'ftlab' has no attribute 'simulat'"):
        _ = ftlab.simulat  # type: ignore[attr-defined]
    with pytest.raises(ImportError):
        exec("from ftlab import simulat")
