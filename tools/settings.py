"""Writes what repeats the core: classes of settings and metrics, and the pages of both.

Run `make settings` when settings or metrics of the core have changed; with `--check` it writes
nothing and fails if one of them is not up to date.
"""

from __future__ import annotations

import argparse
import json
import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import metrics
import result_classes

from ftlab import _core
from ftlab.plugins import PLACES
from ftlab.record import Record
from ftlab.report.settings import settings_table
from ftlab.report.tables import Table

ROOT = Path(__file__).parent.parent
CLASSES = ROOT / "python" / "ftlab" / "_settings.py"
PAGE = ROOT / "docs" / "settings.md"
COMMAND = "make settings"
WIDTH = 100

WORDS = {"adaptive", "block", "chain", "hot", "hybrid", "optimized", "page", "superblock"}
"""Parts of the names of FTLs that are words; the others are acronyms."""
NAMES = {"treeftl": "TreeFTL"}
"""Classes of FTLs whose names follow no rule."""

TYPES = {
    "count": "int",
    "number": "float",
    "size": "Quantity",
    "time": "Quantity",
    "times": "Sequence[Quantity]",
    "ratio": "Quantity",
    "switch": "bool",
    "text": "str",
}
LIST = "Sequence[Sequence[Quantity]]"
"""The type of a text that is a list."""


@dataclass(frozen=True)
class Section:
    """A section that has a class: its name and base, a line about it, what needs no keyword."""

    name: str
    summary: str
    base: str = "Settings"
    positional: Sequence[str] = ()


SECTIONS = {
    "device": Section("Device", "The NAND device."),
    "wear": Section("Wear", "Wear levelling, below every FTL.", positional=["policy"]),
    "gc": Section("GC", "Garbage collection of page-level FTLs.", positional=["policy"]),
    "buffer": Section("Buffer", "The write buffer above the FTL.", positional=["policy"]),
    "energy": Section("Energy", "Energy of flash and RAM."),
    "host": Section("Host", "How requests reach the device.", positional=["mode"]),
    "input": Section(
        "Trace", "A recorded trace, or a built-in profile of one.", "Source", ["trace"]
    ),
    "workload": Section(
        "Workload",
        "Generated requests, described in fio's words.",
        "Source",
        ["pattern", "bs", "size", "requests"],
    ),
    "run": Section("Run", "How a run is prepared and measured."),
}
SHARED = {
    "gc": "gc_",
    "ftl": "",
    "log": "log_",
}
"""Sections that many FTLs obey, and what their settings begin with as arguments of an FTL."""
UNPREFIXED = "gc.copy_back"
"""The setting whose name says enough."""

HEADER = f'''"""The settings of a run as classes, one for each section and each FTL.

Made by `{COMMAND}` from the catalogue of the core. Do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Literal

from ftlab.config import Quantity
from ftlab.ftls import NamedFtl
from ftlab.plugins import Plugin
from ftlab.settings import Settings, setting
from ftlab.source import Source
'''

INTRODUCTION = f"""# Settings

<!-- Made by `{COMMAND}` from the catalogue of the core. Do not edit. -->

`--set KEY=VALUE` of the [command line](cli.md) takes each setting by its key. In
[Python](python.md) sections and FTLs are classes with the settings as arguments. The settings of a
separation stand in the name of an FTL, as `page:separation=sfs:sfs.classes=4`. `ftlab list
settings` prints the same.

A size is a number of bytes, or text such as `8KiB`, in powers of 1024 (`8kB` and `4MB` are
[refused](choices.md#sizes)). A time is in nanoseconds, or text such as `25us` or `2h30m`. A ratio
is a number, or text such as `15%`; a switch is `true` or `false`. Case does not matter. Where a
default is a sentence, the setting is absent.
"""


def class_name(ftl: str) -> str:
    """Return the class of an FTL."""
    parts = [part.capitalize() if part in WORDS else part.upper() for part in ftl.split("-")]
    return NAMES.get(ftl, "".join(parts))


def identifier(row: Record) -> str:
    """Return a setting's name as an argument of the class of its section."""
    return f"{row.name}_" if keyword.iskeyword(row.name) else str(row.name)


def argument(row: Record) -> str:
    """Return a setting's name as an argument of an FTL."""
    shared = SHARED.get(row.section, "") if row.key != UNPREFIXED else ""
    return shared + identifier(row)


