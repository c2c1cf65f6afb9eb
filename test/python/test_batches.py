# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Many states at once."""

import unittest

import numpy as np

import limber
from support import EXAMPLES, chain, states


class Batches(unittest.TestCase):
    def setUp(self):
        self.model = chain(5)
        self.data = self.model.data()
        self.q, self.v, self.tau = states(self.model, 60)

    def test_a_batch_is_its_states_one_by_one(self):
        # 1e-12: lanes round in another order
        a = self.data.forward(self.q, self.v, self.tau)
        tau = self.data.inverse(self.q, self.v, a)
        mass = self.data.mass_matrix(self.q)
        for i in range(len(self.q)):
            np.testing.assert_allclose(a[i], self.data.forward(self.q[i], self.v[i], self.tau[i]), rtol=1e-11)
            np.testing.assert_allclose(mass[i], self.data.mass_matrix(self.q[i]), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(tau, self.tau, atol=1e-11)
        bias = self.data.bias(self.q, self.v)
        np.testing.assert_allclose(bias, tau - np.einsum("sij,sj->si", mass, a), atol=1e-10)

    def test_any_leading_axes_will_do(self):
        flat = self.data.forward(self.q, self.v)
        shaped = self.data.forward(self.q.reshape(3, 4, 5, 5), self.v.reshape(3, 4, 5, 5))
        self.assertEqual(shaped.shape, (3, 4, 5, 5))
        np.testing.assert_array_equal(shaped.reshape(60, 5), flat)
        self.assertEqual(self.data.mass_matrix(self.q.reshape(6, 10, 5)).shape, (6, 10, 5, 5))
        self.assertEqual(self.data.forward(np.empty((0, 5)), np.empty((0, 5))).shape, (0, 5))

    def test_the_number_of_threads_changes_no_bit(self):
        q, v, tau = states(self.model, 12345)
        one = self.model.data(threads=1).forward(q, v, tau)
        for threads in (2, 3, 5):
            np.testing.assert_array_equal(self.model.data(threads=threads).forward(q, v, tau), one)

    def test_results_go_where_they_are_wanted(self):
        out = np.empty_like(self.v)
        self.assertIs(self.data.forward(self.q, self.v, self.tau, out=out), out)
        np.testing.assert_array_equal(out, self.data.forward(self.q, self.v, self.tau))
        with self.assertRaisesRegex(ValueError, "out overlaps an input"):
            self.data.forward(self.q, self.v, self.tau, out=self.tau)

    def test_wrong_batches_get_a_sentence(self):
        with self.assertRaisesRegex(ValueError, r"v has shape \(59, 5\), expected \(60, 5\)"):
            self.data.forward(self.q, self.v[:-1])
        with self.assertRaisesRegex(ValueError, "q is not contiguous in memory: use np.ascontiguousarray"):
            self.data.forward(np.asfortranarray(self.q), self.v)
        with self.assertRaisesRegex(TypeError, "q must hold float64, not float32: use q.astype"):
            self.data.forward(self.q.astype(np.float32), self.v)
        with self.assertRaisesRegex(TypeError, "q must be a NumPy array, not list"):
            self.data.forward(self.q.tolist(), self.v)

    def test_the_state_that_fails_is_named_and_the_others_are_computed(self):
        q, out = self.q.copy(), np.empty_like(self.v)
        q[41, 3] = np.inf
        with self.assertRaisesRegex(limber.Error, r"state 41: q\[3\] is not finite"):
            self.data.forward(q, self.v, self.tau, out=out)
        expected = self.data.forward(self.q, self.v, self.tau)
        expected[41] = np.nan
        np.testing.assert_array_equal(out, expected)

    def test_flexible_models_have_batches_too(self):
        model = limber.load(EXAMPLES / "satellite.yaml")
        q = np.broadcast_to(model.neutral(), (20, model.q_count)).copy()
        v = np.random.default_rng(2).uniform(-0.1, 0.1, (20, model.v_count))
        a, data = model.data().forward(q, v), model.data()
        for i in range(20):
            np.testing.assert_allclose(a[i], data.forward(q[i], v[i]), rtol=1e-9, atol=1e-9)

    def test_what_reads_the_last_state_refuses_after_a_batch(self):
        model = chain(4)
        data = model.data()
        q, v, tau = states(model, 20)
        readers = (lambda: data.motion("link3/tip"), lambda: data.pose("link3/tip"), lambda: data.jacobian("link3/tip"),
                   lambda: data.admittance("link3/tip"), data.energy, data.momentum, data.reactions)
        for many in (lambda: data.forward(q, v, tau), lambda: data.inverse(q, v), lambda: data.mass_matrix(q)):
            data.forward(q[0], v[0], tau[0])
            for read in readers:
                read()
            many()
            for read in readers:
                with self.assertRaisesRegex(limber.Error, "the last call computed many states"):
                    read()
        data.kinematics(q[1], v[1])
        alone = model.data()
        alone.kinematics(q[1], v[1])
        np.testing.assert_array_equal(data.motion("link3/tip").position, alone.motion("link3/tip").position)


class Operators(unittest.TestCase):
    def test_products_equal_the_matrix(self):
        model = limber.load(EXAMPLES / "satellite.yaml")
        data, q = model.data(), model.neutral()
        for expression in ("H Phi M Phi* H*", "(I - H Psi K)* D^-1 (I - H Psi K)", "Phi* H*"):
            operator = model.operator(expression, q)
            dense, x = operator.form(), np.arange(1.0, 1 + operator.shape[1])
            np.testing.assert_allclose(operator @ x, dense @ x, rtol=1e-10, atol=1e-10)
            y = np.ones(operator.shape[0])
            np.testing.assert_allclose(operator.T @ y, dense.T @ y, rtol=1e-10, atol=1e-10)
        mass = model.operator("H Phi M Phi* H*", q)
        np.testing.assert_allclose(mass @ np.eye(model.v_count), data.mass_matrix(q), atol=1e-10)

    def test_scipy_solves_with_them(self):
        try:
            from scipy.sparse.linalg import LinearOperator, cg
        except ImportError:
            self.skipTest("no SciPy")
        model = chain(8)
        q, _, tau = (rows[0] for rows in states(model, 1))
        operator = model.operator("H Phi M Phi* H*", q)
        self.assertIsInstance(operator, LinearOperator)
        x, info = cg(operator, tau, atol=1e-12)
        self.assertEqual(info, 0)
        np.testing.assert_allclose(model.data().mass_matrix(q) @ x, tau, atol=1e-4)

    def test_an_operator_moves(self):
        model = chain(3)
        operator = model.operator("H Phi M Phi* H*")
        operator.move([0.1, 0.2, 0.3])
        np.testing.assert_allclose(operator.form(), model.data().mass_matrix([0.1, 0.2, 0.3]), atol=1e-13)

    def test_a_wrong_expression_gets_its_column(self):
        with self.assertRaises(limber.Error) as caught:
            chain(2).operator("H Phi Q")
        self.assertEqual(caught.exception.column, 7)
