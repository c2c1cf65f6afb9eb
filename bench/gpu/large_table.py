#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of bench_cuda_large as Markdown.

    large_table.py cuda_large.csv > large.md
"""
import csv
import sys

HEAD = ["model", "bodies", "runs of", "device, µs", "least to most", "kinematics given", "with transfers",
        "recursion, one core", "divide and conquer, {} threads", "recursion / device", "error", "shift"]


def number(text):
    value = float(text)
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    print(f"{rows[0]['device']}, commit {rows[0]['commit']}\n")
    print("| " + " | ".join(HEAD).format(rows[0]["threads"]) + " |")
    print("| --- |" + " ---: |" * (len(HEAD) - 1))
    for row in rows:
        times = [number(row[name]) for name in
                 ("given_median_us", "with_transfers_us", "recursion_us", "divided_us")]
        print("| " + " | ".join([
            row["model"], f"{int(row['bodies']):,}",
            row["run_length"] if row["run_length"] != "0" else "default", number(row["median_us"]),
            f"{number(row['least_us'])} to {number(row['most_us'])}", *times,
            number(float(row["recursion_us"]) / float(row["median_us"])), row["error"],
            row["shift"] + (" (fallback)" if row["fallback"] != "0" else "")
            + ("" if row["same_bits"] == "1" else " (other bits)")]) + " |")


if __name__ == "__main__":
    main()
