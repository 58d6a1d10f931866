"""A run as lines of figures, where no terminal shows it."""

from __future__ import annotations

import click

from ftlab.frames import FREE, Frame
from ftlab.report.numbers import written


def show(frame: Frame) -> None:
    """Print the line of a frame; the first frame has no figures yet."""
    if frame.requests:
        click.echo(line(frame))


def line(frame: Frame) -> str:
    """Return the figures of a frame's window, all in one line."""
    now = frame.window
    of = f"/{frame.of:,}" if frame.of else ""
    parts = {
        "hits": written(now.hit_ratio, "ratio"),
        "WA": written(now.write_amplification, "factor"),
        "mean": written(now.mean_us, "us"),
        "p99": written(now.p99_us, "us"),
        "planes busy": written(frame.busy, "ratio"),
        "free blocks": written(int((frame.kind == FREE).sum())),
    }
    told = ", ".join(f"{name} {text}" for name, text in parts.items())
    return f"{frame.requests:,}{of} requests, {written(frame.time_s, 's')}: {told}"
