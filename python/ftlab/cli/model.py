"""``ftlab model``: closed forms compared with measured values."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

import click

from ftlab import model as models
from ftlab.cli import parse
from ftlab.cli.options import measured_option, set_option
from ftlab.cli.output import Outputs, figure_option, in_form, output_options
from ftlab.cli.say import say
from ftlab.cli.show import show_table
from ftlab.cli.stored import RESULT
from ftlab.documents import json_file
from ftlab.errors import ConfigError
from ftlab.record import Record
from ftlab.report.tables import ABSENT, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TERMS = {
    "translation_us": "translation, us (Eq. 1)",
    "gc_data_us": "GC of data blocks, us (Eq. 10)",
    "gc_translation_us": "GC of translation blocks, us (Eq. 11)",
    "access_us": "page access, us",
    "updates_per_data_block": "map updates per data block",
    "write_amplification": "write amplification (Eq. 13)",
}


@click.group()
def model() -> None:
    """Predict the cost of a run by closed forms."""


@model.command()
@click.argument("result", required=False)
@set_option("A parameter, as hit_ratio=0.8; may be repeated.")
@output_options
@figure_option
def translation(result: str | None, overrides: tuple[str, ...], **options: Any) -> None:
    """Predict the cost of address translation by TPFTL's models.

    RESULT is a file of `ftlab run --json` or `ftlab compare --json`; its metrics feed the models
    and are shown next to them. Without RESULT, --set gives the parameters.
    """
    outputs = Outputs.of(options)
    parameters = dict(parse.setting(text) for text in overrides)
    predictions = _predictions(result, parameters)
    table = _table(predictions)
    records = [each.to_dict() for each in predictions.values()]
    text = in_form(outputs.form, table, records if len(records) > 1 else records[0])
    outputs.result(text, lambda: _show(table, predictions))
    outputs.figure(lambda: _figure(predictions))


@model.command()
@set_option(
    "A parameter: logical_blocks, blocks, pages_per_block, reserve, choices, hot_share, "
    "hot_access; may be repeated."
)
@measured_option("Also run each policy with N seeds.")
@output_options
def gc(overrides: tuple[str, ...], seeds: int, **options: Any) -> None:
    """Predict write amplification for each victim policy.

    The FTL maps pages; the workload writes single pages at random to a full device, uniformly or
    with a hot part. With --seeds, measurements are shown next to the predictions.
    """
    outputs = Outputs.of(options)
    prediction = models.gc(seeds, **dict(parse.setting(text) for text in overrides))
    table = _gc_table(prediction)
    text = in_form(outputs.form, table, prediction.to_dict())
    outputs.result(text, lambda: show_table(table))


@model.command()
@set_option("A parameter: fill, zone, groups, pages_per_block; may be repeated.")
@click.option(
    "--workload",
    metavar="PATTERN,KEY=VALUE,...",
    help="Take the groups of a workload, as zipf,bs=4k,size=64MiB.",
)
@output_options
def separation(overrides: tuple[str, ...], workload: str | None, **options: Any) -> None:
    """Predict the least write amplification of any separation.

    Each group of pages that are written equally often has blocks of its own, and the spare space is
    divided best. Give groups as shares of pages and of writes, a zone, or a workload.
    """
    outputs = Outputs.of(options)
    parameters = dict(parse.setting(text) for text in overrides)
    if workload is not None:
        parameters["workload"] = parse.workload(workload)
    prediction = models.separation(**parameters)
    table = _separation_table(prediction)
    text = in_form(outputs.form, table, prediction.to_dict())
    outputs.result(text, lambda: _show_bound(prediction, table))


def _separation_table(prediction: Record) -> Table:
    """Return a row for each group, or a single row if there are many."""
    header = ["group", "pages", "writes", "physical pages"]
    if prediction.parts is None:
        return Table(header, [[f"{prediction.groups} groups", "100 %", "100 %", "100 %"]])
    shares = ("pages", "writes", "physical")
    return Table(
        header,
        [
            [str(number), *(f"{100 * part[share]:.2f} %" for share in shares)]
            for number, part in enumerate(prediction.parts, 1)
        ],
    )


def _show_bound(prediction: Record, table: Table) -> None:
    show_table(table)
    say(
        "",
        f"write amplification: {prediction.write_amplification:.4f} with the best division, "
        f"{prediction.together:.4f} of FIFO without separation",
    )


def _gc_table(prediction: Record) -> Table:
    """Return a row for each policy: the prediction for a finite device, and the measured values."""
    rows = []
    for policy in models.POLICIES:
        runs = prediction["measured"][policy]
        middle = f"{fmean(runs):.4f}" if runs else ABSENT
        spread = f" ± {max(abs(each - fmean(runs)) for each in runs):.4f}" if len(runs) > 1 else ""
        rows.append([policy, *_range(prediction, policy), middle + spread])
    return Table(["write amplification", "least", "most", "measured"], rows)


def _range(prediction: Record, policy: str) -> list[str]:
    ends = [prediction[end][policy] for end in ("least", "most")]
    return [ABSENT if each is None else f"{each:.4f}" for each in ends]


def _predictions(path: str | None, parameters: dict[str, Any]) -> dict[str, Record]:
    """Return a prediction for each result of the file, by the name of its FTL."""
    if path is None:
        return {"": models.translation(**parameters)}
    results = _read(path)
    return {
        f"{each['ftl']} " if len(results) > 1 else "": models.translation(each, **parameters)
        for each in results
        if len(results) == 1 or each.get("mapping") is not None
    }


def _read(path: str) -> list[dict[str, Any]]:
    """Return the results in a file of JSON."""
    found = json_file(path, RESULT)
    listed = found if isinstance(found, list) else [found]
    results = [each.get("result", each) if isinstance(each, dict) else each for each in listed]
    if not results or not all(isinstance(each, dict) and "ftl" in each for each in results):
        raise ConfigError(f"{path}: found no result of a run, expected {RESULT}")
    return results


def _table(predictions: dict[str, Record]) -> Table:
    """Return one row for each term of each prediction."""
    header = ["", "measured", "paper", "error", "merged", "error"]
    rows = [
        [
            name + label,
            _number(prediction, "measured", term),
            _number(prediction, "paper", term),
            _error(prediction, "paper", term),
            _number(prediction, "merged", term),
            _error(prediction, "merged", term),
        ]
        for name, prediction in predictions.items()
        for term, label in TERMS.items()
    ]
    return Table(header, rows)


def _number(prediction: Record, source: str, term: str) -> str:
    value = prediction.find(f"{source}.{term}")
    return ABSENT if value is None else f"{value:.4g}"


def _error(prediction: Record, source: str, term: str) -> str:
    found, expected = prediction.find(f"{source}.{term}"), prediction.find(f"measured.{term}")
    return f"{100 * (found / expected - 1):+.1f} %" if found is not None and expected else ABSENT


def _show(table: Table, predictions: dict[str, Record]) -> None:
    show_table(table)
    for name, prediction in predictions.items():
        say("", f"{name}{_batching(prediction)}")


def _batching(prediction: Record) -> str:
    """Return a note where the paper's model charges more than is written."""
    term = "updates_per_data_block"
    paper, merged = prediction.paper[term], prediction.merged[term]
    text = (
        f"the paper updates the map {paper:.1f} times for a collected data block, once for each "
        f"moved page that misses the cache; these are expected on {merged:.1f} translation pages"
    )
    measured = prediction.find(f"measured.{term}")
    return f"{text}; {measured:.1f} were written" if measured is not None else text


def _figure(predictions: dict[str, Record]) -> Figure:
    from ftlab.plot_model import translation

    return translation(list(predictions.values()), [name.strip() for name in predictions])
