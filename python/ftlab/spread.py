"""What runs of one point differ in, seeds or parts of the input: what their deviation is of."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ftlab import cores
from ftlab.config import Config, Progress, given, merge
from ftlab.errors import ConfigError
from ftlab.plugins import resolved
from ftlab.result import Result
from ftlab.seeds import without_effect
from ftlab.shares import SECTIONS, capacity

SEED, SKIP = "run.seed", "input.skip"
MOST_PARTS = 1000


def axes(configs: Sequence[Config]) -> list[str]:
    """Return in which settings runs of one point differ among these configurations.

    What is skipped is one of them where each input is cut into parts: pieces of the same length.
    """
    pieces: dict[str, list[tuple[Any, Any]]] = {}
    for config in configs:
        read = dict(config.get("input") or {})
        piece = (read.pop("skip", None) or 0, read.pop("requests", None))
        pieces.setdefault(repr(sorted(read.items())), []).append(piece)
    are_parts = bool(pieces) and all(map(_are_cut, pieces.values()))
    return [SEED, SKIP] if are_parts else [SEED]


def _are_cut(pieces: Sequence[tuple[Any, Any]]) -> bool:
    """Tell whether pieces of an input, by what is skipped and taken, are its parts."""
    skips, sizes = ({piece[at] for piece in pieces} for at in (0, 1))
    size = sizes.pop() if len(sizes) == 1 else None
    if not isinstance(size, int) or size < 1 or len(skips) < 2:
        return False
    whole = all(isinstance(skip, int) for skip in skips)
    return whole and all((skip - min(skips)) % size == 0 for skip in skips)


def are_parts(runs: Sequence[Result]) -> bool:
    """Tell whether runs are parts of one input, so that those of two FTLs belong together."""
    skipped = [run.find(f"config.{SKIP}") or 0 for run in runs]
    return len(runs) > 1 and len(set(skipped)) == len(runs)


def told(runs: Sequence[Result]) -> str:
    """Return what the deviation of several runs is of; empty where there is none."""
    if len(runs) < 2 or without_effect(runs):
        return ""
    mean = "mean ± standard deviation of"
    if are_parts(runs):
        size = max(run.find("trace.requests") or run["host"]["requests"] for run in runs)
        return f"{mean} {len(runs)} parts of the input with {size:,} requests each"
    return f"{mean} {len(runs)} seeds of {_random(runs[0])}"


def of_groups(groups: Sequence[Sequence[Result]]) -> str:
    """Return what the deviations of several points are of; each text once."""
    return "; ".join(dict.fromkeys(text for runs in groups if (text := told(runs))))


def _random(run: Result) -> str:
    """Return what the seed decides in a run."""
    if run.find("trace.format") == "generated":
        return "the workload"
    warmup = str(run.find("config.run.warmup") or "")
    if warmup.startswith(("random", "steady-random")):
        return "the warm-up, on one recorded trace"
    return "the device, on one recorded trace"


def parts(config: Config, count: int, progress: Progress | None = None) -> list[Config]:
    """Return what makes a configuration one of ``count`` parts of its input, in the order of time.

    Parts have equally many requests and the device of the whole. Raises `ftlab.ConfigError` for an
    input that cannot be cut so.
    """
    if not 2 <= count <= MOST_PARTS:
        raise ConfigError(f"parts: found {count}, expected 2 to {MOST_PARTS}")
    tree = resolved({key: config[key] for key in (*SECTIONS, "run") if key in config})
    read = {"input": tree["input"], "workload": tree["workload"], "run": tree["run"]}
    if tree["input"]["trace"] is None:
        raise ConfigError("parts: found a workload, expected a trace; use several seeds")
    core = cores.core_of(read)
    info: dict[str, Any] = json.loads(core.trace_info(json.dumps(read), progress))["info"]
    whole = {**read, "input": {**tree["input"], "shard": None}}
    requests = info["requests"]
    if whole != read:
        requests = json.loads(core.trace_info(json.dumps(whole), progress))["info"]["requests"]
    size = requests // count
    if not size:
        raise ConfigError(f"parts: found {requests} requests, expected {count} or more")
    first = tree["input"].get("skip") or 0
    device = {} if tree["device"]["capacity"] else {"device": {"capacity": capacity(tree, info)}}
    cuts = [{"skip": first + at * size, "requests": size} for at in range(count)]
    return [merge([{"input": cut}, device]) for cut in cuts]


def in_parts(tree: Config, count: int) -> Config:
    """Return settings that run each point of a sweep on ``count`` parts of its input.

    Settings with several values do not decide where parts begin. Presets among them must state a
    capacity if the sweep states none.
    """
    one = {section: _with_one_value(table) for section, table in tree.items()}
    plain = {section: table for section, table in one.items() if not isinstance(table, list)}
    presets = tree["preset"] if isinstance(tree.get("preset"), list) else [tree.get("preset")]
    first, *others = [parts(merge([plain, given(preset=each)]), count) for each in presets]
    skips = {"input": {"skip": [cut["input"]["skip"] for cut in first]}}
    if isinstance(tree.get("device", {}).get("capacity"), list):
        return merge([{"input": first[0]["input"]}, skips])
    if others and any("device" in cuts[0] for cuts in (first, *others)):
        raise ConfigError("parts: found presets without a capacity, expected a capacity for all")
    return merge([first[0], skips])


def _with_one_value(table: Any) -> Any:
    """Return a section without the settings that have several values."""
    if not isinstance(table, dict):
        return table
    return {key: value for key, value in table.items() if not isinstance(value, list)}
