# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# Ordinary differential equations for the references beside this file: Gragg's extrapolated midpoint rule, order 16, and
# Radau's method of order 5 for stiff ones. Fixed steps; whoever calls halves them to see how many digits hold.
import numpy as np

MIDPOINTS = (2, 4, 6, 8, 10, 12, 14, 16)


def step(f, y, h):
    """One step of y' = f(y): midpoint rules of 2, 4, .. 16 pieces, extrapolated (Hairer, Norsett and Wanner, II.9)."""
    table = []
    for j, n in enumerate(MIDPOINTS):
        s, last, now = h / n, y, y + h / n * f(y)
        for _ in range(1, n):
            last, now = now, last + 2 * s * f(now)
        row = [0.5 * (last + now + s * f(now))]
        for k in range(1, j + 1):
            ratio = (n / MIDPOINTS[j - k]) ** 2 - 1
            row.append(row[k - 1] + (row[k - 1] - table[j - 1][k - 1]) / ratio)
        table.append(row)
    return table[-1][-1]


ROOT = 6**0.5
RADAU = np.array([[(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225],
                  [(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225],
                  [(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9]])


def stiff_step(f, y, h):
    """One step of Radau IIA, Newton's matrix by complex steps."""
    n = len(y)
    jacobian = np.empty((n, n))
    for i in range(n):
        z = y.astype(complex)
        z[i] += 1e-30j
        jacobian[:, i] = np.imag(f(z)) / 1e-30
    matrix = np.linalg.inv(np.eye(3 * n) - h * np.kron(RADAU, jacobian))
    weights, z = np.kron(RADAU, np.eye(n)), np.zeros(3 * n)
    for _ in range(30):
        rates = np.concatenate([f(y + z[i * n:i * n + n]) for i in range(3)])
        change = matrix @ (z - h * weights @ rates)
        z -= change
        if np.abs(change).max() < 1e-16:
            break
    return y + z[2 * n:]
