"""Prints how far the models of address translation are from what runs measure, as Markdown.

Run `python tools/translation_table.py`; with `FTLAB_TRACES` set, real traces are part of it. Runs
in which GC collected no data or no translation block are left out: the models are for a device in
full use.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product
from statistics import mean

import suite

import ftlab
from ftlab.report.tables import Table

FTLS: list[ftlab.Ftl | str] = ["dftl", "tpftl"]
MODELS = ("paper", "merged")
TERM = "write_amplification"


def errors(requests: int) -> Iterator[tuple[str, list[float]]]:
    """Yield each run's name and its relative errors in percent, by FTL and model."""
    sources = suite.workloads(requests).items()
    for (name, source), warmup in product(sources, suite.WARMUPS):
        try:
            runs = [ftlab.model.translation(each) for each in suite.run(source, FTLS, warmup)]
        except ftlab.ConfigError:
            continue
        if all(each.measured[TERM] for each in runs):
            cells = product(runs, MODELS)
            off = [100 * (each[model][TERM] / each.measured[TERM] - 1) for each, model in cells]
            yield f"{name}, {warmup}", off


def main() -> None:
    """Print the table; its last line has the means of the absolute errors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=300_000, help="of a generated workload")
    found = list(errors(parser.parse_args().requests))
    rows = [[name, *(f"{each:+.1f}" for each in off)] for name, off in found]
    columns = zip(*(off for _, off in found), strict=True)
    means = [f"{mean(map(abs, column)):.1f}" for column in columns]
    rows.append([f"mean of {len(found)} absolute errors", *means])
    header = [f"{ftl}, {model}" for ftl, model in product(FTLS, MODELS)]
    print(Table(["error of write amplification, %", *header], rows).markdown(), end="")


if __name__ == "__main__":
    main()
