// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of frozen files for eight states at once, against the engine and against the functions for one state.
#define _POSIX_C_SOURCE 200809L // command -v
#include <limber/dynamics.h>
#include <limber/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "frozen/program.h"
#include "heard.h"
#include "model_texts.h"
#include "small_tree.h"

enum { EIGHT = 8 };

// 1e-12 and 1e-4: what the project promises of frozen files
static const double tolerance = 1e-12, float_tolerance = 1e-4;

typedef int (*batch_five)(const double *, const double *, const double *, double *, int *);
typedef int (*batch_three)(const double *, double *, int *);
typedef int (*batch_five_float)(const float *, const float *, const float *, float *, int *);

// Eight states one after the other, and entry by entry.
typedef struct states {
    int nq, n;
    double *q, *v, *x, *all_q, *all_v, *all_x;
} states;

static double *put_together(const double *from, int count)
{
    double *to = lb_make_numbers((size_t)(EIGHT * count));
    for (int i = 0; i < EIGHT * count; ++i) {
        to[EIGHT * (i % count) + i / count] = from[i];
    }
    return to;
}

static states make_states(const lb_model *model, double size)
{
    states s = {.nq = lb_get_q_count(model), .n = lb_get_v_count(model)};
    s.q = lb_make_numbers((size_t)(EIGHT * s.nq));
    s.v = lb_make_numbers((size_t)(EIGHT * s.n));
    s.x = lb_make_numbers((size_t)(EIGHT * s.n));
    for (int k = 0; k < EIGHT; ++k) {
        lb_make_small_state(model, k, size, s.q + k * s.nq, s.v + k * s.n, s.x + k * s.n);
    }
    s.all_q = put_together(s.q, s.nq);
    s.all_v = put_together(s.v, s.n);
    s.all_x = put_together(s.x, s.n);
    return s;
}

static void end_states(states *s)
{
    double *const all[] = {s->q, s->v, s->x, s->all_q, s->all_v, s->all_x};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        free(all[i]);
    }
}

static lb_program freeze(const lb_model *model, const char *functions, int operation_count,
                         lb_frozen_number number)
{
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = functions;
    options.operation_count = operation_count;
    options.number = number;
    options.batches = true;
    lb_program program;
    assert_true(lb_write_program(model, &options, &program));
    return program;
}

// The result of one state, from where it lies among eight.
static void expect_state(const char *what, int k, const double *all, const double *expected,
                         int count)
{
    double *own = lb_make_numbers((size_t)count);
    for (int i = 0; i < count; ++i) {
        own[i] = all[EIGHT * i + k];
    }
    lb_expect_close(what, own, expected, count, tolerance);
    free(own);
}

// ---- numbers -----------------------------------------------------------------------------------

