# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Runs, callbacks, results and linear models."""

import os
import pickle
import signal
import sys
import types
import unittest
import unittest.mock
import warnings

import numpy as np

import limber
from support import EXAMPLES, pendulum

SLIDER = """
limber: 1
bodies: [{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}]
forces: [{name: drive, type: actuator, hinge: cart}]
controllers: [{name: hold, rate: 100, actuators: [drive], law: {type: callback}}]
run: {duration: 1, interval: 0.1}
"""


def brake(sample):
    return -0.5 * sample.v


class Runs(unittest.TestCase):
    def test_a_run_gives_arrays_by_name(self):
        results = pendulum().simulation().run(0.5)
        self.assertEqual(len(results.t), 26)
        np.testing.assert_array_equal(results["t"], results.t)
        np.testing.assert_array_equal(results["upper.angle"], results["q"][:, 0])
        np.testing.assert_array_equal(results["q:lower.angle"], results["q"][:, 1])
        self.assertEqual(results["kinetic"].shape, (26,))
        self.assertEqual(results.ending, "end of its duration")
        self.assertLess(abs(results.audit["energy_error"]), 1e-5)
        self.assertIn("26 rows to t = 0.5 s", repr(results))
        self.assertIn("energy off by", repr(results))
        with self.assertRaisesRegex(KeyError, "no signal 'uper.angle'; did you mean 'upper.angle'?"):
            results["uper.angle"]

    def test_results_suit_a_table(self):
        simulation = pendulum().simulation()
        simulation.add_output("lower/tip")
        results = simulation.run(0.1)
        columns = dict(results)
        self.assertEqual(len(columns), len(results))
        self.assertEqual({column.shape for column in columns.values()}, {(len(results.t),)})
        self.assertEqual(results["lower/tip.position"].shape, (len(results.t), 3))
        try:
            import pandas
            self.assertEqual(pandas.DataFrame(columns).shape, (len(results.t), len(results)))
        except ImportError:
            pass  # a table needs no pandas
        data = simulation.model.data()
        data.kinematics(results["q"][-1], results["v"][-1])
        np.testing.assert_allclose(results["lower/tip.position"][-1], data.motion("lower/tip").position, rtol=1e-12)

    def test_the_state_that_is_set_is_where_it_starts(self):
        simulation = pendulum().simulation()
        simulation.set_state(q=[0.1, 0.2])
        simulation.set_value("lower.rate", 0.3)
        q, v = simulation.initial_state()
        np.testing.assert_array_equal(q, [0.1, 0.2])
        np.testing.assert_array_equal(v, [0, 0.3])
        results = simulation.run(0.1, 0.05)
        np.testing.assert_array_equal(results["q"][0], q)
        self.assertEqual(len(results.t), 3)

    def test_options_by_name(self):
        simulation = pendulum().simulation()
        simulation.set_options(integrator="rk4", step=1e-3)
        rough, fine = simulation.run(0.2), pendulum().simulation().run(0.2, relative_tolerance=1e-11)
        self.assertEqual(rough.audit["steps"], 200)
        np.testing.assert_allclose(rough["q"], fine["q"], atol=1e-7)
        with self.assertRaisesRegex(KeyError, "no run option 'intervl'; did you mean 'interval'?"):
            simulation.run(intervl=1)
        with self.assertRaisesRegex(ValueError, "no integrator 'rk5'"):
            simulation.set_options(integrator="rk5")
        with self.assertRaisesRegex(limber.Error, "duration"):
            simulation.run(-1)

    def test_a_mistake_leaves_the_simulation_as_it_was(self):
        simulation = pendulum().simulation()
        with self.assertRaises(limber.Error):
            simulation.add_output("nobody/tip")
        with self.assertRaises(limber.Error):
            simulation.set_value("upper.angl", 1.0)
        self.assertEqual(simulation.run(0.1).ending, "end of its duration")

    def test_steps_are_those_of_a_run(self):
        simulation = pendulum().simulation()
        results = simulation.run(0.3, 0.1, stop_at_outputs=True)
        for t, q in zip(results.t[1:], results["q"][1:]):
            self.assertTrue(simulation.step(0.1))
            self.assertAlmostEqual(simulation.t, t, places=14)
            np.testing.assert_allclose(simulation.q, q, rtol=1e-6)

    def test_trim_finds_the_equilibrium(self):
        simulation = pendulum().simulation()
        simulation.set_state([0.2, -0.1])
        self.assertLess(simulation.trim(), 1e-8)
        np.testing.assert_allclose(simulation.initial_state()[0], 0, atol=1e-8)

    def test_loops_are_assembled(self):
        simulation = limber.load(EXAMPLES / "four_bar.yaml").simulation()
        self.assertLess(simulation.assemble(), 1e-9)
        q, v = simulation.initial_state()
        position, _ = simulation.model.data().loop_errors(q, v)
        self.assertLess(abs(position).max(), 1e-9)
        q, v = simulation.model.data().assemble(q + 0.01, v)
        self.assertLess(abs(simulation.model.data().loop_errors(q, v)[0]).max(), 1e-9)


