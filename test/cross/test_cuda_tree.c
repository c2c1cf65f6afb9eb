// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of one large tree against the articulated recursion. Their text is compiled for the host, and they run on the
// image of the model that a device would get, at an address of its own. Where the compiler of CUDA is installed, it has to
// take the text; where a device is, it computes the trees too.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lane.h"
#include "check.h"
#include "export/cuda/device.h"
#include "export/cuda/large/tree_image.h"
#include "export/cuda/large/trial.h"
#include "export/cuda/large/verdict.h"
#include "limber/cuda_division.h"
#include "model/modal/appendix_c.h"
#include "model/modal/flex.h"
#include "model/modal/mode_update.h"
#include "tree_on_host.h"

extern const unsigned char lb_tree_text[];

// ---- on the host -------------------------------------------------------------------------------

typedef struct found {
    double error, shift, gap;
    int broken;
} found;

// The image, moved: what it was written into and made of is gone before it is used.
static unsigned char *move_image(lb_tree_image *image, int **levels)
{
    const size_t whole = LB_ALIGNMENT - 1;
    unsigned char *bytes = aligned_alloc(LB_ALIGNMENT, (image->filled + whole) & ~whole);
    unsigned char *memory = aligned_alloc(LB_ALIGNMENT, (image->size + whole) & ~whole);
    const size_t count = (size_t)image->own_division->schedule.level_count + 1;
    *levels = malloc(count * sizeof **levels);
    assert_true(bytes && memory && *levels);
    memcpy(*levels, image->own_division->schedule.level, count * sizeof **levels);
    memset(bytes, 0, image->filled);
    lb_write_tree_image(image, bytes, memory);
    memset(memory, 0xff, image->size); // NaN for whoever reads before it is written
    memcpy(memory, bytes, image->filled);
    free(bytes);
    return memory;
}

static found run_on_host(lb_trial *t, int run_length)
{
    lb_tree_image image;
    int *levels;
    found f;
    double verdicts[LB_VERDICT_SIZE], *a = lb_make_numbers((size_t)t->v_count);
    double *again = lb_make_numbers((size_t)t->v_count);
    lb_expect_ok(lb_prepare_tree_image(t->model, run_length, &image));
    const int level_count = image.own_division->schedule.level_count;
    unsigned char *memory = move_image(&image, &levels);
    lb_clear_tree_image(&image);
    for (int round = 0; round < 2; ++round) {
        // nothing of one evaluation is left in the next
        lb_run_tree_on_host(image.model, image.work, image.division, levels, level_count,
                            t->body_count, image.scratch_lanes, t->q, t->v, t->tau,
                            round ? again : a, verdicts);
    }
    assert_memory_equal(a, again, (size_t)t->v_count * sizeof *a);
    lb_judge_verdict(verdicts, &f.shift, &f.gap, &f.broken);
    lb_expect_ok(lb_compute_forward_dynamics(t->model, t->work, t->q, t->v, t->tau, t->a));
    f.error = lb_get_gap(a, t->a, (size_t)t->v_count);
    free(memory);
    free(levels);
    free(a);
    free(again);
    return f;
}

// Accurate, and found to be.
static void expect_accurate(lb_trial *t, int run_length, double tolerance)
{
    const found f = run_on_host(t, run_length);
    lb_expect_below("error", f.error, tolerance);
    lb_expect_below("shift", f.shift, 1e-10);
    lb_expect_below("gap", f.gap, 1e-10);
    assert_int_equal(f.broken, 0);
}

static void small_trees_of_every_hinge_and_fidelity(void **state)
{
    (void)state;
    for (int i = 0; i < 120; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.mixed_fidelity = i % 4 == 1;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        // 1e-11: cond(M) up to 1e4
        expect_accurate(&t, 1 + i % 3, 1e-11);
        lb_end_trial(&t);
    }
}

static void longer_trees_of_every_shape(void **state)
{
    (void)state;
    for (int i = 0; i < 40; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.body_count = 20 + 11 * i;
        options.shape = (lb_shape)(i % LB_SHAPE_COUNT);
        options.mixed_fidelity = 1;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const found f = run_on_host(&t, 1 << i % 4);
        // what the check accepts keeps ten digits
        assert_true(f.error < 1e-10 || f.shift > 1e-10 || f.gap > 1e-10);
        lb_expect_below("error", f.error, 1e-9); // hundreds of bodies, cond(M) up to 1e6
        lb_end_trial(&t);
    }
}

