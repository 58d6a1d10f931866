"""Closed forms for the cost of address translation and collection, compared with measurements."""

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
    """Return the predictions of TPFTL's models (section 3.1 of the paper, Equations 1 to 13).

    Parameters
    ----------
    result
        The result of a run, which supplies the parameters and the measured values.
    **parameters
        Required without a result: ``hit_ratio``, ``dirty_replacement_probability``,
        ``gc_hit_ratio``, ``write_ratio``, ``mean_valid_data`` and ``mean_valid_translation``. With
        a result, parameters replace its values.

        Optional: ``pages_per_block``, ``read``, ``program``, ``erase``. For merged updates also
        ``replacements_per_miss``, ``reads_per_write_back``, ``pages_per_write`` and
        ``translation_pages``.

    Returns
    -------
    Record
        Metrics are as follows:

        * ``parameters``: all parameters
        * ``paper``: the model as published
        * ``merged``: our variant; pages of one translation page that GC moves together are one
          update
        * ``measured``: None without a result or with changed parameters

        Each of the last three has ``translation_us``, ``gc_data_us``, ``gc_translation_us``,
        ``access_us``, ``updates_per_data_block`` and ``write_amplification``.

    Raises
    ------
    ftlab.ConfigError
        when a parameter is missing, unknown or impossible, or the result lacks a metric
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

    All other parameters are those in ``parameters`` of a prediction.
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

    Pages that are written equally often are a group. Each group has separate blocks, and the spare
    space is divided to minimise the writes of all groups together. The formulas are in
    ``crates/ftlab/src/model/separation.rs``.

    Parameters
    ----------
    **parameters
        ``fill``, the pages with data over the physical pages, and one of these:

        * ``groups``: a list of shares ``[pages, writes]``
        * ``zone``: the share of the pages that gets the rest of the writes
        * ``workload``: an `ftlab.Workload` or its settings

        ``pages_per_block`` is optional; without it blocks are large.

    Returns
    -------
    Record
        Metrics are as follows:

        * ``parameters``: all parameters
        * ``groups``: their number
        * ``parts``: for each group its shares of ``pages``, ``writes`` and ``physical`` pages; None
          for more than 32 groups
        * ``write_amplification``: the bound
        * ``together``: write amplification of FIFO without separation

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
"""Bytes of a page in measurements of the theory; they do not matter."""

POLICIES = ("greedy", "d-choices", "fifo", "random")
"""The victim policies that have models."""


def gc(measured: int = 0, /, **parameters: Any) -> Record:
    """Return the write amplification of page-level mapping by theory, for each victim policy.

    The workload writes single pages at random to a full device, uniformly or with a hot part.
    Sources are at the head of ``crates/ftlab/src/model/greedy_gc.rs``.

    Parameters
    ----------
    measured
        How many seeds of each policy to run. The device is filled, then written eight times over;
        the later half is measured.
    **parameters
        Required: ``logical_blocks`` and ``blocks``. Optional: ``pages_per_block`` (64), ``reserve``
        (1), the free blocks at which a victim is collected, and ``choices`` (10) of d-choices.
        Optional together: ``hot_share`` of the pages, and ``hot_access``, their share of the
        writes.

    Returns
    -------
    Record
        Metrics are as follows:

        * ``parameters``: all parameters
        * ``least``, ``most``: bounds of the write amplification of a finite device by policy; None
          without a model
        * ``measured``: for each policy a list with one value per seed; empty by default

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
"""The device of a run for a capacity: its blocks, and their pages unless units have fewer."""


def capacity(
    measurements: Sequence[tuple[float, float]],
    pages_per_unit: int | None = None,
    *,
    measured: int = 0,
) -> Record:
    """Return the physical capacity that explains a drive's write amplification by fill level.

    The measurements are of uniform random writes in the steady state. The formulas and the rule of
    the verdict are in ``crates/ftlab/src/model/capacity.rs``.

    Parameters
    ----------
    measurements
        Bytes in use and write amplification of each measurement; at least one.
    pages_per_unit
        Pages that GC erases together; by default units are large.
    measured
        How many seeds of each fill level to run, with greedy victims at the inferred capacity.

    Returns
    -------
    Record
        ``parameters`` has the measurements in the order of fill levels. ``fits`` has a fit for each
        rule for ``victims``, the best first:

        * ``capacity``: bytes
        * ``misfit``: the root mean square of the logarithm of the error
        * ``fitted``: the fitted write amplification
        * ``capacities``: the capacities without one measurement each
        * ``left_out``: what each of these predicts for the omitted measurement
        * ``verdict``: ``explained``, ``systematic``, ``scattered`` or ``untested``

        ``measured`` has a list for each fill level with one value per seed; empty by default.

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
    """Return the measurement on theory's device: the mean of the later half of its windows."""
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