ARM = """
limber: 1
bodies:
  - {name: base, hinge: {type: free}, mass: 5, inertia: [0.4, 0.5, 0.6, 0, 0, 0]}
  - name: arm
    parent: base
    hinge: {type: revolute, axis: [0, 0, 1]}
    flex:
      nodes:
        - {name: a, mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0], shape: [[0, 0, 0, 0, 0, 0]]}
        - {name: b, position: [0.5, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0], shape: [[0, 0, 1, 0, 0.4, 0]]}
      stiffness: [90]
forces:
  - {name: motor, type: actuator, hinge: arm}
"""
LAW = ARM + "controllers: [{name: law, rate: 100, actuators: [motor], law: {type: callback}}]\n"
INTEGRATORS = {"erk": 1e-7, "adams": 1e-6, "bdf": 1e-5, "rk4": 1e-6, "euler": 3e-2, "alpha": 1e-3}


def command(k):
    return 3 * np.cos(0.7 * k)


def go(text, prepare, act, integrator, count=20):
    """q and v after each of some steps of 10 ms."""
    simulation = limber.loads(text).simulation()
    simulation.set_options(integrator=integrator, relative_tolerance=1e-10, step=1e-3)
    prepare(simulation)
    found = []
    for k in range(count):
        act(simulation, command(k))
        simulation.step(0.01)
        found.append(np.concatenate([simulation.q, simulation.v]))
    return np.array(found)