// Nearly straight, with five modes a body: what is measured on devices.
static void chains_of_beams_of_every_fidelity(void **state)
{
    (void)state;
    for (int i = 0; i < 6; ++i) {
        lb_scene_beam_options beam = lb_default_scene_beam();
        beam.mode_count = 5;
        beam.fidelity = (lb_fidelity)(i % 3);
        beam.free_free = i / 3;
        beam.second_order = beam.fidelity == LB_FIDELITY_CONSISTENT;
        lb_trial t = lb_begin_scene_trial(lb_create_beam_chain(&beam, 300), 7);
        for (int k = 0; k < t.q_count; ++k) {
            t.q[k] *= 0.01;
        }
        expect_accurate(&t, 4, 1e-10);
        lb_end_trial(&t);
    }
}

static void trees_of_micrometres_and_megametres(void **state)
{
    (void)state;
    for (int i = 0; i < 12; ++i) {
        lb_tree_options options = lb_get_flexible_tree(i);
        options.hinges = LB_HINGE_BIT(LB_HINGE_REVOLUTE) | LB_HINGE_BIT(LB_HINGE_UNIVERSAL) |
                         LB_HINGE_BIT(LB_HINGE_SPHERICAL);
        options.body_count = 60;
        options.fidelity = (lb_fidelity)(i / 2 % 3);
        lb_scene *scene = lb_create_tree(&options, (uint64_t)i);
        lb_scale_scene(scene, i % 2 ? 0x1p20 : 0x1p-20);
        lb_trial t = lb_begin_scene_trial(scene, (uint64_t)i);
        const double unit = i % 2 ? 0x1p40 : 0x1p-40;
        for (int k = 0; k < t.v_count; ++k) {
            t.tau[k] *= unit; // torques and modal forces are squares of lengths
        }
        // 1e-10: sixty bodies, cond(M) up to 1e5
        expect_accurate(&t, 2, 1e-10);
        lb_end_trial(&t);
    }
}

static void rigid_chains_nearly_straight(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_hard_chain(LB_HARD_STRAIGHT, 4000), 3);
    for (int k = 0; k < t.q_count; ++k) {
        t.q[k] *= 0.01;
    }
    expect_accurate(&t, 4, 1e-12);
    lb_end_trial(&t);
}

static void what_is_lost_or_not_a_number_is_noticed(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_hard_chain(LB_HARD_WILD, 2000), 3);
    found f = run_on_host(&t, 1);
    assert_true(f.error < 1e-10 || f.shift > 1e-10);
    lb_end_trial(&t);
    lb_tree_options options = lb_get_flexible_tree(3);
    options.body_count = 30;
    t = lb_begin_trial(&options, 5);
    lb_tree_image image;
    int *levels;
    double verdicts[LB_VERDICT_SIZE];
    lb_expect_ok(lb_prepare_tree_image(t.model, 2, &image));
    const int level_count = image.own_division->schedule.level_count;
    unsigned char *memory = move_image(&image, &levels);
    lb_clear_tree_image(&image);
    t.v[t.v_count / 2] = NAN;
    lb_run_tree_on_host(image.model, image.work, image.division, levels, level_count, t.body_count,
                        image.scratch_lanes, t.q, t.v, t.tau, t.a, verdicts);
    lb_judge_verdict(verdicts, &f.shift, &f.gap, &f.broken);
    assert_false(f.shift <= 1e-10 && f.gap <= 1e-10);
    free(memory);
    free(levels);
    lb_end_trial(&t);
}

static void bodies_of_one_kind_share_their_modes(void **state)
{
    (void)state;
    lb_scene_beam_options beam = lb_default_scene_beam();
    size_t filled[2];
    for (int i = 0; i < 2; ++i) {
        lb_scene *scene = lb_create_beam_chain(&beam, 100 * (i + 1));
        lb_model *model = lb_build_scene(scene);
        lb_tree_image image;
        lb_expect_ok(lb_prepare_tree_image(model, 4, &image));
        filled[i] = image.filled;
        lb_clear_tree_image(&image);
        lb_destroy_model(model);
        lb_destroy_scene(scene);
    }
    // 64 numbers a mode pair would be 8 kB a body
    assert_true(filled[1] - filled[0] < 100 * 6000);
}

// ---- the trial of a new division ---------------------------------------------------------------

