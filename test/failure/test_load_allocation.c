// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loading when memory runs out, at each allocation in turn: an answer, and nothing left behind.
// What libyaml, jansson and libxml2 take for themselves does not go through our allocator.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heard.h"
#include "limber/forces.h"
#include "program.h"
#include "scratch.h"

typedef struct scarce_memory {
    int left;   // allocations until the next one fails; negative: none does
    int failed; // how often
    int held;   // pieces not yet released
} scarce_memory;

static void *scarce_allocate(void *user, size_t size)
{
    scarce_memory *memory = user;
    if (memory->left == 0) {
        ++memory->failed;
        return NULL;
    }
    --memory->left;
    ++memory->held;
    return malloc(size ? size : 1);
}

static void scarce_release(void *user, void *piece)
{
    scarce_memory *memory = user;
    --memory->held;
    free(piece);
}

typedef lb_status loader(const char *text, lb_format format, const lb_load_options *options,
                         const lb_report *report);

static lb_status load_model(const char *text, lb_format format, const lb_load_options *options,
                            const lb_report *report)
{
    lb_model *model = NULL;
    const lb_status status =
        lb_load_model_text(text, strlen(text), "a", format, options, report, &model);
    assert_true(status >= 0 || !model);
    lb_destroy_model(model);
    return status;
}

static lb_status load_forces(const char *text, lb_format format, const lb_load_options *options,
                             const lb_report *report)
{
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_forces *forces = NULL;
    lb_status status =
        lb_load_document_text(text, strlen(text), "a", format, options, report, &document);
    status = status < 0 ? status : lb_load_document_model(document, report, &model);
    status = status < 0 ? status : lb_load_forces(document, model, report, &forces);
    assert_int_equal(status >= 0, forces != NULL);
    lb_destroy_forces(forces);
    lb_destroy_model(model);
    lb_destroy_document(document);
    return status;
}

// Loads with one allocation after another failing, until none does. There is something to fail.
static void starve(loader *load, const char *text, lb_format format, lb_status expected)
{
    int i = 0, failed = 1;
    for (; failed; ++i) {
        scarce_memory memory = {.left = i};
        const lb_allocator allocator = {scarce_allocate, scarce_release, &memory};
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_load_options options = lb_default_load_options();
        options.allocator = &allocator;
        const lb_status status = load(text, format, &options, &report);
        assert_int_equal(status, memory.failed ? LB_E_MEMORY : expected);
        failed = memory.failed;
        if (failed) {
            assert_non_null(strstr(heard.entries[heard.count - 1].message, "memory"));
        }
        assert_int_equal(memory.held, 0);
    }
    assert_true(i > 5);
}

static const char good_yaml[] =
    "limber: 1\nname: arm\ngravity: [0, 0, -9.81]\nground:\n  nodes:\n"
    "    {a: {}, b: {}, c: {}, d: {}, e: {}, f: {}, g: {}, h: {}, i: {}, j: {}, k: {}, l: {},\n"
    "     m: {}, n: {}, o: {}, p: {}, q: {}, r: {position: [0, 0, 1]}}\n"
    "bodies:\n"
    "  - {name: x, at: r, hinge: {type: universal, axes: [[1, 0, 0], [0, 1, 0]]}, mass: 1,\n"
    "     inertia: [1, 1, 1, 0, 0, 0], nodes: {tip: {position: [1, 0, 0]}}}\n"
    "  - {name: y, parent: x, at: tip, hinge: {type: free}, mass: 1}\n";

static void a_yaml_model_survives_any_lack_of_memory(void **state)
{
    (void)state;
    starve(load_model, good_yaml, LB_FORMAT_YAML, LB_OK);
}

static void forces_survive_any_lack_of_memory(void **state)
{
    (void)state;
    starve(load_forces,
           "limber: 1\n"
           "bodies:\n"
           "  - {name: arm, mass: 1, com: [1, 0, 0], hinge: {type: revolute, axis: [0, 0, 1]}}\n"
           "  - {name: ball, mass: 1, hinge: {type: free}}\n"
           "  - {name: slide, mass: 1, hinge: {type: cylindrical, axis: [0, 0, 1]}}\n"
           "signals: {a: 2*t, b: a + arm.rate}\n"
           "forces:\n"
           "- {name: a, type: motor, hinge: arm, value: b, limits: [-1, 1]}\n"
           "- {name: b, type: motion, hinge: slide, position: [t^2, {table: [[0, 1], [1, 2]], "
           "interpolation: cubic}]}\n"
           "- {name: c, type: force, at: ball, value: [{pieces: [{from: 0, coefficients: [1]}]}, "
           "0, t]}\n",
           LB_FORMAT_YAML, LB_OK);
}

static void a_json_model_survives_any_lack_of_memory(void **state)
{
    (void)state;
    const char *text = "{\"limber\": 1, \"bodies\": [{\"name\": \"x\", \"hinge\": {\"type\": "
                       "\"free\"}, \"mass\": 1, \"nodes\": {\"tip\": {}}}]}";
    starve(load_model, text, LB_FORMAT_JSON, LB_OK);
}

