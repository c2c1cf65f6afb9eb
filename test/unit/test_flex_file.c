// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Body files: what was imported comes back to the bit, and every option of a model does what it says.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body_file.h"
#include "check.h"
#include "heard.h"
#include "limber/io.h"
#include "model/layout.h"
#include "scratch.h"

enum { MODES = 6 };

// block.flex: nodes a (3), b (7) and "12"; matrices without units, six modes.
static lb_imported *import_block(void)
{
    const lb_named_node nodes[] = {{"a", 3}, {"b", 7}, {NULL, 12}};
    lb_import_options options = lb_get_mm_options();
    options.nodes = nodes;
    options.node_count = 3;
    options.mode_count = MODES;
    return lb_import_job("block", &options);
}

static int enter(void **state)
{
    (void)state;
    if (!lb_enter_scratch_folder()) {
        return -1;
    }
    lb_keep_body(import_block(), "block.flex");
    lb_keep_body(lb_import_folder(lb_find_source("test/data/fe/modes"),
                                  (const char *const[]){"bar.sid", NULL}, NULL),
                 "bar.flex");
    lb_keep_body(lb_import_folder(lb_find_source("test/data/fe/modes"),
                                  (const char *const[]){"array.csv", NULL}, NULL),
                 "array.flex");
    return 0;
}

// ---- round trip ----------------------------------------------------------------------------------

static void expect_same(const char *what, const double *a, const double *b, size_t count)
{
    if (!a != !b || (a && memcmp(a, b, count * sizeof *a) != 0)) {
        fail_msg("%s differs", what);
    }
}

