"""Names in any case, what is near them, sizes and numbers: refused in one line, or meant."""

import json
import sqlite3
import time
from pathlib import Path

import pytest

import ftlab as package
from ftlab import ConfigError, names, units
from ftlab.documents import from_toml
from ftlab.points import Failure, Point, Store, grid, points_of
from ftlab.points.order import natural
from ftlab.report import tables
from ftlab.result import Result
from test_cli import failure
from test_left_out import POINTS

SMALL = ("financial1", "--requests", "200")


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (("--cache", "4MB"), 'found "4MB", which can mean two sizes, expected 4MiB or 4000000'),
        (("--page", "8kb"), 'found "8kb", which can mean two sizes, expected 8KiB or 8000'),
        (("--over-provisioning", "inf"), 'found "inf", expected a ratio such as 15% or 0.15'),
        (("--over-provisioning", "15"), "found 15, expected 15%"),
        (("--seed", "9" * 26), f"found {'9' * 26}, expected a whole number of 64 bits"),
        (("--seed", str(2**64)), f"found {2**64}, expected a whole number of 64 bits"),
        (("--set", "device.blocks=1"), "found 1, expected at least the 4096 logical"),
        (("--preset", "tpftl"), 'unknown preset "tpftl" (did you mean "tpftl-eurosys15"?)'),
        (("--ftl", "DFTLL"), 'unknown FTL "DFTLL" (did you mean "dftl"?)'),
        (("--gc", "Gready"), 'unknown --gc "Gready" (did you mean "greedy"?)'),
    ],
)
def test_a_value_that_cannot_be_meant_is_shown_as_typed(ftlab, option, told):
    device = ("--capacity", "1GiB", "--address", "modulo")
    assert told in failure(ftlab("run", *SMALL, *device, *option))


def test_names_are_taken_in_any_case(ftlab, monkeypatch):
    typed = [
        *("Financial1", "--requests", "200", "--preset", "TPFTL-EuroSys15", "--ftl", "DFTL"),
        *("--warmup", "Footprint", "--gc", "Greedy", "--buffer", "LRU", "--host", "Closed:2"),
        *("--set", "GC.Low=3", "--set", "dftl.Replacement=LRU"),
    ]
    named = [each.lower() for each in typed]
    results = [json.loads(ftlab("run", *each, "--json").stdout) for each in (typed, named)]
    for each in results:
        del each["speed"]
    assert results[0] == results[1]
    assert ftlab("list", "ftls", "TPFTL").exit_code == 0
    Path("c.toml").write_text('ftls = "DFTL"\n[Input]\nTrace = "FINANCIAL1"\nrequests = 200\n')
    assert json.loads(ftlab("run", "--config", "c.toml", "--json").stdout)["ftl"] == "dftl"
    trace = package.profile("Financial1", requests=200)
    assert package.simulate(trace, "DFTL", gc="Greedy").ftl == "dftl"
    points = points_of({**trace.config(), "ftls": ["Page", "DFTL"], "GC": {"Policy": ["FIFO"]}})
    assert [each.ftl for each in points] == ["page", "dftl"]
    assert points[0].digest == Point("", points[0].config, "PAGE").digest


def test_a_file_goes_before_the_profile_that_is_called_so_in_another_case(ftlab, trace):
    Path("FINANCIAL1").write_bytes(trace.read_bytes())
    assert json.loads(ftlab("run", "FINANCIAL1", "--json").stdout)["trace"]["requests"] == 40


def test_a_name_that_is_near_is_suggested():
    known = ["response_us.mean", "response_us.p99", "response_us.p999", "ram_bytes"]
    assert names.near("p99", known) == ' (did you mean "response_us.p99"?)'
    assert names.near("RAM_byte", known) == ' (did you mean "ram_bytes"?)'
    both = ["buffer.hit_ratio", "mapping.hit_ratio"]
    meant = ' (did you mean "buffer.hit_ratio" or "mapping.hit_ratio"?)'
    assert names.near("hit_ratio", [*known, *both]) == meant
    assert names.near("xyz", known) == names.near("p", known) == ""