// @param operation_count  of one function of C; small numbers cut all functions
static void compare_with_engine(lb_model *model, const char *functions, int operation_count)
{
    states s = make_states(model, 0.8);
    const bool derived = strstr(functions, "derivatives") != NULL;
    lb_program program = freeze(model, functions, operation_count, LB_FROZEN_DOUBLE);
    assert_true(lb_load_program(&program, "cc -O1 -march=native -ffp-contract=fast"));
    batch_five forward, inverse;
    batch_three mass;
    int (*derivatives)(const double *, const double *, const double *, double *, double *, double *,
                       double *, int *);
    lb_get_program_function(&program, "forward_batch", &forward);
    lb_get_program_function(&program, "inverse_batch", &inverse);
    lb_get_program_function(&program, "mass_batch", &mass);
    if (derived) {
        lb_get_program_function(&program, "derivatives_batch", &derivatives);
    }
    const int n = s.n, square = n * n;
    double *out = lb_make_numbers((size_t)(EIGHT * (n + 3 * square))),
           *expected = lb_make_numbers((size_t)(n + 3 * square));
    lb_work *work = lb_create_work(model);
    lb_derivative_work *scratch = lb_create_derivative_work(model);
    int status[EIGHT];
    for (int f = 0; f < (derived ? 4 : 3); ++f) {
        double *starts[4] = {out, out + EIGHT * n, out + EIGHT * (n + square),
                             out + EIGHT * (n + 2 * square)};
        memset(status, -1, sizeof status);
        assert_int_equal(f == 0   ? forward(s.all_q, s.all_v, s.all_x, out, status)
                         : f == 1 ? inverse(s.all_q, s.all_v, s.all_x, out, status)
                         : f == 2 ? mass(s.all_q, out, status)
                                  : derivatives(s.all_q, s.all_v, s.all_x, starts[0], starts[1],
                                                starts[2], starts[3], status),
                         LB_OK);
        for (int k = 0; k < EIGHT; ++k) {
            const double *q = s.q + k * s.nq, *v = s.v + k * n, *x = s.x + k * n;
            assert_int_equal(status[k], LB_OK);
            if (f == 0) {
                lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, x, expected));
                expect_state("forward", k, out, expected, n);
            } else if (f == 1) {
                lb_expect_ok(lb_compute_inverse_dynamics(model, work, q, v, x, expected));
                expect_state("inverse", k, out, expected, n);
            } else if (f == 2) {
                lb_expect_ok(lb_compute_mass_matrix(model, work, q, expected));
                expect_state("mass", k, out, expected, square);
            } else {
                double *parts[4] = {expected, expected + n, expected + n + square,
                                    expected + n + 2 * square};
                lb_expect_ok(lb_compute_forward_derivatives(model, work, scratch, q, v, x, parts[0],
                                                            parts[1], parts[2], parts[3]));
                for (int i = 0; i < 4; ++i) {
                    expect_state("derivatives", k, starts[i], parts[i], i ? square : n);
                }
            }
        }
    }
    lb_destroy_derivative_work(scratch);
    lb_destroy_work(work);
    free(out);
    free(expected);
    lb_end_program(&program);
    end_states(&s);
    lb_destroy_model(model);
}

static void eight_states_are_those_of_the_engine(void **state)
{
    (void)state;
    const unsigned revolute = LB_HINGE_BIT(LB_HINGE_REVOLUTE);
    compare_with_engine(lb_make_small_tree(LB_ALL_HINGES, 4, 0, LB_FIDELITY_CONSISTENT),
                        "forward,inverse,mass", 0);
    compare_with_engine(lb_make_small_tree(revolute, 2, 2, LB_FIDELITY_CONSISTENT),
                        "forward,inverse,mass", 0);
    // in parts of two hundred operations
    compare_with_engine(lb_make_small_tree(revolute, 1, 2, LB_FIDELITY_RUTHLESS),
                        "forward,inverse,mass,derivatives", 200);
}

static void float_has_the_digits_of_float(void **state)
{
    (void)state;
    lb_model *model =
        lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 3, 1, LB_FIDELITY_CONSISTENT);
    states s = make_states(model, 0.8);
    lb_program program = freeze(model, "inverse", 0, LB_FROZEN_FLOAT);
    assert_true(lb_load_program(&program, "cc -O1 -march=native"));
    batch_five_float inverse;
    lb_get_program_function(&program, "inverse_batch", &inverse);
    float *in[3], *out = calloc((size_t)(EIGHT * s.n), sizeof *out);
    const double *const from[3] = {s.all_q, s.all_v, s.all_x};
    for (int i = 0; i < 3; ++i) {
        const int count = EIGHT * (i ? s.n : s.nq);
        in[i] = calloc((size_t)count, sizeof *in[i]);
        for (int j = 0; j < count; ++j) {
            in[i][j] = (float)from[i][j];
        }
    }
    int status[EIGHT];
    assert_int_equal(inverse(in[0], in[1], in[2], out, status), LB_OK);
    lb_work *work = lb_create_work(model);
    double *expected = lb_make_numbers((size_t)s.n), *own = lb_make_numbers((size_t)s.n);
    for (int k = 0; k < EIGHT; ++k) {
        lb_expect_ok(lb_compute_inverse_dynamics(model, work, s.q + k * s.nq, s.v + k * s.n,
                                                 s.x + k * s.n, expected));
        for (int i = 0; i < s.n; ++i) {
            own[i] = (double)out[EIGHT * i + k];
        }
        lb_expect_close("inverse", own, expected, s.n, float_tolerance);
        free(k < 3 ? in[k] : NULL);
    }
    free(out);
    free(own);
    free(expected);
    lb_destroy_work(work);
    lb_end_program(&program);
    end_states(&s);
    lb_destroy_model(model);
}

