"""Figures of closed forms, in the style of `ftlab.plot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from ftlab.looks import COLOURS
from ftlab.model import plane
from ftlab.record import Record
from ftlab.style import INK, literal, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TERMS = {"access_us": "Page access (µs)", "write_amplification": "Write amplification"}
STEPS = 20


def translation(predictions: Sequence[Record], labels: Sequence[str]) -> Figure:
    """Draw page access time and write amplification over hit ratio and dirty replacements.

    Lines of equal value, of the model with merged updates in full and of the paper's dashed, with
    all else as in the first prediction; dots are the predictions.
    """
    with styled():
        figure = Figure(figsize=(9.6, 4.2))
        shares = [step / STEPS for step in range(STEPS + 1)]
        values = plane(predictions[0].parameters, shares, shares)
        panels = figure.subplots(1, 2, sharey=True)
        for axes, (term, title) in zip(panels, TERMS.items(), strict=True):
            for source, dash, colour in (("merged", "-", COLOURS[0]), ("paper", "--", COLOURS[1])):
                heights = [[each.find(f"{source}.{term}") or 0.0 for each in row] for row in values]
                look: dict[str, Any] = {"linestyles": dash, "colors": colour}
                lines = axes.contour(shares, shares, heights, levels=8, **look)
                axes.plot([], [], dash, color=colour, label=source)
                if source == "merged":
                    axes.clabel(lines, fontsize="small")
            for prediction, label in zip(predictions, labels, strict=True):
                _mark(axes, prediction.parameters, label)
            axes.set(title=title, xlabel="mapping hit ratio", xlim=(0, 1), ylim=(0, 1))
        panels[0].set(ylabel="dirty replacement probability")
        panels[1].legend(loc="upper right", fontsize="small", frameon=True)
    return figure


def _mark(axes: Axes, parameters: Record, label: str) -> None:
    """Put a dot with its name where a run was."""
    place = (parameters["hit_ratio"], parameters["dirty_replacement_probability"])
    axes.plot(*place, "o", color=INK, clip_on=False)
    axes.annotate(literal(label), place, (5, 5), textcoords="offset points")
