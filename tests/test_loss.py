"""An FTL that loses data by design is never shown without saying so: `fast.rules = flashsim`."""

import json

import pytest

import ftlab as lab

SAID = "fast.rules = flashsim loses data by design"
RUN = (
    *("financial1", "--requests", "4000", "--capacity", "512MiB", "--address", "modulo"),
    *("--warmup", "footprint", "--set", "device.blocks=2200"),
)
LOSSY = (*RUN, "--ftl", "fast", "--set", "fast.rules=flashsim")
BOTH = (*RUN, "--ftl", "fast,fast:rules=flashsim")


def test_a_run_says_so_above_its_metrics_and_below(ftlab):
    ran = ftlab("run", *LOSSY)
    assert ran.exit_code == 0
    assert SAID in ran.stdout
    assert f"warning: FAST: {SAID}" in ran.stderr


@pytest.mark.parametrize("form", ["json", "md", "tex", "txt"])
@pytest.mark.parametrize(("verb", "options"), [("run", LOSSY), ("compare", BOTH)])
def test_every_form_of_a_file_says_so(ftlab, tmp_path, verb, options, form):
    written = tmp_path / f"result.{form}"
    assert ftlab(verb, *options, "--output", written).exit_code == 0
    assert SAID in written.read_text()


def test_a_report_says_so(ftlab, tmp_path):
    page = tmp_path / "report.html"
    assert ftlab("compare", *BOTH, "--report", page).exit_code == 0
    assert SAID in page.read_text()


def test_what_loses_data_is_never_the_best_of_a_comparison(ftlab):
    lines = ftlab("compare", *BOTH).stdout.splitlines()
    (responses,) = (line for line in lines if line.startswith("mean response  ") and "µs" in line)
    assert responses.endswith("(loses data)")
    assert "*" not in responses.split("µs")[1]
    kept, lost = json.loads(ftlab("compare", *BOTH, "--json").stdout)
    assert lost["response_us"]["mean"] < kept["response_us"]["mean"], "it would be the best"


def test_the_default_keeps_data_and_says_nothing():
    result = lab.simulate(lab.Workload("randwrite", size="16MiB", requests=2000), "fast")
    assert result.config.fast.rules == "paper"
    assert not any(name.startswith("loss.") for name in result.own)
    assert not any("loses data" in warning for warning in result.warnings)


def test_what_was_lost_is_in_the_result_of_python():
    setup = {"device": {"blocks": 300}, "run": {"warmup": "footprint", "address": "modulo"}}
    workload = lab.Workload("randrw", size="8MiB", requests=3000)
    ftl = lab.FAST(rules="flashsim")
    result = lab.simulate(workload, ftl, lab.Device(capacity="64MiB"), config=setup)
    wrong = sum(result.own[f"loss.reads_{kind}"] for kind in ("old", "invalid", "erased"))
    assert wrong > 0
    assert wrong + result.own["loss.reads_newest"] == result.host.page_reads
