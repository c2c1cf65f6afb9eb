# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Batches on a graphics processor. Without one: that it is said, and what needs none."""

import unittest

import limber
import numpy as np
from limber import cuda
from support import ROOT

try:
    import cupy
except ImportError:
    cupy = None


def open_device():
    try:
        return cuda.Device()
    except limber.Error:
        return None


DEVICE = open_device()


class Lent:
    """An array of the host that claims to be on a device."""

    def __init__(self, shape, typestr="<f8", strides=None):
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "data": (4096, False), "version": 3,
                                         "strides": strides}


class Words(unittest.TestCase):
    def test_a_device_that_is_not_there_is_refused(self):
        with self.assertRaisesRegex(limber.Error, "no device|built without"):
            cuda.Device(index=1000)

    def test_arrays_of_the_host_are_refused(self):
        with self.assertRaisesRegex(TypeError, "q is a ndarray, expected an array on the device"):
            cuda._describe(np.zeros(3), "q")

    def test_arrays_that_do_not_lie_row_by_row_are_refused(self):
        self.assertEqual(cuda._describe(Lent((2, 3)), "q"), (4096, (2, 3), "<f8"))
        self.assertEqual(cuda._describe(Lent((2, 3), strides=(24, 8)), "q")[1], (2, 3))
        with self.assertRaisesRegex(ValueError, "q does not lie row by row"):
            cuda._describe(Lent((2, 3), strides=(8, 16)), "q")


@unittest.skipUnless(DEVICE, "no device")
class Batches(unittest.TestCase):
    def setUp(self):
        self.model = limber.load(ROOT / "examples" / "iiwa.yaml")
        self.count = 500
        random = np.random.default_rng(1)
        n = self.model.v_count
        self.q, self.v, self.tau = (random.uniform(-1, 1, (n, self.count)) for _ in range(3))
        self.batch = cuda.Batch(DEVICE, self.model, ("forward", "inverse", "mass", "step"))

    def test_answers_are_those_of_the_host(self):
        q, v, tau = (DEVICE.array(x) for x in (self.q, self.v, self.tau))
        a = self.batch.forward(q, v, tau)
        forces = self.batch.inverse(q, v, a)
        M = self.batch.mass_matrix(q).numpy()
        data = self.model.data()
        for i in range(0, self.count, 50):
            expected = data.forward(self.q[:, i], self.v[:, i], self.tau[:, i])
            np.testing.assert_allclose(a.numpy()[:, i], expected, rtol=0, atol=1e-12 * np.abs(expected).max())
            np.testing.assert_allclose(M[:, :, i], data.mass_matrix(self.q[:, i]), rtol=0, atol=1e-12)
        np.testing.assert_allclose(forces.numpy(), self.tau, rtol=0, atol=1e-11)
        self.batch.check()
        with self.assertRaisesRegex(ValueError, r"v has shape \(3, 4\), expected \(7, 500\)"):
            self.batch.forward(q, DEVICE.empty((3, 4)), tau)

    def test_a_state_that_fails_is_named(self):
        v = self.v.copy()
        v[2, 77] = np.nan
        a = self.batch.forward(DEVICE.array(self.q), DEVICE.array(v), DEVICE.array(self.tau))
        with self.assertRaisesRegex(limber.Error, "state 77"):
            self.batch.check()
        self.assertTrue(np.isnan(a.numpy()[:, 77]).all())
        self.batch.check()

    def test_simulations_move_in_place(self):
        q, v, tau = (DEVICE.array(x) for x in (self.q, self.v, self.tau))
        self.batch.simulate(q, v, tau, 1e-4, 10)
        self.assertLess(np.abs(q.numpy() - self.q - 1e-3 * self.v).max(), 1e-3)
        self.assertGreater(np.abs(q.numpy() - self.q).max(), 0)

    def test_simulations_have_forces_and_outputs(self):
        model = limber.load(ROOT / "examples" / "double_pendulum.yaml")
        simulation = model.simulation()
        simulation.add_output("upper.angle")
        batch = cuda.Batch(DEVICE, simulation, ("step", "step:euler", "step:alpha", "outputs"))
        q0, v0 = (np.array(x) for x in simulation.initial_state())
        for method in ("rk4", "euler", "alpha"):
            q, v = (DEVICE.array(np.repeat(x[:, None], 100, axis=1)) for x in (q0, v0))
            tau = DEVICE.array(np.zeros((model.v_count, 100)))
            batch.simulate(q, v, tau, 1e-3, 20, method=method)
            y = batch.outputs(0.02, q, v, tau).numpy()
            self.assertEqual(y.shape, (batch.output_count, 100))
            other = model.simulation()
            other.set_options(integrator=method, step=1e-3, duration=0.02, interval=0.02)
            run = other.run()
            np.testing.assert_allclose(q.numpy()[:, 7], run["q"][-1], rtol=0, atol=1e-8)
        batch.check()

    @unittest.skipUnless(cupy, "no CuPy")
    def test_arrays_of_cupy_go_in_and_out(self):
        q, v, tau = (cupy.asarray(x) for x in (self.q, self.v, self.tau))
        expected = self.batch.forward(*(DEVICE.array(x) for x in (self.q, self.v, self.tau))).numpy()
        out = cupy.full_like(v, np.nan)
        self.assertIs(self.batch.forward(q, v, tau, out=out), out)
        np.testing.assert_array_equal(cupy.asnumpy(out), expected)
        a = self.batch.forward(q, v, tau)
        np.testing.assert_array_equal(cupy.asnumpy(cupy.asarray(a)), expected)
        shared = cupy.from_dlpack(a)
        self.assertEqual(shared.data.ptr, a.address)
        np.testing.assert_array_equal(cupy.asnumpy(shared), expected)

        class OnlyDlpack:
            def __dlpack_device__(self):
                return q.__dlpack_device__()

            def __dlpack__(self, **wishes):
                return q.__dlpack__(**wishes)

        np.testing.assert_array_equal(self.batch.forward(OnlyDlpack(), v, tau).numpy(), expected)
        with self.assertRaisesRegex(ValueError, "row by row"):
            self.batch.forward(q.T.copy().T, v, tau)


if __name__ == "__main__":
    unittest.main()