// The kernels pass; without gravity, which the check of an answer cannot see, they would not.
static void expect_trial_tells(lb_trial *t)
{
    const size_t n = (size_t)t->v_count;
    lb_text why = {.length = 0};
    double *lost = lb_make_numbers(n);
    lb_set_trial_state(t->model, t->q, t->v, t->tau);
    expect_accurate(t, 2, 1e-9); // a tenth of what the trial accepts
    assert_int_equal(lb_judge_trial(t->v_count, t->a, t->a, 1e-10, &why), LB_OK);
    for (int i = 0; i < 3; ++i) {
        t->scene->gravity[i] = 0.0;
    }
    lb_model *model = lb_build_scene(t->scene);
    lb_work *work = lb_create_work(model);
    assert_non_null(work);
    lb_expect_ok(lb_compute_forward_dynamics(model, work, t->q, t->v, t->tau, lost));
    assert_int_equal(lb_judge_trial(t->v_count, lost, t->a, 1e-10, &why), LB_E_UNSUPPORTED);
    assert_non_null(strstr(why.data, "use divide and conquer on the host"));
    lb_destroy_work(work);
    lb_destroy_model(model);
    free(lost);
}

static void a_trial_tells_that_gravity_is_lost(void **state)
{
    (void)state;
    for (int i = 0; i < 40; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.mixed_fidelity = i % 4 == 1;
        options.body_count += i % 3 ? 0 : 30;
        lb_scene *scene = lb_create_tree(&options, (uint64_t)i);
        lb_scale_scene(scene, i % 5 == 1 ? 0x1p20 : i % 5 == 2 ? 0x1p-20 : 1.0);
        lb_trial t = lb_begin_scene_trial(scene, (uint64_t)i);
        expect_trial_tells(&t);
        lb_end_trial(&t);
    }
    for (int i = 0; i < 3; ++i) {
        lb_scene_beam_options beam = lb_default_scene_beam();
        beam.mode_count = 5;
        beam.fidelity = (lb_fidelity)i;
        beam.second_order = beam.fidelity == LB_FIDELITY_CONSISTENT;
        lb_trial t = lb_begin_scene_trial(lb_create_beam_chain(&beam, 2000), 7);
        expect_trial_tells(&t);
        lb_end_trial(&t);
    }
    lb_trial t = lb_begin_scene_trial(lb_create_revolute_chain(30000), 3);
    expect_trial_tells(&t);
    lb_end_trial(&t);
}

static void a_trial_tells_a_single_wrong_number(void **state)
{
    (void)state;
    const double expected[] = {3.0, -400.0, 0.0};
    double got[] = {3.0, -400.0, 0.0};
    lb_text why = {.length = 0};
    got[2] = 3.9e-6;
    assert_int_equal(lb_judge_trial(3, got, expected, 1e-10, &why), LB_OK);
    assert_int_equal(why.length, 0);
    got[2] = 4.1e-6;
    assert_int_equal(lb_judge_trial(3, got, expected, 1e-10, &why), LB_E_UNSUPPORTED);
    assert_int_equal(lb_judge_trial(3, got, expected, 1e-9, &why), LB_OK);
    got[2] = 0.0;
    got[0] = NAN;
    assert_int_equal(lb_judge_trial(3, got, expected, 1e-10, &why), LB_E_UNSUPPORTED);
}

// ---- the compiler, and a device ----------------------------------------------------------------

// The text of the kernels, and behind it what must hold for it: records that kernels and host share are equally large.
static char *add_sizes(const char *text)
{
    static const struct {
        const char *name;
        size_t size;
    } records[] = {{"lb_model", sizeof(lb_model)},
                   {"lb_body", sizeof(lb_body)},
                   {"lb_body_info", sizeof(lb_body_info)},
                   {"lb_node", sizeof(lb_node)},
                   {"lb_moving_hinge", sizeof(lb_moving_hinge)},
                   {"lb_mode_update", sizeof(lb_mode_update)},
                   {"lb_flex", sizeof(lb_flex)},
                   {"lb_appendix_c", sizeof(lb_appendix_c)},
                   {"lb_lane", sizeof(lb_lane)},
                   {"lb_work", sizeof(lb_work)},
                   {"lb_body_work", sizeof(lb_body_work)},
                   {"lb_flex_work", sizeof(lb_flex_work)},
                   {"lb_joint_work", sizeof(lb_joint_work)},
                   {"lb_division", sizeof(lb_division)},
                   {"lb_schedule", sizeof(lb_schedule)},
                   {"lb_segment", sizeof(lb_segment)}};
    enum { COUNT = sizeof records / sizeof *records, LINE = 100 };
    const size_t room = strlen(text) + COUNT * LINE;
    char *all = malloc(room);
    assert_non_null(all);
    size_t used = (size_t)snprintf(all, room, "%s", text);
    for (int i = 0; i < COUNT; ++i) {
        used += (size_t)snprintf(all + used, room - used,
                                 "static_assert(sizeof(%s) == %zu, \"size\");\n", records[i].name,
                                 records[i].size);
    }
    assert_true(used < room);
    return all;
}

