"""Figures made when the pages are built: by Python (`figure-of`), by commands (`plotted`)."""

from __future__ import annotations

import base64
import io
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ftlab import plot


def figure_of(code: str, name: str) -> Any:
    """Return the `figure` that code makes, run in a folder of its own, in the style of ftlab."""
    names: dict[str, Any] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        chdir(folder),
        redirect_stdout(io.StringIO()),
        plot.styled(),
    ):
        exec(compile(code, name, "exec"), names)
        return names["figure"]


def image_of(figure: Any) -> str:
    """Return a figure as the address of an image."""
    data = io.BytesIO()
    with plot.styled():
        figure.savefig(data, format="svg", metadata={"Date": None})
    return address_of(data.getvalue())


def address_of(svg: bytes) -> str:
    """Return an image as an address that has it all."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"


def picture_of(commands: Sequence[str]) -> bytes:
    """Return the figure that the last of some commands of ftlab writes, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            words = [sys.executable, "-m", *shlex.split(command)]
            subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return (Path(folder) / words[-1]).read_bytes()


class FigureOf(SphinxDirective):
    """Code and, above it, its figure; the argument is its text for those who do not see it."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the figure and the code."""
        code = "\n".join(self.content)
        where = os.path.relpath(self.get_source_info()[0], self.env.srcdir)
        figure = figure_of(code, where)
        image = nodes.image(uri=image_of(figure), alt=self.arguments[0])
        shown = nodes.literal_block(code, code, language="python")
        return [image, shown]


class Plotted(FigureOf):
    """Commands and, above them, the figure of the last; the argument is as of `figure-of`."""

    def run(self) -> list[nodes.Node]:
        """Return the figure and the commands."""
        commands = [line for line in self.content if line]
        image = nodes.image(uri=address_of(picture_of(commands)), alt=self.arguments[0])
        code = "\n".join(f"$ {each}" for each in commands)
        return [image, nodes.literal_block(code, code, language="console")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directives."""
    app.add_directive("figure-of", FigureOf)
    app.add_directive("plotted", Plotted)
    return {"parallel_read_safe": True}