@pytest.mark.parametrize("text", ["25us", "25\u00b5s", "25\u03bcs"])
def test_micro_is_written_in_three_ways(text):
    assert units.number(text, "time") == 25_000


def test_counts_are_exact_as_far_as_they_go():
    assert units.count("9007199254740993") == 2**53 + 1
    assert units.number("4MB", "size") is None


def test_products_are_counted_before_they_are_made(ftlab):
    Path("s.toml").write_text(
        'ftls = ["tpftl"]\nworkload.pattern = "rand"\n'
        "run.seed = { from = 1, to = 1000000, step = 1 }\n"
        'device.over_provisioning = { from = "5%", to = "50%", step = "0.01%" }\n'
        'ftl.cache = { from = "1KiB", to = "1GiB", factor = 2 }\n'
    )
    start = time.process_time()
    line = failure(ftlab("sweep", "--config", "s.toml"))
    assert line.endswith("points, expected at most 1,000,000")
    line = failure(ftlab("sweep", *SMALL, "--seeds", "1e9", "--ftl", "page"))
    assert line == "error: found 1,000,000,000 points, expected at most 1,000,000"
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "found",
    [
        {"from": "5%", "to": "50%", "step": "0.01%"},
        {"from": "10%", "to": "20%", "step": "7%"},
        {"from": "1%", "to": "64%", "factor": 2},
    ],
)
def test_a_range_has_as_many_values_as_are_counted(found):
    key = "device.over_provisioning"
    assert abs(grid._length(key, found) - len(grid.values_of(key, found))) <= 1


@pytest.mark.parametrize(
    "text",
    ["[{}]\nx = 1\n", "{} = 1\n", "[[{}]]\nx = 1\n", "x = {{y = 1, {} = 1}}\n", 'a."\\"".{} = 1\n'],
)
def test_keys_of_many_parts_are_refused_at_once(ftlab, text):
    Path("c.toml").write_text(text.format(".".join(["a"] * 50_000)))
    start = time.process_time()
    line = failure(ftlab("run", "--config", "c.toml"))
    assert "nested more than 100 levels deep" in line
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "text",
    [
        "# {}\nx = 1\n",
        'x = "{} = 1"\n',
        "x = '{}'\n",
        'x = """\n{} = 1\n"""\n',
        "x = '''\n{}\n'''\n",
    ],
)
def test_text_of_many_parts_is_no_key(text):
    assert from_toml(text.format(".".join(["a"] * 200)))["x"]


def test_a_comparison_has_no_more_seeds_than_it_can_run(ftlab):
    line = failure(ftlab("compare", "financial1", "--requests", "10", "--seeds", "1e9"))
    assert line == "error: seeds: found 1000000000, expected 1 to 1000"


def test_numbers_that_json_does_not_have_name_their_setting():
    with pytest.raises(ConfigError, match=r"^run\.seed: found nan, expected a number"):
        package.simulate("financial1", config={"run": {"seed": float("nan")}})


def test_generate_takes_counts_as_other_commands_do(ftlab):
    made = ftlab("trace", "generate", "Financial1", "--requests", "1k", "-o", "a.spc")
    assert made.stdout.startswith("a.spc: 1,000 requests")
    line = failure(ftlab("trace", "generate", "financail1", "-o", "b.spc"))
    assert 'did you mean "financial1"' in line


@pytest.mark.long
def test_a_cyclic_trace_has_a_model(ftlab):
    lines = [f"0,{16 * (n % 300)},4096,r,{n / 100:.6f}\n" for n in range(400)]
    Path("cyclic.spc").write_text("".join(lines))
    fitted = ftlab("trace", "fit", "cyclic.spc")
    assert fitted.exit_code == 0, fitted.stderr


