#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""check_sweep_kills.py LIMBER SAMPLES KILLS [SEED]: a sweep that is killed at random moments and resumed gives the table
of an undisturbed one, byte for byte.

A sweep of a small flexible arm is done by one process. The same sweep with two workers is killed by SIGKILL KILLS
times, either all of it or one worker alone, and started again each time. Then it is done once more in four parts: as
a task array of Slurm and as processes of Open MPI, by the variables that they set. SIGTERM and SIGUSR1 must end it
cleanly. All tables must be equal.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

MODEL = """limber: 1
parameters: {mass: 1, k: 50, start: 0.2}
bodies:
  - name: arm
    hinge: {type: revolute, axis: [0, 0, 1]}
    flex:
      nodes:
        - {name: root, position: [0, 0, 0], mass: 0.1, shape: [[0, 0, 0, 0, 0, 0]]}
        - {name: middle, position: [0.5, 0, 0], mass: mass/2, shape: [[0, 0, 0.8, 0, 0.3, 0]]}
        - {name: tip, position: [1, 0, 0], mass: mass/2, shape: [[0, 0, 1.5, 0, 1, 0]]}
      stiffness: [400*mass]
      damping: [0.2]
forces:
  - {name: spring, type: spring, hinge: arm, stiffness: k}
initial: {arm: {angle: start}}
run: {duration: 0.2, interval: 0.02, integrator: {type: adams, tolerance: 1.0e-6}}
"""
# some masses are negative: their samples fail, and are recorded as well
PLAN = """limber_sweep: 1
model: arm.yaml
vary:
  mass: {distribution: normal, mean: 1, deviation: 0.45}
  k: {distribution: uniform, low: 40, high: 60}
  start: {distribution: triangular, low: 0.1, mode: 0.2, high: 0.4}
samples: %d
seed: 7
job: run
outputs:
  tip: {signal: arm/tip.position.y, value: end}
  bent: {signal: arm/tip.displacement.y, value: largest}
"""
# of schedulers that may be running this test
FOREIGN = ("SLURM_", "OMPI_", "PMI_", "HQ_")


class Sweep:
    def __init__(self, limber, home):
        self.limber, self.home = limber, home
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(FOREIGN)}

    def start(self, folder, *words, **variables):
        return subprocess.Popen([self.limber, "sweep", "plan.yaml", "--folder", folder, "--quiet", *words],
                                cwd=self.home, stderr=subprocess.PIPE, text=True,
                                env={**self.environment, **variables})

    def finish(self, folder, *words, **variables):
        child = self.start(folder, *words, **variables)
        text = child.communicate()[1]
        if child.returncode != 0:
            sys.exit(f"{folder}: exit status {child.returncode}: {text}")

    def merge(self, folder):
        done = subprocess.run([self.limber, "sweep", "merge", "plan.yaml", "--folder", folder], cwd=self.home,
                              capture_output=True, env=self.environment)
        if done.returncode != 0:
            sys.exit(f"{folder} cannot be merged: {done.stderr.decode()}")
        return done.stdout

    def count(self, folder):
        """Rows in all files of a folder."""
        path = os.path.join(self.home, folder)
        rows = 0
        for name in os.listdir(path) if os.path.isdir(path) else []:
            if name.endswith(".rows"):
                with open(os.path.join(path, name), "rb") as file:
                    rows += max(0, file.read().count(b"\n") - 1)
        return rows


def find_workers(pid):
    """Processes that a process has started (Linux only)."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def kill(sweep, chance, kills, took):
    """Starts the sweep and kills it or a worker, again and again; how often either was alive."""
    whole = alone = 0
    for _ in range(kills):
        child = sweep.start("killed", "--workers", "2")
        time.sleep(chance.uniform(0.0, 0.9 * took / kills) + 0.05)
        workers = find_workers(child.pid)
        if chance.random() < 0.3 and workers:
            try:
                os.kill(chance.choice(workers), signal.SIGKILL)
                alone += 1
            except ProcessLookupError:
                pass
            time.sleep(0.05)
        whole += child.poll() is None
        child.kill()
        child.communicate()
    return whole, alone


def check_signals(sweep):
    """SIGTERM and SIGUSR1 end a sweep with exit status 1 and a word on how to go on; a complaint, or None."""
    for number in (signal.SIGTERM, signal.SIGUSR1):
        before = sweep.count("signalled")
        child = sweep.start("signalled", "--workers", "2")
        while sweep.count("signalled") == before and child.poll() is None:
            time.sleep(0.01)
        child.send_signal(number)
        text = child.communicate()[1]
        if child.returncode == 0 and "samples" not in text:
            continue  # it was faster
        if child.returncode != 1 or "resume" not in text:
            return f"after {number.name}: exit status {child.returncode}: {text}"
    return None


def main():
    limber, samples, kills = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(10**6)
    home = tempfile.mkdtemp(prefix="limber-sweep-")
    for name, text in (("arm.yaml", MODEL), ("plan.yaml", PLAN % samples)):
        with open(os.path.join(home, name), "w", encoding="utf-8") as file:
            file.write(text)
    sweep = Sweep(limber, home)
    start = time.monotonic()
    sweep.finish("serial", "--workers", "1")
    took = time.monotonic() - start
    expected = sweep.merge("serial")
    bad = [] if expected.count(b"\n") == samples + 1 and b"semidefinite" in expected else ["the table is not whole"]
    whole, alone = kill(sweep, random.Random(seed), kills, took)
    sweep.finish("killed", "--workers", "2")
    bad += [] if sweep.merge("killed") == expected else ["a sweep that was killed has another table"]
    for i in range(4):
        sweep.finish("array", SLURM_ARRAY_TASK_ID=str(i + 3), SLURM_ARRAY_TASK_MIN="3", SLURM_ARRAY_TASK_COUNT="4")
        sweep.finish("ranks", OMPI_COMM_WORLD_RANK=str(i), OMPI_COMM_WORLD_SIZE="4")
    for folder in ("array", "ranks"):
        bad += [] if sweep.merge(folder) == expected else [f"{folder}: another table"]
        files = [name for name in os.listdir(os.path.join(home, folder)) if name.endswith(".rows")]
        bad += [] if len(files) == 4 else [f"{folder}: {files} in place of four parts"]
    complaint = check_signals(sweep)
    bad += [complaint] if complaint else []
    shutil.rmtree(home)
    print(f"seed {seed}: {samples} samples in {took:.1f} s by one process; killed {whole} times, and {alone} workers "
          f"alone; {'; '.join(bad) if bad else 'all tables are equal'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