// ---- statuses ----------------------------------------------------------------------------------

// A bead, which is singular at the pivot. What a state is does not change the bits of the others.
static void each_state_has_its_own_status(void **state)
{
    (void)state;
    static const char text[] = LB_BEAD;
    lb_model *model = NULL;
    lb_expect_ok(
        lb_load_model_text(text, strlen(text), "model.yaml", LB_FORMAT_YAML, NULL, NULL, &model));
    lb_program program = freeze(model, "forward", 0, LB_FROZEN_DOUBLE);
    assert_true(lb_load_program(&program, "cc -O2 -march=native -ffp-contract=fast"));
    batch_five forward;
    lb_get_program_function(&program, "forward_batch", &forward);
    double q[2 * EIGHT], v[2 * EIGHT], tau[2 * EIGHT], good[2 * EIGHT], a[2 * EIGHT], expected[2];
    int status[EIGHT];
    for (int k = 0; k < EIGHT; ++k) {
        q[k] = 0.3 * k;
        q[EIGHT + k] = 1.0 + k;
        v[k] = 0.2 - k;
        v[EIGHT + k] = 0.1 * k;
        tau[k] = 1.0;
        tau[EIGHT + k] = k;
    }
    assert_int_equal(forward(q, v, tau, good, status), LB_OK);
    q[EIGHT + 1] = 0.0; // singular
    v[3] = NAN;         // no number
    tau[EIGHT + 4] = INFINITY;
    q[6] = 1e9;                                                     // far out
    assert_int_equal(forward(q, v, tau, a, status), LB_E_SINGULAR); // the first
    const int statuses[EIGHT] = {0, LB_E_SINGULAR, 0, LB_E_NUMBER, LB_E_NUMBER, 0, 0, 0};
    for (int k = 0; k < EIGHT; ++k) {
        assert_int_equal(status[k], statuses[k]);
        for (int i = 0; statuses[k] == 0 && k != 6 && i < 2; ++i) {
            assert_memory_equal(&a[EIGHT * i + k], &good[EIGHT * i + k], sizeof *a);
        }
    }
    lb_work *work = lb_create_work(model);
    const double own_q[] = {1e9, q[EIGHT + 6]}, own_v[] = {v[6], v[EIGHT + 6]},
                 own_tau[] = {1.0, 6.0};
    lb_expect_ok(lb_compute_forward_dynamics(model, work, own_q, own_v, own_tau, expected));
    expect_state("a huge angle", 6, a, expected, 2);
    lb_destroy_work(work);
    lb_end_program(&program);
    lb_destroy_model(model);
}

// A node that turns by more than a radian leaves the series.
static void large_turns_of_nodes_are_right(void **state)
{
    (void)state;
    lb_model *model =
        lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 2, 2, LB_FIDELITY_CONSISTENT);
    states s = make_states(model, 0.5);
    for (int i = 0; i < 2; ++i) { // of state 5
        s.q[5 * s.nq + lb_get_q_offset(model, 0) + i] = 3.0 + i;
    }
    double *all_q = put_together(s.q, s.nq), *out = lb_make_numbers((size_t)(EIGHT * s.n)),
           *expected = lb_make_numbers((size_t)s.n);
    lb_program program = freeze(model, "inverse", 0, LB_FROZEN_DOUBLE);
    assert_true(lb_load_program(&program, "cc -O1 -march=native"));
    batch_five inverse;
    lb_frozen_four single;
    lb_get_program_function(&program, "inverse_batch", &inverse);
    lb_get_program_function(&program, "inverse", &single);
    int status[EIGHT];
    assert_int_equal(inverse(all_q, s.all_v, s.all_x, out, status), LB_OK);
    lb_work *work = lb_create_work(model);
    for (int k = 0; k < EIGHT; ++k) {
        lb_expect_ok(lb_compute_inverse_dynamics(model, work, s.q + k * s.nq, s.v + k * s.n,
                                                 s.x + k * s.n, expected));
        expect_state("inverse", k, out, expected, s.n);
    }
    // it was computed by the function for one state
    assert_int_equal(single(s.q + 5 * s.nq, s.v + 5 * s.n, s.x + 5 * s.n, expected), LB_OK);
    for (int i = 0; i < s.n; ++i) {
        assert_memory_equal(&expected[i], &out[EIGHT * i + 5], sizeof *out);
    }
    lb_destroy_work(work);
    lb_end_program(&program);
    free(all_q);
    free(out);
    free(expected);
    end_states(&s);
    lb_destroy_model(model);
}

