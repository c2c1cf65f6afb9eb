// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "twins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "scratch.h"

static void print_fault(void *user, const lb_diagnostic *diagnostic)
{
    (void)user;
    print_message("%s: %s\n", diagnostic->path, diagnostic->message);
}

lb_simulation *lb_create_twin(const lb_model *model)
{
    const lb_report report = {print_fault, NULL};
    lb_simulation *simulation = NULL;
    lb_expect_ok(lb_create_simulation(model, &report, &simulation));
    return simulation;
}

lb_force_options lb_name_force(const char *name, lb_force_type type, const char *hinge)
{
    lb_force_options force = lb_default_force_options();
    force.name = name;
    force.type = type;
    force.hinge = hinge;
    return force;
}

void lb_add_twin_force(lb_simulation *simulation, const lb_force_options *options)
{
    lb_expect_ok(lb_add_force(lb_get_simulation_forces(simulation), options, NULL));
}

void lb_add_twin_motor(lb_simulation *simulation, const char *name, const char *hinge,
                       const char *value)
{
    const lb_function_options torque = lb_expression_function(value);
    lb_force_options motor = lb_name_force(name, LB_FORCE_MOTOR, hinge);
    motor.values = &torque;
    motor.value_count = 1;
    lb_add_twin_force(simulation, &motor);
}

void lb_add_twin_outputs(lb_simulation *simulation, const char *const *outputs)
{
    for (; *outputs; ++outputs) {
        lb_expect_ok(lb_add_output(simulation, *outputs));
    }
}

static lb_results *record(lb_simulation *simulation, char path[LB_SCRATCH_PATH_SIZE])
{
    FILE *file = lb_open_scratch(path);
    assert_non_null(file);
    fclose(file);
    lb_run_request request = lb_default_run_request();
    request.path = path;
    if (lb_run_simulation(simulation, &request, NULL) < 0) {
        fail_msg("%s", lb_get_simulation_message(simulation));
    }
    lb_results *results = NULL;
    lb_expect_ok(lb_open_results(path, NULL, &results));
    return results;
}

static void compare_table(lb_results *const of[2], int table, long rows)
{
    const int columns = lb_get_results_info(of[0])->tables[table].column_count;
    const char *name = lb_get_results_info(of[0])->tables[table].name;
    assert_string_equal(lb_get_results_info(of[1])->tables[table].name, name);
    assert_int_equal(lb_get_results_info(of[1])->tables[table].column_count, columns);
    for (int i = 0; i < columns; ++i) {
        assert_string_equal(lb_get_results_info(of[1])->tables[table].columns[i],
                            lb_get_results_info(of[0])->tables[table].columns[i]);
    }
    const size_t count = (size_t)rows * (size_t)columns;
    double *numbers = calloc(2 * count + 1, sizeof *numbers);
    assert_non_null(numbers);
    for (int i = 0; i < 2; ++i) {
        lb_expect_ok(lb_read_table(of[i], table, 0, rows, numbers + (size_t)i * count));
    }
    for (size_t i = 0; i < count; ++i) {
        if (memcmp(&numbers[i], &numbers[count + i], sizeof *numbers) != 0) {
            fail_msg("row %zu of %s: %s is %.17g, and %.17g where it was built",
                     i / (size_t)columns, name,
                     lb_get_results_info(of[0])->tables[table].columns[(int)(i % (size_t)columns)],
                     numbers[i], numbers[count + i]);
        }
    }
    free(numbers);
}

void lb_expect_same_rows(lb_simulation *loaded, lb_simulation *built, long least)
{
    char paths[2][LB_SCRATCH_PATH_SIZE];
    lb_results *const of[2] = {record(loaded, paths[0]), record(built, paths[1])};
    const long rows = lb_get_results_info(of[0])->row_count;
    assert_true(rows >= least);
    assert_int_equal(lb_get_results_info(of[1])->row_count, rows);
    assert_int_equal(lb_get_results_info(of[1])->table_count,
                     lb_get_results_info(of[0])->table_count);
    for (int table = 0; table < lb_get_results_info(of[0])->table_count; ++table) {
        compare_table(of, table, rows);
    }
    assert_int_equal(lb_get_results_info(of[1])->event_count,
                     lb_get_results_info(of[0])->event_count);
    for (int i = 0; i < lb_get_results_info(of[0])->event_count; ++i) {
        double t[2];
        const char *names[2];
        for (int j = 0; j < 2; ++j) {
            lb_expect_ok(lb_read_event(of[j], i, &t[j], &names[j]));
        }
        assert_true(t[0] == t[1]);
        assert_string_equal(names[0], names[1]);
    }
    for (int i = 0; i < 2; ++i) {
        lb_close_results(of[i]);
        unlink(paths[i]);
    }
}
