"""The result of a run: nested metrics by name, and its conversions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, overload

from ftlab._metrics import Metrics
from ftlab.metrics import METRICS
from ftlab.record import Absent
from ftlab.report.tables import csv_of_rows
from ftlab.titles import title

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SERIES = ("distributions", "timeline", "samples", "warnings")
"""Keys of a result that hold series or texts: they have no cell in a one-row table."""


@cache
def is_nullable(section: str) -> bool:
    """Tell whether a run may lack a section: all metrics in it may be null."""
    inside = [each for each in METRICS.values() if each.name.startswith(f"{section}.")]
    return bool(inside) and all(each.null for each in inside)


class Result(Metrics):
    """All metrics of one run, by the names and units of ``docs/results.md``."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the metric of that name; a missing section is empty."""
            found = super().__getattr__(name)
            return Absent() if found is None and is_nullable(name) else found

    def flat(self) -> dict[str, Any]:
        """Return one row: dotted names to scalars; a list becomes text, a series is left out."""
        return dict(_cells({key: self[key] for key in self if key not in SERIES}))

    def to_csv(self) -> str:
        """Return a header line and the row of `flat`; an absent metric is empty."""
        return csv_of_rows([self.flat()])

    def to_pandas(self) -> pd.DataFrame:
        """Return the row of `flat` as a data frame; needs ``ftlab[frames]``."""
        import pandas as pd

        return pd.DataFrame([self.flat()])

    @cached_property
    def plot(self) -> Plots:
        """The figures of this result; they need ``ftlab[plot]``."""
        return Plots([self], [self["ftl"]])

    def _repr_html_(self) -> str:
        """Show the summary in a notebook."""
        from ftlab.report.html import summary_of

        return summary_of(self)

    def __str__(self) -> str:
        """Return the summary that `ftlab run` prints."""
        from ftlab.report.summary import run_summary, text_of

        return text_of(run_summary(self)).rstrip("\n") or repr(self)

    def __repr__(self) -> str:
        """One line with the most requested metrics."""
        mean = self.find("response_us.mean")
        amplification = self.find("write_amplification")
        return f"<Result {self.find('ftl')}: WA {amplification}, mean response {mean} us>"


class Comparison(Sequence[Result]):
    """Results of several FTLs on one trace, in the given order.

    `labels` names each: the FTL's name, with its settings if an FTL appears twice. `runs` has a
    result of each FTL for each seed; the first one is in the sequence.
    """

    def __init__(
        self,
        results: Sequence[Result],
        labels: Sequence[str] | None = None,
        more: Sequence[Sequence[Result]] = (),
    ) -> None:
        """Take results of FTLs; ``more`` has those with other seeds, in the same order."""
        self._results = list(results)
        self.labels: list[str] = list(labels) if labels else [result["ftl"] for result in results]
        self.runs: list[list[Result]] = [list(each) for each in zip(results, *more, strict=True)]

    @property
    def titles(self) -> list[str]:
        """The labels for people: each FTL by its title."""
        return [title(each) for each in self.labels]

    @overload
    def __getitem__(self, key: int | str) -> Result: ...
    @overload
    def __getitem__(self, key: slice) -> list[Result]: ...
    def __getitem__(self, key: int | str | slice) -> Result | list[Result]:
        """Return the result at a position, or the one with that label or title."""
        if not isinstance(key, str):
            return self._results[key]
        return self._results[(self.labels if key in self.labels else self.titles).index(key)]

    def __len__(self) -> int:
        """Return the number of results."""
        return len(self._results)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the results as plain dictionaries, FTL by FTL, with every seed."""
        return [result.to_dict() for runs in self.runs for result in runs]

    def to_json(self, indent: int | None = 2) -> str:
        """Return the same as JSON text: a list with one object for each FTL and seed."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_csv(self) -> str:
        """Return a header line and one row for each FTL and seed, columns as `Result.flat`.

        A column ``label`` comes first if the FTL alone does not distinguish the rows.
        """
        named = zip(self.labels, self.runs, strict=True)
        labels = [{"label": label} for label, runs in named for _ in runs]
        if self.labels == [result["ftl"] for result in self]:
            return csv_of_rows(self._rows())
        return csv_of_rows(
            [{**label, **row} for label, row in zip(labels, self._rows(), strict=True)]
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each FTL and seed, indexed by label; needs ``ftlab[frames]``."""
        import pandas as pd

        named = zip(self.labels, self.runs, strict=True)
        index = [label for label, runs in named for _ in runs]
        return pd.DataFrame(self._rows(), index=index)

    @cached_property
    def plot(self) -> Plots:
        """The figures of all FTLs together, with the first seed; they need ``ftlab[plot]``."""
        return Plots(self._results, self.labels)

    def _rows(self) -> list[dict[str, Any]]:
        return [result.flat() for runs in self.runs for result in runs]

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        from ftlab.report.html import table_of
        from ftlab.report.summary import comparison_table

        return table_of(comparison_table(self))

    def __str__(self) -> str:
        """Return the table that `ftlab compare` prints, with a star after the best values."""
        from ftlab.report.summary import comparison_table

        return comparison_table(self).text().rstrip("\n")

    def __repr__(self) -> str:
        """Text that names the FTLs."""
        return f"<Comparison of {', '.join(self.labels)}>"


class Plots:
    """The figures of one or several results, as matplotlib figures.

    ``columns``, 1 or 2, makes a figure as wide as one or two columns of a paper.
    """

    def __init__(self, results: Sequence[Result], labels: Sequence[str]) -> None:
        self._results = results
        self._labels = labels

    def latency(self, columns: int | None = None) -> Figure:
        """Draw the distribution of response times, on a logarithmic axis of microseconds."""
        return self._draw("latency", columns)

    def operations(self, columns: int | None = None) -> Figure:
        """Draw the flash operations by cause, stacked."""
        return self._draw("operations", columns)

    def timeline(self, columns: int | None = None) -> Figure:
        """Draw hit ratio and write amplification over simulated time."""
        return self._draw("timeline", columns)

    def warmup(self, columns: int | None = None) -> Figure:
        """Draw write amplification over the windows of a warm-up until steady."""
        return self._draw("warmup", columns)

    def overview(self, columns: int | None = None) -> Figure:
        """Draw all of them on one page."""
        return self._draw("overview", columns)

    def panel(self, name: str, columns: int | None = None) -> Figure:
        """Draw a single panel: one of `ftlab.plot.PANELS`."""
        from ftlab import plot

        return plot.panel(name, self._results, self._labels, columns)

    def _draw(self, name: str, columns: int | None) -> Figure:
        from ftlab import plot

        return plot.FIGURES[name](self._results, self._labels, columns)


def _cells(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield dotted names and scalars of a tree."""
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _cells(value, f"{prefix}{key}.")
        elif isinstance(value, list):
            yield prefix + key, " ".join(str(each) for each in value)
        else:
            yield prefix + key, value