// ---- the text ----------------------------------------------------------------------------------

// The last one has no vectors: states go one by one.
static void compilers_take_it_without_a_warning(void **state)
{
    (void)state;
    static const char *const compilers[] = {"gcc -std=c99 -mavx2 -mfma",
                                            ("gcc -std=c99 -fsanitize=address,undefined "
                                             "-fno-sanitize-recover=all -g"),
                                            "clang -std=c99",
                                            "g++ -x c++ -std=c++11",
                                            "clang++ -x c++ -std=c++11",
                                            "clang -std=c99 -U__GNUC__"};
    lb_model *model =
        lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 2, 1, LB_FIDELITY_RUTHLESS);
    for (int number = LB_FROZEN_DOUBLE; number <= LB_FROZEN_FLOAT; ++number) {
        lb_program program = freeze(model, "forward,jacobian:b1.n1", 0, (lb_frozen_number)number);
        for (size_t i = 0; i < sizeof compilers / sizeof *compilers; ++i) {
            char name[16], command[256];
            sscanf(compilers[i], "%15s", name);
            snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
            const bool is_there = system(command) == 0;
            snprintf(command, sizeof command,
                     "%s -pedantic -Wall -Wextra -Werror -O0 -DMODEL_SELF_TEST model.c -o test -lm "
                     "%s",
                     compilers[i], strstr(compilers[i], "avx2") ? "" : "&& ./test");
            if (is_there) {
                assert_int_equal(lb_run_in_folder(&program, command), 0);
            }
        }
        lb_end_program(&program);
    }
    lb_destroy_model(model);
}

static void what_has_no_batch_is_refused_by_name(void **state)
{
    (void)state;
    lb_model *model =
        lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 1, 0, LB_FIDELITY_CONSISTENT);
    static const char *const words[] = {"step", "step:euler", "close", "run", "control"};
    for (size_t i = 0; i <= sizeof words / sizeof *words; ++i) {
        const bool is_cuda = i == sizeof words / sizeof *words;
        char functions[32], message[64];
        snprintf(functions, sizeof functions, "forward,%s", is_cuda ? "mass" : words[i]);
        snprintf(message, sizeof message,
                 is_cuda ? "batches: files of C" : "functions: %s: not for",
                 words[is_cuda ? 0 : i]);
        lb_freeze_options options = lb_default_freeze_options();
        options.functions = functions;
        options.batches = true;
        options.language = is_cuda ? LB_FROZEN_CUDA : LB_FROZEN_C;
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_frozen *frozen = NULL;
        assert_int_equal(lb_freeze_model(model, &options, &report, &frozen),
                         is_cuda ? LB_E_ARGUMENT : LB_E_UNSUPPORTED);
        assert_int_equal(heard.count, 1);
        if (!strstr(heard.entries[0].message, message)) {
            fail_msg("'%s' lacks '%s'", heard.entries[0].message, message);
        }
    }
    lb_destroy_model(model);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_states_are_those_of_the_engine),
        cmocka_unit_test(float_has_the_digits_of_float),
        cmocka_unit_test(each_state_has_its_own_status),
        cmocka_unit_test(large_turns_of_nodes_are_right),
        cmocka_unit_test(compilers_take_it_without_a_warning),
        cmocka_unit_test(what_has_no_batch_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
