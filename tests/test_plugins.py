"""FTLs, orders of replacement, victim policies and write buffers written in Python."""

import contextlib
import json
import re
from pathlib import Path

import pytest

import ftlab
from ftlab import cores
from ftlab.blame import where
from ftlab.config import merge
from ftlab.plugins import Buffer, Policy, Replacement, load, resolved
from ftlab.simulation import execute
from marks import long_but
from test_docs import PAGE_MAPPED, ROOT, files_of

FILES = {**files_of(ROOT / "docs" / "tutorial-python.md"), "my_ftl.py": PAGE_MAPPED}
"""The files of the tutorial, with the FTL that `ftlab new` writes."""
SMALL = ftlab.Device(capacity="16MiB", over_provisioning=0.1, pages_per_block=32)


@pytest.fixture(scope="module")
def classes(tmp_path_factory) -> dict[str, type]:
    """The classes of the tutorial, each from the file that it tells to save."""
    folder = tmp_path_factory.mktemp("tutorial")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    kinds = {"ftl": "my_ftl.py", "replacement": "my_2q.py"}
    kinds |= {"policy": "my_parts.py", "buffer": "my_parts.py"}
    return {kind: load(kind, str(folder / file)) for kind, file in kinds.items()}


@pytest.fixture
def page_mapped(classes) -> type:
    return classes["ftl"]


def uniform(**settings):
    return ftlab.Workload("randwrite", bs="4k", size="16MiB", requests=12_000, **settings)


WORKLOADS = {
    "uniform writes": uniform(),
    "reads and writes": ftlab.Workload(
        "randrw", bs="4k", size="16MiB", requests=15_000, read_share=0.4
    ),
    "long requests": ftlab.Workload("randwrite", bs="64k", size="16MiB", requests=1500),
    "skewed": ftlab.Workload("zipf", bs="8k", size="16MiB", requests=10_000, zipf_theta=0.9),
}
COUNTS = ("flash", "write_amplification", "host", "response_us", "planes", "wear", "device")


@pytest.mark.parametrize("name", long_but(["uniform writes"], WORKLOADS))
def test_a_page_map_in_python_does_what_the_built_in_one_does(page_mapped, name):
    workload = WORKLOADS[name]
    results = [
        ftlab.simulate(workload, each, SMALL, warmup="sequential") for each in (page_mapped, "page")
    ]
    assert results[1].wear.erases_total > 50, "garbage is collected"
    for figure in COUNTS:
        assert results[0][figure] == results[1][figure], figure


def test_a_page_map_in_python_can_be_watched(page_mapped):
    frames: list = []
    result = ftlab.simulate(uniform(), page_mapped, SMALL, frames=frames.append, every=4000)
    assert [frame.requests for frame in frames] == [0, 4000, 8000, 12_000]
    assert frames[-1].so_far.write_amplification == result.write_amplification


def test_of_a_page_map_in_python_which_does_not_mount_there_is_no_time_of_a_mount(page_mapped):
    told = ftlab.simulate(uniform(), page_mapped, SMALL, run={"recovery": True})
    assert told.recovery.time_s is None
    assert any("does not mount" in each for each in told.warnings)


@pytest.mark.long
def test_a_page_map_in_python_does_so_under_other_thresholds_and_on_a_trace(page_mapped):
    setup = {"gc": {"low": 5, "high": 9}, "config": {"input": {"requests": 4000}}}
    results = [
        ftlab.simulate("financial1", each, warmup="footprint", **setup)
        for each in (page_mapped, "page")
    ]
    assert results[0].flash == results[1].flash
    assert results[0].response_us == results[1].response_us


def test_the_lines_of_the_page_map_are_few():
    lines = PAGE_MAPPED.partition("from heapq")[2].splitlines()
    code = [line for line in lines if line.strip() and not line.lstrip().startswith(("#", '"""'))]
    assert len(code) < 52


@pytest.mark.parametrize("base", ["dftl", "dloop"])
@pytest.mark.parametrize("evict_batch", [False, True])
def test_2q_in_python_does_what_its_twin_in_the_core_does(classes, base, evict_batch):
    def run(replacement):
        own = {"replacement": replacement, "evict_batch": evict_batch, "protected": 0.7}
        return ftlab.simulate(
            WORKLOADS["skewed"], base, SMALL, config={"dftl": own, "ftl": {"cache": "2KiB"}}
        )

    mine, twin = run(Replacement(classes["replacement"], protected=0.7)), run("2q")
    assert twin.mapping.replacements > 1000
    assert mine.mapping == twin.mapping
    for figure in COUNTS:
        assert mine[figure] == twin[figure], figure
    assert mine.ftl == f"{base}(TwoQ(protected=0.7))"


