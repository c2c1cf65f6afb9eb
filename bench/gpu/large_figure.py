#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Draws time against the number of bodies of a chain from the table of bench_cuda_large.

    large_figure.py cuda_large.csv > gpu-large.svg
"""
import csv
import math
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 70, 620, 30, 350
LINES = [
    ("median_us", "a", "from q, v and tau"),
    ("given_median_us", "a thin", "kinematics given"),
    ("with_transfers_us", "a dots", "with transfers"),
    ("recursion_us", "b", "recursion, one core"),
    ("divided_us", "c", "divide and conquer, 16 cores"),
]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file)
                if row["model"] == "chain" and row["run_length"] == "0"]
    first, last = (math.log2(int(rows[i]["bodies"])) for i in (0, -1))
    values = [float(row[name]) for row in rows for name, _, _ in LINES]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def place(bodies, value):
        x = LEFT + (RIGHT - LEFT) * (math.log2(bodies) - first) / (last - first)
        y = BOTTOM - (BOTTOM - TOP) * (math.log10(value) - low) / (high - low)
        return x, y

    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
          f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">')
    print("<title>Time of one evaluation of a chain</title>")
    print("<style>polyline{fill:none;stroke-width:2} .grid{stroke:#ddd} .a { stroke: #0072b2 } "
          ".b { stroke: #d55e00 } .c { stroke: #009e73 } .thin { stroke-dasharray: 5 4 } "
          ".dots { stroke-dasharray: 2 3 }</style>")
    print('<rect width="100%" height="100%" fill="white"/>')
    for exponent in range(math.ceil(first), math.floor(last) + 1, 3):
        x, _ = place(2**exponent, 10**low)
        print(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{BOTTOM}"/>')
        print(f'<text x="{x:.1f}" y="{BOTTOM + 18}" text-anchor="middle">2^{exponent}</text>')
    for exponent in range(low, high + 1):
        _, y = place(2**first, 10**exponent)
        print(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{RIGHT}" y2="{y:.1f}"/>')
        print(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">1e{exponent}</text>')
    print(f'<text x="345" y="390" text-anchor="middle">bodies</text>')
    print('<text transform="translate(18 190) rotate(-90)" text-anchor="middle">µs</text>')
    for i, (name, style, label) in enumerate(LINES):
        points = " ".join("%.1f,%.1f" % place(int(row["bodies"]), float(row[name])) for row in rows)
        print(f'<polyline class="{style}" points="{points}"/>')
        print(f'<polyline class="{style}" points="84,{46 + 16 * i} 110,{46 + 16 * i}"/>')
        print(f'<text x="116" y="{50 + 16 * i}">{label}</text>')
    print("</svg>")


if __name__ == "__main__":
    main()
