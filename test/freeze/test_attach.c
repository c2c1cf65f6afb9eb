// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Models that call their own frozen files (lb_attach_frozen) against the same models without.
#define _GNU_SOURCE
#include <glob.h>
#include <jansson.h>
#include <limber/batch.h>
#include <limber/dynamics.h>
#include <limber/freeze.h>
#include <limber/io.h>
#include <math.h>
#include <scenes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call_orders.h"
#include "check.h"
#include "export/attach/attachment.h"
#include "heard.h"
#include "model_texts.h"
#include "own_malloc.h"
#include "run_cli.h"
#include "scratch.h"
#include "small_tree.h"

static lb_attach_options make_options(void)
{
    lb_attach_options options = lb_default_attach_options();
    options.allow_plugins = true;
    options.flags = "-O0"; // the time of the test goes into compiling
    return options;
}

static void attach_by(lb_model *model, const char *flags)
{
    lb_attach_options options = make_options();
    options.flags = flags ? flags : options.flags;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    const lb_status status = lb_attach_frozen(model, &options, &report);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    lb_expect_ok(status);
    assert_true(lb_has_frozen(model, NULL));
}

static void attach(lb_model *model)
{
    attach_by(model, NULL);
}

// An arm of three bodies in a gravity that grows with `more`.
static lb_model *make_arm(unsigned hinges, int mode_count, double more)
{
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 3;
    options.shape = LB_SHAPE_CHAIN;
    options.hinges = hinges;
    options.mode_min = options.mode_max = mode_count;
    options.rigid_percent = mode_count ? 40 : 100;
    lb_scene *scene = lb_create_tree(&options, 7);
    scene->gravity[2] += more;
    lb_model *model = lb_build_scene(scene);
    lb_destroy_scene(scene);
    assert_non_null(model);
    return model;
}

static const unsigned revolute = LB_HINGE_BIT(LB_HINGE_REVOLUTE);

static lb_model *load(const char *text)
{
    lb_model *model = NULL;
    lb_expect_ok(
        lb_load_model_text(text, strlen(text), "model.yaml", LB_FORMAT_YAML, NULL, NULL, &model));
    return model;
}

// ---- numbers ------------------------------------------------------------------------------------

static void every_sequence_of_calls_reads_what_the_engine_computes(void **state)
{
    (void)state;
    const unsigned hinges[] = {
        LB_HINGE_BIT(LB_HINGE_UNIVERSAL) | LB_HINGE_BIT(LB_HINGE_PRISMATIC) | revolute, revolute};
    for (int i = 0; i < 2; ++i) {
        lb_model *plain = make_arm(hinges[i], 2 * i, 0), *attached = make_arm(hinges[i], 2 * i, 0);
        attach(attached);
        // 1e-10: derivatives and reactions of bodies whose masses are apart by a thousand
        lb_compare_call_orders(attached, plain, 1e-10);
        lb_destroy_model(attached);
        lb_destroy_model(plain);
    }
}

static void read_numbers(const json_t *json, double **out)
{
    if (json_is_number(json)) {
        *(*out)++ = json_number_value(json);
    }
    for (size_t i = 0; i < json_array_size(json); ++i) {
        read_numbers(json_array_get(json, i), out);
    }
}

static const double *read_key(const json_t *state, const char *key, double *out)
{
    double *end = out;
    read_numbers(json_object_get(state, key), &end);
    return out;
}

