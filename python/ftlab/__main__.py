"""Makes ``python -m ftlab`` the command ``ftlab``."""

from ftlab.cli import main

main()
