"""The command line on the real core: what it prints where, and with which exit code."""

import csv
import io
import json
import os
import re
from itertools import pairwise
from pathlib import Path

import pytest

from ftlab import _core, catalog, errors
from ftlab.cli import GROUPS, program
from ftlab.cli.listing import KINDS
from ftlab.cli.options import MODEL
from ftlab.cli.words import OPTIONS, translated

WORKLOAD = ("--workload", "randwrite,bs=4k,size=4MiB,requests=3000")
DEVICE = ("--capacity", "4MiB", "--pages-per-block", "16", "--cache", "1KiB")
GENERATED = (*WORKLOAD, *DEVICE)


def failure(result, code=2) -> str:
    """Return the one line on standard error of a command that failed as it should."""
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    return line


def test_run_summarises_one_layer(ftlab):
    result = ftlab("run", *GENERATED, "--ftl", "dftl")
    assert result.exit_code == 0, result.output
    for part in ("DFTL", "4 MiB", "write amplification", "hit ratio", "p99", " 0 violations"):
        assert part in result.stdout


def test_run_prints_json_and_nothing_else(ftlab):
    result = ftlab("run", *GENERATED, "--json")
    figures = json.loads(result.stdout)
    assert figures["ftl"] == "tpftl"
    assert figures["host"]["requests"] == 3000
    assert figures["checks"]["violations"] == 0


def test_run_prints_one_csv_row(ftlab):
    (row,) = csv.DictReader(io.StringIO(ftlab("run", *GENERATED, "--csv").stdout))
    assert float(row["write_amplification"]) >= 1


def test_compare_puts_layers_side_by_side(ftlab):
    result = ftlab("compare", *GENERATED, "--ftl", "page,dftl,tpftl")
    assert result.exit_code == 0, result.output
    header = next(line for line in result.stdout.splitlines() if "DFTL" in line)
    assert header.split() == ["page-level", "DFTL", "TPFTL"]
    assert " *" in result.stdout
    assert "relative" in result.stdout
    assert result.stdout.count(" 0 violations") == 3


def test_compare_prints_json_for_every_layer(ftlab):
    figures = json.loads(ftlab("compare", *GENERATED, "--ftl", "page,tpftl", "--json").stdout)
    assert [each["ftl"] for each in figures] == ["page", "tpftl"]


@pytest.mark.parametrize("suffix", ["json", "csv", "md", "tex", "txt"])
def test_the_files_name_says_the_form(ftlab, suffix):
    result = ftlab("compare", *GENERATED, "-o", f"out.{suffix}")
    assert (result.exit_code, result.stdout) == (0, "")
    starts = {"json": "[", "csv": "ftlab,", "md": "|", "tex": r"\begin{tabular}", "txt": " "}
    with open(f"out.{suffix}", encoding="utf-8") as file:
        assert file.read().startswith(starts[suffix])


@pytest.mark.long
def test_figure_and_report_are_written_beside_the_result(ftlab):
    result = ftlab("compare", *GENERATED, "--plot", "a.svg", "--report", "a.html", "--json")
    assert result.exit_code == 0, result.output
    assert len(json.loads(result.stdout)) == 3
    assert sorted(os.listdir()) == ["a.html", "a.svg"]


def test_the_same_seed_prints_the_same_figures(ftlab):
    first, second = (json.loads(ftlab("run", *GENERATED, "--json").stdout) for _ in "12")
    for each in (first, second):
        del each["speed"]
    assert first == second


def test_the_configuration_can_be_seen_before_a_run(ftlab):
    result = ftlab("run", *GENERATED, "--set", "run.seed=7", "--print-config", "--json")
    assert json.loads(result.stdout)["run"]["seed"] == 7


def test_names_that_are_near_are_told(ftlab, tmp_path):
    line = failure(ftlab("run", "finacial1"))
    assert line == 'error: finacial1: found no such file (did you mean the profile "financial1"?)'
    assert "did you mean" not in failure(ftlab("run", "something/else.csv"))
    assert "Did you mean 'run'?" in failure(ftlab("rn"))
    file = tmp_path / "own.csv"
    file.write_text("when_ms,lba,length\n0,0,4096\n")
    columns = ("--columns", "time=when:ms,offset=lba,length=length", "--op", "read")
    line = failure(ftlab("trace", "info", file, *columns))
    assert 'no column "when" in the header (did you mean "when_ms"?)' in line
    assert 'its names are "when_ms, lba, length"' in line


