"""The playground: what its address tells, its commands, and the page in a browser.

That a browser's figures are those of the core is a test of `crates/ftlab-playground`.
"""

import base64
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import ftlab as package
from cdp import Page
from ftlab import _core

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import playground  # noqa: E402

NODE = shutil.which("node")


def leave_out(lacking: str) -> None:
    """Skip so that it is seen, or fail where nothing may be left out."""
    if os.environ.get("FTLAB_WASM_REQUIRED"):
        pytest.fail(f"FTLAB_WASM_REQUIRED is set: {lacking}")
    pytest.skip(f"LOOKED AT BY NOBODY: {lacking}")


def in_node(body: str) -> object:
    """Return what ``body`` returns, which may use the scripts that need no page."""
    if NODE is None:
        leave_out("no node: install nodejs")
    names = ("state", "commands", "results", "sketch", "lessons", "unpack")
    scripts = [(playground.SOURCES / f"{name}.js").read_text() for name in names]
    data = json.dumps(playground.told())
    program = f"""{"".join(scripts)}
const data = {data}, rows = new Map(data.settings.map(row => [row.key, row]));
const kinds = new Map(data.settings.map(row => [row.key, row.kind]));
const obeys = new Map(data.ftls.map(ftl => [ftl.name, ftl.settings]));
process.stdout.write(JSON.stringify((() => {{ {body} }})()));"""
    done = subprocess.run(
        [str(NODE), "-"], input=program, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_an_address_tells_the_state_that_it_was_written_from():
    assert (
        in_node("""
      const texts = ["64MiB", "33%", "a,b&c=d", "[[\\"4k\\", 3]]", "+", "%25 #x", "µ"];
      const states = [state.START];
      for (let n = 0; n < 2000; n++) {
        const settings = {};
        for (let k = 0; k < n % 7; k++) {
          const key = data.settings[(n * 31 + k * 17) % data.settings.length].key;
          settings[key] = texts[(n + k) % 7];
        }
        const lesson = n % 3 ? null : 1 + n % 6;
        states.push({ ftls: ["page", "dftl"].slice(n % 2), settings, lesson });
      }
      const same = (a, b) => JSON.stringify([a.ftls, a.lesson, Object.entries(a.settings).sort()])
        === JSON.stringify([b.ftls, b.lesson, Object.entries(b.settings).sort()]);
      return states.filter(each => !same(each, state.read(state.written(each), rows))).slice(0, 3);
    """)
        == []
    )


@pytest.mark.long
def test_an_address_of_anything_tells_a_small_state_of_known_keys():
    found = in_node("""
      let seed = 1;
      const draw = most => { seed = (seed * 48271) % 2147483647; return seed % most; };
      const parts = ["ftl=", "page", "&", "=", "%", "%ff", "%00", "device.capacity", "workload.",
        "__proto__", ".x=", "constructor.prototype", "lesson=", "start=", "9", "-1", ",", "#", "é",
        "\\u2028", "<script>", "[", "1e999"];
      const wrong = [];
      for (let n = 0; n < 100000; n++) {
        let text = "#";
        for (let k = draw(20); k > 0; k--) text += parts[draw(parts.length)];
        if (n % 1000 === 0) text += "ftl=page,".repeat(10000);
        const read = state.read(text, rows);
        const tree = state.config(state.obeyed(read, obeys), kinds);
        commands.line(read, null);
        commands.python(read, tree, null);
        const known = Object.keys(read.settings).every(key => rows.has(key));
        const ftls = read.ftls.length;
        if (!known || ftls < 1 || ftls > 4 || {}.x !== undefined) wrong.push(text.slice(0, 100));
      }
      return wrong.slice(0, 3);
    """)
    assert found == []


def test_every_ftl_runs_as_its_page_links_it():
    begun = in_node("""
      return data.ftls.map(({ name }) => {
        const read = state.read(`#start=${name}`, rows);
        const settings = { ...read.settings, "workload.requests": "500" };
        return [name, read.ftls, state.config(state.obeyed({ ...read, settings }, obeys), kinds)];
      });
    """)
    assert len(begun) > 30
    for name, ftls, tree in begun:
        assert ftls == (["page", name] if name != "page" else ["page"])
        workload = package.Workload(**tree.pop("workload"))
        assert package.simulate(workload, name, config=tree)["host"]["requests"] == 500


STATES = {
    "start": None,
    "one": {"ftls": ["fast"], "settings": {"workload.pattern": "seq", "workload.requests": "2000"}},
    "sizes": {
        "ftls": ["page"],
        "settings": {
            "workload.bs_mix": '[["4k", 3], ["16k", 1]]',
            "workload.plids": "0,2",
            "workload.size": "8MiB",
            "ftl.cache": "4KiB",
            "gc.policy": "d-choices",
            "gc.oob_scan": "true",
        },
    },
    "drawn": {
        "ftls": ["page"],
        "settings": {
            "workload.pattern": "parts",
            "workload.parts": "20 seq 0-100 0; 60 rand 20-40 0; 20 rand 0-100 0",
            "workload.fill": "false",
            "workload.read_share": "30%",
            "workload.size": "8MiB",
            "workload.requests": "2000",
        },
    },
    "profile": {
        "ftls": ["tpftl", "dftl"],
        "settings": {
            "input.trace": "financial1",
            "input.requests": "2000",
            "tpftl.features": "bc",
            "host.mode": "closed:4",
            "energy.read": "50.5",
        },
    },
}


@pytest.mark.parametrize("name", STATES)
def test_the_command_line_and_python_mean_what_the_page_runs(name, ftlab):
    told = in_node(f"""
      const now = {json.dumps(STATES[name])} ?? state.START;
      const meant = {{ ...now, settings: state.obeyed(now, obeys) }};
      const tree = state.config(meant.settings, kinds);
      return [tree, commands.line(meant, null), commands.python(meant, tree, null), now.ftls[0]];
    """)
    tree, line, python, ftl = told
    asked = json.loads(_core.resolve(json.dumps(tree)))
    words = shlex.split(line.replace("\\\n", " "))
    assert words[0] == "ftlab"
    printed = ftlab(*words[1:], "--print-config", "--json")
    assert printed.exit_code == 0, printed.output
    found = json.loads(printed.output)
    found.pop("ftls", None)
    given = json.loads(_core.resolve(json.dumps({k: v for k, v in found.items() if k in asked})))
    assert given == asked
    made: list = []
    code = python.replace("print(", "made.append(").replace("import ftlab", "")
    run = compile(code, name, "exec")
    if name in ("sizes", "one", "drawn"):
        exec(run, {"ftlab": package, "made": made})
        assert made[0]["ftl"] == ftl
        assert {key: made[0]["config"][key] for key in asked} == asked


def test_a_drawing_is_the_settings_that_it_tells():
    found = in_node("""
      let seed = 7;
      const draw = most => { seed = (seed * 48271) % 2147483647; return seed % most; };
      const keys = ["used", "hot", "begin", "end", "spot", "sequential", "reads"], wrong = [];
      let drawn = sketch.first({});
      for (let n = 0; n < 3000; n++) {
        drawn = sketch.moved(drawn, keys[draw(7)], draw(140) - 20 + draw(100) / 100);
        const { sequential, hot, begin, end } = drawn;
        const told = { ...sketch.written(drawn, "64MiB"), "device.capacity": "64MiB" };
        const { device, ...again } = sketch.read(told) ?? {};
        const meant = hot ? again : { ...again, begin, end };
        const same = keys.every(key => key === "spot" || meant[key] === drawn[key]);
        if (!same || sequential + hot > 100 || begin >= end) wrong.push([drawn, told]);
      }
      return wrong.slice(0, 3);
    """)
    assert found == []


def test_what_is_no_drawing_is_not_shown_as_one():
    texts = ["", "58 seq 0-90 0", "100 rand 0-100 1", "60 rand 0-100 0; 40 zipf:1 0-50 0", "x"]
    found = in_node(f"""
      const told = sketch.written(sketch.first({{}}), "8MiB");
      return {json.dumps(texts)}.map(text => sketch.read({{ ...told, "workload.parts": text }}))
        .concat([sketch.read({{}}), sketch.read({{ ...told, "workload.read_share": "50" }})]);
    """)
    assert found == [None] * (len(texts) + 2)


@pytest.mark.long
@pytest.mark.parametrize("size", [0, 1, 6, 7, 8, 300_000])
def test_the_page_unpacks_what_was_packed(size, tmp_path):
    # Runs, repeats near and far, and what has no order.
    drawn = random.Random(size)
    module = b"".join(
        drawn.choice([drawn.randbytes(9), b"call_indirect", bytes(40)]) for _ in range(size // 20)
    )
    module += module[: size // 3] + bytes(range(256)) * 3
    module = module[:size] if size < 300_000 else module
    text = playground.letters(playground.compressed(module))
    assert not set("\0\r<") & set(text)
    file = tmp_path / "packed"
    file.write_text(text, "utf-8", newline="")
    unpacked = in_node(f"""
      const text = process.getBuiltinModule("node:fs").readFileSync({str(file)!r}, "utf8");
      return Buffer.from(unpack.lzma(unpack.bytes(text), {len(module)})).toString("base64");
    """)
    assert base64.b64decode(unpacked) == module


def test_a_file_is_named_as_no_option(ftlab):
    line = in_node("return commands.line({ ftls: ['page'], settings: {} }, '-x.csv');")
    assert "./-x.csv: " in ftlab(*shlex.split(line.replace("\\\n", " "))[1:]).output


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("count", "20000", 20000),
        ("count", "9007199254740991", 2**53 - 1),
        ("count", "9007199254740993", "9007199254740993"),
        ("count", "1.5", "1.5"),
        ("number", "0.9", 0.9),
        ("ratio", "1e999", "1e999"),
        ("ratio", "33%", "33%"),
        ("switch", "True", True),
        ("text", "1", "1"),
    ],
)
def test_no_value_is_rounded(kind, text, expected):
    assert in_node(f"return state.value({text!r}, {kind!r});") == expected


def test_a_download_has_the_columns_of_the_command():
    device = package.Device(capacity="8MiB", pages_per_block=16)
    workload = package.Workload("rand", size="8MiB", requests=500)
    result = package.simulate(workload, "dftl", device, config={"run": {"samples": 100}})
    assert result.samples
    text = in_node(f"return results.csv([{json.dumps(result.to_dict())}]);")
    assert text.splitlines()[0] == result.to_csv().splitlines()[0]


@pytest.mark.long
def test_the_sheet_of_the_teacher_has_the_answers_of_the_core():
    sheet = (ROOT / "docs" / "lessons.md").read_text()
    rows = re.findall(r"^\| (\d) (.*?) \| (.*?) \| ([\d.]+) \|$", sheet, re.MULTILINE)
    known = in_node("return lessons.LESSONS.map(({ title, question }) => [title, question]);")
    assert [[title, question] for _, title, question, _ in rows] == known
    for number, _, _, answer in rows:
        lesson = f"lessons.LESSONS[{number} - 1]"
        ftls, tree = in_node(f"""
          const settings = {{ ...{lesson}.settings, ...{lesson}.needs }};
          const meant = state.obeyed({{ ftls: {lesson}.ftls, settings }}, obeys);
          return [{lesson}.ftls, state.config(meant, kinds)];
        """)
        trace = tree.get("input", {}).pop("trace", None)
        source = trace or package.Workload(**tree.pop("workload"))
        reports = package.compare(source, ftls, config=tree).to_dict()
        right = in_node(f"""
          const reports = {json.dumps(reports)};
          return {lesson}.answer(name => reports.find(({{ ftl }}) => ftl === name));
        """)
        assert float(answer) == float(f"{right:.4g}"), number


def test_the_page_lets_nothing_in_and_knows_every_setting():
    text = playground.page(b"\0asm")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy and "http" not in policy
    assert not re.search(r"""(src|href)=["'](?!data:)""", text), "nothing is loaded"
    data = json.loads(re.search(r'id="data">([^<]*)<', text)[1])
    keys = {row["key"] for row in data["settings"]}
    assert keys >= {row["key"] for row in json.loads(_core.catalog())["settings"]}
    knobs = re.findall(r'\{ key: "([^"]*)"', (playground.SOURCES / "form.js").read_text())
    assert len(knobs) > 10 and set(knobs) <= keys


NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
NO_BROWSER = f"no browser ({', '.join(NAMES)}): install chromium"


@cache
def whole_page() -> str:
    """The page with the module, or a skip that is seen."""
    module = os.environ.get("FTLAB_WASM_MODULE")
    lacking = NO_BROWSER if BROWSER is None else None
    if module is None and playground.toolchain() is None:
        lacking = playground.LACKING
    if lacking:
        leave_out(lacking)
    built = Path(module or playground.build("dev")).read_bytes()
    return playground.page(built)


@pytest.fixture
def tab(tmp_path):
    """A tab, and the address of the page with the module."""
    text = whole_page()
    file = tmp_path / "playground.html"
    file.write_text(text, "utf-8")
    with Page(str(BROWSER), tmp_path) as page:
        page.address = file.as_uri()
        yield page


DONE = "['done', 'wrong'].includes(document.body.dataset.run)"
QUICK = (
    "#ftl=page,dftl&device.pages_per_block=16&device.capacity=8MiB"
    "&workload.size=8MiB&workload.requests=5000"
)
LONG = "#ftl=block&device.capacity=64MiB&workload.size=64MiB&workload.requests=1000000"


@pytest.mark.long
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_link_runs_and_shows_the_figures_of_the_core(tab, width, dark, tmp_path):
    tab.size(width, 900, dark)
    tab.open(tab.address + QUICK)
    tab.wait(DONE)
    assert tab.js("document.body.dataset.run") == "done"
    assert tab.js("document.documentElement.scrollWidth") <= width
    workload = package.Workload("rand", size="8MiB", requests=5000)
    device = package.Device(capacity="8MiB", pages_per_block=16)
    compared = package.compare(workload, ["page", "dftl"], device)
    shown = tab.js("[...document.querySelectorAll('#results tbody tr')].map(r => r.innerText)")
    row = next(each for each in shown if each.startswith("write amplification"))
    for result in compared:
        assert f"{result.write_amplification:.3f}" in row
    if pictures := os.environ.get("FTLAB_PICTURES"):
        tab.picture(Path(pictures) / f"playground-{width}-{'dark' if dark else 'light'}.png")
    assert tab.complaints == []


@pytest.mark.long
def test_each_lesson_marks_a_right_answer_and_not_a_wrong_one(tab):
    tab.size(1280, 900)
    tab.open(tab.address + QUICK)
    tab.wait(DONE)
    count = tab.js("document.querySelectorAll('#lessons button').length")
    assert count == 6
    for lesson in range(count):
        tab.js("document.body.dataset.run = ''")
        tab.js(f"document.querySelectorAll('#lessons button')[{lesson}].click()")
        tab.wait(DONE)
        assert tab.js("document.body.dataset.run") == "done", tab.js("document.body.innerText")
        needs = tab.js(f"Object.entries(lessons.LESSONS[{lesson}].needs ?? {{}})")
        if needs:
            assert "The question is about" in answered(tab, "1")
            fragment = tab.js("location.hash")
            for key, text in needs:
                had = re.search(rf"{re.escape(key)}=[^&]*", fragment)[0]
                fragment = fragment.replace(had, f"{key}={text.replace('%', '%25')}")
            tab.js("document.body.dataset.run = ''")
            tab.js(f"location.hash = {fragment!r}")
            tab.wait(DONE)
        right = tab.js("lessons.right()")
        assert right, f"lesson {lesson + 1} has an answer"
        table = tab.js("document.getElementById('results').innerText")
        rows = tab.js(f"lessons.LESSONS[{lesson}].rows ?? []")
        assert all(f"{label}\t" in table for label, *_ in rows), table
        assert answered(tab, f"{right:.4f}").startswith("Right")
        assert answered(tab, f"{1.2 * right + 1:.4f}").startswith("Not what the run says")
        assert answered(tab, "x") == "Type a number."
        if pictures := os.environ.get("FTLAB_PICTURES"):
            for width, dark in [(1280, False), (1280, True), (390, False), (390, True)]:
                tab.size(width, 900, dark)
                scheme = "dark" if dark else "light"
                tab.picture(Path(pictures) / f"lesson-{lesson + 1}-{width}-{scheme}.png")
                assert tab.js("document.documentElement.scrollWidth") <= width
            tab.size(1280, 900)
    assert tab.complaints == []


@pytest.mark.long
def test_an_answer_is_marked_against_the_settings_that_ran(tab):
    tab.size(1280, 900)
    tab.open(tab.address + QUICK)
    tab.wait(DONE)
    # The spare space is turned while the run with 7 % goes on.
    tab.js("""(() => {
      document.body.dataset.run = '';
      document.querySelectorAll('#lessons button')[1].click();
      const text = document.querySelector('[data-key="device.over_provisioning"] input');
      text.value = '28%';
      text.dispatchEvent(new Event('change'));
    })()""")
    assert tab.js("!document.getElementById('stale').hidden")
    tab.wait(DONE)
    assert "The question is about" in answered(tab, "1")
    tab.js("document.body.dataset.run = ''; document.getElementById('go').click()")
    assert tab.js("document.getElementById('stale').hidden")
    tab.wait(DONE)
    assert answered(tab, str(tab.js("lessons.right()"))).startswith("Right")
    # A run without a result leaves no answer of the run before.
    tab.js("""(() => {
      document.body.dataset.run = '';
      const text = document.querySelector('[data-key="device.capacity"] input');
      text.value = '12 parsecs';
      text.dispatchEvent(new Event('change'));
      document.getElementById('go').click();
    })()""")
    tab.wait(DONE)
    assert answered(tab, "1") == "This run lacks page."
    tab.js("window.dispatchEvent(new Event('resize'))")
    assert tab.js("document.querySelector('.ftl .quiet').textContent") == "no result"
    assert tab.complaints == []


def answered(tab, text: str) -> str:
    """Type an answer and return the mark."""
    tab.js(f"document.getElementById('answer').value = {text!r}")
    tab.js("document.querySelector('#lesson form').requestSubmit()")
    return tab.js("document.getElementById('mark').textContent")


@pytest.mark.long
def test_mistakes_are_one_line_and_the_page_goes_on(tab):
    tab.size(390, 800)
    for fragment, expected in [
        ("#ftl=tpfl", 'did you mean "tpftl"?'),
        ("#ftl=page&device.capacity=12 parsecs", "device.capacity"),
        ("#ftl=page&device.capacity=64TiB&workload.requests=10", "device.capacity"),
        ("#ftl=page&input.trace=/etc/passwd", "/etc/passwd"),
        ("#ftl=page&workload.zipf_theta=nan&workload.pattern=zipf", "workload.zipf_theta"),
    ]:
        tab.open("about:blank")
        tab.open(tab.address + fragment)
        tab.wait(DONE)
        shown = tab.js("document.querySelector('.wrong').textContent")
        assert expected in shown and "\n" not in shown
    tab.js(f"document.body.dataset.run = ''; location.hash = {QUICK!r}")
    tab.wait(DONE)
    assert tab.js("document.body.dataset.run") == "done"
    assert tab.complaints == []


HOSTILE = """(async (seed) => {
  const file = seed % 2 ? hostile.file(seed) : null;
  document.body.dataset.run = '';
  if (file) {
    const kept = new DataTransfer();
    kept.items.add(new File([file.bytes], file.name));
    dispatchEvent(new DragEvent('drop', { dataTransfer: kept }));
  } else {
    history.replaceState(null, '', '#' + hostile.address(seed, data));
    dispatchEvent(new Event('hashchange'));
  }
  const begun = performance.now();
  while (!['done', 'wrong', 'stopped'].includes(document.body.dataset.run)) {
    if (performance.now() - begun > 3000) document.getElementById('stop').click();
    await new Promise(later => setTimeout(later, 2));
  }
  return [...document.querySelectorAll('.wrong')].filter(({ hidden }) => !hidden)
    .map(({ textContent }) => textContent);
})"""


@pytest.mark.long
def test_no_address_and_no_file_takes_the_page_along(tab):
    """``tools/playground_fuzz.py`` asks many more, without a page."""
    cases = int(os.environ.get("FTLAB_PLAYGROUND_CASES", "150"))
    tab.size(390, 800)
    tab.open(tab.address + QUICK)
    tab.wait(DONE)
    tab.js((ROOT / "tests" / "hostile.js").read_text())
    tab.js("const data = JSON.parse(document.getElementById('data').textContent)")
    refused = 0
    for seed in range(cases):
        told = tab.js(f"{HOSTILE}({seed})")
        refused += bool(told)
        for text in told:
            assert text and not set(text) & set("\n\r\0"), (seed, text)
    assert 0 < refused < cases
    assert tab.js("performance.memory.usedJSHeapSize") < 256 << 20
    assert tab.js("document.documentElement.scrollWidth") <= 390
    tab.js(f"document.body.dataset.run = ''; location.hash = {QUICK + '1'!r}")
    tab.wait(DONE)
    assert tab.js("document.body.dataset.run") == "done"
    assert tab.complaints == []


@pytest.mark.long
def test_the_drawing_is_dragged_and_turned_with_keys(tab):
    tab.size(1280, 900)
    tab.open(tab.address + QUICK)
    tab.wait(DONE)
    tab.js("document.getElementById('draw').click()")
    told = "new URLSearchParams(location.hash.slice(1)).get('workload.parts')"
    assert tab.js(told) == "20 seq 0-100 0; 60 rand 20-40 0; 20 rand 0-100 0"
    x, y = tab.js("""(() => {
      const hot = document.querySelector('[data-drag=spot]');
      hot.scrollIntoView({ block: 'center' });
      const { x, y, width, height } = hot.getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    })()""")
    for kind, at in [("mousePressed", x), ("mouseMoved", x + 40), ("mouseReleased", x + 40)]:
        tab.do("Input.dispatchMouseEvent", type=kind, x=at, y=y, button="left", clickCount=1)
    begin, end = re.search(r"60 rand (\d+)-(\d+) 0", tab.js(told)).groups()
    assert int(begin) > 20 and int(end) == int(begin) + 20
    key = {"key": "ArrowRight", "code": "ArrowRight", "windowsVirtualKeyCode": 39}
    for place, label in [("sketch", "Requests to the hot spot"), ("knobs", "Device")]:
        tab.js(f"document.querySelector(`#{place} [aria-label='{label}']`).focus()")
        for _ in range(2):
            tab.do("Input.dispatchKeyEvent", type="keyDown", **key)
            tab.do("Input.dispatchKeyEvent", type="keyUp", **key)
    assert f"62 rand {begin}-{end} 0" in tab.js(told)
    assert "device.capacity=32MiB" in tab.js("location.hash"), "the knob stays in focus"
    tab.js("document.body.dataset.run = ''; document.getElementById('go').click()")
    tab.wait(DONE)
    assert tab.js("document.body.dataset.run") == "done"
    assert tab.complaints == []


@pytest.mark.long
def test_a_run_is_stopped_at_once(tab):
    tab.size(1280, 900)
    tab.open(tab.address + LONG)
    tab.wait("!document.getElementById('stop').disabled")
    took = tab.js("""(() => {
      const begun = performance.now();
      document.getElementById('stop').click();
      return performance.now() - begun;
    })()""")
    assert took < 100
    assert tab.js("document.body.dataset.run") == "stopped"
    assert tab.js("document.getElementById('results').innerText") == "No result."


@pytest.mark.long
def test_no_task_of_the_page_is_long(tab):
    """In processor time, which other work on the machine does not add to."""
    tab.size(1280, 900)

    def load_and_run() -> None:
        tab.open(tab.address)
        tab.wait(DONE)

    longest = max(tab.tasks(load_and_run))
    assert tab.js("document.body.dataset.run") == "done"
    assert longest < 50, f"{longest} ms"


@pytest.mark.long
def test_a_page_that_cannot_load_its_core_says_so_and_runs_nothing(tmp_path):
    if BROWSER is None:
        leave_out(NO_BROWSER)
    file = tmp_path / "playground.html"
    file.write_text(playground.page(b"no module"), "utf-8")
    with Page(str(BROWSER), tmp_path) as tab:
        tab.open(file.as_uri() + QUICK)
        tab.wait("!document.getElementById('problem').hidden")
        tab.js("document.getElementById('go').click()")
        assert tab.js("document.body.dataset.run ?? 'nothing'") == "nothing"
        assert tab.complaints == []


@pytest.mark.long
def test_every_choice_has_a_name(tab):
    tab.size(1280, 900)
    tab.open(tab.address + QUICK)
    tab.js("document.getElementById('all').open = true")
    tab.wait("document.querySelectorAll('#settings select').length > 20")
    assert tab.js("[...document.querySelectorAll('#form option')].every(o => o.textContent)")


@pytest.mark.long
def test_a_dropped_trace_is_run(tab, trace):
    tab.size(1280, 900)
    tab.open(tab.address + QUICK)
    tab.wait(DONE)
    for name, text, ends in [
        ("small.spc", trace.read_text(), "done"),
        ("x.csv", "no trace\n", "wrong"),
    ]:
        tab.js(f"""(() => {{
          document.body.dataset.run = '';
          const kept = new DataTransfer();
          kept.items.add(new File([{text!r}], {name!r}));
          dispatchEvent(new DragEvent('drop', {{ dataTransfer: kept }}));
        }})()""")
        tab.wait(DONE)
        assert tab.js("document.body.dataset.run") == ends
        assert name in tab.js("document.getElementById('line').textContent")
    assert "x.csv" in tab.js("document.querySelector('.wrong').textContent")
    tab.js(f"document.body.dataset.run = ''; location.hash = {QUICK + '0'!r}")
    tab.wait(DONE)
    assert "x.csv" not in tab.js("document.getElementById('line').textContent"), "a link drops it"
    assert tab.js("document.body.dataset.run") == "done"
    assert tab.complaints == []
