// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What limber info says of parameters and of loops.
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"

// `often` is used in more lines than are listed, `idle` in none, `long` in another file too.
static const char *write_model(void)
{
    char text[4096];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "limber: 1\n"
        "include: stay.yaml\n"
        "parameters:\n"
        "  long: {value: 2, unit: m, range: [1, 3], note: of the arm}\n"
        "  half: long/2\n"
        "  idle: 3\n"
        "  often: 1\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [half, 0, 0],\n"
        "     inertia: [1, 1, 1, 0, 0, 0], nodes: {\n");
    for (int i = 0; i < 14; ++i) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "       p%d: {position: [0, often, 0]},\n", i);
    }
    snprintf(text + used, sizeof text - used, "     }}\n");
    lb_write_file("stay.yaml", "limber: 1\n"
                               "forces: [{name: stay, type: spring, hinge: a,\n"
                               "          stiffness: 10*long}]\n");
    return lb_write_file("arm.yaml", text);
}

static void parameters_are_listed_with_their_uses(void **state)
{
    (void)state;
    const char *model = write_model();
    static const lb_cli_case cases[] = {
        {{"info", "MODEL"}, 0, "\nparameters\n  long   2 m  (1 to 3)  lines 3 of ", ""},
        {{"info", "MODEL"}, 0, "stay.yaml, 5  of the arm\n", ""},
        {{"info", "MODEL"}, 0, "  half   1 = long/2  line 9\n", ""},
        {{"info", "MODEL"}, 0, "  idle   3  not used\n", ""},
        {{"info", "MODEL"}, 0, "  lines 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, ...\n", ""},
        {{"info", "MODEL", "--set=long=90deg"}, 0, "  long   1.5707963267949 m  (", ""},
        {{"info", "MODEL", "--set=long=2 rad"}, 0, "  long   2 m  (", ""},
        {{"info", "MODEL", "--set=long=2 in"}, 2, "", "'long=2 in' given, expected NAME=VALUE"},
        {{"info", "MODEL", "--set==2"}, 2, "", "'=2' given, expected NAME=VALUE"},
        {{"info", "MODEL", "--set=long"}, 2, "", "'long' given, expected NAME=VALUE"},
        {{"info", "MODEL", "--set=long=4"}, 1, "", "long"},
    };
    lb_expect_cases(cases, (int)(sizeof cases / sizeof *cases),
                    (const char *const[]){"MODEL", model, NULL});

    lb_cli_run run = lb_run(NULL, "info", "--json", model);
    json_t *root = json_loads(run.out, 0, NULL);
    const json_t *list = json_object_get(root, "parameters"), *first = json_array_get(list, 0),
                 *second = json_array_get(list, 1), *last = json_array_get(list, 3);
    assert_int_equal(json_array_size(list), 4);
    assert_string_equal(json_string_value(json_object_get(first, "name")), "long");
    assert_int_equal(json_array_size(json_object_get(first, "range")), 2);
    assert_string_equal(json_string_value(json_object_get(second, "formula")), "long/2");
    assert_null(json_object_get(second, "range"));
    assert_int_equal(json_array_size(json_object_get(last, "lines")), 12);
    json_decref(root);
    lb_end_run(&run);
}

static void redundant_rows_are_told(void **state)
{
    (void)state;
    const char *model = lb_write_file(
        "loops.yaml",
        "limber: 1\n"
        "spare_loops: 2\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: free}, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}\n"
        "  - {name: b, hinge: {type: free}, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}\n"
        "  - {name: c, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
        "     inertia: [1, 1, 1, 0, 0, 0]}\n"
        "  - {name: d, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
        "     inertia: [1, 1, 1, 0, 0, 0], nodes: {far: {position: [1, 1, 0]}}}\n"
        "loops:\n"
        "  - {name: weld, a: {body: a}, b: {body: ground}, type: weld}\n"
        "  - {name: again, a: {body: a}, b: {body: ground}, type: weld}\n"
        "  - {name: pin, a: {body: c}, b: {body: ground}, type: revolute, axis: [0, 0, 1]}\n"
        "  - {name: slant, a: {body: d, node: far}, b: {body: ground}, type: point-plane,\n"
        "     axis: [0, 0, 1], as_assembled: true}\n"
        "events:\n"
        "  - {name: caught, when: t, crosses: 0.1,\n"
        "     then: {make: {name: grip, a: {body: b}, b: {body: c}, type: spherical}}}\n");
    static const lb_cli_case cases[] = {
        {{"info", "MODEL"}, 0, "slant  point-plane, 1 row  d/far to ground/origin, as assem", ""},
        {{"info", "MODEL"}, 0, "grip   spherical, 3 rows  b/origin to c/origin, waits\n", ""},
        {{"info", "MODEL"}, 0, "  and 2 spare\n", ""},
        {{"info", "MODEL"}, 0, "mobility 8 in the initial configuration: 14 dofs; 18 rows, 6 ", ""},
        {{"info", "MODEL"},
         0,
         "again has 6 redundant rows (3 turns and 3 shifts): repeated by ",
         ""},
        {{"info", "MODEL"},
         0,
         "pin has 5 redundant rows (2 turns and 3 shifts): already kept ",
         ""},
        {{"info", "MODEL"},
         0,
         "slant has 1 redundant row (1 shift): already kept by the hinges",
         ""},
    };
    lb_expect_cases(cases, (int)(sizeof cases / sizeof *cases),
                    (const char *const[]){"MODEL", model, NULL});
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_listed_with_their_uses),
        cmocka_unit_test(redundant_rows_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
