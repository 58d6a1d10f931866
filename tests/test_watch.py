"""Watching a run: frames agree with the result; terminals of any width, logs, and the page."""

import base64
import io
import json
import re
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import ftlab as ftlab_
from ftlab import ConfigError
from ftlab.frames import DATA, FREE, LOG, OPEN, TRANSLATION, Frame
from ftlab.report.tables import ABSENT
from ftlab.result import Result
from ftlab.watch.lines import line
from ftlab.watch.record import Recording
from ftlab.watch.screen import Screen, block_map

DEVICE = ("--capacity", "8MiB", "--pages-per-block", "32", "--over-provisioning", "60%")
WRITES = ("--workload", "randwrite,bs=4k,size=8MiB,requests=20000", *DEVICE)


@pytest.fixture(scope="module")
def watched() -> tuple[Result, list[Frame]]:
    return run("dftl")


def run(ftl: str, **device) -> tuple[Result, list[Frame]]:
    frames: list[Frame] = []
    trace = ftlab_.Workload("randrw", bs="4k", size="8MiB", requests=20_000)
    shape = {"capacity": "8MiB", "pages_per_block": 32, "over_provisioning": "100%", **device}
    device = ftlab_.Device(**shape)
    return ftlab_.simulate(trace, ftl, device, frames=frames.append, every=1000), frames


def test_the_last_frame_says_what_the_result_says(watched):
    result, frames = watched
    assert [frame.requests for frame in frames] == [*range(0, 20_001, 1000)]
    last = frames[-1]
    assert last.so_far.hit_ratio == result.mapping.hit_ratio
    assert last.so_far.write_amplification == result.write_amplification
    assert (last.so_far.mean_us, last.so_far.p99_us) == (
        result.response_us.mean,
        result.response_us.p99,
    )
    assert last.time_s == result.host.duration_s
    assert last.erases == sum(result.flash.erases.values())
    assert last.operations["gc_data"] > 0
    assert len(last.kind) == result.device.blocks


def test_blocks_of_a_separation_have_the_colours_of_their_classes():
    result, frames = run(ftlab_.Page(separation="sepbit"))
    last = frames[-1]
    in_use = np.bincount(last.class_, minlength=7)
    assert in_use[1:7].tolist() == result.classes.units
    assert in_use[0] == (last.kind == FREE).sum()
    states = np.bincount(last.states, minlength=OPEN + 7)
    full = (last.written == last.pages) & (last.class_ == 4)
    assert states[OPEN + 4] == full.sum() > 0
    legend = next(text for text in block_map(last, 80, 20) if "free" in text.plain)
    assert "class 4" in legend.plain
    assert "data" not in legend.plain


def test_blocks_are_told_apart(watched):
    _, frames = watched
    assert set(frames[0].kind.tolist()) == {FREE, TRANSLATION}, "the map is there from the start"
    seen = {state for frame in frames for state in frame.states.tolist()}
    assert seen == {FREE, DATA, TRANSLATION, OPEN}
    last = frames[-1]
    assert (last.valid <= last.written).all() and (last.written <= last.pages).all()
    assert ((last.written == 0) == (last.kind == FREE)).all()
    assert LOG in run("fast")[1][-1].states


def test_a_frame_that_fails_ends_the_run():
    def fail(frame: Frame) -> None:
        raise RuntimeError(f"at {frame.requests}")

    with pytest.raises(RuntimeError, match="at 0"):
        ftlab_.simulate(ftlab_.profile("financial1", requests=100), "page", frames=fail)


def test_wrong_arguments_are_refused():
    trace = ftlab_.Workload("randwrite", bs="4k", size="4MiB", requests=10)
    with pytest.raises(ConfigError, match="every: found 0, expected 1 to"):
        ftlab_.simulate(trace, "page", frames=print, every=0)
    with pytest.raises(TypeError, match="every: found 10 without frames"):
        ftlab_.simulate(trace, "page", every=10)


def drawn(frames: list[Frame], width: int, height: int = 40) -> list[str]:
    """What a terminal of this size has at the end."""
    console = Console(file=io.StringIO(), width=width, height=height, force_terminal=True)
    with Screen("ftlab watch: dftl on " + "a long name " * 20, console) as screen:
        screen.wait("warming up", 100, 0.5)
        for frame in frames:
            screen.show(frame)
    text = console.file.getvalue().rpartition("\x1b[?1049l")[2]
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text).splitlines()


@pytest.mark.parametrize("width", [20, 40, 80, 140, 300])
def test_a_terminal_of_any_width_shows_every_figure(watched, width):
    result, frames = watched
    lines = drawn(frames[-2:], width)
    assert max(map(len, lines)) <= width
    if width >= 40:
        text = "\n".join(lines)
        assert f"{100 * result.mapping.hit_ratio:.2f} %" in text
        assert f"{result.write_amplification:.3f}" in text
        assert "p99 response" in text and "plane 0" in text


def test_many_planes_are_a_character_each():
    _, frames = run("dloop", capacity="32MiB", channels=4, planes_per_die=4)
    assert len(frames[-1].planes) == 16
    text = "\n".join(drawn(frames, 100))
    assert re.search(r"planes, [\d.]+ % busy", text) and "plane 0" not in text
    assert re.search(r"[▁▂▃▄▅▆▇█]{16}", text)