def test_a_trace_file_runs_and_its_format_is_told(ftlab, trace):
    result = ftlab("run", trace, "--address", "compact", *DEVICE)
    assert result.exit_code == 0, result.output
    assert "spc" in result.stdout


def test_trace_info_tells_what_is_in_a_file(ftlab, trace):
    statistics = json.loads(ftlab("trace", "info", trace, "--json").stdout)
    assert statistics["requests"] == 40
    text = ftlab("trace", "info", trace)
    assert text.exit_code == 0, text.output
    assert "40" in text.stdout
    assert "spc" in text.stdout
    heading = text.stdout.split("volumes\n")[1].splitlines()[0]
    assert heading.split() == ["volume", "requests", "first", "byte", "end", "byte"]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "settings"])
def test_everything_that_can_be_named_is_listed(ftlab, kind):
    result = ftlab("list", kind)
    assert result.exit_code == 0, result.output
    names = [entry["name"] for entry in json.loads(ftlab("list", kind, "--json").stdout)]
    assert names
    assert all(name in result.stdout for name in names)


def keys_listed(ftlab, *names):
    """Return the keys in the first column of a table of settings, which JSON has, too."""
    text = ftlab("list", *names).stdout
    rows = [line.split()[0] for line in text.splitlines()[1:]]
    assert rows == [each["key"] for each in json.loads(ftlab("list", *names, "--json").stdout)]
    return rows


def test_settings_are_listed_by_section_ftl_and_key(ftlab):
    every = [each.key for each in catalog().settings]
    assert keys_listed(ftlab, "settings") == every
    assert keys_listed(ftlab, "settings", "gc") == [key for key in every if key.startswith("gc.")]
    assert keys_listed(ftlab, "settings", "bast") == ["log.blocks", "log.map"]
    assert keys_listed(ftlab, "settings", "block") == ["log.map"]
    assert keys_listed(ftlab, "settings", "run.seed") == ["run.seed"]
    (line,) = ftlab("list", "settings", "kast.associativity").stdout.splitlines()[1:]
    for part in (
        "count",
        "blocks",
        "8",
        "at least 1",
        "K: logical blocks",
        "choices.md#kast-rules",
    ):
        assert part in line


def test_one_ftl_is_listed_with_all_settings_that_it_obeys(ftlab):
    text = ftlab("list", "ftls", "dloop").stdout
    assert "Abdurrab" in text
    for key in ("ftl.cache", "dftl.protected", "gc.low"):
        assert key in text
    (copy_back,) = [line for line in text.splitlines() if line.startswith("gc.copy_back")]
    assert " greedy  " in copy_back, "its own default"


def test_a_name_in_place_of_a_kind_is_told_where_it_belongs(ftlab):
    result = ftlab("list", "dftl")
    assert result.exit_code == 2
    assert 'found "dftl", expected one of ftls, settings' in result.stderr
    assert "ftlab list ftls tpftl" in result.stderr


def test_the_help_of_listing_names_every_kind(ftlab):
    text = " ".join(ftlab("list", "--help").stdout.split())
    assert all(kind in text for kind in KINDS)
    assert "[KIND] [NAME]" in text


def test_listing_without_a_kind_lists_all(ftlab):
    text = ftlab("list").stdout
    assert all(name in text for name in ("tpftl", "tpftl-eurosys15", "financial1", "randwrite"))