class Lockstep(unittest.TestCase):
    def test_what_is_set_acts_in_the_next_step_with_every_integrator(self):
        variable = [0.0]

        def remember(simulation, value):
            variable[0] = value

        def push(sample):
            tau = np.zeros(sample.v.size)
            tau[-1] = variable[0]
            return tau

        ways = {
            "command": (ARM, lambda s: None, lambda s, value: s.set_command("motor", value)),
            "law": (LAW, lambda s: s.set_law("law", lambda sample: variable[0]), remember),
            "force": (ARM, lambda s: s.add_force("push", push), remember)}
        exact = go(*ways["command"], "erk")
        self.assertGreater(abs(exact[0, -1]), 1e-3)
        for integrator, gap in INTEGRATORS.items():
            for way, arguments in ways.items():
                with self.subTest(integrator=integrator, way=way):
                    np.testing.assert_allclose(go(*arguments, integrator), exact, atol=gap)

    def test_a_law_sees_where_a_step_begins(self):
        for integrator in INTEGRATORS:
            seen = []
            simulation = limber.loads(LAW).simulation()
            simulation.set_options(integrator=integrator, step=1e-3)
            simulation.set_law("law", lambda sample: seen.append((sample.t, sample.position[0])) or 1.0)
            for k in range(5):
                before = simulation.read("arm.angle")
                self.assertEqual(len(seen), k)
                simulation.step(0.01)
                self.assertEqual(len(seen), k + 1)
                self.assertAlmostEqual(seen[k][0], 0.01 * k, places=12)
                self.assertEqual(seen[k][1], before)

    def test_a_reset_gives_the_bits_of_a_new_simulation(self):
        def run(simulation):
            found = []
            for k in range(10):
                simulation.set_command("motor", command(k))
                simulation.step(0.01)
                found.append(np.concatenate([[simulation.t], simulation.q, simulation.v]))
            return np.array(found)

        for integrator in INTEGRATORS:
            simulation = limber.loads(ARM).simulation()
            simulation.set_options(integrator=integrator, step=1e-3)
            first = run(simulation)
            q, v = simulation.q, simulation.v
            simulation.reset()
            np.testing.assert_array_equal(run(simulation), first)
            simulation.reset(q=q, v=v, t=0.0)
            second = run(simulation)
            fresh = limber.loads(ARM).simulation()
            fresh.set_options(integrator=integrator, step=1e-3)
            fresh.set_state(q, v)
            np.testing.assert_array_equal(run(fresh), second)
            simulation.reset(t=2.0)
            self.assertEqual(simulation.t, 2.0)

    def test_what_is_wrong_is_refused(self):
        simulation = limber.loads(LAW).simulation()
        simulation.set_law("law", lambda sample: 0.0)
        with self.assertRaisesRegex(limber.Error, "'motor' is commanded by controller 'law'"):
            simulation.set_command("motor", 1.0)
        with self.assertRaisesRegex(limber.Error, "angel"):
            simulation.read("arm.angel")
        with self.assertRaisesRegex(limber.Error, "expected more than 0"):
            simulation.step(0.0)
        with self.assertRaisesRegex(ValueError, "q has shape"):
            simulation.reset(q=[1.0])
        simulation.step(0.01)
        simulation.add_event("end", "t", "stop", crosses=0.015)  # a new one, from the start
        self.assertTrue(simulation.step(0.01))
        self.assertFalse(simulation.step(0.01))
        self.assertAlmostEqual(simulation.t, 0.015)

    def test_an_exception_of_a_law_ends_the_step(self):
        simulation = limber.loads(LAW).simulation()
        simulation.set_law("law", lambda sample: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            simulation.step(0.01)


class Warnings(unittest.TestCase):
    def test_modes_away_from_equilibrium_warn_as_the_command_does(self):
        simulation = pendulum().simulation()
        simulation.set_state([0.3, 0.1])
        with self.assertWarnsRegex(limber.LimberWarning,
                                   "the configuration is no equilibrium: upper.angle accelerates at .*finds one"):
            simulation.modes()
        simulation.trim()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            simulation.modes()

    def test_equations_that_change_along_the_motion_warn(self):
        simulation = pendulum().simulation()
        simulation.set_state([0.3, 0.1], [1.0, 2.0])
        with self.assertWarnsRegex(limber.LimberWarning, "the equations change along the motion, by .*otherwise a run"):
            simulation.linearize()

    def test_trim_beyond_the_range_of_modes_warns(self):
        simulation = limber.loads(
            "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  - name: arm\n    hinge: {type: fixed}\n    flex:\n      nodes:\n"
            "        - {name: a, mass: 1, shape: [[0, 0, 0, 0, 0, 0]]}\n"
            "        - {name: b, position: [0.5, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0],\n"
            "           shape: [[0, 2, 0, 0, 0, 1]]}\n"
            "      stiffness: [30]\n").simulation()
        with self.assertWarnsRegex(limber.LimberWarning, "deformed beyond the range of its modes"):
            simulation.trim()


class Callbacks(unittest.TestCase):
    def test_a_force_of_python_equals_that_of_the_file(self):
        text = pendulum().document()
        own, built_in = limber.loads(text).simulation(), limber.loads(
            text + "forces:\n" + "".join(f"  - {{name: d{body}, type: damper, hinge: {body}, damping: 0.5}}\n"
                                         for body in ("upper", "lower"))).simulation()
        own.add_force("brake", brake)
        np.testing.assert_allclose(own.run(0.5)["q"], built_in.run(0.5)["q"], atol=1e-9)

    def test_a_force_at_a_node_sees_its_motion_and_loads_it(self):
        own, built_in = pendulum().simulation(), limber.loads(
            pendulum().document() + "forces:\n  - {name: f, type: force, at: lower/tip, value: [0, 0, 20]}\n"
        ).simulation()
        seen = []

        def lift(sample):
            seen.append((sample.t, sample.nodes[0].position.copy()))
            sample.energy = -20 * sample.nodes[0].position[2]
            return [[0, 0, 0, 0, 0, 20]]

        own.add_force("lift", lift, nodes=["lower/tip"], conservative=True)
        results = own.run(0.3)
        np.testing.assert_allclose(results["q"], built_in.run(0.3)["q"], atol=1e-9)
        self.assertTrue(all(abs(np.linalg.norm(position)) <= 2 + 1e-9 for _, position in seen))

    def test_what_a_callback_saw_outlives_the_run(self):
        simulation, seen = pendulum().simulation(), []
        simulation.add_signal("watch", lambda sample: seen.append(sample) or sample.t)
        simulation.add_output("watch")
        results = simulation.run(0.1, 0.05)
        del simulation
        by_time = {sample.t: sample for sample in seen}
        for i, t in enumerate(results.t):
            np.testing.assert_array_equal(by_time[t].q, results["q"][i])

    def test_signals_and_events(self):
        simulation, times = pendulum().simulation(), []
        simulation.add_signal("double", lambda sample: 2 * sample.q[0])
        simulation.add_signal("triple", "1.5 * double")
        simulation.add_output("triple")
        simulation.add_event("noon", lambda sample: sample.t - 0.25, times.append)
        simulation.add_event("low", "upper.angle", "stop", crosses=1.0, direction="falling")
        results = simulation.run(5)
        np.testing.assert_allclose(results["triple"], 3 * results["upper.angle"], rtol=1e-13)
        self.assertEqual([event.name for event in results.events], ["noon", "low"])
        self.assertAlmostEqual(times[0], 0.25)
        self.assertEqual(results.ending, "event")
        self.assertAlmostEqual(results["upper.angle"][-1], 1.0)

    def test_an_action_that_returns_true_ends_the_run(self):
        simulation = pendulum().simulation()
        simulation.add_event("enough", "t", lambda t: True, crosses=0.5)
        self.assertAlmostEqual(simulation.run(2).t[-1], 0.5)

    def test_a_law_of_python_commands_actuators(self):
        simulation = limber.loads(SLIDER).simulation()
        simulation.set_law("hold", lambda sample: 20 * (1 - sample.position) - 8 * sample.speed)
        results = simulation.run(4)
        self.assertAlmostEqual(results["cart.distance"][-1], 1.0, delta=1e-2)

    def test_exceptions_in_callbacks_are_raised_and_what_there_is_is_kept(self):
        for add in (lambda s, f: s.add_force("f", lambda sample: [0 * f(sample.t), 0]),
                    lambda s, f: s.add_event("e", lambda sample: f(sample.t)),
                    lambda s, f: s.add_event("e", "t", f, crosses=0.35)):
            simulation = pendulum().simulation()

            def fail(t):
                if t > 0.3:
                    raise ZeroDivisionError(f"at {t:.1f}")
                return 1.0

            add(simulation, fail)
            with self.assertRaisesRegex(ZeroDivisionError, "at 0.3|at 0.4"):
                simulation.run(2)
            self.assertGreater(len(simulation.results.t), 10)
            self.assertLess(simulation.results.t[-1], 0.4)

    def test_a_wrong_answer_gets_a_sentence(self):
        simulation = pendulum().simulation()
        simulation.add_force("f", lambda sample: np.zeros(3))
        with self.assertRaisesRegex(ValueError, r"the force returned shape \(3,\), expected \(2,\)"):
            simulation.run(1)


class Interruptions(unittest.TestCase):
    def test_progress_ends_a_run(self):
        results = pendulum().simulation().run(5, 0.1, progress=lambda t, end: t >= 0.5)
        self.assertEqual(results.ending, "request")
        self.assertAlmostEqual(results.t[-1], 0.5)

    def test_ctrl_c_ends_a_run_and_keeps_what_there_is(self):
        simulation = pendulum().simulation()
        simulation.add_event("key", "t", lambda t: os.kill(os.getpid(), signal.SIGINT), crosses=0.95)
        with self.assertRaises(KeyboardInterrupt):
            simulation.run(1e6, 0.1)
        self.assertEqual(simulation.results.ending, "request")
        self.assertGreaterEqual(len(simulation.results.t), 10)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)


