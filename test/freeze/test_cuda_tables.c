// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics by tables, where there is no device: the kernel's function of one state, compiled for the host, gives
// the accelerations of the engine. The compiler of CUDA takes the text, where it is installed.
#include <limber/dynamics.h>
#include <limber/work.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "export/cuda/device.h"
#include "export/cuda/tables/table_text.h"
#include "frozen/program.h"

enum { MOST = 64 };

typedef int (*forward_function)(const double *q, const double *v, const double *tau, double *a);

static const char host_text[] = "#include <math.h>\n"
                                "#include <string.h>\n"
                                "#include \"model.cu\"\n"
                                "static const unsigned long long table[] = {TABLE};\n"
                                "static double kept[model_forward_KEPT];\n"
                                "extern \"C\" int host_forward(const double *q, const double *v, "
                                "const double *tau, double *a)\n"
                                "{\n"
                                "    static lb_table::chain chain;\n"
                                "    memcpy((void *)&chain, table, sizeof chain);\n"
                                "    return lb_table::compute(chain, q, v, tau, a, 1, kept);\n"
                                "}\n";

// The kernel of a model on the host. The program is ended by the caller.
static forward_function open_forward(const lb_model *model, lb_program *program)
{
    forward_function forward;
    char *text = lb_write_table_text(model);
    assert_non_null(text);
    assert_true(lb_load_on_host(program, text, host_text, "-std=gnu++17 -O0 -D_GNU_SOURCE"));
    free(text);
    lb_get_host_function(program, "host_forward", &forward);
    assert_non_null(forward);
    return forward;
}

static void draw_state(const lb_model *model, int round, double *q, double *v, double *tau)
{
    for (int i = 0; i < lb_get_v_count(model); ++i) {
        q[i] = 3.0 * sin(7.0 * i + 3.3 * round);
        v[i] = cos(3.0 * i + 1.7 * round);
        tau[i] = 10.0 * sin(1.0 * i + round);
    }
    for (int body = 0; body < lb_get_body_count(model); ++body) {
        for (int r = 0; r < lb_get_mode_count(model, body); ++r) {
            q[lb_get_v_offset(model, body) + r] *= 0.003;
            v[lb_get_v_offset(model, body) + r] *= 0.1;
        }
    }
}

static void compare(lb_model *model)
{
    lb_program program;
    const int n = lb_get_v_count(model);
    assert_true(n <= MOST);
    assert_null(lb_find_table_obstacle(model));
    const forward_function forward = open_forward(model, &program);
    lb_work *work = lb_create_work(model);
    for (int round = 0; round < 20; ++round) {
        double q[MOST], v[MOST], tau[MOST], a[MOST], right[MOST];
        draw_state(model, round, q, v, tau);
        lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, right));
        assert_int_equal(forward(q, v, tau, a), 0);
        lb_expect_close("a", a, right, n, 1e-12); // what is promised of graphics processors
    }
    // a number that is not finite is noticed wherever it is
    for (int entry = 0; entry < 3 * n; ++entry) {
        double x[3][MOST], a[MOST];
        draw_state(model, entry, x[0], x[1], x[2]);
        x[entry / n][entry % n] = entry % 2 ? INFINITY : NAN;
        assert_int_equal(forward(x[0], x[1], x[2], a), -10);
    }
    lb_destroy_work(work);
    lb_end_program(&program);
    lb_destroy_model(model);
}

static void accelerations_are_the_engine_s(void **state)
{
    (void)state;
    compare(
        lb_build_unlike_chain(7, 4, LB_FIDELITY_RUTHLESS, 1)); // gains of modes in both memories
    compare(lb_build_unlike_chain(2, 6, LB_FIDELITY_RUTHLESS, 2)); // in shared memory only
    compare(lb_build_unlike_chain(9, 1, LB_FIDELITY_RUTHLESS, 3));
    compare(lb_build_unlike_chain(8, 0, LB_FIDELITY_RUTHLESS, 4));
}

static void other_models_are_refused(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 5;
    options.hinges = LB_HINGE_BIT(LB_HINGE_FREE);
    lb_scene *scene = lb_create_tree(&options, 1);
    lb_model *models[] = {lb_build_scene(scene),
                          lb_build_unlike_chain(4, 2, LB_FIDELITY_CONSISTENT, 1),
                          lb_build_unlike_chain(3, 7, LB_FIDELITY_RUTHLESS, 1),
                          lb_build_unlike_chain(30, 0, LB_FIDELITY_RUTHLESS, 1),
                          lb_build_unlike_chain(1, 2, LB_FIDELITY_RUTHLESS, 1)};
    static const char *const words[] = {"revolute", "ruthless", "at most six", "fewer bodies",
                                        "two bodies"};
    lb_destroy_scene(scene);
    for (int i = 0; i < 5; ++i) {
        const char *obstacle = lb_find_table_obstacle(models[i]);
        assert_non_null(obstacle);
        assert_non_null(strstr(obstacle, words[i]));
        lb_destroy_model(models[i]);
    }
}

static void the_compiler_of_cuda_takes_it(void **state)
{
    (void)state;
    lb_nvrtc nvrtc;
    lb_text why = {.length = 0};
    if (lb_load_nvrtc(&nvrtc, &why) != LB_OK) {
        print_message("skipped: %s\n", why.data);
        return;
    }
    for (int modes = 0; modes <= 4; modes += 4) {
        lb_model *model = lb_build_unlike_chain(7, modes, LB_FIDELITY_RUTHLESS, 1);
        char *text = lb_write_table_text(model), *code = NULL;
        size_t size = 0;
        const lb_status status =
            lb_compile_cuda_text(&nvrtc, "sm_90", text, "model.cu", 0, NULL, &code, &size, &why);
        if (status != LB_OK) {
            print_message("%s\n", why.data);
        }
        lb_expect_ok(status);
        assert_true(size > 0);
        free(code);
        free(text);
        lb_destroy_model(model);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_are_the_engine_s),
        cmocka_unit_test(other_models_are_refused),
        cmocka_unit_test(the_compiler_of_cuda_takes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
