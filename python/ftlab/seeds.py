"""Runs with several seeds: whether the seed decides anything in them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ftlab.result import Result

MOST = 1000
"""Seeds of a comparison."""

NO_EFFECT = (
    "the seed changes nothing: runs with other seeds are bit-equal, so they say nothing of chance; "
    "use parts of the trace (--parts 10), a fitted model (`ftlab trace fit`), or "
    "run.warmup = random:1"
)
"""What is said of runs in which nothing is random."""

APART = ("seed", "speed")
"""What differs between runs with two seeds, whatever they do."""


def without_effect(runs: Sequence[Result]) -> bool:
    """Tell whether these runs, which differ in their seeds, have the same figures."""
    return len(runs) > 1 and len({_figures(run) for run in runs}) == 1


def _figures(run: Result) -> str:
    tree: dict[str, Any] = {k: v for k, v in run.to_dict().items() if k not in APART}
    config = dict(tree.get("config") or {})
    config["run"] = {k: v for k, v in (config.get("run") or {}).items() if k != "seed"}
    return json.dumps({**tree, "config": config}, sort_keys=True)
