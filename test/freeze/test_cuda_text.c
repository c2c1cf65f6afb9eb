// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of kernels where there is no device. Compiled for the host, the functions of one state give the numbers of
// the frozen C: the same operations in another order. The compilers of CUDA take it, where they are installed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "export/cuda/device.h"
#include "frozen/program.h"
#include "small_tree.h"

// 1e-12: what the project promises of both, against the engine; sums are in different orders
static const double tolerance = 1e-12;

// The functions of one state under names of C.
static const char host_text[] =
    "#include \"model.cu\"\n"
    "static double kept[1024];\n"
    "extern \"C\" int host_forward(const double *q, const double *v, const double *tau, double "
    "*a)\n"
    "{ return model_forward(q, v, tau, a, 1, kept); }\n"
    "extern \"C\" int host_inverse(const double *q, const double *v, const double *a, double "
    "*tau)\n"
    "{ return model_inverse(q, v, a, tau, 1, kept); }\n"
    "extern \"C\" int host_mass(const double *q, double *M)\n"
    "{ return model_mass(q, M, 1, kept); }\n"
    "extern \"C\" int host_step(double h, const double *tau, double *q, double *v)\n"
    "{ return model_step(0, 1e300, h, tau, (const double *)0, q, v, kept); }\n";

static lb_program open_host(const lb_model *model, lb_freeze_options options)
{
    lb_program program;
    lb_frozen *frozen = NULL;
    options.language = LB_FROZEN_CUDA;
    options.operation_count = 700; // some functions in parts
    lb_expect_ok(lb_freeze_model(model, &options, NULL, &frozen));
    assert_null(lb_get_frozen_header(frozen));
    assert_true(lb_load_on_host(&program, lb_get_frozen_source(frozen), host_text, "-O0"));
    lb_destroy_frozen(frozen);
    return program;
}

static void compare_with_c(lb_model *model)
{
    const int nq = lb_get_q_count(model), n = lb_get_v_count(model);
    const size_t size = (size_t)n * sizeof(double);
    const bool is_rigid = lb_get_mode_count(model, 0) == 0;
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = "forward,inverse,mass,step";
    lb_program program;
    assert_true(lb_write_program(model, &options, &program));
    assert_true(lb_load_program(&program, "cc -O0 -ffp-contract=off"));
    lb_program on_host = open_host(model, options);
    lb_frozen_four forward[2], inverse[2];
    lb_frozen_two mass[2];
    int (*step[2])(double, const double *, double *, double *);
    lb_get_program_function(&program, "forward", &forward[0]);
    lb_get_program_function(&program, "inverse", &inverse[0]);
    lb_get_program_function(&program, "mass", &mass[0]);
    lb_get_program_function(&program, "step", &step[0]);
    lb_get_host_function(&on_host, "host_forward", &forward[1]);
    lb_get_host_function(&on_host, "host_inverse", &inverse[1]);
    lb_get_host_function(&on_host, "host_mass", &mass[1]);
    lb_get_host_function(&on_host, "host_step", &step[1]);

    double *q = lb_make_numbers((size_t)nq), *v = lb_make_numbers((size_t)n),
           *tau = lb_make_numbers((size_t)n), *d = lb_make_numbers((size_t)n),
           *x = lb_make_numbers((size_t)(n * n)), *y = lb_make_numbers((size_t)(n * n));
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < n; ++i) {
            // the last round has angles that are far out; modal coordinates are not angles
            d[i] = (round == 2 && nq == n && is_rigid ? 3e5 : 0.02) * sin(1.0 + i + 10.0 * round);
            v[i] = 0.1 * cos(2.0 * i + round);
            tau[i] = cos(3.0 * i + round);
        }
        lb_get_neutral_configuration(model, q);
        lb_integrate_configuration(model, q, d, q);
        assert_int_equal(forward[0](q, v, tau, x), forward[1](q, v, tau, y));
        lb_expect_close("forward", y, x, n, tolerance);
        assert_int_equal(inverse[0](q, v, tau, x), inverse[1](q, v, tau, y));
        lb_expect_close("inverse", y, x, n, tolerance);
        assert_int_equal(mass[0](q, x), mass[1](q, y));
        lb_expect_close("mass", y, x, n * n, tolerance);
    }
    // the file of C adds the stages in another order
    double *q_too = lb_make_numbers((size_t)nq), *v_too = lb_make_numbers((size_t)n);
    lb_get_neutral_configuration(model, q);
    memcpy(q_too, q, (size_t)nq * sizeof *q);
    memcpy(v_too, v, size);
    assert_int_equal(step[0](1e-3, tau, q, v), step[1](1e-3, tau, q_too, v_too));
    lb_expect_close("q after a step", q_too, q, nq, 1e-14);
    lb_expect_close("v after a step", v_too, v, n, 1e-12);
    v[0] = NAN;
    assert_int_equal(forward[1](q, v, tau, y), LB_E_NUMBER);
    double *const all[] = {q, v, tau, d, x, y, q_too, v_too};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        free(all[i]);
    }
    lb_end_program(&on_host);
    lb_end_program(&program);
    lb_destroy_model(model);
}

static void on_the_host_it_is_the_frozen_c(void **state)
{
    (void)state;
    compare_with_c(
        lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 5, 0, LB_FIDELITY_CONSISTENT));
    compare_with_c(
        lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_FREE) | LB_HINGE_BIT(LB_HINGE_SPHERICAL), 2, 0,
                           LB_FIDELITY_CONSISTENT));
    compare_with_c(
        lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 2, 2, LB_FIDELITY_CONSISTENT));
    // more values than registers: some are kept elsewhere
    compare_with_c(lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 5, 3, LB_FIDELITY_RUTHLESS));
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
    lb_model *model =
        lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 2, 2, LB_FIDELITY_CONSISTENT);
    for (int number = LB_FROZEN_DOUBLE; number <= LB_FROZEN_FLOAT; ++number) {
        lb_freeze_options options = lb_default_freeze_options();
        lb_frozen *frozen = NULL;
        char *code = NULL;
        size_t size = 0;
        options.functions = "forward,inverse,mass,step";
        options.number = (lb_frozen_number)number;
        options.language = LB_FROZEN_CUDA;
        options.operation_count = 700;
        lb_expect_ok(lb_freeze_model(model, &options, NULL, &frozen));
        const lb_status status = lb_compile_cuda_text(&nvrtc, "sm_90", lb_get_frozen_source(frozen),
                                                      "model.cu", 0, NULL, &code, &size, &why);
        if (status != LB_OK) {
            print_message("%s\n", why.data);
        }
        lb_expect_ok(status);
        assert_true(size > 0);
        free(code);
        lb_destroy_frozen(frozen);
    }
    // what is wrong is said in the words of the compiler
    char *code = NULL;
    size_t size = 0;
    why = (lb_text){.length = 0};
    assert_int_equal(lb_compile_cuda_text(&nvrtc, "sm_90", "int x = y;", "wrong.cu", 0, NULL, &code,
                                          &size, &why),
                     LB_E_UNSUPPORTED);
    assert_non_null(strstr(why.data, "wrong.cu"));
    assert_null(code);
    lb_destroy_model(model);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_host_it_is_the_frozen_c),
        cmocka_unit_test(the_compiler_of_cuda_takes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
