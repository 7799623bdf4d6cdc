"""Sphinx's configuration of the site: the guides and the Python package. Doxygen, DocC and mandoc make the other pages.

scripts/docs copies the guides into the source directory in the layout of the repository, so their links stay valid.
"""
import os
import re
from pathlib import Path

ROOT = Path(os.environ["NALU_ROOT"])

project = "Nalu"
html_title = "Nalu"
html_theme = "furo"
html_copy_source = False
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
myst_heading_anchors = 4
# "page:" is a path within the site that Sphinx does not write.
myst_url_schemes = {"http": None, "https": None, "page": "{{path}}"}
# Unresolved references fail. Annotations name types of the standard library and private classes, which have no page.
nitpicky = True
nitpick_ignore_regex = [(r"py:(class|obj)", ".*")]

autodoc_member_order = "groupwise"
autodoc_typehints_format = "short"


def link_to_other_pages(app, name, source):
    """Points a guide's links to headers at their pages by Doxygen, and its links to other files at copies of these files."""
    here = os.path.dirname(name)
    up = "../" * name.count("/")

    def pointed(match):
        path = os.path.normpath(os.path.join(here, match[1]))
        if path.endswith((".md", ".png")) or not (ROOT / path).exists():
            return match[0]
        if path.startswith("include/"):
            header = path.rpartition("/")[2]
            return f"](page:{up}c/{header.replace('_', '__').replace('.', '_8') if '.' in header else 'files'}.html)"
        return f"](page:{up}files/{path}{'.txt' if (ROOT / path).is_file() else ''})"

    source[0] = re.sub(r"\]\(([\w./-]+)\)", pointed, source[0])


def setup(app):
    app.connect("source-read", link_to_other_pages)
