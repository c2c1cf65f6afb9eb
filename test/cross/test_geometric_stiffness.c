// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Finite elements of own beams and frames, written as matrices and imported with their geometric stiffness, against
// the bodies that the library makes of them itself.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beams.h"
#include "body_file.h"
#include "check.h"
#include "flight.h"
#include "heard.h"
#include "limber/io.h"
#include "limber/linear.h"
#include "loaded.h"
#include "scratch.h"

enum { FILES_MOST = 64 };

// All files of a folder, in any order.
typedef struct folder_files {
    int count;
    const char *paths[FILES_MOST];
    char text[FILES_MOST][300];
} folder_files;

static void list_folder(const char *folder, folder_files *files)
{
    DIR *dir = opendir(folder);
    files->count = 0;
    assert_non_null(dir);
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            assert_true(files->count < FILES_MOST);
            snprintf(files->text[files->count], sizeof files->text[0], "%.30s/%.255s", folder,
                     entry->d_name);
            files->paths[files->count] = files->text[files->count];
            ++files->count;
        }
    }
    closedir(dir);
}

static void export_body(const char *text, const char *body, const char *folder)
{
    FILE *file = fopen("model.yaml", "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    const lb_status status = lb_export_matrices("model.yaml", NULL, body, folder, &report);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    lb_expect_ok(status);
}

// Imports a folder; joints are numbered from 1 in their order.
static lb_imported *import_folder(const char *folder, lb_import_options options)
{
    folder_files files;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_imported *imported = NULL;
    list_folder(folder, &files);
    options.files = files.paths;
    options.file_count = files.count;
    const lb_status status = lb_import_files(&options, NULL, &report, &imported);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    lb_expect_ok(status);
    return imported;
}

// ---- moments -----------------------------------------------------------------------------------

enum { MODES = 6 };

typedef struct moments {
    double G2[MODES * MODES][3], T2[MODES * MODES][9], tip[MODES * MODES][3];
    double shape[MODES][6]; // of the tip, which tells the signs of the modes
} moments;

static const lb_flex_node *find_node(const lb_flex_options *flex, const char *name)
{
    for (int i = 0; i < flex->node_count; ++i) {
        if (flex->nodes[i].name && strcmp(flex->nodes[i].name, name) == 0) {
            return &flex->nodes[i];
        }
    }
    fail_msg("no node is called %s", name);
    return NULL;
}

static void take_tip(const lb_flex_options *flex, moments *m)
{
    const lb_flex_node *tip = find_node(flex, "tip");
    memcpy(m->shape, tip->shape, sizeof m->shape);
    for (int e = 0; e < tip->second_order_count; ++e) {
        const lb_second_order *g = &tip->second_order[e];
        memcpy(m->tip[g->r * MODES + g->s], g->g, sizeof g->g);
        memcpy(m->tip[g->s * MODES + g->r], g->g, sizeof g->g);
    }
}

// By the definition: sums over the masses of a body of our own.
static void sum_moments(const lb_flex_options *flex, moments *m)
{
    memset(m, 0, sizeof *m);
    take_tip(flex, m);
    for (int i = 0; i < flex->node_count; ++i) {
        const lb_flex_node *node = &flex->nodes[i];
        double g2[MODES * MODES][3] = {{0}}, c[3];
        for (int e = 0; e < node->second_order_count; ++e) {
            const lb_second_order *g = &node->second_order[e];
            memcpy(g2[g->r * MODES + g->s], g->g, sizeof g->g);
            memcpy(g2[g->s * MODES + g->r], g->g, sizeof g->g);
        }
        for (int rs = 0; rs < MODES * MODES; ++rs) {
            // 1/2 (l_r x (l_s x p) + l_s x (l_r x p)) of a mass beside its node
            const double *a = node->shape + 6 * (rs / MODES), *b = node->shape + 6 * (rs % MODES),
                         *p = node->offset;
            const double ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
                         ap = a[0] * p[0] + a[1] * p[1] + a[2] * p[2],
                         bp = b[0] * p[0] + b[1] * p[1] + b[2] * p[2];
            for (int k = 0; k < 3; ++k) {
                g2[rs][k] += 0.5 * (b[k] * ap + a[k] * bp) - ab * p[k];
                c[k] = node->position[k] + p[k];
            }
            for (int k = 0; k < 9; ++k) {
                m->T2[rs][k] += node->mass * c[k / 3] * g2[rs][k % 3];
                m->G2[rs][k % 3] += k < 3 ? node->mass * g2[rs][k] : 0.0;
            }
        }
    }
}

static void take_moments(const lb_flex_options *flex, moments *m)
{
    assert_non_null(flex->integrals->G2);
    assert_non_null(flex->integrals->T2);
    memset(m, 0, sizeof *m);
    take_tip(flex, m);
    memcpy(m->G2, flex->integrals->G2, sizeof m->G2);
    memcpy(m->T2, flex->integrals->T2, sizeof m->T2);
}

static void give_signs(const moments *signs, moments *m)
{
    double s[MODES];
    for (int r = 0; r < MODES; ++r) {
        double dot = 0.0;
        for (int k = 0; k < 6; ++k) {
            dot += signs->shape[r][k] * m->shape[r][k];
        }
        s[r] = dot < 0 ? -1.0 : 1.0;
    }
    for (int rs = 0; rs < MODES * MODES; ++rs) {
        const double sign = s[rs / MODES] * s[rs % MODES];
        for (int k = 0; k < 9; ++k) {
            m->T2[rs][k] *= sign;
            if (k < 3) {
                m->G2[rs][k] *= sign;
                m->tip[rs][k] *= sign;
            }
        }
    }
}

static void compare_moments(const char *what, const char *folder, lb_flex_body *own, long tip,
                            const long *clamp, int clamp_count)
{
    const lb_named_node named = {"tip", tip};
    lb_import_options options = lb_default_import_options();
    options.clamp = clamp;
    options.clamp_count = clamp_count;
    options.nodes = &named;
    options.node_count = 1;
    options.mode_count = MODES;
    lb_imported *imported = import_folder(folder, options);
    assert_non_null(strstr(lb_get_import_report(imported), "stiffening: loads ax ay az"));
    static moments found, expected;
    take_moments(lb_get_imported_options(imported), &found);
    sum_moments(lb_get_flex_options(own), &expected);
    give_signs(&expected, &found);
    print_message("%s: moments differ by %.1e, %.1e and %.1e\n", what,
                  lb_get_gap(found.G2[0], expected.G2[0], sizeof found.G2 / sizeof(double)),
                  lb_get_gap(found.T2[0], expected.T2[0], sizeof found.T2 / sizeof(double)),
                  lb_get_gap(found.tip[0], expected.tip[0], sizeof found.tip / sizeof(double)));
    // eigenvectors are found twice, by different roads
    lb_expect_close("G2", found.G2[0], expected.G2[0], sizeof found.G2 / sizeof(double), 1e-9);
    lb_expect_close("T2", found.T2[0], expected.T2[0], sizeof found.T2 / sizeof(double), 1e-9);
    lb_expect_close("tip", found.tip[0], expected.tip[0], sizeof found.tip / sizeof(double), 1e-9);
    lb_destroy_imported(imported);
    lb_destroy_flex_body(own);
}

static lb_section make_rectangle(double width, double height)
{
    lb_section section = lb_default_section();
    section.type = LB_SECTION_RECTANGLE;
    section.width = width;
    section.height = height;
    return section;
}

static const lb_material aluminium = {70e9, 26e9, 2700};

// Tapered, with masses beside its axis.
static void moments_of_a_beam_are_those_of_its_masses(void **state)
{
    (void)state;
    const lb_section thick = make_rectangle(0.06, 0.1), thin = make_rectangle(0.03, 0.04);
    const lb_station stations[2] = {{0, &thick}, {3, &thin}};
    lb_lump lumps[2] = {lb_default_lump(), lb_default_lump()};
    lumps[0].at = "tip";
    lumps[0].mass = 1.5;
    lumps[0].offset[0] = 0.1;
    lumps[0].offset[1] = 0.2;
    lumps[0].offset[2] = -0.1;
    lumps[1].x = 1.2;
    lumps[1].mass = 2;
    lb_modes_options modes = lb_default_modes_options();
    modes.count = MODES;
    lb_beam_options beam = lb_default_beam_options();
    beam.length = 3;
    beam.material = aluminium;
    beam.stations = stations;
    beam.station_count = 2;
    beam.modes = &modes;
    beam.theory = LB_THEORY_TIMOSHENKO;
    beam.lumps = lumps;
    beam.lump_count = 2;
    beam.element_count = 24;
    lb_expect_ok(lb_write_beam_matrices(&beam, "tapered", NULL));
    const long root = 1;
    compare_moments("beam", "tapered", lb_make_beam(&beam), 3, &root, 1);
}

// A tree that branches in space, with a mass beside an end; a ring; and a portal that is held twice.
static void moments_of_frames_are_those_of_their_masses(void **state)
{
    static const struct {
        const char *what;
        double joints[4][3];
        int members[4][2];
        int member_count, clamp_count;
    } cases[] = {
        {"tree",
         {{0, 0, 0}, {1, 0, 0.2}, {1, 1.5, 0.4}, {1.6, -0.4, 0}},
         {{0, 1}, {1, 2}, {3, 1}},
         3,
         1},
        {"ring",
         {{0, 0, 0}, {1, 0, 0.1}, {1.2, 1, 0}, {0.1, 1.3, 0.2}},
         {{0, 1}, {1, 2}, {2, 3}, {3, 0}},
         4,
         1},
        {"portal",
         {{0, 0, 0}, {0, 1, 0.1}, {1, 1.1, 0}, {1.2, 0, 0.2}},
         {{0, 1}, {1, 2}, {2, 3}},
         3,
         2},
    };
    static const char *const names[4] = {"root", "a", "tip", "b"};
    static const char *const fixed[2] = {"root", "b"};
    static const long clamp[2] = {1, 4};
    (void)state;
    const lb_section section = make_rectangle(0.03, 0.05);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_joint joints[4];
        lb_member members[4];
        for (int j = 0; j < 4; ++j) {
            joints[j] = lb_default_joint();
            joints[j].name = names[j];
            memcpy(joints[j].position, cases[i].joints[j], sizeof joints[j].position);
            members[j] = lb_default_member();
            members[j].joints[0] = names[cases[i].members[j][0]];
            members[j].joints[1] = names[cases[i].members[j][1]];
            members[j].material = aluminium;
            members[j].section = &section;
            members[j].element_count = 8 + j;
        }
        joints[3].mass = i == 0 ? 0.7 : 0.0;
        joints[3].offset[1] = joints[3].offset[2] = 0.1;
        lb_modes_options modes = lb_default_modes_options();
        modes.count = MODES;
        modes.fixed = fixed;
        modes.fixed_count = cases[i].clamp_count;
        lb_frame_options frame = lb_default_frame_options();
        frame.joints = joints;
        frame.joint_count = 4;
        frame.members = members;
        frame.member_count = cases[i].member_count;
        frame.modes = &modes;
        lb_expect_ok(lb_write_frame_matrices(&frame, cases[i].what, NULL));
        compare_moments(cases[i].what, cases[i].what, lb_make_frame(&frame), 3, clamp,
                        cases[i].clamp_count);
    }
}

