"""What the report on CACH-FTL shows of results that are given."""

import pytest

from ftlab.result import Result
from ftlab_papers.cachftl.parts import SHOWN, SMALL, parts
from ftlab_papers.cachftl.points import NAMES, RESERVE, SPARES, THRESHOLDS
from ftlab_papers.cachftl.quantities import SAMPLES
from ftlab_papers.cachftl.reasons import blocks_erased, groups_of_bmr
from ftlab_papers.inputs import Source, Workload
from ftlab_papers.report import Part
from ftlab_papers.runs import Key, Runs

VOLUMES = {0: SMALL, 1: SMALL, 2: SMALL - 1, 3: SMALL}
"""Requests of volumes of Financial1."""

RESPONSES = {0: 10.0, 1: 30.0, 2: 9000.0, 3: 50.0}
"""With the default settings, of PM; that of each other FTL is 1 us more than that of the last."""

GAINS = {0: -0.5, 1: -0.2, 2: SAMPLES["financial1"] + 0.01, 3: -0.1}
"""Over FAST with the best settings."""

FTLS: list[Key] = [*((ftl,) for ftl in NAMES), ("page", RESERVE)]


def result(requests: int, response: float, erased: float) -> Result:
    """Return a result with these figures, and with what else the report looks at."""
    return Result(
        {
            "ftl": "x",
            "host": {"requests": requests, "page_reads": 0, "page_writes": requests},
            "device": {"capacity_bytes": 64 << 20},
            "response_us": {"mean": response},
            "write_amplification": 1.0,
            "flash": {
                "erases": {"data": erased, "log": 0},
                "programs": {"host": requests, "merge": 0},
            },
            "gc": {"runs": 0, "background_runs": 0},
            "own": {"cachftl.pmr_groups": 1, "cachftl.bmr_groups": 0},
        }
    )


def results() -> dict[Key, Result]:
    """Return what all points of the volumes come to."""
    found = {}
    for number, requests in VOLUMES.items():
        volume = f"financial1/{number}"
        for place, key in enumerate(FTLS):
            response = RESPONSES[number] + place
            found[volume, *key] = result(requests, response, 2 * response)
        for spare in SPARES:
            fast = 100_000.0 + spare
            found[volume, "fast", str(spare)] = result(requests, fast, erases_of(number, spare))
            for each in THRESHOLDS:
                ours = (1 + GAINS[number]) * 100_005 + (spare - SPARES[0]) + (each - THRESHOLDS[0])
                erased = erases_of(number, spare, each)
                found[volume, "cachftl", str(spare), str(each)] = result(requests, ours, erased)
    return found


def erases_of(number: int, spare: int, threshold: int = 0) -> float:
    """Return the erases on a volume with a setting; FAST has no threshold."""
    return 10_000.0 * number + 100 * threshold + spare


@pytest.fixture(scope="module")
def report() -> dict[str, Part]:
    """Return the parts of the report by their titles."""
    found = results()
    sources = {key[0]: Source(Workload("financial1", ()), None, 100) for key in found}
    return {part.title: part for part in parts(Runs(found), sources, [])}


def test_means_and_medians_are_of_all_volumes_and_of_those_that_are_not_small(report):
    (table,) = report["Means and medians"].tables
    of = ["mean", "median", "mean, not small", "median, not small"]
    header = [f"{what}, {each}" for what in ("response, us", "erases") for each in of]
    assert table.header == ["Fin1, 4 volumes, 1 small", *header]
    rows = {row[0]: row[1:] for row in table.rows}
    assert list(rows) == [*NAMES.values(), "PM, reserve"]
    # 10, 30, 9,000 and 50 us, and twice as many erases.
    assert rows["PM"] == ["2,272", "40", "30", "30", "4,545", "80", "60", "60"]
    assert rows["CACH-FTL"] == ["2,276", "43", "33", "33", "4,551", "86", "66", "66"]
    assert rows["PM, reserve"] == ["2,276", "44", "34", "34", "4,553", "88", "68", "68"]


def test_small_volumes_are_marked(report):
    (table,) = report["Volumes"].tables
    names = [row[0] for row in table.rows]
    assert names == ["financial1/0", "financial1/1", "financial1/2 *", "financial1/3"]


def test_figure_7_has_fast_and_erases_on_the_volume_that_is_judged(report):
    (picture,) = (each for each in report["Figures"].pictures if each.name == "fig7")
    responses, erased = picture.draw().axes
    assert responses.get_title("left") == "(a) financial1/2", "its gain is nearest to the paper's"
    assert erased.get_title("left") == "(b) financial1/2"
    found = {
        label: list(line.lines[0].get_ydata())
        for line, label in zip(*erased.get_legend_handles_labels(), strict=True)
    }
    thresholds = {"FAST": 0} | {f"threshold {each}": each for each in SHOWN}
    assert found == {
        name: [erases_of(2, spare, each) for spare in SPARES] for name, each in thresholds.items()
    }
    line = responses.get_legend_handles_labels()[0][0]
    assert list(line.lines[0].get_ydata()) == [100 + spare / 1000 for spare in SPARES], "ms"


@pytest.mark.parametrize("why", [groups_of_bmr, blocks_erased])
def test_the_reason_of_a_claim_is_of_the_traces_that_were_run(why):
    reason = why(Runs(results()))
    assert "Fin1" in reason
    assert "Fin2" not in reason
