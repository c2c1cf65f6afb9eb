#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the CalculiX input files of this folder: a block of 20-node bricks whose end face at x = 0 is a rigid
interface. Units: mm, N, t, s.

    make_models.py FOLDER    beam.inp, panel.inp, block.inp for the matrices, and with the endings _free and _clamped
                             those that CalculiX computes the frequencies of
"""
import pathlib
import sys

MODELS = {
    # aluminium, 400 x 20 x 10 mm
    "beam": dict(element="C3D20", size=(400, 20, 10), cells=(10, 1, 1),
                 modulus=70000, poisson=0.3, density=2.7e-9),
    # a sandwich panel of 2 x 0.8 m as one plate of the same bending stiffness and mass
    "panel": dict(element="C3D20R", size=(2000, 800, 20), cells=(5, 2, 1),
                  modulus=4200, poisson=0.3, density=1.5e-10),
    # small enough to be written in other formats by tests; no interface; the last node comes first
    "block": dict(element="C3D8", size=(3, 1, 2), cells=(2, 1, 1), modulus=70000, poisson=0.3, density=2.7e-9),
}
# corners and middles of the edges of a C3D20, in half cells
BRICK = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2),
         (1, 0, 0), (2, 1, 0), (1, 2, 0), (0, 1, 0), (1, 0, 2), (2, 1, 2), (1, 2, 2), (0, 1, 2),
         (0, 0, 1), (2, 0, 1), (2, 2, 1), (0, 2, 1)]
REFERENCE, ROTATION = 9001, 9002


def write(path, name, step):
    model = MODELS[name]
    cells, size, count = model["cells"], model["size"], int(model["element"][3:].rstrip("R"))
    nodes, elements = {}, []
    for i in range(cells[0]):
        for j in range(cells[1]):
            for k in range(cells[2]):
                places = [(2 * i + a, 2 * j + b, 2 * k + c) for a, b, c in BRICK[:count]]
                elements.append([nodes.setdefault(place, len(nodes) + 1) for place in places])
    # the origin is the middle of the face at x = 0
    lines = ["** made by make_models.py", "*NODE, NSET=ALL"]
    for place, number in sorted(nodes.items(), key=lambda node: node[1] * (-1 if name == "block" else 1)):
        x = [size[d] * place[d] / (2 * cells[d]) - (size[d] / 2 if d else 0) for d in range(3)]
        lines.append("%d, %.9g, %.9g, %.9g" % (number, *x))
    if name != "block":
        lines += ["*NODE", f"{REFERENCE}, 0, 0, 0", f"{ROTATION}, 0, 0, 0"]
    lines += [f"*ELEMENT, TYPE={model['element']}, ELSET=SOLID"]
    for number, element in enumerate(elements, 1):
        numbers = [str(n) for n in [number] + element]
        lines += [", ".join(numbers[:11]) + ",", ", ".join(numbers[11:])] if count > 10 else [", ".join(numbers)]
    face = [str(number) for place, number in nodes.items() if place[0] == 0]
    if name != "block":
        lines += ["*NSET, NSET=FACE"] + [", ".join(face[i:i + 10]) for i in range(0, len(face), 10)]
        lines += [f"*RIGID BODY, NSET=FACE, REF NODE={REFERENCE}, ROT NODE={ROTATION}"]
    lines += ["*MATERIAL, NAME=M", "*ELASTIC", f"{model['modulus']}, {model['poisson']}",
              "*DENSITY", f"{model['density']}", "*SOLID SECTION, ELSET=SOLID, MATERIAL=M"]
    path.write_text("\n".join(lines + step) + "\n")


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    fix = ["*BOUNDARY", f"{REFERENCE}, 1, 3", f"{ROTATION}, 1, 3"]
    for name in MODELS:
        write(folder / f"{name}.inp", name, ["*STEP", "*FREQUENCY, SOLVER=MATRIXSTORAGE", "10", "*END STEP"])
        if name == "block":
            continue
        write(folder / f"{name}_free.inp", name, ["*STEP", "*FREQUENCY", "16", "*END STEP"])
        write(folder / f"{name}_clamped.inp", name, fix + ["*STEP", "*FREQUENCY", "10", "*END STEP"])
