// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "course.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_finding(void *user, const lb_diagnostic *diagnostic)
{
    (void)user;
    if (diagnostic->severity == LB_SEVERITY_ERROR) {
        print_message("%d:%d: %s: %s\n", diagnostic->line, diagnostic->column, diagnostic->path,
                      diagnostic->message);
    }
}

static lb_course finish(lb_course course)
{
    const lb_report report = {print_finding, NULL};
    assert_int_equal(lb_load_document_model(course.document, &report, &course.model), LB_OK);
    assert_int_equal(lb_load_simulation(course.document, course.model, &report, &course.simulation),
                     LB_OK);
    course.q_count = lb_get_q_count(course.model);
    course.v_count = lb_get_v_count(course.model);
    return course;
}

lb_course lb_begin_course(const char *text)
{
    lb_course course = {0};
    const lb_report report = {print_finding, NULL};
    lb_load_options options = lb_default_load_options();
    options.allow_files = "/"; // tests name files of their own folders
    assert_int_equal(lb_load_document_text(text, strlen(text), "test.yaml", LB_FORMAT_YAML,
                                           &options, &report, &course.document),
                     LB_OK);
    return finish(course);
}

char *lb_read_example(const char *name)
{
    FILE *in = fopen(lb_find_source("examples/%s", name), "r");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    const size_t size = (size_t)ftell(in);
    rewind(in);
    char *text = calloc(1, size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, in), size);
    fclose(in);
    return text;
}

lb_course lb_begin_example(const char *name)
{
    lb_course course = {0};
    const lb_report report = {print_finding, NULL};
    assert_int_equal(
        lb_load_document(lb_find_source("examples/%s", name), NULL, &report, &course.document),
        LB_OK);
    return finish(course);
}

void lb_end_course(lb_course *course)
{
    lb_destroy_simulation(course->simulation);
    lb_destroy_model(course->model);
    lb_destroy_document(course->document);
}

void lb_choose_integrator(lb_course *course, lb_integrator integrator, int order, double tolerance,
                          double step)
{
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(course->simulation, &o);
    o.integrator = integrator;
    o.order = order;
    if (tolerance > 0.0) {
        o.relative_tolerance = o.absolute_tolerance = tolerance;
    }
    if (step > 0.0) {
        o.step = step;
    }
    assert_int_equal(lb_set_run_options(course->simulation, &o), LB_OK);
}

void lb_start_course(lb_course *course)
{
    const lb_status status = lb_start_simulation(course->simulation);
    if (status < 0) {
        fail_msg("start: %s", lb_get_simulation_message(course->simulation));
    }
    lb_get_simulation_state(course->simulation, &course->t, &course->q, &course->v, &course->a);
}

lb_status lb_go_to(lb_course *course, double t)
{
    lb_status status;
    do {
        status = lb_advance_simulation(course->simulation, t);
    } while (status == LB_NEWS_EVENT);
    if (status < 0) {
        fail_msg("%s", lb_get_simulation_message(course->simulation));
    }
    lb_get_simulation_state(course->simulation, &course->t, &course->q, &course->v, &course->a);
    return status;
}

lb_node_motion lb_get_course_node(lb_course *course, const char *body, const char *node)
{
    lb_node_motion motion;
    lb_work *work = lb_create_work(course->model);
    const int b = lb_find_body(course->model, body);
    assert_true(b >= 0);
    assert_int_equal(lb_compute_kinematics(course->model, work, course->q, course->v, course->a),
                     LB_OK);
    assert_int_equal(lb_compute_node_motion(course->model, work, b,
                                            lb_find_node(course->model, b, node), &motion),
                     LB_OK);
    lb_destroy_work(work);
    return motion;
}
