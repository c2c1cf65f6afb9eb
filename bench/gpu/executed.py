#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions per state from what Nsight Compute prints of a kernel of forward dynamics: executed.py NAME STATES < csv."""

import csv
import sys


def main():
    name, states = sys.argv[1], int(sys.argv[2])
    lines = [line for line in sys.stdin if line.startswith('"')]  # the program prints as well
    found = {row["Metric Name"]: float(row["Metric Value"].replace(",", "")) for row in csv.DictReader(lines)}
    every = found.pop("smsp__sass_thread_inst_executed.sum")
    print(f"count,{name},forward,{round(sum(found.values()) / states)},{round(every / states)}")


main()
