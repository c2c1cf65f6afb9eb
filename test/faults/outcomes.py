# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""What the checks of this folder share: folders, what is in them, which commands there are."""
import os
import re
import subprocess


def read_all(folder):
    """{name: bytes} of all files below a folder."""
    found = {}
    for path, _, files in os.walk(folder):
        for name in files:
            whole = os.path.join(path, name)
            with open(whole, "rb") as file:
                found[os.path.relpath(whole, folder)] = file.read()
    return found


def get_rows(limber, folder, name):
    """All columns of a result file, or None."""
    done = subprocess.run([limber, "results", name, "--csv"], cwd=folder, capture_output=True)
    return done.stdout if done.returncode == 0 else None


def get_commands(limber):
    """Names of the commands that this build has."""
    done = subprocess.run([limber, "help"], capture_output=True, text=True, check=True)
    return done.stdout.split()


def preload(shim):
    """Variables that load a library into a program. LD_PRELOAD takes no path with a space."""
    folders = [os.path.dirname(shim), os.environ.get("LD_LIBRARY_PATH")]
    return {"LD_PRELOAD": os.path.basename(shim), "LD_LIBRARY_PATH": os.pathsep.join(filter(None, folders))}


def strip_date(name, content):
    """What a file says apart from the second in which it was written."""
    return re.sub(rb"\(D:\d+Z", b"", content) if name.endswith(".pdf") and content else content
