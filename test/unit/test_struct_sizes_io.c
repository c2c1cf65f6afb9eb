// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Structs of older and of newer programs, for every function about flexible bodies and files that takes one.
#define _POSIX_C_SOURCE 200809L // mkstemp
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beams.h"
#include "body_file.h"
#include "check.h"
#include "heard.h"
#include "limber/document.h"
#include "limber/io.h"
#include "resized.h"
#include "scratch.h"
#include "structure/sections.h"

static void expect_refusal(const lb_heard *heard, const char *path)
{
    assert_int_equal(heard->count, 1);
    assert_string_equal(heard->entries[0].path, path);
    assert_non_null(strstr(heard->entries[0].message, "built for a newer version"));
}

// ---- beams -------------------------------------------------------------------------------------

static void sections_of_other_versions(void **state)
{
    (void)state;
    const lb_material steel = {210e9, 81e9, 7850};
    const lb_section rod = {.size = sizeof rod, .type = LB_SECTION_TUBE, .diameter = 0.1, .A = 99};
    void *older = lb_resize(&rod, LB_THROUGH(lb_section, diameter));
    void *newer = lb_resize(&rod, LB_NEWER(lb_section));
    lb_section *short_out = lb_resize(&rod, LB_THROUGH(lb_section, A));
    lb_section whole = {.size = sizeof whole};
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);

    // a solid rod: wall and area are those of the shape, not what lies behind the older struct
    lb_expect_ok(lb_compute_section(older, &steel, "section", NULL, &whole));
    lb_expect_near("area", whole.A, 0.25e-2 * 3.14159265358979, 1e-14);
    lb_expect_ok(lb_compute_section(older, &steel, "section", NULL, short_out));
    assert_true(short_out->A == whole.A && short_out->size == LB_THROUGH(lb_section, A));
    assert_int_equal(lb_compute_section(newer, &steel, "section", &report, &whole), LB_E_VERSION);
    expect_refusal(&heard, "section");
    assert_int_equal(lb_compute_section(&rod, &steel, "section", NULL, newer), LB_E_VERSION);
    free(older);
    free(newer);
    free(short_out);
}

// Mass of the body of a beam; or, where it is refused, -1, with the report at `path`.
static double weigh_beam(const void *options, const char *path)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_flex_body *body;
    const lb_status status = lb_create_beam_body(options, NULL, &report, &body);
    if (path) {
        assert_int_equal(status, LB_E_VERSION);
        assert_null(body);
        expect_refusal(&heard, path);
        return -1.0;
    }
    lb_expect_ok(status);
    const double mass = lb_summarize_body(body).mass;
    lb_destroy_flex_body(body);
    return mass;
}

static void beams_of_other_versions(void **state)
{
    (void)state;
    const lb_lump lump = {.size = sizeof lump, .at = "tip", .mass = 2, .offset = {NAN}};
    lb_beam_options whole = lb_make_square_beam();
    whole.element_count = -1; // wrong, but behind the end of the older struct
    void *older = lb_resize(&whole, LB_THROUGH(lb_beam_options, modes));
    void *newer = lb_resize(&whole, LB_NEWER(lb_beam_options));
    lb_expect_near("mass", weigh_beam(older, NULL), 78.5, 1e-12);
    weigh_beam(newer, "");
    free(older);
    free(newer);

    // lumps
    whole = lb_make_square_beam();
    older = lb_resize(&lump, LB_THROUGH(lb_lump, mass));
    newer = lb_resize(&lump, LB_NEWER(lb_lump));
    whole.lumps = older;
    whole.lump_count = 1;
    lb_expect_near("mass", weigh_beam(&whole, NULL), 80.5, 1e-12);
    whole.lumps = newer;
    weigh_beam(&whole, "masses[0]");
    free(older);
    free(newer);

    // sections, alone and at stations
    lb_section rod = lb_default_section();
    rod.type = LB_SECTION_TUBE;
    rod.diameter = 0.1;
    older = lb_resize(&rod, LB_THROUGH(lb_section, diameter));
    newer = lb_resize(&rod, LB_NEWER(lb_section));
    whole = lb_make_square_beam();
    whole.section = older;
    lb_expect_near("mass", weigh_beam(&whole, NULL), 78.5 * 3.14159265358979 / 4, 1e-12);
    whole.section = newer;
    weigh_beam(&whole, "section");
    const lb_station good[2] = {{0.0, older}, {1.0, &rod}}, bad[2] = {{0.0, older}, {1.0, newer}};
    whole.section = NULL;
    whole.station_count = 2;
    whole.stations = good;
    lb_expect_near("mass", weigh_beam(&whole, NULL), 78.5 * 3.14159265358979 / 4, 1e-12);
    whole.stations = bad;
    weigh_beam(&whole, "stations[1].section");
    free(older);
    free(newer);
}

