"""Makes ``python -m ftlab`` the command ``ftlab``, and is the command itself.

What it needs is imported when it runs, so that Ctrl-C ends that, too, without a traceback.
"""

import sys


def main() -> None:
    """Run the command line of this process."""
    try:
        if sys.argv[1:] == ["--version"]:
            from ftlab._core import __version__

            print(f"ftlab {__version__}")
            return
        from ftlab import cli

        cli.main()
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
