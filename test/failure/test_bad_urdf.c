// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Robots with mistakes, each told with its line and place, and XML made to hurt.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heard.h"
#include "limber/io.h"
#include "program.h"

static lb_status load(const char *text, size_t length, lb_heard *heard)
{
    const lb_report report = lb_listen(heard);
    lb_model *model = NULL;
    const lb_status status =
        lb_load_model_text(text, length, "bad.urdf", LB_FORMAT_AUTO, NULL, &report, &model);
    assert_null(model);
    assert_true(heard->error_count > 0);
    return status;
}

// The i-th finding stands in a line, at a path, and says something.
static void expect(const lb_heard *heard, int i, int line, const char *path, const char *part)
{
    const lb_heard_entry *entry = &heard->entries[i];
    if (i >= heard->count || entry->line != line || strcmp(entry->path, path) != 0 ||
        !strstr(entry->message, part) || strcmp(entry->file, "bad.urdf") != 0) {
        lb_print_heard(heard);
        fail_msg("entry %d, expected %d: %s: ... %s", i, line, path, part);
    }
}

// A text with one mistake.
static void expect_one(const char *text, lb_status status, int line, const char *path,
                       const char *part)
{
    lb_heard heard = {.count = 0};
    assert_int_equal(load(text, strlen(text), &heard), status);
    expect(&heard, 0, line, path, part);
    if (heard.count != 1) {
        lb_print_heard(&heard);
        fail_msg("%d findings, expected one", heard.count);
    }
}

// ---- mistakes ----------------------------------------------------------------------------------

static void all_errors_of_a_robot_are_reported(void **state)
{
    (void)state;
    const char *text = "<robot name='bad'>\n"
                       "<link name='a'>\n"
                       "  <inertial>\n"
                       "    <origin xyz='0 0' rpy='0 x 0'/>\n"
                       "    <mass value='-1'/>\n"
                       "    <inertia ixx='1' iyy='nan' izz='1' ixy='0' ixz='0'/>\n"
                       "  </inertial>\n"
                       "</link>\n"
                       "<link name='b'><inertial/></link>\n"
                       "<joint name='j' type='hinge'>\n"
                       "  <parent link='a'/>\n"
                       "  <axis xyz='0 0 0'/>\n"
                       "</joint>\n"
                       "<joint name='k' type='revolute'>\n"
                       "  <parent link='nobody'/><child link='b'/>\n"
                       "  <axis xyz='0 0 0'/>\n"
                       "  <limit lower='1' upper='0' effort='-1' velocity='1e999'/>\n"
                       "  <dynamics damping='-1' friction='0x10'/>\n"
                       "  <mimic joint='j' multiplier='x'/>\n"
                       "</joint>\n"
                       "<joint/>\n"
                       "</robot>\n";
    lb_heard heard = {.count = 0};
    assert_int_equal(load(text, strlen(text), &heard), LB_E_MODEL);
    int i = 0;
    expect(&heard, i++, 5, "robot.link[a].inertial.mass.value", "-1 found");
    expect(&heard, i++, 4, "robot.link[a].inertial.origin.xyz", "2 numbers found, expected 3");
    expect(&heard, i++, 4, "robot.link[a].inertial.origin.rpy", "\"x 0\" found");
    expect(&heard, i++, 6, "robot.link[a].inertial.inertia.iyy", "\"nan\" found");
    expect(&heard, i++, 6, "robot.link[a].inertial.inertia.iyz", "missing");
    expect(&heard, i++, 9, "robot.link[b].inertial.mass", "missing");
    expect(&heard, i++, 9, "robot.link[b].inertial.inertia", "missing");
    expect(&heard, i++, 10, "robot.joint[j].type", "unknown type \"hinge\": expected revolute");
    expect(&heard, i++, 10, "robot.joint[j].child", "missing");
    expect(&heard, i++, 16, "robot.joint[k].axis.xyz", "zero");
    expect(&heard, i++, 17, "robot.joint[k].limit.velocity", "finite");
    expect(&heard, i++, 17, "robot.joint[k].limit", "lower 1 above upper 0");
    expect(&heard, i++, 17, "robot.joint[k].limit", "effort -1");
    expect(&heard, i++, 18, "robot.joint[k].dynamics", "damping -1");
    expect(&heard, i++, 18, "robot.joint[k].dynamics.friction", "0x10");
    expect(&heard, i++, 19, "robot.joint[k].mimic.multiplier", "\"x\" found");
    expect(&heard, i++, 21, "robot.joint[?].name", "missing");
    expect(&heard, i++, 21, "robot.joint[?].type", "missing");
    expect(&heard, i++, 21, "robot.joint[?].parent", "missing");
    expect(&heard, i++, 21, "robot.joint[?].child", "missing");
    expect(&heard, i++, 15, "robot.joint[k].parent", "there is no link \"nobody\"");
    assert_int_equal(heard.count, i);
}

#define JOINT(name, parent, child)                                                                 \
    "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child      \
    "'/></joint>\n"

