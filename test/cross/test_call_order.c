// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls in any order: what is read after two computations at different states is what a fresh workspace
// gives after the second of them, or it is refused.
#include "call_orders.h"
#include "check.h"
#include "loaded.h"

static void loops_of_flexible_bodies(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0, 0.5, 0], "
        "inertia: [1, 1, 1, 0, 0, 0], nodes: {t: {position: [0, 1, 0]}}}\n"
        "  - {name: b, parent: a, at: t, hinge: {type: revolute, axis: [0, 0, 1]}, beam: {length: "
        "2, "
        "section: {type: rectangle, width: 0.02, height: 0.02}, material: steel, modes: 2}}\n"
        "  - {name: c, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0, 0.7, 0], "
        "inertia: [1, 1, 1, 0, 0, 0], nodes: {t: {position: [0, 1, 0]}}}\n"
        "loops: [{name: pin, a: {body: b, node: tip}, b: {body: c, node: t}, type: spherical}]\n",
        NULL);
    lb_try_call_orders(l.model);
    lb_end_loaded(&l);
}

static void rigid_chain(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0, 0.5, 0], "
        "nodes: {t: {position: [0, 1, 0]}}}\n"
        "  - {name: b, parent: a, at: t, hinge: {type: universal, axes: [[1, 0, 0], [0, 1, 0]]}, "
        "mass: 2, com: [0.1, 0.2, 0.3], inertia: [1, 1, 1, 0, 0, 0], "
        "nodes: {t: {position: [0, 1, 0]}}}\n"
        "  - {name: c, parent: b, at: t, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 1, "
        "inertia: [1, 1, 1, 0, 0, 0]}\n"
        "loops: [{name: rod, a: {body: c, node: origin}, b: {body: ground, node: origin}, "
        "type: point-plane, axis: [0, 0, 1]}]\n",
        NULL);
    lb_try_call_orders(l.model);
    lb_end_loaded(&l);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_flexible_bodies),
        cmocka_unit_test(rigid_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