static const char good_urdf[] =
    "<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='1'/><inertia "
    "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='hand'/>"
    "<joint name='hand' type='planar'><parent link='base'/><child link='arm'/></joint>"
    "<joint name='weld' type='fixed'><parent link='arm'/><child link='hand'/></joint></robot>";

static void a_robot_survives_any_lack_of_memory(void **state)
{
    (void)state;
    starve(load_model, good_urdf, LB_FORMAT_URDF, LB_OK);
}

static void a_flexible_model_survives_any_lack_of_memory(void **state)
{
    (void)state;
    const char *text =
        "limber: 1\nbodies:\n"
        "  - {name: y, hinge: {type: free}, flex: {nodes: [{name: m, mass: 1, shape: "
        "[[0, 0, 0, 0, 0, 0]]}, {name: n, mass: 2, shape: [[0, 0, 1, 0, 1, 0]], "
        "second_order: [[0, 0, [0, 0, 0]]]}], stiffness: [[1]], damping: [0]}}\n";
    starve(load_model, text, LB_FORMAT_YAML, LB_OK);
}

static void beams_survive_any_lack_of_memory(void **state)
{
    (void)state;
    // few elements: every allocation fails in turn
    const char *text =
        "limber: 1\nlibrary: {sections: {s: {type: tube, diameter: 0.1}}}\nbodies:\n"
        "  - {name: x, hinge: {type: fixed}, beam: {length: 1, section: s, material: steel, "
        "elements: 1, nodes: {m: 0.5}, masses: [{at: 0.2, mass: 1}], damping: 0.1, modes: {count: "
        "1, "
        "corrections: [{at: tip, force: [0, 1, 0]}]}}}\n"
        "  - {name: y, hinge: {type: free}, frame: {section: s, material: steel, modes: {type: "
        "free-free, count: 1}, joints: {a: [0, 0, 0], b: [1, 0, 0], c: [0, 1, 0]}, members: "
        "[{joints: [a, b], elements: 1}, {joints: [b, c], elements: 1}, {joints: [c, a], elements: "
        "1}]}}\n";
    starve(load_model, text, LB_FORMAT_YAML, LB_OK);
    const char *wrong =
        "limber: 1\nbodies:\n  - {name: x, hinge: {type: fixed}, beam: {length: 1, "
        "section: {type: tube, diameter: 1, wall: 1}, material: steel, modes: 1}}\n";
    starve(load_model, wrong, LB_FORMAT_YAML, LB_E_MODEL);
}

static void a_wrong_model_survives_any_lack_of_memory(void **state)
{
    (void)state;
    // names and flexible parts that are missing or wrong take memory of their own
    const char *text =
        "limber: 1\nbodies:\n"
        "  - {hinge: {type: free}, mass: 1}\n"
        "  - {name: y, hinge: {type: fixed}, flex: {nodes: [{shape: [[0]]}, {name: n,"
        " shape: [[0, 0, 0, 0, 0, 0]], second_order: [[0, 0, [0, 0, 0]]]}],"
        " stiffness: [[1]], damping: [0]}}\n";
    starve(load_model, text, LB_FORMAT_YAML, LB_E_MODEL);
}

static void a_file_survives_any_lack_of_memory(void **state)
{
    (void)state;
    char path[LB_SCRATCH_PATH_SIZE];
    FILE *file = lb_open_scratch(path);
    assert_non_null(file);
    // beyond the first piece in which a file is read
    for (int i = 0; i < 40000; ++i) {
        fputs("# ..\n", file);
    }
    fputs(good_yaml, file);
    fclose(file);
    int failed = 1;
    for (int i = 0; failed; ++i) {
        scarce_memory memory = {.left = i};
        const lb_allocator allocator = {scarce_allocate, scarce_release, &memory};
        lb_model *model = NULL;
        lb_load_options options = lb_default_load_options();
        options.allocator = &allocator;
        const lb_status status = lb_load_model(path, &options, NULL, &model);
        failed = memory.failed;
        lb_destroy_model(model);
        if (status != (failed ? LB_E_MEMORY : LB_OK) || memory.held != 0) {
            remove(path);
            fail_msg("allocation %d: status %d, %d pieces held", i, (int)status, memory.held);
        }
    }
    remove(path);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_yaml_model_survives_any_lack_of_memory),
        cmocka_unit_test(a_json_model_survives_any_lack_of_memory),
        cmocka_unit_test(forces_survive_any_lack_of_memory),
        cmocka_unit_test(a_robot_survives_any_lack_of_memory),
        cmocka_unit_test(a_flexible_model_survives_any_lack_of_memory),
        cmocka_unit_test(beams_survive_any_lack_of_memory),
        cmocka_unit_test(a_wrong_model_survives_any_lack_of_memory),
        cmocka_unit_test(a_file_survives_any_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
