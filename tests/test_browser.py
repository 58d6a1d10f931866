"""Pages in a real browser, from a file and without a network: widths, contrast, no complaints.

They need Chromium (`apt-get install chromium`); `FTLAB_BROWSER_REQUIRED=1` makes its absence a
failure.
"""

import json
import os
import re
import shutil
import subprocess
from functools import cache
from html import escape, unescape
from pathlib import Path

import pytest

import sample
from ftlab import Comparison, Result, Workload, simulate
from ftlab.report.html import report
from ftlab.style import page as figure_page
from ftlab.watch.record import Recording
from ftlab_papers.claims import Claim, judge
from ftlab_papers.findings import Value
from ftlab_papers.report import Part, Report, claim_parts

pytestmark = pytest.mark.long

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)

PROBE = """
<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<iframe style="width:{width}px;height:4000px;border:0" srcdoc="{page}"></iframe>
<pre id="found"></pre>
<script>
function channels(text) {{ return text.match(/[\\d.]+/g).map(Number); }}
function luminance(rgb) {{
  const [r, g, b] = rgb.slice(0, 3).map(c => c / 255).map(
    c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}}
function ground(element) {{
  for (let at = element; at; at = at.parentElement) {{
    const rgb = channels(at.ownerDocument.defaultView.getComputedStyle(at).backgroundColor);
    if (rgb.length === 3 || rgb[3] === 1) return rgb;
  }}
  return [255, 255, 255];
}}
document.querySelector("iframe").addEventListener("load", event => {{
  const page = event.target.contentDocument, faint = [];
  for (const element of page.querySelectorAll("main *")) {{
    const own = [...element.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own) continue;
    const ink = luminance(channels(page.defaultView.getComputedStyle(element).color));
    const paper = luminance(ground(element));
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    const name = `${{element.tagName}}.${{element.className}}`;
    if (contrast < 4.5) faint.push(`${{name}} ${{contrast.toFixed(2)}}`);
  }}
  const images = [...page.images], values = [...page.querySelectorAll(".values *:has(> title)")];
  const under = values.filter(value => {{
    const box = value.getBoundingClientRect();
    const at = page.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return at && at.querySelector("title");
  }});
  document.getElementById("found").textContent = JSON.stringify({{
    width: page.documentElement.scrollWidth,
    ground: channels(page.defaultView.getComputedStyle(page.body).backgroundColor),
    values: values.length, under: under.length,
    faint, images: images.length, drawn: images.filter(i => i.naturalWidth > 0).length,
  }});
}});
</script>
"""


@pytest.fixture
def browse(tmp_path):
    """Opens a page as wide as asked for, in light or dark, and returns what is found in it."""
    if BROWSER is None:
        if os.environ.get("FTLAB_BROWSER_REQUIRED"):
            pytest.fail("FTLAB_BROWSER_REQUIRED is set, and there is no Chromium")
        pytest.skip(f"LOOKED AT BY NOBODY: no browser ({', '.join(NAMES)}): install chromium")

    def run(text: str, width: int, dark: bool) -> dict:
        path = tmp_path / "probe.html"
        path.write_text(PROBE.format(width=width, page=escape(text)), "utf-8")
        return json.loads(shown(path, dark, tmp_path))

    return run


def shown(path: Path, dark: bool, folder: Path) -> str:
    """Return what the page at ``path`` writes into its element ``found``."""
    text = dom(path.as_uri(), dark, folder)
    found = re.search(r'<pre id="found">(.*?)</pre>', text, re.DOTALL)
    assert found and found[1], text[-2000:]
    return unescape(found[1])


def dom(address: str, dark: bool, folder: Path) -> str:
    """Return the page at ``address`` as it is once its scripts have run."""
    options = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--enable-logging=stderr",
        "--virtual-time-budget=20000",
        f"--user-data-dir={folder / 'profile'}",
        f"--blink-settings=preferredColorScheme={int(not dark)}",
        "--window-size=1400,1000",
    ]
    command = [str(BROWSER), *options, "--dump-dom", address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True)
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert not complaints, complaints
    return done.stdout