static void modes_and_damping_of_other_versions(void **state)
{
    (void)state;
    lb_beam_options beam = lb_make_square_beam();
    lb_modes_options modes = lb_default_modes_options();
    lb_damping_options damping = lb_default_damping_options();
    modes.count = 3;
    modes.motions = 0; // of no motion: behind the end of the older struct
    damping.ratio = 0.01;
    damping.rayleigh[0] = 5.0;
    void *older[2] = {lb_resize(&modes, LB_THROUGH(lb_modes_options, count)),
                      lb_resize(&damping, LB_THROUGH(lb_damping_options, ratio))};
    void *newer[2] = {lb_resize(&modes, LB_NEWER(lb_modes_options)),
                      lb_resize(&damping, LB_NEWER(lb_damping_options))};
    beam.modes = older[0];
    beam.damping = older[1];
    lb_flex_body *body = lb_make_beam(&beam);
    const lb_flex_options *flex = lb_get_flex_options(body);
    assert_int_equal(flex->size, sizeof *flex);
    assert_int_equal(flex->mode_count, 3);
    lb_expect_near("damping", flex->damping[0], 0.02 * sqrt(flex->stiffness[0]), 1e-12);

    // the summary of an older and of a newer program
    const lb_flex_summary none = {.size = sizeof none};
    lb_flex_summary *short_out = lb_resize(&none, LB_THROUGH(lb_flex_summary, dof_count));
    void *long_out = lb_resize(&none, LB_NEWER(lb_flex_summary));
    lb_expect_ok(lb_get_flex_summary(body, short_out));
    assert_int_equal(short_out->element_count, 64);
    assert_int_equal(lb_get_flex_summary(body, long_out), LB_E_VERSION);
    free(short_out);
    free(long_out);
    lb_destroy_flex_body(body);

    beam.modes = newer[0];
    weigh_beam(&beam, "modes");
    beam.modes = older[0];
    beam.damping = newer[1];
    weigh_beam(&beam, "damping");
    for (int i = 0; i < 2; ++i) {
        free(older[i]);
        free(newer[i]);
    }
}

static void frames_of_other_versions(void **state)
{
    (void)state;
    lb_beam_options beam = lb_make_square_beam();
    lb_joint joints[2] = {lb_default_joint(), lb_default_joint()};
    joints[0].name = "root", joints[1].name = "end";
    joints[1].position[0] = 1.0;
    joints[1].mass = 1.0;
    lb_member member = lb_default_member();
    member.joints[0] = "root", member.joints[1] = "end";
    member.section = beam.section;
    member.material = beam.material;
    member.element_count = -1; // wrong, but behind the end of the older struct
    lb_frame_options frame = lb_default_frame_options();
    frame.joint_count = 2;
    frame.member_count = 1;
    frame.modes = beam.modes;
    frame.theory = (lb_beam_theory)99;

    // an older program: shorter structs throughout, joints of which lie closer together
    const size_t size = LB_THROUGH(lb_joint, position);
    unsigned char *packed = malloc(2 * size);
    assert_non_null(packed);
    for (size_t i = 0; i < 2; ++i) {
        memcpy(packed + i * size, &joints[i], size);
        memcpy(packed + i * size, &size, sizeof size);
    }
    void *older_member = lb_resize(&member, LB_THROUGH(lb_member, section));
    frame.joints = (const lb_joint *)(const void *)packed;
    frame.members = older_member;
    void *older = lb_resize(&frame, LB_THROUGH(lb_frame_options, modes));
    lb_flex_body *body = lb_make_frame(older);
    lb_expect_near("mass", lb_summarize_body(body).mass, 78.5, 1e-12);
    lb_destroy_flex_body(body);

    // newer ones, one by one
    void *const newer[3] = {lb_resize(&joints[0], LB_NEWER(lb_joint)),
                            lb_resize(&member, LB_NEWER(lb_member)),
                            lb_resize(&frame, LB_NEWER(lb_frame_options))};
    static const char *const paths[3] = {"joints[0]", "members[0]", ""};
    frame.theory = LB_THEORY_EULER_BERNOULLI;
    for (int i = 0; i < 3; ++i) {
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        frame.joints = i == 0 ? newer[0] : joints;
        frame.joint_count = i == 0 ? 1 : 2;
        frame.members = i == 1 ? newer[1] : &member;
        assert_int_equal(lb_create_frame_body(i == 2 ? newer[2] : &frame, NULL, &report, &body),
                         LB_E_VERSION);
        expect_refusal(&heard, paths[i]);
        free(newer[i]);
    }
    free(packed);
    free(older_member);
    free(older);
}

