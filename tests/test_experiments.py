"""Claims and their one rule, real traces in place of models, and the report of an experiment."""

import json
import os
import re
from dataclasses import replace
from importlib import import_module

import pytest

import ftlab
import sample
from ftlab import _core
from ftlab.points import Point
from ftlab.points.store import INPUTS
from ftlab_papers import PAPERS
from ftlab_papers.claims import (
    Claim,
    Counterfactual,
    Explained,
    Instead,
    judge,
    published,
)
from ftlab_papers.experiment import Experiment, reproduce
from ftlab_papers.findings import Bound, Change, Order, Value, Verdict
from ftlab_papers.inputs import FINANCIAL1_PREFIX, Prefix, Workload, sources
from ftlab_papers.made import aligned, looped, side_by_side
from ftlab_papers.measures import at, how_many, least, mean, most, relative
from ftlab_papers.report import Part, Report, claim_parts, write
from ftlab_papers.runs import NotMeasuredError, Runs
from marks import long_but

AGREES, DIRECTION, DIFFERS, NOT_MEASURED = Verdict
RUNS = Runs(
    {("w", "dftl"): ftlab.Result(sample.result("dftl", 400.0, 0.8, 128))}
    | {("w", "tpftl"): ftlab.Result(sample.result("tpftl", 300.0, 0.9, 64))}
    | {("w", "page"): ftlab.Result(sample.result())}
)


def test_a_figure_can_be_counted_another_way():
    runs = Runs({("w", "dftl"): RUNS["w", "dftl"]}, counted={"mapping.hit_ratio": "seed"})
    assert runs("mapping.hit_ratio", "w", "dftl") == RUNS("seed", "w", "dftl")
    (one,) = runs.seeds
    found, _ = one.noting(lambda noted: noted("mapping.hit_ratio", "w", "dftl"))
    assert found == RUNS("seed", "w", "dftl") != RUNS("mapping.hit_ratio", "w", "dftl")


def given(figure):
    """A term that is known."""
    return lambda runs: figure


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        (Value("", 0.40, given(0.50)), AGREES),
        (Value("", 0.40, given(0.51)), DIFFERS),
        (Value("", 0.02, given(0.04)), AGREES),
        (Value("", 8, given(6)), AGREES),
        (Value("", 8, given(5.9)), DIFFERS),
        (Change("", -0.62, given(-0.50)), AGREES),
        (Change("", -0.62, given(-0.20)), DIRECTION),
        (Change("", -0.62, given(0.20)), DIFFERS),
        (Change("", 0.015, given(-0.001)), DIFFERS),
        (Change("", 0.0, given(-0.02)), AGREES),
        (Change("", 0.0, given(-0.03)), DIFFERS),
        (Bound("", given(0.04), below=0.04), AGREES),
        (Bound("", given(0.0401), below=0.04), DIFFERS),
        (Bound("", given(0.5), above=0.53, below=0.71), DIFFERS),
        (Bound("", given(-0.9), above=-0.884, below=-0.58, directed=True), DIRECTION),
        (Bound("", given(0.1), above=-0.884, below=-0.58, directed=True), DIFFERS),
        (Order("", {"a": given(1.0), "b": given(1.0), "c": given(2.0)}), AGREES),
        (Order("", {"a": given(1.0), "b": given(2.0), "c": given(1.9)}), DIFFERS),
        (Order("", {"a": given(0.0505), "b": given(0.05)}), AGREES),
        (Order("", {"a": given(0.052), "b": given(0.05)}), DIFFERS),
        (Order("", {"a": given(2001.0), "b": given(2000.0)}), AGREES),
        (Order("", {"a": given(2003.0), "b": given(2000.0)}), DIFFERS),
    ],
)
def test_a_finding_is_judged_by_the_rule(statement, verdict):
    assert statement.find(RUNS).verdict is verdict


def seeded(*figures: float) -> Runs:
    """Runs with a seed for each figure, which is that of the point `x`."""
    return Runs(*({("x",): ftlab.Result({"ftl": "x", "figure": each})} for each in figures))


