// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `beam` and `frame` of a body: from the document to the options of limber/beams.h. Form is checked
// here, meaning there; what is reported there gets line and column of its path.
#include <math.h>
#include <string.h>

#include "limber/import.h"
#include "load.h"
#include "values.h"

// ---- what beams report ---------------------------------------------------------------------------

void lb_emit_beam(void *user, const lb_diagnostic *diagnostic)
{
    const lb_beam_place *at = user;
    lb_reader *reader = &at->loader->reader;
    reader->error_count += diagnostic->severity == LB_SEVERITY_ERROR;
    if (!reader->report.emit) {
        return;
    }
    const lb_way way = lb_place_get_way(at->place, diagnostic->path);
    lb_text path = lb_place_get_path(at->place);
    lb_text_add(&path, "%s%s", diagnostic->path[0] ? "." : "", diagnostic->path);
    lb_diagnostic located = *diagnostic;
    located.path = path.data;
    lb_reader_tell(reader, &way, &located);
}

// ---- common keys -------------------------------------------------------------------------------

// Where the options of a beam and of a frame have what both have.
typedef struct lb_beam_common {
    lb_beam_theory *theory;
    bool *rotary, *second_order;
    lb_fidelity *fidelity;
} lb_beam_common;

// False if there is no mapping with none but the known keys.
static bool lb_load_common(lb_loader *loader, const lb_place *place, const char *const *known,
                           const lb_beam_common *common)
{
    static const char *const theories[] = {"euler-bernoulli", "timoshenko", NULL};
    lb_reader *reader = &loader->reader;
    int theory = 0;
    bool truth = true;
    if (!lb_read_mapping(reader, place, known)) {
        return false;
    }
    if (lb_read_word(reader, place, "theory", LB_OPTIONAL, theories, &theory)) {
        *common->theory = theory == 0 ? LB_THEORY_EULER_BERNOULLI : LB_THEORY_TIMOSHENKO;
    }
    if (lb_read_bool(reader, place, "rotary", LB_OPTIONAL, &truth)) {
        *common->rotary = truth;
    }
    lb_load_fidelity(loader, place, common->fidelity);
    if (lb_read_bool(reader, place, "second_order", LB_OPTIONAL, &truth)) {
        *common->second_order = truth;
        if (truth && *common->fidelity != LB_FIDELITY_CONSISTENT) {
            const lb_place at = lb_place_at_key(place, "second_order");
            lb_reader_fail(reader, &at,
                           "only bodies of fidelity consistent have second-order displacements");
        }
    }
    return true;
}

static bool lb_load_required_material(lb_loader *loader, const lb_place *place,
                                      const lb_material *fallback, lb_material *material)
{
    const lb_place at = lb_place_at_key(place, "material");
    if (at.node) {
        return lb_load_material(loader, &at, material);
    }
    if (fallback) {
        *material = *fallback;
        return true;
    }
    lb_reader_fail(
        &loader->reader, &at,
        "missing: a material is required here, by name or as {E: ..., G: ..., rho: ...}");
    return false;
}

// ---- from options to a body --------------------------------------------------------------------

// What differs between bodies of beams: how one is made of its options, and the names of its
// nodes, NULL behind the last.
typedef struct lb_beam_kind {
    lb_status (*create)(const void *options, const lb_allocator *allocator, const lb_report *report,
                        lb_flex_body **body);
    lb_status (*write)(const void *options, const char *folder, const lb_report *report);
    const char *(*get_name)(const void *options, int i);
} lb_beam_kind;

// Nodes without mass that stand in for a body which is wrong: others may name them.
static lb_status lb_stand_in(lb_loader *loader, const lb_beam_kind *kind, const void *options,
                             lb_flex_options *flex)
{
    size_t count = 0;
    while (kind->get_name(options, (int)count)) {
        ++count;
    }
    lb_flex_node *nodes = lb_arena_take(&loader->scratch, count, sizeof *nodes);
    if (!nodes) {
        return LB_E_MEMORY;
    }
    int kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const char *name = kind->get_name(options, (int)i);
        bool good = name[0] && strcmp(name, "origin") != 0;
        for (int k = 0; k < kept && good; ++k) {
            good = strcmp(nodes[k].name, name) != 0;
        }
        if (good) {
            nodes[kept] = lb_default_flex_node();
            nodes[kept++].name = name;
        }
    }
    *flex = (lb_flex_options){.size = sizeof *flex, .node_count = kept, .nodes = nodes};
    return LB_OK;
}