static void what_is_no_tree_is_refused(void **state)
{
    (void)state;
    const char *links = "<robot>\n<link name='a'/>\n<link name='b'/>\n<link name='c'/>\n";
    static const struct {
        const char *joints, *path, *part;
        int line;
    } cases[] = {
        {JOINT("i", "a", "c") JOINT("j", "b", "c"), "robot.joint[j].child", "joint \"i\"", 6},
        {JOINT("i", "a", "b"), "robot.link[c]", "several roots", 4},
        {JOINT("i", "b", "c") JOINT("j", "c", "b"), "robot.link[b]", "a cycle", 3},
        {JOINT("i", "a", "b") JOINT("i", "a", "c"), "robot.joint[i].name", "line 5", 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s</robot>", links, cases[i].joints);
        expect_one(text, LB_E_MODEL, cases[i].line, cases[i].path, cases[i].part);
    }
    // no root at all
    expect_one("<robot>\n<link name='a'/>" JOINT("i", "a", "a") "</robot>", LB_E_MODEL, 2,
               "robot.link[a]", "one root");
}

static void names_that_mean_something_else_are_refused(void **state)
{
    (void)state;
    expect_one("<robot><link name='a'/>\n<link name='a'/></robot>", LB_E_MODEL, 2,
               "robot.link[a].name", "given twice");
    expect_one("<robot><link name=''/></robot>", LB_E_MODEL, 1, "robot.link[?].name", "missing");
    expect_one("<robot><link name='origin'/></robot>", LB_E_MODEL, 1, "robot.link[origin].name",
               "reserved");
    expect_one(
        "<robot><link name='a'/>\n<link name='ground'/>" JOINT("i", "a", "ground") "</robot>",
        LB_E_MODEL, 2, "robot.link[ground].name", "reserved");
}

static void an_impossible_inertia_is_refused(void **state)
{
    (void)state;
    const char *format = "<robot><link name='a'/>\n<link name='b'><inertial><mass value='1'/>\n"
                         "<inertia ixx='%s' iyy='1' izz='1' ixy='%s' ixz='0' iyz='0'/></inertial>"
                         "</link>" JOINT("i", "a", "b") "</robot>";
    char text[512];
    snprintf(text, sizeof text, format, "-1", "0");
    expect_one(text, LB_E_MODEL, 3, "robot.link[b].inertial.inertia", "negative");
    snprintf(text, sizeof text, format, "1", "1.1");
    expect_one(text, LB_E_MODEL, 3, "robot.link[b].inertial.inertia", "negative");
}

static void what_the_builder_finds_is_told_in_words_of_the_robot(void **state)
{
    (void)state;
    // no distribution of mass has these moments: a warning, which comes from the model
    const char *text = "<robot><link name='a'/>\n<link name='b'>\n<inertial><mass value='1'/>"
                       "<inertia ixx='9' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
                       "</link>" JOINT("i", "a", "b") "</robot>";
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_model *model = NULL;
    assert_int_equal(
        lb_load_model_text(text, strlen(text), "bad.urdf", LB_FORMAT_URDF, NULL, &report, &model),
        LB_OK);
    lb_destroy_model(model);
    expect(&heard, 0, 3, "robot.link[b].inertia", "triangle");
    assert_int_equal(heard.count, 1);
}

static void misspelt_parts_raise_a_warning(void **state)
{
    (void)state;
    const char *text = "<robot><link name='a'>\n<intertial/><extension/></link><link name='b'/>\n"
                       "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>\n"
                       "<origin xyz='0 0 0' ryp='1 0 0'/></joint></robot>";
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_model *model = NULL;
    assert_int_equal(
        lb_load_model_text(text, strlen(text), "bad.urdf", LB_FORMAT_URDF, NULL, &report, &model),
        LB_OK);
    lb_destroy_model(model);
    expect(&heard, 0, 2, "robot.link[a]", "did you mean <inertial>?");
    expect(&heard, 1, 4, "robot.joint[j].origin", "\"ryp\"");
    assert_int_equal(heard.count, 2);
}

// ---- what is no URDF ---------------------------------------------------------------------------

static void xacro_is_refused_with_advice(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'>\n<xacro:property name='a' value='1'/>"
        "</robot>",
        "<robot>\n<xacro:macro name='undeclared'/></robot>",
        "<robot xmlns:xacro='http://ros.org/wiki/xacro'><link name='a'>\n<xacro:inertia/></link>"
        "</robot>"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        expect_one(texts[i], LB_E_UNSUPPORTED, 2, "robot", "run \"xacro");
    }
    expect_one("<robot><link name='a'><inertial><mass value='${m}'/><inertia ixx='0' iyy='0' "
               "izz='0' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>",
               LB_E_MODEL, 1, "robot.link[a].inertial.mass.value", "run xacro first");
}

