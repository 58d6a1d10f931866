"""The playground: what its address tells, its commands, and the page in a browser.

That a browser's figures are those of the core is a test of `crates/ftlab-playground`.
"""

import json
import os
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
needs_node = pytest.mark.skipif(NODE is None, reason="RUN BY NOBODY: no node")


def in_node(body: str) -> object:
    """Return what ``body`` returns, which may use the scripts that need no page."""
    scripts = [
        (playground.SOURCES / f"{name}.js").read_text() for name in ("state", "commands", "results")
    ]
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


@needs_node
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


@needs_node
def test_an_address_of_anything_tells_a_small_state_of_known_keys():
    found = in_node("""
      let seed = 1;
      const draw = most => { seed = (seed * 48271) % 2147483647; return seed % most; };
      const parts = ["ftl=", "page", "&", "=", "%", "%ff", "%00", "device.capacity", "workload.",
        "__proto__", ".x=", "constructor.prototype", "lesson=", "9", "-1", ",", "#", "é",
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


STATES = {
    "start": None,
    "one": {"ftls": ["fast"], "settings": {"workload.pattern": "seq", "workload.requests": "2000"}},
    "sizes": {
        "ftls": ["page"],
        "settings": {
            "workload.bs_mix": '[["4k", 3], ["16k", 1]]',
            "workload.size": "8MiB",
            "ftl.cache": "4KiB",
            "gc.policy": "d-choices",
            "gc.oob_scan": "true",
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


@needs_node
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
    if name in ("sizes", "one"):
        exec(code, {"ftlab": package, "made": made})
        assert made[0]["ftl"] == ftl


def test_the_page_lets_nothing_in_and_knows_every_setting():
    text = playground.page(b"\0asm")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy and "http" not in policy
    assert not re.search(r"""(src|href)=["'](?!data:)""", text), "nothing is loaded"
    keys = {row["key"] for row in playground.told()["settings"]}
    assert keys >= {row["key"] for row in json.loads(_core.catalog())["settings"]}


NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)


@cache
def whole_page() -> str:
    """The page with the module, or a skip that is seen."""
    module = os.environ.get("FTLAB_WASM_MODULE")
    lacking = "no browser" if BROWSER is None else None
    if module is None and playground.toolchain() is None:
        lacking = playground.LACKING
    if lacking:
        if os.environ.get("FTLAB_WASM_REQUIRED"):
            pytest.fail(f"FTLAB_WASM_REQUIRED is set: {lacking}")
        pytest.skip(f"SEEN BY NOBODY: {lacking}")
    return playground.page(Path(module or playground.build("dev")).read_bytes())


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
        assert answered(tab, f"{right:.4f}").startswith("Right")
        assert answered(tab, f"{1.2 * right + 1:.4f}").startswith("Not what the run says")
        assert answered(tab, "x") == "Type a number."
        if pictures := os.environ.get("FTLAB_PICTURES"):
            tab.picture(Path(pictures) / f"lesson-{lesson + 1}.png")
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


@pytest.mark.long
def test_a_run_is_stopped_at_once_and_the_page_never_waits(tab):
    tab.size(1280, 900)
    tab.open(
        tab.address
        + "#ftl=block&device.capacity=64MiB&workload.size=64MiB&workload.requests=1000000"
    )
    tab.wait("!document.getElementById('stop').disabled")
    took = tab.js("""(async () => {
      let longest = 0, last = performance.now();
      for (let n = 0; n < 20; n++) {
        await new Promise(done => setTimeout(done, 10));
        longest = Math.max(longest, performance.now() - last - 10);
        last = performance.now();
      }
      const begun = performance.now();
      document.getElementById('stop').click();
      return performance.now() - begun;
    })()""")
    assert took < 100
    assert tab.js("document.body.dataset.run") == "stopped"


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
    assert tab.complaints == []