def test_results_are_in_the_order_of_numbers(ftlab):
    caches = "1MiB,16KiB,4KiB"
    sweep = ("sweep", *SMALL, "--ftl", "DFTL,page", "--cache", caches, "--results", "r")
    assert ftlab(*sweep).exit_code == 0
    rows = [line.split()[:2] for line in ftlab("results", "r").stdout.splitlines()[1:5]]
    assert rows == [["DFTL", each] for each in ("4KiB", "16KiB", "1MiB")] + [
        ["page-level", tables.ABSENT]
    ]
    chosen = ftlab("results", "r", "--where", "FTL = Dftl", "--where", "ftl.cache <= 16k", "--csv")
    assert len(chosen.stdout.splitlines()) == 3
    assert ftlab("results", "r", "--where", "mapping.hit_ratio > 99%").exit_code == 0


@pytest.mark.long
def test_labels_and_order_do_not_depend_on_who_ran_a_point_first(ftlab):
    narrow = ("--ftl", "dftl", "--cache", "8k")
    wide = ("--ftl", "dftl,page", "--cache", "8KiB,16KiB", "--seeds", "2")
    for folder, runs in [("a", [narrow, wide]), ("b", [wide, narrow])]:
        for each in runs:
            assert ftlab("sweep", *SMALL, *each, "--results", folder).exit_code == 0
    a, b = (json.loads(ftlab("results", each, "--json").stdout) for each in "ab")
    for each in (*a, *b):
        del each["result"]["speed"]
    assert a == b
    told = [ftlab("results", each).stdout for each in "ab"]
    assert told[0] == told[1]


def test_texts_are_compared_by_their_numbers():
    texts = ["a 4KiB", "a 16KiB", "a 1MiB", "a 5us", "a 1ms", "a closed:8", "a closed:16", "b 2"]
    assert sorted(reversed(texts), key=lambda each: [*natural(each)])[-1] == "b 2"
    for pair in (texts[:3], texts[3:5], texts[5:7]):
        assert sorted(reversed(pair), key=lambda each: [*natural(each)]) == pair


def test_any_name_of_a_figure_is_a_column_of_a_database(ftlab):
    point = POINTS[0]
    own = {"Hits": 1, "hits": 2, 'x"y': 3, "a\0b": 4, "big": 2**64 - 1, "e'f": "\x1b[2J"}
    result = {"ftl": "page", "config": {}, "own": own}
    Store("r").save(point, Result(result))
    assert ftlab("results", "r", "-o", "x.sqlite").exit_code == 0
    with sqlite3.connect("x.sqlite") as database:
        found = database.execute("select * from results")
        columns = [each[0] for each in found.description]
    assert columns[-6:] == [
        *("own.Hits", "own.hits_2", 'own.x"y', "own.a\\x00b", "own.big", "own.e'f"),
    ]
    Store("r").save(point, Result({**result, "own": {f"m{n}": n for n in range(2500)}}))
    line = failure(ftlab("results", "r", "-o", "y.sqlite"))
    assert "expected at most 2,000, which SQLite has columns for" in line


def test_cells_of_csv_have_no_control_characters():
    text = tables.csv_of(["a\rb"], [["\x1b[31m"], ["line\nbreak"], ["\ud800"]])
    assert text == "a\\rb\n\\x1b[31m\nline\\nbreak\n\\ud800\n"


@pytest.mark.long
def test_what_depends_on_the_clock_is_in_no_table_for_a_paper(ftlab):
    for name in ("x.tex", "x.md", "x.txt"):
        assert ftlab("compare", *SMALL, "-o", name, "--report", "x.html").exit_code == 0
        assert "simulated requests" not in Path(name).read_text()
    assert "simulated requests" not in Path("x.html").read_text()
    assert "simulated requests" in ftlab("compare", *SMALL).stdout


def test_an_own_label_stays(tmp_path):
    Store(tmp_path).save(Point("my point 10", POINTS[0].config, "page"), Failure("E", "why"))
    (entry,) = Store(tmp_path).entries()
    assert entry.label == "my point 10"


def test_a_class_whose_name_is_no_text_is_refused():
    methods = dict.fromkeys(("read", "write", "trim"), lambda *_: None)
    with pytest.raises(ConfigError, match="found a name that is not UTF-8"):
        package.PythonFtl(type("Mine", (), {**methods, "name": "\ud800"}))
