"""A run recorded as one page that replays it, from a file and without a network.

For each frame the page keeps the blocks that have changed, as compressed columns of numbers. These
are their count, the distance of each from the one before, its valid pages, and its state.
"""

from __future__ import annotations

import base64
import json
import zlib
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from ftlab.frames import FREE, STATES, Frame
from ftlab.looks import CAUSES
from ftlab.report.html import asset, document, escaped, script_data
from ftlab.report.numbers import count, written
from ftlab.report.summary import setup_line, words
from ftlab.result import Comparison, Result
from ftlab.titles import title
from ftlab.watch.seen import COLOURS, FIGURES

if TYPE_CHECKING:
    from ftlab.frames import Numbers


class Recording:
    """Frames, each stored as the changes since the one before."""

    def __init__(self) -> None:
        self._told: list[dict[str, Any]] = []
        self._changes: list[Numbers] = []
        self._columns: list[tuple[Numbers, Numbers, Numbers]] = []
        self._last: Numbers | None = None

    @property
    def frames(self) -> int:
        """The number of frames."""
        return len(self._told)

    def add(self, frame: Frame) -> None:
        """Record a frame."""
        now = np.stack([frame.valid, frame.states.astype(np.uint32)])
        before = np.zeros_like(now) if self._last is None else self._last
        changed = np.flatnonzero((now != before).any(axis=0))
        self._columns.append((np.diff(changed, prepend=-1), *now[:, changed]))
        self._last = now
        self._pages = int(frame.pages.max())
        self._told.append(_told(frame))

    def page(self, result: Result) -> str:
        """Return the page."""
        name = f"{title(result.find('ftl'))} on {result.find('trace.name')}"
        counts = np.array([len(gaps) for gaps, *_ in self._columns])
        gaps, valid, states = (np.concatenate(each) for each in zip(*self._columns, strict=True))
        columns = {"counts": counts, "gaps": gaps, "valid": valid, "states": states}
        causes = [cause for cause, total in self._told[-1]["causes"].items() if total]
        for told in self._told:
            told["causes"] = [told["causes"][cause] for cause in causes]
        data = {
            "blocks": int(self._last.shape[1]) if self._last is not None else 0,
            "pages": self._pages,
            "states": [[name, COLOURS.get(each, "")] for each, name in enumerate(STATES)],
            "seen": np.union1d(states, [FREE]).tolist(),
            "causes": [[words(cause), CAUSES[cause]] for cause in causes],
            "columns": {name: _packed(column) for name, column in columns.items()},
            "frames": _deflated(json.dumps(self._told, separators=(",", ":")).encode()),
        }
        body = _body(name, result, data, self._charts(result), self.frames)
        return document(name, body, ["watch"], ["drawing", "watch"])

    def _charts(self, result: Result) -> str:
        """Return a chart for each existing metric, over the requests of the run."""
        ends = f"<span>0</span><span>{result['host']['requests']:,} requests</span>"
        drawn: list[str] = []
        for at, (label, (_, unit)) in enumerate(FIGURES.items()):
            values = [each["chart"][at] for each in self._told]
            known = [value for value in values if value is not None]
            if known:
                drawn.append(
                    f'<figure><h3>{label}</h3><div class="chart">'
                    f'<span class="range"><span>{escaped(written(max(known), unit))}</span>'
                    f'<span>0</span></span><canvas data-chart="{at}" role="img" '
                    f'aria-label="{label} over the run"></canvas>'
                    f'<span class="requests">{ends}</span></div></figure>'
                )
        return "\n".join(drawn)


def _told(frame: Frame) -> dict[str, Any]:
    """Return what the page shows of a frame, as text and as a drawing."""
    of = f" of {frame.of:,}" if frame.of else ""
    values = {name: getattr(frame.window, name) for name, _ in FIGURES.values()}
    return {
        "at": f"{frame.requests:,}{of} requests, {written(frame.time_s, 's')} simulated",
        "window": [written(values[name], unit) for name, unit in FIGURES.values()],
        "so_far": [written(getattr(frame.so_far, name), unit) for name, unit in FIGURES.values()],
        "chart": [None if each is None else float(f"{each:.4g}") for each in values.values()],
        "planes": [round(100 * share) for share in frame.planes],
        "causes": frame.operations,
        "erases": count(frame.erases),
    }


def _packed(column: Numbers) -> dict[str, str]:
    """Return a column in the smallest integers that hold it."""
    kind = np.min_scalar_type(int(column.max(initial=0)))
    return {"type": kind.name, "data": _deflated(column.astype(kind.newbyteorder("<")).tobytes())}


def _deflated(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


def _body(name: str, result: Result, data: dict[str, Any], charts: str, frames: int) -> str:
    rows = (
        f'<tr><th scope="row">{label}</th><td data-window="{at}"></td>'
        f'<td data-so-far="{at}"></td></tr>'
        for at, label in enumerate(FIGURES)
    )
    setup = setup_line(Comparison([result]))
    return Template(asset("watch.html")).substitute(
        name=escaped(name),
        setup=escaped(f"ftl {title(result['ftl'])}, {setup}; ftlab {result.find('ftlab')}"),
        last=frames - 1,
        rows="\n".join(rows),
        charts=charts,
        data=script_data(data),
    )