static void modal_summaries_of_other_versions(void **state)
{
    (void)state;
    const lb_beam_options beam = lb_make_square_beam();
    lb_model *model = lb_make_beam_model(lb_make_beam(&beam), LB_HINGE_FIXED, NULL);
    const lb_modal_summary none = {.size = sizeof none};
    lb_modal_summary whole = none;
    lb_modal_summary *older = lb_resize(&none, LB_THROUGH(lb_modal_summary, sums));
    void *newer = lb_resize(&none, LB_NEWER(lb_modal_summary));
    double frequencies[4], effective[24];
    lb_expect_ok(lb_compute_modal_summary(model, 0, frequencies, effective, &whole));
    lb_expect_ok(lb_compute_modal_summary(model, 0, frequencies, effective, older));
    assert_memory_equal(older->sums, whole.sums, sizeof whole.sums);
    assert_int_equal(lb_compute_modal_summary(model, 0, frequencies, effective, newer),
                     LB_E_VERSION);
    free(older);
    free(newer);
    lb_destroy_model(model);
}

// ---- files -------------------------------------------------------------------------------------

static const char urdf[] = "<robot name='r'><link name='base'/><link name='arm'><inertial>"
                           "<mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
                           "iyz='0'/></inertial></link><joint name='j' type='continuous'>"
                           "<parent link='base'/><child link='arm'/></joint></robot>";

static void load_options_of_other_versions(void **state)
{
    (void)state;
    const lb_load_options options = {
        .size = sizeof options, .floating_base = true, .keep_fixed = true};
    void *older = lb_resize(&options, LB_THROUGH(lb_load_options, allocator));
    void *newer = lb_resize(&options, LB_NEWER(lb_load_options));
    char path[LB_SCRATCH_PATH_SIZE];
    FILE *file = lb_open_scratch(path);
    assert_non_null(file);
    fputs(urdf, file);
    fclose(file);
    for (int way = 0; way < 5; ++way) {
        for (int is_newer = 0; is_newer < 2; ++is_newer) {
            const lb_load_options *taken = is_newer ? newer : older;
            lb_heard heard = {.count = 0};
            const lb_report report = lb_listen(&heard);
            const size_t length = sizeof urdf - 1;
            lb_model *model = NULL;
            lb_document *document = NULL;
            char *text = NULL;
            size_t written;
            const lb_status status =
                way == 0   ? lb_load_model(path, taken, &report, &model)
                : way == 1 ? lb_load_model_text(urdf, length, "r.urdf", LB_FORMAT_AUTO, taken,
                                                &report, &model)
                : way == 2 ? lb_convert_model(path, taken, LB_FORMAT_YAML, &report, &text, &written)
                : way == 3 ? lb_load_document(path, taken, &report, &document)
                           : lb_load_document_text(urdf, length, "r.urdf", LB_FORMAT_AUTO, taken,
                                                   &report, &document);
            assert_int_equal(status, is_newer ? LB_E_VERSION : LB_OK);
            if (is_newer) {
                expect_refusal(&heard, "");
                assert_true(!model && !text && !document);
            } else if (document) {
                lb_expect_ok(lb_load_document_model(document, NULL, &model));
            }
            // the base is fixed and merged, as by default
            if (model) {
                assert_int_equal(lb_get_v_count(model), 1);
            }
            lb_destroy_model(model);
            lb_destroy_document(document);
            free(text);
        }
    }
    free(older);
    free(newer);
}

// ---- imports -----------------------------------------------------------------------------------

