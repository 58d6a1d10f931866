"""The metrics of a live device (`ftlab serve --metrics`), as lines."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

from ftlab.errors import ConfigError
from ftlab.live import figures_of
from ftlab.report.numbers import count, written

PATIENCE_S = 5.0
QUESTION = b"GET /metrics HTTP/1.1\r\nHost: ftlab\r\n\r\n"


def asked(path: str) -> dict[str, float]:
    """Return the metrics served on a socket.

    Raises
    ------
    ftlab.ConfigError
        when no device serves metrics there
    """
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE_S)
            connection.connect(path)
            connection.sendall(QUESTION)
            answer = b"".join(iter(lambda: connection.recv(1 << 16), b"")).decode()
    except (OSError, UnicodeDecodeError) as error:
        expected = "expected the socket of `ftlab serve --metrics`"
        raise ConfigError(f"{path}: found no server of metrics, {expected}") from error
    return figures_of(answer.partition("\r\n\r\n")[2])


def lines(path: str) -> Iterator[str]:
    """Yield a line of metrics for each request, until the device is gone."""
    before = asked(path)
    yield line(before, None)
    while Path(path).exists():
        try:
            now = asked(path)
        except ConfigError:
            return
        yield line(now, before)
        before = now


def line(now: dict[str, float], before: dict[str, float] | None) -> str:
    """Return the metrics of a session so far in one line, and the changes since the last."""
    requests = _requests(now)
    since = "" if before is None else f" (+{count(requests - _requests(before))})"
    p99 = now.get('ftlab_response_seconds{quantile="0.99"}')
    parts = {
        "hits": written(now.get("ftlab_mapping_hit_ratio"), "ratio"),
        "WA": written(now.get("ftlab_write_amplification"), "factor"),
        "p99": written(None if p99 is None else 1e6 * p99, "us"),
        "flushes": count(now["ftlab_flushes_total"]),
        "connections": count(now["ftlab_connections"]),
    }
    told = ", ".join(f"{name} {text}" for name, text in parts.items())
    return f"{count(requests)} requests{since}: {told}"


def _requests(figures: dict[str, float]) -> float:
    return sum(value for name, value in figures.items() if name.startswith("ftlab_requests_total{"))
