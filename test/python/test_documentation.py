# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""What is written about the module is true: docstrings, type hints, the guide and the README."""

import doctest
import importlib
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import limber
from make_notebook import NOTEBOOK, PAGE, START, make_notebook
from support import ROOT


def read_blocks(page):
    """The Python code of a page, all blocks in one."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", page, flags=re.M | re.S))


class Documentation(unittest.TestCase):
    def test_examples_of_docstrings_are_right(self):
        count = 0
        for module in pkgutil.iter_modules(limber.__path__):
            found = doctest.testmod(importlib.import_module(f"limber.{module.name}"))
            self.assertEqual(found.failed, 0, module.name)
            count += found.attempted
        self.assertGreater(count, 5)

    def test_everything_public_has_a_docstring(self):
        for name in limber.__all__:
            thing = getattr(limber, name)
            self.assertTrue(thing.__doc__, name)
            for key, value in vars(thing).items() if isinstance(thing, type) else ():
                if callable(value) and not key.startswith("_") and value.__module__.startswith("limber"):
                    self.assertTrue(value.__doc__, f"{name}.{key}")

    def run_code(self, code, source):
        """Runs code by itself, in a folder where the examples and the data of tests are."""
        self.assertTrue(code, source)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("examples", "test"):
                os.symlink(ROOT / name, os.path.join(folder, name))
            path = os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
            done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": path, "MPLBACKEND": "Agg"})
        if re.search("No module named '(scipy|matplotlib)", done.stderr):
            self.skipTest("no SciPy or no Matplotlib")
        self.assertEqual(done.returncode, 0, f"{source}: {done.stderr}")

    def test_the_code_of_the_readme_runs(self):
        self.run_code(read_blocks((ROOT / "README.md").read_text()), "README.md")

    def test_the_code_of_the_guide_runs(self):
        # the tutorial at its end is that of the notebook
        self.run_code(read_blocks(PAGE.read_text().partition(START)[0]), PAGE)

    def test_the_notebook_is_the_tutorial_and_runs(self):
        self.assertEqual(NOTEBOOK.read_text(), make_notebook(), "run python/make_notebook.py")
        cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
        self.run_code("\n".join("".join(cell["source"]) for cell in cells), NOTEBOOK)

    def test_type_hints_hold(self):
        mypy = shutil.which("mypy")
        if not mypy:
            self.skipTest("no mypy")
        # what it finds out about NumPy is kept, if there is a place for it
        cache = os.environ.get("LIMBER_TYPE_CACHE", os.devnull)
        done = subprocess.run([mypy, "--cache-dir", cache, "--python-executable", sys.executable], cwd=ROOT / "python",
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
