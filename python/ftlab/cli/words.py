"""Messages in the words of the command line: an option instead of the key that it sets."""

from __future__ import annotations

import re

from ftlab.cli.options import MODEL, ORDERS, SOURCE

OPTIONS = {
    **{each.path: each.flag for each in (*SOURCE, *MODEL) if "." in each.path},
    **{f"input.order = {order}": f"--{order}" for order in ORDERS},
    "input.flushes = true": "--flushes",
    "run.verify = false": "--no-verify",
    "input.requests": "--requests",
    "input.trace": "TRACE",
    "`to`": "--to",
}
"""What options set, as messages of the core name it."""

_KEYS = "|".join(re.escape(each) for each in sorted(OPTIONS, key=len, reverse=True))
_KEPT = r'"[^"]*"|; known:[^;]*'
_TOKEN = re.compile(rf"{_KEPT}|(?<![\w.-])({_KEYS})(?![\w-]|\.\w)( = (?=\S))?")


def translated(message: str) -> str:
    """Return a message with options for keys, but for what it quotes and lists as known."""

    def option(found: re.Match[str]) -> str:
        key, assigned = found.groups()
        return OPTIONS[key] + " " * bool(assigned) if key else found[0]

    return _TOKEN.sub(option, message)