// ---- blades ------------------------------------------------------------------------------------

#define BLADE(elements, width, height)                                                             \
    "beam: {length: 5, elements: " elements                                                        \
    ", rotary: false, section: {type: rectangle, width: " width ", height: " height                \
    "}, material: aluminium, modes: 6}"
#define THIN(elements) BLADE(elements, "0.01", "0.004")
#define ROTOR(body)                                                                                \
    "limber: 1\nbodies:\n  - {name: hub, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, "      \
    "nodes: {rim: {position: [0.5, 0, 0]}}}\n"                                                     \
    "  - {name: blade, parent: hub, at: rim, by: root, hinge: {type: fixed}, " body "}\n"
#define PAYLOAD "  - {name: payload, parent: blade, at: tip, hinge: {type: fixed}, mass: 0.3}\n"

static void make_blade(const char *text, bool is_clamped, lb_import_options options,
                       const char *path)
{
    static const long root = 1;
    static const lb_named_node ends[2] = {{"root", 1}, {"tip", 2}};
    export_body(text, "blade", "blade");
    options.clamp = &root;
    options.clamp_count = is_clamped;
    options.nodes = ends;
    options.node_count = 2;
    options.mode_count = 6;
    lb_keep_body(import_folder("blade", options), path);
}

static lb_modes *spin(const char *text, double speed)
{
    lb_loaded l = lb_begin_loaded(text, NULL);
    lb_linear_options options = lb_default_linear_options();
    lb_modes *modes = NULL;
    options.spin = lb_find_speed(l.model, "hub", NULL);
    options.spin_speed = speed;
    lb_expect_ok(lb_compute_modes(l.simulation, &options, &modes));
    lb_end_loaded(&l);
    return modes;
}

