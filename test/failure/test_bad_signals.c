// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Signals that are written wrong: each mistake is told at its place, in words of its own.
#include <string.h>

#include "heard.h"
#include "rig.h"

static const char model_text[] =
    "limber: 1\n"
    "ground: {nodes: {mount: {position: [0, 0, 1]}}}\n"
    "bodies:\n"
    "  - {name: hub, hinge: {type: free}, mass: 5, inertia: [1, 2, 2, 0, 0, 0],\n"
    "     nodes: {tip: {position: [0.3, 0, 0]}}}\n"
    "  - {name: boom, parent: hub, at: tip, hinge: {type: revolute, axis: [0, 1, 0]},\n"
    "     beam: {length: 2, nodes: {mid: 0.7}, modes: 2, section: {type: rectangle, width: 0.02, "
    "height: 0.03},\n"
    "            material: aluminium}, cuts: [mid]}\n"
    "  - {name: arm, parent: hub, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1,\n"
    "     inertia: [1, 1, 1, 0, 0, 0]}\n"
    "loops:\n"
    "  - {name: pin, type: spherical, a: {body: boom, node: tip}, b: {body: arm, node: origin}, "
    "active: false}\n"
    "  - {name: gear, type: coupler, terms: [{body: arm}, {body: boom, factor: 2}], active: "
    "false}\n";

static void each_mistake_has_its_own_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int column;
        const char *message;
    } cases[] = {
        {"hub/", 5, "expected a name"},
        {"hub/tap.position.x", 5, "hub has no node \"tap\""},
        {"hub", 1, "what of body \"hub\"? Such as hub.position.x"},
        {"hub.", 5, "expected a name"},
        {"hub.place.x", 5, "unknown quantity \"place\""},
        {"hub.position", 13, "expected \".\" and a component of position: one of xyz, or norm"},
        {"hub.position.w", 14, "position has no component \"w\", expected one of xyz, or norm"},
        {"ground/mount.angle", 14, "unknown quantity \"angle\""},
        {"system", 1, "there is no signal \"system\""},
        {"system.weight", 8, "the system has no \"weight\""},
        {"loop/pan.force.x", 6, "there is no loop \"pan\""},
        {"loop/", 6, "expected a name"},
        {"loop/pin", 9, "expected \".\" and what of it, such as force.x"},
        {"loop/pin.torque.x", 10, "a loop has no \"torque\", expected force or moment"},
        {"reaction(", 10, "expected a name"},
        {"reaction(arm", 13, "expected \")\", or axes and a point, such as \", in ground)\""},
        {"reaction(ground).force.x", 10, "the ground has no hinge, expected a body or loop/NAME"},
        {"reaction(rotor).force.x", 10, "there is no body \"rotor\""},
        {"reaction(loop/).force.x", 15, "expected a name"},
        {"reaction(loop/gear).force.x", 10,
         "a coupler joins no nodes: its force is loop/gear.moment.x"},
        {"reaction(arm)", 14, "expected \".\" and what of it, such as force.x"},
        {"reaction(arm).torque.x", 15, "a reaction has no \"torque\", expected force or moment"},
        {"reaction(arm, ).force.x", 15, "expected a name"},
        {"reaction(arm, at hub).force.x", 15,
         "expected \"in\" and a node whose axes are used, or \"about\" and a node whose place is "
         "the point of the moment, each once"},
        {"reaction(arm, in hub, in hub).force.x", 23,
         "expected \"in\" and a node whose axes are used, or \"about\" and a node whose place is "
         "the point of the moment, each once"},
        {"reaction(arm, in rotor).force.x", 18, "there is no body \"rotor\""},
        {"reaction(arm, about hub/tap).force.x", 25, "hub has no node \"tap\""},
        {"section(rotor).force.x", 9, "there is no body \"rotor\""},
        {"section(boom/tip).force.x", 9,
         "boom is not cut there: list the node under \"cuts\" of a flexible body, such as cuts: "
         "[mid]"},
        {"section(arm).force.x", 9,
         "arm is not cut there: list the node under \"cuts\" of a flexible body, such as cuts: "
         "[mid]"},
        {"section(boom/mid, by ).force.x", 22, "expected a name"},
        {"section(boom/mid, by nodes).force.x", 22, "\"by nodes\" found, expected \"by modes\""},
        {"section(boom/mid, by modes).torque.x", 29,
         "a section has no \"torque\", expected force or moment"},
        {"attitude(rotor).x", 10, "there is no body \"rotor\""},
        {"attitude(hub, in rotor).x", 18, "there is no body \"rotor\""},
        {"attitude(hub, zyx).x", 18, "expected a node and axes, such as (hub, in target)"},
        {"attitude(hub, ).x", 15, "expected a name"},
        {"euler(hub, in ground).0", 21,
         "expected a node, axes and a sequence, such as (hub, in target, zyx)"},
        {"euler(hub, zz).0", 12, "\"zz\" is no sequence of axes, expected one such as zyx or zxz"},
        {"euler(hub, zzx).0", 12,
         "\"zzx\" is no sequence of axes, expected one such as zyx or zxz"},
        {"euler(hub, zyxz).0", 12,
         "\"zyxz\" is no sequence of axes, expected one such as zyx or zxz"},
        {"euler(hub, zyx).3", 17, "there is no angle 3 here: there are 3, counted from 0"},
        {"sight(hub).azimuth", 10, "expected two nodes, such as (hub/camera, target)"},
        {"sight(hub, arm, boom).azimuth", 17, "expected two nodes, such as (hub/camera, target)"},
        {"sight(hub, rotor).azimuth", 12, "there is no body \"rotor\""},
        {"sight(hub, arm)", 16, "expected \".\" and azimuth, elevation or off"},
        {"sight(hub, arm).height", 17,
         "a line of sight has no \"height\", expected azimuth, elevation or off"},
        {"distance(hub)", 13,
         "expected \",\": a distance is between two nodes, such as (panel/n1, ground/mount)"},
        {"distance(hub, rotor)", 15, "there is no body \"rotor\""},
        {"distance(hub, arm", 18, "expected \")\""},
        {"distance hub", 1, "there is no signal \"distance\""},
        {"boom.recovery.stress", 6, "unknown quantity \"recovery\""},
        {"boom.eta.2", 10, "there is no mode 2 here: there are 2, counted from 0"},
        {"boom.eta", 9, "expected \".\" and the index of mode, from 0"},
    };
    lb_rig rig = lb_begin_rig(model_text, NULL);
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_signal *signal = NULL;
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        assert_int_equal(lb_compile_signal(rig.model, NULL, cases[i].text, &report, &signal),
                         LB_E_SYNTAX);
        assert_null(signal);
        assert_int_equal(heard.count, 1);
        if (heard.entries[0].column != cases[i].column ||
            !strstr(heard.entries[0].message, cases[i].message)) {
            print_message("%s: character %d: %s\n", cases[i].text, heard.entries[0].column,
                          heard.entries[0].message);
            ++wrong;
        }
    }
    assert_int_equal(wrong, 0);
    lb_end_rig(&rig);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_has_its_own_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
