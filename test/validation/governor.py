#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# The fly-ball governor of the IFToMM library (A05) by a road of its own. Both arms do the same: what moves is their
# angle a below the level and the height s of the slider; the moment of momentum about the shaft,
# H = (J + 2 A(a)) w, is kept. With B an arm's inertia about its pin and d the length of a spring-damper,
#
#     B a'' = A'(a) w^2 / 2 + m g c cos a - F dd/da,   m_s s'' = -m_s g - 2 F dd/ds,   F = k (d - d0) + c d'
#
# and with rigid rods in their place s = 1 - 2 l sin a, and Lagrange's equation of a. What is printed went into
# test/support/sim/published_mechanisms.c. Needs numpy; takes a minute.
#
#     governor.py        spring-dampers
#     governor.py rods   rigid rods
import sys

import numpy as np

from extrapolate import step, stiff_step

G, REACH, OFFSET = 9.81, 0.5, 0.05  # pin to the middle of the arm; pins from the axis
ROD, BALL, SLIDER = 0.3, 5.0, 3.0
STIFFNESS, DAMPING, LENGTH = 8e5, 4e4, 0.5
SPIN = 2 * np.pi

MASS = ROD + BALL
CENTRE = (ROD * 0.5 + BALL) / MASS
ACROSS = ROD * (1 + 1e-4) / 12 + ROD * (CENTRE - 0.5) ** 2 + BALL * (1 - CENTRE) ** 2
ALONG = ROD * 2e-4 / 12
PIN = MASS * CENTRE**2 + ACROSS
SHAFT = ROD * 2e-4 / 12 + SLIDER * 0.01 / 6


def spin_inertia(a):
    """about the shaft, and its slope"""
    c, s, r = np.cos(a), np.sin(a), OFFSET + CENTRE * np.cos(a)
    one = MASS * r * r + ALONG * s * s + ACROSS * c * c
    return SHAFT + 2 * one, 2 * (-2 * MASS * r * CENTRE * s + 2 * (ALONG - ACROSS) * s * c)


MOMENTUM = spin_inertia(np.pi / 6)[0] * SPIN


def rates(y):
    """of a, s, a', s', turn of the shaft"""
    a, s, va, vs, _ = y
    spin, slope = spin_inertia(a)
    w = MOMENTUM / spin
    x, z = REACH * np.cos(a), 1 - REACH * np.sin(a) - s
    d = np.sqrt(x * x + z * z)
    da, ds = (-x * REACH * np.sin(a) - z * REACH * np.cos(a)) / d, -z / d
    force = STIFFNESS * (d - LENGTH) + DAMPING * (da * va + ds * vs)
    return np.array([va, vs, (0.25 * slope * w * w + MASS * G * CENTRE * np.cos(a) - force * da) / PIN,
                     -G - 2 * force * ds / SLIDER, w])


def rigid_rates(y):
    """of a, a', turn of the shaft"""
    a, v, _ = y
    spin, slope = spin_inertia(a)
    w, c, s = MOMENTUM / spin, np.cos(a), np.sin(a)
    inertia = 2 * PIN + SLIDER * (2 * REACH * c) ** 2
    weight = 2 * MASS * G * CENTRE * c + SLIDER * G * 2 * REACH * c
    return np.array([v, (0.5 * slope * w * w + 4 * SLIDER * REACH**2 * s * c * v * v + weight) / inertia, w])


def follow(times, h, rigid):
    # the first steps are short: the spring-dampers start without load
    y = np.array([np.pi / 6, 0, 0]) if rigid else np.array([np.pi / 6, 0.5, 0, 0, 0])
    t, now = 0.0, h if rigid else 1e-7
    for end in times:
        while t < end - 1e-12:
            length = min(now, end - t)
            y = step(rigid_rates, y, length) if rigid else stiff_step(rates, y, length)
            t += length
            now = min(h, 1.15 * now)
        yield end, y


def main():
    rigid = "rods" in sys.argv[1:]
    for h in (0.02, 0.01) if rigid else (2e-3, 1e-3):
        print("h =", h)
        for t, y in follow((0.5, 1, 2, 3, 5, 8, 10), h, rigid):
            if rigid:
                a, v, turn = y
                s, vs = 1 - 2 * REACH * np.sin(a), -2 * REACH * np.cos(a) * v
            else:
                a, s, v, vs, turn = y
            numbers = (a, s, turn, v, vs, MOMENTUM / spin_inertia(a)[0])
            print("    {%g, %s}," % (t, ", ".join("%.14g" % x for x in numbers)))


main()