// The body of options that were read with this status, `errors` reported before; where something is
// wrong, one that stands in.
static lb_status lb_make_body(lb_loader *loader, const lb_place *place, const lb_beam_kind *kind,
                              const void *options, lb_status status, int errors,
                              lb_flex_options *flex)
{
    *flex = lb_default_flex_options();
    if (status == LB_OK && loader->reader.error_count == errors) {
        lb_beam_place at = {loader, place};
        const lb_report report = {lb_emit_beam, &at};
        status = kind->create(options, &loader->scratch.allocator, &report, &loader->flex_body);
        lb_export *export = loader->export;
        if (status == LB_OK && export && strcmp(export->body, loader->body) == 0) {
            export->is_found = true;
            export->status = kind->write(options, export->folder, &report);
        }
        if (status == LB_OK) {
            *flex = *lb_get_flex_options(loader->flex_body);
            return LB_OK;
        }
    }
    return status == LB_E_MEMORY ? status : lb_stand_in(loader, kind, options, flex);
}

// ---- beam --------------------------------------------------------------------------------------

static lb_status lb_load_lumps(lb_loader *loader, const lb_place *beam, lb_beam_options *options)
{
    static const char *const known[] = {"at", "mass", "offset", "inertia", NULL};
    lb_reader *reader = &loader->reader;
    lb_place list;
    if (!lb_read_sequence(reader, beam, "masses", LB_OPTIONAL, &list)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&list);
    lb_lump *lumps = lb_arena_take(&loader->scratch, count, sizeof *lumps);
    if (!lumps) {
        return LB_E_MEMORY;
    }
    size_t i = 0;
    for (; i < count && !lb_gives_up(reader, &list, i); ++i) {
        const lb_place entry = lb_place_at_index(&list, i);
        lumps[i] = lb_default_lump();
        if (!lb_read_mapping(reader, &entry, known)) {
            continue;
        }
        const lb_place at = lb_place_at_key(&entry, "at");
        if (lb_is_number_at(reader, &at)) {
            lb_read_number_at(reader, &at, &lumps[i].x);
        } else if (lb_place_get_kind(&at) == LB_DOC_STRING) {
            lumps[i].at = lb_place_get_string(&at);
        } else {
            lb_reader_fail(
                reader, &at,
                "expected \"at\" as the name of a node, or a distance from the root (m)");
        }
        lb_read_number(reader, &entry, "mass", LB_REQUIRED, &lumps[i].mass);
        lb_read_numbers(reader, &entry, "offset", LB_OPTIONAL, 3, lumps[i].offset);
        lb_read_numbers(reader, &entry, "inertia", LB_OPTIONAL, 6, lumps[i].inertia);
    }
    options->lumps = lumps;
    options->lump_count = (int)i;
    return LB_OK;
}

static lb_status lb_load_beam_nodes(lb_loader *loader, const lb_place *beam,
                                    lb_beam_options *options)
{
    lb_place list;
    if (!lb_find_kind(&loader->reader, beam, "nodes", LB_OPTIONAL, LB_DOC_MAPPING,
                      "a mapping from names to distances", &list)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&list);
    lb_beam_node *nodes = lb_arena_take(&loader->scratch, count, sizeof *nodes);
    if (!nodes) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place entry = lb_place_at_pair(&list, i);
        nodes[i] = (lb_beam_node){.name = entry.key};
        lb_read_number_at(&loader->reader, &entry, &nodes[i].x);
    }
    options->nodes = nodes;
    options->node_count = (int)count;
    return LB_OK;
}

static lb_status lb_read_beam(lb_loader *loader, const lb_place *place, lb_beam_options *options)
{
    static const char *const known[] = {
        "length",   "section", "stations",     "material", "theory", "rotary",  "masses", "nodes",
        "elements", "modes",   "second_order", "fidelity", "shapes", "damping", NULL};
    const lb_beam_common common = {&options->theory, &options->rotary, &options->second_order,
                                   &options->fidelity};
    if (!lb_load_common(loader, place, known, &common)) {
        return LB_OK;
    }
    lb_load_positive(loader, place, "length", LB_REQUIRED, &options->length);
    lb_load_required_material(loader, place, NULL, &options->material);
    lb_load_count(loader, place, "elements", &options->element_count);
    lb_status status = lb_load_sections(loader, place, NULL, &options->section, &options->stations,
                                        &options->station_count);
    if (status == LB_OK) {
        status = lb_load_lumps(loader, place, options);
    }
    if (status == LB_OK) {
        status = lb_load_beam_nodes(loader, place, options);
    }
    const lb_place modes = lb_place_at_key(place, "modes"),
                   shapes = lb_place_at_key(place, "shapes");
    if (status == LB_OK && modes.node) {
        status = lb_load_modes(loader, place, true, &options->modes);
    }
    if (status == LB_OK && shapes.node) {
        status =
            lb_load_shapes(loader, place, options->modes, &options->shapes, &options->shape_count);
    }
    if (!modes.node && !shapes.node) {
        lb_reader_fail(&loader->reader, &modes,
                       "missing: \"modes\" (how many, or which) or \"shapes\" is required here");
    }
    return status == LB_OK ? lb_load_damping(loader, place, &options->damping) : status;
}

