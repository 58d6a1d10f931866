"""The closed forms: what feeds them, what they are held against, and how they are shown."""

import json
import re
from pathlib import Path

import pytest

import ftlab as package
from test_cli import failure

WORKLOAD = package.Workload("randrw", bs="4k", size="8MiB", requests=20000, read_share="30%")
DEVICE = package.Device(capacity="8MiB", pages_per_block=16)
PARAMETERS = {
    "hit_ratio": 0.6,
    "dirty_replacement_probability": 0.5,
    "gc_hit_ratio": 0.25,
    "write_ratio": 0.8,
    "mean_valid_data": 40,
    "mean_valid_translation": 16,
}
SET = [word for key, value in PARAMETERS.items() for word in ("--set", f"{key}={value}")]


@pytest.fixture(scope="module")
def results() -> package.Comparison:
    ftls = [package.Page(), package.DFTL(cache="512B"), package.TPFTL(cache="512B")]
    return package.compare(WORKLOAD, ftls, DEVICE, warmup="random:1")


@pytest.mark.parametrize("name", ["dftl", "tpftl"])
def test_a_result_feeds_the_models_and_stands_beside_them(results, name):
    found = package.model.translation(results[name])
    assert found.parameters.hit_ratio == results[name].mapping.hit_ratio
    assert found.measured.write_amplification == results[name].write_amplification
    assert found.merged.translation_us == pytest.approx(found.measured.translation_us, rel=1e-3)
    paper, merged = (
        abs(found[model].write_amplification / found.measured.write_amplification - 1)
        for model in ("paper", "merged")
    )
    assert merged < paper / 2


def test_parameters_alone_have_nothing_measured():
    found = package.model.translation(**PARAMETERS)
    assert found.measured is None
    assert found.paper == found.merged, "without translation pages nothing is merged"
    assert found.paper.translation_us == pytest.approx(0.4 * (25 + 0.5 * 225))


def test_a_changed_parameter_leaves_the_measured_figures_out(results):
    found = package.model.translation(results["dftl"], hit_ratio=1.0)
    assert found.measured is None
    assert found.paper.translation_us == 0


def test_a_result_without_a_figure_says_which(results):
    with pytest.raises(package.ConfigError, match=r"result\.mapping\.lookups: found nothing"):
        package.model.translation(results["page"])


def test_the_command_shows_each_layer_with_its_errors(ftlab, results):
    with open("results.json", "w", encoding="utf-8") as file:
        file.write(results.to_json())
    shown = ftlab("model", "translation", "results.json", "--plot", "model.svg")
    assert shown.exit_code == 0, shown.output
    assert "dftl write amplification (Eq. 13)" in shown.stdout
    assert "were written" in shown.stdout
    assert "page write" not in shown.stdout
    found = json.loads(ftlab("model", "translation", "results.json", "--json").stdout)
    assert [set(each) for each in found] == [{"parameters", "paper", "merged", "measured"}] * 2


def test_the_command_takes_a_result_of_a_folder(ftlab):
    workload = "randrw,bs=4k,size=8MiB,requests=20000,read_share=30%"
    device = ("--capacity", "8MiB", "--pages-per-block", "16")
    use = ("--set", "ftl.cache=512B", "--warmup", "random:1")
    swept = ftlab("sweep", "--workload", workload, "--ftl", "dftl", *device, *use)
    assert swept.exit_code == 0, swept.output
    (kept,) = Path("ftlab-results").glob("*.json.gz")
    found = json.loads(ftlab("model", "translation", kept, "--json").stdout)
    assert found["measured"]


