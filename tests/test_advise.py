"""Advice: candidates, the pick, the front, what is not to be believed, and refusals."""

import csv
import io
import json
import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import ftlab as ftlab_
from ftlab import ConfigError
from ftlab.advise import Prices, Targets, advise
from ftlab.endurance import data_sheet, endurance, even_life
from ftlab.plot_advise import drawn
from ftlab.report.advise import as_html, as_json, as_text, legend, verdict
from ftlab.report.doubts import doubts
from test_cli import failure

WEAR = (Path(__file__).parent.parent / "docs" / "wear.md").read_text("utf-8")
WORKLOAD = {"pattern": "randrw", "size": "4MiB", "requests": 4000, "interarrival": "20ms"}
TREE = {
    "workload": WORKLOAD,
    "device": {
        "capacity": "4MiB",
        "pages_per_block": 16,
        "over_provisioning": ["15%", "28%", "50%"],
    },
    "run": {"warmup": "random:1"},
    "ftls": ["page", "dftl", "fast"],
}
COMMAND = (
    "advise",
    *("--workload", "randrw,size=4MiB,requests=2000,interarrival=20ms"),
    *("--capacity", "4MiB", "--pages-per-block", "16", "--ftl", "page,dftl"),
    *("--over-provisioning", "15%,50%"),
)
ONCE = ["--dwpd", "0.01"]
"""A rate that every device endures."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The results of the candidates, which differ in no test."""
    return tmp_path_factory.mktemp("advise")


def advised(folder, prices=None, endurance=3000, **targets):
    tree = {**TREE, "device": {**TREE["device"], "endurance": endurance}}
    return advise(tree, folder, Targets(**targets), prices=prices)


def asked(advice, prices, **targets):
    """The same candidates under other prices and targets."""
    wanted = {"prices": prices, "targets": Targets(**targets)}
    return replace(advice, candidates=[replace(each, **wanted) for each in advice.candidates])


def brute(advice):
    """The cheapest candidate that meets the targets, from the results alone."""
    targets, best = advice.targets, None
    for each in advice.candidates:
        closed, at_rate = each.closed.outcome, each.open.outcome
        device, page = closed.device, closed.config.device.page
        per_block = closed.config.device.pages_per_block
        host = at_rate.host
        filled = at_rate.write_amplification * host.page_writes / per_block
        worn = max(filled, sum(at_rate.flash.erases.to_dict().values()))
        life = each.endurance * device.blocks / worn * host.page_writes * page
        if targets.dwpd is None:
            per_day = host.page_writes * page / host.last_arrival_s * 86_400
        else:
            per_day = targets.dwpd * device.capacity_bytes
        if life < per_day * 365 * targets.years or host.overloaded:
            continue
        if targets.p99_us is not None and at_rate.response_us.p99 > targets.p99_us:
            continue
        flash = device.blocks * per_block * page
        ram = sum(closed.ram_bytes.to_dict().values())
        cost = (each.prices.flash * flash + each.prices.ram * ram) / 1e9
        if best is None or cost < best[0]:
            best = cost, each
    return best and best[1]


PRICES = [Prices(), Prices(1, 0), Prices(0.08, 400), Prices(1, 1e6)]


RATES = (None, 0.1, 0.3, 0.5, 1, 1.6, 50)
LIMITS = (None, 5_000, 12_000, 1)


@pytest.mark.long
@pytest.mark.parametrize("prices", PRICES)
def test_the_pick_is_the_cheapest_that_meets_all_targets_and_is_on_the_front(folder, prices):
    runs = advised(folder)
    for dwpd, p99_us in product(RATES, LIMITS):
        advice = asked(runs, prices, dwpd=dwpd, p99_us=p99_us)
        pick, cheapest = advice.pick(), brute(advice)
        assert (pick is None) == (cheapest is None)
        if pick:
            assert pick.cost == pytest.approx(cheapest.cost)
            assert pick in advice.front()
            assert verdict(advice)[0].startswith("Choose ")
        else:
            fewest = min(len(each.misses()) for each in advice.candidates)
            assert len(advice.nearest().misses()) == fewest
            assert verdict(advice)[0].startswith("No candidate meets all targets")


def test_the_targets_of_the_law_above_divide_the_candidates(folder):
    runs, every = advised(folder), product(RATES, LIMITS)
    meeting = [len(asked(runs, Prices(), dwpd=dwpd, p99_us=p99).meeting()) for dwpd, p99 in every]
    assert len(set(meeting)) > 4, meeting


def test_the_front_has_who_is_not_beaten_and_nobody_else(folder):
    advice = advised(folder)
    goals = [each.goals() for each in advice.candidates]
    for each in advice.candidates:
        beaten = any(
            other != each.goals() and all(a <= b for a, b in zip(other, each.goals(), strict=True))
            for other in goals
        )
        assert (each in advice.front()) != beaten
    assert 0 < len(advice.front()) < len(advice.candidates)


