"""Workload models from the outside: fitting, generating, running."""

import json
import os
from pathlib import Path

import pytest

import ftlab
from test_cli import failure

FITTED = [1000, pytest.param(5000, marks=pytest.mark.long)]


@pytest.mark.long
@pytest.mark.parametrize("requests", FITTED)
def test_a_fitted_model_is_a_trace(ftlab, requests):
    result = ftlab("trace", "fit", "financial1", "--requests", requests, "-o", "bank.toml")
    assert result.exit_code == 0, result.output
    assert os.listdir() == ["bank.toml"]
    assert "LRU caches of pages" in result.stderr
    info = json.loads(ftlab("trace", "info", "bank.toml", "--json").stdout)
    assert (info["requests"], info["format"]) == (requests, "generated")
    run = json.loads(ftlab("run", "bank.toml", "--requests", "8000", "--json").stdout)
    assert run["host"]["requests"] == 8000
    printed = ftlab("trace", "fit", "financial1", "--requests", requests).stdout
    assert printed == Path("bank.toml").read_text()


def test_generated_requests_depend_on_the_seed_alone(ftlab):
    for name, seed in [("a.spc", "3"), ("b.spc", "3"), ("c.spc", "4")]:
        made = ftlab(
            "trace", "generate", "financial2", "--requests", "2000", "--seed", seed, "-o", name
        )
        assert made.exit_code == 0, made.output
    a, b, c = (Path(name).read_text() for name in ("a.spc", "b.spc", "c.spc"))
    assert a.count("\n") == 2000
    assert a == b != c


def test_mistakes_are_told_in_one_line_and_leave_nothing(ftlab, trace):
    assert "at least 100" in failure(ftlab("trace", "fit", trace, "-o", "small.toml"))
    assert ".toml" in failure(ftlab("trace", "fit", "financial1", "-o", "small.txt"))
    assert "financial1" in failure(ftlab("trace", "generate", "finacial1", "-o", "a.spc"))
    Path("bad.toml").write_text("name = 1\n")
    assert "bad.toml:1" in failure(ftlab("run", "bad.toml"))
    assert os.listdir() == ["bad.toml"]


@pytest.mark.parametrize("requests", FITTED)
def test_the_same_from_python(tmp_path, requests):
    path = tmp_path / "bank.toml"
    path.write_text(ftlab.profile("financial2", requests=requests).fit())
    model = ftlab.Model(path, requests=300, seed=2)
    assert model.info().requests == 300
    assert model.info().digest != ftlab.Model(path, requests=300).info().digest
    assert ftlab.simulate(model, "dftl").host.requests == 300
    with pytest.raises(ftlab.TraceError):
        ftlab.Model(path, requests=99).fit()
