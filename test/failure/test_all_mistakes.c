// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One pass over a file finds everything that is wrong with it, in all of its keys, and complains of nothing
// that is only a consequence.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "heard.h"
#include "limber/simulate.h"

typedef struct mistake {
    int line;
    const char *path;
} mistake;

// All that is found in a file, as `limber check` finds it.
static void check_document(lb_document *document, const lb_report *report)
{
    lb_model *model = NULL;
    if (lb_load_document_model(document, report, &model) < 0) {
        lb_check_simulation(document, report);
    } else {
        lb_simulation *simulation = NULL;
        assert_int_equal(lb_load_simulation(document, model, report, &simulation), LB_E_MODEL);
        assert_null(simulation);
    }
    lb_destroy_model(model);
}

static void expect_mistakes(const char *name, const lb_heard *heard, const mistake *mistakes,
                            int count)
{
    for (int i = 0; i < count; ++i) {
        int found = 0;
        for (int k = 0; k < heard->count; ++k) {
            found += heard->entries[k].line == mistakes[i].line &&
                     strcmp(heard->entries[k].path, mistakes[i].path) == 0;
        }
        if (found != 1) {
            lb_print_heard(heard);
            fail_msg("%s: line %d, %s: reported %d times", name, mistakes[i].line, mistakes[i].path,
                     found);
        }
    }
    if (heard->count != count) {
        lb_print_heard(heard);
        fail_msg("%s: %d mistakes reported, expected %d", name, heard->count, count);
    }
}

static void expect_in_text(const char *text, const mistake *mistakes, int count)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_document *document = NULL;
    assert_int_equal(
        lb_load_document_text(text, strlen(text), "text", LB_FORMAT_YAML, NULL, &report, &document),
        LB_OK);
    check_document(document, &report);
    lb_destroy_document(document);
    expect_mistakes("text", &heard, mistakes, count);
}

static void expect_in_file(const char *name, const mistake *mistakes, int count)
{
    const char *path = lb_find_source("test/cases/%s", name);
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_document *document = NULL;
    assert_int_equal(lb_load_document(path, NULL, &report, &document), LB_OK);
    check_document(document, &report);
    lb_destroy_document(document);
    expect_mistakes(name, &heard, mistakes, count);
}

#define EXPECT(where, what, ...)                                                                   \
    do {                                                                                           \
        static const mistake mistakes[] = {__VA_ARGS__};                                           \
        where(what, mistakes, (int)(sizeof mistakes / sizeof *mistakes));                          \
    } while (0)

// Counted by hand in the files.
static void files_with_mistakes_everywhere(void **state)
{
    (void)state;
    // line 2, `parameters`, and line 16, which uses one, are right
    EXPECT(expect_in_file, "many_mistakes.yaml", {5, "bodies[0].hinge.axis"},
           {7, "bodies[0].inertia"}, {8, "bodies[0].nodes.tip.rotation"}, {11, "bodies[1].at"},
           {12, "bodies[1].hinge.type"}, {13, "bodies[1].mass"}, {14, "bodies[1].flex.nodes"},
           {17, "forces[1].type"}, {18, "forces[2].value"}, {19, "outputs[0]"},
           {20, "run.intergrator"});
    EXPECT(expect_in_file, "more_mistakes.yaml", {8, "forces[0].hinge"},
           {10, "controllers[0].actuators[0]"}, {10, "controllers[0].law.type"},
           {11, "run.integrator.type"});
}

#define ARM                                                                                        \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: arm, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"                         \
    "     nodes: {tip: {position: [1, 0, 0]}}}\n"

static void an_entry_is_checked_although_a_part_of_it_cannot_be_read(void **state)
{
    (void)state;
    EXPECT(expect_in_text,
           ARM
           "forces:\n"
           "  - {name: s, type: spring, hinge: leg, stiffness: soft, rest: -1}\n"
           "  - {name: d, type: damper, between: [arm/tpi, 7], damping: -2}\n"
           "  - {name: p, type: stop, hinge: arm, lower: low, stiffness: -1, wdth: 2}\n"
           "  - {name: s, type: motor, hinge: arm, value: {table: 3}, limits: 5, max_speed: 2}\n"
           "  - {type: motion, hinge: arm.0}\n",
           {6, "forces[0].hinge"}, {6, "forces[0].stiffness"}, {7, "forces[1].between[0]"},
           {7, "forces[1].between[1]"}, {7, "forces[1].damping"}, {8, "forces[2].lower"},
           {8, "forces[2].stiffness"}, {8, "forces[2].wdth"}, {9, "forces[3].name"},
           {9, "forces[3].value.table"}, {9, "forces[3].limits"}, {10, "forces[4].name"},
           {10, "forces[4]"}, {10, "forces[4].hinge"});
}

