#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""How far one rounding goes in the chaotic babyboot.

From the equations of motion of the problem, not from Limber: derivatives of the state at t with respect to the state at
any time s before, by complex steps along the four directions of the start. Printed is the largest change, in degrees,
that a relative change of 2.2e-16 in the state at the worst s makes at t.
"""
import cmath
import math

G = 9.81
I_AX, I_BX, I_BY, I_BZ = 5e-6, 2.5e-4, 5e-5, 2e-4
L_A, L_B, M_A, M_B = 0.075, 0.2, 0.01, 0.1
STEP, END, TINY = 5e-4, 10.0, 1e-30


def rates(x):
    a, b, da, db = x
    s, c = cmath.sin(b), cmath.cos(b)
    inertia = I_AX + I_BX + M_A * L_A**2 + M_B * L_B**2 - (I_BX - I_BY) * s * s
    moment = G * (M_A * L_A + M_B * L_B) * cmath.sin(a) - 2 * (I_BX - I_BY) * s * c * da * db
    return [da, db, -moment / inertia, -(I_BX - I_BY) * s * c * da * da / I_BZ]


def step(x, h):
    k1 = rates(x)
    k2 = rates([a + h / 2 * k for a, k in zip(x, k1)])
    k3 = rates([a + h / 2 * k for a, k in zip(x, k2)])
    k4 = rates([a + h * k for a, k in zip(x, k3)])
    return [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(x, k1, k2, k3, k4)]


def run(direction):
    x = [complex(math.radians(90)), complex(math.radians(1)), 0j, 0j]
    x[direction] += 1j * TINY
    path = [x]
    for _ in range(round(END / STEP)):
        x = step(x, STEP)
        path.append(x)
    return path


def invert(matrix):
    n = len(matrix)
    rows = [list(row) + [float(i == j) for j in range(n)] for i, row in enumerate(matrix)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[p] = rows[p], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for r in range(n):
            if r != i:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i])]
    return [row[n:] for row in rows]


def main():
    paths = [run(direction) for direction in range(4)]

    def slope(n):
        return [[paths[j][n][i].imag / TINY for j in range(4)] for i in range(4)]

    for t in (1, 2, 5, 10):
        n = round(t / STEP)
        there, worst = slope(n), 0.0
        for m in range(0, n + 1, 40):
            back = invert(slope(m))
            size = [abs(paths[0][m][i].real) for i in range(4)]
            for i in range(4):
                change = sum(
                    abs(sum(there[i][k] * back[k][j] for k in range(4))) * 2.2e-16 * size[j]
                    for j in range(4))
                worst = max(worst, change)
        print(f"{t:2d} s: {math.degrees(worst):.1e} degrees")


if __name__ == "__main__":
    main()
