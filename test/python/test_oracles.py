# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""The oracles of the C tests again, through Python: one test per case, state and quantity."""

import json
import unittest

import numpy as np

import limber
from support import ORACLES, ROBOTS

TOLERANCE = 1e-9  # what the project promises; see test/reference/test_oracle.c


class Case:
    """One state of a file."""

    def __init__(self, path, state):
        document = json.loads(path.read_text())
        self.model = limber.build(document["model"])
        self.data = self.model.data()
        self.state = document["states"][state]
        if "node" in self.state:
            self.node = "{body}/{node}".format(**self.state["node"]["at"])
        self.q, self.v, self.tau = (np.array(self.state[key]) for key in ("q", "v", "tau"))

    def forward(self):
        return self.data.forward(self.q, self.v, self.tau)


def check_forward(test, case):
    test.near(case.forward(), case.state["qdd"])


def check_energy(test, case):
    case.data.kinematics(case.q, case.v)
    kinetic, potential = case.data.energy()
    test.near(kinetic, case.state["kinetic"])
    test.near(potential, case.state["potential"])


def check_motion(test, case):
    case.forward()
    node = case.state["node"]
    motion = case.data.motion(case.node)
    test.near(motion.position, node["position"])
    test.near(abs(motion.rotation @ node["rotation"]), 1.0)  # q and -q are one rotation
    test.near(motion.velocity, node["velocity"])
    test.near(motion.acceleration, node["acceleration"])


def check_jacobian(test, case):
    case.data.kinematics(case.q, case.v)
    test.near(case.data.jacobian(case.node), case.state["node"]["jacobian"])


def check_admittance(test, case):
    case.forward()
    test.near(case.data.admittance(case.node), case.state["node"]["admittance"])


def check_inverse(test, case):
    test.near(case.data.inverse(case.q, case.v, np.array(case.state["a"])), case.state["inverse"])


def check_bias(test, case):
    test.near(case.data.bias(case.q, case.v), case.state["bias"])


def check_mass(test, case):
    test.near(case.data.mass_matrix(case.q), case.state["mass"])


def check_operator(test, case):
    test.near(case.model.operator("H Phi M Phi* H*", case.q).form(), case.state["mass"])


def check_divided(test, case):
    test.near(case.model.data(algorithm="divide-and-conquer").forward(case.q, case.v, case.tau), case.state["qdd"])


def check_derivatives(test, case):
    found = case.data.forward_derivatives(case.q, case.v, case.tau)
    test.near(found.a, case.state["qdd"])
    test.near(found.dtau @ np.array(case.state["mass"]), np.eye(case.model.v_count))


def check_hybrid(test, case):
    hybrid, a = case.state["hybrid"], case.model.speeds()
    for body, values in hybrid["prescribed"].items():
        a[case.model.bodies[body].v_hinge] = values
    found, tau = case.data.hybrid(case.q, case.v, hybrid["prescribed"], a, case.tau)
    test.near(found, hybrid["qdd"])
    for body, values in hybrid["drive"].items():
        test.near(tau[case.model.bodies[body].v_hinge], values)


def check_loops(test, case):
    position, velocity = case.data.loop_errors(case.q, case.v)
    test.assertLess(max(abs(position).max(), abs(velocity).max()), 1e-9)  # the files close to about 1e-12


CHECKS = {"forward": (check_forward, "qdd"), "energy": (check_energy, "kinetic"), "motion": (check_motion, "node"),
          "jacobian": (check_jacobian, "node"), "admittance": (check_admittance, "admittance"),
          "inverse": (check_inverse, "inverse"), "bias": (check_bias, "bias"), "mass": (check_mass, "mass"),
          "operator": (check_operator, "mass"), "divided": (check_divided, "mass"),
          "derivatives": (check_derivatives, "mass"), "hybrid": (check_hybrid, "hybrid")}


class Oracles(unittest.TestCase):
    def near(self, found, expected):
        found, expected = np.asarray(found, float), np.asarray(expected, float)
        self.assertEqual(found.shape, expected.shape)
        error = abs(found - expected).max() / max(abs(expected).max(), 1e-300)
        self.assertLess(error, TOLERANCE)


def add_cases():
    cases = {}

    def make(path, number, check):
        def test(self):
            if (path, number) not in cases:
                cases.clear()  # names are sorted, so that cases come one after the other
                cases[path, number] = Case(path, number)
            check(self, cases[path, number])
        return test

    for path in sorted(ORACLES.glob("*.json")):
        for number, state in enumerate(json.loads(path.read_text())["states"]):
            for name, (check, key) in CHECKS.items():
                if key in state or key in state.get("node", {}):
                    setattr(Oracles, f"test_{path.stem}_{number}_{name}", make(path, number, check))
            if path.stem.startswith("loop_"):
                setattr(Oracles, f"test_{path.stem}_{number}_loops", make(path, number, check_loops))


add_cases()


class Robots(unittest.TestCase):
    def test_robots_on_a_fixed_base_move_as_another_engine_says(self):
        if not ROBOTS.is_dir():
            self.skipTest(f"no robots in {ROBOTS}")
        for name in ("panda", "ur5"):
            oracle = json.loads((ROBOTS / f"{name}.json").read_text())
            model = limber.load(ROBOTS / f"{name}.urdf")
            data = model.data()
            for sample in oracle["samples"]:
                q, v = np.array(sample["q"]), np.array(sample["v"])
                for found, key in ((data.forward(q, v, np.array(sample["tau"])), "qdd"),
                                   (data.inverse(q, v, np.array(sample["a_in"])), "rnea"),
                                   (data.bias(q, v), "nle"), (data.mass_matrix(q), "M")):
                    expected = np.array(sample[key])
                    # 1e-10: as in test/reference/test_urdf_oracle.c
                    self.assertLess(abs(found - expected).max(), 1e-10 * abs(expected).max(), (name, key))