static lb_status lb_create_beam(const void *options, const lb_allocator *allocator,
                                const lb_report *report, lb_flex_body **body)
{
    return lb_create_beam_body(options, allocator, report, body);
}

static lb_status lb_write_beam(const void *options, const char *folder, const lb_report *report)
{
    return lb_write_beam_matrices(options, folder, report);
}

static const char *lb_get_beam_name(const void *options, int i)
{
    const lb_beam_options *beam = options;
    return i == 0                     ? "root"
           : i == 1                   ? "tip"
           : i - 2 < beam->node_count ? beam->nodes[i - 2].name
                                      : NULL;
}

lb_status lb_load_beam(lb_loader *loader, const lb_place *place, lb_flex_options *flex)
{
    static const lb_beam_kind kind = {lb_create_beam, lb_write_beam, lb_get_beam_name};
    lb_beam_options options = lb_default_beam_options();
    const int errors = loader->reader.error_count;
    const lb_status status = lb_read_beam(loader, place, &options);
    return lb_make_body(loader, place, &kind, &options, status, errors, flex);
}

// ---- frame -------------------------------------------------------------------------------------

static lb_status lb_load_joints(lb_loader *loader, const lb_place *frame, lb_frame_options *options)
{
    static const char *const known[] = {"position", "rotation", "mass", "offset", "inertia", NULL};
    lb_reader *reader = &loader->reader;
    const lb_place list = lb_place_at_key(frame, "joints");
    if (lb_place_get_kind(&list) != LB_DOC_MAPPING) {
        lb_reader_fail(reader, &list, "expected a mapping from names to joints");
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&list);
    lb_joint *joints = lb_arena_take(&loader->scratch, count, sizeof *joints);
    if (!joints) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place entry = lb_place_at_pair(&list, i);
        joints[i] = lb_default_joint();
        joints[i].name = entry.key;
        if (lb_place_get_kind(&entry) == LB_DOC_SEQUENCE) {
            lb_read_numbers_at(reader, &entry, 3, joints[i].position);
        } else if (lb_read_mapping(reader, &entry, known)) {
            lb_read_numbers(reader, &entry, "position", LB_REQUIRED, 3, joints[i].position);
            lb_read_numbers(reader, &entry, "rotation", LB_OPTIONAL, 4, joints[i].rotation);
            lb_read_number(reader, &entry, "mass", LB_OPTIONAL, &joints[i].mass);
            lb_read_numbers(reader, &entry, "offset", LB_OPTIONAL, 3, joints[i].offset);
            lb_read_numbers(reader, &entry, "inertia", LB_OPTIONAL, 6, joints[i].inertia);
        }
    }
    options->joints = joints;
    options->joint_count = (int)count;
    return LB_OK;
}

static const lb_joint *lb_find_joint(const lb_frame_options *frame, const char *name)
{
    for (int i = 0; i < frame->joint_count; ++i) {
        if (strcmp(frame->joints[i].name, name) == 0) {
            return &frame->joints[i];
        }
    }
    return NULL;
}

