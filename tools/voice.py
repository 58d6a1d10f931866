"""Holds the text that users meet to one voice: house words, long sentences, headings, help.

`make lint` runs it over README.md, the pages of docs, `--help` of every command, messages,
docstrings and doc comments of Rust. It also limits the words of the pages of docs.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
from markdown_it import MarkdownIt
from mdit_py_plugins.colon_fence import colon_fence_plugin

ROOT = Path(__file__).parent.parent
WORDS = tomllib.loads(ROOT.joinpath("tools", "voice_words.toml").read_text("utf-8"))
SENTENCE, HEADING, SUMMARY = 30, 7, 60
"""Words of a sentence and of a heading, and characters of a command's line in `--help`, at most."""
PAGE, PAGES = 3_000, 60_000
"""Words of a page and of all pages of docs, at most: tables and code do not count."""
REGISTER = "docs/choices.md"
"""It is looked up, not read, and may be longer."""

MARKDOWN = MarkdownIt().enable("table").use(colon_fence_plugin)
GENERATED = re.compile(r"(?ms)^<!-- (?:claims|tables) .*?^<!-- end -->$")
"""What `tools/claims.py` writes into a page: findings and changes, not sentences of the page."""
PLAIN = {"code_inline": "`x`", "softbreak": " ", "hardbreak": " ", "image": "`x`"}
ENDS = re.compile(r"""(?<=[.!?])["')*]*\s+(?=["'(*`\[]*(?:[A-Z0-9`]|ftlab\b))""")
ENTRY = re.compile(r"(?m)^( *)[*\w]+(?:, [*\w]+)*$(?=\n\1 {4}\S)")
"""The line of a docstring that names the parameters which the lines below it describe."""
FORBIDDEN = [(re.compile(rf"\b(?:{word})\b", re.I), instead) for word, instead in WORDS.items()]


class Text(NamedTuple):
    """A paragraph, a cell, a heading or a message, and where it stands."""

    line: int
    text: str
    heading: bool = False


def faults(text: Text) -> Iterator[str]:
    """Yield what breaks a rule in a text."""
    for pattern, instead in FORBIDDEN:
        if found := pattern.search(text.text):
            yield f'"{found[0]}": write {instead}'
    if text.heading:
        if len(text.text.split()) > HEADING or text.text.startswith("What "):
            yield f'heading "{text.text}": write a noun or an imperative of {HEADING} words'
        return
    if re.match(r"\*\*\w+\.\*\*", text.text):
        yield f'"{text.text.split()[0]}": write a noun phrase, or no bold word'
    for sentence in ENDS.split(text.text):
        if len(words := sentence.split()) > SENTENCE:
            yield f'{len(words)} words, at most {SENTENCE}: "{" ".join(words[:6])} ..."'
        if found := re.match(r"\W*(So|Else)\b", sentence):
            yield f'a sentence begins with "{found[1]}": "{" ".join(words[:6])} ..."'


def markdown(source: str, first: int = 1) -> Iterator[Text]:
    """Yield the texts of a page or a comment; what it quotes or is generated is not its own."""
    quoted, before = 0, ""
    source = GENERATED.sub(lambda found: "\n" * found[0].count("\n"), source)
    for token in MARKDOWN.parse(source):
        quoted += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        if token.type == "inline" and not quoted:
            children = token.children or []
            text = "".join(PLAIN.get(each.type, each.content or each.markup) for each in children)
            yield Text(first + (token.map or [0])[0], text, before == "heading_open")
        before = token.type


def docstrings(source: str) -> Iterator[Text]:
    """Yield the texts of the docstrings in a file of Python, those of attributes included."""
    for node in ast.walk(ast.parse(source)):
        for each in body if isinstance(body := getattr(node, "body", ()), list) else ():
            value = each.value if isinstance(each, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                text = ENTRY.sub("", value.value)
                yield from markdown(re.sub(r"(?m)^ +", "", text), value.lineno)


def comments(source: str) -> Iterator[Text]:
    """Yield the texts of the doc comments in a file of Rust."""
    for found in re.finditer(r"(?m)(?:^[ \t]*//[/!](?!/).*\n?)+", source):
        text = re.sub(r"(?m)^[ \t]*//[/!] ?", "", found[0])
        yield from markdown(text, source.count("\n", 0, found.start()) + 1)


def messages(source: str) -> Iterator[Text]:
    """Yield the texts in what a file of Python raises, says and warns of."""
    for node in ast.walk(ast.parse(source)):
        calls = isinstance(node, ast.Call) and ast.unparse(node.func) in {"say", "warnings.warn"}
        if calls or isinstance(node, ast.Raise):
            for each in ast.walk(node):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield Text(each.lineno, re.sub(r"`[^`]*`", "`x`", each.value))


def helps(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
    """Yield what breaks a rule in the help of a command and of those below it."""
    if len(summary := command.get_short_help_str(1000)) > SUMMARY:
        yield f"{name} --help", f'{len(summary)} characters, at most {SUMMARY}: "{summary}"'
    texts = [*markdown(re.sub(r"(?m)^ +", "", command.help or ""))]
    texts += [Text(0, getattr(each, "help", None) or "") for each in command.params]
    for text in texts:
        for fault in faults(text):
            yield f"{name} --help", fault
    for below, each in getattr(command, "commands", {}).items():
        yield from helps(each, f"{name} {below}")


READERS = {".md": markdown, ".py": docstrings, ".rs": comments}


def files() -> list[Path]:
    """Return the files that are looked at."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")]
    found += [*ROOT.glob("python/ftlab/**/*.py"), *ROOT.glob("crates/*/src/**/*.rs")]
    found += [ROOT / "papers" / "README.md", *ROOT.glob("papers/ftlab_papers/**/*.py")]
    return sorted(path for path in found if "_build" not in path.parts)


def of_file(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what breaks a rule in a file."""
    name, source = str(path.relative_to(ROOT)), path.read_text("utf-8")
    texts = [*READERS[path.suffix](source), *(messages(source) if path.suffix == ".py" else ())]
    for text in texts:
        for fault in faults(text):
            yield f"{name}:{text.line}", fault
    for number, line in enumerate(source.splitlines(), 1):
        if path.suffix == ".md" and "[](" in line:
            yield f"{name}:{number}", "a link that only Sphinx shows: write its text"


def prose(source: str) -> int:
    """Count the words of a page that stand in no table and no code."""
    text = re.sub(r"(?ms)^ *```.*?^ *```|<!--.*?-->", "", source)
    return sum(len(line.split()) for line in text.splitlines() if not line.lstrip().startswith("|"))


def lengths(pages: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the pages that are too long, and whether all are together."""
    words = {name: prose(source) for name, source in pages.items()}
    for name, count in words.items():
        if count > PAGE and name != REGISTER:
            yield name, f"{count} words, at most {PAGE}"
    if (count := sum(words.values())) > PAGES:
        yield "docs", f"{count} words, at most {PAGES}"


def main() -> int:
    """Print what breaks a rule, and return the exit code."""
    from ftlab.cli import program

    found = [fault for path in files() for fault in of_file(path)]
    pages = {str(path.relative_to(ROOT)): path for path in files()}
    found += lengths(
        {name: pages[name].read_text("utf-8") for name in pages if name[:5] == "docs/"}
    )
    found += helps(program, "ftlab")
    for where, fault in found:
        print(f"{where}: {fault}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