@pytest.mark.parametrize(
    ("figures", "statement", "ours", "verdict"),
    [
        ((1.0, 1.2, 1.4), Value("", 1.0, at("figure", "x")), "1.2 ± 0.2", AGREES),
        ((1.0, 1.0 + 1e-9), Value("", 1.0, at("figure", "x")), "1", AGREES),
        ((-0.3, -0.1), Change("", -0.25, at("figure", "x")), "-20.0 % ± 14.1 %", AGREES),
        ((-0.4, 0.1), Change("", -0.5, at("figure", "x")), "-15.0 % ± 35.4 % (a tie)", DIFFERS),
        ((0.02, -0.01), Change("", 0.015, at("figure", "x")), "+0.5 % ± 2.1 % (a tie)", AGREES),
        (
            (3.0, 1.0),
            Bound("", at("figure", "x"), above=1.5),
            "2 ± 1.414 (a tie)",
            DIFFERS,
        ),
        ((3.0, 1.6), Bound("", at("figure", "x"), above=1.5), "2.3 ± 0.9899", AGREES),
        (
            (3.0, 1.0),
            Order("", {"a": at("figure", "x"), "b": lambda runs: 1.5}),
            "2 ± 1.414, 1.5 (a tie: a and b)",
            AGREES,
        ),
        (
            (3.0, 2.0),
            Order("", {"a": at("figure", "x"), "b": lambda runs: 1.5}),
            "2.5 ± 0.7071, 1.5",
            DIFFERS,
        ),
    ],
)
def test_the_mean_over_seeds_is_judged_and_what_differs_from_seed_to_seed_is_a_tie(
    figures, statement, ours, verdict
):
    found = statement.find(seeded(*figures))
    assert (found.ours, found.verdict) == (ours, verdict)


def test_measures_are_worked_out_when_they_are_asked_for():
    response, ftls = "response_us.mean", ("dftl", "tpftl")
    assert relative(response, ("w", "tpftl"), ("w", "dftl"))(RUNS) == -0.25
    both = [at(response, "w", ftl) for ftl in ftls]
    assert [of(both)(RUNS) for of in (mean, least, most)] == [350, 300, 400]
    assert (1 - both[1] / both[0] + -both[0] * 2 / 1000)(RUNS) == pytest.approx(0.25 - 0.8)
    assert how_many([(both[0], both[1]), (both[1], both[0])])(RUNS) == 1
    with pytest.raises(NotMeasuredError, match="is 0"):
        relative("flash.oob_reads.host", ("w", "tpftl"), ("w", "dftl"))(RUNS)


def claim(*statements, why=None) -> Claim:
    return Claim("X1", "1", "something", statements, why)


GOOD, HALF, BAD = (Change("", -0.5, given(ours)) for ours in (-0.5, -0.1, 0.1))


def test_a_claim_is_as_good_as_the_worst_of_its_findings():
    assert judge(claim(GOOD, GOOD), RUNS).verdict is AGREES
    assert judge(claim(GOOD, HALF), RUNS).verdict is DIRECTION
    assert judge(claim(HALF, BAD, GOOD), RUNS).verdict is DIFFERS


def test_a_claim_is_explained_only_where_it_does_not_agree():
    assert judge(claim(GOOD, why=lambda runs: "because"), RUNS).note == ""
    assert judge(claim(HALF, why=lambda runs: "because"), RUNS).note == "because"


def test_a_figure_that_does_not_exist_is_not_measured_but_what_is_published_is_told():
    for key, figure in ((("w", "page"), "mapping.hit_ratio"), (("w", "zftl"), "seed")):
        missing = claim(Value("here", 0.5, at(figure, *key), "%"))
        found = judge(missing, RUNS)
        assert found.verdict is NOT_MEASURED
        assert " ".join(key) in found.note
        assert found.used == {key}
        assert published(missing) == "here: 50.0 %"


