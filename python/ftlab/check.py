"""The FTL checks, run on tiny devices drawn at random."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ftlab import cores
from ftlab.config import Progress
from ftlab.plugins import Named, Plugged

EQUAL = re.compile(r"assertion `left == right` failed: (.*)\n +left: (.*)\n +right: (.*)")
"""The core's message about two values that should be equal."""


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check: ``message``, ``case`` and ``exception`` are None if it passed."""

    law: str
    cases: int
    message: str | None = None
    case: str | None = None
    exception: BaseException | None = None

    @property
    def holds(self) -> bool:
        """Whether every case passed."""
        return self.message is None


def verdicts(
    ftl: Named, cases: int = 300, case: str | None = None, progress: Progress | None = None
) -> list[Verdict]:
    """Run each check on an FTL, in ``cases`` cases or some of them, or in one ``case``.

    Raises `ftlab.ConfigError` for an invalid FTL or case.
    """
    case = case and cores.utf8(case)
    plugged = Plugged()
    _, name = plugged.point({}, ftl)
    core = cores.core_of({}, name, plugged.plugins)
    answers = core.check(name, cases, case, progress, plugged.plugins)
    return [
        Verdict(law, tried, message and EQUAL.sub(r"\1: found \2, expected \3", message), at, error)
        for law, tried, at, message, error in answers
    ]
