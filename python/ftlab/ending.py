"""What ends a command from outside: each signal as Ctrl-C does, with an exit code of its own.

So what is half done is removed, the terminal is as it was, and no output is written, whoever ends
the command: a user, `timeout`, a scheduler or a terminal that is closed.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from types import FrameType
from typing import Protocol, TypeVar

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)

SETTLING_S = 1.0
"""How long after a signal another changes nothing: the first is being obeyed."""

AGAIN_S = 0.01
"""After how long a signal is sent once more that was lost."""

IMPORT_S = 10.0
"""How long a signal waits for an import. Compiled modules do not survive one in their first lines;
a module of the user's may never end."""

INTERRUPTED = "interrupted"

Shown = TypeVar("Shown", bound="Started")


class _Ended:
    """The signal that came, when, and whether it has to wait."""

    number: int | None = None
    at = -SETTLING_S
    first = 0.0
    deferring = 0
    waits = False


def listen() -> None:
    """Have the signals raise `KeyboardInterrupt`; what is ignored, as under nohup, stays so."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)
    sys.unraisablehook = _told_again


def _told_again(lost: sys.UnraisableHookArgs) -> None:
    """Send a signal once more that came where nothing can be raised, as in a destructor."""
    if lost.exc_type is not KeyboardInterrupt or _Ended.number is None:
        sys.__unraisablehook__(lost)
        return
    _send_again(_Ended.number)


def _send_again(number: int) -> None:
    _Ended.at = -SETTLING_S
    Timer(AGAIN_S, signal.raise_signal, (number,)).start()


def _importing(frame: FrameType | None) -> bool:
    """Tell whether what runs is below an import."""
    while frame is not None:
        code = frame.f_code
        if code.co_name == "_find_and_load" and "importlib" in code.co_filename:
            return True
        frame = frame.f_back
    return False


def over() -> None:
    """Have no signal change the exit code of a command that is over."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    # Python ends itself by SIGINT if a signal came while it ran text, as it does for dataclasses,
    # unless it has run another text since.
    exec("")


def came() -> bool:
    """Tell whether a signal has come."""
    return _Ended.number is not None


def code() -> int:
    """Return the exit code of a command that was ended: 130 for Ctrl-C."""
    return 128 + (_Ended.number or signal.SIGINT)


def told() -> str:
    """Return what ended the command, in words."""
    if _Ended.number in (None, signal.SIGINT):
        return INTERRUPTED
    return f"{INTERRUPTED} by {signal.Signals(_Ended.number or 0).name}"


def end(number: int, frame: FrameType | None) -> None:
    """Obey a signal, unless one is being obeyed."""
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
    """Have a signal wait until what is begun here is whole."""
    _Ended.deferring += 1
    try:
        yield
    finally:
        _Ended.deferring -= 1
        if _Ended.waits and not _Ended.deferring:
            _Ended.waits = False
            raise KeyboardInterrupt


class Started(Protocol):
    """What takes a part of the terminal, such as a bar."""

    def start(self) -> None:
        """Take it."""

    def stop(self) -> None:
        """Give it back; nothing where it was not taken."""


@contextmanager
def on_terminal(what: Shown) -> Iterator[Shown]:
    """Yield what is shown, and give the terminal back whenever a signal comes."""
    try:
        with deferred():
            what.start()
        yield what
    finally:
        with deferred():
            what.stop()
