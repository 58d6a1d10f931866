"""``ftlab demo``: the main job on a built-in workload, with nothing to prepare."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from ftlab.builds import cost
from ftlab.cli import drawing, parse
from ftlab.cli.compare import show_comparison
from ftlab.cli.job import perform
from ftlab.cli.output import Outputs
from ftlab.cli.say import say
from ftlab.cli.show import show_warnings
from ftlab.config import Config
from ftlab.files import check_writable, make_folder

FOLDER = Path("ftlab-demo")
FTLS = ["page", "dftl", "tpftl"]
PROFILE = "financial1"
PRESET = "tpftl-eurosys15"

NEXT = f"""
Next steps:
  ftlab explain {PROFILE} --requests 50k --preset {PRESET}   why DFTL is slower
  ftlab run {PROFILE} --preset {PRESET} --ftl tpftl          one FTL in detail
  ftlab compare {PROFILE} --preset {PRESET} --cache 64KiB    a larger mapping cache
  ftlab compare YOUR-TRACE.csv.gz                                    your own trace
  ftlab list ftls                                                    all FTLs"""


@click.command()
@click.option("--requests", type=parse.Count(), help="Stop after N requests [all 5.3 million].")
def demo(requests: int | None) -> None:
    """Compare three FTLs on a built-in workload.

    The workload is a full-length profile of a bank's transaction log; the device follows the TPFTL
    paper. Prints a table, and writes a figure and an HTML report to the folder ftlab-demo.
    """
    outputs = _outputs()
    source = {"trace": PROFILE} if requests is None else {"trace": PROFILE, "requests": requests}
    config: Config = {"preset": PRESET, "input": source, "run": {"warmup": "footprint"}}
    comparison = perform(config, FTLS)
    show_comparison(comparison)
    show_warnings(comparison)
    outputs.pictures(comparison)
    if quick := cost():
        say(quick)
    written = " and ".join(path for path in (outputs.report, outputs.plot) if path)
    say("", f"Written: {written}", *NEXT.split("\n"))


def _outputs() -> Outputs:
    """Make the folder, and return the files that will be written into it."""
    make_folder(FOLDER)
    drawing.load_if_there()
    plot = str(FOLDER / "comparison.svg") if find_spec("matplotlib") else None
    report = str(FOLDER / "report.html")
    for path in (plot, report):
        if path:
            check_writable(path)
    return Outputs(None, plot=plot, report=report)