def test_a_real_trace_takes_the_place_of_its_model(tmp_path):
    for name in ("Financial1.spc.zst", "Financial1.first10000.spc.zst", "TS_0.csv", "notes.txt"):
        (tmp_path / name).touch()
    workloads = [
        Workload("financial1", ("financial1.spc",)),
        Workload("msr-ts", ("msr_ts_0.csv", "ts_0.csv")),
        Workload("msr-src", ("src2_0.csv",)),
    ]
    found = sources(workloads, tmp_path, None)
    used = {name: source.file and source.file.name for name, source in found.items()}
    assert used == {"financial1": "Financial1.spc.zst", "msr-ts": "TS_0.csv", "msr-src": None}
    assert found["msr-ts"].described == "the real trace, TS_0.csv"
    assert found["msr-src"].config == {"input": {"trace": "msr-src"}, "run": {"seed": 1}}
    assert found["msr-ts"].config == {"input": {"trace": str(tmp_path / "TS_0.csv")}}
    cut = sources(workloads, None, 1000)["financial1"]
    assert cut.described == "the built-in model, its first 1,000 requests"
    with pytest.raises(ftlab.ConfigError, match="found no such folder"):
        sources(workloads, tmp_path / "none", None)


def test_an_experiment_runs_what_is_missing_and_its_report_says_what_came_out(tmp_path, ftlab):
    def points(inputs):
        return {
            (name, ftl): Point(name, source.config, ftl)
            for name, source in inputs.items()
            for ftl in ("page", "dftl")
        }

    faster = Claim(
        "X1",
        "Fig. 1",
        "<page> | is faster",
        [
            Change("", 0.0, relative("seed", ("build", "page"), ("build", "dftl"))),
            Order("", {"page": at("seed", "build", "page"), "1.5": lambda runs: 1.5}),
            Value("capacity", 16384, at(capacity, "build", "page"), "MiB"),
        ],
    )
    experiment = Experiment(
        "test",
        "A <test>",
        [Workload("build", ())],
        points,
        [faster],
        lambda runs, inputs, judged: [Part("Set-up", [inputs["build"].described])],
        counterfactuals=[
            Counterfactual(
                "larger", "a device of 16 GiB", ["X1"], {"device": {"capacity": 16 << 30}}
            ),
            Counterfactual(
                "absent", "a workload that was not run", ["X1"], point=lambda key: ("tpch", key[1])
            ),
            Counterfactual(
                "swapped",
                "DFTL in place of page mapping",
                ["X1"],
                {"device": {"capacity": 16 << 30}},
                point=lambda key: (key[0], "dftl"),
            ),
            Counterfactual(
                "recounted", "requests in place of seeds", ["X1"], counted={"seed": "host.requests"}
            ),
        ],
    )
    reports = [reproduce(experiment, tmp_path, requests=200, seeds=2) for _ in range(2)]
    assert len(list(tmp_path.glob("*.json.gz"))) == 2 * 2 * 2, "points, seeds, and the change"
    files = [
        {path.name: path.read_bytes() for path in write(report, tmp_path / f"out{index}")}
        for index, report in enumerate(reports)
    ]
    assert files[0] == files[1]
    (row,) = json.loads(files[0]["claims.json"])
    assert (row["id"], row["verdict"]) == ("X1", "differs")
    ours = [each["ours"] for each in row["findings"]]
    assert ours[:2] == ["+0.0 %", "1.5 ± 0.7071, 1.5 (a tie: page and 1.5)"], ours
    changes = {each["change"]: each["verdict"] for each in row["instead"]}
    assert changes == {
        "a device of 16 GiB": "agrees",
        "DFTL in place of page mapping": "agrees",
        "requests in place of seeds": "differs",
    }
    recounted = row["instead"][2]["findings"][1]
    assert recounted["ours"].startswith("200, 1.5") and recounted["verdict"] == "differs"
    start = (
        b"# A <test>\n\n**Only the first 200 requests of each input were run: these verdicts mean"
    )
    assert files[0]["report.md"].startswith(start)
    assert b"## Set-up\n\nthe built-in model, its first 200" in files[0]["report.md"]
    assert b"<h1>A &lt;test&gt;</h1>" in files[0]["report.html"]
    assert b'<a href="#set-up">Set-up</a>' in files[0]["report.html"]
    assert b'<section id="set-up">' in files[0]["report.html"]