static void check_state(lb_model *const models[2], const json_t *state)
{
    const int nq = lb_get_q_count(models[0]), n = lb_get_v_count(models[0]);
    double *room = lb_make_numbers((size_t)(nq + 4 * n + 3 * n * n));
    double *x = room + nq + 2 * n, *y[2] = {x + n, x + n + n * n};
    const double *q = read_key(state, "q", room), *v = read_key(state, "v", room + nq);
    double *expected = y[1] + n * n;
    lb_node_motion motion[2];
    lb_work *works[2];
    for (int i = 0; i < 2; ++i) {
        works[i] = lb_create_work(models[i]);
        read_key(state, "tau", x);
        lb_expect_ok(lb_compute_forward_dynamics(models[i], works[i], q, v, x, y[i]));
        lb_expect_ok(lb_compute_node_motion(models[i], works[i], 0, 0, &motion[i]));
    }
    lb_expect_close("forward", y[1], y[0], (size_t)n, 1e-12);
    lb_expect_close("node motion", motion[1].position, motion[0].position, 3 + 4 + 6 + 6, 1e-12);
    lb_expect_close("forward of the file", y[1], read_key(state, "qdd", expected), (size_t)n, 1e-9);
    for (int i = 0; i < 2; ++i) {
        read_key(state, "a", x);
        lb_expect_ok(lb_compute_inverse_dynamics(models[i], works[i], q, v, x, y[i]));
    }
    lb_expect_close("inverse", y[1], y[0], (size_t)n, 1e-12);
    lb_expect_close("inverse of the file", y[1], read_key(state, "inverse", expected), (size_t)n,
                    1e-9);
    for (int i = 0; i < 2; ++i) {
        lb_expect_ok(lb_compute_mass_matrix(models[i], works[i], q, y[i]));
        lb_destroy_work(works[i]);
    }
    lb_expect_close("mass", y[1], y[0], (size_t)(n * n), 1e-12);
    lb_expect_close("mass of the file", y[1], read_key(state, "mass", expected), (size_t)(n * n),
                    1e-9);
    free(room);
}

// Of each kind a small case; the long test takes all.
static void oracle_trees_move_as_in_the_engine(void **state)
{
    (void)state;
    const char *folder = getenv("LB_ORACLE_DIR");
    static const char *const kinds[] = {"rigid_tree_0", "flex_consistent_1", "flex_mixed_0"};
    int checked = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        char pattern[1024];
        glob_t found;
        const int last = (int)strlen(kinds[i]) - 1;
        snprintf(pattern, sizeof pattern, "%s/%.*s%s.json",
                 folder ? folder : lb_find_source("test/data/oracles"), last, kinds[i],
                 lb_is_long() ? "*" : kinds[i] + last);
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        for (size_t j = 0; j < found.gl_pathc; ++j) {
            json_t *json = json_load_file(found.gl_pathv[j], 0, NULL);
            char *text = json_dumps(json_object_get(json, "model"), 0);
            lb_model *models[2] = {load(text), load(text)};
            attach(models[1]);
            const json_t *states = json_object_get(json, "states");
            for (size_t k = 0; k < json_array_size(states); ++k) {
                check_state(models, json_array_get(states, k));
            }
            lb_destroy_model(models[0]);
            lb_destroy_model(models[1]);
            free(text);
            json_decref(json);
            ++checked;
        }
        globfree(&found);
    }
    print_message("%d files\n", checked);
}

// ---- batches ------------------------------------------------------------------------------------

enum { STATES = 19 };

