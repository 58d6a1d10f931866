"""The FTL of examples/own-ftl, installed next to ftlab as docs/tutorial-rust.md installs one."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import ftlab
from ftlab import _core, cores

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "own-ftl"
SMALL = ["--workload", "randwrite,bs=4k,size=16MiB,requests=3000"]
BUILD = {
    **os.environ,
    "CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target")),
    "MATURIN_PEP517_ARGS": "--profile dev",
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    "PYO3_PYTHON": sys.executable,
}


def done(command: list[str], **options: object) -> str:
    """Run a command that must succeed; what it prints."""
    finished = subprocess.run(command, capture_output=True, text=True, **options)
    assert finished.returncode == 0, f"{command}\n{finished.stdout}\n{finished.stderr}"
    return finished.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment that has the package; it is not installed for the other tests."""
    folder = tmp_path_factory.mktemp("packages")
    options = ["--quiet", "--no-build-isolation", "--no-deps", "--target", str(folder)]
    install = [sys.executable, "-m", "pip", "install", *options, str(EXAMPLE)]
    done(install, env=BUILD)
    return {**os.environ, "PYTHONPATH": str(folder)}


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path):
    """Runs `ftlab` where the package is installed."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ftlab", *map(str, arguments)]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    return run


@pytest.fixture
def python(environment: dict[str, str], tmp_path: Path):
    """Runs a program where the package is installed; what it prints."""

    def run(text: str) -> str:
        program = textwrap.dedent(text)
        return done([sys.executable, "-c", program], cwd=tmp_path, env=environment)

    return run


def test_the_tests_of_the_example_pass():
    passed = done(["cargo", "test", "--locked"], cwd=EXAMPLE, env=BUILD)
    assert "test dac::tests::laws ... ok" in passed


def test_it_is_listed_with_its_settings(run):
    (listed,) = json.loads(run("list", "ftls", "dac", "--json").stdout)
    assert listed["source"] == "Chiang, Lee & Chang, SP&E 1999"
    assert listed["title"] == "DAC"
    own = [each for each in listed["settings"] if each["section"] == "dac"]
    assert {each["key"]: each["default"] for each in own} == {
        "dac.regions": "4",
        "dac.young": "25%",
    }
    names = [each["name"] for each in json.loads(run("list", "ftls", "--json").stdout)]
    assert names == [each["name"] for each in json.loads(_core.catalog())["ftls"]] + ["dac"]


def test_it_runs_with_its_settings(run):
    result = json.loads(
        run("run", *SMALL, "--ftl", "dac", "--set", "dac.regions=6", "--json").stdout
    )
    assert (result["ftl"], result["checks"]["violations"]) == ("dac", 0)
    assert result["config"]["dac"] == {"regions": 6, "young": 0.25}
    assert result["own"]["dac.promoted"] > 0


def test_it_is_compared_with_others_over_one_reading(run):
    assert "DAC" in run("compare", *SMALL, "--ftl", "page,Dac").stdout.splitlines()[2]
    both = run("compare", *SMALL, "--ftl", "page,dac", "--report", "report.html", "--json")
    assert [each["ftl"] for each in json.loads(both.stdout)] == ["page", "dac"], both.stderr
    alone = run("compare", *SMALL, "--ftl", "page,tpftl", "--json")
    pages = [json.loads(each.stdout)[0] for each in (both, alone)]
    assert pages[0]["flash"] == pages[1]["flash"], "page is the same on both cores"


def test_its_mistakes_are_told_as_others_are(run, python):
    wrong = run("run", *SMALL, "--ftl", "dac", "--set", "dac.regions=9")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert "dac.regions: found 9, expected 1 to 8" in wrong.stderr
    assert "unknown FTL" in run("run", *SMALL, "--ftl", "dax").stderr
    caught = """
        import ftlab
        try:
            ftlab.simulate(ftlab.Workload(requests=10), ftlab.Ftl("dac", regions=9))
        except ftlab.ConfigError as error:
            print(error)
    """
    assert python(caught) == "dac.regions: found 9, expected 1 to 8\n"


def test_the_laws_hold_for_it_on_its_core(run):
    answer = run("check", "dac", "--cases", 20)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.count("holds  ") == len(answer.stdout.splitlines())


def test_it_stands_beside_classes_of_python(python):
    told = """
        import ftlab

        class Oldest:
            def __init__(self, pool):
                self.closed = {}

            def close(self, block, valid, now):
                self.closed[block] = None

            def remove(self, block, valid):
                del self.closed[block]

            def choose(self, now):
                return next(iter(self.closed), None)

        workload = ftlab.Workload("randwrite", bs="4k", size="16MiB", requests=3000)
        print(ftlab.simulate(workload, ftlab.Ftl("dac", regions=3), gc=Oldest).config["dac"])
        ftls = ["dac", ftlab.DFTL(cache="1KiB", replacement="2q"), "page"]
        print(*ftlab.compare(workload, ftls, gc=Oldest).labels)
    """
    assert python(told).splitlines() == ["{'regions': 3, 'young': 0.25}", "dac dftl page"]


def test_its_core_has_every_function_of_ours(python):
    names = python("from ftlab_dac import _dac; print(*dir(_dac))").split()
    functions = {name for name in dir(_core) if callable(getattr(_core, name))}
    exceptions = {name for name in functions if isinstance(getattr(_core, name), type)}
    assert functions - exceptions <= set(names)


def test_its_class_has_the_settings_of_the_catalogue(python):
    settings = """
        import ftlab
        from ftlab_dac import DAC
        (dac,) = (each for each in ftlab.catalog().ftls if each.name == "dac")
        keys = {each.name: each.key for each in dac.settings if each.section == "dac"}
        print(keys == DAC.keys())
    """
    assert python(settings) == "True\n"


def test_points_of_an_experiment_run_on_the_core_that_knows_them(python):
    told = """
        from ftlab.points import Point, run_points
        workload = {"pattern": "randwrite", "size": "16MiB", "requests": 1000}
        points = [Point(ftl, {"workload": workload}, ftl) for ftl in ("page", "dac", "dftl")]
        print([result.ftl for result in run_points(points, "results")])
        print([point.core.__name__ for point in points])
    """
    lines = python(told).splitlines()
    assert lines == [
        "['page', 'dac', 'dftl']",
        "['ftlab._core', 'ftlab_dac._dac', 'ftlab._core']",
    ]


class CoreOf:
    """A core that has one FTL more, ``page`` by another name."""

    __version__ = _core.__version__

    def __init__(self, name: str) -> None:
        self.__name__ = self.name = name

    def catalog(self) -> str:
        everything = json.loads(_core.catalog())
        everything["ftls"].append({"name": self.name, "settings": []})
        return json.dumps(everything)

    def resolve(self, config: str, plugins: object = ()) -> str:
        return _core.resolve(config, plugins)

    def simulate(self, points, *rest) -> str:
        known = [(config, {self.name: "page"}.get(ftl, ftl)) for config, ftl in points]
        results = json.loads(_core.simulate(known, *rest))
        told = [{**result, "ftl": ftl} for result, (_, ftl) in zip(results, points, strict=True)]
        return json.dumps(told)


def test_ftls_of_two_packages_run_side_by_side(monkeypatch):
    monkeypatch.setattr(cores, "plugins", lambda: (CoreOf("one"), CoreOf("two")))
    workload = ftlab.Workload("randwrite", bs="4k", size="16MiB", requests=1000)
    found = ftlab.compare(workload, ["two", "dftl", "one", "page"])
    assert [result.ftl for result in found] == ["two", "dftl", "one", "page"]
    assert found[0].flash == found[2].flash == found[3].flash


def test_entry_points_are_not_looked_up_for_what_ftlab_knows(monkeypatch):
    monkeypatch.setattr("importlib.metadata.distributions", lambda: pytest.fail("looked up"))
    cores.plugins.cache_clear()
    result = ftlab.simulate(ftlab.Workload(requests=10), ftlab.TPFTL())
    assert result.ftl == "tpftl"