static void what_was_imported_comes_back_to_the_bit(void **state)
{
    const struct {
        const char *folder, *names[5], *file;
    } cases[] = {
        {NULL, {NULL}, "block.flex"},
        {lb_find_source("test/data/fe/modes"), {"bar.sid"}, "bar.flex"},
        {lb_find_source("test/data/fe/modes"), {"bar.fem"}, "bar_fem.flex"},
        {lb_find_source("test/data/fe/modes"), {"bar_sums.fem"}, "bar_sums.flex"},
        {lb_find_source("test/data/fe/modes"), {"three_nodes.fem"}, "three.flex"},
        {lb_find_source("test/data/fe/modes"), {"array.csv"}, "array.flex"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_imported *imported = cases[i].folder
                                    ? lb_import_folder(cases[i].folder, cases[i].names, NULL)
                                    : import_block();
        lb_expect_ok(lb_save_imported(imported, cases[i].file, NULL));
        lb_flex_body *body = lb_load_body(cases[i].file, NULL);
        const lb_flex_options *a = lb_get_imported_options(imported),
                              *b = lb_get_flex_options(body);
        const lb_flex_integrals *I = a->integrals, *J = b->integrals;
        const size_t n = (size_t)a->mode_count;
        print_message("%s: %d modes, %d nodes, %d of them kept\n", cases[i].file, a->mode_count,
                      a->node_count, b->node_count);
        assert_int_equal(a->mode_count, b->mode_count);
        assert_int_equal(a->fidelity, b->fidelity);
        expect_same("stiffness", a->stiffness, b->stiffness, n * n);
        expect_same("damping", a->damping, b->damping, n * n);
        expect_same("mass", &I->mass, &J->mass, 1);
        expect_same("h0", I->h0, J->h0, 3);
        expect_same("S0", I->S0, J->S0, 6);
        expect_same("M_ff", I->M_ff, J->M_ff, n * n);
        expect_same("E", I->E, J->E, 3 * n);
        expect_same("B0", I->B0, J->B0, 3 * n);
        expect_same("B", I->B, J->B, 3 * n * n);
        expect_same("S", I->S, J->S, 6 * n);
        expect_same("S2", I->S2, J->S2, 6 * n * n);
        assert_true(b->node_count > 0 && b->node_count <= a->node_count);
        for (int k = 0; k < b->node_count; ++k) {
            const lb_flex_node *x = &a->nodes[k], *y = &b->nodes[k];
            assert_string_equal(x->name, y->name);
            expect_same("position", x->position, y->position, 3);
            expect_same("rotation", x->rotation, y->rotation, 4);
            expect_same("mass of a node", &x->mass, &y->mass, 1);
            expect_same("inertia of a node", x->inertia, y->inertia, 6);
            expect_same("shape", x->shape, y->shape, 6 * n);
        }
        assert_int_equal(strlen(lb_get_flex_hash(body)), 64);
        lb_destroy_flex_body(body);
        lb_destroy_imported(imported);
    }
}

// The same structure gives the same file; another one another hash.
static void hash_is_that_of_the_content(void **state)
{
    (void)state;
    lb_keep_body(import_block(), "again.flex");
    lb_flex_body *a = lb_load_body("block.flex", NULL), *b = lb_load_body("again.flex", NULL),
                 *c = lb_load_body("bar.flex", NULL);
    assert_string_equal(lb_get_flex_hash(a), lb_get_flex_hash(b));
    assert_string_not_equal(lb_get_flex_hash(a), lb_get_flex_hash(c));
    lb_destroy_flex_body(a);
    lb_destroy_flex_body(b);
    lb_destroy_flex_body(c);
}

// ---- options -------------------------------------------------------------------------------------

static void modes_are_chosen(void **state)
{
    (void)state;
    lb_flex_body *all = lb_load_body("block.flex", NULL);
    const lb_flex_options *whole = lb_get_flex_options(all);
    assert_int_equal(whole->mode_count, MODES);
    lb_flex_file_options options = lb_default_flex_file_options();
    for (int way = 0; way < 3; ++way) {
        options.mode_count = way == 1 ? 0 : 4;
        options.below = way == 0   ? 0.0
                        : way == 1 ? 1.0001 * lb_get_body_frequency(whole, 3)
                                   : 1.0001 * lb_get_body_frequency(whole, 2);
        const int count = way == 2 ? 3 : 4;
        lb_flex_body *body = lb_load_body("block.flex", &options);
        const lb_flex_options *part = lb_get_flex_options(body);
        assert_int_equal(part->mode_count, count);
        for (int r = 0; r < count; ++r) {
            for (int s = 0; s < count; ++s) {
                const int i = r * count + s, j = r * MODES + s;
                assert_true(part->stiffness[i] == whole->stiffness[j]);
                assert_true(part->integrals->M_ff[i] == whole->integrals->M_ff[j]);
                expect_same("B", part->integrals->B + 3 * i, whole->integrals->B + 3 * j, 3);
                expect_same("S2", part->integrals->S2 + 6 * i, whole->integrals->S2 + 6 * j, 6);
            }
        }
        expect_same("E", part->integrals->E, whole->integrals->E, 3 * (size_t)count);
        expect_same("S", part->integrals->S, whole->integrals->S, 6 * (size_t)count);
        for (int k = 0; k < 3; ++k) {
            expect_same("shape", part->nodes[k].shape, whole->nodes[k].shape, 6 * (size_t)count);
        }
        lb_destroy_flex_body(body);
    }
    lb_destroy_flex_body(all);
}

static void damping_is_chosen(void **state)
{
    (void)state;
    lb_flex_body *plain = lb_load_body("block.flex", NULL);
    const lb_flex_options *whole = lb_get_flex_options(plain);
    assert_null(whole->damping);
    double w[MODES], ratios[MODES];
    for (int r = 0; r < MODES; ++r) {
        w[r] = 2 * acos(-1.0) * lb_get_body_frequency(whole, r);
        ratios[r] = 0.01 * (1 + r);
    }
    const double table[2][2] = {{w[0] / (2 * acos(-1.0)), 0.01}, {w[5] / (2 * acos(-1.0)), 0.03}};
    lb_damping_options damping[4];
    for (int way = 0; way < 4; ++way) {
        damping[way] = lb_default_damping_options();
    }
    damping[0].ratio = 0.02;
    damping[1].ratios = ratios;
    damping[1].ratio_count = MODES;
    damping[2].rayleigh[0] = 3.0;
    damping[2].rayleigh[1] = 1e-7;
    damping[3].table = table;
    damping[3].table_count = 2;
    for (int way = 0; way < 4; ++way) {
        lb_flex_file_options options = lb_default_flex_file_options();
        options.damping = &damping[way];
        lb_flex_body *body = lb_load_body("block.flex", &options);
        const double *C = lb_get_flex_options(body)->damping;
        for (int r = 0; r < MODES; ++r) {
            const double ratio = way == 0   ? 0.02
                                 : way == 1 ? ratios[r]
                                 : way == 2 ? 0.5 * (3.0 / w[r] + 1e-7 * w[r])
                                            : 0.01 + 0.02 * (w[r] - w[0]) / (w[5] - w[0]);
            // modal masses are 1
            lb_expect_near("damping", C[r * (MODES + 1)], 2 * ratio * w[r], 1e-10);
            lb_expect_below("coupling", C[(r + 1) % MODES * MODES + r], 1e-9 * w[r]);
        }
        lb_destroy_flex_body(body);
    }
    lb_destroy_flex_body(plain);
    // a file with damping keeps it, unless the model says otherwise
    lb_flex_body *bar = lb_load_body("bar.flex", NULL);
    assert_non_null(lb_get_flex_options(bar)->damping);
    lb_destroy_flex_body(bar);
    lb_flex_file_options none = lb_default_flex_file_options();
    damping[0].ratio = 0.0;
    none.damping = &damping[0];
    bar = lb_load_body("bar.flex", &none);
    assert_null(lb_get_flex_options(bar)->damping);
    lb_destroy_flex_body(bar);
}

static void scales_apply(void **state)
{
    (void)state;
    lb_flex_file_options options = lb_default_flex_file_options();
    lb_flex_body *plain = lb_load_body("bar.flex", NULL);
    const lb_flex_options *x = lb_get_flex_options(plain);
    const int n = x->mode_count;
    options.mass_factor = 0.98;
    options.frequency_factor = 1.02;
    lb_flex_body *scaled = lb_load_body("bar.flex", &options);
    const lb_flex_options *y = lb_get_flex_options(scaled);
    for (int r = 0; r < n; ++r) {
        lb_expect_near("frequency", lb_get_body_frequency(y, r), 1.02 * lb_get_body_frequency(x, r),
                       1e-14);
        // ratios of damping stay as well
        const double before = x->damping[r * (n + 1)] / x->integrals->M_ff[r * (n + 1)],
                     after = y->damping[r * (n + 1)] / y->integrals->M_ff[r * (n + 1)];
        lb_expect_near("damping", after, 1.02 * before, 1e-14);
    }
    lb_expect_near("mass", y->integrals->mass, 0.98 * x->integrals->mass, 1e-15);
    double expected[6];
    for (int i = 0; i < 6; ++i) {
        expected[i] = 0.98 * x->integrals->S0[i];
    }
    lb_expect_close("inertia", y->integrals->S0, expected, 6, 1e-15);
    expect_same("shape", y->nodes[0].shape, x->nodes[0].shape, 6 * (size_t)n);
    lb_destroy_flex_body(scaled);
    lb_destroy_flex_body(plain);
}

// Of frequencies as they are used: a limit 1 % above the fourth one of the file is below it if it is scaled by 1.02.
static void limit_is_one_of_scaled_frequencies(void **state)
{
    (void)state;
    lb_flex_body *all = lb_load_body("block.flex", NULL);
    lb_flex_file_options options = lb_default_flex_file_options();
    options.below = 1.01 * lb_get_body_frequency(lb_get_flex_options(all), 3);
    for (int way = 0; way < 2; ++way) {
        options.frequency_factor = way == 0 ? 1.0 : 1.02;
        lb_flex_body *scaled = lb_load_body("block.flex", &options);
        assert_int_equal(lb_get_flex_options(scaled)->mode_count, way == 0 ? 4 : 3);
        lb_destroy_flex_body(scaled);
    }
    lb_destroy_flex_body(all);
}

static void nodes_are_named(void **state)
{
    (void)state;
    // a new name, a number alone, and another node for a name of the file
    const lb_named_node nodes[] = {{"corner", 1}, {NULL, 5}, {"a", 9}};
    lb_flex_file_options options = lb_default_flex_file_options();
    options.nodes = nodes;
    options.node_count = 3;
    lb_flex_body *body = lb_load_body("block.flex", &options);
    const lb_flex_options *flex = lb_get_flex_options(body);
    static const char *const names[] = {"a", "b", "12", "corner", "5"};
    assert_int_equal(flex->node_count, 5);
    // the same nodes, named when they were imported
    const lb_named_node wanted[] = {{NULL, 9}, {NULL, 7}, {NULL, 12}, {NULL, 1}, {NULL, 5}};
    lb_import_options again = lb_get_mm_options();
    again.nodes = wanted;
    again.node_count = 5;
    again.mode_count = MODES;
    lb_imported *imported = lb_import_job("block", &again);
    const lb_flex_options *all = lb_get_imported_options(imported);
    for (int k = 0; k < 5; ++k) {
        assert_string_equal(flex->nodes[k].name, names[k]);
        expect_same("position", all->nodes[k].position, flex->nodes[k].position, 3);
        expect_same("shape", all->nodes[k].shape, flex->nodes[k].shape, 6 * MODES);
    }
    lb_destroy_imported(imported);
    lb_destroy_flex_body(body);
}

// Nodes of formats with modes have the numbers of their files too.
static void nodes_of_modes_have_numbers(void **state)
{
    (void)state;
    lb_keep_body(lb_import_folder(lb_find_source("test/data/fe/modes"),
                                  (const char *const[]){"three_nodes.fem", NULL}, NULL),
                 "three.flex");
    lb_flex_body *plain = lb_load_body("three.flex", NULL);
    const lb_flex_options *x = lb_get_flex_options(plain);
    const lb_named_node tip = {"tip", 1002}; // the others have names: left, right
    lb_flex_file_options options = lb_default_flex_file_options();
    options.nodes = &tip;
    options.node_count = 1;
    lb_flex_body *body = lb_load_body("three.flex", &options);
    const lb_flex_options *y = lb_get_flex_options(body);
    assert_int_equal(y->node_count, x->node_count + 1);
    assert_string_equal(x->nodes[1].name, "1002");
    expect_same("position", y->nodes[x->node_count].position, x->nodes[1].position, 3);
    lb_destroy_flex_body(plain);
    lb_destroy_flex_body(body);
}

static void fidelity_is_chosen(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        lb_fidelity fidelity;
        const char *refused;
    } cases[] = {
        {"block.flex", LB_FIDELITY_CONSISTENT, NULL},
        {"block.flex", LB_FIDELITY_RUTHLESS, NULL},
        {"block.flex", LB_FIDELITY_APPENDIX_C, "appendix-c needs nodal masses"},
        {"array.flex", LB_FIDELITY_RUTHLESS, NULL},
        {"array.flex", LB_FIDELITY_CONSISTENT, "consistent needs inertia of order 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_flex_file_options options = lb_default_flex_file_options();
        options.fidelity = &cases[i].fidelity;
        lb_flex_body *body = NULL;
        const lb_status status = lb_load_flex_file(cases[i].file, &options, NULL, &report, &body);
        assert_int_equal(status, cases[i].refused ? LB_E_MODEL : LB_OK);
        if (cases[i].refused) {
            assert_null(body);
            assert_string_equal(heard.entries[0].path, "fidelity");
            assert_non_null(strstr(heard.entries[0].message, cases[i].refused));
        } else {
            assert_int_equal(lb_get_flex_options(body)->fidelity, cases[i].fidelity);
        }
        lb_destroy_flex_body(body);
    }
}

static void hash_is_compared(void **state)
{
    (void)state;
    lb_flex_body *body = lb_load_body("block.flex", NULL);
    char hash[65];
    snprintf(hash, sizeof hash, "%s", lb_get_flex_hash(body));
    lb_destroy_flex_body(body);
    lb_flex_file_options options = lb_default_flex_file_options();
    options.hash = hash;
    lb_destroy_flex_body(lb_load_body("block.flex", &options));
    hash[5] = hash[5] == '0' ? '1' : '0';
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    assert_int_equal(lb_load_flex_file("block.flex", &options, NULL, &report, &body), LB_E_MODEL);
    assert_string_equal(heard.entries[0].path, "hash");
    assert_non_null(strstr(heard.entries[0].message, "block.flex has changed"));
    // a body of another origin has none
    const lb_material steel = {210e9, 81e9, 7850};
    lb_section rod = lb_default_section();
    lb_modes_options modes = lb_default_modes_options();
    lb_beam_options beam = lb_default_beam_options();
    rod.type = LB_SECTION_TUBE;
    rod.diameter = 0.1;
    modes.count = 1;
    beam.length = 1.0;
    beam.material = steel;
    beam.section = &rod;
    beam.modes = &modes;
    lb_expect_ok(lb_create_beam_body(&beam, NULL, NULL, &body));
    assert_string_equal(lb_get_flex_hash(body), "");
    lb_destroy_flex_body(body);
}

// ---- damping of files ----------------------------------------------------------------------------

// Four corners, each joined to each by a spring: one triangle of stiffness * K + mass * M.
static void write_corners(const char *name, double stiffness, double mass)
{
    static const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double A[12][12] = {{0}};
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
            double d[3], square = 0.0;
            for (int k = 0; k < 3; ++k) {
                A[3 * a + k][3 * a + k] += b == 0 ? mass : 0.0;
                d[k] = x[b][k] - x[a][k];
                square += d[k] * d[k];
            }
            for (int k = 0; k < 9 && b != a; ++k) {
                const double spring = stiffness * d[k / 3] * d[k % 3] / square;
                A[3 * a + k / 3][3 * a + k % 3] += spring;
                A[3 * a + k / 3][3 * b + k % 3] -= spring;
            }
        }
    }
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n12 12 78\n");
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j <= i; ++j) {
            fprintf(file, "%d %d %.17g\n", i + 1, j + 1, A[i][j]);
        }
    }
    assert_int_equal(fclose(file), 0);
}

