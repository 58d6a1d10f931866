"""The directive `figure-of`: Python that is run when the pages are built, and its figure."""

from __future__ import annotations

import base64
import io
import os
import tempfile
from contextlib import chdir, redirect_stdout
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
    return f"data:image/svg+xml;base64,{base64.b64encode(data.getvalue()).decode()}"


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


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    app.add_directive("figure-of", FigureOf)
    return {"parallel_read_safe": True}
