// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Every mistake that a model file can hold has its own message, at its own place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "heard.h"
#include "limber/io.h"
#include "program.h"

typedef struct bad_model {
    const char *title;
    const char *text;
    int line, column;
    const char *path;
    const char *message; // a part of it
    lb_status status;
    lb_format format;
    size_t length; // of texts with NUL inside
} bad_model;

#define SYNTAX .status = LB_E_SYNTAX
#define MODEL .status = LB_E_MODEL
#define JSON .format = LB_FORMAT_JSON

// one rigid body on line 3, from column 5 on
#define BODY(rest) "limber: 1\nbodies:\n  - {name: a, " rest "}\n"
#define REST "hinge: {type: fixed}, mass: 1"
#define FREE "hinge: {type: free}, mass: 1"
// the flexible body b of nodes n0 and n1 with two modes: lines 6 and 7 are n1's, 8 and 9 the matrices
#define FLEX(shape1, rest)                                                                         \
    "limber: 1\nbodies:\n  - name: b\n    hinge: {type: fixed}\n    flex: {nodes: [{name: n0, "    \
    "shape: [[0,0,0,0,0,0], [0,0,0,0,0,0]]},\n           {name: n1,\n            shape: " shape1   \
    "}],\n           " rest "}\n"
#define SHAPE "[[0,0,1,0,1,0], [0,-1,0,0,0,1]]"

