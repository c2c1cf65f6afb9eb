#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# The spin-up beam of Kane, Ryan and Banerjee by a road of its own: Lagrange's equations of a planar
# beam in a frame that turns with a given speed, written out for the displacement field
#
#     x = x0 + S s - 1/2 eta' G eta,   y = P eta
#
# (S axial shapes, P bending shapes, G the integral of P'P'), fixed steps of Runge and Kutta. What is
# printed went into test/support/sim/published_flexible.c. Needs numpy; takes a minute or two.
#
#     spin_up.py          the whole field, as fidelity `consistent` has it
#     spin_up.py kane     linear in the coordinates, as Kane, Ryan and Banerjee have it
#     spin_up.py quartic  the whole field, and the bending energy to fourth order, 1/2 EI w''^2 (1 + w'^2)
import sys

import numpy as np

LENGTH, E, A, I, RHO = 10.0, 7e10, 4e-4, 2e-7, 3000.0
BENDING, AXIAL = 6, 4


def find_roots(count):
    roots = []
    for n in range(count):
        b = (n + 0.5) * np.pi if n else 1.875
        for _ in range(50):
            b -= (np.cos(b) + 1 / np.cosh(b)) / (-np.sin(b) - np.sinh(b) / np.cosh(b) ** 2)
        roots.append(b)
    return roots


def bend(b, x):
    """shape of a clamped-free beam, its slope and curvature"""
    k = (np.cosh(b) + np.cos(b)) / (np.sinh(b) + np.sin(b))
    z, g = b * x / LENGTH, b / LENGTH
    c, s, ch, sh = np.cos(z), np.sin(z), np.cosh(z), np.sinh(z)
    return ch - c - k * (sh - s), g * (sh + s - k * (ch - c)), g * g * (ch + c - k * (sh + s))


def main(kind):
    roots = find_roots(BENDING)
    node, weight = np.polynomial.legendre.leggauss(40)
    x0, w = (node + 1) * LENGTH / 2, weight * LENGTH / 2
    m = RHO * A * w
    P, slope, curvature = (np.array(part) for part in zip(*(bend(b, x0) for b in roots)))
    waves = [(2 * n + 1) * np.pi / 2 / LENGTH for n in range(AXIAL)]
    S = np.array([np.sin(k * x0) for k in waves])
    stretch = np.array([k * np.cos(k * x0) for k in waves])
    G = np.zeros((len(x0), BENDING, BENDING))
    for i, end in enumerate(x0):
        d = np.array([bend(b, (node + 1) * end / 2)[1] for b in roots])
        G[i] = (d * weight * end / 2) @ d.T
    bending_stiffness = E * I * (curvature * w) @ curvature.T
    axial_stiffness = E * A * (stretch * w) @ stretch.T
    tip = np.array([bend(b, LENGTH)[0] for b in roots])

    def accelerate(t, p, v):
        t = min(t, 15.0)
        omega = 0.4 * (t - 15 / (2 * np.pi) * np.sin(2 * np.pi * t / 15))
        omega_dot = 0.4 * (1 - np.cos(2 * np.pi * t / 15))
        eta, eta_dot, s, s_dot = p[:BENDING], v[:BENDING], p[BENDING:], v[BENDING:]
        Ge = np.einsum("irs,s->ir", G, eta)
        y, y_dot = eta @ P, eta_dot @ P
        zero = np.zeros((AXIAL, len(x0)))
        if kind == "kane":
            # x = x0 + s stays linear; the shortening enters as a stiffness under omega^2 x0
            X, x, x_dot = np.vstack([0 * P, S]).T, x0 + s @ S, s_dot @ S
            x_ddot = -omega**2 * x - omega_dot * y - 2 * omega * y_dot
            extra = np.einsum("i,ir->r", m * omega**2 * x0, Ge)
        else:
            X = np.vstack([-Ge.T, S]).T
            x = x0 + s @ S - 0.5 * Ge @ eta
            x_dot = X @ v
            x_ddot = (-np.einsum("irs,r,s->i", G, eta_dot, eta_dot) - omega_dot * y
                      - 2 * omega * y_dot - omega**2 * x)
            extra = np.zeros(BENDING)
        Y = np.vstack([P, zero]).T
        y_ddot = omega_dot * x + 2 * omega * x_dot - omega**2 * y
        F = -(X.T * m) @ x_ddot - (Y.T * m) @ y_ddot
        F[:BENDING] -= extra + bending_stiffness @ eta
        F[BENDING:] -= axial_stiffness @ s
        if kind == "quartic":
            w1, w2 = eta @ slope, eta @ curvature
            F[:BENDING] -= E * I * ((curvature * w) @ (w2 * w1**2) + (slope * w) @ (w2**2 * w1))
        return np.linalg.solve((X.T * m) @ X + (Y.T * m) @ Y, F)

    h, rows = 1e-4, [2.5, 5, 6, 6.5, 7, 7.5, 8, 9, 10, 12.5, 15, 20]
    p, v = np.zeros(BENDING + AXIAL), np.zeros(BENDING + AXIAL)
    least, when, before = 0.0, 0.0, [0.0, 0.0]
    for n in range(int(20 / h) + 1):
        t, lag = n * h, tip @ p[:BENDING]
        if before[1] < before[0] and before[1] < lag and before[1] < least:
            # the vertex of the parabola through three steps
            a, b = before[0] - 2 * before[1] + lag, (lag - before[0]) / 2
            least, when = before[1] - b * b / (2 * a), t - h - b / a * h
        before = [before[1], lag]
        if any(abs(t - row) < h / 2 for row in rows):
            print(f"    {{{t:g}, {lag!r}}},", flush=True)
        k1 = accelerate(t, p, v)
        k2 = accelerate(t + h / 2, p + h / 2 * v, v + h / 2 * k1)
        k3 = accelerate(t + h / 2, p + h / 2 * v + h * h / 4 * k1, v + h / 2 * k2)
        k4 = accelerate(t + h, p + h * v + h * h / 2 * k2, v + h * k3)
        p, v = p + h * v + h * h / 6 * (k1 + k2 + k3), v + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    print(f"largest lag {least!r} m at {when!r} s")


main(sys.argv[1] if len(sys.argv) > 1 else "whole")
