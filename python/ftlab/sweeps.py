"""A sweep from Python: every combination of several values, and its metrics as a frame."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ftlab.config import merge
from ftlab.errors import ConfigError
from ftlab.ftls import Ftl
from ftlab.plugins import Named
from ftlab.points import Entry, complete, points_of
from ftlab.points.order import differing, ordered
from ftlab.report import points as tables
from ftlab.result import Result
from ftlab.simulation import Setup, setup_of
from ftlab.spread import in_parts
from ftlab.units import kinds, number
from ftlab.variants import joined

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from ftlab._settings import Device
    from ftlab.points import Told
    from ftlab.source import Source

DIRECTORY = "ftlab-results"


class Sweep(Sequence[Entry]):
    """The points of a sweep with their results, in the order of their labels."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = ordered(entries)

    def __getitem__(self, at: Any) -> Any:
        """Return a point, or some of them."""
        return self._entries[at]

    def __len__(self) -> int:
        """Return the number of points and seeds."""
        return len(self._entries)

    @property
    def results(self) -> list[Result]:
        """The results of the points that did not fail."""
        return [each.outcome for each in self._entries if isinstance(each.outcome, Result)]

    def rows(self, *metrics: str) -> list[dict[str, Any]]:
        """Return of each run the FTL, the settings that differ, and metrics, by their names.

        Without names these are the metrics of a comparison. Sizes are bytes, times ns; what a run
        does not have is None.
        """
        chosen = list(metrics) or [path for path in tables.FIGURES if self._has(path)]
        keys = differing(self._entries)
        rows = tables.rows(self._entries)
        known = tables.names(rows)
        unknown = next((each for each in chosen if each not in (*known, *tables.FIGURES)), None)
        if unknown:
            raise ConfigError(f'no metric or setting of the name "{unknown}"')
        found = []
        for entry, row in zip(self._entries, rows, strict=True):
            told = {"ftl": entry.ftl, **{key: _plain(key, row) for key in keys}}
            found.append({**told, **{path: tables.value_of(entry, row, path) for path in chosen}})
        return found

    def to_pandas(self, *metrics: str) -> pd.DataFrame:
        """Return `rows` as a data frame; needs ``ftlab[frames]``."""
        import pandas as pd

        return pd.DataFrame(self.rows(*metrics))

    def to_polars(self, *metrics: str) -> Any:
        """Return `rows` as a frame of polars, which must be installed."""
        return import_module("polars").DataFrame(self.rows(*metrics), infer_schema_length=None)

    def to_arrow(self, *metrics: str) -> Any:
        """Return `rows` as a table of Arrow; pyarrow must be installed."""
        return import_module("pyarrow").Table.from_pylist(self.rows(*metrics))

    def plot(self, x: str, *ys: str, columns: int | None = None, **drawing: Any) -> Figure:
        """Draw metrics over a setting, as ``ftlab plot`` does with the same options."""
        from ftlab.plot_points import Drawing, over

        return over(self._entries, x, ys, columns, Drawing(**drawing))

    def _has(self, path: str) -> bool:
        return any(tables.FIGURES[path].of(result) is not None for result in self.results)

    def _repr_html_(self) -> str:
        """Show the table of means in a notebook."""
        from ftlab.report.html import table_of

        return table_of(tables.table(self._entries))

    def __str__(self) -> str:
        """Return the table that `ftlab sweep` prints."""
        return tables.table(self._entries).text().rstrip("\n")

    def __repr__(self) -> str:
        """One line with how many there are."""
        return f"<Sweep of {len(self)} runs>"


def sweep(
    trace: Source | str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    ftls: Iterable[Ftl | Named],
    device: Device | None = None,
    *,
    results: str | os.PathLike[str] = DIRECTORY,
    seeds: int = 1,
    parts: int | None = None,
    when: str | Sequence[str] = (),
    retry: bool = False,
    progress: Told | None = None,
    **setup: Unpack[Setup],
) -> Sweep:
    """Run every combination of several values, each once, and return their metrics.

    A setting of the device, an FTL or ``config`` may be a list of values. Other arguments are as of
    `ftlab.simulate`; ``results``, ``seeds``, ``parts`` and ``when`` as of ``ftlab sweep``.
    """
    if parts is not None and seeds != 1:
        raise ConfigError("parts: found seeds, too, expected one of the two")
    several = isinstance(trace, Sequence) and not isinstance(trace, str)
    traces: list[Any] = list(trace) if several else [trace]  # type: ignore[arg-type]
    trees = [setup_of(each, device, **setup) for each in traces]
    grid = [merge([each, in_parts(each, parts) if parts is not None else {}]) for each in trees]
    tree = {
        "ftls": [text for ftl in ftls for text in _texts(ftl)],
        "grid": grid,
        "when": [when] if isinstance(when, str) else list(when),
        **({"seeds": seeds} if seeds != 1 else {}),
    }
    points = points_of(tree)
    found = complete(points, Path(results), retry=retry, progress=progress)
    return Sweep([each for each in found if each])


def _texts(ftl: Ftl | Named) -> list[Any]:
    """Return the texts of an FTL, one for each combination of values that its settings have."""
    if not isinstance(ftl, Ftl):
        return [ftl]
    axes = [value if isinstance(value, list) else [value] for value in ftl.given.values()]
    return [
        joined(ftl.name, dict(zip(ftl.given, map(_typed, values), strict=True)))
        for values in product(*axes)
    ]


def _typed(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plain(key: str, row: tables.Row) -> Any:
    """Return a setting as a number, if it is one."""
    value = row.get(key, row.get(f"config.{key}"))
    found = number(value, kinds().get(key, "text"))
    return value if found is None else found
