#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# The spatial slider-crank by a road of its own: one angle th, that of the crank,
#
#     m(th) th'' + m'(th) th'^2 / 2 + V'(th) = 0
#
# with everything else as functions of th: the slider from the length of the rod, the turn al of the cross about the rail
# from p(al) n = 0 (n along the rod, p the pin that the rod turns about). Derivatives by complex steps. Then the forces,
# out of the equations of Newton and Euler for rod and slider. What is printed went into
# test/support/sim/published_mechanisms.c. Needs numpy; takes some minutes.
import numpy as np

from extrapolate import step

CRANK, ROD, Y, Z, G = 0.08, 0.3, 0.1, 0.12, 9.81
I_CRANK, M_ROD, I_ALONG, I_ACROSS, M_SLIDER = 1e-4, 0.5, 4e-4, 4e-3, 2.0
START = 6.0

N0 = np.array([2.0, -1.0, -2.0]) / 3
P0 = np.array([-2.0, 6.0, -5.0]) / 65**0.5  # across the rod and, at the start, across the way from the origin to the crank
EX = np.array([1.0, 0, 0])


def turn_cross(n):
    al = 0.0
    for _ in range(60):
        c, s = np.cos(al), np.sin(al)
        y, z = c * P0[1] - s * P0[2], s * P0[1] + c * P0[2]
        change = (P0[0] * n[0] + y * n[1] + z * n[2]) / (-z * n[1] + y * n[2])
        al = al - change
        if abs(change) < 1e-17:
            break
    return al


def move(th):
    """place and, per unit of th', speed of everything"""
    c, s, o = np.cos(th), np.sin(th), 0 * th
    B, dB = np.array([o, Y - CRANK * s, Z + CRANK * c]), np.array([o, -CRANK * c, -CRANK * s])
    x = np.sqrt(ROD**2 - B[1]**2 - B[2]**2)
    dx = -(B[1] * dB[1] + B[2] * dB[2]) / x
    C, dC = np.array([x, o, o]), np.array([dx, o, o])
    n, dn = (C - B) / ROD, (dC - dB) / ROD
    al = turn_cross(n)
    ca, sa = np.cos(al), np.sin(al)
    p = np.array([P0[0] + o, ca * P0[1] - sa * P0[2], sa * P0[1] + ca * P0[2]])
    d_al = -(p @ dn) / (np.cross(EX, p) @ n)
    d_be = (dn - d_al * np.cross(EX, n)) @ np.cross(p, n)
    return B, C, n, p, dB, dC, d_al * EX + d_be * p


def inertia(th):
    B, C, n, p, dB, dC, w = move(th)
    v = 0.5 * (dB + dC)
    return I_CRANK + M_ROD * (v @ v) + I_ACROSS * (w @ w) - (I_ACROSS - I_ALONG) * (w @ n)**2 + M_SLIDER * (dC @ dC)


def rates(y):
    th, v = y
    m = inertia(th + 1e-30j)
    return np.array([v, -(0.5 * m.imag / 1e-30 * v * v - M_ROD * G * 0.5 * CRANK * np.sin(th)) / m.real])


def forces(th, v):
    """on the rod: of the ball at B, world axes"""
    B, C, n, p, dB, dC, w = move(th)
    shifted = move(th + 1e-30j)
    a = rates(np.array([th, v]))[1]
    speed_up = lambda now, then: now * a + then.imag / 1e-30 * v * v
    a_G = speed_up(0.5 * (dB + dC), 0.5 * (shifted[4] + shifted[5]))
    a_x = speed_up(dC, shifted[5])[0]
    w_dot, w = speed_up(w, shifted[6]), w * v
    I = I_ACROSS * np.eye(3) - (I_ACROSS - I_ALONG) * np.outer(n, n)
    # unknown: force at B, force and the one moment that the cross hands over at C
    arm = lambda r: np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    A, b = np.zeros((7, 7)), np.zeros(7)
    A[0:3, 0:3] = A[0:3, 3:6] = np.eye(3)
    b[0:3] = M_ROD * (a_G + np.array([0, 0, G]))
    A[3:6, 0:3], A[3:6, 3:6], A[3:6, 6] = arm(-0.5 * ROD * n), arm(0.5 * ROD * n), np.cross(EX, p)
    b[3:6] = I @ w_dot + np.cross(w, I @ w)
    A[6, 3], b[6] = 1, -M_SLIDER * a_x
    return np.linalg.solve(A, b)[0:3]


def turn_to_quaternion(R):
    w = 0.5 * np.sqrt(1 + np.trace(R))
    return np.array([w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w))])


def sum_up(th):
    """the number that Exudyn's test prints: coordinates of crank and rod, their signs taken off"""
    B, C, n, p = move(th)[:4]
    turn = turn_to_quaternion(np.array([n, p, np.cross(n, p)]).T)
    return Y + Z + abs(np.cos(th / 2)) + abs(np.sin(th / 2)) + abs(0.5 * (B + C)).sum() + abs(turn).sum()


def main():
    for h in (0.0025, 0.00125):
        print("h =", h)
        y, t = np.array([0.0, START]), 0.0
        for end in (0.2, 0.5, 1, 2, 3, 5):
            count = round((end - t) / h)
            for _ in range(count):
                y = step(rates, y, (end - t) / count)
            t = end
            B, C, n, p, dB, dC, w = move(y[0])
            numbers = (*y, C[0], dC[0] * y[1], *(0.5 * (B + C)), *(w * y[1]), *forces(*y))
            print("    {%g, %s}," % (t, ", ".join("%.13g" % x for x in numbers)))
            if t == 0.2:
                print("    sum at 0.2 s: %.10f" % sum_up(y[0]))


main()
