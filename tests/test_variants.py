"""Variants of one FTL in one comparison: typed, printed and typed again, swept and drawn."""

import csv
import io
import json
from pathlib import Path

import pytest

import ftlab as package
from ftlab import trust
from ftlab.points import points_of
from ftlab.report.tables import ABSENT
from ftlab.variants import listed, split
from test_cli import failure

INPUT = ("financial1", "--requests", "5k", "--preset", "tpftl-eurosys15")
OWN = """
from ftlab import PageMapped


class Mine(PageMapped):
    def __init__(self, device, extent=1):
        super().__init__(device)
        self.extent = extent
"""


@pytest.mark.parametrize(
    "text, expected",
    [
        ("tpftl", ["tpftl"]),
        ("tpftl,dftl", ["tpftl", "dftl"]),
        ("tpftl:features=bc,dftl", ["tpftl(features=bc)", "dftl"]),
        ("tpftl:features=bc:threshold=4", ["tpftl(features=bc, threshold=4)"]),
        ("tpftl:features=bc,threshold=4,dftl", ["tpftl(features=bc, threshold=4)", "dftl"]),
        ("TPFTL(cache=8KiB, features=bc),dftl", ["TPFTL(cache=8KiB, features=bc)", "dftl"]),
        ("tpftl ftl.cache=8KiB gc.low=3", ["tpftl(ftl.cache=8KiB, gc.low=3)"]),
        ("dftl:replacement=./clock.py:Clock,page", ["dftl(replacement=./clock.py:Clock)", "page"]),
        ("./twin.py:Twin:extent=4,page", ["./twin.py:Twin(extent=4)", "page"]),
        ("./twin.py:Twin", ["./twin.py:Twin"]),
    ],
)
def test_what_is_typed_is_written_in_one_way(text, expected):
    assert listed(text) == expected
    assert listed(",".join(expected)) == expected
    for each in expected:
        name, settings = split(each)
        assert name and "=" not in name
        assert all(settings.values())


def test_variants_are_compared_and_their_printed_labels_are_input(ftlab):
    asked = "tpftl,tpftl:features=bc,dftl:replacement=lru"
    table = ftlab("compare", *INPUT, "--ftl", asked)
    assert table.exit_code == 0, table.output
    header = next(line for line in table.output.splitlines() if "TPFTL" in line)
    labels = ["TPFTL", "TPFTL(features=bc)", "DFTL(replacement=lru)"]
    assert [each for each in labels if each in header] == labels
    first = json.loads(ftlab("compare", *INPUT, "--ftl", asked, "--json").stdout)
    again = json.loads(ftlab("compare", *INPUT, "--ftl", ",".join(labels), "--json").stdout)
    for one, other in zip(first, again, strict=True):
        assert {**one, "speed": None} == {**other, "speed": None}
    assert [each["config"]["tpftl"]["features"] for each in first[:2]] == ["rsbc", "bc"]
    assert first[2]["config"]["dftl"]["replacement"] == "lru"
    assert first[0]["mapping"] != first[1]["mapping"]


def test_settings_of_a_separation_belong_to_a_variant(ftlab):
    asked = "page,tpftl:separation=sepbit:sepbit.window=8,tpftl:separation=sepbit"
    table = ftlab("compare", *INPUT, "--ftl", asked)
    assert "TPFTL(separation=sepbit, sepbit.window=8)" in table.output, table.output
    swept = ftlab("sweep", *INPUT, "--ftl", asked, "--results", "kept")
    assert swept.exit_code == 0, swept.output
    rows = [line.split()[:3] for line in swept.stdout.splitlines()[1:4]]
    assert rows == [
        ["page-level", "none", ABSENT],
        ["TPFTL", "sepbit", "8"],
        ["TPFTL", "sepbit", "16"],
    ]


def test_settings_of_a_separation_that_is_not_chosen_make_no_points():
    tree = {"ftls": ["page", "sepbit"], "ftl": {"separation": ["none", "sepbit"]}}
    points = points_of({**tree, "sepbit": {"window": [4, 8]}, "temperature": {"regions": 3}})
    found = [
        (point.ftl, point.config["ftl"]["separation"]) for point in points if "ftl" in point.config
    ]
    assert sorted(found) == [("page", "none"), ("page", "sepbit"), ("page", "sepbit")]
    assert len(points) == 5