static void damping_of_files_is_kept(void **state)
{
    (void)state;
    FILE *map = fopen("map.txt", "w"), *places = fopen("places.txt", "w");
    assert_true(map && places);
    for (int i = 0; i < 12; ++i) {
        fprintf(map, "%d.%d\n", i / 3 + 1, i % 3 + 1);
    }
    fputs("1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", places);
    fclose(map);
    fclose(places);
    write_corners("K.mtx", 100.0, 0.0);
    write_corners("M.mtx", 0.0, 2.0);
    // of springs, and against everything
    for (int way = 0; way < 2; ++way) {
        static const char *const files[] = {"K.mtx", "M.mtx", "C.mtx", "map.txt", "places.txt"};
        static const lb_file_role roles[] = {LB_FILE_STIFFNESS, LB_FILE_MASS, LB_FILE_DAMPING,
                                             LB_FILE_ANY, LB_FILE_ANY};
        const lb_named_node node = {"a", 1};
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_import_options options = lb_default_import_options();
        lb_imported *imported = NULL;
        write_corners("C.mtx", way == 0 ? 0.5 : 0.0, way == 0 ? 0.0 : 0.6);
        options.files = files;
        options.roles = roles;
        options.file_count = 5;
        options.nodes = &node;
        options.node_count = 1;
        options.time = 0.1;
        if (lb_import_files(&options, NULL, &report, &imported) != LB_OK) {
            lb_print_heard(&heard);
            fail();
        }
        const lb_flex_options *flex = lb_get_imported_options(imported);
        assert_int_equal(flex->mode_count, 6);
        for (int r = 0; r < 6; ++r) {
            const double square = flex->stiffness[7 * r];
            // C = 0.005 K and C = 0.3 M in the units of the files
            lb_expect_near("damping", flex->damping[7 * r],
                           way == 0 ? 0.005 * square * options.time : 0.3 / options.time, 1e-9);
        }
        assert_int_equal(heard.count, way);
        assert_true(way == 0 || strstr(heard.entries[0].message, "motion of the whole body"));
        lb_destroy_imported(imported);
    }
}

