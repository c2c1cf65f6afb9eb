#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""fmus.py LIMBER EXAMPLES [FIGURE.svg]: FMUs of examples through FMPy, beside runs of the engine.

Exports each model for FMI 2.0 and 3.0, lets FMPy validate the FMU, compile its sources with all warnings as
errors, and simulate both kinds. Prints the largest gap to the engine, relative to the largest value, and
draws one state of each model. Needs FMPy with its dependencies, and SUNDIALS for model exchange. Exit status 1 if
there is a finding, or a gap above 1e-4.
"""
import csv
import os
import shutil
import subprocess
import sys
import tempfile

# a model, how long it is run, the state that is drawn: rigid, flexible, with a loop, a controller, an event, in free flight
MODELS = [("double_pendulum", 2.0, "lower.angle"),
          ("elastic_bar_beam", 4.0, "bar3.eta[0]"),
          ("four_bar", 4.0, "A.angle"),
          ("inverted_pendulum", 3.0, "pole.angle"),
          ("struck_pendulum", 2.0, "rod.angle"),
          ("free_flyer", 20.0, "bus.v[1]")]

# a motor swings a pendulum up against an elastic stop, until an event ends the run
STRUCK = """limber: 1
name: struck pendulum
gravity: [0, -9.81, 0]
bodies:
  - name: rod
    hinge: {type: revolute, axis: [0, 0, 1]}
    mass: 1
    com: [0, -0.5, 0]
    inertia: [0.1, 0.1, 0.1, 0, 0, 0]
    nodes: {tip: {position: [0, -1, 0]}}
forces:
  - {name: drive, type: motor, hinge: rod, value: {sine: {amplitude: 1, frequency: 0.7}}}
  - {name: post, type: stop, hinge: rod, lower: -0.3, upper: 2, stiffness: 500, damping: 0.5}
events:
  - {name: high, when: rod.angle, crosses: 0.55, direction: rising, then: stop}
run: {duration: 6, interval: 0.01}
outputs: [rod/tip]
"""


# a spacecraft that tumbles, with a panel on a spring
FLYER = """limber: 1
name: free flyer
bodies:
  - name: bus
    hinge: {type: free}
    mass: 50
    com: [0.05, 0, 0]
    inertia: [8, 10, 12, 0, 0, 0]
    nodes: {side: {position: [0, 0.5, 0]}}
  - name: panel
    parent: bus
    at: side
    hinge: {type: revolute, axis: [1, 0, 0]}
    mass: 3
    com: [0, 0.8, 0]
    inertia: [0.7, 0.1, 0.8, 0, 0, 0]
    nodes: {tip: {position: [0, 1.6, 0]}}
forces:
  - {name: coil, type: spring, hinge: panel, stiffness: 5}
  - {name: oil, type: damper, hinge: panel, damping: 0.05}
initial:
  bus: {v: [0.2, 0.5, 0.1, 0.1, 0, -0.05]}
  panel: {angle: 0.3}
run: {duration: 20, interval: 0.05}
outputs: [panel/tip]
"""

TEXTS = {"struck_pendulum": STRUCK, "free_flyer": FLYER}


def run_engine(limber, model, end, folder):
    """Times, and the states of the engine at them: q, then v."""
    table = os.path.join(folder, "engine.csv")
    subprocess.run([limber, "run", "-q", model, "-o", table, "-t", str(end), "--tolerance", "1e-10"], check=True)
    with open(table, encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return [[float(x) for x in row] for row in rows[1:]]


def main():
    limber, examples = sys.argv[1:3]
    import fmpy
    from fmpy.build import build_platform_binary
    from fmpy.validation import validate_fmu
    worst, drawn, findings = 0.0, [], 0
    for name, end, shown in MODELS:
        folder = tempfile.mkdtemp()
        model = os.path.join(examples, name + ".yaml")
        if name in TEXTS:
            model = os.path.join(folder, name + ".yaml")
            with open(model, "w", encoding="utf-8") as file:
                file.write(TEXTS[name])
        rows = run_engine(limber, model, end, folder)
        for version in (2, 3):
            path = os.path.join(folder, f"{name}.fmu")
            subprocess.run([limber, "export", "-q", "--as", f"fmi{version}", model, "-o", path], check=True)
            problems = validate_fmu(path)
            findings += len(problems)
            unpacked = fmpy.extract(path)
            build_platform_binary(unpacked, all_warnings=True,
                                  cmake_options={"CMAKE_COMPILE_WARNING_AS_ERROR:BOOL": "ON"})
            shutil.rmtree(unpacked, ignore_errors=True)
            description = fmpy.read_model_description(path)
            states = [d.variable.derivative.name for d in description.derivatives]
            for kind in ("CoSimulation", "ModelExchange"):
                result = fmpy.simulate_fmu(path, fmi_type=kind, stop_time=end, relative_tolerance=1e-10,
                                           output=states, output_interval=rows[1][0] - rows[0][0])
                times = {round(row[0], 9): row for row in rows}
                gap = size = 0.0
                for row in result:
                    other = times.get(round(float(row[0]), 9))
                    for i, state in enumerate(states if other else []):
                        gap = max(gap, abs(float(row[state]) - other[1 + i]))
                        size = max(size, abs(other[1 + i]))
                worst = max(worst, gap / size)
                print(f"{name:18} FMI {version} {kind:14} findings {len(problems)}  gap {gap / size:.1e}")
                for problem in problems:
                    print("   ", problem)
                if version == 3:
                    drawn.append((name, shown, kind, result, rows, 1 + states.index(shown)))
        shutil.rmtree(folder)
    if len(sys.argv) > 3:
        draw(drawn, sys.argv[3])
    return 1 if findings or worst > 1e-4 else 0


def draw(drawn, path):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "limber"
    import matplotlib.pyplot as plt
    names = list(dict.fromkeys(entry[0] for entry in drawn))
    figure, grid = plt.subplots((len(names) + 1) // 2, 2, figsize=(8, len(names)), constrained_layout=True)
    axes = grid.flatten()
    for name, shown, kind, result, rows, column in drawn:
        axis = axes[names.index(name)]
        if kind == "CoSimulation":
            axis.plot([row[0] for row in rows], [row[column] for row in rows], color="#c0c8d0", linewidth=5,
                      label="engine")
        axis.plot(result["time"], result[shown], color="#0072b2" if kind == "CoSimulation" else "#d55e00",
                  linestyle="-" if kind == "CoSimulation" else (0, (4, 4)), linewidth=1.2,
                  label="co-simulation" if kind == "CoSimulation" else "model exchange")
        axis.set_title(f"{name}: {shown}", fontsize=9)
    axes[0].legend(fontsize=8)
    for axis in grid[-1]:
        axis.set_xlabel("s")
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    sys.exit(main())