// Corners of a polygon on the circle from a through b to c: in the frame (e, n) of the plane, a at the
// origin, the centre is where the distances to all three are equal.
static bool lb_place_arc(const double a[3], const double b[3], const double c[3], int segments,
                         double (*corners)[3])
{
    double u[3], v[3], uu = 0, vv = 0, uv = 0;
    for (int i = 0; i < 3; ++i) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        uu += u[i] * u[i];
        vv += v[i] * v[i];
        uv += u[i] * v[i];
    }
    const double det = 2 * (uu * vv - uv * uv);
    if (!(det > 1e-12 * uu * vv)) {
        return false;
    }
    // centre = a + s u + t v
    const double s = vv * (uu - uv) / det, t = uu * (vv - uv) / det;
    double centre[3], x[3], y[3], r2 = 0, dot = 0, norm = 0;
    for (int i = 0; i < 3; ++i) {
        centre[i] = a[i] + s * u[i] + t * v[i];
        x[i] = a[i] - centre[i];
        r2 += x[i] * x[i];
    }
    // y: from a towards b, across x
    for (int i = 0; i < 3; ++i) {
        dot += u[i] * x[i] / r2;
    }
    for (int i = 0; i < 3; ++i) {
        y[i] = u[i] - dot * x[i];
        norm += y[i] * y[i];
    }
    double cx = 0, cy = 0, bx = 0, by = 0;
    for (int i = 0; i < 3; ++i) {
        y[i] *= sqrt(r2 / norm);
        cx += (c[i] - centre[i]) * x[i] / r2;
        cy += (c[i] - centre[i]) * y[i] / r2;
        bx += (b[i] - centre[i]) * x[i] / r2;
        by += (b[i] - centre[i]) * y[i] / r2;
    }
    const double pi = 3.14159265358979323846;
    double to = atan2(cy, cx), through = atan2(by, bx);
    to += to < 0 ? 2 * pi : 0;
    through += through < 0 ? 2 * pi : 0;
    if (through > to) {
        to -= 2 * pi;
    }
    for (int k = 1; k < segments; ++k) {
        const double angle = to * k / segments;
        for (int i = 0; i < 3; ++i) {
            corners[k - 1][i] = centre[i] + cos(angle) * x[i] + sin(angle) * y[i];
        }
    }
    return true;
}

static lb_status lb_load_arc(lb_loader *loader, const lb_place *member,
                             const lb_frame_options *frame, lb_member *out)
{
    static const char *const known[] = {"through", "segments", NULL};
    lb_reader *reader = &loader->reader;
    const lb_place arc = lb_place_at_key(member, "arc");
    double through[3] = {0, 0, 0};
    int segments = 0;
    if (!arc.node || !lb_read_mapping(reader, &arc, known)) {
        return LB_OK;
    }
    if (lb_place_has_key(member, "path")) {
        lb_reader_fail(reader, &arc, "both \"path\" and \"arc\" given, expected one of them");
        return LB_OK;
    }
    const bool good = lb_read_numbers(reader, &arc, "through", LB_REQUIRED, 3, through);
    lb_place number;
    (void)lb_find_value(reader, &arc, "segments", LB_REQUIRED, &number);
    const lb_joint *a = lb_find_joint(frame, out->joints[0]);
    const lb_joint *b = lb_find_joint(frame, out->joints[1]);
    if (!lb_load_count(loader, &arc, "segments", &segments) || !good || !a || !b) {
        return LB_OK; // a joint that is not there is reported by lb_create_frame_body
    }
    if (segments < 2 || segments > 10000) {
        lb_reader_fail(reader, &number, "%d found, expected 2 to 10000", segments);
        return LB_OK;
    }
    double(*corners)[3] = lb_arena_take(&loader->scratch, (size_t)segments, sizeof *corners);
    if (!corners) {
        return LB_E_MEMORY;
    }
    if (!lb_place_arc(a->position, through, b->position, segments, corners)) {
        lb_reader_fail(reader, &arc,
                       "the joints and \"through\" lie on a line: no arc passes there");
        return LB_OK;
    }
    out->path = (const double(*)[3])corners;
    out->path_count = segments - 1;
    return LB_OK;
}

static lb_status lb_load_path(lb_loader *loader, const lb_place *member, lb_member *out)
{
    lb_place list;
    if (!lb_read_sequence(&loader->reader, member, "path", LB_OPTIONAL, &list)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&list);
    double(*corners)[3] = lb_arena_take(&loader->scratch, count, sizeof *corners);
    if (!corners) {
        return LB_E_MEMORY;
    }
    size_t i = 0;
    for (; i < count && !lb_gives_up(&loader->reader, &list, i); ++i) {
        const lb_place corner = lb_place_at_index(&list, i);
        memset(corners[i], 0, sizeof corners[i]);
        lb_read_numbers_at(&loader->reader, &corner, 3, corners[i]);
    }
    out->path = (const double(*)[3])corners;
    out->path_count = (int)i;
    return LB_OK;
}

