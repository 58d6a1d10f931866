"""A mapping cache as a share of the whole map, ``1/128`` or ``1%``, as papers have it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ftlab import _core
from ftlab.config import Config, merge
from ftlab.errors import ConfigError

ENTRY_BYTES = 8
"""Of the map for each logical page: its number, and where it is (docs/choices.md#cache-default)."""

SMALLEST_DEVICE_BYTES = 64 << 20
"""As large is a device whose capacity is not given, at least."""

COMPACT_ALIGNMENT_BYTES = 1 << 20
"""Where the part of the device begins that a volume has, under ``run.address = compact``."""

SECTIONS = ("preset", "device", "input", "workload")
"""What decides how large a device is, in addition to the addresses."""

_SHARE = re.compile(r"(\d+)\s*/\s*(\d+)|(\d+(?:\.\d+)?)\s*%")


def sized(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a configuration whose cache is bytes, where it was a share of the whole map."""
    section = config.get("ftl")
    found = section.get("cache") if isinstance(section, Mapping) else None
    share = share_of(found)
    if share is None:
        return config
    kept = {key: config[key] for key in SECTIONS if key in config}
    run = config.get("run")
    address = run.get("address") if isinstance(run, Mapping) else None
    kept = merge([kept, {"run": {"address": address}} if address else {}])
    pages = _pages(json.dumps(kept, sort_keys=True, default=str))
    return merge([config, {"ftl": {"cache": round(pages * ENTRY_BYTES * share)}}])


def share_of(text: Any) -> float | None:
    """Return the share that a text is; None for anything else."""
    found = _SHARE.fullmatch(text.strip()) if isinstance(text, str) else None
    if not found:
        return None
    above, below, percent = found.groups()
    share = float(percent) / 100 if percent else int(above) / (int(below) or 1)
    if not 0 < share <= 1 or below == "0":
        raise ConfigError(f"ftl.cache: found {text}, expected a share of the map up to 1")
    return share


def capacity(tree: Config, info: Mapping[str, Any]) -> int:
    """Return how many bytes a device has that an input needs, of which ``info`` was measured."""
    whole = COMPACT_ALIGNMENT_BYTES
    spans = (
        -(-each["end_byte"] // whole) * whole - each["first_byte"] // whole * whole
        for each in info["volumes"]
    )
    compact = tree["run"]["address"] == "compact"
    needed = int(sum(spans) if compact else info["end_bytes"])
    if tree["input"]["trace"] is None:
        needed = max(needed, int(tree["workload"]["size"] or 0))
    page = int(tree["device"]["page"])
    return max(-(-needed // page) * page, SMALLEST_DEVICE_BYTES)


@lru_cache
def _pages(text: str) -> int:
    """Return the logical pages of the device of a configuration."""
    tree: Config = json.loads(_core.resolve(text))
    given = tree["device"]["capacity"]
    if given is None:
        read = json.dumps({key: tree[key] for key in ("input", "workload")})
        given = capacity(tree, json.loads(_core.trace_info(read))["info"])
    return int(given) // int(tree["device"]["page"])
