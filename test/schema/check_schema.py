# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of the model format agrees with the models we have, and with the loader.

usage: check_schema.py SOURCE_DIR LIMBER

Every model of examples/ and test/data must validate. Each of the good snippets below must be accepted,
each of the bad ones refused, by the schema and by `limber check`. Every property of the schema has a description,
with a unit and a default where these make sense, and the
first line of every example tells editors where the schema is. Without the modules needed the test is skipped (status 77).
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml

    validator_class = jsonschema.Draft202012Validator
except (ImportError, AttributeError):
    print("python3 has no yaml and jsonschema (of draft 2020-12): skipped")
    sys.exit(77)


class Loader(yaml.SafeLoader):
    """YAML with the plain scalars of JSON, as Limber reads it."""


Loader.yaml_implicit_resolvers = {}
Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(null|)$"), ["n", ""])
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), list("tf"))
NUMBER = re.compile(r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$")
Loader.add_implicit_resolver("!number", NUMBER, list("-0123456789"))
Loader.add_constructor("!number", lambda loader, node: json.loads(node.value))

RIGID = "limber: 1\nbodies: [{name: a, mass: 1, %s}]\n"
HINGE = RIGID % "hinge: {%s}"
VIEW = (RIGID % "hinge: {type: free}") + "view: {shapes: [{body: a, %s}]}\n"
FLEX = "limber: 1\nbodies: [{name: a, hinge: {type: fixed}, %s}]\n"
NODE = FLEX % "flex: {stiffness: [], nodes: [{%s}]}"
# array.flex is made of test/data/fe/modes/array.csv: three modes, 0.35 to 1.65 Hz, inertia of order 0;
# block.flex of test/data/fe/calculix/block.*, which has nodes with numbers
FILE = FLEX % "flex: {file: array.flex, %s}"
LOOP = (
    "limber: 1\nbodies: [{name: a, mass: 1, hinge: {type: free}}]\n"
    "loops: [{name: l, a: {body: ground}, b: {body: a}, %s}]\n"
)
CHANGE = (
    "limber: 1\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: revolute, "
    "axis: [0, 0, 1]}}, {name: b, mass: 1, hinge: {type: translational}}]\n"
    "loops: [{name: l, a: {body: ground}, b: {body: a}, type: rod, length: 1, active: false}, "
    "{name: c, type: coupler, terms: [{body: a}], active: false}]\n"
    "events: [{name: e, when: t, then: {%s}}]\n"
)

TURNED = (
    "limber: 1\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: spherical}}]\n"
    "forces: [{name: x, type: actuator, hinge: a.0}, {name: y, type: actuator, hinge: a.1}, "
    "{name: z, type: actuator, hinge: a.2}]\n"
    "controllers: [{name: c, rate: 10, actuators: [x, y, z], law: {type: attitude, %s}}]\n"
)
FORCE = (
    "limber: 1\n"
    "bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: revolute, "
    "axis: [0, 0, 1]}}, {name: b, mass: 1, hinge: {type: translational}}]\n"
    "forces: [{name: f, %s}]\n"
)
VALUE = FORCE % "type: motor, hinge: a, value: %s"

BEAM = FLEX % "beam: {length: 1, section: {type: tube, diameter: 0.1}, material: steel, %s}"
SECTION = FLEX % "beam: {length: 1, section: {%s}, material: steel, modes: 1}"
FRAME = (
    FLEX % "frame: {material: steel, section: {type: tube, diameter: 0.1}, modes: 1, "
    "joints: {root: [0, 0, 0], tip: [1, 0, 0]}, members: [{joints: [root, tip], %s}]}"
)

GOOD = [
    TURNED % "node: a, kp: 1, kd: [1, 2, 3]",
    TURNED % "node: a, kp: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], kd: 1, inertia: 1, distribution: -1, desired: [1, 0, 0, 0]",
    TURNED % "node: a, kp: 1, kd: 1, desired: {waypoints: [[0, [1, 0, 0, 0]], [1, [0, 1, 0, 0]]], profile: cubic}",
    "parameters: {n: 2, m: {value: 2*n, unit: kg, range: [1, 9], note: half}}\n" + RIGID
    % "hinge: {type: free}, inertia: [m, m, 2*m, 0, 0, 0]",
    "limber: 1\nparameters: {n: 3}\nbodies: [repeat: {count: n - 1, index: k, items: [{name: 'a{k}', mass: 1 + k, "
    "hinge: {type: translational}, nodes: {repeat: {count: 2, items: {'n{i}': {position: [i, k, 0]}}}}}]}]\n",
    BEAM % "modes: 2",
    BEAM % "modes: {type: free-free, frequency: 900}, theory: timoshenko, rotary: false",
    BEAM % "modes: {effective_mass: 0.5, motions: [y, z]}, second_order: false",
    BEAM % "modes: {count: 2, corrections: [{at: tip, force: [0, 1, 0]}]}, damping: 0.01",
    BEAM % "modes: {type: craig-bampton, count: 2, interfaces: [tip]}, damping: {rayleigh: [1, 0]}",
    BEAM % "modes: 2, shapes: clamped-free-bar, damping: [0.1, 0.2]",
    VIEW % "tube: 0.1, nodes: [origin, origin], values: {origin: t}, caption: time",
    VIEW % "tube: 0.1, nodes: [origin, origin], values: {origin: a.position.x}",
    BEAM % "shapes: [{family: clamped-free, count: 2}, {polynomial: [0, 0, 1], motion: twist}]",
    BEAM % "modes: 2, masses: [{at: 0.5, mass: 1}, {at: n, mass: 1}], nodes: {n: 0.2}, elements: 4",
    BEAM % "modes: 2, fidelity: ruthless, damping: {table: [[0, 0.1], [1, 0.2]]}",
    FLEX % "flex: {file: array.flex}",
    FILE % "modes: {count: 2}, damping: [0.01, 0.02]",
    FLEX % "flex: {file: block.flex, nodes: {root: 1}}",
    FILE % "modes: {below: 1.5}, damping: {table: [[0, 0.1], [1, 0.2]]}, fidelity: ruthless",
    FILE % "modes: {count: 1, below: 1}, damping: {rayleigh: [1, 0]}",
    FILE % "scale: {frequency: 1.02, mass: 0.98}, damping: 0.01",
    "parameters: {f: 1.1, n: 2}\n" + FILE % "scale: {frequency: f, mass: 2 - f}, modes: {count: n}",
    SECTION % "type: tube, diameter: 0.1, wall: 0.01",
    SECTION % "type: rectangle, width: 0.1, height: 0.2, wall: 0.01, J: 1.0e-6",
    SECTION % "type: I, width: 0.1, height: 0.2, web: 0.01, flange: 0.02",
    SECTION % "type: general, A: 1, Iy: 1, Iz: 1",
    FRAME % "path: [[0.5, 0.1, 0]], up: [0, 1, 0], elements: 3",
    FRAME % "arc: {through: [0.5, 0.1, 0], segments: 4}, material: {E: 1, nu: 0.3, rho: 1}",
    "limber: 1\nlibrary: {materials: {m: {E: 1, G: 1, rho: 1}}, sections: {}}",
    "limber: 1\nsignals: {a: 1, b: a + t}\nforces: []",
    "limber: 1\nsignals: {a: {value: 1, unit: kN}, b: {value: a + t}}",
    FORCE % "type: spring, hinge: a, stiffness: 1, rest: -4.5e1 deg, enabled: false",
    FORCE % "type: damper, hinge: b.2, damping: 0",
    FORCE % "type: friction, hinge: a, coulomb: 1, viscous: 2, speed: 0.1",
    FORCE % "type: friction, hinge: a, coulomb: 1, static: 1.5",
    FORCE % "type: stop, hinge: a, upper: 30deg, stiffness: 1, damping: 1, width: 0.1",
    FORCE % "type: motor, hinge: a, value: [t], limits: [-1, 1], max_speed: 1, max_power: 2",
    FORCE % "type: motion, hinge: b, position: [t, 0, 1 rad]",
    FORCE % "type: torque, at: {body: a}, axes: node, value: [1, t, a.angle]",
    FORCE % "type: force, at: b/origin, value: [1, 2, 3]",
    FORCE % "type: spring, between: [a, {body: ground, node: origin}], stiffness: 1, length: 2",
    FORCE % "type: damper, between: [a, b], damping: 1",
    FORCE % "type: gravity-point, mu: 1, position: [1, 2, 3], gradient: false",
    FORCE % "type: gravity-point, mu: 1, j2: 1.0e-3, radius: 2, axis: [0, 1, 1]",
    VALUE % "{table: [[0, 1], [1, 2]], interpolation: cubic, ends: rest}",
    VALUE % "{pieces: [{from: 0, coefficients: [1, 2]}], until: 3}",
    VALUE % "{sine: {amplitude: 1, frequency: 2, phase: 90 deg, offset: 3}}",
    VALUE % "{pulse: {value: 1, start: 1, width: 2, rise: 0.5, period: 3}}",
    CHANGE % "alter: l, length: 2",
    CHANGE % "alter: l, a: {body: b}, type: revolute, axis: [0, 0, 1], grasp: true",
    CHANGE % "alter: c, terms: [{body: a, factor: 2}, {body: b, coordinate: 1}], offset: 1",
    CHANGE % "make: {name: m, a: {body: a}, b: {body: b}, type: weld}",
    CHANGE % "make: {name: m, a: {body: a}, b: {body: b}, type: rod, grasp: true}",
    CHANGE % "make: {name: m, type: coupler, terms: [{body: a}, {body: b, factor: -1}]}",
]

BAD = [
    TURNED % "node: a, kp: 1",
    TURNED % "node: a, kp: 1, kd: {}",
    TURNED % "node: a, kp: 1, kd: 1, desired: [1, 0, 0]",
    TURNED % "node: a, kp: 1, kd: 1, desired: {waypoints: [[0, [1, 0, 0, 0]]]}",
    TURNED % "node: a, kp: 1, kd: 1, rate: [g]",
    TURNED % "node: a, kp: 1, kd: 1, shape: 1",
    "parameters: [1]\n" + RIGID % "hinge: {type: translational}",
    "parameters: {1m: 1}\n" + RIGID % "hinge: {type: translational}",
    "parameters: {m: {unit: kg}}\n" + RIGID % "hinge: {type: translational}",
    "parameters: {m: '2.0'}\n" + RIGID % "hinge: {type: translational}",
    "include: 3\n" + RIGID % "hinge: {type: translational}",
    "limber: 1\nbodies: [repeat: {items: []}]\n",
    "limber: 1\nbodies: [repeat: {count: -1, items: []}]\n",
    "limber: 1\nbodies: [repeat: {count: 1, items: [], step: 2}]\n",
    BEAM % "",
    BEAM % "modes: 0",
    BEAM % "modes: {}",
    BEAM % "modes: {count: 1, frequency: 1}",
    BEAM % "modes: {count: 1, motions: [x]}",
    BEAM % "modes: {type: pinned, count: 1}",
    BEAM % "modes: {effective_mass: 1}",
    BEAM % "modes: {count: 1, corrections: [{force: [0, 1, 0]}]}",
    BEAM % "modes: 1, shapes: square",
    VIEW % "tube: 0.1, nodes: [origin, origin], values: [t]",
    VIEW % "tube: 0.1, nodes: [origin, origin], values: {origin: 1}",
    VIEW % "tube: 0.1, nodes: [origin, origin], caption: time",
    BEAM % "shapes: []",
    BEAM % "shapes: [{polynomial: [0, 1]}]",
    BEAM % "modes: 1, damping: -1",
    BEAM % "modes: 1, damping: {rayleigh: [1]}",
    BEAM % "modes: 1, damping: {}",
    BEAM % "modes: 1, theory: cosserat",
    BEAM % "modes: 1, masses: [{at: 0}]",
    BEAM % "modes: 1, nodes: {origin: 0.5}",
    BEAM % "modes: 1, colour: red",
    BEAM % "modes: 1, stations: []",
    FLEX % "beam: {length: 0, section: {type: tube, diameter: 1}, material: steel, modes: 1}",
    FLEX % "beam: {length: 1, material: steel, modes: 1}",
    FLEX % "beam: {length: 1, section: {type: tube, diameter: 1}, material: {E: 1}, modes: 1}",
    FLEX % "beam: {length: 1, section: {type: tube, diameter: 1}, material: "
    "{E: -1, G: 1, rho: 1}, modes: 1}",
    SECTION % "type: pipe, diameter: 1",
    SECTION % "diameter: 1",
    SECTION % "type: tube",
    SECTION % "type: tube, diameter: -1",
    SECTION % "type: tube, diameter: 1, width: 1",
    SECTION % "type: rectangle, width: 1",
    SECTION % "type: general, A: 1, Iy: 1",
    FLEX % "flex: {file: 3}",
    FLEX % "flex: {file: ''}",
    FLEX % "flex: {file: absent.flex, modes: 2}",
    FILE % "modes: 2",
    FILE % "modes: {count: 0}",
    FILE % "modes: {below: 0}",
    FILE % "modes: {frequency: 1}",
    FILE % "fidelity: appendix-c",
    FILE % "damping: -1",
    FILE % "damping: {}",
    FILE % "nodes: [1]",
    FILE % "nodes: {origin: 1}",
    FILE % "nodes: {root: 1.5}",
    FILE % "scale: 2",
    FILE % "scale: {frequency: 0}",
    FILE % "scale: {mass: -1}",
    FILE % "scale: {length: 1}",
    FILE % "hash: 3",
    FILE % "stiffness: [1, 2, 3]",
    FLEX % "flex: {file: array.flex}, mass: 1",
    FRAME % "arc: {through: [0, 1, 0]}",
    FRAME % "up: [0, 0, 0]",
    FRAME % "elements: 1.5",
    FLEX % "frame: {modes: 1, members: [], joints: {a: [0, 0, 0], b: [1, 0, 0]}}",
    FLEX % "frame: {modes: 1}",
    "limber: 1\nlibrary: 3",
    "limber: 1\nlibrary: {materials: {m: {E: 1, G: 1}}}",
    "limber: 1\nlibrary: {colours: {}}",
    "limber: 1\nsignals: []",
    "limber: 1\nsignals: {two words: 1}",
    "limber: 1\nsignals: {a: [1]}",
    "limber: 1\nsignals: {a: {unit: m}}",
    "limber: 1\nsignals: {a: {value: 1, unit: 3}}",
    "limber: 1\nsignals: {a: {value: 1, name: b}}",
    "limber: 1\nforces: {}",
    "limber: 1\nforces: [1]",
    FORCE % "hinge: a",
    FORCE % "type: sprung",
    FORCE % "type: spring, hinge: a",
    FORCE % "type: spring, hinge: a, stiffness: -1",
    FORCE % "type: spring, hinge: a, stiffness: 1, rest: 45 degrees",
    FORCE % "type: spring, hinge: a, stiffness: 1, length: 1",
    FORCE % "type: spring, hinge: a, between: [a, b], stiffness: 1",
    FORCE % "type: spring, between: [a], stiffness: 1",
    FORCE % "type: stop, hinge: a, stiffness: 1",
    FORCE % "type: friction, hinge: a, coulomb: 1, speed: 0",
    FORCE % "type: friction, hinge: a, coulomb: 1, static: 0",
    FORCE % "type: friction, hinge: a, coulomb: 1, speed: 1, static: 2",
    FORCE % "type: motor, hinge: a, value: 1, max_speed: 1",
    FORCE % "type: motor, hinge: a, value: 1, limits: [1]",
    FORCE % "type: motor, hinge: a, value: true",
    FORCE % "type: motion, hinge: a",
    FORCE % "type: motion, hinge: a, position: 1, speed: 1",
    FORCE % "type: force, at: a, value: 1",
    FORCE % "type: force, at: a, axes: local, value: [1, 2, 3]",
    FORCE % "type: gravity-point, mu: 0",
    FORCE % "type: gravity-point, mu: 1, j2: 1.0e-3",
    VALUE % "{}",
    VALUE % "{table: [[0, 1]]}",
    VALUE % "{table: [[0, 1], [1]]}",
    VALUE % "{table: [[0, 1], [1, 2]], ends: rest}",
    VALUE % "{pieces: []}",
    VALUE % "{pieces: [{from: 0, coefficients: []}]}",
    VALUE % "{sine: {amplitude: 1}}",
    VALUE % "{sine: {amplitude: 1, frequency: 1, rate: 1}}",
    VALUE % "{pulse: {value: 1, width: 0}}",
    VALUE % "{pulse: {value: 1, width: 1}, sine: {amplitude: 1, rate: 1}}",
    "[]",
    "name: x",
    "limber: 2",
    "limber: '1'",
    "limber: 1\nmotors: []",
    "limber: 1\nname: 3",
    "limber: 1\ngravity: [0, 0]",
    "limber: 1\ngravity: [0, 0, 010]",
    "limber: 1\ngravity: [0, 0, .inf]",
    "limber: 1\ngravity: [0, 0, null]",
    "limber: 1\nground: {mass: 1}",
    "limber: 1\nground: {nodes: [a]}",
    "limber: 1\nground: {nodes: {origin: {}}}",
    "limber: 1\nground: {nodes: {'': {}}}",
    "limber: 1\nground: {nodes: {m: }}",
    "limber: 1\nground: {nodes: {m: {rotation: [1, 0, 0]}}}",
    "limber: 1\nground: {nodes: {m: {mass: 1}}}",
    "limber: 1\nbodies: {a: {}}",
    "limber: 1\nbodies: [1]",
    "limber: 1\nbodies: [{mass: 1, hinge: {type: free}}]",
    "limber: 1\nbodies: [{name: a, hinge: {type: free}}]",
    "limber: 1\nbodies: [{name: a, mass: 1}]",
    "limber: 1\nbodies: [{name: a, mass: -1, hinge: {type: free}}]",
    "limber: 1\nbodies: [{name: '', mass: 1, hinge: {type: free}}]",
    "limber: 1\nbodies: [{name: ground, mass: 1, hinge: {type: free}}]",
    RIGID % "hinge: free",
    RIGID % "hinge: {type: free}, colour: red",
    RIGID % "hinge: {type: free}, com: 1",
    RIGID % "hinge: {type: free}, inertia: [1, 1, 1]",
    RIGID % "hinge: {type: free}, parent: 1",
    HINGE % "",
    HINGE % "type: ball",
    HINGE % "type: revolute",
    HINGE % "type: revolute, axis: [0, 0, 0]",
    HINGE % "type: revolute, axis: [0, 1]",
    HINGE % "type: revolute, axis: [0, 0, 1], pitch: 1",
    HINGE % "type: spherical, axis: [0, 0, 1]",
    HINGE % "type: screw, pitch: 1",
    HINGE % "type: universal",
    HINGE % "type: universal, axis: [0, 0, 1]",
    HINGE % "type: universal, axes: [[0, 0, 1]]",
    FLEX % "flex: {}",
    FLEX % "flex: {nodes: [], stiffness: []}",
    FLEX % "flex: {nodes: [{name: n, shape: []}]}",
    FLEX % "flex: {nodes: [{name: n, shape: []}], stiffness: [], fidelity: exact}",
    FLEX % "flex: {nodes: [{name: n, shape: []}], stiffness: [], modes: 0}",
    FLEX % "flex: {nodes: [{name: n, shape: []}], stiffness: []}, mass: 1",
    FLEX % "flex: {nodes: [{name: n, shape: []}], stiffness: []}, nodes: {}",
    FLEX % "flex: {nodes: [{name: n, shape: [[0, 0, 0, 0, 0, 0]]}], stiffness: [true]}",
    NODE % "name: n",
    NODE % "shape: []",
    NODE % "name: origin, shape: []",
    NODE % "name: n, shape: [], mass: -1",
    NODE % "name: n, shape: [[0, 0, 0]]",
    NODE % "name: n, shape: [], second_order: [[0, 0]]",
    NODE % "name: n, shape: [], second_order: [[0, 0.5, [0, 0, 0]]]",
    NODE % "name: n, shape: [], second_order: [[0, -1, [0, 0, 0]]]",
    LOOP % "type: hook",
    LOOP % "type: revolute",
    LOOP % "type: weld, axis: [0, 0, 1]",
    CHANGE % "alter: l",
    CHANGE % "alter: l, active: true",
    CHANGE % "alter: l, length: 0",
    CHANGE % "alter: l, axis: [0, 0, 0]",
    CHANGE % "alter: l, type: hook, a: {body: b}",
    CHANGE % "make: m",
    CHANGE % "make: {name: m, type: weld}",
    CHANGE % "make: {name: m, type: rod, a: {body: a}, b: {body: b}}",
    CHANGE % "make: {name: m, type: revolute, a: {body: a}, b: {body: b}}",
    CHANGE % "make: {name: m, type: weld, a: {body: a}, b: {body: b}, motion: t}",
    CHANGE % "make: {name: m, type: coupler}",
    CHANGE % "make: {name: m, type: weld, a: {body: a}, b: {body: b}}, stop: true",
    "limber: 1\nloops: [{name: l, type: weld}]",
]


def load(path):
    text = path.read_text(encoding="utf-8")
    model = json.loads(text) if path.suffix == ".json" else yaml.load(text, Loader)
    # a file of reference numbers carries its model within
    if isinstance(model, dict) and "limber" not in model and "model" in model:
        return model["model"]
    return model


def find_silent(schema, path=""):
    """Properties without a description. Those of conditions, which have no `type`, repeat properties."""
    if isinstance(schema, list):
        return [name for i, item in enumerate(schema) for name in find_silent(item, f"{path}/{i}")]
    if not isinstance(schema, dict):
        return []
    silent = []
    if schema.get("type") == "object":
        for name, value in schema.get("properties", {}).items():
            if len(value.get("description", "")) < 10:
                silent.append(f"{path}/{name}")
    return silent + [name for key, value in schema.items() for name in find_silent(value, f"{path}/{key}")]


# what a description of a number says: its unit, or what it counts or weighs
UNIT = re.compile(
    r"metre|second|newton|kilogram|kg|radian|hertz|pascal|joule|unit|ratio|factor|weight|gain|fraction|coefficient|number of|"
    r"count|order|seed|version|relative|strength|radius at|harmonic|counted|expansion|room for|corrections|per ",
    re.IGNORECASE,
)


def find_vague(schema, defs, path=""):
    """Numbers without a unit; optional numbers, truths and choices that do not say what holds without them."""
    if isinstance(schema, list):
        return [name for i, item in enumerate(schema) for name in find_vague(item, defs, f"{path}/{i}")]
    if not isinstance(schema, dict):
        return []
    vague = []
    if schema.get("type") == "object":
        for name, value in schema.get("properties", {}).items():
            kind = value
            while "$ref" in kind:
                kind = defs[kind["$ref"].rsplit("/", 1)[1]]
            is_number = kind.get("type") in ("number", "integer")
            is_plain = is_number or kind.get("type") == "boolean" or "enum" in kind
            said = value.get("description", "")
            if is_number and not UNIT.search(said):
                vague.append(f"unit of {path}/{name}: {said}")
            if is_plain and name not in schema.get("required", []) and "default" not in value and "absent" not in said:
                vague.append(f"default of {path}/{name}: {said}")
    return vague + [name for key, value in schema.items() for name in find_vague(value, defs, f"{path}/{key}")]


def find_schema(path):
    """The schema that the first line of a model names for editors, or None."""
    found = re.match(r"# yaml-language-server: \$schema=(\S+)\n", path.read_text(encoding="utf-8"))
    return (path.parent / found[1]).resolve() if found else None


PLAN = "limber_sweep: 1\nmodel: examples/simple_pendulum.yaml\n"
RANDOM = PLAN + "vary: {gravity.2: {%s}}\nsamples: 9\njob: run\noutputs: {x: {signal: t}}\n"
KEPT = PLAN + "vary: {gravity.2: {values: [-9, -10]}}\nsampling: grid\njob: %s\noutputs: {x: {%s}}\n"
GOOD_PLANS = [
    RANDOM % "distribution: uniform, low: -10, high: -9",
    RANDOM % "distribution: normal, mean: -9.8, deviation: 0.1",
    RANDOM % "distribution: log-normal, median: 9.8, deviation: 0.1",
    RANDOM % "distribution: triangular, low: -10, mode: -9.8, high: -9",
    RANDOM % "values: {from: -10, to: -9, count: 5}",
    KEPT % ("run", "signal: t, value: rms"),
    KEPT % ("{type: loads, duration: 1, trim: false}", "audit: steps"),
    KEPT % ("modes", "frequency: 1"),
    KEPT % ("linearize", "growth: true"),
]
BAD_PLANS = [
    RANDOM % "distribution: uniform, low: -10",
    RANDOM % "distribution: cauchy, low: -10",
    RANDOM % "distribution: normal, mean: 1, deviation: 0.1, low: 0",
    RANDOM % "values: []",
    RANDOM % "values: {from: 1, to: 2, count: 1}",
    KEPT % ("run", "signal: t, value: worst"),
    KEPT % ("dance", "signal: t"),
    KEPT % ("modes", "frequency: 0"),
    KEPT % ("{type: run, time: 3}", "signal: t"),
    PLAN + "vary: {}\njob: run\noutputs: {x: {signal: t}}\n",
    PLAN + "vary: {gravity.2: {values: [1, 2]}}\njob: run\n",
]


def check_plans(source, limber, plans):
    """The schema of plans against those of the examples, and with the command against snippets; failures."""
    schema = json.loads((source / "schema/limber-sweep-1.json").read_text(encoding="utf-8"))
    validator_class.check_schema(schema)
    validator = validator_class(schema)
    failures = 0
    for name in find_silent(schema):
        print(f"the schema of plans has no description of {name}")
        failures += 1
    for path in plans:
        for error in validator.iter_errors(yaml.load(path.read_text(encoding="utf-8"), Loader)):
            print(f"{path}: {error.json_path}: {error.message}")
            failures += 1
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "plan.yaml"
        for text in GOOD_PLANS + BAD_PLANS:
            good = text in GOOD_PLANS
            verb = "refuses" if good else "accepts"
            if validator.is_valid(yaml.load(text, Loader)) != good:
                print(f"the schema {verb}\n{text}")
                failures += 1
            path.write_text(text.replace("model: ", f"model: {source.resolve()}/"), encoding="utf-8")
            done = subprocess.run([limber, "sweep", "status", path, "--allow-files", source.resolve()], capture_output=True, text=True)
            if done.returncode != (0 if good else 1):
                print(f"limber sweep {verb}\n{text}{done.stderr}")
                failures += 1
    return failures


def main():
    source, limber = pathlib.Path(sys.argv[1]), sys.argv[2]
    schema = json.loads((source / "schema/limber-model-1.json").read_text(encoding="utf-8"))
    validator_class.check_schema(schema)
    validator = validator_class(schema)
    failures = 0
    for name in find_silent(schema):
        print(f"the schema has no description of {name}")
        failures += 1
    for name in find_vague(schema, schema["$defs"]):
        print(f"the schema does not say the {name}")
        failures += 1
    if not schema.get("$id"):
        print("the schema has no $id")
        failures += 1
    plans = [path for path in (source / "examples").rglob("*_plan.yaml")]
    failures += check_plans(source, limber, plans)
    for path in (source / "examples").rglob("*.yaml"):
        kind = "sweep" if path in plans else "model"
        if path.parent.name != "parts" and find_schema(path) != (source / f"schema/limber-{kind}-1.json").resolve():
            print(f"{path}: the first line names no schema for editors")
            failures += 1

    models = sorted(
        path
        for folder in ("examples", "test/data")
        for path in (source / folder).rglob("*")
        if path.suffix in (".yaml", ".json") and path not in plans
    )
    library = validator_class({**schema, **schema["$defs"]["library"]})
    for path in models:
        is_library = path.parent.name == "parts"
        for error in (library if is_library else validator).iter_errors(load(path)):
            print(f"{path}: {error.json_path}: {error.message}")
            failures += 1

    with tempfile.TemporaryDirectory() as folder:
        table = source / "test/data/fe/modes/array.csv"
        made = pathlib.Path(folder) / "array.flex"
        subprocess.run([limber, "import", table, "-o", made], check=True, stdout=subprocess.DEVNULL)
        block = [source / f"test/data/fe/calculix/block.{kind}" for kind in ("sti", "mas", "dof", "inp")]
        made = pathlib.Path(folder) / "block.flex"
        subprocess.run(
            [limber, "import", *block, "--nodes", "1", "-o", made], check=True, stdout=subprocess.DEVNULL
        )
        for text in GOOD + BAD:
            good = text in GOOD
            verb = "refuses" if good else "accepts"
            if validator.is_valid(yaml.load(text, Loader)) != good:
                print(f"the schema {verb}\n{text}")
                failures += 1
            path = pathlib.Path(folder) / "snippet.yaml"
            path.write_text(text, encoding="utf-8")
            status = subprocess.run([limber, "check", path], capture_output=True).returncode
            if status != (0 if good else 1):
                print(f"limber check {verb}\n{text}")
                failures += 1

    print(f"{len(models)} models, {len(GOOD)} good and {len(BAD)} bad snippets, {failures} failures")
    return 1 if failures or not models else 0


sys.exit(main())