static void all_keys_are_checked_whatever_is_wrong_with_others(void **state)
{
    (void)state;
    EXPECT(expect_in_text,
           ARM "signals: {twice: 2*arm.angel, wrong: [1]}\n"
               "forces:\n"
               "  - {name: drive, type: actuator, hinge: arm, lag: -1}\n"
               "  - {name: push, type: pusher}\n"
               "initial: {arm: {angle: fast, rates: 2}, leg: {}}\n"
               "run: {duration: -1, interval: 0, integrator: {type: rk4, step: 0, order: 3}}\n"
               "events:\n"
               "  - {when: arm.angel, crosses: here, then: [{lock: leg}, {disable: drvie}, stpo]}\n"
               "  - {name: e, when: wrong, then: {enable: push}}\n"
               "controllers:\n"
               "  - {name: c, rate: 0, sensors: [{name: s, signal: arm.angel, delay: -1}],\n"
               "     actuators: [{actuator: drive, position: t}, push], law: {type: pid, kp: x}}\n"
               "outputs: [arm/tpi, 5, twice]\n",
           {5, "signals.twice"}, {5, "signals.wrong"}, {7, "forces[0].lag"}, {8, "forces[1].type"},
           {9, "initial.arm.angle"}, {9, "initial.arm.rates"}, {9, "initial.leg"},
           {10, "run.duration"}, {10, "run.interval"}, {10, "run.integrator.step"},
           {10, "run.integrator.order"}, {12, "events[0].name"}, {12, "events[0].when"},
           {12, "events[0].crosses"}, {12, "events[0].then[0].lock"},
           {12, "events[0].then[1].disable"}, {12, "events[0].then[2]"},
           {15, "controllers[0].rate"}, {15, "controllers[0].sensors[0].signal"},
           {15, "controllers[0].sensors[0].delay"}, {16, "controllers[0].actuators[0].position"},
           {16, "controllers[0].law.kp"}, {17, "outputs[0]"}, {17, "outputs[1]"});
}

static void wrong_bodies_are_there_all_the_same(void **state)
{
    (void)state;
    // every body is wrong; what refers to them is right, except where it says so
    EXPECT(
        expect_in_text,
        "limber: 1\n"
        "ground: {nodes: {pin: {position: [0]}}}\n"
        "bodies:\n"
        "  - {name: arm, hinge: {type: revolute, axis: [0, 0]}, mass: 1,\n"
        "     nodes: {tip: {position: [1, 0]}}}\n"
        "  - {name: rod, parent: amr, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: -2}\n"
        "  - {name: odd, hinge: {type: hook}, mass: 1}\n"
        "  - {name: reed, hinge: {type: revolute, axis: [0, 0, 1]},\n"
        "     beam: {length: 1, section: {type: tube}, modes: 2}}\n"
        "loops:\n"
        "  - {name: bolt, type: weld, a: {body: arm, node: tpi}, b: {body: rod}}\n"
        "forces:\n"
        "  - {name: a, type: spring, hinge: arm, stiffness: 1}\n"
        "  - {name: b, type: damper, between: [arm/tip, ground/pin], damping: 1}\n"
        "  - {name: c, type: motor, hinge: odd, value: 3*odd.angle + reed/n1.position.x}\n"
        "  - {name: d, type: motor, hinge: odd.2, value: 3*arm.angel}\n"
        "  - {name: e, type: force, at: reed/tip, value: [1, 2, 3]}\n"
        "initial: {odd: {angle: 2}, reed: {eta: [1, 2], angle: 0}, rod: {distnace: 3}}\n"
        "events: [{name: e, when: rod.distance, then: [{lock: odd}, {release: bolt}, {lock: x}]}]\n"
        "outputs: [reed/n1, odd.rate, loop/bolt.force.x, rod.angle]\n",
        {2, "ground.nodes.pin.position"}, {4, "bodies[0].hinge.axis"},
        {5, "bodies[0].nodes.tip.position"}, {6, "bodies[1].parent"}, {6, "bodies[1].mass"},
        {7, "bodies[2].hinge.type"}, {9, "bodies[3].beam.section.diameter"},
        {9, "bodies[3].beam.material"}, {11, "loops[0].a"}, {16, "forces[3].value"},
        {18, "initial.rod.distnace"}, {19, "events[0].then[2].lock"}, {20, "outputs[3]"});
}

static void a_body_without_a_name_may_be_any(void **state)
{
    (void)state;
    EXPECT(expect_in_text,
           "limber: 1\n"
           "bodies: [{hinge: {type: free}, mass: 1}]\n"
           "forces: [{name: s, type: spring, hinge: arm, stiffness: -1}]\n"
           "outputs: [arm.angle]\n",
           {2, "bodies[0].name"}, {3, "forces[0].stiffness"});
    EXPECT(expect_in_text,
           "limber: 1\n"
           "bodies: 3\n"
           "forces: [{name: s, type: spring, hinge: arm}]\n"
           "initial: {arm: {angle: 1}}\n",
           {2, "bodies"}, {3, "forces[0].stiffness"});
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_with_mistakes_everywhere),
        cmocka_unit_test(an_entry_is_checked_although_a_part_of_it_cannot_be_read),
        cmocka_unit_test(all_keys_are_checked_whatever_is_wrong_with_others),
        cmocka_unit_test(wrong_bodies_are_there_all_the_same),
        cmocka_unit_test(a_body_without_a_name_may_be_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
