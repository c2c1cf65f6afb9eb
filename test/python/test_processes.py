# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Threads, processes and pickles give the same bits."""

import multiprocessing
import os
import pickle
import shutil
import tempfile
import threading
import time
import unittest
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np

import limber
from support import EXAMPLES, ROOT, chain, pendulum, states


def run_from(angle, model=None):
    simulation = (model or pendulum()).simulation()
    simulation.set_state([angle, 0.2])
    return simulation.run(0.3)["q"]


def run_pickled(arguments):
    return run_from(arguments[1], arguments[0])


class Pickles(unittest.TestCase):
    def test_models_of_all_kinds_round_trip_to_the_bit(self):
        for name in ("double_pendulum", "satellite", "spacecraft_arm", "four_bar", "spin_up_beam", "truss"):
            model = limber.load(EXAMPLES / f"{name}.yaml")
            again = pickle.loads(pickle.dumps(model))
            self.assertEqual(again.bodies.names, model.bodies.names)
            q, v = model.neutral(), model.speeds() + 0.1
            np.testing.assert_array_equal(again.data().inverse(q, v, tree=True), model.data().inverse(q, v, tree=True))

    def test_a_model_finds_its_files_from_another_folder(self):
        body = ROOT / "test" / "fuzz" / "corpus" / "fuzz_flex" / "block.flex"
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
            shutil.copy(body, folder)
            Path(folder, "m.yaml").write_text("limber: 1\nbodies: [{name: b, hinge: {type: free}, "
                                              "flex: {file: block.flex}}]")
            start = os.getcwd()
            try:
                os.chdir(folder)
                with self.assertWarns(limber.LimberWarning):  # softens in spin
                    data = pickle.dumps(limber.load("m.yaml"))
                os.chdir(other)
                with warnings.catch_warnings():
                    warnings.simplefilter("error")  # once is enough
                    self.assertGreater(pickle.loads(data).bodies["b"].mode_count, 0)
            finally:
                os.chdir(start)

    def test_a_set_parameter_goes_along(self):
        model = limber.load(EXAMPLES / "double_pendulum.yaml", parameters={"bodies.upper.mass": 3.0})
        self.assertEqual(pickle.loads(pickle.dumps(model)).bodies["upper"].mass, 3.0)

    def test_states_and_errors_round_trip(self):
        q = pendulum().neutral()
        q["lower"] = 0.5
        self.assertEqual(pickle.loads(pickle.dumps(q))["lower"], 0.5)
        with self.assertRaises(limber.Error) as caught:
            limber.loads("limber: 2", name="x.yaml")
        problem = caught.exception
        again = pickle.loads(pickle.dumps(problem))
        self.assertEqual((str(again), again.file, again.line), (str(problem), "x.yaml", problem.line))


class Threads(unittest.TestCase):
    def test_a_second_thread_in_the_same_workspace_is_refused(self):
        model = chain(6)
        data, (q, v, tau) = model.data(), states(model, 100000)
        refused = []

        def compute():
            while not refused:  # until they meet; either of them may be the one that is refused
                try:
                    data.forward(q, v, tau)
                except RuntimeError as problem:
                    refused.append(problem)

        threads = [threading.Thread(target=compute) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertIn("make one for each thread", str(refused[0]))
        data.forward(q[0], v[0])  # free again

    def test_a_pool_of_threads_gives_the_same_bits(self):
        model = chain(6)
        q, v, tau = states(model, 200)
        alone = model.data()
        expected = [alone.forward(*state) for state in zip(q, v, tau)]
        local = threading.local()

        def forward(state):
            if not hasattr(local, "data"):
                local.data = model.data()
            return local.data.forward(*state)

        with ThreadPoolExecutor(4) as pool:
            np.testing.assert_array_equal(list(pool.map(forward, zip(q, v, tau))), expected)

    def test_runs_side_by_side_give_the_same_bits(self):
        angles, model = [0.1, 0.2, 0.3, 0.4], pendulum()
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(run_pickled, ((model, angle) for angle in angles)))
        np.testing.assert_array_equal(found, [run_from(angle) for angle in angles])

    def test_the_interpreter_goes_on_while_the_library_computes(self):
        model = chain(30)
        q, v, tau = states(model, 20000)
        data = model.data(threads=1)
        steps = 0
        while steps <= 5:  # on a busy machine this thread may not run at once; if the library kept the lock, it never would
            thread = threading.Thread(target=data.forward, args=(q, v, tau))
            thread.start()
            steps = 0
            while thread.is_alive():
                steps += 1
                time.sleep(0.001)


class Processes(unittest.TestCase):
    def test_a_fork_gives_the_same_bits(self):
        model = chain(6)
        q, v, tau = states(model, 10000)
        data = model.data(threads=2)
        expected = data.forward(q, v, tau)  # threads have been in use before the fork
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                same = np.array_equal(data.forward(q, v, tau), expected)
                same = same and np.array_equal(model.data().forward(q, v, tau), expected)
                os.write(writer, b"same" if same else b"other")
                code = 0
            finally:
                os._exit(code)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            self.assertEqual(pipe.read(), b"same")
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_a_pool_of_processes_gives_the_same_bits(self):
        angles, model = [0.1, 0.2, 0.3], pendulum()
        expected = [run_from(angle) for angle in angles]
        for method in ("fork", "spawn"):
            with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
                found = list(pool.map(run_pickled, [(model, angle) for angle in angles]))
            np.testing.assert_array_equal(found, expected)

    def test_dask_gives_the_same_bits(self):
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            self.skipTest("no Dask (python3-distributed)")
        angles, model = [0.1, 0.2], pendulum()
        with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster:
            with Client(cluster) as client:
                found = client.gather([client.submit(run_from, angle, model) for angle in angles])
        np.testing.assert_array_equal(found, [run_from(angle) for angle in angles])
