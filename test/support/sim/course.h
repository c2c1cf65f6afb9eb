// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A simulation out of one text or file, for tests of runs.
#ifndef LB_TEST_COURSE_H
#define LB_TEST_COURSE_H

#include "check.h"
#include "limber/results.h"
#include "limber/simulate.h"

typedef struct lb_course {
    lb_document *document;
    lb_model *model;
    lb_simulation *simulation;
    int q_count, v_count;
    double t;
    const double *q, *v, *a; ///< present state, after lb_go_to
} lb_course;

/// Loads a text (YAML) and ends the test, saying why, if that fails.
lb_course lb_begin_course(const char *text);
/// The same from a file of examples/.
lb_course lb_begin_example(const char *name);
/// The text of a file of examples/; the caller frees it.
char *lb_read_example(const char *name);
void lb_end_course(lb_course *course);

/// Changes options; before lb_start_course.
void lb_choose_integrator(lb_course *course, lb_integrator integrator, int order, double tolerance,
                          double step);
void lb_start_course(lb_course *course);
/// Advances to t, through events; ends the test on failure. Returns the last news.
lb_status lb_go_to(lb_course *course, double t);

/// Motion of a node at the present state.
lb_node_motion lb_get_course_node(lb_course *course, const char *body, const char *node);

#endif // LB_TEST_COURSE_H
