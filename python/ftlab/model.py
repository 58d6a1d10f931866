"""Closed forms of what address translation and collection cost, beside what runs measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from ftlab import _core
from ftlab._settings import Workload
from ftlab.config import given
from ftlab.record import Record, Section
from ftlab.simulation import simulate


def translation(result: Mapping[str, Any] | None = None, /, **parameters: Any) -> Record:
    """Return what the models of TPFTL predict (section 3.1 of the paper, Equations 1 to 13).

    Parameters
    ----------
    result
        The result of a run, to take the parameters from and to compare with.
    **parameters
        ``hit_ratio``, ``dirty_replacement_probability``, ``gc_hit_ratio``, ``write_ratio``,
        ``mean_valid_data`` and ``mean_valid_translation``, if there is no result; beside one, what
        is to be changed of it. Optional are ``pages_per_block``, ``read``, ``program``, ``erase``
        and, for merged updates, ``replacements_per_miss``, ``reads_per_write_back``,
        ``pages_per_write`` and ``translation_pages``.

    Returns
    -------
    Record
        ``parameters``; ``paper``, the model as published; ``merged``, ours, in which pages of one
        translation page that GC moves together are one update; ``measured``, or None without a
        result or with changed parameters. Each has ``translation_us``, ``gc_data_us``,
        ``gc_translation_us``, ``access_us``, ``updates_per_data_block``, ``write_amplification``.

    Raises
    ------
    ftlab.ConfigError
        when a parameter is missing, unknown or impossible, or the result lacks a figure
    """
    if result is None:
        return Record(json.loads(_core.model_translation(json.dumps(given(**parameters)))))
    plain = result.to_dict() if isinstance(result, Section) else dict(result)
    found = Record(json.loads(_core.model_translation_of(json.dumps(plain))))
    if not parameters:
        return found
    return translation(**{**found.parameters.to_dict(), **parameters})


def plane(
    parameters: Mapping[str, Any], hit_ratios: Sequence[float], dirty: Sequence[float]
) -> list[list[Record]]:
    """Return the predictions over hit ratios (columns) and dirty replacement probabilities (rows).

    Everything else is as in ``parameters``, which are those of a prediction.
    """
    plain = parameters.to_dict() if isinstance(parameters, Section) else dict(parameters)
    return [
        [
            translation(**{**plain, "hit_ratio": hits, "dirty_replacement_probability": share})
            for hits in hit_ratios
        ]
        for share in dirty
    ]


def separation(**parameters: Any) -> Record:
    """Return the least write amplification that separation by frequency reaches.

    Pages that are written equally often are a group. Each group has blocks of its own, and the
    spare space is divided so that all of them together write least. The formulas are in
    ``crates/ftlab/src/model/separation.rs``.

    Parameters
    ----------
    **parameters
        ``fill``, the pages with data over the physical pages, and one of: ``groups``, a list of
        shares ``[pages, writes]``; ``zone``, the share of the pages that gets the rest of the
        writes; ``workload``, an `ftlab.Workload` or its settings. Optional is
        ``pages_per_block``; without it blocks are large.

    Returns
    -------
    Record
        ``parameters``; ``groups``, how many there are; ``parts``, for each its shares of
        ``pages``, ``writes`` and ``physical`` pages, None for more than 32;
        ``write_amplification``, the bound; ``together``, that of FIFO without separation.

    Raises
    ------
    ftlab.ConfigError
        when a parameter is missing, unknown or impossible, or a workload is not stationary
    """
    workload = parameters.get("workload")
    if isinstance(workload, Workload):
        parameters["workload"] = workload.given
    return Record(json.loads(_core.model_separation(json.dumps(given(**parameters)))))


PAGE = 4096
"""Bytes of a page where theory is measured; they do not matter."""

POLICIES = ("greedy", "d-choices", "fifo", "random")
"""The victim policies that have models."""


def gc(measured: int = 0, /, **parameters: Any) -> Record:
    """Return the write amplification of page-level mapping that theory predicts, by victim policy.

    Random writes of single pages to a device that is full: uniform, or with a hot part. Sources are
    at the head of ``crates/ftlab/src/model/greedy_gc.rs``.

    Parameters
    ----------
    measured
        How many seeds of each policy to run: the device is filled, then written eight times over;
        the later half is measured.
    **parameters
        ``logical_blocks`` and ``blocks``; optional are ``pages_per_block`` (64), ``reserve`` (1),
        the free blocks at which a victim is collected, ``choices`` (10) of d-choices, and together
        ``hot_share`` of the pages and ``hot_access``, the share of the writes that go there.

    Returns
    -------
    Record
        ``parameters``; ``least`` and ``most``, between which the write amplification of a finite
        device is expected, by policy, None where there is no model; ``measured``, a list for
        each policy, one value a seed, empty unless asked for.

    Raises
    ------
    ftlab.ConfigError
        when a parameter is missing, unknown or impossible
    """
    found = json.loads(_core.model_gc(json.dumps(given(**parameters))))
    known = found["parameters"]
    runs = {
        policy: [_write_amplification(known, policy, seed) for seed in range(1, measured + 1)]
        for policy in POLICIES
    }
    return Record({**found, "measured": runs})


RUN_BLOCKS, RUN_PAGES = 1024, 256
"""The device on which a capacity is run: its blocks, and pages of each unless units have fewer."""


def capacity(
    measurements: Sequence[tuple[float, float]],
    pages_per_unit: int | None = None,
    *,
    measured: int = 0,
) -> Record:
    """Return the physical capacity that explains the write amplification of a drive, by fill level.

    The measurements are of uniform random writes in the steady state. The formulas and the rule of
    the verdict are in ``crates/ftlab/src/model/capacity.rs``.

    Parameters
    ----------
    measurements
        Bytes in use, and the write amplification: at least one.
    pages_per_unit
        Pages that GC erases together; without it units are large.
    measured
        How many seeds of each fill level to run, with greedy victims at the capacity that these
        imply.

    Returns
    -------
    Record
        ``parameters``, with the measurements in the order of fill levels; ``fits``, the best first,
        one for each rule for ``victims``. Each has ``capacity`` in bytes, ``misfit``, the root mean
        square of its logarithm, ``fitted``, the ``capacities`` without each measurement,
        ``left_out``, what they say of it, and a ``verdict``: ``explained``, ``systematic``,
        ``scattered`` or ``untested``. ``measured`` has a list for each fill level, one value a
        seed, empty unless asked for.

    Raises
    ------
    ftlab.ConfigError
        when a measurement or a parameter is impossible
    """
    asked = given(measurements=[list(each) for each in measurements], pages_per_unit=pages_per_unit)
    found = json.loads(_core.model_capacity(json.dumps(asked)))
    rule = "fifo" if pages_per_unit is None else "greedy"
    (physical,) = (fit["capacity"] for fit in found["fits"] if fit["victims"] == rule)
    levels = [used / physical for used, _ in found["parameters"]["measurements"]]
    device = {
        "blocks": RUN_BLOCKS,
        "pages_per_block": min(pages_per_unit or RUN_PAGES, RUN_PAGES),
        "reserve": 1,
        "hot_share": None,
        "hot_access": None,
    }
    runs = [
        [
            _write_amplification(
                {**device, "logical_blocks": max(1, round(level * RUN_BLOCKS))}, "greedy", seed
            )
            for seed in range(1, measured + 1)
        ]
        for level in levels
    ]
    return Record({**found, "measured": runs})


def _write_amplification(parameters: Mapping[str, Any], policy: str, seed: int) -> float:
    """Return what a run of theory's device measures: the mean of the later half of its windows."""
    shape = {key: parameters[key] for key in ("blocks", "pages_per_block")}
    hot = {key: parameters[key] for key in ("hot_share", "hot_access") if parameters[key]}
    workload = Workload(
        pattern="hotcold" if hot else "rand",
        read_share=0.0,
        bs=PAGE,
        size=parameters["logical_blocks"] * parameters["pages_per_block"] * PAGE,
        requests=8 * parameters["blocks"] * parameters["pages_per_block"],
        **hot,
    )
    low = parameters["reserve"]
    collection = {"policy": policy, "low": low, "high": low + 1, "mode": "single"}
    if policy == "d-choices":
        collection["choices"] = parameters["choices"]
    device = {**shape, "capacity": workload.size, "page": PAGE}
    result = simulate(
        workload,
        "page",
        gc=collection,
        warmup="random:1",
        address="modulo",
        seed=seed,
        config={"device": device},
    )
    windows = result["timeline"]["write_amplification"]
    return fmean(windows[len(windows) // 2 :])