def pages(comparison) -> dict[str, str]:
    from ftlab_papers.page import page

    many = [Result(sample.result("dftl", 400.0 + n, 0.8, 128)) for n in range(12)]
    claims = [Claim("X1", "1", "one that differs", [Value("v", 1.0, lambda runs: 2.0)])]
    judged = [judge(each, _Seeds()) for each in claims]
    parts = [Part("Set-up", ["text " * 60]), *claim_parts(judged)]
    return {
        "comparison": report(comparison),
        "twelve": report(Comparison(many, [f"dftl(cache={n}KiB)" for n in range(12)])),
        "evaluation": page(Report("A paper", parts, judged, cut=100), {}),
        "recording": recorded()[1],
    }


@cache
def recorded() -> tuple[Result, str]:
    """A run with five frames, and the page that plays it."""
    recording = Recording()
    trace = Workload("randrw", bs="4k", size="8MiB", requests=20_000)
    result = simulate(trace, "dftl", frames=recording.add, every=5000)
    return result, recording.page(result)


class _Seeds:
    """Runs with one seed of which nothing is asked."""

    seeds = (None,)

    def noting(self, work):
        return work(self), frozenset()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["comparison", "twelve", "evaluation", "recording"])
def test_a_page_fits_and_can_be_read(browse, comparison, name, width, dark):
    text = pages(comparison)[name]
    found = browse(text, width, dark)
    assert found["width"] <= width, "nothing but tables and figures scrolls sideways"
    assert found["faint"] == [], "contrast of 4.5 to 1 at least"
    assert (found["ground"] == [255, 255, 255]) is not dark
    assert found["drawn"] == found["images"]
    assert bool(found["images"]) is (name in ("comparison", "twelve"))
    if name == "comparison":
        assert found["values"] > 100, "bars and points have values under the pointer"
        assert found["under"] == found["values"] or (width < 1000 and found["under"] > 100)


def test_a_recording_shows_the_frame_that_its_address_names(browse, tmp_path):
    result, text = recorded()
    file = tmp_path / "run.html"
    file.write_text(text, "utf-8")
    shown = dom(f"{file.as_uri()}#5", False, tmp_path)
    told = re.search(r'<output id="at"[^>]*>(.*?)</output>', shown)[1]
    assert told.startswith("5 of 5: 20,000 of 20,000 requests")
    cells = re.findall(r'data-so-far="\d"[^>]*>(.*?)</td>', shown)
    assert cells[0] == f"{100 * result.mapping.hit_ratio:.2f} %"
    assert cells[1] == f"{result.write_amplification:.3f}"
    assert 'id="problem" hidden' in shown
    legend = re.search(
        r'<p[^>]*id="shares".*?</p>|<div[^>]*id="shares".*?</div>', shown, re.DOTALL
    )[0]
    assert "translation" in legend and "_" not in re.sub(r"<[^>]*>", "", legend), "causes in words"
    charts = re.findall(r'<div class="chart">(.*?)</div>', shown)
    ends = [re.sub(r"<[^>]*>", " ", each).split() for each in charts]
    assert len(ends) == 4 and all(each[-4:] == ["0", "0", "20,000", "requests"] for each in ends)


def test_the_probe_sees_what_is_too_wide_and_too_faint(browse):
    wide = '<div style="width:900px">wide</div>'
    faint = '<p style="color:#999;background:#fff">faint</p>'
    found = browse(f"<!doctype html><main>{wide}{faint}</main>", 390, dark=False)
    assert found["width"] >= 900
    assert found["faint"] == ["P. 2.85"]


def test_a_figure_is_a_page_that_fits(browse, comparison):
    text = figure_page(comparison.plot.overview()).decode()
    assert browse(text, 390, dark=True)["width"] <= 390