@pytest.mark.parametrize(("width", "rows"), [(20, 1), (20, 6), (80, 10), (500, 3)])
def test_the_map_has_every_block_and_fits(watched, width, rows):
    _, frames = watched
    told, kinds, *cells = (text.plain for text in block_map(frames[-1], width, rows))
    assert told.startswith(f"{len(frames[-1].kind):,} blocks") and "free" in kinds
    assert len(cells) <= rows and max(map(len, cells)) <= width
    per_cell = -(-len(frames[-1].kind) // (width * rows))
    assert sum(map(len, cells)) == -(-len(frames[-1].kind) // per_cell)
    assert set("".join(cells)) <= set("·x░▒▓█")


def test_without_a_terminal_there_is_a_line_for_each_frame(ftlab, watched):
    done = ftlab("watch", *WRITES, "--ftl", "dftl", "--every", "5k", "--speed", "500")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert len(lines) == 4
    assert all("\x1b" not in each and "requests, " in each for each in lines)
    assert lines[0].startswith("5,000/20,000 requests")
    assert f"hits {ABSENT}, WA {ABSENT}, mean {ABSENT}" in line(watched[1][0])


def test_speed_is_frames_per_second(ftlab):
    start = time.monotonic()
    done = ftlab("watch", *WRITES, "--ftl", "page", "--every", "5k", "--speed", "5")
    assert done.exit_code == 0, done.output
    assert time.monotonic() - start >= 5 / 5, "the first and four more"


def test_a_configuration_is_printed_and_not_run(ftlab):
    done = ftlab("watch", *WRITES, "--ftl", "page", "--print-config")
    assert done.exit_code == 0 and 'ftls = ["page"]' in done.stdout.replace("'", '"')


MISTAKES = {
    "--every 0": "--every",
    "--every -5": "--every",
    "--every many": "--every",
    "--every 1e30": "every: found 1",
    "--speed 0": "--speed",
    "--speed nan": "--speed",
    "--speed fast": "--speed",
    "--record run.txt": "--record run.txt",
    "--record no/such.html": "no/such.html",
    "--ftl page,dftl": "takes one FTL",
    "--ftl none-such": "none-such",
    "--cache 8KiB --ftl page": "--cache",
}


@pytest.mark.parametrize(("options", "named"), MISTAKES.items(), ids=MISTAKES)
def test_a_mistake_is_one_line_and_2(ftlab, options, named):
    done = ftlab("watch", *WRITES, *options.split())
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    assert named in done.stderr
    assert list(Path.cwd().iterdir()) == []


def test_a_recording_does_not_replace_its_input(ftlab, trace):
    page = trace.rename(trace.with_suffix(".html"))
    before = page.read_bytes()
    arguments = ("--format", "spc", "--ftl", "page", "--record", page)
    done = ftlab("watch", page, *arguments)
    assert done.exit_code == 2 and "is the input" in done.stderr
    assert page.read_bytes() == before


def test_ctrl_c_ends_with_130_and_leaves_no_file(tmp_path):
    page = tmp_path / "run.html"
    long = ("--every", "100", "--speed", "2", "--ftl", "page", "--record", str(page))
    command = [sys.executable, "-m", "ftlab", "watch", *WRITES, *long]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, **pipes)
    assert "requests" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors.strip()) == (130, "error: interrupted")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def page(watched) -> str:
    result, frames = watched
    recording = Recording()
    for frame in frames:
        recording.add(frame)
    return recording.page(result)


def test_a_recording_has_every_block_of_every_frame(watched, page):
    result, frames = watched
    data = json.loads(re.search(r'id="run">(.*?)</script>', page, re.DOTALL)[1])

    def column(name: str) -> np.ndarray:
        found = data["columns"][name]
        return np.frombuffer(zlib.decompress(base64.b64decode(found["data"])), found["type"])

    counts, gaps, valid, states = map(column, ("counts", "gaps", "valid", "states"))
    now = np.zeros((2, data["blocks"]), int)
    ends = np.cumsum(counts)
    for frame, start, end in zip(frames, ends - counts, ends, strict=True):
        changed = np.cumsum(gaps[start:end].astype(int)) - 1
        now[:, changed] = valid[start:end], states[start:end]
        assert (now == [frame.valid, frame.states]).all()
    assert len(page) < 60_000, "small: 21 frames of some hundred blocks"
    told = json.loads(zlib.decompress(base64.b64decode(data["frames"])))
    assert told[-1]["so_far"][1] == f"{result.write_amplification:.3f}"


def test_a_page_names_causes_in_words_and_the_ends_of_its_charts(watched, page):
    assert '["GC data",' in page and '["gc_data",' not in page
    requests = f"{watched[0].host.requests:,} requests"
    assert page.count('<div class="chart">') == page.count(f"<span>{requests}</span>") == 4


def test_the_command_records_a_page(ftlab):
    done = ftlab("watch", *WRITES, "--ftl", "dftl", "--every", "5k", "--record", "run.html")
    assert done.exit_code == 0, done.output
    text = Path("run.html").read_text("utf-8")
    size = f"{len(text.encode()) / 1024:.4g} KiB"
    assert done.stdout.splitlines()[-1] == f"Written: run.html (5 frames, {size})"
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", text), "nothing from a network"
