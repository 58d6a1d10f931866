"""submitit's jobs as an executor of `concurrent.futures`: calls that come together are one array.

Jobs are looked at every second, which asks the scheduler seldom: submitit sees their files first.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Lock, Thread
from typing import Any, ParamSpec, TypeAlias, TypeVar

from ftlab.errors import ConfigError

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
Call: TypeAlias = tuple[Future[Any], Callable[..., Any], tuple[Any, ...], dict[str, Any]]

LOOK_S = 1.0
"""How often jobs are looked at, and calls collected for an array."""


class Jobs(Executor):
    """Runs each call in a job of a submitit executor."""

    def __init__(self, executor: Any) -> None:
        self._executor = executor
        self._lock = Lock()
        self._waiting: list[Call] = []
        self._jobs: dict[Future[Any], Any] = {}
        self._watcher: Thread | None = None

    def submit(
        self,
        fn: Callable[Arguments, Answer],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Future[Answer]:
        """Have a function called in a job, which is submitted with the next look."""
        future: Future[Answer] = Future()
        with self._lock:
            self._waiting.append((future, fn, args, kwargs))
            if self._watcher is None:
                self._watcher = Thread(target=self._watch, daemon=True)
                self._watcher.start()
        return future

    def _watch(self) -> None:
        """Submit what waits and see what has ended, as long as there is any."""
        while True:
            time.sleep(LOOK_S)
            with self._lock:
                waiting, self._waiting = self._waiting, []
                if not waiting and not self._jobs:
                    self._watcher = None
                    return
            calls = [call for call in waiting if not call[0].cancelled()]
            if calls:
                self._start(calls)
            ended = [each for each, job in self._jobs.items() if each.cancelled() or job.done()]
            for future in ended:
                _settle(future, self._jobs.pop(future))

    def _start(self, calls: list[Call]) -> None:
        """Submit calls as one array."""
        try:
            with self._executor.batch():
                jobs = [self._executor.submit(fn, *args, **more) for _, fn, args, more in calls]
            self._jobs.update(zip((future for future, *_ in calls), jobs, strict=True))
        except Exception as error:
            told = f"the jobs cannot be submitted: {error}"
            for future, *_ in calls:
                future.set_exception(ConfigError(told))


def _settle(future: Future[Any], job: Any) -> None:
    """Hand over what a job has returned or raised; one that nobody waits for is cancelled."""
    if not future.set_running_or_notify_cancel():
        job.cancel()
        return
    try:
        future.set_result(job.result())
    except Exception as error:
        future.set_exception(error)