static void batches_go_side_by_side(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2; ++variant) {
        const int modes = variant ? 2 : 0;
        lb_model *model = make_arm(revolute, modes, 0), *plain = make_arm(revolute, modes, 0);
        attach_by(model, "-O1 -march=native -ffp-contract=fast");
        int lanes = 0;
        assert_true(lb_has_frozen(model, &lanes));
        assert_int_equal(lanes, 8);
        assert_false(lb_has_frozen(plain, &lanes));
        assert_int_equal(lanes, 0);
        const int n = lb_get_v_count(model), size = n * n;
        assert_int_equal(lb_get_q_count(model), n);
        double *q = lb_make_numbers((size_t)(STATES * n)),
               *v = lb_make_numbers((size_t)(STATES * n));
        double *tau = lb_make_numbers((size_t)(STATES * n));
        double *x = lb_make_numbers((size_t)(STATES * size)),
               *y = lb_make_numbers((size_t)(STATES * size));
        for (int i = 0; i < STATES * n; ++i) {
            q[i] = 0.01 * sin(i);
            v[i] = cos(3.0 * i);
            tau[i] = sin(2.0 * i);
        }
        lb_batch *work = lb_create_batch(model, NULL), *other = lb_create_batch(plain, NULL);
        for (int given = 0; given < 2; ++given) {
            const double *in = given ? tau : NULL;
            lb_expect_ok(lb_compute_forward_dynamics_batch(model, work, STATES, q, v, in, x));
            lb_expect_ok(lb_compute_forward_dynamics_batch(plain, other, STATES, q, v, in, y));
            lb_expect_close("forward", x, y, (size_t)(STATES * n), 1e-12);
            lb_expect_ok(lb_compute_inverse_dynamics_batch(model, work, STATES, q, v, in, x));
            lb_expect_ok(lb_compute_inverse_dynamics_batch(plain, other, STATES, q, v, in, y));
            lb_expect_close("inverse", x, y, (size_t)(STATES * n), 1e-12);
        }
        lb_expect_ok(lb_compute_mass_matrix_batch(model, work, STATES, q, x));
        lb_expect_ok(lb_compute_mass_matrix_batch(plain, other, STATES, q, y));
        lb_expect_close("mass", x, y, (size_t)(STATES * size), 1e-12);

        // the bits of a state do not depend on its neighbours, even if one of them fails
        lb_expect_ok(lb_compute_forward_dynamics_batch(model, work, STATES, q, v, tau, x));
        lb_expect_ok(lb_compute_forward_dynamics_batch(model, work, 1, q + 5 * n, v + 5 * n,
                                                       tau + 5 * n, y));
        assert_memory_equal(x + 5 * n, y, (size_t)n * sizeof *x);
        v[2 * n] = NAN;
        assert_int_equal(lb_compute_forward_dynamics_batch(model, work, STATES, q, v, tau, x),
                         LB_E_NUMBER);
        assert_memory_equal(x + 5 * n, y, (size_t)n * sizeof *x);
        assert_true(isnan(x[2 * n]) && !isnan(x[3 * n]));
        int bad, entry;
        assert_string_equal(lb_get_batch_bad_number(work, &bad, &entry), "v");
        assert_int_equal(bad, 2);
        lb_destroy_batch(work);
        lb_destroy_batch(other);
        lb_destroy_model(model);
        lb_destroy_model(plain);
        free(q);
        free(v);
        free(tau);
        free(x);
        free(y);
    }
}

// Long functions are cut into several, which hand on their numbers.
static void long_functions_are_cut(void **state)
{
    (void)state;
    lb_model *models[2];
    for (int i = 0; i < 2; ++i) {
        models[i] = lb_make_small_tree(revolute, 8, 5, LB_FIDELITY_CONSISTENT);
    }
    lb_freeze_options options = lb_default_freeze_options();
    lb_frozen *frozen = NULL;
    lb_expect_ok(lb_freeze_model(models[0], &options, NULL, &frozen));
    assert_non_null(strstr(lb_get_frozen_source(frozen), "int model_forward_2("));
    lb_destroy_frozen(frozen);
    attach(models[1]);
    const size_t nq = (size_t)lb_get_q_count(models[0]), n = (size_t)lb_get_v_count(models[0]);
    double *q = lb_make_numbers(STATES * nq), *v = lb_make_numbers(STATES * n);
    double *x = lb_make_numbers(STATES * n);
    double *single[2], *many[2];
    for (int i = 0; i < STATES; ++i) {
        lb_make_small_state(models[0], i, 0.8, q + (size_t)i * nq, v + (size_t)i * n,
                            x + (size_t)i * n);
    }
    for (int i = 0; i < 2; ++i) {
        single[i] = lb_make_numbers(n);
        many[i] = lb_make_numbers(STATES * n);
        lb_work *work = lb_create_work(models[i]);
        lb_batch *batch = lb_create_batch(models[i], NULL);
        lb_expect_ok(lb_compute_forward_dynamics(models[i], work, q, v, x, single[i]));
        lb_expect_ok(lb_compute_forward_dynamics_batch(models[i], batch, STATES, q, v, x, many[i]));
        lb_destroy_work(work);
        lb_destroy_batch(batch);
    }
    lb_expect_close("one state", single[1], single[0], n, 1e-12);
    lb_expect_close("a batch", many[1], many[0], STATES * n, 1e-12);
    for (int i = 0; i < 2; ++i) {
        free(single[i]);
        free(many[i]);
        lb_destroy_model(models[i]);
    }
    free(q);
    free(v);
    free(x);
}

// ---- statuses -----------------------------------------------------------------------------------

