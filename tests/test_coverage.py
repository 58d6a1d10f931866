"""docs/coverage.md is true: what rows name is there and works, and its counts are theirs."""

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import ftlab
from ftlab.cli import program
from test_docs import SESSIONS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGE = (DOCS / "coverage.md").read_text("utf-8")
CATALOGUE = ftlab.catalog()
STATES = ("yes", "partly", "no", "left out")
COLUMNS = ["section", "what", "where in ftlab", "state"]


@dataclass(frozen=True)
class Row:
    """A row of a paper's table; the paper as `ftlab reproduce` and as the page calls it."""

    paper: str
    what: str
    where: str
    state: str

    @property
    def experiment(self) -> str:
        return self.paper.lower().replace("-", "")


def cells(line: str) -> list[str]:
    return [each.strip() for each in line.strip().strip("|").split("|")]


def rows_of(text: str) -> list[Row]:
    """The rows of all papers' tables, in order."""
    found, paper = [], ""
    for line in text.splitlines():
        if line.startswith("## "):
            paper = line[3:].split(":")[0]
        elif line.startswith("| ") and paper and cells(line) != COLUMNS and ":--" not in line:
            _, what, where, state = cells(line)
            found.append(Row(paper, what, where, state))
    return found


@cache
def tiny(*options: str) -> bool:
    """Whether the command line accepts options in a run of a moment."""
    workload = "randrw,bs=4k,size=4MiB,requests=50"
    done = CliRunner().invoke(program, ["run", "--workload", workload, *options])
    return done.exit_code == 0


@cache
def results() -> dict[str, dict[str, Any]]:
    """A result of every FTL, all on one workload, and one with a write buffer above it."""
    load = ftlab.Workload("randrw", bs="4k", size="12MiB", requests=2000)
    device = ftlab.Device(
        capacity="32MiB", pages_per_block=16, over_provisioning=0.25, planes_per_die=2
    )
    warm = ftlab.Run(warmup="random:1")
    ftls = [ftlab.Ftl(each.name) for each in CATALOGUE.ftls]
    found = ftlab.compare(load, ftls, device, run=warm, config={"ftl": {"cache": "8KiB"}})
    buffered = ftlab.simulate(load, "page", device, buffer=ftlab.Buffer("lru", size="1MiB"))
    return {each.ftl: each.to_dict() for each in found} | {"with a buffer": buffered.to_dict()}


def is_figure(name: str) -> bool:
    """Whether a result has a figure of this name, and a value for it."""

    def value(tree: Any) -> Any:
        if name in tree["own"]:
            return tree["own"][name]
        for key in name.split("."):
            tree = tree.get(key) if isinstance(tree, dict) else None
        return tree

    return any(value(each) is not None for each in results().values())


@cache
def settings() -> dict[str, str]:
    """Each setting with the first FTL that obeys it: `page`, where it is not one of FTLs."""
    obeyed = {each.key: ftl.name for ftl in reversed(CATALOGUE.ftls) for each in ftl.settings}
    return {each.key: obeyed.get(each.key, "page") for each in CATALOGUE.settings}


def is_accepted(setting: str, value: str) -> bool:
    ftl = settings().get(setting, "page")
    return tiny("--ftl", ftl, "--set", f"{setting}={value}")


@cache
def claims(paper: str) -> set[str]:
    listed = CliRunner().invoke(program, ["reproduce", paper, "--list"]).output
    return {line.split()[0] for line in listed.splitlines()[1:] if line}


@cache
def rust_tests() -> set[str]:
    sources = "".join(path.read_text("utf-8") for path in ROOT.glob("crates/*/**/*.rs"))
    return set(re.findall(r"#\[test\]\n(?:\s*#\[[^\n]*\n)*\s*fn (\w+)", sources))


def is_command(line: str) -> bool:
    """Whether such a command exists, takes these arguments, and is run by a page or a test."""
    words = shlex.split(line)
    group: click.Command | None = program
    verb = ["ftlab"]
    while isinstance(group, click.Group):
        verb.append(words.pop(0) if words else "")
        group = group.commands.get(verb[-1])
    if group is None:
        return False
    try:
        group.make_context(verb[-1], words)
    except click.MissingParameter:
        pass  # what the row leaves to its reader, such as a trace
    except click.UsageError:
        return False
    run = [f"ftlab {command} " for each in SESSIONS for command in each.values[1]]
    return verb[1] == "reproduce" or any(each.startswith(" ".join(verb) + " ") for each in run)


def all_of(names: str, runs: Callable[[str], bool]) -> bool:
    return all(runs(name) for name in names.split(","))


def is_named(name: str) -> bool:
    listed = [*CATALOGUE.profiles, *CATALOGUE.formats]
    return name in {each.name for each in listed} or is_figure(name)


KINDS: list[tuple[str, Callable[..., bool]]] = [
    (r"--ftl (\S+)", lambda _, ftls: all_of(ftls, results().__contains__)),
    (r"--buffer (\S+)", lambda _, buffers: all_of(buffers, lambda one: tiny("--buffer", one))),
    (r"--preset (\S+)", lambda _, preset: tiny("--preset", preset)),
    (r"ftlab (.+)", lambda _, line: is_command(line)),
    (r"cargo test (\w+)", lambda _, name: name in rust_tests()),
    (r"([\w-]+\.\w+) = (\S+)", lambda _, setting, value: is_accepted(setting, value)),
    (r"([\w-]+\.[\w.]+)", lambda _, name: name in settings() or is_figure(name)),
    (r"([A-Z]\d+)", lambda row, claim: claim in claims(row.experiment)),
    (r"([\w-]+)", lambda _, name: is_named(name)),
]
"""How the page refers to things, as its head tells, and what makes a reference true."""