def test_a_policy_and_a_buffer_in_python_do_what_their_twins_in_the_core_do(classes):
    setup = {"device": SMALL, "warmup": "sequential"}
    mine = ftlab.simulate(
        WORKLOADS["skewed"], "page", gc=classes["policy"], buffer=classes["buffer"], **setup
    )
    twin = ftlab.simulate(WORKLOADS["skewed"], "page", gc="fifo", buffer="lru", **setup)
    assert twin.wear.erases_total > 50
    for figure in (*COUNTS, "buffer", "gc"):
        assert mine[figure] == twin[figure], figure


WRONG = {
    "forgets to invalidate": (
        "            self.remap(lpn, new, flash)",
        "            self.map[lpn] = new",
        r"page \d+ is valid, but an old copy of logical page \d+",
    ),
    "loses a page": (
        "        for old in flash.valid_pages(block):\n",
        "        for old in flash.valid_pages(block):\n"
        "            if old % 7 == 3:\n"
        "                flash.invalidate(old)\n"
        "                continue\n",
        r"holds data but has no valid copy|must find the newest version|only a valid page can be",
    ),
    "erases valid pages": (
        "for old in flash.valid_pages(block):\n",
        "for old in flash.valid_pages(block)[1:]:\n",
        r"a block with valid pages must not be erased: page \d+ \(block \d+: .* 1 valid.*erases\)"
        r"(?s:.*)last operations: ",
    ),
    "programs out of order": (
        "return flash.next_page(self.open)",
        "return flash.next_page(self.open) ^ 1",
        r"pages of a block are programmed in ascending order: page \d+ \(block \d+: .*\)",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("mistake", long_but(["forgets to invalidate"], WRONG))
def test_the_laws_catch_a_mistake_and_say_what_reproduces_it(ftlab, mistake):
    right, wrong, told = WRONG[mistake]
    text = PAGE_MAPPED
    assert right in text
    Path("wrong.py").write_text(text.replace(right, wrong))
    answer = ftlab("check", "wrong.py", "--cases", "20")
    assert answer.exit_code == 1, answer.output
    assert re.search(told, answer.output), answer.output
    case = re.search(r"ftlab check wrong\.py --case '(\d+)'", answer.output)
    assert case, answer.output
    again = ftlab("check", "wrong.py", "--case", case[1])
    assert again.exit_code == 1
    assert re.search(told, again.output), again.output


@pytest.mark.long
def test_the_laws_hold_for_the_tutorial_and_a_built_in_ftl(ftlab):
    Path("my_ftl.py").write_text(PAGE_MAPPED)
    for name in ("./my_ftl.py:PageMapped", "tpftl"):
        answer = ftlab("check", name, "--cases", "10")
        assert answer.exit_code == 0, answer.output
        assert answer.output.count("holds  ") == 19


def test_a_broken_rule_names_the_line_and_the_run(page_mapped):
    class Wrong(page_mapped):
        def next_page(self, flash):
            return super().next_page(flash) ^ 1

    with pytest.raises(ftlab.RuleError, match=r"ascending order: page 1 .block 0") as raised:
        ftlab.simulate(uniform(), Wrong, SMALL, seed=3)
    assert "flash.program(new, lpn)" in where(raised.value)
    assert raised.value.__notes__ == ["in Wrong at request 1 with seed 3"]


def test_a_broken_rule_ends_the_run_even_if_it_is_caught(page_mapped):
    class Wrong(page_mapped):
        def trim(self, pages, flash):
            raise AssertionError("not called")

        def read(self, pages, flash):
            with contextlib.suppress(ftlab.RuleError):
                flash.erase(10**6)

    reads = ftlab.Workload("randread", bs="4k", size="16MiB", requests=10)
    with pytest.raises(ftlab.RuleError, match="must be on the device: found block 1000000"):
        ftlab.simulate(reads, Wrong, SMALL)


def test_an_exception_of_the_users_code_surfaces_with_its_traceback(page_mapped):
    class Wrong(page_mapped):
        def write(self, pages, flash):
            self.nothing.append(pages)

    with pytest.raises(AttributeError, match="nothing") as raised:
        ftlab.simulate(uniform(), Wrong, SMALL)
    assert "self.nothing.append(pages)" in where(raised.value)
    assert ftlab.simulate(uniform(), "page", SMALL).checks.violations == 0


def test_an_endless_collection_ends(page_mapped):
    class Wrong(page_mapped):
        def make_room(self, flash):
            while True:
                flash.hold_later_pages()

    with pytest.raises(ftlab.RuleError, match="endless loop"):
        ftlab.simulate(uniform(), Wrong, SMALL)


def test_the_flash_cannot_be_kept(page_mapped):
    class Wrong(page_mapped):
        def write(self, pages, flash):
            super().write(pages, flash)
            self.kept = flash

        def metrics(self):
            return {"valid": self.kept.valid_in(0)} if hasattr(self, "kept") else {}

    with pytest.raises(ftlab.RuleError, match="only inside the call"):
        ftlab.simulate(uniform(), Wrong, SMALL)


def test_a_device_that_is_too_small_is_a_mistake_in_the_configuration(page_mapped):
    class Large(page_mapped):
        spare_blocks = 10_000

    with pytest.raises(ftlab.ConfigError, match=r"device\.blocks: found \d+, Large needs \d+"):
        ftlab.simulate(uniform(), Large, SMALL)

    class Refuses(page_mapped):
        def __init__(self, device):
            raise ftlab.TooSmall(f"found {device.blocks}, expected more")

    with pytest.raises(ftlab.ConfigError, match=r"device\.blocks: found \d+, expected more"):
        ftlab.simulate(uniform(), Refuses, SMALL)


@pytest.mark.long
def test_settings_name_and_figures_of_a_class_are_in_the_result(page_mapped):
    class Mine(page_mapped):
        """Counts."""

        name = "mine"

        def __init__(self, device, step=1):
            super().__init__(device)
            self.step, self.counted, self.ram = step, 0, 4 * device.logical_pages

        def write(self, pages, flash):
            super().write(pages, flash)
            self.counted += self.step

        def metrics(self):
            return {"counted": self.counted, "gc_runs": 0}

        def mapping(self, lpn):
            return self.map[lpn]

    chosen = [ftlab.PythonFtl(Mine, step=3), Mine, "page"]
    found = ftlab.compare(uniform(), chosen, SMALL, warmup="sequential")
    assert list(found.labels) == ["mine(step=3)", "mine", "page"]
    assert found[0].own["counted"] == 3 * 12_000, "since measuring started"
    assert found[1].own["counted"] == 12_000
    assert found[0].ram_bytes == found[2].ram_bytes
    assert found[0].gc.runs == 0


def test_settings_by_name_reach_a_class(page_mapped, tmp_path):
    text = PAGE_MAPPED.replace("device: DeviceInfo)", "device: DeviceInfo, step: int = 1)")
    (tmp_path / "my_ftl.py").write_text(text)
    named = f"{tmp_path / 'my_ftl.py'}:PageMapped"
    found = ftlab.simulate(uniform(), ftlab.Ftl(named, step=2), SMALL)
    assert found.ftl == "PageMapped(step=2)"
    refused = r'unknown key "PageMapped.stride"; known: PageMapped.step$'
    with pytest.raises(ftlab.ConfigError, match=refused):
        ftlab.simulate(uniform(), ftlab.Ftl(named, stride=2), SMALL)


def test_a_map_that_is_wrong_is_found_by_the_audit(page_mapped):
    class Wrong(page_mapped):
        def mapping(self, lpn):
            return 0

    with pytest.raises(ftlab.RuleError, match=r"page 0|dead page") as raised:
        ftlab.simulate(uniform(), Wrong, SMALL)
    assert "in Wrong at request" in raised.value.__notes__[0]


def test_the_command_line_takes_files(ftlab):
    for name, text in FILES.items():
        Path(name).write_text(
            text.replace("device: DeviceInfo)", "device: DeviceInfo, step: int = 1)")
        )
    source = ["--workload", "randwrite,bs=4k,size=16MiB,requests=3000", "--capacity", "16MiB"]
    answer = ftlab("compare", *source, "--ftl", "./my_ftl.py,page", "--json")
    assert answer.exit_code == 0, answer.output
    assert '"ftl": "PageMapped"' in answer.output
    answer = ftlab("run", *source, "--ftl", "my_ftl.py:PageMapped", "--set", "PageMapped.step=2")
    assert "PageMapped(step=2)" in answer.output
    parts = ["--gc", "my_parts.py:Oldest", "--buffer", "my_parts.py:Recent"]
    answer = ftlab("run", *source, "--ftl", "tpftl", *parts)
    assert answer.exit_code == 0, answer.output
    answer = ftlab("load", *source, "--ftl", "my_ftl.py", "--depths", "1,4", "--loads", "")
    assert answer.exit_code == 0, answer.output
    answer = ftlab("run", *source, "--ftl", "nothing.py")
    assert (answer.exit_code, "nothing.py: cannot be read" in answer.output) == (2, True)
    answer = ftlab("run", *source, "--ftl", "my_parts.py")
    assert "my_parts.py: found 0 classes with read, write, trim" in answer.output
    answer = ftlab("run", *source, "--ftl", "my_ftl.py", "--print-config")
    assert answer.exit_code == 0, answer.output


def test_settings_by_name_reach_their_class_alone(ftlab):
    text = PAGE_MAPPED.replace("device: DeviceInfo)", "device: DeviceInfo, step: int = 1)")
    Path("my_ftl.py").write_text(text)
    Path("other.py").write_text(text.replace("PageMapped", "Other"))
    source = ["--workload", "randwrite,bs=4k,size=16MiB,requests=300", "--json"]
    chosen = [*source, "--ftl", "./my_ftl.py,other.py,page", "--set", "PageMapped.step=2"]
    answer = ftlab("compare", *chosen, "--set", "Other.step=3")
    assert answer.exit_code == 0, answer.output
    names = [each["ftl"] for each in json.loads(answer.stdout)]
    assert names == ["PageMapped(step=2)", "Other(step=3)", "page"]
    assert ftlab("compare", *chosen, "--set", "Other.step=3", "--print-config").exit_code == 0


MISTAKES = {
    "gc=5": "gc: found 5, expected settings by their keys",
    "PageMapped=5": "PageMapped: found 5, expected settings by their keys",
    "PageMapped.stepp=2": 'unknown key "PageMapped.stepp"; known: PageMapped.step',
    "PageMapped.cls=2": 'unknown key "PageMapped.cls"; known: PageMapped.step',
}


@pytest.mark.parametrize("mistake", list(MISTAKES))
def test_a_mistake_in_a_setting_is_told_in_one_line(ftlab, mistake):
    text = PAGE_MAPPED.replace("device: DeviceInfo)", "device: DeviceInfo, step: int = 1)")
    Path("my_ftl.py").write_text(text)
    source = ["--workload", "randwrite,bs=4k,size=16MiB,requests=300"]
    answer = ftlab("run", *source, "--ftl", "my_ftl.py", "--set", mistake)
    assert (answer.exit_code, answer.stderr) == (2, f"error: {MISTAKES[mistake]}\n")


def test_a_section_may_be_absent(page_mapped):
    assert ftlab.simulate(uniform(), page_mapped, SMALL, config={"gc": None}).ftl == "PageMapped"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def (\n", r"error: bad.py: cannot be loaded: SyntaxError: .*line 1\)\n"),
        ("import nothing_here\n", r"error: bad.py: cannot be loaded: ModuleNotFoundError: .*\n"),
    ],
    ids=["syntax", "import"],
)
def test_a_file_that_cannot_be_loaded_is_told_in_one_line(ftlab, text, told):
    Path("bad.py").write_text(text)
    answer = ftlab("run", "financial1", "--ftl", "bad.py")
    assert answer.exit_code == 2
    assert re.fullmatch(told, answer.stderr), answer.stderr