// A point mass that slides on an arm without mass: at the pivot nothing resists the arm.
static void the_engine_decides_where_the_file_fails(void **state)
{
    (void)state;
    lb_model *model = load(LB_BEAD);
    attach(model);
    lb_work *work = lb_create_work(model);
    double q[] = {0.4, 1.5}, v[] = {0.3, -0.2}, tau[] = {1, 2}, a[2];
    lb_node_motion motion;
    int body, offset, bad;
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, a));
    q[1] = 0;
    assert_int_equal(lb_compute_forward_dynamics(model, work, q, v, tau, a), LB_E_SINGULAR);
    lb_get_bad_inertia(work, &body, &offset);
    assert_int_equal(body, 0);
    assert_int_equal(lb_compute_node_motion(model, work, 0, 0, &motion), LB_E_STAGE);
    q[1] = NAN;
    assert_int_equal(lb_compute_forward_dynamics(model, work, q, v, tau, a), LB_E_NUMBER);
    assert_string_equal(lb_get_bad_number(work, &bad), "q");
    assert_int_equal(lb_compute_node_motion(model, work, 0, 0, &motion), LB_E_STAGE);
    // the same in a batch: only one state fails
    lb_batch *batch = lb_create_batch(model, NULL);
    double many_q[2 * STATES], many_v[2 * STATES] = {0}, many_a[2 * STATES];
    for (int i = 0; i < 2 * STATES; ++i) {
        many_q[i] = i == 2 * 11 + 1 ? 0 : 1 + i;
    }
    assert_int_equal(
        lb_compute_forward_dynamics_batch(model, batch, STATES, many_q, many_v, NULL, many_a),
        LB_E_SINGULAR);
    lb_get_batch_bad_inertia(batch, &bad, &body, &offset);
    assert_int_equal(bad, 11);
    for (int i = 0; i < 2 * STATES; ++i) {
        assert_int_equal(isnan(many_a[i]) != 0, i / 2 == 11);
    }
    lb_destroy_batch(batch);
    lb_destroy_work(work);
    lb_destroy_model(model);
}

static void workspaces_from_before_go_on_without_it(void **state)
{
    (void)state;
    lb_model *model = make_arm(revolute, 0, 0);
    lb_work *work = lb_create_work(model);
    const double q[] = {0.1, 0.2, 0.3}, v[] = {0.4, -0.5, 0.6};
    double a[3], b[3];
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, NULL, a));
    attach(model);
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, NULL, b));
    assert_memory_equal(a, b, sizeof a);
    lb_destroy_work(work);
    lb_destroy_model(model);
}

static void evaluations_do_not_allocate(void **state)
{
    (void)state;
#if LB_OWN_MALLOC
    lb_model *model = make_arm(revolute, 2, 0);
    attach(model);
    lb_work *work = lb_create_work(model);
    lb_batch *batch = lb_create_batch(model, NULL);
    const size_t n = (size_t)lb_get_v_count(model);
    double *q = lb_make_numbers(9 * n), *v = lb_make_numbers(9 * n), *x = lb_make_numbers(n * n);
    double *many = lb_make_numbers(9 * n);
    lb_node_motion motion;
    const long before = lb_malloc_count;
    for (int i = 0; i < 3; ++i) {
        q[0] = 0.1 * i;
        lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, NULL, x));
        lb_expect_ok(lb_compute_node_motion(model, work, 1, 0, &motion));
        lb_expect_ok(lb_compute_inverse_dynamics(model, work, q, v, NULL, x));
        lb_expect_ok(lb_compute_mass_matrix(model, work, q, x));
        lb_expect_ok(lb_compute_forward_dynamics_batch(model, batch, 9, q, v, NULL, many));
    }
    assert_int_equal(lb_malloc_count, before);
    lb_destroy_batch(batch);
    lb_destroy_work(work);
    lb_destroy_model(model);
    free(q);
    free(v);
    free(x);
    free(many);
#else
    skip();
#endif
}

// ---- what is refused ----------------------------------------------------------------------------

static void expect_refusal(lb_model *model, const lb_attach_options *options, lb_status status,
                           const char *message)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    assert_int_equal(lb_attach_frozen(model, options, &report), status);
    assert_int_equal(heard.count, 1);
    if (!strstr(heard.entries[0].message, message)) {
        fail_msg("'%s' lacks '%s'", heard.entries[0].message, message);
    }
    assert_int_equal(lb_attach_frozen(model, options, NULL), status);
}

