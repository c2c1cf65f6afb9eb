#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""The row of a sweep with and without a graphics processor:
compare_sweeps.py PLAN SAMPLES START MIDDLE END GPU.csv CORES.csv"""

import csv
import math
import sys


def read(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


def main():
    plan, samples, start, middle, end, gpu, cores = sys.argv[1:]
    first, second = read(gpu), read(cores)
    if first[0] != second[0] or len(first) != len(second):
        sys.exit("the tables differ in their columns or rows")
    worst = 0.0
    for column, name in enumerate(first[0]):
        try:
            pairs = [(float(a[column]), float(b[column])) for a, b in zip(first[1:], second[1:])
                     if a[column] or b[column]]
        except ValueError:
            if any(a[column] != b[column] for a, b in zip(first[1:], second[1:])):
                sys.exit(f"{name}: the tables differ")
            continue
        size = max((abs(b) for _, b in pairs), default=0.0)
        gap = max((abs(a - b) for a, b in pairs), default=0.0)
        worst = max(worst, gap / size if size else gap)
    if math.isnan(worst) or worst > 1e-6:
        sys.exit(f"the outputs differ by {worst}")
    print(f"sweep,{plan},{samples},{float(middle) - float(start):.2f},{float(end) - float(middle):.2f},{worst:.2e}")


main()