def test_a_row_of_csv_says_which_variant_it_is(ftlab):
    text = ftlab("compare", *INPUT, "--ftl", "tpftl,tpftl:features=bc", "--csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["label"] for row in rows] == ["tpftl", "tpftl(features=bc)"]
    assert "label" not in ftlab("compare", *INPUT, "--ftl", "tpftl", "--csv").stdout.split(",")


def test_a_variant_is_what_a_setting_makes(ftlab):
    run = ftlab("run", *INPUT, "--ftl", "tpftl:features=bc:ftl.cache=4KiB", "--json")
    told = ["--set", "tpftl.features=bc", "--cache", "4KiB"]
    set_so = ftlab("run", *INPUT, "--ftl", "tpftl", *told, "--json")
    both = [{**json.loads(each.stdout), "speed": None} for each in (run, set_so)]
    assert both[0] == both[1]


def test_python_takes_the_same_texts():
    trace = package.profile("financial1", requests=2000)
    found = package.compare(trace, ["tpftl", "tpftl:features=bc"], preset="tpftl-eurosys15")
    assert found.labels == ["tpftl", "tpftl(features=bc)"]
    assert found[1].config.tpftl.features == "bc"


def test_a_class_of_ones_own_has_variants(ftlab):
    Path("mine.py").write_text(OWN)
    result = ftlab("compare", *INPUT, "--ftl", "./mine.py:Mine:extent=4,./mine.py:Mine:extent=8")
    assert result.exit_code == 0, result.output
    assert "Mine(extent=4)" in result.output and "Mine(extent=8)" in result.output


def test_a_file_may_be_named_behind_a_setting(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for word in ("dftl:replacement=./clock.py", "./clock.py:C:extent=4", "./clock.py:C(extent=4)"):
        with trust.only_named([word]):
            trust.check("clock.py")
            with pytest.raises(trust.UntrustedError):
                trust.check("other.py")


@pytest.mark.parametrize(
    "ftl, told",
    [
        ("tpftl,tpftl", "`tpftl` is named twice"),
        ("tpftl:features=bc,TPFTL(features=bc)", "named twice"),
        ("tpftl:featurs=bc,dftl", 'unknown setting "featurs" of TPFTL (did you mean "features"?)'),
        ("tpftl:dftl.replacement=lru,dftl", 'unknown setting "dftl.replacement" of TPFTL'),
        ("tpftl:features=xy,dftl", "tpftl.features"),
        ("tpftI:features=bc,dftl", 'did you mean "tpftl"'),
    ],
)
def test_mistakes_are_told_in_a_line(ftlab, ftl, told):
    assert told in failure(ftlab("compare", *INPUT, "--ftl", ftl))


def test_verbs_without_variants_say_which_take_them(ftlab):
    told = failure(ftlab("load", *INPUT, "--ftl", "tpftl:features=bc,dftl"))
    assert "compare, explain and sweep" in told


def test_a_search_chooses_settings_by_itself(ftlab):
    asked = ("--ftl", "tpftl:features=bc,dftl", "--minimize", "ram_bytes")
    assert "a search chooses its settings" in failure(ftlab("tune", *INPUT, *asked))


def test_variants_are_swept_and_drawn(ftlab):
    asked = ("--ftl", "tpftl,tpftl:features=bc,dftl:replacement=lru", "--cache", "4KiB,8KiB")
    swept = ftlab("sweep", *INPUT, *asked, "--results", "kept", "--json")
    assert swept.exit_code == 0, swept.output
    points = [each["result"] for each in json.loads(swept.stdout)]
    found = [(p["ftl"], p["config"]["tpftl"]["features"]) for p in points if p["ftl"] == "tpftl"]
    assert found == [("tpftl", "rsbc")] * 2 + [("tpftl", "bc")] * 2
    drawn = ftlab("plot", "kept", "--x", "ftl.cache", "--y", "mapping.hit_ratio", "-o", "v.svg")
    assert drawn.exit_code == 0, drawn.output
    text = Path("v.svg").read_text()
    assert "TPFTL (features=bc)" in text and "TPFTL (features=rsbc)" in text
    assert "None" not in text


def test_a_file_of_a_sweep_may_have_variants(ftlab):
    Path("s.toml").write_text('ftls = ["tpftl", "tpftl:features=bc"]\n')
    swept = ftlab("sweep", *INPUT, "--config", "s.toml", "--json")
    assert swept.exit_code == 0, swept.output
    assert len(json.loads(swept.stdout)) == 2
