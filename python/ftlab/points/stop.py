"""Work on other threads that can be stopped, and is abandoned if it does not stop.

Python delivers Ctrl-C only to the main thread, and the core checks for it on the calling thread.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from threading import Thread
from typing import Any, TypeVar

from ftlab.errors import Interrupted, starting_threads

Answer = TypeVar("Answer")

GRACE_S = 0.5
"""Time for stopped work to end, in seconds: more than the core takes where it reports progress."""


class Stop:
    """A request to stop work."""

    def __init__(self) -> None:
        self._asked: Future[None] = Future()

    def ask(self) -> None:
        """Request that all work stops."""
        if not self._asked.done():
            self._asked.set_result(None)

    def check(self) -> None:
        """Raise `ftlab.Interrupted` if work must stop."""
        if self._asked.done():
            raise Interrupted("interrupted")

    def run(self, work: Callable[[], Answer]) -> Answer:
        """Return what ``work`` returns or raise what it raises.

        Raises `ftlab.ResourceError` if no thread can be started for it. Raises `ftlab.Interrupted`
        if it has not ended `GRACE_S` after the request to stop: it may be reading a file without
        reporting progress. It then ends at its next check, or with the process.
        """
        self.check()
        answer: Future[Answer] = Future()
        with starting_threads():
            Thread(target=_settle, args=(answer, work), daemon=True).start()
        either: tuple[Future[Any], ...] = (answer, self._asked)
        wait(either, return_when=FIRST_COMPLETED)
        if not wait((answer,), GRACE_S).done:
            raise Interrupted("interrupted")
        return answer.result()


def _settle(answer: Future[Answer], work: Callable[[], Answer]) -> None:
    try:
        answer.set_result(work())
    except BaseException as error:
        answer.set_exception(error)