static const bad_model bad_models[] = {
    // ---- not well formed ----
    {"empty file", "", 1, 1, "", "empty", SYNTAX},
    {"empty JSON file", " \n", 1, 1, "", "empty", SYNTAX, JSON},
    {"only a comment", "# nothing\n", 1, 1, "", "empty", SYNTAX},
    {"truncated in a mapping", "limber: 1\nbodies: [{name: a, hinge", 2, 25, "bodies[0]",
     "not valid YAML: did not find expected ',' or '}'", SYNTAX},
    {"truncated in a string", "limber: 1\nname: \"ab", 2, 10, "name", "unexpected end of stream",
     SYNTAX},
    {"truncated JSON", "{\"limber\": 1,\n \"bodies\": [", 2, 12, "", "not valid JSON", SYNTAX,
     JSON},
    {"JSON with more after it", "{\"limber\": 1} {}", 1, 15, "", "end of file expected", SYNTAX,
     JSON},
    {"JSON with a trailing comma", "{\"limber\": 1,}", 1, 14, "", "string or '}' expected", SYNTAX,
     JSON},
    {"JSON with NaN", "{\"limber\": 1, \"gravity\": [0, 0, NaN]}", 1, 35, "", "NaN", SYNTAX, JSON},
    {"binary garbage",
     "\x7f"
     "ELF\x02\x01\x01",
     1, 1, "", "control characters", SYNTAX},
    {"binary garbage as JSON", "\x89PNG\r\n\x1a\n", 1, 1, "", "0x89", SYNTAX, JSON},
    {"bad UTF-8", "limber: 1\nname: a\xff\n", 2, 8, "", "UTF-8", SYNTAX},
    {"NUL byte", "limber: 1\nname: a\0b\n", 2, 8, "", "control characters", SYNTAX, .length = 20},
    {"NUL byte in JSON", "{\"limber\": 1\0}", 1, 13, "", "NUL byte", SYNTAX, JSON, .length = 14},
    {"escaped NUL", "limber: 1\nname: \"a\\0b\"\n", 2, 7, "name", "NUL character", SYNTAX},
    {"escaped NUL in JSON", "{\"name\": \"a\\u0000b\"}", 1, 19, "", "\\u0000", SYNTAX, JSON},
    {"tab as indentation", "limber: 1\nground:\n\tnodes: {}\n", 3, 1, "ground", "not valid YAML",
     SYNTAX},
    {"two documents", "limber: 1\n---\nlimber: 1\n", 2, 1, "", "second document", SYNTAX},
    {"anchor", "limber: 1\nname: &a x\n", 2, 7, "name", "anchors are not allowed", SYNTAX},
    {"anchor on a list", "limber: 1\ngravity: &g [0, 0, 0]\n", 2, 10, "gravity",
     "anchors are not allowed", SYNTAX},
    {"alias", "limber: 1\nname: *a\n", 2, 7, "name", "aliases are not allowed", SYNTAX},
    {"alias bomb",
     "a: &a [x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b]\n",
     1, 4, "a", "anchors are not allowed", SYNTAX},
    {"tag", "limber: !!int 1\n", 1, 9, "limber", "tags are not allowed", SYNTAX},
    {"local tag on a mapping", "limber: 1\nground: !x {}\n", 2, 9, "ground", "tags are not allowed",
     SYNTAX},
    {"merge key", BODY(REST ", <<: {mass: 2}"), 3, 46, "bodies[0]", "merge keys are not allowed",
     SYNTAX},
    {"list as a key", "limber: 1\n? [a, b]\n: 1\n", 2, 3, "", "expected a key, found a list",
     SYNTAX},
    {"mapping as a key", "limber: 1\n{a: 1}: 1\n", 2, 1, "", "expected a key, found a mapping",
     SYNTAX},
    {"duplicate key", BODY(REST ", mass: 2"), 3, 46, "bodies[0].mass",
     "duplicate key \"mass\", already given at 3:37", SYNTAX},
    {"duplicate key in JSON", "{\"limber\": 1,\n \"limber\": 1}", 2, 2, "limber",
     "duplicate key \"limber\", already given at 1:2", SYNTAX, JSON},
    {"duplicate key, spelt in two ways", "limber: 1\n\"limber\": 1\n", 2, 1, "limber",
     "duplicate key", SYNTAX},
    {"duplicate node of the ground", "limber: 1\nground: {nodes: {a: {}, b: {}, a: {}}}\n", 2, 32,
     "ground.nodes.a", "already given at 2:18", SYNTAX},
    {"number beyond double", "limber: 1\ngravity: [0, 0, -1e999]\n", 2, 17, "gravity[2]",
     "-1e999 is not a number of double precision", SYNTAX},
    {"number beyond double in JSON", "{\"limber\": 1e999}", 1, 16, "", "overflow", SYNTAX, JSON},

    // ---- the wrong shape ----
    {"list at the top", "- 1\n- 2\n", 1, 1, "", "expected a mapping, found a list of 2", MODEL},
    {"number at the top of JSON", "3", 1, 1, "", "expected a mapping, found the number 3", MODEL,
     JSON},
    {"text at the top", "hello\n", 1, 1, "", "found the string \"hello\"", MODEL},
    {"no version", "name: x\n", 1, 1, "limber", "missing: a model starts with \"limber: 1\"",
     MODEL},
    {"wrong version", "limber: 2\n", 1, 9, "limber", "format version 2, expected 1", MODEL},
    {"version as a string", "limber: \"1\"\n", 1, 9, "limber",
     "expected a finite number as in JSON, found the string \"1\"", MODEL},
    {"unknown key", "limber: 1\nmotors: []\n", 2, 1, "motors",
     "unknown key \"motors\", expected one of limber, name, gravity", MODEL},
    {"misspelt key", BODY(REST ", ineria: [1, 1, 1, 0, 0, 0]"), 3, 46, "bodies[0].ineria",
     "did you mean \"inertia\"?", MODEL},
    {"swapped letters", "limber: 1\nbodeis: []\n", 2, 1, "bodeis", "did you mean \"bodies\"?",
     MODEL},
    {"unknown key of a node", "limber: 1\nground: {nodes: {m: {pos: [0, 0, 0]}}}\n", 2, 22,
     "ground.nodes.m.pos", "unknown key \"pos\", expected one of position, rotation", MODEL},
    {"unknown key of the ground", "limber: 1\nground: {mass: 3}\n", 2, 10, "ground.mass",
     "expected one of nodes", MODEL},
    {"empty key", "limber: 1\n\"\": 3\n", 2, 1, "", "unknown key \"\"", MODEL},
    {"number as a name", "limber: 1\nname: 3\n", 2, 7, "name",
     "expected a string, found the number 3", MODEL},
    {"nothing as a name", "limber: 1\nname:\n", 2, 6, "name", "expected a string, found null",
     MODEL},
    {"bodies as a mapping", "limber: 1\nbodies: {a: {}}\n", 2, 9, "bodies",
     "expected a list, found a mapping", MODEL},
    {"body as a number", "limber: 1\nbodies: [7]\n", 2, 10, "bodies[0]",
     "expected a mapping, found the number 7", MODEL},
    {"nodes as a list", BODY(REST ", nodes: [{position: [0, 0, 0]}]"), 3, 53, "bodies[0].nodes",
     "expected a mapping from names to nodes, found a list of 1", MODEL},
    {"node that is null", BODY(REST ", nodes: {tip: }"), 3, 59, "bodies[0].nodes.tip",
     "expected a mapping, found null", MODEL},
    {"gravity too short", "limber: 1\ngravity: [0, -9.81]\n", 2, 10, "gravity",
     "2 entries given, expected 3 numbers", MODEL},
    {"gravity as a number", "limber: 1\ngravity: -9.81\n", 2, 10, "gravity",
     "expected a list of 3 numbers, found the number -9.81", MODEL},
    {"truth in a vector", "limber: 1\ngravity: [0, true, 0]\n", 2, 14, "gravity[1]",
     "expected a number, found true", MODEL},
    {"NaN", "limber: 1\ngravity: [0, 0, .nan]\n", 2, 17, "gravity[2]",
     "expected a finite number as in JSON, found the string \".nan\"", MODEL},
    {"infinity", "limber: 1\ngravity: [0, 0, -.inf]\n", 2, 17, "gravity[2]",
     "found the string \"-.inf\"", MODEL},
    {"octal number", "limber: 1\ngravity: [0, 010, 0]\n", 2, 14, "gravity[1]",
     "found the string \"010\"", MODEL},
    {"sexagesimal number", "limber: 1\ngravity: [0, 1:30, 0]\n", 2, 14, "gravity[1]",
     "found the string \"1:30\"", MODEL},
    {"hexadecimal number", "limber: 1\ngravity: [0, 0x10, 0]\n", 2, 14, "gravity[1]",
     "found the string \"0x10\"", MODEL},
    {"number with underscores", "limber: 1\ngravity: [0, 1_000, 0]\n", 2, 14, "gravity[1]",
     "found the string \"1_000\"", MODEL},
    {"inertia too long", BODY(REST ", inertia: [1, 1, 1, 0, 0, 0, 0]"), 3, 55, "bodies[0].inertia",
     "7 entries given, expected 6 numbers", MODEL},
    {"rotation too short", BODY(REST ", nodes: {t: {rotation: [1, 0, 0]}}"), 3, 68,
     "bodies[0].nodes.t.rotation", "3 entries given, expected 4 numbers", MODEL},
    {"body without a name", "limber: 1\nbodies:\n  - {" REST "}\n", 3, 5, "bodies[0].name",
     "missing: the key \"name\" is required", MODEL},
    {"body without a hinge", BODY("mass: 1"), 3, 5, "bodies[0].hinge",
     "missing: every body has a hinge", MODEL},
    {"body without a mass", BODY("hinge: {type: free}"), 3, 5, "bodies[0].mass",
     "missing: the key \"mass\" is required", MODEL},
    {"hinge as a string", BODY("mass: 1, hinge: free"), 3, 31, "bodies[0].hinge",
     "expected a mapping, found the string \"free\"", MODEL},
    {"hinge without a type", BODY("mass: 1, hinge: {axis: [0, 0, 1]}"), 3, 31,
     "bodies[0].hinge.type", "missing: the key \"type\" is required", MODEL},
    {"unknown hinge type", BODY("mass: 1, hinge: {type: ball}"), 3, 38, "bodies[0].hinge.type",
     "unknown type \"ball\", expected one of fixed, revolute, prismatic", MODEL},
    {"misspelt hinge type", BODY("mass: 1, hinge: {type: Revolute, axis: [0, 0, 1]}"), 3, 38,
     "bodies[0].hinge.type", "did you mean \"revolute\"?", MODEL},
    {"hinge without its axis", BODY("mass: 1, hinge: {type: revolute}"), 3, 31,
     "bodies[0].hinge.axis", "missing: the key \"axis\" is required", MODEL},
    {"hinge without its axes", BODY("mass: 1, hinge: {type: universal}"), 3, 31,
     "bodies[0].hinge.axes", "missing", MODEL},
    {"axis on a spherical hinge", BODY("mass: 1, hinge: {type: spherical, axis: [0, 0, 1]}"), 3, 49,
     "bodies[0].hinge.axis", "a hinge of type spherical has no \"axis\"", MODEL},
    {"pitch on a revolute hinge",
     BODY("mass: 1, hinge: {type: revolute, axis: [0, 0, 1], pitch: 1}"), 3, 65,
     "bodies[0].hinge.pitch", "a hinge of type revolute has no \"pitch\"", MODEL},
    {"axes on a revolute hinge",
     BODY("mass: 1, hinge: {type: revolute, axis: [0, 0, 1], axes: []}"), 3, 65,
     "bodies[0].hinge.axes", "a hinge of type revolute has no \"axes\"", MODEL},
    {"three axes", BODY("mass: 1, hinge: {type: universal, axes: [[1,0,0], [0,1,0], [0,0,1]]}"), 3,
     55, "bodies[0].hinge.axes", "3 axes given, expected 2", MODEL},
    {"an axis too short", BODY("mass: 1, hinge: {type: universal, axes: [[1, 0, 0], [0, 1]]}"), 3,
     67, "bodies[0].hinge.axes[1]", "2 entries given, expected 3 numbers", MODEL},
    {"a loop without ends", "limber: 1\nloops:\n  - {name: rail, type: weld, a: {body: ground}}\n",
     3, 5, "loops[0].b", "missing: an end is {body: NAME, node: NAME}", MODEL},
    {"a loop of no type",
     "limber: 1\nloops:\n  - {name: rail, type: glue, a: {body: ground}, b: {body: ground}}\n", 3,
     24, "loops[0].type", "glue", MODEL},
    {"a loop with an axis too many",
     BODY("mass: 1, hinge: {type: free}") "loops:\n  - {name: l, type: weld, axis: [1, 0, 0], a: "
                                          "{body: ground}, b: {body: x}}\n",
     5, 33, "loops[0].axis", "a weld loop has no axis", MODEL},
    {"a loop on nothing",
     BODY("mass: 1, hinge: {type: free}") "loops:\n  - {name: l, type: weld, a: {body: ground}, b: "
                                          "{body: y}}\n",
     5, 49, "loops[0].b", "no body is named \"y\"", MODEL},

    {"a loop from a node to itself",
     BODY("mass: 1, hinge: {type: free}") "loops:\n  - {name: l, type: weld, a: {body: a}, b: "
                                          "{body: a}}\n",
     5, 44, "loops[0].b", "both ends are node \"origin\" of \"a\": a node cannot close on itself",
     MODEL},
    {"a rod without length",
     BODY("mass: 1, hinge: {type: free}") "loops:\n  - {name: l, type: rod, a: {body: ground}, b: "
                                          "{body: a}}\n",
     5, 5, "loops[0].length", "missing", MODEL},
    {"a rod of no length",
     BODY("mass: 1, hinge: {type: free}") "loops:\n  - {name: l, type: rod, a: {body: ground}, b: "
                                          "{body: a}, length: 0}\n",
     5, 67, "loops[0].length", "0, expected a length greater than zero", MODEL},
    {"a rod with two lengths",
     BODY("mass: 1, hinge: {type: free}") "loops:\n  - {name: l, type: rod, as_assembled: true, "
                                          "length: 1, a: {body: ground}, b: {body: a}}\n",
     5, 54, "loops[0].length", "as_assembled says what it is: leave one out", MODEL},
    {"a length on a weld",
     BODY("mass: 1, hinge: {type: free}") "loops:\n  - {name: l, type: weld, length: 1, a: {body: "
                                          "ground}, b: {body: a}}\n",
     5, 35, "loops[0].length", "a weld loop has no length", MODEL},
    {"a coupler with ends",
     BODY("mass: 1, hinge: {type: free}") "loops:\n  - {name: l, type: coupler, a: {body: a}, "
                                          "terms: "
                                          "[{body: a}]}\n",
     5, 33, "loops[0].a", "a coupler loop has no a", MODEL},
    {"a coupler without terms",
     BODY("mass: 1, hinge: {type: free}") "loops:\n  - {name: l, type: coupler, terms: []}\n", 5,
     37, "loops[0].terms", "expected at least one term", MODEL},
    {"a coupler of a free hinge",
     BODY("mass: 1, hinge: {type: free}") "loops:\n  - {name: l, type: coupler, terms: [{body: "
                                          "a}]}\n",
     5, 38, "loops[0].terms[0]",
     "the free hinge of \"a\" has no coordinates that a coupler can relate", MODEL},
    {"a coupler of nothing",
     BODY("mass: 1, hinge: {type: free}") "loops:\n  - {name: l, type: coupler, terms: [{body: "
                                          "y}]}\n",
     5, 38, "loops[0].terms[0]", "no body is named \"y\"", MODEL},
    {"a coupler of a coordinate too many",
     BODY(
         "mass: 1, hinge: {type: planar}") "loops:\n  - {name: l, type: coupler, terms: [{body: a, "
                                           "coordinate: 3}]}\n",
     5, 38, "loops[0].terms[0]", "coordinate 3, but the planar hinge of \"a\" has 3", MODEL},
    {"a coordinate coupled to itself",
     BODY("mass: 1, hinge: {type: planar}") "loops:\n  - {name: l, type: coupler, terms: [{body: "
                                            "a}, "
                                            "{body: a}]}\n",
     5, 49, "loops[0].terms[1]", "the same coordinate as terms[0], expected each once", MODEL},
    {"a coupler that relates nothing",
     BODY(
         "mass: 1, hinge: {type: planar}") "loops:\n  - {name: l, type: coupler, terms: [{body: a, "
                                           "factor: 0}]}\n",
     5, 38, "loops[0].terms[0]", "a factor of zero relates nothing", MODEL},
    {"too many spare loops", "limber: 1\nspare_loops: 1001\n", 2, 14, "spare_loops",
     "1001, expected 0 to 1000", MODEL},

    // ---- the wrong meaning ----
    {"negative mass", BODY("hinge: {type: free}, mass: -1"), 3, 42, "bodies[0].mass", "-1 found",
     MODEL},
    {"zero axis", BODY("mass: 1, hinge: {type: revolute, axis: [0, 0, 0]}"), 3, 54,
     "bodies[0].hinge.axis", "expected a direction", MODEL},
    {"parallel axes", BODY("mass: 1, hinge: {type: universal, axes: [[1, 0, 0], [2, 0, 0]]}"), 3,
     55, "bodies[0].hinge.axes", "parallel", MODEL},
    {"zero among the axes", BODY("mass: 1, hinge: {type: universal, axes: [[1, 0, 0], [0, 0, 0]]}"),
     3, 67, "bodies[0].hinge.axes[1]", "expected a direction", MODEL},
    {"quaternion off unit length", BODY(REST ", nodes: {t: {rotation: [1, 0.01, 0, 0]}}"), 3, 68,
     "bodies[0].nodes.t.rotation", "expected a unit quaternion", MODEL},
    {"quaternion of the ground's node",
     "limber: 1\nground:\n  nodes:\n    m: {rotation: [0, 0, 0, 0]}\n", 4, 19,
     "ground.nodes.m.rotation", "expected a unit quaternion", MODEL},
    {"indefinite inertia", BODY(FREE ", inertia: [1, 1, 1, 2, 0, 0]"), 3, 54, "bodies[0].inertia",
     "expected none negative", MODEL},
    {"a node that is called origin", BODY(REST ", nodes: {origin: {}}"), 3, 62,
     "bodies[0].nodes.origin", "not \"origin\"", MODEL},
    {"a node without a name", BODY(REST ", nodes: {\"\": {}}"), 3, 58, "bodies[0].nodes.",
     "expected a name", MODEL},
    {"a node whose name has dots and brackets",
     BODY(REST ", nodes: {a: {}, \"a.b[0].c\": {rotation: [2, 0, 0, 0]}}"), 3, 84,
     "bodies[0].nodes.a.b[0].c.rotation", "expected a unit quaternion", MODEL},
    {"a body that is called ground", "limber: 1\nbodies:\n  - {name: ground, " REST "}\n", 3, 12,
     "bodies[0].name", "not \"ground\"", MODEL},
    {"two bodies of one name",
     "limber: 1\nbodies:\n  - {name: a, " REST "}\n  - {name: a, " REST "}\n", 4, 12,
     "bodies[1].name", "\"a\" is the name of bodies[0] already", MODEL},
    {"missing parent", BODY("parent: b, " REST), 3, 23, "bodies[0].parent",
     "no body is named \"b\"", MODEL},
    {"missing node of the parent", BODY("at: tip, " REST), 3, 19, "bodies[0].at",
     "\"ground\" has no node named \"tip\"", MODEL},
    {"missing node of the body", BODY("by: tip, " REST), 3, 19, "bodies[0].by",
     "\"a\" has no node named \"tip\"", MODEL},
    {"a body that hangs on itself", BODY("parent: a, " REST), 3, 23, "bodies[0].parent",
     "hangs on itself", MODEL},
    {"cycle",
     "limber: 1\nbodies:\n  - {name: a, parent: b, " REST "}\n  - {name: b, parent: a, " REST "}\n",
     3, 23, "bodies[0].parent", "hangs on itself", MODEL},

    // ---- flexible bodies ----
    {"unequal mode counts", FLEX("[[0,0,1,0,1,0]]", "stiffness: [1, 1]"), 7, 20,
     "bodies[0].flex.nodes[1].shape", "1 modes given, expected 2 as in nodes[0]", MODEL},
    {"a mode shape that is too short", FLEX("[[0,0,1,0,1,0], [0,0,1]]", "stiffness: [1, 1]"), 7, 36,
     "bodies[0].flex.nodes[1].shape[1]", "3 entries given, expected 6 numbers", MODEL},
    {"NaN in a mode shape", FLEX("[[0,0,1,0,.nan,0], [0,0,1,0,0,0]]", "stiffness: [1, 1]"), 7, 30,
     "bodies[0].flex.nodes[1].shape[0][4]", "found the string \".nan\"", MODEL},
    {"a node without shape",
     "limber: 1\nbodies:\n  - {name: b, hinge: {type: fixed}, flex: {nodes: [{name: n}], "
     "stiffness: []}}\n",
     3, 52, "bodies[0].flex.nodes[0].shape", "missing: the key \"shape\" is required", MODEL},
    {"a node that is no mapping",
     "limber: 1\nbodies:\n  - {name: b, hinge: {type: fixed}, flex: {nodes: [n], stiffness: []}}\n",
     3, 52, "bodies[0].flex.nodes[0]", "expected a mapping, found the string \"n\"", MODEL},
    {"no nodes",
     "limber: 1\nbodies:\n  - {name: b, hinge: {type: fixed}, flex: {nodes: [], stiffness: []}}\n",
     3, 51, "bodies[0].flex.nodes", "no nodes given, expected at least one", MODEL},
    {"no stiffness", FLEX(SHAPE, "fidelity: consistent"), 5, 11, "bodies[0].flex.stiffness",
     "missing: the key \"stiffness\" is required", MODEL},
    {"stiffness of the wrong length", FLEX(SHAPE, "stiffness: [1, 2, 3]"), 8, 23,
     "bodies[0].flex.stiffness", "3 entries given, expected 2, one for each mode", MODEL},
    {"stiffness that is no matrix", FLEX(SHAPE, "stiffness: [[1, 0], 2]"), 8, 32,
     "bodies[0].flex.stiffness[1]", "expected a list of 2 numbers, found the number 2", MODEL},
    {"damping that is not square", FLEX(SHAPE, "stiffness: [1, 1], damping: [[1, 0], [0]]"), 8, 49,
     "bodies[0].flex.damping[1]", "1 entries given, expected 2 numbers", MODEL},
    {"unknown fidelity", FLEX(SHAPE, "stiffness: [1, 1], fidelity: exact"), 8, 41,
     "bodies[0].flex.fidelity",
     "unknown fidelity \"exact\", expected one of consistent, ruthless, appendix-c", MODEL},
    {"second order that is no triple", FLEX(SHAPE ", second_order: [[0, 0]]", "stiffness: [1, 1]"),
     7, 68, "bodies[0].flex.nodes[1].second_order[0]", "expected [r, s, [x, y, z]]", MODEL},
    {"second order of half a mode",
     FLEX(SHAPE ", second_order: [[0, 0.5, [0, 0, 0]]]", "stiffness: [1, 1]"), 7, 72,
     "bodies[0].flex.nodes[1].second_order[0][1]", "expected an integer, found 0.5", MODEL},
    {"mass of a flexible body",
     "limber: 1\nbodies:\n  - name: b\n    mass: 1\n    hinge: {type: fixed}\n    flex: {nodes: "
     "[{name: n, shape: []}], stiffness: []}\n",
     4, 5, "bodies[0].mass", "\"mass\" is for rigid bodies", MODEL},
    {"stiffness that is not symmetric", FLEX(SHAPE, "stiffness: [[1, 2], [0, 1]]"), 8, 23,
     "bodies[0].flex.stiffness", "expected symmetry", MODEL},
    {"negative stiffness", FLEX(SHAPE, "stiffness: [1, -1]"), 8, 23, "bodies[0].flex.stiffness",
     "expected a positive semidefinite matrix", MODEL},
    {"indefinite damping", FLEX(SHAPE, "stiffness: [1, 1], damping: [[1, 2], [2, 1]]"), 8, 40,
     "bodies[0].flex.damping", "expected a positive semidefinite matrix", MODEL},
    {"negative mass of a node", FLEX(SHAPE ", mass: -1", "stiffness: [1, 1]"), 7, 59,
     "bodies[0].flex.nodes[1].mass", "-1 found", MODEL},
    {"quaternion of a flexible node", FLEX(SHAPE ", rotation: [2, 0, 0, 0]", "stiffness: [1, 1]"),
     7, 63, "bodies[0].flex.nodes[1].rotation", "expected a unit quaternion", MODEL},
    {"indefinite inertia of a node",
     FLEX(SHAPE ", inertia: [1, 1, 1, 2, 0, 0]", "stiffness: [1, 1]"), 7, 62,
     "bodies[0].flex.nodes[1].inertia", "expected none negative", MODEL},
    {"second order in the wrong order",
     FLEX(SHAPE ", second_order: [[0, 0, [0, 0, 0]], [1, 0, [0, 0, 0]]]", "stiffness: [1, 1]"), 7,
     87, "bodies[0].flex.nodes[1].second_order[1]", "expected r <= s", MODEL},
    {"second order of a mode that is not there",
     FLEX(SHAPE ", second_order: [[0, 2, [0, 0, 0]]]", "stiffness: [1, 1]"), 7, 68,
     "bodies[0].flex.nodes[1].second_order[0]", "between 0 and 1", MODEL},
    {"second order given twice",
     FLEX(SHAPE ", second_order: [[0, 1, [0, 0, 0]], [0, 1, [0, 0, 0]]]", "stiffness: [1, 1]"), 7,
     87, "bodies[0].flex.nodes[1].second_order[1]", "stands twice", MODEL},
    {"a flexible node that is called origin",
     "limber: 1\nbodies:\n  - {name: b, hinge: {type: fixed}, flex: {nodes: [{name: origin, shape: "
     "[]}], stiffness: []}}\n",
     3, 59, "bodies[0].flex.nodes[0].name", "not \"origin\"", MODEL},
    {"two flexible nodes of one name",
     "limber: 1\nbodies:\n  - {name: b, hinge: {type: fixed}, flex: {stiffness: [], nodes:\n"
     "    [{name: n, shape: []}, {name: n, shape: []}]}}\n",
     4, 35, "bodies[0].flex.nodes[1].name", "\"n\" is the name of nodes[0] already", MODEL},
};

static void is_refused_where_it_is_wrong(void **state)
{
    const bad_model *bad = *state;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_model *model = (lb_model *)&heard; // to see that it is cleared
    const size_t length = bad->length ? bad->length : strlen(bad->text);
    const lb_status status =
        lb_load_model_text(bad->text, length, "bad", bad->format, NULL, &report, &model);

    const lb_heard_entry *entry = lb_find_heard(&heard, bad->path);
    const int right = status == bad->status && !model && heard.error_count == 1 && entry &&
                      entry->line == bad->line && entry->column == bad->column &&
                      strstr(entry->message, bad->message) && strcmp(entry->file, "bad") == 0;
    if (!right) {
        lb_print_heard(&heard);
        fail_msg("status %d, %d errors; expected %d and bad:%d:%d: %s: ...%s...", (int)status,
                 heard.error_count, (int)bad->status, bad->line, bad->column, bad->path,
                 bad->message);
    }
}

LB_TESTS()
{
    enum { COUNT = sizeof bad_models / sizeof *bad_models };
    struct CMUnitTest tests[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        tests[i] = (struct CMUnitTest){bad_models[i].title, is_refused_where_it_is_wrong, NULL,
                                       NULL, (void *)&bad_models[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