def test_claims_have_switches_for_their_verdicts_in_html(tmp_path):
    judged = [judge(claim(each), RUNS) for each in (GOOD, HALF, GOOD)]
    page = write(Report("A test", claim_parts(judged), judged), tmp_path)
    (path,) = (each for each in page if each.suffix == ".html")
    text = path.read_text("utf-8")
    told = (
        "Of 3 claims of the paper 2 agree and 1 has the published direction only. "
        "Of those that do not agree 1 is explained by nothing that was tried."
    )
    assert text.count('<tbody class="agrees">') == 2
    assert told in text
    assert text.count('<tbody class="direction-only">') == 1
    assert re.findall(r'data-rows="([^"]+)"> ([^<]+)<', text) == [
        ("agrees", "agrees 2"),
        ("direction-only", "direction only 1"),
    ]


def test_a_claim_that_does_not_agree_leads_to_the_run_that_changes_one_thing(tmp_path):
    changed = Counterfactual("large", "a large cache", ["X"], {"ftl": {"cache": "1MiB"}})
    judged = replace(
        judge(claim(HALF), RUNS),
        instead=[Instead(changed, judge(claim(GOOD), RUNS), ["a point: 0123abcd"])],
    )
    files = {
        each.name: each for each in write(Report("", claim_parts([judged]), [judged]), tmp_path)
    }
    text = files["report.html"].read_text("utf-8")
    (name,) = re.findall(r'<td class="verdict"><a href="#([^"]+)">direction only</a>', text)
    reason = text[text.index(f'<h3 id="{name}">') :]
    for each in ("--set ftl.cache=1MiB", "a point: 0123abcd", "large: agrees"):
        assert each in reason, each
    plain = files["report.md"].read_text("utf-8")
    assert "* a large cache: `--set ftl.cache=1MiB`" in plain
    assert "| figure | published | ours: direction only | large: agrees |" in plain


SPC = """\
0,8,4096,w,0.5
1,8,4096,r,1.0
7,0,512,w,2.5
"""


def requests(path):
    columns = ftlab.read_trace(path).to_numpy()
    return [list(each) for each in zip(*(columns[k].tolist() for k in MADE), strict=True)]


MADE = ("volume", "offset", "op", "time_ns")