static void refusals_say_why(void **state)
{
    (void)state;
    lb_model *model = make_arm(revolute, 0, 0);
    expect_refusal(model, NULL, LB_E_UNSUPPORTED, "'cc' and loaded into this process: allow it");
    lb_attach_options options = make_options();
    options.size = sizeof options + 8;
    expect_refusal(model, &options, LB_E_VERSION, "built for a newer version");
    options = make_options();
    options.compiler = "no-such-compiler -O2";
    expect_refusal(model, &options, LB_E_FILE,
                   "the C compiler 'no-such-compiler' cannot be started");
    options.compiler = "cc";
    options.flags = "-fno-such-option-at-all";
    expect_refusal(model, &options, LB_E_FILE, "the C compiler 'cc' failed: ");
    options.compiler = " ";
    options.flags = NULL;
    expect_refusal(model, &options, LB_E_ARGUMENT, "no C compiler is named");
    assert_false(lb_has_frozen(model, NULL));
    attach(model);
    options = make_options();
    expect_refusal(model, &options, LB_E_ARGUMENT, "attached already");
    lb_destroy_model(model);

    // an older program knows the permission only
    model = make_arm(revolute, 0, 0);
    options.flags = "-fno-such-option-at-all";
    options.size = offsetof(lb_attach_options, compiler);
    lb_expect_ok(lb_attach_frozen(model, &options, NULL));
    lb_destroy_model(model);

    lb_expect_ok(lb_load_model(lb_find_source("examples/four_bar.yaml"), NULL, NULL, &model));
    options = make_options();
    expect_refusal(model, &options, LB_E_UNSUPPORTED, "closed loops");
    lb_destroy_model(model);
}

static void a_kept_library_belongs_to_one_model(void **state)
{
    (void)state;
    char path[LB_SCRATCH_PATH_SIZE];
    const char *folder = lb_make_scratch_folder();
    assert_non_null(folder);
    snprintf(path, sizeof path, "%s/arm.so", folder);
    lb_attach_options options = make_options();
    options.library = path;
    lb_model *model = make_arm(revolute, 2, 0);
    lb_expect_ok(lb_attach_frozen(model, &options, NULL));
    lb_destroy_model(model);
    assert_int_equal(access(path, F_OK), 0);

    // it is there: nothing is compiled
    options.compiler = "no-such-compiler";
    model = make_arm(revolute, 2, 0);
    lb_expect_ok(lb_attach_frozen(model, &options, NULL));
    lb_destroy_model(model);

    // gravity differs by a billionth
    model = make_arm(revolute, 2, 1e-9);
    expect_refusal(model, &options, LB_E_MODEL, "was compiled from another model");

    lb_destroy_model(model);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); // nothing else was left there
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// The loader of the system crashes where a library ends too early, and waits for pipes.
// What a compiler says that it uses: here something that few processors have, by name only.
static void libraries_for_other_processors_are_refused(void **state)
{
    (void)state;
    assert_null(lb_find_missing_instructions(""));
    assert_string_equal(lb_find_missing_instructions("of-tomorrow "), "of-tomorrow ");
#if defined(__x86_64__)
    assert_null(lb_find_missing_instructions("sse3 "));
    const char *missing = lb_find_missing_instructions("sse3 xop ");
    if (missing) {
        assert_string_equal(missing, "xop ");
        lb_model *model = make_arm(revolute, 0, 0);
        lb_attach_options options = make_options();
        options.flags = "-O0 -D__XOP__";
        options.library = lb_write_file("none", "");
        assert_int_equal(unlink(options.library), 0);
        expect_refusal(model, &options, LB_E_UNSUPPORTED,
                       "compiled for another processor: it needs xop, which");
        assert_int_equal(access(options.library, F_OK), -1); // it is not kept
        assert_false(lb_has_frozen(model, NULL));
        lb_destroy_model(model);
    }
#endif
}

