"""Work on other threads that can be stopped, and is left alone where it does not stop by itself.

Python tells Ctrl-C to the main thread alone, and the core looks for it on the thread that called.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from threading import Thread
from typing import Any, TypeVar

from ftlab.errors import Interrupted, starting_threads

Answer = TypeVar("Answer")

GRACE_S = 0.5
"""How long work that is to stop has for it: more than the core takes where it tells progress."""


class Stop:
    """Whether work is to stop."""

    def __init__(self) -> None:
        self._asked: Future[None] = Future()

    def ask(self) -> None:
        """Have all work stopped."""
        if not self._asked.done():
            self._asked.set_result(None)

    def check(self) -> None:
        """Raise `ftlab.Interrupted` if work is to stop."""
        if self._asked.done():
            raise Interrupted("interrupted")

    def run(self, work: Callable[[], Answer]) -> Answer:
        """Return what ``work`` returns or raise what it raises.

        Raises `ftlab.ResourceError` where no thread can be started for it, and `ftlab.Interrupted`
        where it has not ended `GRACE_S` after it was to stop: it may be deep in a file of which
        there is nothing to tell. It ends when it next looks whether it is to stop, or with the
        process.
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
