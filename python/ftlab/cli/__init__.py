"""The command ``ftlab``: one file for each verb, and shared code in the others.

Standard output has the result, standard error progress and warnings. Exit codes:

* 0: success
* 1: an FTL broke a rule, an invariant or an FTL check
* 2: an error in the command, configuration or trace
* 130: stopped by Ctrl-C
* 128 + N: ended by signal N
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections import UserDict
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

import click

from ftlab import ending, trust
from ftlab.blame import by_a_file, lines, places
from ftlab.builds import version
from ftlab.cli.say import say
from ftlab.cli.words import translated
from ftlab.errors import FtlabError, InternalError, Interrupted, RuleError, starting_threads
from ftlab.leaving import leave

BROKEN = "a bug of the FTL; if it is one of ftlab: please report the lines above"


class Program(click.Group):
    """The group of verbs; it turns every error into one line and an exit code.

    An exception of a user's class is shown with the lines of the user's code that it passed.
    """

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run the command line and leave the process with its exit code."""
        extra["standalone_mode"] = False
        try:
            with trust.only_named(sys.argv[1:] if args is None else args):
                code = self._served(args, *rest, **extra)
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            code = error.exit_code
        except click.UsageError as error:
            code = _fail(_usage(error), code=2)
        except click.ClickException as error:
            code = _fail(error.format_message(), code=error.exit_code)
        except Interrupted as error:
            code = _fail(str(error), code=ending.code())
        except (click.Abort, KeyboardInterrupt):
            code = _fail(ending.told(), code=ending.code())
        except RuleError as error:
            code = _fail(*str(error).splitlines(), *places(error), code=1)
        except InternalError as error:
            code = _fail(*str(error).splitlines(), BROKEN, code=1)
        except FtlabError as error:
            if ending.came():
                # A compiled module, as of matplotlib, may raise an error of its own for a signal.
                code = _fail(ending.told(), code=ending.code())
            else:
                code = _fail(translated(str(error)), code=2)
        except OSError as error:
            # A closed terminal takes no more output; its signal has given the reason.
            code = ending.code() if ending.came() else _fail(_system(error), code=2)
        except MemoryError:
            code = _fail("out of memory", code=2)
        leave(code)
        sys.exit(code)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in groups."""
        longest = max(map(len, VERBS))
        width = formatter.width - 6 - longest
        for heading, group in GROUPS.items():
            rows = [(f"{name:{longest}}", VERBS[name].get_short_help_str(width)) for name in group]
            with formatter.section(heading):
                formatter.write_dl(rows)

    def _served(self, *args: Any, **extra: Any) -> int:
        """Run the command line; a reader that closes standard output ends it without an error."""
        try:
            with warnings.catch_warnings(), starting_threads():
                warnings.showwarning = _warn
                # A command that is done returns nothing.
                code: int = super().main(*args, **extra) or 0
            sys.stdout.flush()
        except SystemExit:
            # The exit code of click for a broken pipe.
            code = 0
        except Exception as error:
            if isinstance(error, RuleError | Interrupted) or not by_a_file(error):
                raise
            told = f"{type(error).__name__}: {error}".splitlines()
            code = _fail(*told, *getattr(error, "__notes__", []), *lines(error), code=1)
        return code


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning in one line."""
    say(f"warning: {message}", err=True)


def _system(error: OSError) -> str:
    """Return the message of the system, and the file if it is known."""
    told = str(error.strerror or error)
    return f"{error.filename}: {told}" if isinstance(error.filename, str) else told


def _fail(*lines: str, code: int) -> int:
    """Print an error and return the exit code."""
    with suppress(OSError):
        first, *rest = lines
        say(f"error: {first}", *rest, err=True)
    return code


def _usage(error: click.UsageError) -> str:
    """Return the message, and where the options are described."""
    message = re.sub(r"(?<!\.)\.$", "", error.format_message())
    if isinstance(error, click.MissingParameter):
        # Choices come one to a line.
        message = " ".join(message.split())
    return f"{message} (see `{error.ctx.command_path} --help`)" if error.ctx else message


class Verbs(UserDict[str, Any]):
    """The commands by their names; the module of each is imported on first use."""

    def __getitem__(self, name: str) -> click.Command:
        """Return the command."""
        module, _, attribute = self.data[name].partition(":")
        command: click.Command = getattr(import_module(f"ftlab.cli.{module}"), attribute)
        return command


GROUPS = {
    "Run and compare": {
        "demo": "demo:demo",
        "run": "run:run",
        "compare": "compare:compare",
        "explain": "explain:explain",
        "watch": "watch:watch",
        "load": "load:load",
        "list": "listing:listing",
    },
    "Custom FTLs": {
        "new": "new:new",
        "check": "check:check",
    },
    "Traces": {
        "trace": "trace:trace",
    },
    "Experiments": {
        "advise": "advise:advise",
        "sweep": "sweep:sweep",
        "results": "results:results",
        "plot": "plot:plot",
        "tune": "tune:tune",
        "fleet": "fleet:fleet",
        "model": "model:model",
    },
    "Devices": {
        "identify": "identify:identify",
        "crash": "crash:crash",
        "endurance": "endurance:endurance",
        "serve": "serve:serve",
        "fsck": "serve:fsck",
        "replay": "serve:replay",
    },
    "Papers": {
        "reproduce": "papers:reproduce",
    },
}
"""The commands in the order of the help, under its headings, with their modules."""

VERBS = Verbs({name: place for group in GROUPS.values() for name, place in group.items()})


@click.group(
    cls=Program,
    name="ftlab",
    commands=VERBS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(version(), prog_name="ftlab", message="%(prog)s %(version)s")
def program() -> None:
    """Run flash translation layers on block traces.

    Start with "ftlab demo". "ftlab COMMAND --help" explains a command.
    """


def main() -> NoReturn:
    """Run the command line of this process."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    sys.stdout = sys.stdout or os.fdopen(nowhere, "w")
    sys.stderr = sys.stderr or os.fdopen(nowhere, "w")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    program.main(prog_name="ftlab")
