#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""check_kills.py LIMBER COUNT [SEED]: runs that are killed at random moments and resumed have all their bits.

Each of COUNT runs is killed by SIGKILL, resumed, killed again and so on up to three times, and resumed to
its end. Its rows must be those of an undisturbed run. Half of the models end by an event; half of them have
a controller. A tenth of COUNT is the number of `limber serve` that are killed: what they have recorded must
be readable.
"""
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

MODEL = """limber: 1
name: swing
gravity: [0, -9.81, 0]
bodies:
  - {{name: a, hinge: {{type: revolute, axis: [0, 0, 1]}}, mass: 1, com: [0, -1, 0],
     inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {{tip: {{position: [0, -1, 0]}}}}}}
  - {{name: b, parent: a, at: tip, hinge: {{type: revolute, axis: [0, 0, 1]}}, mass: 1, com: [0, -1, 0],
     inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}
initial: {{a: {{q: [1]}}}}
run: {{duration: 40, interval: 0.005, integrator: {{type: rk4, step: 0.005}}}}
{more}"""
STOP = """events:
  - {name: late, when: t, crosses: 30.0013, then: stop}
"""
CONTROL = """forces:
  - {name: motor, type: actuator, hinge: b, limits: [-40, 40], lag: 0.02}
controllers:
  - name: hold
    rate: 100
    sensors: [{name: encoder, signal: b.angle, delay: 0.02, noise: 1.0e-3, seed: 7}]
    actuators: [{actuator: motor, position: encoder, speed: differences, desired: 0}]
    law: {type: pid, kp: 20, kd: 4, ki: 5}
"""
SERVED = """controllers:
  - name: hold
    rate: 100
    sensors: [{name: encoder, signal: b.angle}]
    actuators: [{actuator: motor}]
    law: {type: callback}
forces:
  - {name: motor, type: actuator, hinge: b}
"""


def run(limber, folder, *words):
    return subprocess.run([limber, "run", "m.yaml", "-o", "out.h5", "--quiet", *words], cwd=folder,
                          capture_output=True, text=True)


def hash_rows(limber, folder):
    done = subprocess.run([limber, "results", "out.h5", "--csv"], cwd=folder, capture_output=True)
    return hashlib.sha256(done.stdout).hexdigest() if done.returncode == 0 else None


def make_models(limber, home, texts):
    """Folders with a model each, the hash of its rows, and the time that it takes."""
    models = []
    for i, text in enumerate(texts):
        folder = os.path.join(home, str(i))
        os.mkdir(folder)
        with open(os.path.join(folder, "m.yaml"), "w", encoding="utf-8") as file:
            file.write(MODEL.format(more=text))
        start = time.monotonic()
        done = run(limber, folder)
        took = time.monotonic() - start
        if done.returncode != 0:
            sys.exit(f"model {i} does not run: {done.stderr}")
        models.append((folder, hash_rows(limber, folder), took))
    return models


def kill_serve(limber, home, chance, number):
    """Kills `limber serve` while it records; a complaint, or None."""
    folder = os.path.join(home, f"serve{number}")
    os.mkdir(folder)
    with open(os.path.join(folder, "m.yaml"), "w", encoding="utf-8") as file:
        file.write(MODEL.format(more=SERVED))
    child = subprocess.Popen([limber, "serve", "m.yaml", "-o", "out.h5", "--port", "0", "--duration", "1"],
                             cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(chance.uniform(0.0, 1.3))
    if child.poll() not in (None, 0):
        return f"serve ends with status {child.returncode}: {child.stderr.read()}"
    child.kill()
    child.wait()
    for name in os.listdir(folder):
        if name.startswith("out.h5"):
            done = subprocess.run([limber, "results", name], cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                return f"{name} of serve cannot be read: {done.stderr}"
    return None


def main():
    limber, count = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**6)
    chance = random.Random(seed)
    home = tempfile.mkdtemp(prefix="limber-kills-")
    models = make_models(limber, home, ["", STOP, CONTROL, STOP + CONTROL])
    bad = kills = 0
    for i in range(count):
        folder, expected, took = models[i % len(models)]
        for name in os.listdir(folder):
            if name != "m.yaml":
                os.remove(os.path.join(folder, name))
        history = []
        for life in range(chance.randrange(1, 4)):
            words = ["--resume"] if life else []
            child = subprocess.Popen([limber, "run", "m.yaml", "-o", "out.h5", "--quiet", *words],
                                     cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait = chance.uniform(0.0, 1.1 * took)
            time.sleep(wait)
            kills += child.poll() is None
            child.kill()
            child.wait()
            history.append(f"{wait:.4f} s")
        done = run(limber, folder, "--resume")
        found = hash_rows(limber, folder)
        if done.returncode != 0 or found != expected or os.path.exists(os.path.join(folder, "out.h5.part")):
            bad += 1
            print(f"run {i}, model {i % len(models)}, killed after {', '.join(history)}: exit status "
                  f"{done.returncode}, rows {'right' if found == expected else 'WRONG'}: {done.stderr.strip()} "
                  f"{sorted(os.listdir(folder))}")
    bad_runs, served = bad, (count + 9) // 10
    for i in range(served):
        complaint = kill_serve(limber, home, chance, i)
        if complaint:
            bad += 1
            print(complaint)
    shutil.rmtree(home)
    print(f"seed {seed}: {count} runs killed {kills} times, {count - bad_runs} resumed with all their bits; "
          f"{served} serve killed, {served - bad + bad_runs} readable")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