// On a hub of half a metre, up to more than twice the first frequency, alone and with three quarters of its mass at
// the tip. What is left: the section's rotary inertia, (0.01 / 5)^2; and for bending in the plane the square of the
// length of an element, because a mass matrix with slopes is not that of displacements alone (see the chapter on
// import).
static void rotating_blades_have_their_frequencies(void **state)
{
    static const char *const own[2] = {ROTOR(THIN("240")), ROTOR(THIN("240")) PAYLOAD};
    static const char *const imported[2] = {ROTOR("flex: {file: blade.flex}"),
                                            ROTOR("flex: {file: blade.flex}") PAYLOAD};
    static const double speeds[3] = {0.4, 1.0, 2.0};
    (void)state;
    make_blade(own[0], true, lb_default_import_options(), "blade.flex");
    for (int payload = 0; payload < 2; ++payload) {
        for (int i = 0; i < 3; ++i) {
            lb_modes *a = spin(own[payload], speeds[i]), *b = spin(imported[payload], speeds[i]);
            assert_int_equal(b->mode_count, a->mode_count);
            print_message("%.1f rad/s%s: %.7f Hz, differs by %.1e\n", speeds[i],
                          payload ? ", with a payload" : "", a->frequencies[0],
                          lb_get_gap(b->frequencies, a->frequencies, 6));
            for (int k = 0; k < 6; ++k) {
                lb_expect_near("frequency", b->frequencies[k], a->frequencies[k], 1e-6);
            }
            lb_destroy_modes(a);
            lb_destroy_modes(b);
        }
    }
}