def test_demo_writes_a_report_and_says_what_to_try(ftlab):
    result = ftlab("demo", "--requests", "20000")
    assert result.exit_code == 0, result.output
    assert sorted(os.listdir("ftlab-demo")) == ["comparison.svg", "report.html"]
    assert "ftlab-demo/report.html" in result.stdout
    assert "Next steps" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("run", "missing.spc"), "missing.spc"),
        (("run", *GENERATED, "--ftl", "tpftll"), "tpftl"),
        (("run", *GENERATED, "--set", "device.chanels=8"), "chanels"),
        (("run", *GENERATED, "--capacity", "lots"), "lots"),
        (("run", "--workload", "randwrit"), "randwrit"),
        (("run", *GENERATED, "--preset", "nothing"), "nothing"),
        (("run", *GENERATED, "--seed", "one"), "one"),
        (("compare", *GENERATED, "--ftl", "page,page"), "twice"),
        (("run",), "give either a TRACE"),
        (("run", "financial1", *WORKLOAD), "give either a TRACE"),
        (("run", *WORKLOAD, "--sort"), "--sort says how to read"),
        (("run", "financial1", "--sort", "--clamp"), "exclude each other"),
        (("run", *GENERATED, "--json", "--csv"), "exclude each other"),
        (("run", *GENERATED, "--json", "-o", "r.xlsx"), "--output r.xlsx exclude each other"),
        (("results", ".", "--json", "-o", "r.sqlite"), "--output r.sqlite exclude each other"),
        (("results", ".", "--csv", "-o", "r.parquet"), "--output r.parquet exclude each other"),
        (("run", *GENERATED, "--csv", "-o", "r.parquet"), "--output r.parquet exclude each other"),
        (("trace", "compare", "a", "b", "--requests", "x"), "value for '--requests': found x"),
        (("run", *GENERATED, "--set", "seed"), "KEY=VALUE"),
        (("run", *GENERATED, "-o", "result.doc"), ".json"),
        (("run", *GENERATED, "--plot", "result.gif"), ".svg"),
        (("run", *GENERATED, "-o", "missing/result.json"), "does not exist"),
        (("run", *GENERATED, "--report", "a.html", "-o", "a.html"), "must end in"),
        (("run", *GENERATED, "--plt", "a.svg"), "--plot"),
        (("rnu",), "run"),
        (("list", "ftl"), "ftls"),
        (("list", "ftls", "kst"), 'did you mean "kast"?'),
        (("list", "settings", "gc.polcy"), 'did you mean "gc.policy"?'),
        (("run", *GENERATED, "--page", "5000"), "error: --page: found 5000B"),
        (
            ("run", *GENERATED, "--set", "device.pge=8"),
            '(did you mean "device.page"?); known: device',
        ),
        (("run", *GENERATED, "--set", "gc.low=0"), "error: gc.low: found 0"),
    ],
)
def test_a_mistake_gets_one_line_and_leaves_nothing_behind(ftlab, arguments, part):
    assert part in failure(ftlab(*arguments))
    assert os.listdir() == []


def test_a_bad_line_of_a_trace_is_named(ftlab, trace):
    trace.write_text(trace.read_text() + "0,8,4096,x,9.0\n")
    line = failure(ftlab("run", trace, "-o", "result.json"))
    assert f"{trace.name}:41" in line
    assert os.listdir() == []


def test_an_output_that_cannot_be_written_is_known_before_the_run(ftlab, monkeypatch):
    monkeypatch.setattr(_core, "simulate", lambda *_: pytest.fail("the run has started"))
    failure(ftlab("run", *GENERATED, "--report", "missing/report.html"))


def test_a_stopped_run_leaves_nothing_behind(ftlab, monkeypatch):
    def stop(*_):
        raise errors.Interrupted("stopped")

    monkeypatch.setattr(_core, "simulate", stop)
    failure(ftlab("run", *GENERATED, "-o", "result.json"), code=130)
    assert os.listdir() == []


def test_a_bug_asks_for_a_report_with_all_that_reproduces_it(ftlab, monkeypatch):
    def break_down(*_):
        raise errors.InternalError("page 5 of block 3 was programmed twice")

    monkeypatch.setattr(_core, "simulate", break_down)
    result = ftlab("run", *GENERATED, "--seed", "42")
    assert result.exit_code == 1
    first, second, last = result.stderr.splitlines()
    assert first == "error: page 5 of block 3 was programmed twice"
    assert "seed 42" in second
    assert '"capacity": "4MiB"' in second
    assert "please report" in last


def test_warnings_go_to_standard_error(ftlab, monkeypatch):
    import sample

    answer = json.dumps([sample.result("page"), sample.result("dftl")])
    monkeypatch.setattr(_core, "simulate", lambda *_: answer)
    result = ftlab("compare", *GENERATED, "--ftl", "page,dftl", "--json")
    assert len(json.loads(result.stdout)) == 2
    assert "warning: page-level: page never collected garbage" in result.stderr


