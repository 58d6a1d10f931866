"""How classes of the user's are left: when a run is stopped, and when the process ends.

A thread that is inside a class when the interpreter ends would take the process with it.
"""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress

from ftlab import _core, cores

PATIENCE_S = 0.5
"""How long classes have for ending their calls when the process ends."""


def interrupt(thread: int) -> None:
    """Raise `KeyboardInterrupt` in a thread, where it next runs Python code."""
    from ctypes import c_ulong, py_object, pythonapi

    pythonapi.PyThreadState_SetAsyncExc(c_ulong(thread), py_object(KeyboardInterrupt))


def leave(code: int = 1) -> None:
    """End what classes are at; where one does not end, end the process with ``code`` at once."""
    if cores.stop_classes(PATIENCE_S):
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    _core.remove_unfinished()
    os._exit(code)


atexit.register(leave)
