# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Loops, locks and drives: every call takes them into account or refuses."""

import unittest

import numpy as np

import limber
from support import EXAMPLES

# two fingers, the second mimics the first
HAND = """<robot name="hand">
  <link name="palm"/>
  <link name="left"><inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="first" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="second" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="first" multiplier="1"/></joint>
</robot>"""


def find_imbalance(data, q, v, tau):
    """What of M a + c - tau, by the matrices of the tree, no forces of the loops explain: zero for the motion with loops."""
    a = data.forward(q, v, tau)
    balance = data.mass_matrix(q, tree=True) @ a + data.bias(q, v, tree=True) - tau
    data.kinematics(q, v)
    J = data.loop_jacobian()
    return balance - J.T @ np.linalg.lstsq(J.T, balance, rcond=None)[0]


class Loops(unittest.TestCase):
    def setUp(self):
        self.model = limber.load(EXAMPLES / "four_bar.yaml")
        self.data = self.model.data()
        self.q, self.v = self.data.assemble(self.model.neutral() + 0.3)
        self.tau = np.linspace(-1.0, 2.0, self.model.v_count)

    def test_forward_obeys_loops(self):
        np.testing.assert_allclose(find_imbalance(self.data, self.q, self.v, self.tau), 0.0, atol=1e-9)
        a = self.data.forward(self.q, self.v, self.tau)
        self.assertGreater(abs(self.data.loop_forces()).max(), 0.0)
        tree = self.data.forward(self.q, self.v, self.tau, tree=True)
        self.assertGreater(abs(a - tree).max(), 1e-3)
        M, c = self.data.mass_matrix(self.q, tree=True), self.data.bias(self.q, self.v, tree=True)
        np.testing.assert_allclose(M @ tree + c, self.tau, atol=1e-9)
        # asking for the tree is for one call
        np.testing.assert_array_equal(self.data.forward(self.q, self.v, self.tau), a)

    def test_mimic_joints_move_together(self):
        model = limber.loads(HAND, format="urdf")
        data, q = model.data(), model.neutral()
        a = data.forward(q, q * 0, np.array([8.0, 0.0]))
        np.testing.assert_allclose(a, [a[0], a[0]], atol=1e-12)
        alone = data.forward(q, q * 0, np.array([8.0, 0.0]), tree=True)
        self.assertAlmostEqual(alone[1], model.gravity[2], places=9)

    def test_what_knows_the_tree_alone_refuses(self):
        data, q, v = self.data, self.q, self.v
        rows = np.broadcast_to(q, (9, len(q))).copy(), np.broadcast_to(v, (9, len(v))).copy()
        for call in (lambda **tree: data.inverse(q, v, **tree), lambda **tree: data.bias(q, v, **tree),
                     lambda **tree: data.mass_matrix(q, **tree), lambda **tree: data.mass_matrix_inverse(q, **tree),
                     lambda **tree: data.inverse_derivatives(q, v, **tree), lambda **tree: data.inverse(*rows, **tree)):
            with self.assertRaises(limber.Error) as found:
                call()
            self.assertEqual(found.exception.status, "loops")
            call(tree=True)

    def test_batches_obey_what_the_workspace_obeys(self):
        data = self.data
        rows_q = np.repeat(self.q[None], 40, 0)
        rows_v = np.linspace(0.0, 1.0, 40)[:, None] * np.ones(len(self.v))
        for tree in (False, True):
            many = data.forward(rows_q, rows_v, tree=tree)
            for i in (0, 17, 39):
                np.testing.assert_allclose(many[i], data.forward(rows_q[i], rows_v[i], tree=tree), rtol=1e-9, atol=1e-9)
        data.set_locked(0, True)
        np.testing.assert_array_equal(data.forward(rows_q, rows_v)[:, self.model.bodies[0].v_hinge], 0.0)

    def test_locked_and_driven_hinges(self):
        data, body = self.data, self.model.bodies[0]
        data.set_locked(body.index, True)
        a = data.forward(self.q, self.v, self.tau)
        np.testing.assert_array_equal(a[body.v_hinge], 0.0)
        locked = data.drive_forces()[body.v_hinge]
        data.set_locked(body.index, False)
        same, tau = data.hybrid(self.q, self.v, [body.name], np.zeros(len(a)), self.tau)
        np.testing.assert_allclose(same, a, atol=1e-12)
        np.testing.assert_allclose(tau[body.v_hinge], locked, atol=1e-12)

    def test_loops_close_where_the_file_has_them(self):
        text = """
limber: 1
bodies:
  - {name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}
  - {name: b, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}
loops: [{name: joint, a: {body: a, node: origin}, b: {body: b, node: origin}, type: weld, as_assembled: true}]
initial: {b: {distance: 2}}
"""
        data = limber.loads(text).data()
        q, _ = data.assemble([0.0, 1.9])
        self.assertAlmostEqual(q[1] - q[0], 2.0)

    def test_reactions_know_what_acts_at_nodes(self):
        text = """
limber: 1
bodies:
  - {name: arm, hinge: {type: fixed}, mass: 1, nodes: {tip: {position: [2, 0, 0]}}}
"""
        data = limber.loads(text).data()
        data.forward([], [])
        np.testing.assert_allclose(data.reactions()[0], 0.0, atol=1e-15)
        found = data.reactions({"arm/tip": [0, 0, 0, 0, 5, 0]})[0]
        # what the ground exerts balances the force and its moment
        np.testing.assert_allclose(found, [0, 0, -10, 0, -5, 0], atol=1e-12)

    def test_a_string_is_one_name(self):
        a, tau = self.model.data().hybrid(self.q, self.v, driven=self.model.bodies[0].name, a=np.zeros(self.model.v_count))
        self.assertEqual(a[0], 0.0)
        self.assertEqual(self.model.simulation().modes(locked=self.model.bodies[0].name).q.size, self.model.q_count)

    def test_algorithms(self):
        a = self.data.forward(self.q, self.v, self.tau)
        for algorithm in ("divide-and-conquer", "composite", "unsplit"):
            np.testing.assert_allclose(self.model.data(algorithm=algorithm).forward(self.q, self.v, self.tau), a,
                                       rtol=1e-9, atol=1e-9)
        with self.assertRaises(KeyError):
            self.model.data(algorithm="guess")


if __name__ == "__main__":
    unittest.main()
