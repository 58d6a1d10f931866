"""FTLs are shown as their papers write them, and named so in any case."""

import json

import pytest

import ftlab as ftlab_
from ftlab.catalogue import catalog
from ftlab.cli.compare import show_comparison
from ftlab.names import ftl as named
from ftlab.titles import plain, title

FTLS = {ftl.name: ftl.title for ftl in catalog().ftls}
SMALL = ["--workload", "randwrite,bs=4k,size=16MiB,requests=300", "--cache", "16KiB"]
PAPERS = ["DFTL", "TPFTL", "S-FTL", "CDFTL", "CACH-FTL", "FAST", "MNFTL", "GFTL", "DLOOP", "SepBIT"]


def test_the_names_are_those_of_papers():
    assert set(PAPERS) | {"superblock FTL", "TreeFTL"} <= set(FTLS.values())


def test_no_two_ftls_can_be_meant_by_one_name():
    written = [{plain(key), plain(title)} for key, title in FTLS.items()]
    assert sum(map(len, written)) == len(set().union(*written))


@pytest.mark.parametrize(("key", "title"), FTLS.items())
def test_an_ftl_is_known_by_its_title_in_any_case_and_without_hyphens(key, title):
    ways = [title, title.upper(), title.lower(), title.replace("-", ""), key.upper()]
    assert {named(each) for each in ways} == {key}


@pytest.mark.parametrize("name", ["DFTL2", "T-P", "", "-", "./dftl.py", "FAST\n", "\u0421DFTL"])
def test_what_is_near_a_name_is_not_taken_for_it(name):
    assert named(name) == name


def test_titles_of_labels():
    labels = {
        "sftl": "S-FTL",
        "tpftl(cache=8KiB)": "TPFTL(cache=8KiB)",
        "dftl(TwoQ)": "DFTL(TwoQ)",
        "dftl ftl.cache=1KiB": "DFTL ftl.cache=1KiB",
        "mnftl-hybrid, a": "MNFTL-hybrid, a",
        "fastest": "fastest",
        "MyFtl(window=3)": "MyFtl(window=3)",
        "": "",
        "$x": "$x",
    }
    assert {label: title(label) for label in labels} == labels


@pytest.mark.long
def test_tables_have_titles_and_files_have_keys(ftlab):
    names = "page,S-FTL,cachftl"
    shown = ftlab("compare", *SMALL, "--ftl", names, "--report", "report.html")
    assert shown.exit_code == 0, shown.output
    header = shown.stdout.splitlines()[2].split()
    assert header == ["page-level", "S-FTL", "CACH-FTL"]
    assert "S-FTL: " in shown.stdout
    with open("report.html", encoding="utf-8") as file:
        report = file.read()
    assert '<th scope="col">CACH-FTL</th>' in report
    told = ftlab("compare", *SMALL, "--ftl", names, "--json").stdout
    assert [each["ftl"] for each in json.loads(told)] == ["page", "sftl", "cachftl"]
    rows = ftlab("compare", *SMALL, "--ftl", names, "--csv").stdout
    assert "sftl" in rows
    assert "S-FTL" not in rows


def test_a_summary_has_the_title(ftlab):
    assert "S-FTL" in ftlab("run", *SMALL, "--ftl", "sFtl").stdout


def test_tables_of_several_forms_have_the_key_for_programs_alone(ftlab):
    asked = ["crash", *SMALL, "--ftl", "S-FTL", "--cuts", "2"]
    assert "S-FTL" in ftlab(*asked).stdout
    rows = ftlab(*asked, "--csv").stdout
    assert rows.splitlines()[1].startswith("sftl,")


def test_python_takes_the_names_of_papers(capsys):
    workload = ftlab_.Workload("randwrite", bs="4k", size="16MiB", requests=300)
    found = ftlab_.compare(workload, ["CACH-FTL", ftlab_.Ftl("Superblock FTL")])
    assert [each["ftl"] for each in found] == ["cachftl", "superblock"]
    assert found["CACH-FTL"] is found["cachftl"] is found[0]
    show_comparison(found)
    assert "relative to CACH-FTL" in capsys.readouterr().out


def test_figures_have_titles():
    workload = ftlab_.Workload("randwrite", bs="4k", size="16MiB", requests=300)
    figure = ftlab_.compare(workload, ["dloop", "fast"]).plot.latency()
    assert [each.get_text() for each in figure.legends[0].get_texts()] == ["DLOOP", "FAST"]


def test_stored_results_are_chosen_by_the_names_of_papers(ftlab):
    sweep = ("sweep", *SMALL, "--ftl", "S-FTL,page", "--results", "r")
    assert ftlab(*sweep).exit_code == 0
    chosen = ftlab("results", "r", "--where", "ftl = S-FTL").stdout
    assert "S-FTL" in chosen
    assert "page-level" not in chosen
