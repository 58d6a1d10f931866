"""The classes of `python/ftlab/_metrics.py`, for `settings.py`: sections of a result."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import TypeAlias

from ftlab.metrics import METRICS, Metric

CLASSES = Path(__file__).parent.parent / "python" / "ftlab" / "_metrics.py"
COMMAND = "make settings"
WIDTH = 100

SCALARS = {"count": "int", "number": "float", "text": "str", "switch": "bool"}
ELEMENTS = {
    "texts": "str",
    "list of pairs": "list[int]",
    "list of objects": "Record",
    "list of us": "float",
    "list of s": "float",
    "list of ratios": "float",
    "list of factors": "float | None",
    "list of page writes": "float | None",
    "list of shares": "float | None",
    "lists of pages": "list[int]",
}
"""What lists have, by their units; other lists have counts."""
MAPPINGS = {"tree": "Record", "number by name": "Numbers"}
"""What objects are, by their units; others are numbers by a cause."""
SERIES = "timeline"
"""The section whose lists have an element for each interval, which may be null; lists of lists may
be missing."""

HEADER = f'''"""The metrics of a result as attributes, with their types.

Made by `{COMMAND}` from the metrics of the core. Do not edit.
"""

from __future__ import annotations

from ftlab.record import Counts, Numbers, Record, Section
'''

Tree: TypeAlias = "dict[str, Metric | Tree]"


def tree() -> Tree:
    """Return the metrics by their names, sections in sections."""
    found: Tree = {}
    for metric in METRICS.values():
        *sections, name = metric.name.split(".")
        if any(other.startswith(f"{metric.name}.") for other in METRICS):
            continue
        at = found
        for section in sections:
            below = at.setdefault(section, {})
            assert isinstance(below, dict)
            at = below
        at[name] = metric
    return found


def type_of(metric: Metric) -> str:
    """Return the type of a metric's values."""
    optional = " | None" if metric.null else ""
    if metric.kind == "list":
        element = ELEMENTS.get(metric.unit, "int")
        if metric.name.startswith(f"{SERIES}.") and not metric.unit.startswith("lists"):
            return f"list[{element.removesuffix(optional)}{optional}]"
        return f"list[{element}]{optional}"
    if metric.kind == "object":
        number = "Numbers" if re.match(r"(us|J) by ", metric.unit) else "Counts"
        return MAPPINGS.get(metric.unit, number) + optional
    return SCALARS[metric.kind] + optional


def subject_of(section: Metric | Tree) -> str:
    """Return what all metrics of a section are of, such as reads; empty where that differs."""
    if isinstance(section, Metric):
        return section.formula.partition(": ")[0] if ": " in section.formula else ""
    subjects = {subject_of(below) for below in section.values()}
    return subjects.pop() if len(subjects) == 1 else ""


def told(metric: Metric, subject: str) -> str:
    """Return what a metric of a section with a subject is."""
    unit = f" Unit: {metric.unit}." if metric.unit else ""
    null = f" None {metric.null}." if metric.null else ""
    return f"{metric.formula.removeprefix(f'{subject}: ')}{unit}{null}"


def docstring(text: str) -> str:
    """Return what an editor shows of a class or an attribute."""
    text = re.sub(r"`([^`]+)`", r"``\1``", f'"""{text}"""')
    return textwrap.fill(text, WIDTH - 4, break_on_hyphens=False, break_long_words=False)


def attribute(name: str, kind: str, text: str) -> str:
    """Return the lines of an attribute."""
    return f"{name}: {kind}\n{docstring(text)}" if text else f"{name}: {kind}"


def class_name(path: str) -> str:
    """Return the class of a section."""
    return "".join(part.capitalize() for part in re.split(r"[._]", path)) + "Metrics"


def class_of(section: Tree, path: str, known: dict[str, list[str]]) -> str:
    """Return the class of a section, which those with the same attributes share."""
    subject, lines = subject_of(section), []
    for name, below in section.items():
        if isinstance(below, Metric):
            lines.append(attribute(name, type_of(below), told(below, subject)))
        else:
            about = f"{subject_of(below)}." if subject_of(below) else ""
            lines.append(attribute(name, class_of(below, f"{path}{name}.", known), about))
    paths = known.setdefault(textwrap.indent("\n".join(lines), "    "), [])
    paths.append(path)
    return class_name(paths[0])


def module() -> str:
    """Return the text of the classes, as yet not formatted."""
    known: dict[str, list[str]] = {}
    class_of(tree(), "", known)
    classes = [HEADER]
    for body, [path, *others] in known.items():
        of = f"``{path[:-1]}``" if path else "a result"
        about = f'"""The metrics of {of}{" and others" if others else ""}."""'
        classes.append(f"class {class_name(path)}(Section):\n    {about}\n\n{body}\n")
    return "\n\n".join(classes)
