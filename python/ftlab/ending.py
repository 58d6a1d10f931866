"""The end of a command by a signal: as by Ctrl-C, with a separate exit code.

Unfinished files are removed, the terminal is restored, and no output is written. This holds for a
signal from a user, `timeout`, a scheduler or a closed terminal.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer, main_thread
from types import FrameType
from typing import Protocol, TypeVar

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)

SETTLING_S = 1.0
"""How long further signals are ignored after the first one, in seconds."""

AGAIN_S = 0.01
"""The time before a lost signal is sent again, in seconds."""

IMPORT_S = 10.0
"""The longest time that a signal waits for an import, in seconds.

A signal during their first lines breaks compiled modules. A user's module may never end its import.
"""

INTERRUPTED = "interrupted"

Shown = TypeVar("Shown", bound="Started")


class _Ended:
    """The signal, its time, and whether it has to wait."""

    number: int | None = None
    at = -SETTLING_S
    first = 0.0
    deferring = 0
    waits = False


def listen() -> None:
    """Let signals raise `KeyboardInterrupt`; ignored signals, as under nohup, are still ignored."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)
    sys.unraisablehook = _told_again


def _told_again(lost: sys.UnraisableHookArgs) -> None:
    """Send a signal again that arrived where nothing can be raised, as in a destructor."""
    if lost.exc_type is not KeyboardInterrupt or _Ended.number is None:
        sys.__unraisablehook__(lost)
        return
    _send_again(_Ended.number)


def _send_again(number: int) -> None:
    """Send it to the main thread, whose sleep or read it ends."""
    _Ended.at = -SETTLING_S
    Timer(AGAIN_S, signal.pthread_kill, (main_thread().ident, number)).start()


def _importing(frame: FrameType | None) -> bool:
    """Return whether an import is in progress in this frame."""
    while frame is not None:
        code = frame.f_code
        if code.co_name == "_find_and_load" and "importlib" in code.co_filename:
            return True
        frame = frame.f_back
    return False


def over() -> None:
    """Ignore signals, so that none changes the exit code of a command that has ended."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    # If a signal came while Python ran a text, as for dataclasses, Python ends itself by SIGINT
    # unless it has run another text since.
    exec("")


def came() -> bool:
    """Return whether a signal has arrived."""
    return _Ended.number is not None


def code() -> int:
    """Return the exit code of a command that was ended: 130 for Ctrl-C."""
    return 128 + (_Ended.number or signal.SIGINT)


def told() -> str:
    """Return a description of the signal that ended the command."""
    if _Ended.number in (None, signal.SIGINT):
        return INTERRUPTED
    return f"{INTERRUPTED} by {signal.Signals(_Ended.number or 0).name}"


def end(number: int, frame: FrameType | None) -> None:
    """Handle a signal, unless one is being handled."""
    now = time.monotonic()
    if now - _Ended.at < SETTLING_S:
        return
    if _Ended.number is None:
        _Ended.number, _Ended.first = number, now
    _Ended.at = now
    if now - _Ended.first < IMPORT_S and _importing(frame):
        _send_again(number)
    elif _Ended.deferring:
        _Ended.waits = True
    else:
        raise KeyboardInterrupt


@contextmanager
def deferred() -> Iterator[None]:
    """Delay signals until the block is complete."""
    _Ended.deferring += 1
    try:
        yield
    finally:
        _Ended.deferring -= 1
        if _Ended.waits and not _Ended.deferring:
            _Ended.waits = False
            raise KeyboardInterrupt


class Started(Protocol):
    """A part of the terminal's output that can be started, such as a bar."""

    def start(self) -> None:
        """Start it."""

    def stop(self) -> None:
        """Stop it and restore the terminal; no effect if it was not started."""


@contextmanager
def on_terminal(what: Shown) -> Iterator[Shown]:
    """Yield ``what``, and restore the terminal whenever a signal arrives."""
    try:
        with deferred():
            what.start()
        yield what
    finally:
        with deferred():
            what.stop()
