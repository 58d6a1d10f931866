"""Closed forms of what address translation costs, beside what runs measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ftlab import _core
from ftlab.config import given
from ftlab.result import Record


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
    plain = result.to_dict() if isinstance(result, Record) else dict(result)
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
    plain = parameters.to_dict() if isinstance(parameters, Record) else dict(parameters)
    return [
        [
            translation(**{**plain, "hit_ratio": hits, "dirty_replacement_probability": share})
            for hits in hit_ratios
        ]
        for share in dirty
    ]