static lb_status lb_load_member(lb_loader *loader, const lb_place *place,
                                const lb_frame_options *frame, const lb_section *section,
                                const lb_material *material, lb_member *member)
{
    static const char *const known[] = {"joints",   "path", "arc",      "section", "stations",
                                        "material", "up",   "elements", NULL};
    lb_reader *reader = &loader->reader;
    *member = lb_default_member();
    member->joints[0] = member->joints[1] = "";
    if (!lb_read_mapping(reader, place, known)) {
        return LB_OK;
    }
    lb_place ends;
    if (lb_read_sequence(reader, place, "joints", LB_REQUIRED, &ends)) {
        if (lb_place_get_count(&ends) != 2) {
            lb_reader_fail(reader, &ends, "%zu joints given, expected 2",
                           lb_place_get_count(&ends));
        }
        for (size_t i = 0; i < 2 && lb_place_get_count(&ends) == 2; ++i) {
            const lb_place end = lb_place_at_index(&ends, i);
            const char *name = lb_place_get_string(&end);
            if (!name) {
                lb_reader_fail_type(reader, &end, "the name of a joint");
            }
            member->joints[i] = name ? name : "";
        }
    }
    lb_load_required_material(loader, place, material, &member->material);
    if (lb_read_numbers(reader, place, "up", LB_OPTIONAL, 3, member->up) && member->up[0] == 0 &&
        member->up[1] == 0 && member->up[2] == 0) {
        const lb_place up = lb_place_at_key(place, "up");
        lb_reader_fail(reader, &up, "expected a direction that is not zero");
    }
    lb_load_count(loader, place, "elements", &member->element_count);
    lb_status status = lb_load_sections(loader, place, section, &member->section, &member->stations,
                                        &member->station_count);
    if (status == LB_OK) {
        status = lb_load_path(loader, place, member);
    }
    return status == LB_OK ? lb_load_arc(loader, place, frame, member) : status;
}

static lb_status lb_load_members(lb_loader *loader, const lb_place *frame,
                                 lb_frame_options *options)
{
    lb_reader *reader = &loader->reader;
    const lb_place section_place = lb_place_at_key(frame, "section");
    const lb_place material_place = lb_place_at_key(frame, "material");
    lb_section section = lb_default_section();
    lb_material material = {0, 0, 0};
    if (section_place.node) {
        lb_load_section(loader, &section_place, &section);
    }
    if (material_place.node) {
        lb_load_material(loader, &material_place, &material);
    }
    lb_place list;
    if (!lb_read_sequence(reader, frame, "members", LB_REQUIRED, &list)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&list);
    lb_member *members = lb_arena_take(&loader->scratch, count, sizeof *members);
    if (!members) {
        return LB_E_MEMORY;
    }
    lb_status status = LB_OK;
    size_t i = 0;
    for (; i < count && status == LB_OK && !lb_gives_up(reader, &list, i); ++i) {
        const lb_place entry = lb_place_at_index(&list, i);
        status = lb_load_member(loader, &entry, options, section_place.node ? &section : NULL,
                                material_place.node ? &material : NULL, &members[i]);
    }
    options->members = members;
    options->member_count = (int)i;
    return status;
}

static lb_status lb_read_frame(lb_loader *loader, const lb_place *place, lb_frame_options *options)
{
    static const char *const known[] = {"joints",       "members",  "section", "material",
                                        "theory",       "rotary",   "modes",   "damping",
                                        "second_order", "fidelity", NULL};
    const lb_beam_common common = {&options->theory, &options->rotary, &options->second_order,
                                   &options->fidelity};
    if (!lb_load_common(loader, place, known, &common)) {
        return LB_OK;
    }
    lb_status status = lb_load_joints(loader, place, options);
    if (status == LB_OK) {
        status = lb_load_members(loader, place, options);
    }
    const lb_place modes = lb_place_at_key(place, "modes");
    if (status == LB_OK && modes.node) {
        status = lb_load_modes(loader, place, false, &options->modes);
    } else if (!modes.node) {
        lb_reader_fail(&loader->reader, &modes,
                       "missing: \"modes\" (how many, or which) is required here");
    }
    return status == LB_OK ? lb_load_damping(loader, place, &options->damping) : status;
}

static lb_status lb_create_frame(const void *options, const lb_allocator *allocator,
                                 const lb_report *report, lb_flex_body **body)
{
    return lb_create_frame_body(options, allocator, report, body);
}

static lb_status lb_write_frame(const void *options, const char *folder, const lb_report *report)
{
    return lb_write_frame_matrices(options, folder, report);
}

static const char *lb_get_frame_name(const void *options, int i)
{
    const lb_frame_options *frame = options;
    return i < frame->joint_count ? frame->joints[i].name : NULL;
}

lb_status lb_load_frame(lb_loader *loader, const lb_place *place, lb_flex_options *flex)
{
    static const lb_beam_kind kind = {lb_create_frame, lb_write_frame, lb_get_frame_name};
    lb_frame_options options = lb_default_frame_options();
    const int errors = loader->reader.error_count;
    const lb_status status = lb_read_frame(loader, place, &options);
    return lb_make_body(loader, place, &kind, &options, status, errors, flex);
}
