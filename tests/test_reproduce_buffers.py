"""``ftlab reproduce cachftl`` and ``dftl``: complete, and every claim has its row."""

import json
from importlib import import_module
from pathlib import Path

import pytest

from ftlab.experiments import cachftl, dftl
from ftlab.experiments.dftl.points import CACHED, CAPACITY, PAGE, WORKLOADS, points
from ftlab.experiments.inputs import Source, Workload, sources


def test_cachftl_is_run_with_the_settings_of_the_paper():
    volume = Source(Workload("financial1/0", ()), None, None)
    found = cachftl.EXPERIMENT.points({"financial1/0": volume})
    volumes = [key for key in found if key[0] == "financial1/0"]
    assert len(volumes) == 4 + 4 + 2 + 5 + 5 * 32 + 2
    names = {key[0] for key in found}
    assert {"sequential 90", "writes 5000000", "arrivals 50"} < names
    for claim in cachftl.EXPERIMENT.claims:
        assert claim.what and claim.where


def test_dftl_has_equal_ram_with_and_without_its_cache():
    found = points(sources(WORKLOADS, None, None))
    assert {key[0] for key in found} == {"financial1", "tpch"}
    for workload, capacity in CAPACITY.items():
        pages = capacity // PAGE
        config = found[workload, "dftl", CACHED].resolved
        directory = 4 * pages // 512
        used = config["buffer"]["size"] + config["ftl"]["cache"] + directory
        assert used == 4 * pages, "as much as the whole map"


def test_every_claim_has_a_row_of_its_own():
    names = [claim.id for claim in cachftl.EXPERIMENT.claims]
    assert sorted(names, key=lambda name: (name[0] != "C", int(name[1:]))) == [
        *(f"C{number}" for number in range(1, 31)),
        "A1",
    ]
    assert [claim.id for claim in dftl.EXPERIMENT.claims] == ["J1", "J2", "J3", "J4", "J5"]


@pytest.mark.parametrize("paper", ["cachftl", "dftl"])
def test_the_report_is_complete(paper, monkeypatch, ftlab):
    monkeypatch.setattr(import_module("ftlab.cli.reproduce"), "QUICK_REQUESTS", 400)
    for module in ("points", "claims", "parts"):
        few = import_module(f"ftlab.experiments.cachftl.{module}")
        monkeypatch.setattr(few, "THRESHOLDS", (1, 4, 32))
    done = ftlab("reproduce", paper, "--quick")
    assert done.exit_code == 0, done.output
    rows = json.loads(Path("ftlab-reproduce", paper, "claims.json").read_text("utf-8"))
    claims = (cachftl if paper == "cachftl" else dftl).EXPERIMENT.claims
    assert [row["id"] for row in rows] == [claim.id for claim in claims]
