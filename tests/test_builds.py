"""Quick and full builds of the core: each says what it is, and both give the same results.

`make test` runs these tests with a quick build, `make test-long` with a full one. When results
change on purpose, `python tests/test_builds.py` writes their digests anew.
"""

import hashlib
import json
import re
from pathlib import Path

import pytest

from ftlab import _core, builds

ROOT = Path(__file__).parent.parent
DIGESTS = Path(__file__).parent / "builds.json"
FTLS = [each["name"] for each in json.loads(_core.catalog())["ftls"]]
SMALL = 8 << 10
LARGE = 64 << 10
CACHES = {"cdftl": SMALL, "sftl": SMALL, "zftl": SMALL, "treeftl": LARGE, "aps": LARGE}
"""Bytes of cache of the FTLs that cannot work with 2 KiB."""


def configuration(ftl: str) -> dict:
    """Return a full and aged device under reads and writes of any length."""
    return {
        "device": {"capacity": "32MiB"},
        "ftl": {"cache": CACHES.get(ftl, 2 << 10)},
        "workload": {
            "pattern": "zipf",
            "size": "32MiB",
            "bs_mix": [["2k", 1], ["4k", 3], ["16k", 1]],
            "read_share": "33%",
            "requests": 10_000,
        },
        "run": {"warmup": "random:1"},
    }


def digests() -> dict[str, str]:
    """Return a digest of all that each FTL's result has, without speed."""
    points = [(json.dumps(configuration(ftl)), ftl) for ftl in FTLS]
    found = {}
    for ftl, result in zip(FTLS, json.loads(_core.simulate(points)), strict=True):
        del result["speed"]
        found[ftl] = hashlib.sha256(json.dumps(result, sort_keys=True).encode()).hexdigest()[:16]
    return found


def test_all_builds_give_the_same_results_to_the_bit():
    assert digests() == json.loads(DIGESTS.read_text()), f"this is a {_core.PROFILE} build"


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_a_quick_build_says_so_and_what_it_costs(profile, monkeypatch):
    monkeypatch.setattr(builds, "PROFILE", profile)
    said = f"{_core.__version__} (quick build: runs take about {builds.SLOWER} times as long"
    assert builds.version().startswith(said) == (profile == "quick")
    assert (builds.version() == _core.__version__) == (profile == "full")


@pytest.mark.long
def test_the_demo_says_once_what_the_build_costs(ftlab):
    done = ftlab("demo", "--requests", "2000")
    assert done.exit_code == 0
    assert done.output.count("quick build") == (_core.PROFILE == "quick")


def test_the_cost_is_the_measured_one():
    text = (ROOT / "docs" / "performance.md").read_text("utf-8")
    assert re.search(rf"\b{builds.SLOWER} times as long\b", text)


if __name__ == "__main__":
    DIGESTS.write_text(json.dumps(digests(), indent=4) + "\n")
