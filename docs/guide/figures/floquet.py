#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""floquet.py LIMBER: the sweeps of the guide's section on motions that repeat themselves, and their figures. Run in the
root of the sources. Needs no packages."""

import csv
import subprocess
import sys
import tempfile

FOLDER = "docs/guide/figures"
STYLE = 'font-family="DejaVu Sans, Verdana, sans-serif" font-size="12" fill="#333"'
LABELS = {("a", 0): 0.8, ("b", 1): 0.5, ("a", 1): 2.2, ("b", 2): 2.2, ("a", 2): 1.2, ("b", 3): 2.8, ("a", 3): 2.8}
SHADES = ["#fde3d0", "#fcc9a5", "#f9a876", "#f08650", "#dd6532", "#bf471c", "#963310", "#6b2208"]


def sweep(limber, plan):
    """Rows of a sweep: a list of dictionaries, failures left out."""
    with tempfile.TemporaryDirectory() as work:
        path, rows = f"examples/sweep/{plan}", f"{work}/rows.csv"
        subprocess.run([limber, "sweep", path, "--folder", f"{work}/sweep"], check=True)
        subprocess.run([limber, "sweep", "merge", path, "--folder", f"{work}/sweep", "-o", rows], check=True)
        with open(rows, encoding="utf-8") as file:
            return [{key: float(value) for key, value in row.items() if key not in ("index", "failure") and value}
                    for row in csv.DictReader(file)]


class Axes:
    """A rectangle of a figure with its scales."""

    def __init__(self, left, top, width, height, x, y):
        self.box, self.x, self.y = (left, top, width, height), x, y

    def place(self, x, y):
        left, top, width, height = self.box
        return (left + width * (x - self.x[0]) / (self.x[1] - self.x[0]),
                top + height * (self.y[1] - y) / (self.y[1] - self.y[0]))

    def frame(self, x_ticks, y_ticks, x_name, y_name):
        left, top, width, height = self.box
        parts = [f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#888"/>']
        for tick in x_ticks:
            x, y = self.place(tick, self.y[0])
            parts.append(f'<path d="M{x:.1f} {y:.1f}v5" stroke="#888"/>'
                         f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle" {STYLE}>{tick:g}</text>')
        for tick in y_ticks:
            x, y = self.place(self.x[0], tick)
            parts.append(f'<path d="M{x:.1f} {y:.1f}h-5" stroke="#888"/>'
                         f'<text x="{x - 8:.1f}" y="{y + 4:.1f}" text-anchor="end" {STYLE}>{tick:g}</text>')
        parts.append(f'<text x="{left + width / 2}" y="{top + height + 36}" text-anchor="middle" {STYLE}>{x_name}</text>')
        parts.append(f'<text x="{left - 38}" y="{top + height / 2}" text-anchor="middle" {STYLE} '
                     f'transform="rotate(-90 {left - 38} {top + height / 2})">{y_name}</text>')
        return parts

    def line(self, points, stroke, width=1.5):
        """A line through points, broken where one lies outside."""
        path, down = [], False
        for x, y in points:
            inside = self.y[0] <= y <= self.y[1]
            if inside:
                path.append(f'{"L" if down else "M"}{self.place(x, y)[0]:.1f} {self.place(x, y)[1]:.1f}')
            down = inside
        return f'<path d="{"".join(path)}" fill="none" stroke="{stroke}" stroke-width="{width}"/>'


def write(name, width, height, parts):
    with open(f"{FOLDER}/{name}", "w", encoding="utf-8") as file:
        file.write("<!-- SPDX-FileCopyrightText: The Limber authors -->\n<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
                   f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                   f'height="{height}">\n<rect width="{width}" height="{height}" fill="#fff"/>\n'
                   + "\n".join(parts) + "\n</svg>\n")


def find_characteristic(kind, number, q):
    """A characteristic value of Mathieu's equation: an eigenvalue of a symmetric tridiagonal matrix, by bisection."""
    size = 40
    if kind == "a" and number % 2 == 0:
        diagonal, squares = [4.0 * k * k for k in range(size)], [q * q] * size
        squares[0] = 2.0 * q * q
    elif number % 2 == 0:
        diagonal, squares = [4.0 * k * k for k in range(1, size)], [q * q] * size
    else:
        diagonal, squares = [(2.0 * k + 1.0) ** 2 for k in range(size)], [q * q] * size
        diagonal[0] += q if kind == "a" else -q
    index = number // 2 if kind == "a" or number % 2 else number // 2 - 1

    def count(value):
        """Eigenvalues below a value, by Sturm's sequence."""
        below, pivot = 0, 1.0
        for k, d in enumerate(diagonal):
            pivot = d - value - (squares[k - 1] / pivot if k else 0.0)
            pivot = pivot or 1e-300
            below += pivot < 0.0
        return below
    low, high = -100.0, 1000.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if count(middle) > index else (middle, high)
    return low


