# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Structures from files and from arrays."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

import limber
from support import ROOT

CALCULIX = ROOT / "test" / "data" / "fe" / "calculix"
PANEL = [CALCULIX / f"panel.{ending}" for ending in ("sti", "mas", "dof", "inp")]
MILLIMETRES = (1e-3, 1e3, 1)


def grid(n):
    """A block of springs between all pairs of the corners of n cubes in a row, which hold it in all directions."""
    places = np.array([[i, j, k] for i in range(n + 1) for j in (0, 1) for k in (0, 1)], float)
    K = np.zeros((3 * len(places),) * 2)
    for a in range(len(places)):
        for b in range(a):
            apart = places[a] - places[b]
            size = np.linalg.norm(apart)
            if size < 1.8:
                spring = 1e5 * np.outer(apart, apart) / size**3
                for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
                    K[3 * i:3 * i + 3, 3 * j:3 * j + 3] += sign * spring
    M = np.kron(np.diag(np.linspace(1, 2, len(places))), np.eye(3))
    rows = [(10 + i, direction) for i in range(len(places)) for direction in "xyz"]
    return K, M, rows, {10 + i: place for i, place in enumerate(places)}


class Files(unittest.TestCase):
    def test_a_panel_has_the_frequencies_of_calculix(self):
        structure = limber.import_structure(*PANEL, units=MILLIMETRES, clamp=[9001], modes=3, nodes={"root": 9001})
        # (rad/s)^2 as CalculiX printed them, with seven digits: test/data/fe/calculix/README.md
        eigenvalues = np.array([0.7849910e3, 0.2102027e5, 0.3083183e5])
        np.testing.assert_allclose(structure.summary["frequencies"], np.sqrt(eigenvalues) / (2 * np.pi), rtol=2e-7)
        self.assertAlmostEqual(structure.summary["mass"], 4.8, 9)
        self.assertIn("Nodes for models: root", repr(structure))

    def test_a_saved_body_flies(self):
        structure = limber.import_structure(*PANEL, units=MILLIMETRES, clamp=[9001], modes=2,
                                            nodes={"root": 9001, "tip": ("average", "1..40")})
        with tempfile.TemporaryDirectory() as folder:
            structure.save(Path(folder) / "panel.flex")
            model = limber.build({"bodies": [{"name": "panel", "hinge": {"type": "free"},
                                              "flex": {"file": "panel.flex"}}]}, name=f"{folder}/model.json")
            s = model.simulation()
            s.set_value("panel.eta.0", 0.01)
            s.set_value("panel.v.1", 0.3)
            r = s.run(1.0, integrator="erk", relative_tolerance=1e-10)
        self.assertLess(abs(r.audit["energy_error"]), 1e-8 * r.audit["energy_scale"])
        self.assertIn("tip", model.bodies["panel"].nodes.names)

    def test_an_import_can_be_stopped_and_an_exception_passes_through(self):
        with self.assertRaises(limber.Error) as caught:
            limber.import_structure(*PANEL, units=MILLIMETRES, progress=lambda step, share: True)
        self.assertEqual(caught.exception.status, "callback")

        def fail(step, share):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            limber.import_structure(*PANEL, units=MILLIMETRES, progress=fail)

    def test_what_is_wrong_is_said(self):
        with self.assertRaises(limber.Error) as caught:
            limber.import_structure(PANEL[0], "missing.mas")
        self.assertIn("missing.mas", str(caught.exception))
        with self.assertRaisesRegex(KeyError, "no tie 'firm'"):
            limber.import_structure(*PANEL, units=MILLIMETRES, nodes={"tip": ("firm", "1..3")})
        with self.assertRaisesRegex(KeyError, "'weight'"):
            limber.import_structure(PANEL[0], roles=["weight"])
        with self.assertRaisesRegex(ValueError, "2 roles for 1 files"):
            limber.import_structure(PANEL[0], roles=["mass", "mass"])
        with self.assertRaisesRegex(ValueError, "3 numbers"):
            limber.import_structure(*PANEL, nodes={"tip": ("rigid", "1..3", [1, 2])})


class Matrices(unittest.TestCase):
    def test_frequencies_are_those_of_the_matrices(self):
        for size in (1.0, 1e-6):  # a bridge and a dust grain of the same shape
            K, M, rows, places = grid(2)
            structure = limber.import_matrices(K, M, rows, places, units=(size, size**3, 1), modes=5, nodes={"corner": 10})
            scaled = np.linalg.eigvalsh(K / np.sqrt(np.outer(np.diag(M), np.diag(M))))
            # six rigid motions come first
            np.testing.assert_allclose(structure.summary["frequencies"], np.sqrt(scaled[6:11]) / (2 * np.pi), rtol=1e-9)
            self.assertAlmostEqual(structure.summary["mass"] / size**3, np.diag(M).sum() / 3, 9)

    def test_sparse_matrices_give_the_same(self):
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            self.skipTest("no SciPy")
        K, M, rows, places = grid(1)
        one = limber.import_matrices(K, M, rows, places, nodes={"corner": 10})
        two = limber.import_matrices(csr_matrix(K), csr_matrix(M), rows, places, nodes={"corner": 10})
        self.assertEqual(one.summary["frequencies"], two.summary["frequencies"])

    def test_wrong_arrays_are_refused(self):
        K, M, rows, places = grid(1)
        with self.assertRaisesRegex(ValueError, "mass has shape"):
            limber.import_matrices(K, M[1:], rows, places)
        with self.assertRaisesRegex(ValueError, "not finite"):
            limber.import_matrices(K * np.nan, M, rows, places)
        with self.assertRaisesRegex(KeyError, "'up'"):
            limber.import_matrices(K, M, [(node, "up") for node, _ in rows], places)


class Margins(unittest.TestCase):
    def test_the_loop_swings_at_its_gain_margin(self):
        period, kp, kd = 0.05, 20.0, 6.0
        margins = limber.build({
            "bodies": [{"name": "cart", "hinge": {"type": "prismatic", "axis": [1, 0, 0]}, "mass": 1.0}],
            "forces": [{"name": "motor", "type": "actuator", "hinge": "cart"}],
            "controllers": [{"name": "servo", "rate": 1 / period, "actuators": [{"actuator": "motor", "desired": 0}],
                             "law": {"type": "pid", "kp": kp, "kd": kd}}]}).simulation().margins()
        self.assertEqual([(one.feedback, one.closed, one.stable) for one in margins], [("servo.motor", True, True)])
        # a cart from sample to sample under a force that is held in between
        A, B = np.array([[1, period], [0, 1]]), np.array([[period**2 / 2], [period]])
        feedback = margins[0].gain_up * B @ np.array([[kp, kd]])
        self.assertAlmostEqual(abs(np.linalg.eigvals(A - feedback)).max(), 1.0, 9)
        self.assertEqual(margins[0].gain_down, 0.0)


if __name__ == "__main__":
    unittest.main()
