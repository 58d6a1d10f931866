"""Data that names Python does not run it, unless the command says so."""

import gzip
import json
from pathlib import Path

import pytest

from test_cli import failure

SMALL = (
    *("--workload", "randwrite,bs=4k,size=2MiB,requests=300"),
    *("--capacity", "4MiB", "--pages-per-block", "16"),
)

POLICY = """
from pathlib import Path

Path("ran").touch()

class First:
    def __init__(self, pool):
        self.closed = []
    def close(self, block, valid, now):
        self.closed.append(block)
    def remove(self, block, valid):
        self.closed.remove(block)
    def choose(self, now):
        return self.closed[0] if self.closed else None
"""

DATA = {
    "run --from": "run --from result.json",
    "run --from a stored result": "run --from stored.json.gz",
    "run --config": "run --config config.toml",
    "run --print-config": "run --config config.toml --print-config --json",
    "compare --config": "compare --config config.toml --ftl page,dftl",
    "watch --config": "watch --config config.toml --every 100",
    "load --config": "load --config config.toml --depths 1 --loads 50%",
    "sweep --config": "sweep --config config.toml",
    "sweep --config, an FTL": "sweep --config ftl.toml",
    "tune FILE": "tune tune.toml --trials 2",
    "run --config, an FTL": "run --config ftl.toml",
}


@pytest.fixture
def data(ftlab, trace) -> Path:
    """A folder with files that name Python beside them, which says that it ran."""
    folder = Path.cwd()
    (folder / "evil.py").write_text(POLICY)
    printed = ftlab("run", *SMALL, "--ftl", "page", "--json").stdout
    result = json.loads(printed)
    result["config"]["gc"]["policy"] = "evil.py"
    (folder / "result.json").write_text(json.dumps(result))
    stored = {"result": result, "config": result["config"], "ftl": "page"}
    (folder / "stored.json.gz").write_bytes(gzip.compress(json.dumps(stored).encode()))
    source = f'[input]\ntrace = "{trace}"\n[device]\ncapacity = "4MiB"\npages_per_block = 16\n'
    (folder / "config.toml").write_text(f'ftls = ["page"]\n{source}[gc]\npolicy = "evil.py"\n')
    (folder / "ftl.toml").write_text(f'ftls = ["evil.py"]\n{source}')
    tuned = '[tune]\nminimize = ["response_us.mean"]\n[gc]\npolicy = ["evil.py", "evil.py:First"]\n'
    (folder / "tune.toml").write_text(f'ftls = ["page"]\n{source}{tuned}')
    columns = 'format = "csv"\ncolumns = "time=time:ns,offset=offset,length=length,op=op"\n'
    session = source.replace("[device]", f"{columns}[device]").replace(str(trace), "s.csv")
    (folder / "session.toml").write_text(f'ftls = ["page"]\n{session}[gc]\npolicy = "evil.py"\n')
    (folder / "s.csv").write_text("time,offset,length,op\n0,0,4096,w\n")
    return folder


@pytest.mark.parametrize("what", DATA)
def test_data_that_names_python_does_not_run_it(ftlab, data, what):
    line = failure(ftlab(*DATA[what].split()))
    assert "evil.py: is Python that would be run" in line
    assert "--trust" in line
    assert not (data / "ran").exists()
    assert not list(data.rglob("ftlab-results/*.gz")), "nothing is kept of it"


@pytest.mark.parametrize("verb", ["replay", "serve --image image --socket s --config"])
def test_live_devices_run_no_python_at_all(ftlab, data, verb):
    assert "evil.py" in failure(ftlab(*verb.split(), "session.toml"))
    assert not (data / "ran").exists()


@pytest.mark.parametrize("what", ["run --config", "run --from", "sweep --config"])
def test_python_is_run_where_the_command_trusts_what_it_reads(ftlab, data, what):
    ftlab(*DATA[what].split(), "--trust")
    assert (data / "ran").exists()


NAMED = {
    "a file": ("--gc", "evil.py"),
    "a class": ("--gc", "./evil.py:First"),
    "a path": ("--gc", "{}/evil.py"),
    "quoted": ("--set", 'gc.policy="evil.py:First"'),
}


@pytest.mark.parametrize("named", NAMED.values(), ids=NAMED)
def test_python_that_the_command_names_is_run(ftlab, data, named):
    option, value = named
    found = ftlab("run", *SMALL, "--ftl", "page", option, value.format(data))
    assert found.exit_code == 0, found.stderr
    assert (data / "ran").exists()


def test_what_the_command_names_may_be_in_data_too_and_nothing_else(ftlab, data):
    named = ("--set", "gc.policy=evil.py:First")
    found = ftlab("run", "--config", "config.toml", *named)
    assert found.exit_code == 0, found.stderr
    (data / "other.py").write_text(POLICY.replace("ran", "other ran"))
    (data / "other.toml").write_text('[gc]\npolicy = "other.py"\n')
    line = failure(ftlab("run", *SMALL, "--ftl", "evil.py,page", "--config", "other.toml"))
    assert "error: " in line
    assert not (data / "other ran").exists()


def test_a_command_that_trusts_is_the_only_one(ftlab, data):
    ftlab("run", "--config", "config.toml", "--trust")
    (data / "ran").unlink()
    (data / "evil.py").write_text(POLICY + "# changed\n")
    failure(ftlab("run", "--config", "config.toml"))
    assert not (data / "ran").exists()