def test_a_bug_of_an_ftl_of_the_user_is_not_one_of_ftlab(ftlab):
    right, wrong, told = WRONG["forgets to invalidate"]
    Path("wrong.py").write_text(PAGE_MAPPED.replace(right, wrong))
    source = ["--workload", "randwrite,bs=4k,size=16MiB,requests=6000"]
    answer = ftlab("run", *source, "--ftl", "wrong.py")
    assert answer.exit_code == 1
    assert re.search(told, answer.stderr), answer.stderr
    assert "please report" not in answer.stderr


def test_the_line_of_the_user_is_told_not_that_of_a_library(ftlab):
    text = PAGE_MAPPED
    wrong = text.replace(
        "        return flash.next", "        random.choice([])\n        return flash.next"
    )
    Path("wrong.py").write_text(f"import random\n{wrong}")
    answer = ftlab("check", "wrong.py", "--cases", "5")
    assert re.search(r"wrong.py, line \d+, in next_page: random.choice\(\[\]\)", answer.output)


@pytest.mark.long
def test_the_line_of_a_device_that_was_drawn_in_vain_is_not_told(ftlab):
    text = PAGE_MAPPED
    right, wrong, _ = WRONG["programs out of order"]
    odd = "self.device = device\n        if device.gc_low % 3:\n            raise KeyError('odd')\n"
    text = text.replace(right, wrong).replace("self.device = device\n", odd)
    Path("wrong.py").write_text(text)
    answer = ftlab("check", "wrong.py", "--cases", "40")
    assert answer.exit_code == 1
    assert "ascending order" in answer.output
    assert "KeyError" not in answer.output
    assert "raise" not in answer.output


