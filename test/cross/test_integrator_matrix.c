// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Every integrator and order with every example and case: a run goes on, or says in the words of the model file which of
// the user's choices does not suit it.
#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "simulate/run/simulation.h"

typedef struct choice {
    lb_integrator integrator;
    int order;
    double tolerance; // that such an order can keep in reasonable time; 0: that of the model
} choice;

static const choice choices[] = {
    {LB_INTEGRATOR_ERK, 2, 1e-4},   {LB_INTEGRATOR_ERK, 3, 1e-5},   {LB_INTEGRATOR_ERK, 4, 1e-6},
    {LB_INTEGRATOR_ERK, 5, 0.0},    {LB_INTEGRATOR_ERK, 6, 0.0},    {LB_INTEGRATOR_ERK, 8, 0.0},
    {LB_INTEGRATOR_ADAMS, 1, 1e-3}, {LB_INTEGRATOR_ADAMS, 2, 1e-4}, {LB_INTEGRATOR_ADAMS, 0, 0.0},
    {LB_INTEGRATOR_BDF, 1, 1e-3},   {LB_INTEGRATOR_BDF, 2, 1e-4},   {LB_INTEGRATOR_BDF, 3, 1e-5},
    {LB_INTEGRATOR_BDF, 0, 0.0},    {LB_INTEGRATOR_RK4, 0, 0.0},    {LB_INTEGRATOR_EULER, 0, 0.0},
    {LB_INTEGRATOR_ALPHA, 0, 0.0}};
enum { CHOICE_COUNT = sizeof choices / sizeof choices[0] };

// So many evaluations of the dynamics are enough unless the test is long.
enum { BUDGET = 200, LONG_BUDGET = 20000000 };

static bool is_enough(void *user)
{
    const lb_simulation *simulation = user;
    return simulation->system.evaluation_count > (lb_is_long() ? LONG_BUDGET : BUDGET);
}

static lb_status advance(lb_simulation *simulation, double end, int pieces)
{
    lb_status status = LB_OK;
    for (int i = 1; i <= pieces && status >= 0; ++i) {
        const double t = i < pieces ? i * (end / pieces) : end;
        do {
            status = lb_advance_simulation(simulation, t);
            if (status == LB_NEWS_STOP || simulation->system.called_off || is_enough(simulation)) {
                return LB_OK;
            }
        } while (status == LB_NEWS_EVENT);
    }
    return status;
}

// Words in which the user can have chosen otherwise.
static bool names_a_choice(const char *message)
{
    static const char *const words[] = {"`step`",     "`tolerance`", "`order`",
                                        "integrator", "loop",        "friction"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strstr(message, words[i])) {
            return true;
        }
    }
    return false;
}

static int run(const char *file, const lb_document *document, const lb_model *model,
               const choice *c)
{
    lb_simulation *simulation = NULL;
    if (lb_load_simulation(document, model, NULL, &simulation) < 0) {
        lb_destroy_simulation(simulation);
        return 0; // what is wrong with it is the subject of other tests
    }
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(simulation, &o);
    o.integrator = c->integrator;
    o.order = c->order;
    if (c->tolerance > o.relative_tolerance) {
        o.relative_tolerance = c->tolerance;
    }
    assert_int_equal(lb_set_run_options(simulation, &o), LB_OK);
    lb_status status = lb_start_simulation(simulation);
    const bool started = status >= 0;
    simulation->system.is_called_off = is_enough;
    simulation->system.caller = simulation;
    const double rows = ceil(o.duration / o.interval);
    status = status < 0 ? status : advance(simulation, o.duration, rows < 1e5 ? (int)rows : 100000);
    const char *message = lb_get_simulation_message(simulation);
    const int bad = started && status < 0 && (!names_a_choice(message) || strstr(message, "code"));
    if (started && status < 0) {
        print_message("%s, %s %d: %s\n", file, lb_get_integrator_name(c->integrator), c->order,
                      message);
    }
    lb_destroy_simulation(simulation);
    return bad;
}

static int run_all(const char *folder, const char *name)
{
    lb_document *document = NULL;
    lb_model *model = NULL;
    int bad = 0;
    if (lb_load_document(lb_find_source("%s/%s", folder, name), NULL, NULL, &document) >= 0 &&
        lb_load_document_model(document, NULL, &model) >= 0) {
        for (int i = 0; i < CHOICE_COUNT; ++i) {
            bad += run(name, document, model, &choices[i]);
        }
    }
    lb_destroy_model(model);
    lb_destroy_document(document);
    return bad;
}

static void check_folder(const char *path)
{
    DIR *folder = opendir(lb_find_source("%s", path));
    assert_non_null(folder);
    int count = 0, bad = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0) {
            bad += run_all(path, entry->d_name);
            ++count;
        }
    }
    closedir(folder);
    assert_true(count >= 20);
    assert_int_equal(bad, 0);
}

static void examples_run_with_every_integrator(void **state)
{
    (void)state;
    check_folder("examples");
}

static void cases_run_with_every_integrator(void **state)
{
    (void)state;
    check_folder("test/cases");
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_run_with_every_integrator),
        cmocka_unit_test(cases_run_with_every_integrator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