def test_commands_are_in_groups_and_completed(ftlab):
    shown = ftlab("--help").stdout
    parts = [shown.index(f"\n{title}:\n") for title in GROUPS]
    assert parts == sorted(parts)
    listed = re.findall(r"^  ([a-z]+) ", shown[parts[0] :], re.MULTILINE)
    assert listed == [name for group in GROUPS.values() for name in group]
    from click.shell_completion import ShellComplete

    complete = ShellComplete(program, {}, "ftlab", "_FTLAB_COMPLETE")
    assert [each.value for each in complete.get_completions([], "re")] == [
        "replay",
        "reproduce",
        "results",
    ]


def test_every_verb_explains_itself(ftlab):
    for verb in ([], ["run"], ["compare"], ["trace", "info"], ["list"], ["demo"]):
        result = ftlab(*verb, "--help")
        assert result.exit_code == 0
        assert "Usage: ftlab" in result.stdout


def test_options_are_in_sections_with_one_column_of_help(ftlab):
    shown = ftlab("compare", "--help").stdout
    heads = [f"\n{head}:\n" for head in ("Options", "Trace", "Device, FTL and run", "Output")]
    parts = [shown.index(head) for head in heads]
    assert parts == sorted(parts)
    of = [shown.index(f"  {flag} ") for flag in ("--ftl", "--columns", "--cache", "--plot")]
    assert all(part < at for part, at in zip(parts, of, strict=True))
    assert all(at < part for at, part in zip(of, parts[1:], strict=False))
    helps = re.findall(r"^  (?:-h, )?--[\w-]+(?: [^ \n]+)? {2,}", shown, re.MULTILINE)
    assert len(helps) > 40 and len({len(each) for each in helps}) == 1, "all in one column"


def test_only_commands_that_repeat_a_result_show_the_option_for_it(ftlab):
    for verb in (["run"], ["compare"]):
        assert "--from RESULT" in ftlab(*verb, "--help").stdout
    for verb in (["explain"], ["sweep"], ["trace", "info"], ["trace", "compare"]):
        assert "--from" not in ftlab(*verb, "--help").stdout


def test_a_message_keeps_its_dots(ftlab):
    assert "--workload PATTERN,KEY=VALUE,... (see `ftlab compare --help`)" in failure(
        ftlab("compare")
    )


def test_a_missing_choice_lists_the_choices_in_one_line(ftlab):
    assert "Choose from: tpftl, cachftl, " in failure(ftlab("reproduce", "--list"))


def test_a_csv_file_is_read_by_the_columns_that_are_named(ftlab, tmp_path):
    path = tmp_path / "any.csv"
    path.write_text('when,"where, in sectors",what\n0.5,8,1\n1.5,16,0\n')
    columns = "time=when,offset=2:sectors,length=2:512,op=what:1"
    arguments = ("trace", "info", path, "--columns", columns)
    info = json.loads(ftlab(*arguments, "--json").stdout)
    assert (info["format"], info["reads"], info["writes"]) == ("csv", 1, 1)
    assert "--columns: found no offset" in failure(ftlab(*arguments[:4], "time=when"))


def test_a_csv_file_of_an_own_tracer_is_read(ftlab, tmp_path):
    path = tmp_path / "own.csv"
    path.write_text(
        "when;lba;bytes;what\n2020-02-29T23:59:59;0x10;4096;RD\n2020-03-01 00:00:01;0x20;512;WR\n"
    )
    columns = "time=when:iso,offset=lba:sectors,length=bytes,op=what"
    arguments = ("trace", "info", path, "--columns")
    assert "add separator=semicolon to --columns" in failure(ftlab(*arguments, columns))
    info = json.loads(ftlab(*arguments, f"{columns},separator=semicolon", "--json").stdout)
    assert (info["reads"], info["writes"], info["end_bytes"]) == (1, 1, 0x20 * 512 + 512)