def test_a_class_without_a_method_and_a_second_ftl_of_a_name_are_refused(page_mapped):
    with pytest.raises(ftlab.ConfigError, match="Empty: found no method read, expected read, "):
        ftlab.simulate(uniform(), type("Empty", (), {}), SMALL)
    twin = type("PageMapped", (page_mapped,), {})
    with pytest.raises(ftlab.ConfigError, match="FTL: found two called PageMapped; give "):
        ftlab.compare(uniform(), [page_mapped, twin], SMALL)
    named = type("Mine", (page_mapped,), {"name": "page"})
    with pytest.raises(ftlab.ConfigError, match="FTL: found two called page; give one"):
        ftlab.simulate(uniform(), named, SMALL)
    named = type("gc", (page_mapped,), {})
    with pytest.raises(ftlab.ConfigError, match="FTL: found one called gc as a section"):
        ftlab.simulate(uniform(), named, SMALL)


@pytest.mark.parametrize("kind", ["policy", "buffer"])
def test_two_parts_of_a_name_are_refused(classes, kind):
    section, taken = {"policy": ("gc", "greedy"), "buffer": ("buffer", "none")}[kind]
    one = classes[kind]
    twin = type(one.__name__, (one,), {})
    both = [
        (merge([uniform().config(), {section: {"policy": each}}]), "page") for each in (one, twin)
    ]
    with pytest.raises(
        ftlab.ConfigError, match=rf"{section}.policy: found two called {twin.__name__};"
    ):
        execute(both)
    named = type("Mine", (one,), {"name": taken})
    with pytest.raises(ftlab.ConfigError, match=f"found two called {taken}; give one"):
        ftlab.simulate(uniform(), "page", SMALL, config={section: {"policy": named}})