static void imports_of_other_versions(void **state)
{
    (void)state;
    const char *const files[] = {lb_find_source("test/data/fe/calculix/beam.dof"),
                                 lb_find_source("test/data/fe/calculix/beam.inp"),
                                 lb_find_source("test/data/fe/calculix/beam.mas"),
                                 lb_find_source("test/data/fe/calculix/beam.sti")};
    lb_import_options whole = lb_default_import_options();
    whole.files = files;
    whole.file_count = 4;
    whole.length = 0.0; // wrong, but behind the end of the older struct
    void *older = lb_resize(&whole, LB_THROUGH(lb_import_options, file_count));
    void *newer = lb_resize(&whole, LB_NEWER(lb_import_options));
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_imported *imported = NULL;
    assert_int_equal(lb_import_files(newer, NULL, &report, &imported), LB_E_VERSION);
    assert_null(imported);
    expect_refusal(&heard, "");
    lb_expect_ok(lb_import_files(older, NULL, NULL, &imported));
    char path[LB_SCRATCH_PATH_SIZE];
    fclose(lb_open_scratch(path));
    lb_keep_body(imported, path);
    free(older);
    free(newer);

    // tied nodes: an array of older ones
    static const double astray[3] = {NAN, 0, 0};
    const size_t size = LB_THROUGH(lb_tied_node, set);
    lb_tied_node tied = lb_default_tied_node();
    char *ties = calloc(2, size);
    assert_true(ties && tied.tie == LB_TIE_AVERAGE && !tied.position);
    tied.position = astray; // wrong, but behind the end of the older struct
    for (int i = 0; i < 2; ++i) {
        tied.name = i == 0 ? "end" : "all";
        tied.set = i == 0 ? "117..120" : "ALL";
        older = lb_resize(&tied, size);
        memcpy(ties + (size_t)i * size, older, size);
        free(older);
    }
    whole.length = 1.0;
    whole.ties = (const lb_tied_node *)ties;
    whole.tie_count = 2;
    whole.mode_count = 2;
    lb_expect_ok(lb_import_files(&whole, NULL, NULL, &imported));
    assert_string_equal(lb_get_imported_options(imported)->nodes[0].name, "end");
    assert_string_equal(lb_get_imported_options(imported)->nodes[1].name, "all");
    assert_true(lb_get_imported_options(imported)->nodes[0].position[0] == 400.0);
    lb_destroy_imported(imported);
    free(ties);

    // of a body file
    lb_damping_options damping = lb_default_damping_options();
    damping.ratio = 0.01;
    damping.rayleigh[0] = 5.0; // behind the end of the older struct
    lb_flex_file_options use = lb_default_flex_file_options();
    use.mode_count = 3;
    use.mass_factor = -1.0; // likewise
    older = lb_resize(&use, LB_THROUGH(lb_flex_file_options, mode_count));
    newer = lb_resize(&use, LB_NEWER(lb_flex_file_options));
    lb_flex_body *body = lb_load_body(path, older);
    assert_int_equal(lb_get_flex_options(body)->mode_count, 3);
    lb_destroy_flex_body(body);
    heard.count = 0;
    assert_int_equal(lb_load_flex_file(path, newer, NULL, &report, &body), LB_E_VERSION);
    assert_null(body);
    expect_refusal(&heard, "file");
    free(older);
    free(newer);
    use.mass_factor = 1.0;
    older = lb_resize(&damping, LB_THROUGH(lb_damping_options, ratio));
    newer = lb_resize(&damping, LB_NEWER(lb_damping_options));
    use.damping = older;
    body = lb_load_body(path, &use);
    lb_expect_near("damping", lb_get_flex_options(body)->damping[0],
                   0.02 * sqrt(lb_get_flex_options(body)->stiffness[0]), 1e-9);
    lb_destroy_flex_body(body);
    heard.count = 0;
    use.damping = newer;
    assert_int_equal(lb_load_flex_file(path, &use, NULL, &report, &body), LB_E_VERSION);
    expect_refusal(&heard, "damping");
    free(older);
    free(newer);
    remove(path);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(imports_of_other_versions),
        cmocka_unit_test(sections_of_other_versions),
        cmocka_unit_test(beams_of_other_versions),
        cmocka_unit_test(modes_and_damping_of_other_versions),
        cmocka_unit_test(frames_of_other_versions),
        cmocka_unit_test(modal_summaries_of_other_versions),
        cmocka_unit_test(load_options_of_other_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
