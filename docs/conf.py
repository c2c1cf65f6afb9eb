# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# Sphinx with MyST; Doxygen and Breathe for the API reference. Built by `make docs`, every warning an
# error.
import os
import pathlib
import re
import subprocess

from sphinx.domains.math import MathDomain

project = "Limber"
author = "The Limber authors"
copyright = author  # noqa: A001, the name is Sphinx's
here = pathlib.Path(__file__).parent
headers = here.parent / "include/limber"
version = release = re.search(
    r'#define LB_VERSION "(.*)"', (headers / "base.h").read_text()).group(1)

extensions = ["myst_parser", "sphinx.ext.mathjax", "breathe"]
breathe_default_project = "limber"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "alabaster"
html_theme_options = {
    "description": "Dynamics of rigid and flexible multibody systems",
    "page_width": "1100px",
    "fixed_sidebar": True,
}
html_show_sourcelink = False
html_show_sphinx = False


class TaggedEquations(MathDomain):
    """Numbers an equation by its label: `$$ ... $$ (RNE-1)` is printed as (RNE-1), the name by
    which comments in the code cite it."""

    def note_equation(self, docname, labelid, location=None):
        super().note_equation(docname, labelid, location)
        self.equations[labelid] = (docname, labelid)


# ---- the API reference: one page per public header ------------------------------------------------


def read_introduction(text):
    """The comment at the top of a header, as Markdown: code in it is indented by four already."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[3:])
    lines = [line for line in lines if not line.startswith("SPDX-")]
    return "\n".join(lines).strip("\n")


def write_page(path, text):
    """Only if it differs: Sphinx then reads again only what has changed."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_api(app, config):
    """Runs Doxygen, and writes docs/api/HEADER.md for every header."""
    xml = pathlib.Path(app.doctreedir).resolve() / "doxygen"
    xml.mkdir(parents=True, exist_ok=True)
    settings = (here / "doxyfile").read_text() + f"OUTPUT_DIRECTORY = {xml}\n"
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, cwd=here.parent)
    config.breathe_projects = {"limber": os.fspath(xml / "xml")}
    names = sorted(path.name for path in headers.glob("*.h") if "LB_API" in path.read_text()
                   or "static inline" in path.read_text())
    for name in names:
        introduction = read_introduction((headers / name).read_text())
        write_page(here / "api" / (name[:-2] + ".md"),
                   f"# limber/{name}\n\n{introduction}\n\n"
                   f"```{{eval-rst}}\n.. doxygenfile:: limber/{name}\n   :sections: "
                   "briefdescription detaileddescription innerclass public-attrib define enum "
                   "typedef func var\n"
                   "```\n")
    for path in (here / "api").glob("*.md"):
        if path.name != "index.md" and path.name[:-3] + ".h" not in names:
            path.unlink()


def setup(app):
    app.add_domain(TaggedEquations, override=True)
    app.connect("config-inited", write_api, priority=100)
