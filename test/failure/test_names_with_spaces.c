// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Names with spaces: nodes are written as they are or with quotes, signals with quotes, and where these
// are missing the message says so.
#include <stdio.h>
#include <string.h>

#include "course.h"
#include "heard.h"

#define ARM                                                                                        \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: left arm, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [1, 0, 0],\n"    \
    "     nodes: {the tip: {position: [1, 0, 0]}}}\n"                                              \
    "loops:\n"                                                                                     \
    "  - {name: left grip, a: {body: ground}, b: {body: left arm, node: the tip}, type: rod,\n"    \
    "     length: 1}\n"

// Loads a model and expects this text among the findings, or none at all.
static void expect_finding(const char *rest, const char *text)
{
    char model[1024];
    snprintf(model, sizeof model, ARM "%s", rest);
    lb_heard heard = {0};
    const lb_report report = lb_listen(&heard);
    lb_document *document = NULL;
    lb_model *built = NULL;
    lb_simulation *simulation = NULL;
    lb_expect_ok(lb_load_document_text(model, strlen(model), "x.yaml", LB_FORMAT_YAML, NULL,
                                       &report, &document));
    lb_expect_ok(lb_load_document_model(document, &report, &built));
    (void)lb_load_simulation(document, built, &report, &simulation);
    if (text ? heard.count == 0 || !strstr(heard.entries[0].message, text) : heard.count > 0) {
        lb_print_heard(&heard);
        fail_msg("expected: %s", text ? text : "nothing");
    }
    lb_destroy_simulation(simulation);
    lb_destroy_model(built);
    lb_destroy_document(document);
}

static void nodes_need_no_quotes_but_may_have_them(void **state)
{
    (void)state;
    expect_finding("outputs: [left arm, left arm/the tip, \"'left arm'/'the tip'\"]\n", NULL);
    expect_finding(
        "forces:\n"
        "  - {name: a, type: spring, between: [ground, left arm/the tip], stiffness: 1}\n"
        "  - {name: b, type: damper, between: [ground, \"'left arm'/'the tip'\"], damping: "
        "1}\n",
        NULL);
    expect_finding("outputs: [\"'left arm'.angle\", loop/'left grip'.force.norm]\n"
                   "run: {assemble: {hold: [left arm, \"'left arm'.angle\"]}}\n",
                   NULL);
}

static void missing_quotes_are_pointed_out(void **state)
{
    (void)state;
    expect_finding("outputs: [left arm.angle]\n", "put the name in quotes: 'left arm'");
    expect_finding("outputs: [loop/left grip.force.x]\n", "put the name in quotes: 'left grip'");
    expect_finding("run: {assemble: {hold: [left arm.angle]}}\n",
                   "put the name in quotes: 'left arm'");
    expect_finding("outputs: [\"distance(left arm, ground)\"]\n",
                   "put the name in quotes: 'left arm'");
    expect_finding("outputs: [left leg.angle]\n", "there is no signal \"left\"");
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_need_no_quotes_but_may_have_them),
        cmocka_unit_test(missing_quotes_are_pointed_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