def alias(row: Record) -> str:
    """Return the name of the type of a setting that several FTLs obey."""
    return "".join(part.capitalize() for part in re.split(r"[._]", row.key))


def choice(row: Record) -> str:
    """Return the type of the names of a setting."""
    names = f"Literal[{', '.join(json.dumps(name) for name, _ in row['values'])}]"
    own = (row.section, row.name) in PLACES
    return f"{names} | type | Plugin" if own else names


def type_of(row: Record) -> str:
    """Return the type of a setting's values."""
    if row.kind == "choice":
        return alias(row) if row.section in SHARED else choice(row)
    if row.kind == "text" and row["values"].startswith("a list"):
        return LIST
    return TYPES[row.kind]


def referred(row: Record, ftl: Record, everything: Record) -> str:
    """Return what the docstring of an FTL says of a setting; shared ones are told once."""
    first = next(each for each in everything.ftls if row.key in [own.key for own in each.settings])
    if row.section not in SECTIONS and first.name == ftl.name:
        return described(row)
    there = SECTIONS[row.section].name if row.section in SECTIONS else class_name(first.name)
    text = f"As in `ftlab.{there}`, for this FTL."
    usual = next(each.default for each in everything.settings if each.key == row.key)
    return text if row.default == usual else f"{text} Default: {row.default}."


def described(row: Record) -> str:
    """Return what a docstring says of a setting."""
    values = row["values"] if row.kind == "choice" else []
    parts = [row.meaning, *(f"``{json.dumps(name)}``: {sentence(told)}" for name, told in values)]
    if row.kind == "text":
        parts.append(f"Values: {row['values']}.")
    parts.append(f"Default: {row.default}.")
    parts += [f"{word}: {row[word.lower()]}." for word in ("Unit", "Range") if row[word.lower()]]
    return re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", " ".join([*parts, f"Source: {row.source}."]))


def sentence(text: str) -> str:
    """Return what a name means, as a sentence."""
    return f"{text[0].upper()}{text[1:].removesuffix('.')}."


def indented(text: str, by: int) -> str:
    """Return a paragraph in lines that are not too long."""
    margin = " " * by
    return textwrap.fill(
        text, WIDTH, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False
    )


def grouped(arguments: dict[str, str]) -> Iterable[tuple[str, str]]:
    """Yield lines of names, and what is said of all of them."""
    for text in dict.fromkeys(arguments.values()):
        names = ", ".join(name for name, told in arguments.items() if told == text)
        for line in textwrap.wrap(names, WIDTH - 5):
            yield f"    {line.removesuffix(',')}", text


def documented(summary: str, source: str, arguments: dict[str, str]) -> str:
    """Return the docstring of a class: arguments have what is said of them."""
    parts = [f'    """{summary}']
    if source:
        parts.append(indented(f"Source: {source}.", 4))
    if arguments:
        told = [f"{names}\n{indented(text, 8)}" for names, text in grouped(arguments)]
        parts.append("\n".join(["    Parameters", "    ----------", *told]))
    return "\n\n".join(parts) + ("\n    " if len(parts) > 1 else "") + '"""\n'


def fields(rows: dict[str, Record], positional: int) -> str:
    """Return the body of a class: a line for each setting."""
    lines = [
        f'    {name}: {type_of(row)} | None = setting("{row.key}")' for name, row in rows.items()
    ]
    lines.insert(positional, "    _: KW_ONLY")
    return "\n".join(lines)


def section_class(section: str, all_rows: Iterable[Record]) -> str:
    """Return the class of a section."""
    one = SECTIONS[section]
    named = {identifier(row): row for row in all_rows if row.section == section}
    rows = {name: named[name] for name in [*one.positional, *named]}
    text = documented(one.summary, "", {name: described(row) for name, row in rows.items()})
    return f"class {one.name}({one.base}):\n{text}\n{fields(rows, len(one.positional))}\n"


