# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# Sphinx with MyST; Doxygen and Breathe for the API reference. Built by `make docs`, every warning an
# error. The pages need no network: MathJax is copied beside them.
import os
import pathlib
import re
import shutil
import subprocess
import sys

from sphinx.domains.math import MathDomain

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from python_reference import make_reference  # noqa: E402, beside this file
from speeds import compare_peers  # noqa: E402

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
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "substitution"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "Limber"
html_static_path = ["static"]
html_css_files = ["limber.css"]
html_show_sourcelink = False
html_show_sphinx = False


# ---- numbers of the landing page, from the files that programs wrote -------------------------------


def count_comparisons():
    """Problems and comparisons of the validation page."""
    rows = re.findall(r"^\| [A-Z0-9-]+: .*\| (\d+) \| \d+ \|$", (here / "validation/index.md").read_text(), re.M)
    return len(rows), sum(map(int, rows))


problems, comparisons = count_comparisons()
ratio, beams = compare_peers()
myst_substitutions = {"problems": problems, "comparisons": comparisons, "ratio": f"{ratio:.1f}", "beams": f"{beams:.1f}"}


# ---- equations -------------------------------------------------------------------------------------

# MathJax 2 as Debian has it (libjs-mathjax): the part that turns TeX into HTML, about 1.5 MB
mathjax = pathlib.Path("/usr/share/javascript/mathjax")
mathjax_parts = ["MathJax.js", "config/TeX-AMS_CHTML.js", "extensions", "jax/element", "jax/input/TeX",
                 "jax/output/CommonHTML", "fonts/HTML-CSS/TeX/woff"]
mathjax_path = "mathjax/MathJax.js?config=TeX-AMS_CHTML"
mathjax2_config = {"tex2jax": {"ignoreClass": "document", "processClass": "math"}, "messageStyle": "none",
                   "showMathMenu": False}
myst_update_mathjax = False


def copy_mathjax(app, error):
    if error or app.builder.format != "html":
        return
    for part in mathjax_parts:
        target = pathlib.Path(app.outdir) / "_static/mathjax" / part
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if (mathjax / part).is_dir():
            shutil.copytree(mathjax / part, target)
        else:
            shutil.copyfile(mathjax / part, target)


def bundle_theme_script(app, error):
    """Debian's furo imports a script, which browsers refuse to do for pages from disk: both become one file."""
    script = pathlib.Path(app.outdir) / "_static/scripts/furo.js"
    if error or app.builder.format != "html" or not script.exists():
        return
    first, _, rest = script.read_text(encoding="utf-8").partition("\n")
    found = re.match(r'import \w+ from "\./([\w.-]+)";', first)
    if found:
        script.write_text((script.parent / found[1]).read_text(encoding="utf-8") + rest, encoding="utf-8")


class TaggedEquations(MathDomain):
    """Numbers an equation by its label: `$$ ... $$ (RNE-1)` is printed as (RNE-1), the name by
    which comments in the code cite it."""

    def note_equation(self, docname, labelid, location=None):
        super().note_equation(docname, labelid, location)
        self.equations[labelid] = (docname, labelid)


# ---- interactive pages of the gallery: linked if `make docs` has made them ---------------------------


def find_live_pages(app, config):
    config.live_pages = sorted(path.stem for path in pathlib.Path(app.outdir).glob("gallery/live/*.html"))


def link_live_page(app, docname, source):
    """Puts a link above the picture of a gallery page."""
    folder, _, name = docname.rpartition("/")
    if folder == "gallery" and name in app.config.live_pages:
        text, picture, rest = source[0].partition("\n![")
        link = f'\n<p><a class="live" href="live/{name}.html">Watch this run in the interactive viewer</a></p>\n'
        source[0] = text + link + picture + rest


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
    settings = (here / "doxyfile").read_text() + f'OUTPUT_DIRECTORY = "{xml}"\n'
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
    write_page(here / "api" / "python.md", make_reference(here.parent / "python/limber"))
    for path in (here / "api").glob("*.md"):
        if path.name not in ("index.md", "python.md") and path.name[:-3] + ".h" not in names:
            path.unlink()


def setup(app):
    app.add_domain(TaggedEquations, override=True)
    app.add_config_value("live_pages", [], "env")  # pages are read again when it changes
    app.connect("config-inited", find_live_pages)
    app.connect("source-read", link_live_page)
    app.connect("config-inited", write_api, priority=100)
    app.connect("build-finished", copy_mathjax)
    app.connect("build-finished", bundle_theme_script)
