"""What must not be believed of an advice, most important first."""

from __future__ import annotations

from ftlab.advise import Advice, Candidate
from ftlab.advise.candidate import RATE
from ftlab.endurance import DAY_S
from ftlab.plugins import shown
from ftlab.report.numbers import seconds
from ftlab.report.points import warnings
from ftlab.report.summary import OVERLOAD


def doubts(advice: Advice) -> list[str]:
    """Return what limits the advice, and what the runs warn of."""
    first = next(each for each in advice.candidates if each.results)
    entries = [run for each in advice.candidates for run in (each.closed, each.open)]
    told = [
        _coverage(first),
        _pace(first),
        _overload(advice),
        _blocks(advice, first),
        _warmup(first),
    ]
    more = [text for text in warnings(entries) if not text.startswith(OVERLOAD)]
    return [*filter(None, told), *_input(first), MODEL, *more]


EARLY = "a fourteenth to a sixth"
"""Used erases of devices without static wear levelling (docs: wear)."""

MODEL = (
    "Firmware time, the host link and bit errors are not modelled: use latencies to compare "
    "candidates, not as promises (docs/limits.md)."
)


def _coverage(first: Candidate) -> str:
    fills = first.fills or 0.0
    if not fills:
        return "The trace writes nothing: no lifetime follows from it."
    if fills >= 1:
        return ""
    return (
        f"The trace writes only {100 * fills:.2g} % of the capacity: write amplification and "
        "lifetime reflect the warm-up as much as the trace. Use a longer trace, or a smaller "
        "device.capacity with run.address = modulo."
    )


def _pace(first: Candidate) -> str:
    if first.targets.dwpd is not None:
        return ""
    if not first.has_times:
        return "The requests have no times: there is no rate, no overload and no years. Set --dwpd."
    duration = first.results[1]["host"]["last_arrival_s"]
    if duration >= 7 * DAY_S:
        return ""
    return (
        f"Years assume that the workload of the trace ({seconds(duration)}) repeats without a "
        "pause. Set --dwpd if you know the daily writes."
    )


def _overload(advice: Advice) -> str:
    late = sum(RATE in each.misses() for each in advice.candidates)
    if not late:
        return ""
    return (
        f"Overload: for a while or to the end, {late} of {len(advice.candidates)} candidates are "
        "slower than the trace's arrivals. Their p99 at its rate grows with the length of the "
        "burst. Try a preset with more planes, or a greater host.time_scale."
    )


def _blocks(advice: Advice, first: Candidate) -> str:
    source = "assumed for this kind of cell, set --endurance; " if advice.is_assumed else ""
    policy = first.results[0].find("config.wear.policy")
    uneven = (
        f" With wear.policy = {policy}, blocks of data that never change keep their erases, and "
        f"devices in docs/wear.md end after {EARLY} of it. With static they nearly reach it."
    )
    return (
        f"Lifetime is an upper bound: {first.endurance:,} erases per block ({source}spread evenly "
        f"over all blocks).{uneven if policy != 'static' else ''} `ftlab endurance` with the "
        "settings of the pick measures it."
    )


def _warmup(first: Candidate) -> str:
    warmup = first.results[0]["warmup"]
    if warmup["steady"] is not None:
        return ""
    if warmup["mode"] == "none":
        return "The device was new: set run.warmup = random:1 or steady for a device in use."
    return (
        f"The warm-up {warmup['mode']} does not test for a steady state: run.warmup = "
        "steady-random does."
    )


def _input(first: Candidate) -> list[str]:
    read = first.closed.config.get("input", {})
    told = []
    if "workload" in first.closed.config:
        told.append("The input is generated, not recorded: a real workload has other locality.")
    elif first.results[0].find("trace.format") == "generated":
        told.append(f"{shown(read.get('trace'))} is a model of a workload, not your trace.")
    if {"requests", "skip", "from", "until"} & set(read):
        told.append("Only a part of the input was run.")
    return told
