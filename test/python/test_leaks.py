# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Nothing is left behind by what is made and dropped.

LIMBER_LEAK_COUNT=1000000 run.py test_leaks makes as many of the smaller things; it takes minutes.
"""

import gc
import os
import unittest

import numpy as np

import limber
from support import chain, pendulum

COUNT = int(os.environ.get("LIMBER_LEAK_COUNT", 2000))


def get_memory():
    """Bytes that the process holds."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@unittest.skipUnless(os.path.exists("/proc/self/statm"), "no /proc/self/statm")
class Leaks(unittest.TestCase):
    def check(self, make, count):
        """Memory stays where it is after the first fifth; a leak of 200 bytes per turn, or 2 MiB in all, is seen."""
        count = max(count, 20)
        for _ in range(max(count // 5, 10)):
            make()
        gc.collect()
        before = get_memory()
        for _ in range(count):
            make()
        gc.collect()
        self.assertLess(get_memory() - before, max(200 * count, 2 << 20))

    def test_models(self):
        text = pendulum().document("json")
        self.check(lambda: limber.loads(text, format="json"), COUNT)

    def test_refused_models(self):
        def refuse():
            with self.assertRaises(limber.Error):
                limber.loads("limber: 1\nbodies: [{name: a}]")
        self.check(refuse, COUNT)

    def test_workspaces(self):
        model = pendulum()
        q = np.zeros(2)

        def use():
            data = model.data()
            data.forward(q, q)
            data.forward_derivatives(q, q)
            model.data(algorithm="divide-and-conquer").forward(q, q)
        self.check(use, COUNT)

    def test_batches(self):
        model = chain(3)
        rows = np.zeros((64, 3))
        self.check(lambda: model.data().forward(rows, rows), COUNT)

    def test_operators(self):
        model = pendulum()
        self.check(lambda: model.operator("H Phi M Phi* H*") @ np.ones(2), COUNT)

    def test_simulations(self):
        model = pendulum()

        def run():
            simulation = model.simulation()
            # a function that refers to the simulation: a cycle
            simulation.add_force("f", lambda sample: 0 * sample.v * len(simulation.model.bodies))
            simulation.run(0.04, 0.02)
        self.check(run, COUNT // 20)

    def test_linear_models(self):
        model = pendulum()
        self.check(lambda: model.simulation().linearize(["upper.motor"], ["upper.angle"]), COUNT // 20)
