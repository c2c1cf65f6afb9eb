#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# The slider-crank with an elastic rod by a road of its own: the angle psi of the rod against the rail and the amplitudes
# eta of two sines. A point of the rod is at
#
#     P = r e(th) + R(psi) (x + eta' g(x) eta / 2, sin(k pi x / L) eta_k),   g_ij = -(integral of s_i' s_j' from 0 to x)
#
# with the mass at eight Gauss points, as in examples/flexible_slider_crank.yaml, and that of the slider at its end, which
# a multiplier keeps on the rail. The crank turns as it is told. What is printed went into
# test/support/sim/published_mechanisms.c. Needs numpy; takes half a minute.
import numpy as np

from extrapolate import step

CRANK, ROD, SLIDER, SPEED = 0.15, 0.3, 0.075552, 150.0
SIDE, E, DENSITY = 0.008, 2e11, 7870.0
POINTS = 8

places, weights = np.polynomial.legendre.leggauss(POINTS)
X = np.append((places + 1) / 2 * ROD, ROD)
MASS = np.append(weights / 2 * ROD * DENSITY * SIDE**2, SLIDER)
K = np.array([1, 2]) * np.pi / ROD
SHAPE = np.sin(np.outer(X, K))
SHAPE[-1] = 0
STIFFNESS = E * SIDE**4 / 12 * np.array([1, 16]) * np.pi**4 / (2 * ROD**3)
SHORT = np.empty((len(X), 2, 2))
for i in range(2):
    for j in range(2):
        a, b = K[i], K[j]
        SHORT[:, i, j] = -a * b * (X / 2 + np.sin(2 * a * X) / (4 * a) if i == j else
                                   np.sin((a - b) * X) / (2 * (a - b)) + np.sin((a + b) * X) / (2 * (a + b)))
HELD = np.repeat(MASS[:, None], 2, 1)
HELD[-1, 1] = 0  # the slider moves along x


def solve(y):
    """accelerations of psi, eta; force of the rail; place of the slider"""
    t, psi, eta, w, rate = y[0], y[1], y[2:4], y[4], y[5:7]
    c, s, th = np.cos(psi), np.sin(psi), SPEED * t
    R, dR = np.array([[c, -s], [s, c]]), np.array([[-s, -c], [c, -s]])
    drawn = SHORT @ eta
    d = np.stack([X + 0.5 * drawn @ eta, SHAPE @ eta], 1)
    d_dot = np.stack([drawn @ rate, SHAPE @ rate], 1)
    left = np.stack([(SHORT @ rate) @ rate, 0 * X], 1)
    J = np.empty((len(X), 2, 3))
    J[:, :, 0] = d @ dR.T
    for i in range(2):
        J[:, :, 1 + i] = np.stack([drawn[:, i], SHAPE[:, i]], 1) @ R.T
    pin = CRANK * np.array([np.cos(th), np.sin(th)])
    rest = -SPEED**2 * pin - w * w * d @ R.T + 2 * w * d_dot @ dR.T + left @ R.T
    A, b = np.zeros((4, 4)), np.zeros(4)
    A[:3, :3] = np.einsum("pai,pa,paj->ij", J, HELD, J)
    A[:3, 3], A[3, :3] = -J[-1, 1], J[-1, 1]
    b[:3] = -np.einsum("pai,pa,pa->i", J, HELD, rest)
    b[1:3] -= STIFFNESS * eta
    b[3] = -rest[-1, 1]
    x = np.linalg.solve(A, b)
    return x[:3], x[3], (pin + R @ d[-1])[0]


def rates(y):
    return np.concatenate([[1], y[4:], solve(y)[0]])


def close(y):
    """back onto the rail"""
    y, th = y.copy(), SPEED * y[0]
    long, grows = ROD + 0.5 * y[2:4] @ SHORT[-1] @ y[2:4], y[2:4] @ SHORT[-1] @ y[5:7]
    y[1] = np.arcsin(-CRANK * np.sin(th) / long)
    y[4] = (-CRANK * np.cos(th) * SPEED - grows * np.sin(y[1])) / (long * np.cos(y[1]))
    return y


def main():
    for h in (1e-4, 5e-5):
        print("h =", h)
        y = close(np.zeros(7))
        for end in (0.01, 0.02, 0.05, 0.08, 0.1):
            start, count = y[0], round((end - y[0]) / h)
            for i in range(count):
                y = close(step(rates, y, (end - start) / count))
                y[0] = start + (end - start) * (i + 1) / count
            force, x = solve(y)[1:]
            numbers = (y[1] - SPEED * end, *y[2:4], x, y[4] - SPEED, *y[5:7], force)
            print("    {%g, %s}," % (end, ", ".join("%.13g" % v for v in numbers)))


main()