static void the_compiler_takes_the_kernels(void **state)
{
    (void)state;
    lb_nvrtc nvrtc;
    lb_text why = {.length = 0};
    if (lb_load_nvrtc(&nvrtc, &why) != LB_OK) {
        print_message("no compiler of CUDA: %s\n", why.data);
        skip();
    }
    static const char *const options[] = {"--gpu-architecture=compute_90", "--std=c++17",
                                          "-default-device", "-fdevice-syntax-only"};
    void *program;
    char *text = add_sizes((const char *)lb_tree_text);
    assert_int_equal(nvrtc.nvrtcCreateProgram(&program, text, "tree.cu", 0, NULL, NULL), 0);
    // all that follows takes half a minute
    assert_int_equal(nvrtc.nvrtcCompileProgram(program, 4, options), 0);
    nvrtc.nvrtcDestroyProgram(&program);
    free(text);
}

static void run_on_device(lb_cuda *cuda, lb_trial *t, double tolerance)
{
    const size_t n = (size_t)t->v_count;
    double *a = lb_make_numbers(n), *again = lb_make_numbers(n);
    lb_cuda_division_options options = lb_default_cuda_division_options();
    lb_cuda_division *division;
    options.general = true;
    if (lb_create_cuda_division(cuda, t->model, &options, &division) != LB_OK) {
        fail_msg("%s", lb_get_cuda_message(cuda));
    }
    for (int round = 0; round < 2; ++round) {
        lb_expect_ok(lb_compute_forward_dynamics_divided_cuda(t->model, t->work, division, t->q,
                                                              t->v, t->tau, round ? again : a));
    }
    assert_memory_equal(a, again, n * sizeof *a);
    lb_expect_ok(lb_compute_forward_dynamics(t->model, t->work, t->q, t->v, t->tau, t->a));
    lb_expect_close("accelerations", a, t->a, n, tolerance);
    lb_destroy_cuda_division(division);
    free(a);
    free(again);
}

static void a_device_gives_the_same(void **state)
{
    (void)state;
    lb_cuda *cuda;
    if (lb_create_cuda(NULL, NULL, &cuda) != LB_OK) {
        print_message("no device\n");
        skip();
    }
    for (int i = 0; i < 40; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.mixed_fidelity = i % 4 == 1;
        options.body_count += i % 2 ? 50 : 0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        run_on_device(cuda, &t, 1e-10);
        lb_end_trial(&t);
    }
    lb_trial chain = lb_begin_scene_trial(lb_create_revolute_chain(3001), 3);
    run_on_device(cuda, &chain, 1e-11);
    lb_end_trial(&chain);

    // loops are refused by name
    lb_scene *scene = lb_create_four_bars(2, LB_LOOP_REVOLUTE, 0);
    lb_model *model = lb_build_scene(scene);
    lb_cuda_division *refused;
    assert_int_equal(lb_create_cuda_division(cuda, model, NULL, &refused), LB_E_UNSUPPORTED);
    assert_null(refused);
    assert_non_null(strstr(lb_get_cuda_message(cuda), "'l0'"));
    lb_destroy_model(model);
    lb_destroy_scene(scene);
    lb_destroy_cuda(cuda);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_trees_of_every_hinge_and_fidelity),
        cmocka_unit_test(longer_trees_of_every_shape),
        cmocka_unit_test(chains_of_beams_of_every_fidelity),
        cmocka_unit_test(trees_of_micrometres_and_megametres),
        cmocka_unit_test(rigid_chains_nearly_straight),
        cmocka_unit_test(what_is_lost_or_not_a_number_is_noticed),
        cmocka_unit_test(bodies_of_one_kind_share_their_modes),
        cmocka_unit_test(a_trial_tells_that_gravity_is_lost),
        cmocka_unit_test(a_trial_tells_a_single_wrong_number),
        cmocka_unit_test(the_compiler_takes_the_kernels),
        cmocka_unit_test(a_device_gives_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