def test_a_log_of_diskmon_is_read_by_the_columns_that_the_docs_name(ftlab, tmp_path):
    page = (Path(__file__).parent.parent / "docs" / "formats" / "csv.md").read_text("utf-8")
    blocks = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    lines, command = next((a, b) for a, b in pairwise(blocks) if "diskmon.log" in b)
    path = tmp_path / "diskmon.log"
    path.write_text(lines)
    _, *arguments = command.replace("diskmon.log", str(path)).split()
    info = json.loads(ftlab(*arguments, "--json").stdout)
    assert (info["reads"], info["writes"]) == (1, 1)
    assert info["end_bytes"] == (6291519 + 8) * 512 and info["mean_bytes"] == 68 * 512


def test_what_a_list_does_not_say_is_asked_for(ftlab, tmp_path):
    path = tmp_path / "P0.lis"
    path.write_text("0 8 0 0\n8 8 0 1\n")
    assert "--op read or --op write" in failure(ftlab("trace", "info", path))
    info = json.loads(
        ftlab("trace", "info", path, "--op", "write", "--unit", "4KiB", "--json").stdout
    )
    assert (info["format"], info["writes"], info["end_bytes"]) == ("arc", 2, 65536)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "raise device.capacity, or set run.address = modulo",
            "raise --capacity, or set --address modulo",
        ),
        (
            "a.spc:3: input.order = sort reorders; use input.op = read.",
            "a.spc:3: --sort reorders; use --op read.",
        ),
        ("device.pages_per_block: found 7", "--pages-per-block: found 7"),
        (
            "more than gc.low = 4, as ftl.cache.x and device.pages",
            "more than gc.low = 4, as ftl.cache.x and device.pages",
        ),
        (
            'unknown key "device.page"; known: device.page, run.seed',
            'unknown key "device.page"; known: device.page, run.seed',
        ),
        (
            "known: spc, msr; known: spc; name one with input.format",
            "known: spc, msr; known: spc; name one with --format",
        ),
        ("or a format in `to`", "or a format in --to"),
    ],
)
def test_keys_with_an_option_are_told_as_the_option(message, told):
    assert translated(message) == told


def test_what_options_set_exists():
    keys = {each.key for each in catalog().settings} | {"`to`"}
    assert {each.split(" = ")[0] for each in OPTIONS} <= keys


def test_in_python_a_message_names_keys(ftlab, trace):
    import ftlab as package

    trace.write_text("".join(reversed(trace.read_text().splitlines(keepends=True))))
    assert "--sort reorders, --clamp raises" in failure(ftlab("trace", "info", trace))
    with pytest.raises(package.TraceError, match=r"input\.order = sort reorders, input\.order"):
        package.read_trace(trace).info()


def test_defaults_that_the_help_names_are_those_of_the_settings():
    defaults = {each.key: str(each.default) for each in catalog().settings}
    shown = {
        each.path: found[1] for each in MODEL if (found := re.search(r"\[([\w%]+)\]", each.help))
    }
    assert {"device.page", "device.over_provisioning", "gc.policy"} <= set(shown)
    assert {key: defaults[key] for key in shown} == shown


def test_one_case_of_a_law_is_not_called_cases(ftlab):
    text = ftlab("check", "page", "--cases", "1").stdout
    assert "(1 case)\n" in text
    assert "(1 cases)" not in text


def test_of_several_ftls_those_that_can_be_built_are_compared_and_others_named(ftlab):
    made = ("financial1", "--requests", "1k", "--preset", "tpftl-eurosys15", "--cache", "4KiB")
    alone = failure(ftlab("run", *made, "--ftl", "sftl")).removeprefix("error: ")
    for seeds in ((), ("--seeds", "2")):
        found = ftlab("compare", *made, *seeds, "--ftl", "dftl,sftl,tpftl", "--json")
        assert found.exit_code == 2
        ran = [each["ftl"] for each in json.loads(found.stdout)]
        assert ran == sorted(["dftl", "tpftl"] * (len(seeds) or 1))
        told = [line for line in found.stderr.splitlines() if line.startswith("error")]
        assert told == [f"error: S-FTL is left out: {alone}"]


def test_a_comparison_in_which_no_ftl_can_be_built_is_one_error(ftlab):
    made = ("financial1", "--requests", "1k", "--preset", "tpftl-eurosys15", "--cache", "1")
    assert failure(ftlab("compare", *made, "--ftl", "dftl,sftl")).endswith("(under dftl)")
