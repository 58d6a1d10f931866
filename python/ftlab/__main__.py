"""Makes ``python -m ftlab`` the command ``ftlab``, and is the command itself.

What it needs is imported when it runs, so that Ctrl-C ends that, too, without a traceback.
"""

import sys
from contextlib import suppress


def main() -> None:
    """Run the command line of this process."""
    try:
        _run()
    except (KeyboardInterrupt, Exception) as error:
        from ftlab import ending

        # What a signal interrupts may tell of it as a mistake of its own.
        if not isinstance(error, KeyboardInterrupt) and not ending.came():
            raise
        with suppress(OSError):
            print(f"error: {ending.told()}", file=sys.stderr)
        sys.exit(ending.code())


def _run() -> None:
    from ftlab import ending

    ending.listen()
    try:
        if sys.argv[1:] == ["--version"]:
            sys.exit(_version())
        from ftlab import cli

        cli.main()
    finally:
        ending.over()


def _version() -> int:
    """Print the version, without all that the command needs; return the exit code."""
    from ftlab.builds import version

    try:
        print(f"ftlab {version()}", flush=True)
    except BrokenPipeError:
        return _silenced(0)
    except OSError as error:
        print(f"error: standard output: {error.strerror}", file=sys.stderr)
        return _silenced(2)
    return 0


def _silenced(code: int) -> int:
    """Drop what is left for standard output, which nobody can be given; return the exit code."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


if __name__ == "__main__":
    main()
