"""The playground: one page with everything in it, from playground/ and the core as WebAssembly.

python tools/playground.py -o target/playground.html
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

from ftlab import _core
from ftlab.frames import STATES
from ftlab.looks import CAUSES
from ftlab.report import html
from ftlab.report.html import asset, script_data
from ftlab.report.summary import MEASURED, words
from ftlab.watch.seen import COLOURS

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "playground"
TARGET = "wasm32-unknown-unknown"
MODULE = "ftlab_playground.wasm"
SCRIPTS = ("state", "commands", "form", "results", "sketch", "run", "stage", "lessons", "main")
"""In the order in which they need each other."""

LACKING = (
    f"no Rust target {TARGET} here: `rustup target add {TARGET}`, or Debian's packages, as "
    "docs/playground.md says"
)


def toolchain() -> tuple[list[str], dict[str, str]] | None:
    """Return how cargo builds for browsers here and its environment, or None where it cannot."""
    sysroot = subprocess.run(
        ["rustc", "--print", "sysroot"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    if (Path(sysroot) / "lib" / "rustlib" / TARGET / "lib").is_dir():
        return ["cargo", "build"], {}
    linker = Path(sysroot) / "lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld"
    if shutil.which("/usr/bin/rustc") and any(Path("/usr/src").glob("rustc*")) and linker.is_file():
        environment = {
            "RUSTC": "/usr/bin/rustc",
            "RUSTC_BOOTSTRAP": "1",
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER": str(linker),
        }
        return ["/usr/bin/cargo", "build", "-Z", "build-std=std,panic_abort"], environment
    return None


def build(profile: str = "playground") -> Path:
    """Build the core for browsers and return the module."""
    found = toolchain()
    if found is None:
        sys.exit(f"error: {LACKING}")
    command, environment = found
    options = ["--locked", "-p", "ftlab-playground", "--target", TARGET, "--profile", profile]
    subprocess.run([*command, *options], cwd=ROOT, env={**os.environ, **environment}, check=True)
    folder = "debug" if profile == "dev" else profile
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / TARGET / folder / MODULE


def told() -> dict[str, Any]:
    """Return what the page knows of the core: its catalogue, the metrics of tables, colours."""
    catalogue = json.loads(_core.catalog())
    rows = {row["key"]: row for row in catalogue["settings"]}
    for ftl in catalogue["ftls"]:
        for row in ftl["settings"]:
            rows.setdefault(row["key"], row)
    names = {ftl["name"] for ftl in catalogue["ftls"]}
    kept = ("key", "kind", "values", "optional", "unit", "default", "range", "meaning")
    return {
        "settings": [
            {**{name: row[name] for name in kept}, "own": row["section"] in names}
            for row in rows.values()
        ],
        "ftls": [
            {
                **{name: ftl[name] for name in ("name", "title", "summary")},
                "settings": [row["key"] for row in ftl["settings"]],
            }
            for ftl in catalogue["ftls"]
        ],
        "profiles": [each["name"] for each in catalogue["profiles"]],
        "headlines": [
            {"label": each.label, "path": each.path, "unit": each.unit, "better": each.better}
            for each in MEASURED
        ],
        "states": [[name, COLOURS.get(number, "")] for number, name in enumerate(STATES)],
        "causes": [
            {"key": key, "name": words(key), "colour": colour} for key, colour in CAUSES.items()
        ],
    }


PACKED = {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "lc": 3, "lp": 0, "pb": 0}
"""How playground/unpack.js expects the module."""


def compressed(module: bytes) -> bytes:
    """Return a module as the page has it."""
    return lzma.compress(module, lzma.FORMAT_RAW, filters=[PACKED])


def letters(packed: bytes) -> str:
    """Return bytes as letters of seven bits each, which take an eighth less room than base64.

    HTML keeps neither NUL nor CR, and ``<`` may end an element. These have the eighth bit set.
    """
    whole = packed + bytes(-len(packed) % 7)
    sevens = (int.from_bytes(whole[at : at + 7], "big") for at in range(0, len(whole), 7))
    bits = (seven >> shift & 127 for seven in sevens for shift in range(49, -1, -7))
    text = bytes(islice(bits, -(len(packed) * 8 // -7))).decode("ascii")
    return text.translate({ord(kept): ord(kept) | 128 for kept in "\0\r<"})


def page(module: bytes) -> str:
    """Return the page with a module in it."""
    source = {path.name: path.read_text("utf-8") for path in SOURCES.iterdir()}
    style = asset("report.css") + asset("watch.css") + source["style.css"]
    script = "".join([asset("drawing.js"), *(source[f"{name}.js"] for name in SCRIPTS)])
    worker = source["unpack.js"] + source["worker.js"]
    core = letters(compressed(module))
    body = f"""<main>
{source["index.html"]}</main>
<script type="application/json" id="data">{script_data(told())}</script>
<script type="text/plain" id="worker">{worker}</script>
<script type="text/plain" id="core" data-bytes="{len(module)}">{core}</script>"""
    allowed, code = "worker-src blob:", "'wasm-unsafe-eval'"
    return html.page("ftlab playground", body, style, script, allowed, code)


def main() -> None:
    """Build the core and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "target" / "playground.html")
    parser.add_argument("--module", type=Path, help="a module that is built already")
    arguments = parser.parse_args()
    module = (arguments.module or build()).read_bytes()
    text = page(module).encode()
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_bytes(text)
    packed = len(compressed(module))
    print(f"{arguments.output}: {len(text):,} bytes; the core has {packed:,}, compressed")


if __name__ == "__main__":
    main()