static void damaged_libraries_are_not_loaded(void **state)
{
    (void)state;
    char path[LB_SCRATCH_PATH_SIZE];
    const char *folder = lb_make_scratch_folder();
    assert_non_null(folder);
    snprintf(path, sizeof path, "%s/arm.so", folder);
    lb_attach_options options = make_options();
    options.library = path;
    lb_model *model = make_arm(revolute, 0, 0);
    lb_expect_ok(lb_attach_frozen(model, &options, NULL));
    lb_destroy_model(model);

    static char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_in_range(size, 1000, sizeof bytes - 1);
    options.compiler = "no-such-compiler";
    model = make_arm(revolute, 0, 0);
    static const char damaged[] = "is no compiled model, or is damaged: remove it";
    for (size_t length = 0; length < size; length += size / 23 + 1) {
        write_bytes(path, bytes, length);
        expect_refusal(model, &options, LB_E_FILE, damaged);
    }
    for (size_t at = size - 1; at > 40; at = at > size - 51 ? at - 3 : at / 2) {
        bytes[at] ^= 1;
        write_bytes(path, bytes, size);
        // a change in the hash alone makes it that of another model
        const bool is_hash = at >= size - 34 && at < size - 18;
        expect_refusal(model, &options, is_hash ? LB_E_MODEL : LB_E_FILE,
                       is_hash ? "was compiled from another model" : damaged);
        bytes[at] ^= 1;
    }
    write_bytes(path, bytes, size);
    lb_expect_ok(lb_attach_frozen(model, &options, NULL));
    lb_destroy_model(model);
    assert_int_equal(unlink(path), 0);

    model = make_arm(revolute, 0, 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refusal(model, &options, LB_E_FILE, "is not a regular file");
    assert_int_equal(unlink(path), 0);
    options.library = folder;
    expect_refusal(model, &options, LB_E_FILE, "is not a regular file");
    options.library = "/dev/zero";
    expect_refusal(model, &options, LB_E_FILE, "is not a regular file");

    // what cannot be kept as asked is not attached either
    options = make_options();
    options.library = "/nowhere/arm.so";
    expect_refusal(model, &options, LB_E_FILE,
                   "cannot be kept in /nowhere/arm.so: No such file or directory");
    lb_destroy_model(model);
    assert_int_equal(rmdir(folder), 0);
}

// One digit of any number of a flexible body makes another model, for every fidelity; names do not.
static void each_number_of_a_body_counts(void **state)
{
    (void)state;
    static const char *const fidelities[] = {"consistent", "ruthless", "appendix-c"};
    // mass, shape, second order, stiffness, damping, position of a node
    static const char *const numbers[6] = {"0.75", "0.6883", "-0.581", "90", "0.5", "1.25"};
    static const char *const others[6] = {"0.76", "0.6884", "-0.582", "91", "0.6", "1.26"};
    for (int fidelity = 0; fidelity < 3; ++fidelity) {
        uint64_t hashes[8];
        for (int i = 0; i < 8; ++i) {
            const char *x[6];
            for (int j = 0; j < 6; ++j) {
                x[j] = i == j ? others[j] : numbers[j];
            }
            char text[2048];
            snprintf(
                text, sizeof text,
                "limber: 1\n"
                "bodies:\n"
                "  - name: %s\n"
                "    hinge: {type: revolute, axis: [0, 0, 1]}\n"
                "    flex:\n"
                "      fidelity: %s\n"
                "      nodes:\n"
                "        - {name: root, mass: %s, shape: [[0, 0, 0, 0, 0, 0]]}\n"
                "        - {name: tip, position: [2, 0, 0], mass: 0.75, shape: [[0, 0, %s, 0, 1, "
                "0]]%s%s%s}\n"
                "        - {name: side, position: [1, 0.2, 0], mass: 0.3, shape: [[0, 0, 0.5815, "
                "0, 0.34, 0]]}\n"
                "      stiffness: [%s]\n"
                "      damping: [%s]\n"
                "  - {name: tool, parent: %s, at: tip, hinge: {type: revolute, axis: [0, 0, 1]}, "
                "mass: %s, inertia: [1, 1, 1, 0, 0, 0]}\n",
                i == 7 ? "other" : "boom", fidelities[fidelity], x[0], x[1],
                fidelity == 0 ? ", second_order: [[0, 0, [" : "", fidelity == 0 ? x[2] : "",
                fidelity == 0 ? ", 0, 0]]]" : "", x[3], x[4], i == 7 ? "other" : "boom", x[5]);
            lb_model *model = NULL;
            lb_expect_ok(
                lb_load_model_text(text, strlen(text), "text", LB_FORMAT_YAML, NULL, NULL, &model));
            hashes[i] = lb_hash_model(model);
            lb_destroy_model(model);
        }
        for (int i = 0; i < 6; ++i) {
            // only a consistent body has second order here
            assert_true((hashes[i] == hashes[6]) == (i == 2 && fidelity > 0));
        }
        assert_true(hashes[7] == hashes[6]);
    }
}

static void the_command_runs_models_by_their_own_code(void **state)
{
    (void)state;
    const char *model = lb_write_file("model.yaml", "limber: 1\n"
                                                    "bodies:\n"
                                                    "  - name: rod\n"
                                                    "    hinge: {type: revolute, axis: [0, 1, 0]}\n"
                                                    "    mass: 2\n"
                                                    "    com: [0, 0, -0.5]\n");
    const char *folder = lb_write_file("folder", "");
    char library[512], result[512], same[512];
    snprintf(same, sizeof same, "%s-same.h5", folder);
    snprintf(library, sizeof library, "%s.so", folder);
    snprintf(result, sizeof result, "%s.h5", folder);
    static const lb_cli_case cases[] = {
        {{"run", "MODEL", "--duration", "0.1", "-o", "RESULT", "--frozen", "LIBRARY"},
         1,
         "",
         "allow it by --allow-plugins"},
        {{"run", "MODEL", "--duration", "0.1", "-o", "RESULT", "--frozen", "LIBRARY",
          "--allow-plugins"},
         0,
         "verdict           kept",
         NULL},
        {{"run", "MODEL", "--duration", "0.1", "-o", "RESULT", "--frozen", "LIBRARY",
          "--allow-plugins", "--set", "bodies.rod.mass=3"},
         1,
         "",
         "was compiled from another model"},
        {{"run", "MODEL", "--duration", "0.1", "-o", "SAME", "--frozen", "SAME", "--allow-plugins"},
         1,
         "",
         "same.h5: this command reads it; name another file"},
        // the last bit counts
        {{"run", "MODEL", "--duration", "0.1", "-o", "RESULT", "--frozen", "LIBRARY",
          "--allow-plugins", "--set", "bodies.rod.mass=2.0000000000000004"},
         1,
         "",
         "was compiled from another model"},
    };
    lb_expect_cases(cases, sizeof cases / sizeof *cases,
                    (const char *const[]){"MODEL", model, "LIBRARY", library, "RESULT", result,
                                          "SAME", same, NULL});
    assert_int_equal(unlink(library), 0);
    assert_int_equal(unlink(same), 0);
    (void)unlink(result);
}

// Every allocation fails in turn. The compiler is one that does nothing, so that there is no library at the end.
static void failing_allocations_are_reported(void **state)
{
    (void)state;
#if LB_OWN_MALLOC
    lb_model *model = make_arm(revolute, 0, 0);
    lb_attach_options options = make_options();
    options.compiler = "true";
    lb_status status = LB_E_MEMORY;
    long tried = 0;
    for (; status == LB_E_MEMORY && tried < 10000; ++tried) {
        lb_scarce_count = 0;
        lb_scarce_at = tried + 1;
        const long live = lb_malloc_live;
        status = lb_attach_frozen(model, &options, NULL);
        lb_scarce_at = 0;
        assert_true(lb_malloc_live <= live); // less where libc lets go of an old message
        assert_false(lb_has_frozen(model, NULL));
    }
    assert_int_equal(status, LB_E_FILE);
    assert_true(tried > 20);
    print_message("%ld allocations\n", tried - 1);
    lb_destroy_model(model);
#else
    skip();
#endif
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sequence_of_calls_reads_what_the_engine_computes),
        cmocka_unit_test(oracle_trees_move_as_in_the_engine),
        cmocka_unit_test(batches_go_side_by_side),
        cmocka_unit_test(long_functions_are_cut),
        cmocka_unit_test(the_engine_decides_where_the_file_fails),
        cmocka_unit_test(workspaces_from_before_go_on_without_it),
        cmocka_unit_test(evaluations_do_not_allocate),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(a_kept_library_belongs_to_one_model),
        cmocka_unit_test(libraries_for_other_processors_are_refused),
        cmocka_unit_test(damaged_libraries_are_not_loaded),
        cmocka_unit_test(each_number_of_a_body_counts),
        cmocka_unit_test(the_command_runs_models_by_their_own_code),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
