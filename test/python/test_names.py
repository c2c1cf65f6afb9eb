# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Names of bodies, nodes and coordinates; what is wrong with a file."""

import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

import limber
from support import EXAMPLES, chain, pendulum


class Names(unittest.TestCase):
    def test_bodies_and_nodes_are_found_by_name_and_index(self):
        model = pendulum()
        self.assertEqual(model.bodies.names, ("upper", "lower"))
        self.assertIs(model.bodies["lower"], model.bodies[1])
        self.assertIn("upper", model.bodies)
        self.assertEqual([body.name for body in model.bodies], ["upper", "lower"])
        tip = model.bodies["lower"].nodes["tip"]
        self.assertEqual((tip.body, tip.index), (1, 1))
        self.assertEqual(model.find_node("lower/tip"), tip)
        self.assertEqual(model.find_node("ground").body, -1)
        self.assertEqual(model.bodies["lower"].parent, 0)
        self.assertEqual(model.bodies["lower"].hinge, "revolute")
        self.assertEqual(model.bodies["lower"].mass, 1.0)

    def test_a_wrong_name_gets_the_closest_one(self):
        model = pendulum()
        with self.assertRaisesRegex(KeyError, "no body 'uper'; did you mean 'upper'?"):
            model.bodies["uper"]
        with self.assertRaisesRegex(KeyError, "no node 'top'; did you mean 'tip'?"):
            model.bodies["upper"].nodes["top"]
        with self.assertRaisesRegex(KeyError, "no axes 'wold'; did you mean 'world'?"):
            data = model.data()
            data.kinematics(model.neutral())
            data.jacobian("lower/tip", "wold")

    def test_names_index_states(self):
        model = limber.load(EXAMPLES / "satellite.yaml")
        q = model.neutral()
        for body in model.bodies:
            np.testing.assert_array_equal(q[body.name], np.asarray(q)[body.q_hinge].squeeze())
            if body.mode_count:
                self.assertEqual(q[body.name + ".eta"].shape, (body.mode_count,))
        q = chain(3).neutral()
        q["link1"] = 0.5
        np.testing.assert_array_equal(q, [0, 0.5, 0])
        self.assertEqual(q["link1"], 0.5)
        many = np.broadcast_to(q, (10, 3)).copy()
        self.assertEqual((q * 2)["link1"], 1.0)
        rows = limber.Coordinates(many, q.names)
        rows["link2"] = np.arange(10)
        np.testing.assert_array_equal(rows["link2"], np.arange(10))
        with self.assertRaisesRegex(KeyError, "no coordinate 'link9'"):
            q["link9"]
        with self.assertRaisesRegex(KeyError, "only a part"):
            q[1:]["link1"]

    def test_names_show_up_in_representations(self):
        model = pendulum()
        self.assertEqual(repr(model), "<limber.Model 'double pendulum': 2 bodies, 2 degrees of freedom>")
        self.assertIn("upper, lower", repr(model.bodies))


class Files(unittest.TestCase):
    def test_errors_have_file_line_and_column(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "wrong.yaml"
            path.write_text("limber: 1\nbodies:\n  - {name: a, hinge: {type: free}, mas: 2}\n")
            with self.assertRaises(limber.Error) as caught:
                limber.load(path)
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column, error.status), (str(path), 3, 36, "model"))
        self.assertEqual(len(error.diagnostics), 2)
        self.assertIn('did you mean "mass"', str(error))
        self.assertIn("wrong.yaml:3:36: bodies[0].mas: ", str(error))

    def test_a_file_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(limber.Error, "nowhere.yaml") as caught:
            limber.load("nowhere.yaml")
        self.assertEqual(caught.exception.status, "file")

    def test_parameters_replace_values_of_the_file(self):
        model = limber.load(EXAMPLES / "double_pendulum.yaml", parameters={"bodies.upper.mass": 3.0})
        self.assertEqual(model.bodies["upper"].mass, 3.0)
        with self.assertRaises(limber.Error):
            limber.load(EXAMPLES / "double_pendulum.yaml", parameters={"bodies.nobody.mass": 3.0})

    def test_a_document_says_the_same_as_the_file(self):
        model = pendulum()
        for format in ("yaml", "json"):
            again = limber.loads(model.document(format), format=format)
            np.testing.assert_array_equal(again.data().mass_matrix([0.1, 0.2]), model.data().mass_matrix([0.1, 0.2]))

    def test_beams_are_built_of_numbers(self):
        model = limber.build({"bodies": [{
            "name": "boom", "hinge": {"type": "revolute", "axis": np.array([0, 0, 1.0])},
            "beam": {"length": np.float64(4), "elements": 8, "modes": 3, "material": "aluminium",
                     "section": {"type": "tube", "diameter": 0.05, "wall": 0.002}}}]})
        self.assertEqual(model.bodies["boom"].mode_count, 3)

    def test_what_no_model_is_made_of_gets_a_sentence(self):
        with self.assertRaisesRegex(TypeError, "not set"):
            limber.build({"bodies": {1, 2}})
        with self.assertRaises(ValueError):
            limber.build({"gravity": [0, 0, float("nan")]})

    def test_warnings_are_warnings(self):
        text = '<robot name="r"><link name="base"><inertal/></link></robot>'
        with self.assertWarnsRegex(limber.LimberWarning, "did you mean <inertial>"):
            limber.loads(text, format="urdf")


class Robot(unittest.TestCase):
    def test_urdf_on_a_fixed_and_a_floating_base(self):
        path = EXAMPLES.parent / "test" / "data" / "urdf" / "everything.urdf"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fixed, floating = limber.load(path), limber.load(path, floating_base=True)
        self.assertEqual(floating.v_count, fixed.v_count + 6)