def test_life_is_of_data_sheets_and_grows_with_endurance(folder):
    one, two = (advised(folder, endurance=cycles).candidates[0] for cycles in (1000, 2000))
    assert two.life == pytest.approx(2 * one.life)
    assert one.wear()["dwpd"] == pytest.approx(one.wear()["drive_writes"] / (5 * 365))
    assert one.wear()["years"] == pytest.approx(one.life / one.written_per_day / 365)
    assert data_sheet(2e12, 10**12, 1e9, 100)["dwpd"] == pytest.approx(0.02)


def test_life_is_that_of_a_whole_run_to_the_end_where_erases_are_even():
    uniform = {"pattern": "rand", "size": "16MiB", "requests": 16_000}
    device = {"capacity": "16MiB", "pages_per_block": 16, "over_provisioning": "28%"}
    config = {"workload": uniform, "device": device, "run": {"warmup": "random:1"}}
    worn = endurance({**config, "device": {**device, "endurance": 200}}, "page", scale=1)
    estimate = even_life(
        ftlab_.simulate(
            ftlab_.Workload(**uniform), "page", config={"device": device, "run": config["run"]}
        ),
        200,
    )
    assert 0.9 * estimate < worn.life < estimate


def test_no_block_wears_out_in_the_runs_of_an_advice(folder):
    (one, *_) = advised(folder, endurance=1).candidates
    assert not one.failure
    assert one.results[0]["lifetime"] is None


def test_what_blocks_endure_follows_from_the_cell(tmp_path):
    device = {"capacity": "4MiB", "pages_per_block": 12, "cell": "tlc", "over_provisioning": "28%"}
    advice = advise({**TREE, "device": device, "ftls": ["page"]}, tmp_path)
    assert advice.candidates[0].endurance == 1000
    assert any("1,000 erases per block (assumed" in each for each in doubts(advice))
    table = dict(re.findall(r"\| ([STM]LC) \| ([\d,]+)", WEAR))
    assert table == {"SLC": "100,000", "MLC": "3,000", "TLC": "1,000"}


def test_what_cannot_be_known_is_told(tmp_path):
    short = {**TREE, "workload": {**WORKLOAD, "requests": 500}, "ftls": ["page"]}
    told = " ".join(doubts(advise(short, tmp_path)))
    for part in (
        "of the capacity: write amplification",
        "reflect the warm-up",
        "repeats without a pause",
        "generated, not recorded",
        "does not test for a steady state",
        "Firmware time",
    ):
        assert part in told
    untimed = {**TREE, "workload": {**WORKLOAD, "interarrival": 0}}
    advice = advise({**untimed, "ftls": ["page"]}, tmp_path)
    assert any("have no times" in each for each in doubts(advice))
    pick = advice.pick()
    assert pick.wear()["years"] is None
    assert pick.p99_at_rate is None
    reads = {**TREE, "workload": {**WORKLOAD, "pattern": "randread"}, "ftls": ["page"]}
    advice = advise(reads, tmp_path)
    assert any("writes nothing" in each for each in doubts(advice))
    assert advice.pick().life is None


def test_an_advice_is_a_table_json_csv_html_and_a_figure(folder):
    advice = advised(folder, dwpd=0.3)
    tree = json.loads(as_json(advice))
    assert len(tree["candidates"]) == 9
    assert tree["pick"] in tree["front"]
    assert not tree["candidates"][tree["pick"]]["misses"]
    assert as_json(advice) == as_json(advised(folder, dwpd=0.3))
    page = as_html(advice)
    for part in (*verdict(advice), *doubts(advice)):
        assert part.replace("'", "&#x27;") in page
    assert "Choose" in as_text(advice, "md")
    assert len(drawn(advice).axes) == 2


def test_advise_is_a_command(ftlab):
    found = ftlab(*COMMAND, *ONCE, "--report", "r.html", "--plot", "f.svg")
    assert found.exit_code == 0, found.output
    assert "Choose DFTL with over-provisioning 15%" in found.stdout
    assert "What not to believe:" in found.stdout
    assert ftlab(*COMMAND, *ONCE).stdout == found.stdout
    rows = list(csv.DictReader(io.StringIO(ftlab(*COMMAND, *ONCE, "--csv").stdout)))
    assert [(row["ftl"], row["device.over_provisioning"]) for row in rows] == [
        ("page", "15%"),
        ("page", "50%"),
        ("dftl", "15%"),
        ("dftl", "50%"),
    ]
    dear = ftlab(*COMMAND, "--dwpd", "1e6")
    assert dear.exit_code == 1
    assert "No candidate meets all targets" in dear.stdout


def test_the_pick_is_compared_with_the_others_that_meet_all_targets(folder):
    advice = asked(advised(folder), Prices(), dwpd=0.1, years=0.01)
    pick, meeting = advice.pick(), advice.meeting()
    *_, others = verdict(advice)
    longest = max(meeting, key=lambda each: each.life)
    fastest = min(meeting, key=lambda each: (each.p99_at_rate, each.cost))
    assert longest is not pick
    (told,) = re.findall(
        r"([^:.]*) is the [^:]*longest-lived[^:]*: ([\d.]+) % more cost, "
        r"([\d.]+) x the lifetime",
        others,
    )
    assert told[0].endswith(f"over-provisioning {longest.settings['device.over_provisioning']}")
    assert float(told[1]) == pytest.approx(100 * (longest.cost / pick.cost - 1), rel=0.01)
    assert float(told[2]) == pytest.approx(longest.life / pick.life, rel=0.01)
    assert ("fastest" in others) == (fastest.p99_at_rate < pick.p99_at_rate)
    alone = asked(advice, Prices(), years=1e9, dwpd=50)
    assert "Of the others" not in " ".join(verdict(alone))


