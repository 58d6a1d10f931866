"""A configuration as a file, a result that is run again, and numbers as people write them."""

import gzip
import json
from pathlib import Path

import pytest

from ftlab import catalog
from ftlab.documents import from_json
from ftlab.plugins import resolved
from ftlab.units import count, kinds, number, written
from marks import long_but
from test_cli import failure

SMALL = (
    *("--workload", "randrw,bs=4k,size=4MiB,requests=500"),
    *("--capacity", "4MiB", "--pages-per-block", "16"),
)
FTLS = [ftl.name for ftl in catalog().ftls]
PRESETS = [preset.name for preset in catalog().presets]


def figures(text: str):
    tree = json.loads(text)
    for each in tree if isinstance(tree, list) else [tree]:
        del each["speed"]
    return tree


@pytest.mark.parametrize("verb", ["run", "compare"])
def test_what_is_printed_runs_and_is_the_same_run(ftlab, verb):
    options = (*SMALL, "--ftl", "tpftl" if verb == "run" else "dftl,fast,page", "--gc", "fifo")
    printed = ftlab(verb, *options, "--print-config")
    assert printed.exit_code == 0, printed.output
    Path("my.toml").write_text(printed.stdout)
    again = ftlab(verb, "--config", "my.toml", "--json")
    assert again.exit_code == 0, again.output
    assert figures(again.stdout) == figures(ftlab(verb, *options, "--json").stdout)
    assert ftlab(verb, "--config", "my.toml", "--print-config").stdout == printed.stdout


@pytest.mark.parametrize("ftl", long_but(FTLS[::6], FTLS))
def test_the_file_of_each_ftl_says_what_it_obeys(ftlab, ftl):
    options = ("run", *SMALL, "--ftl", ftl)
    Path("my.toml").write_text(ftlab(*options, "--print-config").stdout)
    told = [
        json.loads(ftlab(*each, "--print-config", "--json").stdout)
        for each in (options, ("run", "--config", "my.toml"))
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize("preset", long_but(PRESETS[::4], PRESETS))
def test_the_file_of_each_preset_is_the_same_configuration(ftlab, preset):
    options = ("run", "financial1", "--preset", preset, "--ftl", "dftl")
    Path("my.toml").write_text(ftlab(*options, "--print-config").stdout)
    told = [
        json.loads(ftlab(*each, "--print-config", "--json").stdout)
        for each in (options, ("run", "--config", "my.toml"))
    ]
    assert told[0] == told[1]


def test_options_are_stronger_than_the_file(ftlab, trace):
    Path("my.toml").write_text(
        'ftls = ["dftl"]\nworkload.size = "4MiB"\nworkload.requests = "1k"\nrun.seed = 3\n'
    )
    config = json.loads(ftlab("run", "--config", "my.toml", "--print-config", "--json").stdout)
    assert (config["workload"]["requests"], config["run"]["seed"]) == (1000, 3)
    chosen = ("run", "--config", "my.toml", "--print-config", "--json")
    config = json.loads(ftlab(*chosen, "--seed", "4", "--requests", "2e3").stdout)
    assert (config["workload"]["requests"], config["run"]["seed"]) == (2000, 4)
    config = json.loads(ftlab(*chosen, trace, "--requests", "7").stdout)
    assert config["input"]["requests"] == 7
    assert config["workload"]["requests"] is None
    shown = ftlab("compare", "--config", "my.toml", "--ftl", "page,dftl", "--json")
    assert [each["ftl"] for each in json.loads(shown.stdout)] == ["page", "dftl"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ftl = [", "my.toml: is not TOML: "),
        ("run.seed = nan", 'my.toml: "run.seed": found nan'),
        ("input.from = 2020-01-01", 'my.toml: "input.from": found 2020-01-01'),
        ("[gc]\nlwo = 3", 'did you mean "'),
        ('ftls = ["page", "dftl"]', "run takes one FTL, found page, dftl"),
    ],
)
def test_a_mistake_in_a_file_is_one_line(ftlab, text, told):
    Path("my.toml").write_text(text)
    assert told in failure(ftlab("run", *SMALL, "--config", "my.toml"))
    assert "none.toml: cannot be read" in failure(ftlab("run", *SMALL, "--config", "none.toml"))


def test_a_result_is_run_again(ftlab):
    assert ftlab("run", *SMALL, "--ftl", "dftl", "--json", "-o", "r.json").exit_code == 0
    same = ftlab("run", "--from", "r.json", "--json")
    assert same.exit_code == 0, same.output
    assert "bit-equal" in same.stderr
    assert figures(same.stdout) == figures(Path("r.json").read_text())
    tree = json.loads(Path("r.json").read_text())
    tree["flash"]["erases"]["data"] = 4711
    Path("r.json").write_text(json.dumps([tree]))
    other = ftlab("run", "--from", "r.json")
    assert other.exit_code == 1
    assert "different: flash.erases.data: was 4711" in other.stderr
    assert "found --seed, expected no other option" in failure(
        ftlab("run", "--from", "r.json", "--seed", "2")
    )
    Path("r.json").write_text("{}")
    assert "r.json: found no result" in failure(ftlab("run", "--from", "r.json"))


def test_every_point_of_a_folder_can_be_run_again(ftlab):
    assert ftlab("sweep", *SMALL, "--ftl", "dftl,fast").exit_code == 0
    for path in Path("ftlab-results").iterdir():
        again = ftlab("run", "--from", path)
        assert (again.exit_code, "bit-equal" in again.stderr) == (0, True)


DEEP = [150, 450, 990, 1500, 200_000]
"""Levels: more than any configuration has, than the core, TOML's reader and JSON's take."""
MINIMIZE = ("--minimize", "response_us.mean")
NESTED = "nested more than 100 levels deep"


@pytest.mark.parametrize("levels", DEEP)
def test_what_is_nested_too_deeply_is_told_in_a_line(ftlab, levels):
    text = "[" * levels + "]" * levels
    result = f'{{"ftl": "page", "config": {text}}}'
    for name, json_text in (("lists", text), ("result", result), ("open", "[" * levels)):
        Path(f"{name}.json").write_text(json_text)
        Path(f"{name}.json.gz").write_bytes(gzip.compress(json_text.encode()))
        for path in (f"{name}.json", f"{name}.json.gz"):
            for command in (("run", "--from"), ("model", "translation")):
                line = failure(ftlab(*command, path))
                assert path in line
                assert NESTED in line or (name == "open" and "Expecting value" in line)
    Path("lists.toml").write_text(f"ftls = {text}")
    Path("tables.toml").write_text(f"[tune]\n[{'.'.join(['a'] * min(levels, 2000))}]\nb = 1")
    for path in ("lists.toml", "tables.toml"):
        assert f"{path}: found" in failure(ftlab("run", *SMALL, "--config", path))
        assert f"{path}: found" in failure(ftlab("sweep", *SMALL, "--config", path))
        assert path in failure(ftlab("replay", path))
        assert path in failure(ftlab("tune", path, *MINIMIZE))


def test_a_hundred_levels_are_not_too_many():
    for inside in ("", "1"):
        assert from_json("[" * 100 + inside + "]" * 100)
        with pytest.raises(ValueError, match="more than 100 levels deep"):
            from_json("[" * 101 + inside + "]" * 101)


@pytest.mark.parametrize("levels", [150, 450, 990, 1500, 20_000])
def test_so_are_values_of_the_command_line(ftlab, levels):
    text = "[" * levels + "]" * levels
    for verb in ("run", "sweep"):
        assert "gc.low" in failure(ftlab(verb, *SMALL, "--set", f"gc.low={text}"))
        line = failure(ftlab(verb, *SMALL, "--set", f"{'a.' * levels}b=1"))
        assert "is not a dotted key such as `gc.policy`" in line
    failure(ftlab("run", *SMALL, "--set", f"gc.low={'9' * levels}"))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"hello", "Expecting value"),
        (b"\xff", "can't decode byte"),
        (gzip.compress(b"[]", mtime=0)[:12], "found a damaged file"),
        (gzip.compress(b"[]", mtime=0)[:-4] + b"oops", "found a damaged file"),
        (b"\x1f\x8b" + bytes(40), "found a damaged file"),
        (b"[]", "found 0 results, expected one"),
        (b"7", "found no result of a run"),
        (b'{"result": 5}', "found no result of a run"),
        (b'{"config": 5, "ftl": "page"}', "found no result of a run"),
        (b'{"config": {}, "ftl": 5}', "found no result of a run"),
    ],
)
def test_what_is_no_result_is_told(ftlab, content, told):
    Path("r.json").write_bytes(content)
    line = failure(ftlab("run", "--from", "r.json"))
    assert line.startswith("error: r.json: ")
    assert told in line