def ftl_class(ftl: Record, everything: Record) -> str:
    """Return the class of an FTL: its cache, its own settings, then the others that it obeys."""
    ordered = sorted(ftl.settings, key=lambda row: (row.key != "ftl.cache", row.section in SHARED))
    rows = {argument(row): row for row in ordered}
    if len(rows) < len(ordered):
        raise ValueError(f"{ftl.name}: found two settings with one name: {', '.join(rows)}")
    summary = f"{ftl.summary[0].upper()}{ftl.summary[1:]}."
    told = {name: referred(row, ftl, everything) for name, row in rows.items()}
    cached = any(row.key == "ftl.cache" for row in ordered)
    return (
        f"class {class_name(ftl.name)}(NamedFtl):\n{documented(summary, ftl.source, told)}\n"
        f'    registered = "{ftl.name}"\n\n{fields(rows, int(cached))}\n'
    )


def module(everything: Record) -> str:
    """Return the text of the classes."""
    names = [one.name for one in SECTIONS.values()]
    names += [class_name(ftl.name) for ftl in everything.ftls]
    listed = "".join(f'    "{name}",\n' for name in sorted(names))
    classes = [section_class(section, everything.settings) for section in SECTIONS]
    classes += [ftl_class(ftl, everything) for ftl in everything.ftls]
    shared = [row for row in everything.settings if row.section in SHARED and row.kind == "choice"]
    types = "".join(f"{alias(row)} = {choice(row)}\n" for row in shared)
    parts = [HEADER, f"__all__ = [\n{listed}]\n", types, *classes]
    return formatted("\n\n".join(parts), CLASSES)


def formatted(text: str, path: Path) -> str:
    """Return the text of a module as ruff writes it."""
    ruff = [sys.executable, "-m", "ruff"]
    name = ["--stdin-filename", str(path), "-"]
    for command in ([*ruff, "check", "--fix-only", "--quiet", *name], [*ruff, "format", *name]):
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        text = done.stdout
    return text


def linked(source: str) -> str:
    """Return a source with links to the register of choices."""
    return re.sub(r"choices\.md#([a-z0-9-]+)", r"[\1](choices.md#\1)", source)


def section_page(section: str, everything: Record) -> str:
    """Return what the page of settings says of a section."""
    rows = [row for row in everything.settings if row.section == section]
    keys = {row.key for row in rows}
    obeying = [
        ftl.name for ftl in everything.ftls if keys.intersection(each.key for each in ftl.settings)
    ]
    if section in SECTIONS:
        about = f"{SECTIONS[section].summary} Class `ftlab.{SECTIONS[section].name}`."
    elif obeying:
        about = f"Arguments of {listed_classes(obeying)}."
    else:
        about = f"The separation `{section}`."
    return f"## {section}\n\n{about}\n\n{rows_table(rows).markdown(prose=True)}"


def listed_classes(ftls: Sequence[str]) -> str:
    """Return the classes of FTLs for people."""
    return ", ".join(f"`{class_name(name)}`" for name in ftls)


def rows_table(rows: Sequence[Record]) -> Table:
    """Return a table of settings for the page: with the meaning of each name, anchors, links."""
    plain = settings_table(rows)
    cells = []
    for row, line in zip(rows, plain.rows, strict=True):
        key, kind, *middle, meaning, source = line
        if row.kind == "choice":
            told = " ".join(f"`{name}`: {sentence(text)}" for name, text in row["values"])
            kind, meaning = "choice", f"{meaning} {told}"
        cells.append([f'<a id="{key}"></a>`{key}`', kind, *middle, meaning, linked(source)])
    return Table(plain.header, cells)


def page(everything: Record) -> str:
    """Return the page of all settings."""
    sections = dict.fromkeys(row.section for row in everything.settings)
    return "\n".join([INTRODUCTION, *(section_page(each, everything) for each in sections)])


def main() -> int:
    """Write the files, or report which are not up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    everything = Record(json.loads(_core.catalog()))
    old = []
    texts = {
        CLASSES: module(everything),
        result_classes.CLASSES: formatted(result_classes.module(), result_classes.CLASSES),
        PAGE: page(everything),
        metrics.PAGE: metrics.page(),
    }
    for path, text in texts.items():
        if not path.exists() or path.read_text("utf-8") != text:
            old.append(str(path.relative_to(ROOT)))
            if not check:
                path.write_text(text, "utf-8")
    if check and old:
        print(f"{' and '.join(old)}: found another state than the core has; run {COMMAND}")
    return int(check and bool(old))


if __name__ == "__main__":
    sys.exit(main())
