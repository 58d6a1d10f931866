"""The classes of `python/ftlab/_metrics.py`, for `settings.py`: sections of a result."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
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

from collections.abc import Mapping
from typing import ClassVar

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
            return f"list[{element}{optional}]"
        return f"list[{element}]{optional}"
    if metric.kind == "object":
        number = "Numbers" if re.match(r"(us|J) by ", metric.unit) else "Counts"
        return MAPPINGS.get(metric.unit, number) + optional
    return SCALARS[metric.kind] + optional


def class_name(path: str) -> str:
    """Return the class of a section."""
    return "".join(part.capitalize() for part in re.split(r"[._]", path)) + "Metrics"


def told(metric: Metric) -> str:
    """Return what an editor shows of a metric."""
    unit = f" Unit: {metric.unit}." if metric.unit else ""
    null = f" None {metric.null}." if metric.null else ""
    text = re.sub(r"`([^`]+)`", r"``\1``", f"{metric.formula}{unit}{null}")
    return textwrap.fill(f'"""{text}"""', WIDTH - 4, break_on_hyphens=False, break_long_words=False)


def fields(section: Tree, path: str) -> tuple[list[str], dict[str, str]]:
    """Return the lines of attributes, and the classes of sections in this one."""
    lines, below = [], {}
    for name, metric in section.items():
        if isinstance(metric, Metric):
            lines.append(f"{name}: {type_of(metric)}\n{told(metric)}")
            if kind := re.match(r"(Counts|Numbers)", type_of(metric)):
                below[name] = kind[1]
        else:
            below[name] = class_name(f"{path}{name}")
            lines.append(f"{name}: {below[name]}")
    return lines, below


def classes(section: Tree, path: str = "") -> Iterator[str]:
    """Yield the classes of the sections in a section, then its own."""
    for name, below in section.items():
        if isinstance(below, dict):
            yield from classes(below, f"{path}{name}.")
    lines, kinds = fields(section, path)
    if kinds:
        named = ", ".join(f'"{name}": {kind}' for name, kind in kinds.items())
        lines.append(f"_sections: ClassVar[Mapping[str, type[Section]]] = {{{named}}}")
    name = class_name(path.rstrip(".")) if path else "Metrics"
    what = f"The metrics of ``{path.rstrip('.')}``." if path else "The metrics of a result."
    body = textwrap.indent("\n".join(lines), "    ")
    yield f'class {name}(Section):\n    """{what}"""\n\n{body}\n'


def nullable(sections: Mapping[str, Metric | Tree]) -> list[str]:
    """Return the sections that a run may lack: all metrics in them may be null."""
    found = []
    for name, below in sections.items():
        inside = [each for each in METRICS.values() if each.name.startswith(f"{name}.")]
        if isinstance(below, dict) and all(each.null for each in inside):
            found.append(name)
    return found


def module() -> str:
    """Return the text of the classes, as yet not formatted."""
    sections = tree()
    names = "".join(f'    "{name}",\n' for name in nullable(sections))
    without = f"NULLABLE = (\n{names})\n" + '"""Sections that are null where a run has none."""\n'
    return "\n\n".join([HEADER, without, *classes(sections)])
