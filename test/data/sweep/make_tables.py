#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""make_tables.py > numbers.txt: random words of NumPy, points of Sobol and quantiles of SciPy.

Lines: philox SEED STREAM INDEX WORD; name NAME STREAM; sobol DIMENSION INDEX POINT; normal P Z; triangular P LOW MODE
HIGH X. Made with NumPy 1.24.2 and SciPy 1.10.1 (Debian 12).
"""
import hashlib
import warnings

import numpy
import scipy.special
import scipy.stats

warnings.simplefilter("ignore")  # the number of points is no power of two
for seed, stream in ((0, 0), (1, 2), (42, 0xFFFFFFFFFFFFFFFF), (9007199254740992, 12345678901234567890)):
    words = numpy.random.Philox(key=numpy.array([seed, stream], dtype=numpy.uint64)).random_raw(1001)
    for index in (0, 1, 2, 3, 4, 5, 17, 1000):
        print("philox", seed, stream, index, words[index])
for name in ("mass", "bodies.arm.mass", "k"):
    print("name", name, int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little"))
points = scipy.stats.qmc.Sobol(128, scramble=False).random(5001)
for dimension in (0, 1, 2, 3, 7, 20, 63, 100, 127):
    for index in (0, 1, 2, 3, 5, 100, 1023, 5000):
        print("sobol", dimension, index, repr(float(points[index, dimension])))
for p in (1e-300, 1e-20, 1e-12, 1e-6, 0.001, 0.02, 0.07, 0.075, 0.1, 0.3, 0.5, 0.6, 0.9, 0.925, 0.99, 0.999999):
    print("normal", repr(p), repr(float(scipy.special.ndtri(p))))
for low, mode, high in ((0, 1, 4), (-2, -2, 3), (-1, 5, 5)):
    for p in (0.01, 0.2, 0.25, 0.5, 0.99):
        law = scipy.stats.triang((mode - low) / (high - low), loc=low, scale=high - low)
        print("triangular", p, low, mode, high, repr(float(law.ppf(p))))