def is_true(row: Row, span: str) -> bool:
    matches = ((re.fullmatch(pattern, span), holds) for pattern, holds in KINDS)
    return next((holds(row, *match.groups()) for match, holds in matches if match), False)


@cache
def report(paper: str) -> set[str]:
    """The parts of a paper's report, and its figures as their captions begin."""
    text = (ROOT / "papers" / "ftlab_papers" / paper / "text.md").read_text("utf-8")
    captions = re.findall(r"^!\[(Figure [^.:]*|Table [^.:]*)", text, re.MULTILINE)
    return {*re.findall(r"^# (.*)", text, re.MULTILINE), *captions}


def anchors(page: Path) -> set[str]:
    """Where links into a page can lead: its headings, as MyST calls them, and `<a id>`."""
    text = page.read_text("utf-8")
    headings = re.findall(r"^#{1,3} (.*)", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}
    return slugs | set(re.findall(r'<a id="([^"]*)">', text))


def leads_somewhere(target: str) -> bool:
    page, _, anchor = target.partition("#")
    path = DOCS / (page or "coverage.md")
    return path.is_file() and (not anchor or anchor in anchors(path))


def faults_of(row: Row) -> Iterator[str]:
    """What is not true of a row."""
    spans = re.findall(r"`([^`]+)`", row.where)
    parts = re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", re.sub(r"`[^`]+`", "", row.where))
    links = re.findall(r"\]\(([^)]*)\)", row.where)
    yield from (f"unknown: `{span}`" for span in spans if not is_true(row, span))
    yield from (
        f"not in the report: {part}" for part in parts if part not in report(row.experiment)
    )
    yield from (f"leads nowhere: {link}" for link in links if not leads_somewhere(link))
    if row.state not in STATES:
        yield f"unknown state: {row.state}"
    if row.state in ("yes", "partly") and not spans + parts:
        yield "names nothing that can be looked at"
    if row.state == "left out" and not any(link.startswith("limits.md#") for link in links):
        yield "no reason"


def summary_of(rows: list[Row]) -> list[list[str]]:
    """The table at the top of the page, as it has to be."""

    def line(name: str, chosen: list[Row]) -> list[str]:
        counts = Counter(row.state for row in chosen)
        return [name, str(len(chosen)), *(str(counts[state]) for state in STATES)]

    papers = dict.fromkeys(row.paper for row in rows)
    each = [line(paper, [row for row in rows if row.paper == paper]) for paper in papers]
    return [*each, line("all", rows)]


def faults(text: str) -> list[str]:
    rows = rows_of(text)
    found = [f"{row.paper}, {row.what}: {fault}" for row in rows for fault in faults_of(row)]
    said = [cells(line) for line in text.splitlines() if re.match(r"\| [\w-]+ \| \d+ \|", line)]
    return found + [f"counts: {' '.join(each)}" for each in summary_of(rows) if each not in said]


def test_every_row_is_true():
    assert faults(PAGE) == []


def test_nothing_of_the_papers_is_dropped():
    counts = Counter(row.paper for row in rows_of(PAGE))
    papers = {"TPFTL": 51, "CACH-FTL": 52, "MNFTL": 32, "DLOOP": 33, "DFTL": 15}
    assert counts == papers


GOOD = [
    "`--ftl tpftl`",
    "`--ftl dftl,fast`",
    "`--buffer clash`",
    "`--preset dloop`",
    "`device.suspend`",
    "`gc.policy = fifo`",
    "`mapping.hit_ratio`",
    "`hat.pcm_reads`",
    "`write_amplification`",
    "`T7`",
    "*Table 4*",
    "*Figure 10*",
    "`ftlab model gc`",
    "`ftlab reproduce tpftl`",
    "`financial1`",
    "`spc`",
    "`cargo test figure_4_selective_prefetching`",
    "`T7` and [why](limits.md#file-systems)",
]
BAD = [
    "in the source",
    "`--ftl tpftl,fastt`",
    "`--buffer clashh`",
    "`--preset tpftl`",
    "`device.suspended`",
    "`gc.policy = fifoo`",
    "`mapping.hits_ratio`",
    "`T77`",
    "`M1`",
    "*Table 5*",
    "`ftlab model cg`",
    "`ftlab run --ftll page`",
    "`ftlab reproduce tpft`",
    "`financial9`",
    "`cargo test figure_4`",
    "`T7` and [why](limits.md#filesystems)",
    "`T7` and [why](limit.md)",
]


@pytest.mark.parametrize("where", GOOD)
def test_what_is_there_may_be_named(where):
    assert list(faults_of(Row("TPFTL", "", where, "yes"))) == []


@pytest.mark.parametrize("where", BAD)
def test_what_is_not_there_is_a_fault(where):
    assert list(faults_of(Row("TPFTL", "", where, "partly"))) != []


def test_what_is_left_out_has_a_reason():
    assert list(faults_of(Row("TPFTL", "", "[why](limits.md#content)", "left out"))) == []
    for where in ("-", "[why](limits.md)", "[why](limits.md#contents)", "[why](ftls.md)"):
        assert list(faults_of(Row("TPFTL", "", where, "left out"))) != []


def test_a_wrong_count_is_a_fault():
    assert faults(PAGE.replace("| all | 183 |", "| all | 184 |")) != []
    assert faults(PAGE.replace("| yes |\n", "| no |\n", 1)) != []
