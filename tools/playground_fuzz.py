"""Addresses and files of anything, which the module of the playground answers in Node.

Each is answered in one line and in bounded memory.

python tools/playground_fuzz.py --cases 100000 --seed 1
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import playground

DRAWN, LOOP = (playground.ROOT / "tests" / name for name in ("hostile.js", "hostile_loop.js"))
PURE = ("state", "commands", "results", "sketch")
"""The scripts of the page that need no page, in the order in which they need each other."""


def fuzz(module: Path, cases: int, seed: int) -> dict[str, Any]:
    """Return how so many cases ended, and what was wrong with some."""
    node = shutil.which("node")
    if node is None:
        sys.exit("error: no node: install nodejs")
    sources = [*(playground.SOURCES / f"{name}.js" for name in PURE), DRAWN, LOOP]
    scripts = [source.read_text("utf-8") for source in sources]
    data = f"const data = {json.dumps(playground.told())};"
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "fuzz.mjs"
        program.write_text("\n".join([data, *scripts]), "utf-8")
        done = subprocess.run(
            [node, str(program), str(module), str(cases), str(seed)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print how the cases ended; exit code 1 if one was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--module", type=Path, help="a module that is built already")
    arguments = parser.parse_args()
    module = arguments.module or os.environ.get("FTLAB_WASM_MODULE") or playground.build()
    found = fuzz(Path(module), arguments.cases, arguments.seed)
    for name, value in found.items():
        print(f"{name}: {value}")
    sys.exit(bool(found["wrong"]))


if __name__ == "__main__":
    main()