static void what_is_no_robot_is_refused(void **state)
{
    (void)state;
    expect_one("<sdf version='1.7'/>", LB_E_MODEL, 1, "robot", "<sdf> found, expected <robot>");
    expect_one("<robot/>", LB_E_MODEL, 1, "robot", "no links");
    expect_one("", LB_E_SYNTAX, 1, "", "XML");
    expect_one("limber: 1", LB_E_SYNTAX, 1, "", "not valid XML");
    expect_one("<robot>\n<link name='a'>\n</robot>", LB_E_SYNTAX, 3, "", "not valid XML");
    expect_one("<robot>\n<link name='\xFF'/></robot>", LB_E_SYNTAX, 2, "", "not valid XML");
    expect_one("<robot>\n&nobody;</robot>", LB_E_SYNTAX, 2, "", "not valid XML");
}

// ---- made to hurt ------------------------------------------------------------------------------

static void entities_do_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {
        // a bomb
        "<?xml version='1.0'?>\n<!DOCTYPE robot [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>"
        "<!ENTITY c '&b;&b;&b;&b;'>]><robot name='&c;'><link name='&c;'/></robot>",
        // files and addresses
        "<?xml version='1.0'?>\n<!DOCTYPE robot [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"
        "<robot>&x;</robot>",
        "<?xml version='1.0'?>\n<!DOCTYPE robot SYSTEM 'http://localhost:1/robot.dtd'><robot/>",
        "<?xml version='1.0'?>\n<!DOCTYPE robot [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]>"
        "<robot/>",
        "<?xml version='1.0'?>\n<!DOCTYPE robot><robot><link name='a'/></robot>"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        expect_one(texts[i], LB_E_SYNTAX, 2, "", "DOCTYPE");
    }
}

static char *repeat(const char *start, const char *piece, size_t count, const char *end)
{
    const size_t step = strlen(piece), room = strlen(start) + count * step + strlen(end) + 1;
    char *text = malloc(room), *at = text;
    assert_non_null(text);
    at += strlen(strcpy(at, start));
    for (size_t i = 0; i < count; ++i, at += step) {
        memcpy(at, piece, step);
    }
    strcpy(at, end);
    return text;
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    char *text = repeat("<robot>", "<link name='a'>", 200000, "");
    lb_heard heard = {.count = 0};
    assert_int_equal(load(text, strlen(text), &heard), LB_E_SYNTAX);
    assert_int_equal(heard.count, 1);
    free(text);
}

static void a_text_that_is_too_large_is_refused(void **state)
{
    (void)state;
    char *text = repeat("<robot>", "                ", (size_t)5 << 20, "</robot>");
    lb_heard heard = {.count = 0};
    assert_int_equal(load(text, strlen(text), &heard), LB_E_SYNTAX);
    assert_non_null(strstr(heard.entries[0].message, "at most"));
    free(text);
}

static void many_links_take_linear_time(void **state)
{
    (void)state;
    // all of one name, on joints of one name: every look-up finds the first of very many
    char *text =
        repeat("<robot>", "<link name='a'/><joint name='a' type='fixed'/>", 100000, "</robot>");
    lb_heard heard = {.count = 0};
    assert_int_equal(load(text, strlen(text), &heard), LB_E_MODEL);
    assert_int_equal(heard.error_count, 2 * 100000 + 2 * 99999);
    free(text);
}

static void joints_that_cannot_follow_are_refused(void **state)
{
    (void)state;
    const char text[] = "<robot name='r'>\n"
                        "<link name='a'/><link name='b'/><link name='c'/><link name='d'/>\n"
                        "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>\n"
                        "  <axis xyz='0 0 1'/><mimic joint='j'/></joint>\n"
                        "<joint name='k' type='continuous'><parent link='a'/><child link='c'/>\n"
                        "  <axis xyz='0 0 1'/><mimic joint='nobody'/></joint>\n"
                        "<joint name='l' type='fixed'><parent link='a'/><child link='d'/>\n"
                        "  <mimic joint='k'/></joint>\n"
                        "</robot>\n";
    lb_heard heard = {.count = 0};
    assert_int_equal(load(text, strlen(text), &heard), LB_E_MODEL);
    int i = 0;
    expect(&heard, i++, 4, "robot.joint[j].mimic.joint", "a joint cannot follow itself");
    expect(&heard, i++, 6, "robot.joint[k].mimic.joint", "there is no joint \"nobody\"");
    expect(&heard, i++, 8, "robot.joint[l].mimic", "only revolute, continuous and prismatic");
    assert_int_equal(heard.count, i);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_errors_of_a_robot_are_reported),
        cmocka_unit_test(what_is_no_tree_is_refused),
        cmocka_unit_test(names_that_mean_something_else_are_refused),
        cmocka_unit_test(an_impossible_inertia_is_refused),
        cmocka_unit_test(what_the_builder_finds_is_told_in_words_of_the_robot),
        cmocka_unit_test(misspelt_parts_raise_a_warning),
        cmocka_unit_test(xacro_is_refused_with_advice),
        cmocka_unit_test(what_is_no_robot_is_refused),
        cmocka_unit_test(entities_do_nothing),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(a_text_that_is_too_large_is_refused),
        cmocka_unit_test(many_links_take_linear_time),
        cmocka_unit_test(joints_that_cannot_follow_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
