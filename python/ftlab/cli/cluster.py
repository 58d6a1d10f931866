"""``--cluster``: where points run instead of the cores of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from ftlab.cli import parse
from ftlab.cli.options import Command
from ftlab.points.workers import Workers

SCHEMES = ("tcp://", "tls://", "ws://", "wss://", "ucx://")
"""The prefixes of addresses of Dask schedulers."""

QUEUES = ("slurm", "local")
"""The executors of submitit: ``local`` runs processes on this machine, to try a set-up."""

LOGS = "jobs"
"""The folder for files of submitit, in the folder of the results."""

JOBS = 16
"""The default number of jobs of an array."""

WAIT_S = 20
"""How long a scheduler may take to answer."""


def cluster_option(command: Command) -> Command:
    """Add the option that selects where points run."""
    option: Callable[[Command], Command] = click.option(
        "--cluster",
        metavar="WHERE",
        help="Run on a Dask scheduler, tcp://HOST:PORT, or as a job array: slurm,KEY=VALUE,...",
    )
    return option(command)


@contextmanager
def workers(where: str | None, folder: str) -> Iterator[Workers | None]:
    """Yield the workers that ``--cluster`` names, or None for the cores of this machine."""
    if where is None:
        yield None
    elif where.startswith(SCHEMES):
        with _dask(where) as client:
            yield Workers.of(client)
    elif where.partition(",")[0] in QUEUES:
        yield _jobs(where, Path(folder))
    else:
        raise click.UsageError(
            f"--cluster: found {where}, expected tcp://HOST:PORT of a Dask scheduler, "
            "or slurm,KEY=VALUE,..."
        )


@contextmanager
def _dask(address: str) -> Iterator[Any]:
    """Yield a client of a Dask scheduler."""
    if find_spec("distributed") is None:
        raise click.UsageError("--cluster tcp:// needs Dask: pip install 'ftlab[dask]'")
    from distributed import Client

    try:
        client = Client(address, timeout=WAIT_S)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise click.UsageError(f"--cluster {address}: no Dask scheduler answers") from error
    with client:
        yield client


def _jobs(where: str, folder: Path) -> Workers:
    """Return the jobs of an array as workers; its settings are those of submitit."""
    if find_spec("submitit") is None:
        raise click.UsageError("--cluster slurm needs submitit: pip install 'ftlab[slurm]'")
    from submitit import AutoExecutor

    queue, *texts = where.split(",")
    settings = dict(parse.setting(text) for text in texts)
    jobs = settings.pop("jobs", JOBS)
    if not isinstance(jobs, int) or jobs < 1:
        raise click.UsageError(f"--cluster {where}: found jobs={jobs}, expected how many")
    try:
        executor = AutoExecutor(folder=folder / LOGS, cluster=queue)
        executor.update_parameters(**settings)
    except (RuntimeError, NameError, TypeError, ValueError) as error:
        lines = str(error).splitlines()
        raise click.UsageError(f"--cluster {where}: {lines[0] if lines else error}") from error
    return Workers.of(executor, jobs)