def draw_mathieu(rows):
    axes = Axes(60, 20, 540, 330, (-1.0, 5.0), (0.0, 3.0))
    a_values, q_values = sorted({row["a"] for row in rows}), sorted({row["q"] for row in rows})
    width, height = a_values[1] - a_values[0], q_values[1] - q_values[0]
    most = max(row["growth"] for row in rows)
    parts, by_row = [], {}
    for row in rows:
        shade = min(int(8 * (max(0.0, row["growth"]) / most) ** 0.5), 7) if row["growth"] > 0.0 else -1
        by_row.setdefault(row["q"], {})[row["a"]] = shade
    for q, line in by_row.items():
        start = 0
        for i in range(1, len(a_values) + 1):
            if i < len(a_values) and line.get(a_values[i]) == line.get(a_values[start]):
                continue
            shade = line.get(a_values[start], -1)
            if shade >= 0:
                x0, y0 = axes.place(max(a_values[start] - width / 2, -1.0), min(q + height / 2, 3.0))
                x1, y1 = axes.place(min(a_values[i - 1] + width / 2, 5.0), q - height / 2)
                parts.append(f'<rect x="{x0:.1f}" y="{y0:.1f}" width="{x1 - x0:.1f}" height="{y1 - y0:.1f}" '
                             f'fill="{SHADES[shade]}" shape-rendering="crispEdges"/>')
            start = i
    for kind, number in (("a", 0), ("b", 1), ("a", 1), ("b", 2), ("a", 2), ("b", 3), ("a", 3)):
        points = [(find_characteristic(kind, number, q / 100), q / 100) for q in range(0, 301, 2)]
        path = [(x, y) for x, y in points if -1.0 <= x <= 5.0]
        if path:
            parts.append(axes.line(path, "#124a7a"))
            end = min(path, key=lambda point: abs(point[1] - LABELS[kind, number]))
            x, y = axes.place(*end)
            parts.append(f'<text x="{x + 5:.1f}" y="{y + 4:.1f}" {STYLE}>{kind}<tspan font-size="9" dy="3">{number}'
                         '</tspan></text>')
    parts += axes.frame(range(-1, 6), (0, 0.5, 1, 1.5, 2, 2.5, 3), "a = 4 g / (l ω²)", "q = 2 amplitude / l")
    write("mathieu.svg", 620, 400, parts)


def draw_rotor(rows):
    speeds = [row["speed"] for row in rows]
    growth = Axes(60, 20, 540, 170, (speeds[0], speeds[-1]), (-0.5, 2.5))
    lines = Axes(60, 215, 540, 220, (speeds[0], speeds[-1]), (0.0, 8.0))
    parts, start = [], None
    for i, row in enumerate(rows + [{"speed": speeds[-1], "growth": -1.0}]):
        if row["growth"] > 0.0 and start is None:
            start = row["speed"]
        elif row["growth"] <= 0.0 and start is not None:
            for axes in (growth, lines):
                x0, x1 = axes.place(start, 0.0)[0], axes.place(rows[i - 1]["speed"], 0.0)[0]
                parts.append(f'<rect x="{x0:.1f}" y="{axes.box[1]}" width="{x1 - x0:.1f}" height="{axes.box[3]}" '
                             f'fill="{SHADES[0]}"/>')
            start = None
    parts.append(growth.line([(speeds[0], 0.0), (speeds[-1], 0.0)], "#888", 1))
    parts.append(growth.line([(row["speed"], row["growth"]) for row in rows], SHADES[5]))
    for row in rows:
        for name in ("first", "second", "third", "fourth"):
            if 0.0 <= row.get(name, -1.0) <= 8.0:
                x, y = lines.place(row["speed"], row[name])
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.3" fill="#124a7a"/>')
    ticks = range(5, 41, 5)
    parts += growth.frame((), (0, 1, 2), "", "growth, 1/s")
    parts += lines.frame(ticks, range(0, 9, 2), "speed, rad/s", "frequencies, Hz")
    write("two-bladed-rotor.svg", 620, 485, parts)


if __name__ == "__main__":
    draw_mathieu(sweep(sys.argv[1], "mathieu_plan.yaml"))
    draw_rotor(sweep(sys.argv[1], "two_bladed_rotor_plan.yaml"))
