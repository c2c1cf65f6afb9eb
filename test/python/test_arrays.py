# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""What arrays may be, and what is said of those that may not."""

import gc
import unittest

import numpy as np

import limber
from support import chain, pendulum, states


class OneState(unittest.TestCase):
    def setUp(self):
        self.model = chain(4)
        self.data = self.model.data()
        self.q, self.v, self.tau = (rows[0] for rows in states(self.model, 1))
        self.expected = self.data.forward(self.q, self.v, self.tau)

    def test_whatever_holds_the_same_numbers_gives_the_same_bits(self):
        read_only = self.q.copy()
        read_only.flags.writeable = False
        for q in (list(self.q), tuple(self.q), np.repeat(self.q, 2)[::2], self.q[::-1].copy()[::-1], read_only,
                  self.q.astype(">f8"), limber.Coordinates(self.q, self.model.q_index), memoryview(self.q)):
            np.testing.assert_array_equal(self.data.forward(q, self.v, self.tau), self.expected)

    def test_other_kinds_of_numbers_are_converted(self):
        whole = self.data.forward(np.array([1, 2, 3, 4]), self.v)
        np.testing.assert_array_equal(whole, self.data.forward(np.array([1.0, 2, 3, 4]), self.v))
        single = self.data.inverse(self.q.astype(np.float32), self.v)
        np.testing.assert_array_equal(single, self.data.inverse(self.q.astype(np.float32).astype(float), self.v))

    def test_wrong_shapes_get_a_sentence(self):
        with self.assertRaisesRegex(ValueError, r"q has shape \(3,\), expected \(4,\)"):
            self.data.forward(self.q[:3], self.v, self.tau)
        with self.assertRaisesRegex(ValueError, r"v has shape \(5,\), expected \(4,\)"):
            self.data.inverse(self.q, np.zeros(5))
        with self.assertRaisesRegex(ValueError, r"tau has shape \(1, 4\), expected \(4,\)"):
            self.data.forward(self.q, self.v, self.tau[None])
        with self.assertRaisesRegex(ValueError, r"q has shape \(\), expected \(4,\)"):
            self.data.kinematics(0.0)

    def test_wrong_types_get_a_sentence(self):
        with self.assertRaisesRegex(TypeError, "q must hold real numbers, not complex128"):
            self.data.forward(self.q + 1j, self.v)
        with self.assertRaisesRegex(TypeError, "v must hold real numbers"):
            self.data.forward(self.q, "abc")

    def test_numbers_that_are_not_finite_are_named(self):
        with self.assertRaisesRegex(limber.Error, r"v\[2\] is not finite") as caught:
            self.data.forward(self.q, [0, 0, np.nan, 0])
        self.assertEqual(caught.exception.status, "number")

    def test_out_receives_the_result(self):
        out = np.zeros(4)
        self.assertIs(self.data.forward(self.q, self.v, self.tau, out=out), out)
        np.testing.assert_array_equal(out, self.expected)
        self.assertIs(self.data.inverse(list(self.q), self.v, out=out), out)
        matrix = np.zeros((4, 4))
        self.assertIs(self.data.mass_matrix(self.q, out=matrix), matrix)
        np.testing.assert_allclose(matrix @ self.data.mass_matrix_inverse(self.q), np.eye(4), atol=1e-12)

    def test_a_wrong_out_gets_a_sentence(self):
        with self.assertRaisesRegex(ValueError, r"out has shape \(3,\), expected \(4,\)"):
            self.data.forward(self.q, self.v, out=np.zeros(3))
        with self.assertRaisesRegex(TypeError, "out must hold float64, not int64"):
            self.data.forward(self.q, self.v, out=np.zeros(4, int))
        with self.assertRaisesRegex(TypeError, "out must be a NumPy array, not list"):
            self.data.forward(self.q, self.v, out=[0.0] * 4)
        with self.assertRaisesRegex(ValueError, "out is not contiguous"):
            self.data.mass_matrix(self.q, out=np.zeros((4, 8))[:, ::2])
        fixed = np.zeros(4)
        fixed.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "out is read-only"):
            self.data.forward(self.q, self.v, out=fixed)

    def test_results_are_new_arrays(self):
        first = self.data.forward(self.q, self.v, self.tau)
        self.data.forward(2 * self.q, self.v, self.tau)
        np.testing.assert_array_equal(first, self.expected)


class OutOfRange(unittest.TestCase):
    def test_a_singular_inertia_is_named(self):
        model = limber.build({"bodies": [{"name": "a", "hinge": {"type": "revolute", "axis": [0, 0, 1]}, "mass": 0}]})
        with self.assertRaisesRegex(limber.Error, "singular at body 'a', speed 0") as caught:
            model.data().forward([0.0], [0.0])
        self.assertEqual(caught.exception.status, "singular")

    def test_an_indefinite_inertia_draws_a_warning(self):
        # as in test/failure/test_flexible_data.c: rotary inertia beyond the range of the second order
        node = {"name": "n", "mass": 0, "inertia": [1.0, 0.1, 0.95, 0, 0, 0], "shape": [[0, 0, 1, 0, 0, 0]]}
        model = limber.build({"bodies": [{
            "name": "body", "hinge": {"type": "universal", "axes": [[1, 0, 0], [0, 1, 0]]},
            "flex": {"nodes": [node], "stiffness": [1.0]}}]})
        data, v, given = model.data(), [0.5, -0.2, 0.3], [1.0, 2, 3]
        data.forward([0.1, 0.3, 0.2], v, given)
        with self.assertWarnsRegex(limber.LimberWarning, "an inertia is indefinite"):
            a = data.forward([2.0, 0.3, 0.2], v, given)
        np.testing.assert_allclose(data.inverse([2.0, 0.3, 0.2], v, a), given, rtol=1e-12)


class WithoutState(unittest.TestCase):
    def test_what_needs_a_state_says_so(self):
        data = pendulum().data()
        for function in (data.energy, data.momentum, data.reactions, lambda: data.motion("lower/tip"),
                         lambda: data.jacobian("lower/tip")):
            with self.assertRaisesRegex(limber.Error, "has not been computed") as caught:
                function()
            self.assertEqual(caught.exception.status, "stage")


class Lives(unittest.TestCase):
    def test_what_is_made_of_a_model_keeps_it(self):
        data, operator = pendulum().data(), pendulum().operator("H Phi M Phi* H*")
        simulation, bodies = pendulum().simulation(), pendulum().bodies
        gc.collect()
        np.testing.assert_allclose(data.mass_matrix([0.0, 0.0]), operator.form(), rtol=1e-12)
        self.assertEqual(simulation.run(0.1).t[-1], 0.1)
        self.assertEqual(bodies["lower"].nodes["tip"].index, 1)

    def test_arrays_outlive_what_made_them(self):
        results = pendulum().simulation().run(0.1)
        angle = results["upper.angle"]
        kept = angle.copy()
        del results
        gc.collect()
        np.testing.assert_array_equal(angle, kept)