def test_one_order_serves_two_ftls(classes):
    order = Replacement(classes["replacement"])
    both = ftlab.compare(
        uniform(), ["dftl", "dloop", "page"], SMALL, config={"dftl": {"replacement": order}}
    )
    assert [result.ftl for result in both] == ["dftl(TwoQ)", "dloop(TwoQ)", "page"]


def test_an_order_is_refused_under_an_engine_that_is_not_dftls(classes, monkeypatch):
    monkeypatch.setattr(cores, "obeying", lambda key: (["dftl"], ["other"]))
    config = {"dftl": {"replacement": classes["replacement"]}}
    with pytest.raises(
        ftlab.ConfigError, match="replacement: found a class under other, expected d"
    ):
        resolved(config, "other")


def test_a_plugin_of_another_kind_is_refused(classes, page_mapped):
    for wrong in (Policy(classes["policy"]), Replacement(classes["replacement"])):
        with pytest.raises(ftlab.ConfigError, match=f"{wrong}: found an? .*, expected an FTL"):
            ftlab.simulate(uniform(), wrong, SMALL)
    with pytest.raises(ftlab.ConfigError, match="found an FTL, expected a victim policy"):
        ftlab.simulate(uniform(), "page", SMALL, gc=ftlab.PythonFtl(page_mapped))


def test_classes_are_shown_by_their_names(classes):
    order = classes["replacement"]
    assert str(ftlab.DFTL(replacement=order)) == "dftl(replacement=TwoQ)"
    order = Replacement(order, protected=0.5)
    assert str(ftlab.DFTL(replacement=order)) == "dftl(replacement=TwoQ(protected=0.5))"
    named = type("Order", (order.cls,), {"name": "mine"})
    assert str(ftlab.DFTL(replacement=named)) == "dftl(replacement=mine)"


