# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the tutorial of the guide as a notebook.

    make_notebook.py        writes examples/flexible_arm.ipynb from docs/guide/python.md

A test runs the code of the guide, and compares the notebook with it.
"""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "guide" / "python.md"
NOTEBOOK = ROOT / "examples" / "flexible_arm.ipynb"
START = "## From a robot to a regulator"
IMPORTS = "import limber\nimport numpy as np"


def make_cell(kind, text, number):
    lines = text.strip("\n").splitlines(keepends=True)
    cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": lines}
    return {**cell, "execution_count": None, "outputs": []} if kind == "code" else cell


def make_notebook():
    """The notebook as text: a cell for each block of code, and one for the words before it."""
    page = PAGE.read_text()
    tutorial = "#" + page[page.index(START):].split("\n## ")[0].removeprefix("##")
    # links lead from the folder of the guide
    tutorial = re.sub(r"\]\(([\w-]+\.md)\)", r"](../docs/guide/\1)", tutorial)
    cells = []
    for text, code in re.findall(r"(.*?)(?:```python\n(.*?)```|\Z)", tutorial, flags=re.S):
        if text.strip():
            cells.append(("markdown", text))
        if code:
            cells.append(("code", code))
    cells.insert(1, ("code", IMPORTS))
    notebook = {"cells": [make_cell(kind, text, i) for i, (kind, text) in enumerate(cells)],
                "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
                "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(make_notebook())