def test_a_prefix_is_looped_without_the_volumes_that_are_left_out(tmp_path):
    (tmp_path / "first.spc").write_text(SPC)
    trace = {"input": {"trace": str(tmp_path / "first.spc")}}
    path = looped(trace, 2, [1], tmp_path)
    first = [[0, 4096, 1, 0], [7, 0, 1, 2_000_000_000]]
    period = 3_000_000_000
    assert requests(path) == [*first, *([*each[:3], each[3] + period] for each in first)]
    assert looped(trace, 2, [1], tmp_path) == path
    whole = path.read_bytes()
    for harmed in (b"", whole[: len(whole) // 2], whole.replace(b"w", b"r")):
        path.write_bytes(harmed)
        assert looped(trace, 2, [1], tmp_path) == path
        assert path.read_bytes() == whole
    assert looped(trace, 2, [], tmp_path) != path
    slower = requests(looped(trace, 2, [1], tmp_path, slower=16))
    assert slower == [[*each[:3], each[3] * 16] for each in requests(path)]


def test_volumes_lie_side_by_side_on_whole_mebibytes(tmp_path):
    (tmp_path / "first.spc").write_text(SPC)
    path = side_by_side({"input": {"trace": str(tmp_path / "first.spc")}}, tmp_path)
    mib = 1 << 20
    assert [each[:2] for each in requests(path)] == [[0, 4096], [0, mib + 4096], [0, 2 * mib]]


def test_requests_begin_at_the_multiple_below(tmp_path):
    (tmp_path / "first.spc").write_text(SPC)
    path = aligned({"input": {"trace": str(tmp_path / "first.spc")}}, 8192, tmp_path)
    assert [each[:2] for each in requests(path)] == [[0, 0], [1, 0], [7, 0]]
    assert [each[2:] for each in requests(path)] == [
        each[2:] for each in requests(tmp_path / "first.spc")
    ]


def test_what_is_made_of_a_trace_that_changes_meanwhile_is_not_kept(tmp_path, monkeypatch):
    first = tmp_path / "first.spc"
    first.write_text(SPC)
    trace = {"input": {"trace": str(first)}}

    def and_change(*arguments):
        found = columns(*arguments)
        first.write_text(SPC + "1,8,4096,w,3.0\n")
        return found

    columns = _core.trace_columns
    monkeypatch.setattr(_core, "trace_columns", and_change)
    for make in (lambda: looped(trace, 2, [], tmp_path), lambda: side_by_side(trace, tmp_path)):
        first.write_text(SPC)
        with pytest.raises(ftlab.ConfigError, match=r"first\.spc: changed while it was read"):
            make()
    assert os.listdir(tmp_path) == ["first.spc"]
    monkeypatch.undo()
    assert len(requests(looped(trace, 2, [], tmp_path))) == 8


def test_what_a_killed_writer_left_among_inputs_is_removed(tmp_path):
    (tmp_path / "first.spc").write_text(SPC)
    left = tmp_path / INPUTS / ".0123.spc.0123456789abcdef.ftlab.partial"
    left.parent.mkdir()
    left.write_text("half")
    path = looped({"input": {"trace": str(tmp_path / "first.spc")}}, 2, [], tmp_path)
    assert sorted(left.parent.iterdir()) == [path.with_suffix(".json"), path]


def test_a_real_prefix_stands_beside_the_model_where_a_claim_does_not_agree(tmp_path):
    (tmp_path / FINANCIAL1_PREFIX.files[0]).write_text(SPC)
    (tmp_path / "first.spc").write_text(SPC)

    def points(inputs):
        return {(name,): Point(name, each.config, "page") for name, each in inputs.items()}

    def most_requests(workload, below):
        return Claim(workload, "", "", [Bound("", at("host.requests", workload), below=below)])

    missing = Prefix(("missing.spc",), 9, what="missing requests")
    more = Prefix(("first.spc",), 5, what="first 3 requests")
    experiment = Experiment(
        "test",
        "A test",
        [
            Workload("financial1", ("financial1.spc",), (FINANCIAL1_PREFIX, missing)),
            Workload("tpcc", (), (Prefix(("first.spc",), 4, slower=16), more)),
            Workload("build", ()),
        ],
        points,
        [most_requests(each, below=450) for each in ("financial1", "tpcc", "build")],
        lambda runs, inputs, judged: [],
        of_prefixes={"device": {"capacity": 1 << 30}, "run": {"address": "modulo"}},
    )
    found = reproduce(experiment, tmp_path / "r", traces=tmp_path, requests=500, seeds=2).judged
    assert [each.verdict for each in found] == [Verdict.DIFFERS] * 3
    assert {each.claim.id: [c.changed.name for c in each.instead] for each in found} == {
        "financial1": [
            "financial1's model, set up as its prefix",
            "financial1's prefix",
            "financial1's prefix without its scan",
        ],
        "tpcc": [
            "tpcc's model, set up as its prefix",
            "tpcc's prefix",
            "tpcc's first 3 requests",
        ],
        "build": [],
    }
    financial1, tpcc, _ = (each.instead for each in found)
    of_loop = str(3 * FINANCIAL1_PREFIX.rounds)
    assert [each.judged.findings[0].ours for each in financial1] == ["500", of_loop, of_loop]
    assert [each.judged.verdict for each in financial1] == [DIFFERS, AGREES, AGREES]
    assert [each.judged.findings[0].ours for each in tpcc] == ["500", "12", "15"]
    assert tpcc[1].changed.what == "tpcc from its real prefix, looped, 16 times as slow"
    assert tpcc[2].changed.what == "tpcc from its real first 3 requests, looped"


def test_a_proof_is_told_where_a_claim_does_not_agree(tmp_path):
    for term, told in ((GOOD, False), (BAD, True)):
        judged = judge(replace(claim(term), proof="the table has another number."), RUNS)
        write(Report("", claim_parts([judged]), [judged]), tmp_path)
        for name in ("report.md", "report.html"):
            text = (tmp_path / name).read_text("utf-8")
            assert ("It cannot agree: the table has another number." in text) is told


def test_a_change_can_leave_points_out_or_read_a_claim_otherwise(tmp_path):
    low = Claim("X", "", "", [Bound("", at("host.requests", "build"), below=1)])

    def without(key):
        return key == ("build",)

    def none(key):
        return False

    experiment = Experiment(
        "test",
        "A test",
        [Workload("build", ())],
        lambda inputs: {(name,): Point(name, each.config, "page") for name, each in inputs.items()},
        [low],
        lambda runs, inputs, judged: [],
        counterfactuals=[
            Counterfactual("gone", "no build", ["X"], only=none, without=without),
            Counterfactual(
                "read",
                "more",
                ["X"],
                only=none,
                reading=lambda claim: replace(
                    claim, statements=[replace(claim.statements[0], below=100)]
                ),
            ),
            Counterfactual("same", "nothing", ["X"], only=none, reading=lambda claim: claim),
        ],
    )
    (found,) = reproduce(experiment, tmp_path, requests=100, seeds=1).judged
    instead = {each.changed.name: each.judged.verdict for each in found.instead}
    assert instead == {"gone": NOT_MEASURED, "read": AGREES}


def capacity(result):
    return result["device"]["capacity_bytes"] / (1 << 20)


UNTIL_ITS_SCAN = 12_000
"""Requests of Financial1's model up to the first one of its scan, and some more."""


class Anything(float):
    """A figure, and a result that has it everywhere."""

    def __getitem__(self, name):
        return self


class Looking(Runs):
    """Runs of points without results, which tell at which of them a claim looks."""

    def __getitem__(self, key):
        super().__getitem__(key)
        return Anything(1)

    def __call__(self, figure, *key):
        return float(self[key])

    @property
    def seeds(self):
        return [self]

    def noting(self, work):
        runs = Looking(*self._seeds)
        return work(runs), frozenset(runs._used)


@pytest.mark.parametrize("paper", long_but([*PAPERS][:1], PAPERS))
def test_a_counterfactual_changes_what_it_is_laid_over(paper, tmp_path, monkeypatch):
    experiment = import_module(f"ftlab_papers.{paper.replace('-', '_')}").EXPERIMENT
    cut_short = "ftlab_papers.cachftl.changes.FEW_REQUESTS"
    monkeypatch.setattr(cut_short, 1)  # The inputs here are shorter than it is.
    (tmp_path / "Financial1.first50002.DERIVED-noasu.spc").write_text(
        "0,0,4096,w,0.0\n0,8,4096,w,0.1\n"
    )
    inputs = sources(experiment.workloads, tmp_path, UNTIL_ITS_SCAN)
    if experiment.prepare:
        inputs = experiment.prepare(inputs, tmp_path)
    points = experiment.points(inputs)
    claims = {claim.id: claim for claim in experiment.claims}
    for changed in experiment.counterfactuals:
        assert set(changed.claims) <= set(claims)
        if not any(map(changed.only, points)):
            continue
        key = next(key for key in points if changed.only(key) and changed.point(key) in points)
        other = changed.alter(key, points, inputs, tmp_path)
        is_another = other.digest != points[key].digest
        assert is_another != bool(changed.counted), changed.name
    looking = Looking(dict.fromkeys(points))
    bare = {name: replace(each, why=None) for name, each in claims.items()}
    there = {name: judge(each, looking).used & points.keys() for name, each in bare.items()}
    idle = [
        (changed.name, each)
        for changed in experiment.counterfactuals
        for each in changed.claims
        if not changed.touches(claims[each], there[each], points)
    ]
    assert not idle, "a change that touches nothing that the claim looks at"


def test_what_does_not_agree_is_explained_by_one_change_or_by_none_not_by_several():
    def found(left, right, proof=""):
        statements = [
            Bound(name, given(ours), above=0) for name, ours in (("l", left), ("r", right))
        ]
        return judge(Claim("X", "", "", statements, proof=proof), RUNS)

    def explained(*changes, proof=""):
        changed = Counterfactual("a change", "a change", ["X"])
        instead = [Instead(changed, found(*each)) for each in changes]
        return replace(found(-1, -1, proof), instead=instead).explained

    assert found(1, 1).explained is None
    assert explained() is Explained.OPEN
    assert explained((1, -1)) is Explained.OPEN
    assert explained((1, -1), (-1, 1)) is Explained.OPEN
    assert explained((1, -1), (1, 1)) is Explained.BY_ONE
    assert explained((1, -1), proof="a table") is Explained.BY_PROOF