class Unordered:
    """A buffer, but for what leaves next."""

    def __init__(self, capacity, pages_per_block):
        self.pages = []

    def insert(self, lpn, is_write):
        self.pages.append(lpn)

    def touch(self, lpn, is_write):
        pass

    def remove(self, lpn):
        self.pages.remove(lpn)


@pytest.mark.parametrize(
    ("leaving", "told"),
    [
        (lambda pages: [], r"at least one page must leave a buffer: evict\(\) returned \[\]"),
        (lambda pages: [pages[0], pages[0]], r"must be in it, each once: evict\(\) returned "),
        (lambda pages: [max(pages) + 1], r"must be in it, each once: evict\(\) returned "),
        (lambda pages: [min(pages), max(pages)], r"together must be of one logical block: evict"),
    ],
    ids=["none", "twice", "foreign", "two blocks"],
)
def test_pages_that_cannot_leave_a_buffer_are_refused(leaving, told):
    wrong = type("Wrong", (Unordered,), {"evict": lambda self: leaving(self.pages)})
    with pytest.raises(ftlab.RuleError, match=told):
        ftlab.simulate(uniform(), "page", SMALL, buffer={"policy": wrong, "size": "256KiB"})


def test_settings_that_a_constructor_does_not_take_are_refused(classes):
    with pytest.raises(ftlab.ConfigError, match=r'unknown key "Oldest.age"; known: none'):
        Policy(classes["policy"], age=3)
    with pytest.raises(ftlab.ConfigError, match=r'unknown key "Recent.cls"'):
        Buffer(classes["buffer"], cls=3)
    bare = type("Bare", (classes["policy"],), {"__init__": lambda self: None})
    with pytest.raises(ftlab.ConfigError, match=r"Bare: too many .*, expected __init__\(pool, \*"):
        Policy(bare)


def test_a_victim_that_is_no_candidate_is_refused(classes):
    wrong = type(
        "Wrong", (classes["policy"],), {"choose": lambda self, now: 0 if self.closed else None}
    )
    with pytest.raises(ftlab.RuleError, match=r"closed block: choose.. returned 0"):
        ftlab.simulate(uniform(), "page", SMALL, gc=wrong)
    wrong = type("Wrong", (classes["replacement"],), {"victim": lambda self: 4095})
    with pytest.raises(ftlab.RuleError, match=r"in the cache: victim.. returned 4095"):
        ftlab.simulate(uniform(), ftlab.DFTL(cache="1KiB", replacement=wrong), SMALL)


def test_the_only_class_of_a_kind_is_found(tmp_path):
    file = tmp_path / "parts.py"
    file.write_text(FILES["my_parts.py"])
    assert load("policy", str(file)).__name__ == "Oldest"
    with pytest.raises(ftlab.ConfigError, match="found no class Newest"):
        load("policy", str(file), "Newest")


def test_ram_that_a_class_does_not_state_is_not_known(page_mapped):
    silent = type("Silent", (page_mapped,), {"ram": None})
    found = ftlab.simulate(uniform(), silent, SMALL)
    assert found.ram_bytes.to_dict() == {"tables": None, "cache": 0, "buffer": 0}
    assert [found.energy[key] for key in ("ram_j", "total_j", "nj_per_host_byte")] == [None] * 3
    assert found.energy.flash_j.host > 0
    assert any("does not state its RAM" in each for each in found.warnings)


def test_ram_is_asked_at_the_end_too(page_mapped):
    class Grows(page_mapped):
        requests = 0

        def write(self, pages, flash):
            self.requests += 1
            super().write(pages, flash)

        def ram(self):
            return 8 * self.requests

    class Shrinks(page_mapped):
        ram = 4096

        def write(self, pages, flash):
            self.ram = 16
            super().write(pages, flash)

    found = ftlab.simulate(uniform(), Grows, SMALL)
    assert found.ram_bytes.tables == 8 * found.host.writes > 0
    assert found.energy.ram_j > 0
    assert not any("does not state its RAM" in each for each in found.warnings)
    assert ftlab.simulate(uniform(), Shrinks, SMALL).ram_bytes.tables == 4096
