# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# Sphinx with MyST. Built by `make docs`, every warning an error.
import pathlib
import re

from sphinx.domains.math import MathDomain

project = "Limber"
author = "The Limber authors"
copyright = author  # noqa: A001, the name is Sphinx's
header = pathlib.Path(__file__).parent.parent / "include/limber/base.h"
version = release = re.search(r'#define LB_VERSION "(.*)"', header.read_text()).group(1)

extensions = ["myst_parser", "sphinx.ext.mathjax"]
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


def setup(app):
    app.add_domain(TaggedEquations, override=True)