def test_a_front_of_all_candidates_says_so(folder):
    advice = advised(folder)
    assert len(advice.front()) < len(advice.candidates)
    assert "here all" not in legend(advice)
    whole = replace(advice, candidates=advice.front())
    assert f"here all {len(whole.candidates)}: each is better" in legend(whole)


def test_the_bound_of_the_lifetime_names_the_wear_levelling_that_reaches_it(folder):
    (told,) = [each for each in doubts(advised(folder)) if each.startswith("Lifetime is an upper")]
    assert "With wear.policy = dynamic, blocks of data that never change keep" in told
    used = [int(each) for each in re.findall(r"^\| \w+ \| \d+ \| \d+ \| (\d+) % ", WEAR, re.M)]
    assert len(used) == 8
    assert (round(100 / min(used)), round(100 / max(used))) == (14, 6)
    assert "a fourteenth to a sixth" in told


def test_defaults_are_a_used_device_and_three_over_provisionings(ftlab):
    found = ftlab(*COMMAND[:3], "--capacity", "16MiB", "--ftl", "page", *ONCE, "--json")
    tree = json.loads(found.stdout)
    spare = [each["settings"]["device.over_provisioning"] for each in tree["candidates"]]
    assert spare == ["7%", "15%", "28%"]
    assert any("random:1" in each for each in tree["doubts"])


def test_a_lifetime_without_garbage_collection_is_none(ftlab):
    found = ftlab(*COMMAND, "--ftl", "page", "--over-provisioning", "900%")
    assert found.exit_code == 1
    assert "1 miss a known lifetime, as GC never ran" in found.stdout
    assert re.search(r"page-level .* no GC$", found.stdout, re.MULTILINE)


def test_a_candidate_that_cannot_be_built_is_told(ftlab):
    found = ftlab(*COMMAND, *ONCE, "--ftl", "page,sftl", "--cache", "100B")
    assert found.exit_code == 2
    assert "Choose page-level" in found.stdout
    assert re.search(r"S-FTL 15% .*failed", found.stdout)
    assert "failed: --cache: found 92 B" in found.stdout


REFUSED = {
    "--years 0": "found 0, expected a number above 0",
    "--years nan": "found nan, expected a number above 0",
    "--dwpd 1e999": "found 1e999, expected a number above 0",
    "--dwpd -1": "found -1, expected a number above 0",
    "--p99 5": "found 5, expected a time such as 500us or 2ms",
    "--p99 fast": "found fast, expected a time such as 500us or 2ms",
    "--ram-price -1": "found -1, expected a number of at least 0",
    "--endurance 0": "found 0, expected a count",
    "--depth 0": "found 0, expected a count",
    "--set device.endurance=x": "device.endurance: found x, expected a number of erases",
    "--host open": "advise sets it",
    "--seed 1,2": "expected one for all candidates",
    "--warmup none,random:1": "expected one for all candidates",
    "--print-config": "--print-config belongs to run and compare",
    "--report r.txt": "the name must end in .html, .htm",
    "--ftl nothing": "nothing",
}


@pytest.mark.parametrize("asked", REFUSED)
def test_what_makes_no_sense_is_refused_in_a_line(ftlab, asked):
    assert REFUSED[asked] in failure(ftlab(*COMMAND, *asked.split()))


def test_a_sweep_of_a_file_is_refused(ftlab, tmp_path):
    file = tmp_path / "c.toml"
    file.write_text('ftls = ["page"]\nseeds = 3\n')
    assert "belongs to `ftlab sweep`" in failure(ftlab(*COMMAND, "--config", file))
    with pytest.raises(ConfigError, match="seeds: found one"):
        advise({**TREE, "seeds": 2}, tmp_path)


def test_help_lists_what_advise_takes_with_the_defaults_it_uses(ftlab):
    text = ftlab("advise", "--help").stdout
    assert "--host" not in text
    assert "--print-config" not in text
    assert re.search(r"--over-provisioning RATIO\s+Spare spaces .*\s+\[7%,15%,28%\]", text)
    assert re.search(r"--warmup MODE .* \[random:1\]", text)
    others = ftlab("compare", "--help").stdout
    assert "--host MODE" in others
    assert "[15%]" in others
    assert "as steady [none]" in others


@pytest.mark.parametrize("verb", ["sweep", "fleet", "tune"])
def test_help_lists_no_option_that_is_refused(ftlab, verb):
    assert "--print-config" not in ftlab(verb, "--help").stdout
    assert "--print-config" in ftlab("run", "--help").stdout
