"""Settings in Python: each goes to the section that the catalogue says, or is refused at once."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ftlab
from ftlab import _core, _settings
from ftlab.settings import Setting

ROOT = Path(__file__).parent.parent
CATALOG = ftlab.catalog()
CLASSES = {name: getattr(_settings, name) for name in _settings.__all__}
SEPARATIONS = {rule.key for each in CATALOG.separations for rule in each.settings}
FTLS = {each.registered: each for each in CLASSES.values() if issubclass(each, ftlab.Ftl)}


@pytest.mark.parametrize(
    ("settings", "config"),
    [
        (ftlab.MNFTLHybrid(rows=2), {"mnftl": {"rows": 2}}),
        (ftlab.MNFTLHybrid(slc_blocks=2), {"mnftl-hybrid": {"slc_blocks": 2}}),
        (ftlab.MNFTL(cache="1KiB"), {"mnftl": {"cache": "1KiB"}}),
        (ftlab.DLOOP(copy_back="in-order"), {"gc": {"copy_back": "in-order"}}),
        (ftlab.DLOOPHot(protected=0.5), {"dftl": {"protected": 0.5}}),
        (ftlab.TPFTLAdaptive(node_bytes=0), {"tpftl": {"node_bytes": 0}}),
        (
            ftlab.TPFTL("8KiB", placement="striped"),
            {"ftl": {"cache": "8KiB", "placement": "striped"}},
        ),
        (ftlab.BAST(log_blocks=8), {"log": {"blocks": 8}}),
        (ftlab.Ftl("dloop", "8KiB", gc_low=4), {"ftl": {"cache": "8KiB"}, "gc": {"low": 4}}),
        (ftlab.GC("greedy", low=4), {"gc": {"policy": "greedy", "low": 4}}),
        (ftlab.Device(page=None, capacity="1MiB"), {"device": {"capacity": "1MiB"}}),
        (
            ftlab.Workload("randrw", "8k", streams=2),
            {"workload": {"pattern": "randrw", "bs": "8k", "streams": 2}},
        ),
        (ftlab.read_trace("a.spc", from_="1h"), {"input": {"trace": "a.spc", "from": "1h"}}),
        (ftlab.Trace("a.spc", skip=3), {"input": {"trace": "a.spc", "skip": 3}}),
        (ftlab.Block(), {}),
    ],
    ids=repr,
)
def test_a_setting_goes_to_the_section_of_its_key(settings, config):
    assert settings.config() == config


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ftlab.DFTL(evict_bach=True),
            'unknown setting "evict_bach" of DFTL (did you mean "evict_batch"?); known: cache, ',
        ),
        (lambda: ftlab.Ftl("dftl", zones=4), 'unknown setting "zones" of DFTL; known: cache, '),
        (lambda: ftlab.Device(chanels=8), 'of Device (did you mean "channels"?); known: capacity'),
        (lambda: ftlab.Workload("rand", blocksize=8), 'unknown setting "blocksize" of Workload'),
        (lambda: ftlab.Block(cache=1), 'unknown setting "cache" of Block; known: log_map'),
        (
            lambda: ftlab.TPFTL("1k", "2k"),
            "TPFTL: found 2 values without a name, expected at most 1",
        ),
        (lambda: ftlab.TPFTL("1k", cache="2k"), "TPFTL: found two values of cache, expected one"),
    ],
)
def test_a_wrong_name_is_refused_when_it_is_written(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert message in str(caught.value)


def test_a_name_of_no_ftl_is_left_to_the_core():
    with pytest.raises(ftlab.ConfigError, match='unknown FTL "tpftll"'):
        ftlab.simulate(ftlab.Workload(requests=1), ftlab.Ftl("tpftll", x=1))


@pytest.mark.parametrize("ftl", CATALOG.ftls, ids=lambda ftl: ftl.name)
def test_the_class_of_an_ftl_has_all_settings_that_it_obeys(ftl):
    keys, obeyed = set(FTLS[ftl.name].keys().values()), {each.key for each in ftl.settings}
    assert keys == obeyed | (SEPARATIONS if "ftl.separation" in obeyed else set())


def test_every_setting_is_an_argument_of_a_class():
    keys = {key for each in CLASSES.values() for key in each.keys().values()}
    assert {each.key for each in CATALOG.settings} == keys


def test_settings_are_values():
    first, second = ftlab.TPFTL("8KiB", threshold=4), ftlab.TPFTL(cache="8KiB", threshold=4)
    assert first == second
    assert hash(first) == hash(second)
    assert first != ftlab.TPFTL("8KiB")
    assert (first.cache, first.threshold, first.features) == ("8KiB", 4, None)
    assert repr(ftlab.Device(page=4096)) == "Device(page=4096)"
    assert str(first) == "tpftl(cache=8KiB, threshold=4)"
    with pytest.raises(AttributeError, match="does not change"):
        first.cache = 1
    assert isinstance(ftlab.TPFTL.cache, Setting)


def test_sections_can_be_given_to_a_run():
    setup = {"gc": ftlab.GC("fifo"), "host": ftlab.Host("closed:2"), "run": ftlab.Run(seed=9)}
    result = ftlab.simulate(
        ftlab.Workload("randwrite", size="4MiB", requests=100),
        "page",
        ftlab.Device(pages_per_block=16),
        buffer=ftlab.Buffer("lru", size="64KiB"),
        **setup,
    )
    assert result.config.gc.policy == "fifo"
    assert result.config.host.mode == "closed:2"
    assert result.config.buffer.size == 64 << 10
    assert result.seed == 9


def test_read_trace_takes_every_setting_of_an_input():
    arguments = set(inspect.signature(ftlab.read_trace).parameters) - {"path"}
    assert arguments == set(ftlab.Trace.keys()) - {"trace"}


def test_help_shows_names_types_and_defaults():
    assert str(inspect.signature(ftlab.KAST)) == (
        "(*, associativity: 'int | None' = None, sequential: 'Quantity | None' = None, "
        "power_safe: 'bool | None' = None, log_blocks: 'int | None' = None, "
        "log_map: 'LogMap | None' = None)"
    )
    words = " ".join(ftlab.KAST.__doc__.split())
    assert "Default: 8. Unit: blocks. Range: at least 1. Source: choices.md#kast-rules." in words


def test_the_generated_files_are_those_of_the_catalogue():
    command = [sys.executable, "tools/settings.py", "--check"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_wrong_name_is_found_by_mypy(tmp_path):
    lines = [
        "import ftlab",
        'ftlab.TPFTL("8KiB", placement="striped")',
        "ftlab.DFTL(evict_bach=True)",
        'ftlab.DFTL(replacement="slru")',
        "ftlab.Device(512)",
        "ftlab.Device(capacity=512)",
        "ftlab.Block(cache=1)",
        'ftlab.Workload("randwrite", bs="4k", blocksize=1)',
        "ftlab.Device(page=4096).page = 512",
    ]
    path = tmp_path / "wrong.py"
    path.write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(path)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    found = re.findall(r"wrong\.py:(\d+): error: .*\[(.*)\]", told)
    assert found == [
        ("3", "call-arg"),
        ("4", "arg-type"),
        ("5", "call-arg"),
        ("7", "call-arg"),
        ("8", "call-arg"),
        ("9", "misc"),
    ], told


def test_the_core_knows_every_default_section():
    resolved = json.loads(_core.resolve("{}"))
    keys = {f"{name}.{key}" for name, table in resolved.items() if table for key in table}
    assert {each.key for each in CATALOG.settings} == keys
