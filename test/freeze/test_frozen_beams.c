// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Beams in frozen files: modes and columns of the mass matrix go through loops, in one function or in parts.
#include <limber/freeze.h>
#include <scenes.h>
#include <string.h>

#include "expect_engine.h"

enum { BODIES = 3, MODES = 4, N = BODIES * (MODES + 1) };

static void compare(const lb_model *model, const lb_program *program)
{
    lb_work *work = lb_create_work(model);
    for (int i = 0; i < 5; ++i) {
        double q[N], v[N], x[N];
        lb_random random;
        lb_seed_random(&random, (uint64_t)i);
        lb_draw_vector(&random, N, 1.0, q);
        lb_draw_vector(&random, N, 1.0, v);
        lb_draw_vector(&random, N, 1.0, x);
        for (int j = 0; j < N; ++j) { // modes come first: small deformations
            q[j] *= j % (MODES + 1) < MODES ? 0.01 : 1.0;
        }
        lb_expect_engine(model, work, program, q, v, x, x);
    }
    lb_destroy_work(work);
}

// @param most  operations of one function; 0 for the usual
static void check(lb_fidelity fidelity, int most, bool vectors)
{
    lb_model *model = lb_build_unlike_chain(BODIES, MODES, fidelity, 7);
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = "forward,inverse,mass";
    options.operation_count = most;
    options.vectors = vectors;
    lb_program program;
    assert_true(lb_write_program(model, &options, &program));
    // loops over modes, and over the columns of a body
    assert_int_equal(lb_run_in_folder(&program, "grep -q 'i < 4; ++i' model.c"), 0);
    assert_int_equal(lb_run_in_folder(&program, "grep -q 'i < 5; ++i' model.c"), 0);
    assert_int_equal(lb_run_in_folder(&program, "grep -q model_mass_2 model.c"), most ? 0 : 1);
    assert_int_equal(lb_run_in_folder(&program, "c++ -x c++ -std=c++11 -pedantic -Wall -Wextra "
                                                "-Werror -c model.c"),
                     0);
    assert_true(lb_load_program(&program, "cc -std=c99 -pedantic -Wall -Wextra -Werror -O0"));
    compare(model, &program);
    lb_end_program(&program);
    lb_destroy_model(model);
}

static void modes_and_columns_go_through_loops(void **state)
{
    (void)state;
    check(LB_FIDELITY_RUTHLESS, 0, false);
    check(LB_FIDELITY_CONSISTENT, 0, false);
}

static void parts_hand_on_whole_arrays(void **state)
{
    (void)state;
    check(LB_FIDELITY_RUTHLESS, 50, false);
    check(LB_FIDELITY_CONSISTENT, 100, true);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_and_columns_go_through_loops),
        cmocka_unit_test(parts_hand_on_whole_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
