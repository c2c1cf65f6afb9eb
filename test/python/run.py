# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# run.py TEST...: runs tests of the Python module; 77, "skipped", where there is no NumPy.
import signal
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent / "python"), str(HERE)]

if __name__ == "__main__":
    # what a shell starts in the background ignores Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("no NumPy (python3-numpy) here: skipped")
        sys.exit(77)
    unittest.main(module=None, argv=["run.py", *sys.argv[1:]])