@pytest.mark.parametrize("text", ["1M", "1e6", "1,000,000", "1_000_000", "1000k", "1000000"])
def test_counts_are_as_people_write_them(ftlab, text):
    chosen = ("run", "financial1", "--requests", text, "--print-config", "--json")
    assert json.loads(ftlab(*chosen).stdout)["input"]["requests"] == 1_000_000
    if "," not in text:
        found = ftlab("run", "--workload", f"rand,requests={text}", "--print-config", "--json")
        assert json.loads(found.stdout)["workload"]["requests"] == 1_000_000
    given = ("run", "financial1", "--set", f"run.seed={text}", "--print-config", "--json")
    assert json.loads(ftlab(*given).stdout)["run"]["seed"] == 1_000_000


def test_a_wrong_count_is_told(ftlab):
    for text in ("0", "-1", "many", "1.5", "1MiB"):
        line = failure(ftlab("run", "financial1", "--requests", text))
        assert f"found {text}, expected a count" in line


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("ftl.cache", "8KiB"),
        ("ftl.cache", "4k"),
        ("ftl.cache", "1.5MiB"),
        ("ftl.cache", "77"),
        ("device.read", "25us"),
        ("device.read", "1.5ms"),
        ("device.read", "100"),
        ("input.until", "2h30m"),
        ("device.over_provisioning", "15%"),
        ("device.over_provisioning", "0.07"),
        ("device.over_provisioning", "150%"),
        ("gc.low", "3"),
    ],
)
def test_units_are_read_as_the_core_reads_them(key, text):
    section, name = key.split(".")
    value = int(text) if kinds()[key] == "count" else text
    told = resolved({section: {name: value}})[section][name]
    found = number(text, kinds()[key])
    assert found == (number(told, "ratio") if isinstance(told, str) else told)
    assert number(written(found, kinds()[key]), kinds()[key]) == found


def test_what_is_no_number_stays_what_it_is():
    assert [count(each) for each in ("8KiB", "abc", None, True, 1.5, "1,00")] == [
        *("8KiB", "abc", None, True, 1.5, "1,00")
    ]
    assert number("5 parsecs", "time") is None