class Linear(unittest.TestCase):
    def test_modes_of_a_pendulum(self):
        simulation = pendulum().simulation()
        simulation.set_state([0, 0])
        modes, linear = simulation.modes(), simulation.linearize(["upper.motor"], ["lower/tip.position.x"], "rest")
        self.assertEqual(modes.coordinates, ("upper.angle", "lower.angle"))
        np.testing.assert_allclose(np.sort(abs(linear.eigenvalues.imag))[::2] / (2 * np.pi), modes.frequencies)
        # hinge angles at rest: M xi'' + K xi = u by hand, from derivatives
        data = simulation.model.data()
        derivatives = data.forward_derivatives([0, 0], [0, 0])
        np.testing.assert_allclose(linear.A[2:, :2], derivatives.dq, atol=1e-12)
        np.testing.assert_allclose(linear.B[2:, 0], derivatives.dtau[:, 0], atol=1e-12)

    def test_exponents_over_a_period(self):
        # source of the exponents: ../shared/cases
        simulation = limber.load(f"{EXAMPLES}/../test/cases/driven_pivot.yaml").simulation()
        linear, modes = simulation.linearize(period="auto"), simulation.modes(period=2 * np.pi / 6.264183905346329)
        self.assertTrue(linear.is_periodic)
        self.assertFalse(linear.stable or modes.stable)
        self.assertEqual(linear.moved[0], "bob.angle")
        np.testing.assert_allclose(np.sort(linear.eigenvalues.real), [-0.3368, 0.2868], atol=1e-4)
        np.testing.assert_allclose(np.sort_complex(np.exp(modes.eigenvalues * linear.period)),
                                   np.sort_complex(modes.multipliers), atol=1e-9)
        self.assertEqual(modes.turns.shape, (16, 2, 1))
        np.testing.assert_allclose(modes.turns[0], modes.shapes, rtol=1e-12)
        np.testing.assert_allclose(modes.instants, linear.period * np.arange(16) / 16, rtol=1e-12)

    def test_a_state_space_of_scipy(self):
        try:
            import scipy.signal
        except ImportError:
            self.skipTest("no SciPy")
        simulation = limber.load(EXAMPLES / "coupled_pendulums.yaml").simulation()
        linear = simulation.linearize(["left.motor"], ["right.angle"], "rest")
        system = linear.state_space()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SciPy goes by way of polynomials
            _, response = scipy.signal.freqresp(system, 2 * np.pi * np.array([0.1, 1.0]))
        np.testing.assert_allclose(response, linear.response([0.1, 1.0])[:, 0, 0], rtol=1e-9)


