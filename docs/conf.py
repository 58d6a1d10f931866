"""How Sphinx builds these pages."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "ftlab"
author = "The ftlab developers"
project_copyright = "The ftlab developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "ftl_pages", "gallery"]
html_static_path = ["_static"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "ftlab"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_format = "short"
napoleon_google_docstring = False
