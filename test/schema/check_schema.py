# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of the model format agrees with the models we have, and with the loader.

usage: check_schema.py SOURCE_DIR LIMBER

Every model of examples/ and test/data must validate. Each of the bad snippets below must be refused
by the schema and by `limber check`. Without the modules needed the test is skipped (status 77).
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
FLEX = "limber: 1\nbodies: [{name: a, hinge: {type: fixed}, %s}]\n"
NODE = FLEX % "flex: {stiffness: [], nodes: [{%s}]}"
LOOP = (
    "limber: 1\nbodies: [{name: a, mass: 1, hinge: {type: free}}]\n"
    "loops: [{name: l, a: {body: ground}, b: {body: a}, %s}]\n"
)

BAD = [
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
    FLEX % "flex: {nodes: [{name: n, shape: [[0, 0, 0, 0, 0, 0]]}], stiffness: [x]}",
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
    "limber: 1\nloops: [{name: l, type: weld}]",
]


def load(path):
    text = path.read_text(encoding="utf-8")
    model = json.loads(text) if path.suffix == ".json" else yaml.load(text, Loader)
    # a file of reference numbers carries its model within
    if isinstance(model, dict) and "limber" not in model and "model" in model:
        return model["model"]
    return model


def main():
    source, limber = pathlib.Path(sys.argv[1]), sys.argv[2]
    schema = json.loads((source / "schema/limber-model-1.json").read_text(encoding="utf-8"))
    validator_class.check_schema(schema)
    validator = validator_class(schema)
    failures = 0

    models = sorted(
        path
        for folder in ("examples", "test/data")
        for path in (source / folder).rglob("*")
        if path.suffix in (".yaml", ".json")
    )
    for path in models:
        for error in validator.iter_errors(load(path)):
            print(f"{path}: {error.json_path}: {error.message}")
            failures += 1

    with tempfile.TemporaryDirectory() as folder:
        for text in BAD:
            if validator.is_valid(yaml.load(text, Loader)):
                print(f"the schema accepts\n{text}")
                failures += 1
            path = pathlib.Path(folder) / "bad.yaml"
            path.write_text(text, encoding="utf-8")
            if subprocess.run([limber, "check", path], capture_output=True).returncode != 1:
                print(f"limber check accepts\n{text}")
                failures += 1

    print(f"{len(models)} models, {len(BAD)} bad snippets, {failures} failures")
    return 1 if failures or not models else 0


sys.exit(main())