// ---- files -------------------------------------------------------------------------------------

// A body file keeps what it was given, of the modes that a model asks for; a ruthless body has no use for it.
static void body_files_keep_it(void **state)
{
    (void)state;
    make_blade(ROTOR(THIN("16")), true, lb_default_import_options(), "kept.flex");
    lb_flex_file_options options = lb_default_flex_file_options();
    lb_flex_body *all = lb_load_body("kept.flex", NULL);
    options.mode_count = 3;
    options.mass_factor = 2.0;
    lb_flex_body *some = lb_load_body("kept.flex", &options);
    const lb_flex_options *x = lb_get_flex_options(all), *y = lb_get_flex_options(some);
    const lb_second_order *tip = find_node(x, "tip")->second_order;
    assert_int_equal(find_node(x, "tip")->second_order_count, 21);
    assert_int_equal(find_node(y, "tip")->second_order_count, 6);
    assert_int_equal(find_node(y, "root")->second_order_count, 0);
    lb_expect_near("foreshortening", find_node(y, "tip")->second_order[5].g[0], tip[11].g[0],
                   1e-15);
    lb_expect_near("G2", y->integrals->G2[3 * (2 * 3 + 2)], 2 * x->integrals->G2[3 * (2 * 6 + 2)],
                   1e-15);
    lb_expect_near("T2", y->integrals->T2[9 * (2 * 3 + 2)], 2 * x->integrals->T2[9 * (2 * 6 + 2)],
                   1e-15);
    lb_destroy_flex_body(all);
    lb_destroy_flex_body(some);
    lb_loaded l = lb_begin_loaded("limber: 1\nbodies: [{name: a, by: root, hinge: {type: free}, "
                                  "flex: {file: kept.flex, fidelity: ruthless}}]\n",
                                  NULL);
    lb_end_loaded(&l);
}