def test_the_command_takes_parameters(ftlab):
    shown = ftlab("model", "translation", *SET)
    assert shown.exit_code == 0, shown.output
    assert "55" in shown.stdout
    assert ftlab("model", "translation", *SET, "-o", "model.md").exit_code == 0
    with open("model.md", encoding="utf-8") as file:
        assert file.read().startswith("|")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((), "missing field `hit_ratio`"),
        (("missing.json",), "missing.json: cannot be read: No such file"),
        (("empty.json",), "empty.json: found no result of a run"),
        (("text.json",), "expected JSON of `ftlab run --json`"),
        ((*SET, "--set", "hit_ratio=2"), "model.hit_ratio: found 2, expected 0 to 1"),
        ((*SET, "--set", "hit_rate=1"), "hit_ratio"),
        ((*SET, "--plot", "model.gif"), ".svg"),
    ],
)
def test_mistakes_are_told_in_one_line(ftlab, arguments, part):
    for name, content in (("empty.json", "[]"), ("text.json", "hello")):
        with open(name, "w", encoding="utf-8") as file:
            file.write(content)
    result = ftlab("model", "translation", *arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    (line,) = result.stderr.splitlines()
    assert part in line


@pytest.mark.long
@pytest.mark.parametrize("hot", [{}, {"hot_share": 0.2, "hot_access": 0.8}])
def test_runs_of_theorys_device_lie_where_theory_says(hot):
    found = package.model.gc(1, logical_blocks=218, blocks=256, **hot)
    known = [policy for policy in package.model.POLICIES if found.least[policy] is not None]
    assert known == list(package.model.POLICIES)
    for policy in known:
        (measured,) = found.measured[policy]
        assert 0.99 * found.least[policy] <= measured <= 1.01 * found.most[policy], policy
    measured = [found.measured[policy][0] for policy in package.model.POLICIES]
    assert measured == sorted(measured), "the more a policy looks, the fewer pages it copies"


def test_theory_of_collection_is_a_table(ftlab):
    sizes = ("--set", "logical_blocks=58", "--set", "blocks=64")
    shown = ftlab("model", "gc", *sizes, "--seeds", "1", "--csv").stdout
    rows = [line.split(",") for line in shown.splitlines()[1:]]
    assert [row[0] for row in rows] == list(package.model.POLICIES)
    assert all(float(row[3]) > 1 for row in rows)
    told = failure(ftlab("model", "gc", "--set", "logical_blocks=64", *sizes[2:]))
    assert "model.blocks: found 64, expected at least 2 more than" in told


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"hot_share": 0.5}, "found one of hot_share and hot_access"),
        ({"hot_share": 1.0, "hot_access": 1.0}, "model.hot_share: found 1"),
        ({"hot_share": 0.5, "hot_access": 0.0}, "model.hot_access: found 0"),
        ({"pages_per_block": 1}, "model.pages_per_block: found 1"),
        ({"choices": 0}, "model.choices: found 0"),
        ({"blocks": 4294967295, "logical_blocks": 4294967000}, "model.logical_blocks: found"),
        ({"block": 3}, 'did you mean "model.blocks"'),
    ],
)
def test_theory_of_collection_names_what_cannot_be(parameters, told):
    with pytest.raises(package.ConfigError, match=re.escape(told)):
        package.model.gc(**{"logical_blocks": 50, "blocks": 64, **parameters})


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"zone": 0.9}, 1.9873),
        ({"groups": [[0.2, 0.8], [0.1, 0.1], [0.7, 0.1]]}, 2.7456),
        ({"groups": [[1, 1]], "pages_per_block": 64}, 3.9485),
        ({"workload": package.Workload("rand", size="64MiB")}, 4.1820),
        ({"workload": {"pattern": "hotcold", "hot_share": 0.1, "hot_access": 0.9}}, 1.9873),
    ],
)
def test_the_least_that_separation_writes(parameters, expected):
    found = package.model.separation(fill=0.875, **parameters)
    assert found.write_amplification == pytest.approx(expected, abs=1e-4)
    assert found.together >= found.write_amplification - 0.25
    assert len(found.parts) == found.groups
    for share in ("pages", "writes", "physical"):
        assert sum(part[share] for part in found.parts) == pytest.approx(1), share


def test_the_least_that_separation_writes_is_a_table(ftlab):
    sizes = ("model", "separation", "--set", "fill=0.875")
    shown = ftlab(*sizes, "--set", "zone=0.9").stdout
    assert "1.9873 with the best division" in shown
    rows = ftlab(*sizes, "--set", "zone=0.9", "--csv").stdout.splitlines()
    assert rows[1:] == ["1,90.00 %,10.00 %,85.13 %", "2,10.00 %,90.00 %,14.87 %"]
    zipf = ftlab(*sizes, "--workload", "zipf,zipf_theta=0.8,size=64MiB,bs=4k").stdout
    assert "groups" in zipf
    told = failure(ftlab(*sizes, "--workload", "seq"))
    assert "workload.pattern: found seq, expected rand, zipf or hotcold" in told
    assert "model.fill: found 2" in failure(ftlab(*sizes[:3], "fill=2", "--set", "zone=0.5"))


def test_results_say_how_far_they_are_from_the_optimum(ftlab):
    hot = {"pattern": "hotcold", "hot_share": 0.1, "hot_access": 0.9, "read_share": 0, "bs": "4k"}
    device = {"capacity": "8MiB", "over_provisioning": "20%", "pages_per_block": 32}

    def run(ftl="page", warmup="random:1", config=None, **workload):
        source = package.Workload(**{**hot, "size": "8MiB", "requests": 8000, **workload})
        return package.simulate(
            source, ftl, warmup=warmup, config={"device": device, **(config or {})}
        )

    together, apart = run(), run("sepbit")
    for found in (together, apart):
        fill = 2048 / (found.device.blocks * 32)
        bound = package.model.separation(
            fill=fill, groups=[[0.1, 0.9], [0.9, 0.1]], pages_per_block=32
        )
        least = found.optimum.write_amplification
        assert least == pytest.approx(bound.write_amplification, rel=2e-3)
        assert found.optimum.gap == pytest.approx(found.write_amplification / least - 1)
        assert found.optimum.absent is None
    assert 0 < apart.optimum.gap < together.optimum.gap
    half = run(size="4MiB")
    assert half.optimum.write_amplification < together.optimum.write_amplification, "half is still"
    for found, reason in [
        (run(warmup="none"), "the device begins empty"),
        (run(pattern="seq"), "workload.pattern: found seq"),
        (run(bs="8k"), "workload.bs: found 8KiB"),
        (run(config={"buffer": {"policy": "lru"}}), "a write buffer"),
        (run(warmup="footprint", requests=100), "pages of the workload were written"),
    ]:
        assert (found.optimum.write_amplification, found.optimum.gap) == (None, None)
        assert reason in found.optimum.absent
    trace = package.simulate(package.profile("financial1", requests=500), "page")
    assert "a trace or a profile" in trace.optimum.absent
    asked = "compare --workload hotcold,size=8MiB,requests=4000 --ftl page,dftl --capacity 8MiB"
    shown = ftlab(*asked.split(), "--warmup=random:1", "--over-provisioning=25%").stdout
    assert "gap to optimum" in shown