// ---- models --------------------------------------------------------------------------------------

static lb_model *load(const char *text, const lb_load_options *options, lb_heard *heard)
{
    const lb_report report = lb_listen(heard);
    lb_model *model = NULL;
    lb_load_model_text(text, strlen(text), "test.yaml", LB_FORMAT_YAML, options, &report, &model);
    return model;
}

static double weigh(const lb_model *model)
{
    lb_work *work = lb_create_work(model);
    const int n = lb_get_v_count(model);
    double *q = lb_make_numbers((size_t)lb_get_q_count(model)), *v = lb_make_numbers((size_t)n);
    lb_system_motion motion;
    lb_get_neutral_configuration(model, q);
    lb_expect_ok(lb_compute_kinematics(model, work, q, v, NULL));
    lb_expect_ok(lb_compute_system_motion(model, work, &motion));
    free(q);
    free(v);
    lb_destroy_work(work);
    return motion.mass;
}

static void parameters_of_a_model_scale(void **state)
{
    (void)state;
    const char text[] =
        "limber: 1\n"
        "parameters: {m: 2, f: 1.5, n: 3, d: 0.01}\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: free}, flex: {file: block.flex, modes: {count: n},\n"
        "     damping: 'd', scale: {mass: 'm', frequency: f/3}, nodes: {tip: 8}}}\n";
    const lb_parameter_value values[] = {{"m", 5.0}, {"n", 2.0}};
    lb_load_options options = lb_default_load_options();
    options.parameters = values;
    options.parameter_count = 2;
    lb_heard heard = {.count = 0};
    lb_model *first = load(text, NULL, &heard), *second = load(text, &options, &heard);
    if (!first || !second) {
        lb_print_heard(&heard);
        fail();
    }
    const double mass = 1e3 * 2.7e-9 * 6.0; // 3 x 1 x 2 mm
    lb_expect_near("mass", weigh(first), 2 * mass, 1e-9);
    lb_expect_near("mass", weigh(second), 5 * mass, 1e-9);
    assert_int_equal(lb_get_mode_count(first, 0), 3);
    assert_int_equal(lb_get_mode_count(second, 0), 2);
    assert_true(lb_find_node(first, 0, "tip") >= 0 && lb_find_node(first, 0, "12") >= 0);
    lb_destroy_model(first);
    lb_destroy_model(second);
}

