"""Times whole processes against each other, such as those of other simulators.

    python tools/bench_peers.py "ours=.venv/bin/ftlab run ..." "theirs=./flashsim ..."

Each round runs every command once, in turn first. Ratios to the first command are formed inside
their round, so that a machine that changes its speed changes it for all. Rounds go on until the
middle half of every ratio spans less than a tenth of it, or a limit is hit, which is said. What
others took of the machine meanwhile is shown, too. Without a command the recipes for other
simulators are printed (`docs/peers.md`).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from ftlab.report.tables import Table

RECIPES = Path(__file__).parent.parent / "docs" / "peers.md"
"""How to build and run other simulators."""

STEADY = 0.1
"""Interquartile range of a ratio, as a share of its median, at which rounds end."""

LEAST = 5
"""Rounds before a spread is believed."""


@dataclass(frozen=True)
class Time:
    """What one process took, s."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Spread:
    """The quartiles of a figure over rounds."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Spread:
        """Return the quartiles; one value is all three."""
        low, _, high = quantiles(values, method="inclusive") if len(values) > 1 else [*values] * 3
        return cls(low, median(values), high)

    @property
    def relative(self) -> float:
        """The interquartile range as a share of the median."""
        return (self.high - self.low) / self.middle if self.middle else 0.0

    @property
    def told(self) -> str:
        """The median, and in brackets the middle half."""
        return f"{self.middle:.3g} ({self.low:.3g} to {self.high:.3g})"


def main() -> None:
    """Run the commands, and print a table or JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commands", nargs="*", metavar="NAME=COMMAND")
    parser.add_argument("--rounds", type=int, default=40, help="at most [40]")
    parser.add_argument("--seconds", type=float, default=600, help="at most [600]")
    parser.add_argument("--json", metavar="FILE", help="write every round and the machine")
    arguments = parser.parse_args()
    if not arguments.commands:
        print(RECIPES.read_text("utf-8"), end="")
        return
    commands = dict(named(parser, text) for text in arguments.commands)
    if len(commands) < len(arguments.commands):
        parser.error("found a name twice, expected each once")
    begin, before = time.monotonic(), ticks()
    rounds: list[dict[str, Time]] = []
    while not steady(rounds):
        if len(rounds) >= arguments.rounds or time.monotonic() - begin > arguments.seconds:
            break
        order = list(commands)
        first = len(rounds) % len(order)
        rounds.append({name: run(name, commands[name]) for name in order[first:] + order[:first]})
        rounds[-1] = {name: rounds[-1][name] for name in commands}
    others = taken_by_others(before, ticks(), rounds)
    print(table(rounds).text(), end="")
    told = "steady" if steady(rounds) else "not steady: a limit was hit"
    print(f"\n{len(rounds)} rounds, {told}; others took {others}")
    if arguments.json:
        content = {"machine": machine(), "commands": commands, "told": told, "others": others}
        plain = [{name: vars(each) for name, each in a_round.items()} for a_round in rounds]
        text = json.dumps({**content, "rounds": plain}, indent=2) + "\n"
        Path(arguments.json).write_text(text, "utf-8")


def named(parser: argparse.ArgumentParser, text: str) -> tuple[str, str]:
    """Return the name and the command line of an argument."""
    name, equals, command = text.partition("=")
    if not equals or not name or not command.strip():
        parser.error(f"found {text!r}, expected NAME=COMMAND")
    return name, command


def run(name: str, command: str) -> Time:
    """Run a command that must succeed; its output is dropped."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    try:
        ended = subprocess.run(shlex.split(command), capture_output=True, check=False)
    except OSError as error:
        sys.exit(f"{name}: {error.strerror}: {command}")
    wall = time.perf_counter() - begin
    if ended.returncode:
        told = ended.stderr.decode(errors="replace").strip().splitlines()[-1:]
        sys.exit(f"{name}: exit code {ended.returncode}: {''.join(told) or command}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Time(wall, cpu)


def ratios(rounds: list[dict[str, Time]], name: str) -> Spread:
    """Return the wall time of a command over that of the first one of the same round."""
    return Spread.of([each[name].wall / next(iter(each.values())).wall for each in rounds])


def steady(rounds: list[dict[str, Time]]) -> bool:
    """Tell whether there are enough rounds for their ratios to be believed."""
    if len(rounds) < LEAST:
        return False
    return all(ratios(rounds, name).relative < STEADY for name in rounds[0])


def table(rounds: list[dict[str, Time]]) -> Table:
    """Return a row for each command: medians, and in brackets the middle half."""
    first = next(iter(rounds[0]))
    rows = [
        [
            name,
            Spread.of([each[name].wall for each in rounds]).told,
            Spread.of([each[name].cpu for each in rounds]).told,
            ratios(rounds, name).told,
        ]
        for name in rounds[0]
    ]
    return Table(["command", "wall, s", "processor, s", f"wall, of {first}"], rows)


def ticks() -> list[int] | None:
    """Return the times of all cores by what they were for, in ticks, where the system tells."""
    try:
        return [int(each) for each in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    except OSError:
        return None


STOLEN = 7
"""The place of stolen time among those of `/proc/stat`; idle time and waiting are at 3 and 4."""


def taken_by_others(
    before: list[int] | None, after: list[int] | None, rounds: list[dict[str, Time]]
) -> str:
    """Say how much of the machine other processes, and other machines on the same host, had."""
    if before is None or after is None:
        return "an unknown share"
    spent = [end - start for start, end in zip(before, after, strict=True)]
    whole = sum(spent[:8])
    ours = sum(each.cpu for a_round in rounds for each in a_round.values())
    busy = whole - spent[3] - spent[4] - spent[STOLEN]
    others = max(0.0, busy / os.sysconf("SC_CLK_TCK") - ours)
    seconds = whole / os.sysconf("SC_CLK_TCK")
    return f"{others / seconds:.0%} of the cores, and {spent[STOLEN] / whole:.0%} was stolen"


def machine() -> dict[str, object]:
    """Return what the rounds ran on."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cores": os.cpu_count(),
        "processor": models[0] if models else platform.processor(),
        "system": platform.platform(),
    }


if __name__ == "__main__":
    main()
