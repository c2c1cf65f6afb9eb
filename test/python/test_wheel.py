# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""A wheel holds the module and its library, and a record of both."""

import base64
import csv
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from limber._library import find_library
from support import ROOT

MAKE = [sys.executable, str(ROOT / "python" / "make_wheel.py"), find_library()]


@unittest.skipUnless(shutil.which("patchelf"), "no patchelf")
class Wheel(unittest.TestCase):
    def test_a_wheel_that_is_unpacked_works_by_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([*MAKE, folder, "--bare"], check=True, capture_output=True, text=True)
            path = Path(made.stdout.strip())
            self.assertRegex(path.name, r"^limber-\d+\.\d+\.\d+-py3-none-\w+\.whl$")
            with zipfile.ZipFile(path) as wheel:
                wheel.extractall(Path(folder) / "site")
                record = next(name for name in wheel.namelist() if name.endswith("RECORD"))
                rows = list(csv.reader(io.StringIO(wheel.read(record).decode())))
                self.assertEqual({row[0] for row in rows}, set(wheel.namelist()))
                for name, digest, _ in rows[:-1]:
                    found = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
                    self.assertEqual(digest, "sha256=" + found)
            code = ("import limber; m = limber.loads('limber: 1\\nbodies: [{name: b, hinge: {type: free}, mass: 1}]'); "
                    "print(limber.__file__, m.v_count)")
            environment = {key: value for key, value in os.environ.items() if key != "LIMBER_LIBRARY"}
            done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=folder,
                                  env={**environment, "PYTHONPATH": str(Path(folder) / "site")})
            self.assertTrue(done.stdout.startswith(folder), done.stdout)
            self.assertTrue(done.stdout.endswith(" 6\n"))

    def test_mumps_is_not_passed_on(self):
        if "mumps" not in subprocess.run(["ldd", find_library()], capture_output=True, text=True).stdout:
            self.skipTest("the library was built without MUMPS")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([*MAKE, folder], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("LB_WITH_MUMPS=OFF", done.stderr)