static void bodies_of_one_file_share_its_data(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_model *model = load("limber: 1\n"
                           "bodies:\n"
                           "  - {name: a, hinge: {type: free}, flex: {file: block.flex}}\n"
                           "  - {name: b, hinge: {type: free}, flex: {file: ./block.flex}}\n"
                           "  - {name: c, hinge: {type: free}, flex: {file: block.flex, scale: "
                           "{mass: 2}}}\n",
                           NULL, &heard);
    assert_non_null(model);
    assert_non_null(model->bodies[0].flex);
    assert_ptr_equal(model->bodies[0].flex, model->bodies[1].flex);
    assert_ptr_not_equal(model->bodies[0].flex, model->bodies[2].flex);
    lb_destroy_model(model);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_imported_comes_back_to_the_bit),
        cmocka_unit_test(hash_is_that_of_the_content),
        cmocka_unit_test(modes_are_chosen),
        cmocka_unit_test(damping_is_chosen),
        cmocka_unit_test(scales_apply),
        cmocka_unit_test(limit_is_one_of_scaled_frequencies),
        cmocka_unit_test(nodes_are_named),
        cmocka_unit_test(nodes_of_modes_have_numbers),
        cmocka_unit_test(fidelity_is_chosen),
        cmocka_unit_test(hash_is_compared),
        cmocka_unit_test(damping_of_files_is_kept),
        cmocka_unit_test(parameters_of_a_model_scale),
        cmocka_unit_test(bodies_of_one_file_share_its_data),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