class Pictures(unittest.TestCase):
    def test_a_plot_has_a_line_per_column(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("no Matplotlib")
        matplotlib.use("Agg")
        simulation = pendulum().simulation()
        simulation.add_output("lower/tip")
        axes = simulation.run(0.1).plot("upper.angle", "lower/tip.position")
        self.assertEqual([line.get_label() for line in axes.lines],
                         ["upper.angle"] + [f"lower/tip.position.{i}" for i in "xyz"])

    def test_the_page_of_the_viewer(self):
        if "LIMBER_COMMAND" not in os.environ:
            self.skipTest("LIMBER_COMMAND does not name the command")
        page = pendulum().simulation().run(0.1).page()
        self.assertTrue(page.lower().startswith("<!doctype html>"))
        self.assertIn("double pendulum", page)

    def test_a_notebook_shows_the_page_in_a_frame(self):
        display = types.ModuleType("IPython.display")
        display.HTML = str
        with unittest.mock.patch.dict(sys.modules, {"IPython": types.ModuleType("IPython"), "IPython.display": display}), \
                unittest.mock.patch.object(limber.Results, "page", lambda self: '<html lang="en">'):
            shown = pendulum().simulation().run(0.1).show(height=300)
        self.assertEqual(shown, '<iframe srcdoc="&lt;html lang=&quot;en&quot;&gt;" width="100%" height="300"></iframe>')


class Pickles(unittest.TestCase):
    def test_simulations_and_results_round_trip(self):
        simulation = pendulum().simulation()
        simulation.set_state([0.3, 0.1])
        simulation.add_force("brake", brake)
        results = simulation.run(0.2)
        again = pickle.loads(pickle.dumps(simulation)).run(0.2)
        kept = pickle.loads(pickle.dumps(results))
        for name in results:
            np.testing.assert_array_equal(again[name], results[name])
            np.testing.assert_array_equal(kept[name], results[name])
        np.testing.assert_equal(kept.audit, results.audit)