// One load may be named by an option, whatever the file says, and others left away.
static void loads_may_be_named(void **state)
{
    (void)state;
    make_blade(ROTOR(THIN("16")), true, lb_default_import_options(), "kept.flex");
    static const char *const files[] = {"blade/stiffness.mtx", "blade/mass.mtx", "blade/rows.txt",
                                        "blade/nodes.txt"};
    static const long root = 1;
    const lb_geometric_file wzz = {"wzz", "blade/geometric-wzz.mtx"};
    lb_import_options options = lb_default_import_options();
    options.files = files;
    options.file_count = 4;
    options.clamp = &root;
    options.clamp_count = 1;
    options.mode_count = 6;
    options.geometric = &wzz;
    options.geometric_count = 1;
    lb_imported *imported = NULL;
    lb_expect_ok(lb_import_files(&options, NULL, NULL, &imported));
    const double *T2 = lb_get_imported_options(imported)->integrals->T2;
    lb_flex_body *all = lb_load_body("kept.flex", NULL);
    const double *whole = lb_get_flex_options(all)->integrals->T2;
    for (int i = 0; i < 36; ++i) {
        // -(T2_xx + T2_yy)
        lb_expect_within("wzz", (double[]){T2[9 * i] + T2[9 * i + 4]},
                         (double[]){whole[9 * i] + whole[9 * i + 4]}, 1, 1e-12);
    }
    lb_destroy_flex_body(all);
    lb_destroy_imported(imported);

    static const struct {
        lb_geometric_file file;
        const char *message;
    } wrong[] = {
        {{"wzx", "blade/geometric-wzz.mtx"}, "'wzx' is no load, expected ax ay az"},
        {{"fx@", "blade/geometric-wzz.mtx"}, "'fx@' is no load"},
        {{"fx@99", "blade/geometric-wzz.mtx"}, "there is no node 99"},
        {{"ax", "blade/rows.txt"}, "expected a matrix"},
        {{"ax", "absent.mtx"}, "cannot be read"},
        {{"wzz", "blade/geometric-wzz.mtx"}, "a second matrix for the load 'wzz'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        const lb_geometric_file both[2] = {wrong[i].file, wzz};
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        options.geometric = both;
        options.geometric_count = i == 5 ? 2 : 1;
        assert_true(lb_import_files(&options, NULL, &report, &imported) < 0);
        assert_true(heard.count > 0);
        if (!strstr(heard.entries[0].message, wrong[i].message)) {
            fail_msg("\"%s\" found, expected \"%s\"", heard.entries[0].message, wrong[i].message);
        }
    }
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    assert_int_equal(lb_export_matrices("model.yaml", NULL, "hub", "x", &report), LB_E_MODEL);
    assert_non_null(strstr(heard.entries[0].message, "neither beam nor frame"));
    assert_int_equal(lb_export_matrices("model.yaml", NULL, "none", "x", NULL), LB_E_MODEL);
}

// ---- free flight -------------------------------------------------------------------------------

#define FREE(file)                                                                                 \
    "limber: 1\nbodies: [{name: a, by: root, hinge: {type: free}, flex: {file: " file "}}]\n"

#define THICK ROTOR(BLADE("64", "0.1", "0.04"))

// Tumbling keeps energy and momentum, with modes of the free and of the clamped blade, whose tip moves by 0.1 m, and
// as if the files were in micrometres, nanograms and microseconds.
static void free_flight_keeps_energy_and_momentum(void **state)
{
    (void)state;
    lb_import_options options = lb_default_import_options();
    lb_flight flight = lb_default_flight();
    flight.duration = 1.0;
    flight.amplitude = 0.4;
    make_blade(THICK, true, options, "clamped.flex");
    lb_fly(FREE("clamped.flex"), &flight, NULL);
    make_blade(THICK, false, options, "free.flex");
    lb_fly(FREE("free.flex"), &flight, NULL);

    options.length = options.time = 1e-6;
    options.mass = 1e-12;
    make_blade(THICK, true, options, "micro.flex");
    flight.duration *= 1e-6;
    flight.amplitude *= 1e-6 * 1e-6; // m sqrt(kg)
    for (int k = 0; k < 3; ++k) {
        flight.spin[k] *= 1e6;
    }
    lb_fly(FREE("micro.flex"), &flight, NULL);

    // gamma2 has the unit 1 / (kg m) for modes of unit mass; the modes agree as far as the solver finds them
    static moments plain, micro;
    lb_flex_body *bodies[2] = {lb_load_body("clamped.flex", NULL),
                               lb_load_body("micro.flex", NULL)};
    take_moments(lb_get_flex_options(bodies[0]), &plain);
    take_moments(lb_get_flex_options(bodies[1]), &micro);
    give_signs(&plain, &micro);
    for (int rs = 0; rs < MODES * MODES; ++rs) {
        for (int k = 0; k < 3; ++k) {
            micro.G2[rs][k] *= 1e-6;
            micro.tip[rs][k] *= 1e-6 * 1e-12;
        }
    }
    lb_expect_close("G2", micro.G2[0], plain.G2[0], sizeof plain.G2 / sizeof(double), 1e-5);
    lb_expect_close("T2", micro.T2[0], plain.T2[0], sizeof plain.T2 / sizeof(double), 1e-5);
    lb_expect_close("tip", micro.tip[0], plain.tip[0], sizeof plain.tip / sizeof(double), 1e-5);
    lb_destroy_flex_body(bodies[0]);
    lb_destroy_flex_body(bodies[1]);
}

static int enter(void **state)
{
    (void)state;
    return lb_enter_scratch_folder() ? 0 : -1;
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_of_a_beam_are_those_of_its_masses),
        cmocka_unit_test(moments_of_frames_are_those_of_their_masses),
        cmocka_unit_test(rotating_blades_have_their_frequencies),
        cmocka_unit_test(body_files_keep_it),
        cmocka_unit_test(loads_may_be_named),
        cmocka_unit_test(free_flight_keeps_energy_and_momentum),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
