"""Output of results: to standard output or a file, in any form, as a figure or a report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ftlab.cli import drawing
from ftlab.cli.options import Command, decorated
from ftlab.cli.say import hand_over, say
from ftlab.cli.show import show_table
from ftlab.cli.written import Written, check_written
from ftlab.errors import ConfigError, FtlabError
from ftlab.files import write_atomically
from ftlab.record import Record
from ftlab.report.excel import SUFFIX, workbook
from ftlab.report.summary import (
    MEASURED,
    comparison_table,
    run_summary,
    spread_line,
    text_of,
    warning_lines,
)
from ftlab.report.tables import Table
from ftlab.result import Comparison, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Content = TypeVar("Content", str, bytes)

FIGURE_KINDS = (".pdf", ".svg", ".png", ".html")
FORMS = {
    ".json": "json",
    ".csv": "csv",
    SUFFIX: "csv",
    ".md": "md",
    ".tex": "tex",
    ".txt": "txt",
}
"""The forms of files; a spreadsheet has the content of CSV."""

NOT_TEXT = (SUFFIX, ".parquet", ".sqlite")
"""Files that hold neither JSON nor lines."""


def output_options(command: Command) -> Command:
    """Add the options that select the output of the result."""
    options = [
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("--csv", "as_csv", is_flag=True, help="Print CSV."),
        click.option(
            "-o",
            "--output",
            type=Written(),
            metavar="FILE",
            help="Write .json, .csv, .xlsx, .md, .tex or .txt instead.",
        ),
    ]
    return decorated(command, options)


def picture_options(command: Command) -> Command:
    """Add the options for a figure and a report."""
    options = [
        figure_option,
        click.option("--panel", metavar="NAME", help="Draw only this panel of the figure."),
        columns_option,
        report_option,
    ]
    return decorated(command, options)


def report_option(command: Command) -> Command:
    """Add the option that asks for a report."""
    help = "Write one self-contained .html file."
    return click.option("--report", type=Written(), metavar="FILE", help=help)(command)


def columns_option(command: Command) -> Command:
    """Add the option that makes a figure as wide as the columns of a paper."""
    help = "Make the figure 1 or 2 paper columns wide."
    choice = click.Choice(["1", "2"])
    return click.option("--columns-wide", type=choice, help=help)(command)


def figure_option(command: Command) -> Command:
    """Add the option for a figure."""
    help = "Draw the figure as .pdf, .svg, .png or .html."
    return click.option("--plot", type=Written(), metavar="FILE", help=help)(command)


@dataclass(frozen=True)
class Outputs:
    """The requested outputs, checked before a run starts so that none is lost."""

    form: str | None
    output: str | None = None
    plot: str | None = None
    report: str | None = None
    timeline: str | None = None
    panel: str | None = None
    columns_wide: int | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any], *reads: object) -> Outputs:
        """Return the outputs that the options request, or fail if they cannot be written.

        ``reads`` are the arguments of `check_written`.
        """
        form, output = form_of(options, FORMS), options["output"]
        more = {name: options.get(name) for name in ("plot", "report", "timeline", "panel")}
        wide = int(options.get("columns_wide") or 0) or None
        outputs = cls(form, output, **more, columns_wide=wide)
        outputs._check_forms()
        check_written(*reads)
        return outputs

    def _check_forms(self) -> None:
        """Raise an error if the suffix of a file is not one of its forms."""
        if self.plot:
            _check_drawn("--plot", self.plot)
        if self.timeline and is_figure(self.timeline):
            _check_drawn("--timeline", self.timeline)
        if self.panel:
            self._check_panel()
        if self.report:
            suffix_of("--report", self.report, (".html", ".htm"))
            drawing.load_if_there()

    def _check_panel(self) -> None:
        from ftlab.plot import PANELS

        if not self.plot:
            raise click.UsageError(f"found --panel {self.panel} without --plot FILE")
        if self.panel not in PANELS:
            raise click.UsageError(f"--panel: found {self.panel}, expected {', '.join(PANELS)}")

    def pictures(self, comparison: Comparison) -> None:
        """Write the requested figure and report."""
        plots, panel = comparison.plot, self.panel
        draw = plots.overview if panel is None else partial(plots.panel, panel)
        self.figure(lambda: draw(self.columns_wide))
        if self.report:
            from ftlab.report.html import report

            self.document(partial(report, comparison))

    def document(self, write: Callable[[], str]) -> None:
        """Write the report, if one is requested."""
        if self.report:
            write_atomically(self.report, _drawn(self.report, write))

    def figure(self, draw: Callable[[], Figure]) -> None:
        """Write the requested figure."""
        if self.plot:
            _write_figure(self.plot, draw)

    def schedule(self, result: Result) -> None:
        """Write the requested timeline, as a trace or as a figure."""
        if self.timeline and is_figure(self.timeline):
            from ftlab.plot_schedule import schedule_figure

            _write_figure(self.timeline, partial(schedule_figure, result))
        elif self.timeline:
            from ftlab.schedule import chrome_trace

            write_atomically(self.timeline, chrome_trace(result))

    def result(self, text: str | None, show: Callable[[], None]) -> None:
        """Write ``text`` to the file or standard output; without one, show the readable form."""
        if text is None:
            show()
        elif self.output:
            write_atomically(self.output, workbook(text) if is_sheet(self.output) else text)
        else:
            hand_over(text)

    def records(
        self,
        records: Sequence[Record],
        table: Callable[[Sequence[Record]], Table],
        draw: Callable[[Sequence[Record], int | None], Figure],
        above: Sequence[str] = (),
    ) -> None:
        """Write the findings on each FTL as a table, or in the requested form, and draw them.

        Lines ``above`` are for people alone.
        """
        rows = table(records)
        text = in_form(self.form, rows, [each.to_dict() for each in records])

        def show() -> None:
            say(*above)
            show_table(rows)

        self.result(text, show)
        self.figure(lambda: draw(records, self.columns_wide))


def form_of(options: Mapping[str, Any], forms: Mapping[str, str]) -> str | None:
    """Return the form that the options select, one of the ``forms`` of suffixes for a file."""
    if options["as_json"] and options["as_csv"]:
        raise click.UsageError("--json and --csv exclude each other")
    form = "json" if options["as_json"] else "csv" if options["as_csv"] else None
    output = options["output"]
    suffix = Path(output or "").suffix.lower()
    if form and suffix in NOT_TEXT and forms.get(suffix) != form:
        raise click.UsageError(f"--{form} and --output {output} exclude each other")
    if output and not form:
        form = forms[suffix_of("--output", output, forms)]
    if output and is_sheet(output) and find_spec("xlsxwriter") is None:
        raise click.UsageError(f"{SUFFIX} needs XlsxWriter: pip install 'ftlab[xlsx]'")
    return form


def _check_drawn(option: str, path: str) -> None:
    """Raise an error if a figure cannot be drawn."""
    suffix_of(option, path, FIGURE_KINDS)
    drawing.need(option)


def is_figure(path: str) -> bool:
    """Return whether a timeline is drawn, and not written for viewers of traces."""
    return Path(path).suffix.lower() in FIGURE_KINDS


def _write_figure(path: str, draw: Callable[[], Figure]) -> None:
    from ftlab.style import image, page

    kind = Path(path).suffix.removeprefix(".").lower()
    write = page if kind == "html" else partial(image, kind=kind)
    write_atomically(path, _drawn(path, lambda: write(draw())))


def _drawn(path: str, draw: Callable[[], Content]) -> Content:
    """Return what ``draw`` returns; an error costs only the figure and is printed in a line."""
    try:
        return draw()
    except (FtlabError, MemoryError):
        raise
    except Exception as error:
        told = " ".join(f"{type(error).__name__}: {error}".split())
        raise ConfigError(f"{path}: cannot be drawn: {told}") from error


def in_form(form: str | None, table: Table, plain: object, notes: Sequence[str] = ()) -> str | None:
    """Return a table in the requested form, ``plain`` as JSON; None: the readable one."""
    if form is None or form == "csv":
        return table.csv() if form else None
    return json.dumps(plain, indent=2) + "\n" if form == "json" else table.with_notes(form, notes)


def reported(form: str | None, report: Any, found: Any, *more: Any) -> str | None:
    """Return what was found in the requested form, by the ``report`` on it; None: the readable one.

    That is a module with `as_json`, `as_csv` and `as_text`, which takes ``more``.
    """
    match form:
        case None:
            return None
        case "json" | "csv":
            return str(getattr(report, f"as_{form}")(found))
        case _:
            return str(report.as_text(found, form, *more))


def rendered(form: str | None, comparison: Comparison, single: bool) -> str | None:
    """Return the result in a form for machines or papers; None means the readable one."""
    first: Result = comparison[0]
    result = first if single else comparison
    table = comparison_table(comparison, MEASURED)
    spread = spread_line(comparison)
    notes = [*([spread] if spread else []), *warning_lines(comparison)]
    forms: dict[str, Callable[[], str]] = {
        "json": lambda: str(result.to_json()) + "\n",
        "csv": result.to_csv,
        "md": lambda: table.with_notes("md", notes),
        "tex": lambda: table.with_notes("tex", notes),
        "txt": lambda: text_of(run_summary(first)) if single else table.with_notes("txt", notes),
    }
    return forms[form]() if form else None


def is_sheet(path: str) -> bool:
    """Return whether a file is a spreadsheet for Excel."""
    return Path(path).suffix.lower() == SUFFIX


def check_parquet() -> None:
    """Raise an error if a table cannot be written as Parquet."""
    if not (find_spec("pandas") and find_spec("pyarrow")):
        raise click.UsageError("Parquet needs pandas and pyarrow: pip install pandas pyarrow")


def suffix_of(option: str, path: str, known: Iterable[str]) -> str:
    """Return the suffix of the file's name if it is that of a known form."""
    suffix = Path(path).suffix.lower()
    if suffix not in known:
        raise click.UsageError(f"{option} {path}: the name must end in {', '.join(known)}")
    return suffix
