// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Modes, shapes by formula, and damping of beams and frames.
#include <string.h>

#include "load.h"
#include "structure/sections.h"
#include "values.h"

static const char *const lb_motion_names[] = {"stretch", "twist", "y", "z", NULL};
static const int lb_motions[] = {LB_MOTION_STRETCH, LB_MOTION_TWIST, LB_MOTION_Y, LB_MOTION_Z};

static lb_status lb_load_names(lb_loader *loader, const lb_place *owner, const char *key,
                               const char *const **names, int *count)
{
    lb_place list;
    if (!lb_read_sequence(&loader->reader, owner, key, LB_OPTIONAL, &list)) {
        return LB_OK;
    }
    if (lb_place_get_count(&list) == 0) {
        lb_reader_fail(&loader->reader, &list, "no names given, expected at least one");
    }
    return lb_read_strings(&loader->reader, &loader->scratch, &list, "the name of a node", names,
                           count);
}

bool lb_load_count(lb_loader *loader, const lb_place *owner, const char *key, int *count)
{
    int value = 0;
    if (!lb_read_integer(&loader->reader, owner, key, LB_OPTIONAL, &value)) {
        return false;
    }
    if (value < 1) {
        const lb_place place = lb_place_at_key(owner, key);
        lb_reader_fail(&loader->reader, &place, "%d found, expected 1 or more", value);
        return false;
    }
    *count = value;
    return true;
}

// ---- modes -------------------------------------------------------------------------------------

static lb_status lb_load_corrections(lb_loader *loader, const lb_place *modes,
                                     lb_modes_options *out)
{
    static const char *const known[] = {"at", "force", "moment", NULL};
    lb_reader *reader = &loader->reader;
    lb_place list;
    if (!lb_read_sequence(reader, modes, "corrections", LB_OPTIONAL, &list)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&list);
    lb_correction *read = lb_arena_take(&loader->scratch, count, sizeof *read);
    if (!read) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place entry = lb_place_at_index(&list, i);
        read[i] = (lb_correction){.at = ""};
        if (lb_read_mapping(reader, &entry, known)) {
            lb_read_string(reader, &entry, "at", LB_REQUIRED, &read[i].at);
            lb_read_numbers(reader, &entry, "force", LB_OPTIONAL, 3, read[i].force);
            lb_read_numbers(reader, &entry, "moment", LB_OPTIONAL, 3, read[i].moment);
        }
    }
    out->corrections = read;
    out->correction_count = (int)count;
    return LB_OK;
}

static void lb_load_motions(lb_loader *loader, const lb_place *modes, lb_modes_options *out)
{
    lb_place list;
    if (!lb_read_sequence(&loader->reader, modes, "motions", LB_OPTIONAL, &list)) {
        return;
    }
    out->motions = 0;
    for (size_t i = 0; i < lb_place_get_count(&list); ++i) {
        const lb_place entry = lb_place_at_index(&list, i);
        const char *word = lb_place_get_string(&entry);
        int found = 0;
        while (lb_motion_names[found] && (!word || strcmp(word, lb_motion_names[found]) != 0)) {
            ++found;
        }
        if (!lb_motion_names[found]) {
            lb_reader_fail_type(&loader->reader, &entry, "one of stretch, twist, y, z");
        } else {
            out->motions |= lb_motions[found];
        }
    }
    if (lb_place_get_count(&list) == 0) {
        lb_reader_fail(&loader->reader, &list, "no motions given, expected at least one");
    }
}

lb_status lb_load_modes(lb_loader *loader, const lb_place *owner, bool is_beam,
                        const lb_modes_options **out)
{
    lb_modes_options *modes = lb_arena_take(&loader->scratch, 1, sizeof *modes);
    if (!modes) {
        return LB_E_MEMORY;
    }
    *modes = lb_default_modes_options();
    *out = modes;
    static const char *const known[] = {"type",           "count",   "frequency",
                                        "effective_mass", "fixed",   "interfaces",
                                        "corrections",    "motions", NULL};
    static const char *const types[] = {"cantilever", "free-free", "craig-bampton", NULL};
    lb_reader *reader = &loader->reader;
    const lb_place place = lb_place_at_key(owner, "modes");
    if (lb_is_number_at(reader, &place)) {
        lb_load_count(loader, owner, "modes", &modes->count);
        return LB_OK;
    }
    if (lb_place_get_kind(&place) != LB_DOC_MAPPING) {
        lb_reader_fail_type(reader, &place, "a number of modes, or a mapping");
        return LB_OK;
    }
    lb_read_mapping(reader, &place, known);
    int type = 0;
    if (lb_read_word(reader, &place, "type", LB_OPTIONAL, types, &type)) {
        static const lb_modes_type values[] = {LB_MODES_CANTILEVER, LB_MODES_FREE_FREE,
                                               LB_MODES_CRAIG_BAMPTON};
        modes->type = values[type];
    }
    lb_load_count(loader, &place, "count", &modes->count);
    lb_load_positive(loader, &place, "frequency", LB_OPTIONAL, &modes->frequency);
    lb_load_positive(loader, &place, "effective_mass", LB_OPTIONAL, &modes->effective_mass);
    const lb_place motions = lb_place_at_key(&place, "motions");
    if (motions.node && !is_beam) {
        lb_reader_fail_key(reader, &motions, "\"motions\" is for straight beams");
    } else {
        lb_load_motions(loader, &place, modes);
    }
    lb_status status = lb_load_names(loader, &place, "fixed", &modes->fixed, &modes->fixed_count);
    if (status == LB_OK) {
        status = lb_load_names(loader, &place, "interfaces", &modes->interfaces,
                               &modes->interface_count);
    }
    return status == LB_OK ? lb_load_corrections(loader, &place, modes) : status;
}

// ---- shapes ------------------------------------------------------------------------------------

static void lb_get_family_names(const char *names[LB_SHAPE_FAMILY_COUNT + 1])
{
    for (int i = 0; i < LB_SHAPE_FAMILY_COUNT; ++i) {
        names[i] = lb_get_shape_family_name((lb_shape_family)i);
    }
    // polynomials have a key of their own
    names[LB_SHAPE_POLYNOMIAL] = NULL;
}

static int lb_get_default_motion(lb_shape_family family)
{
    const bool bar = family == LB_SHAPE_CLAMPED_FREE_BAR ||
                     family == LB_SHAPE_CLAMPED_CLAMPED_BAR || family == LB_SHAPE_FREE_FREE_BAR;
    return bar ? LB_MOTION_STRETCH : LB_MOTION_Y;
}

static lb_status lb_load_shape_entry(lb_loader *loader, const lb_place *place, lb_beam_shape *shape)
{
    static const char *const known[] = {"family", "count", "polynomial", "motion", NULL};
    lb_reader *reader = &loader->reader;
    *shape = (lb_beam_shape){.family = LB_SHAPE_CLAMPED_FREE, .motion = LB_MOTION_Y, .count = 1};
    if (!lb_read_mapping(reader, place, known)) {
        return LB_OK;
    }
    const lb_place polynomial = lb_place_at_key(place, "polynomial");
    const lb_place family = lb_place_at_key(place, "family");
    if (!polynomial.node == !family.node) {
        lb_reader_fail(reader, place, "%s of \"family\" and \"polynomial\" given, expected one",
                       family.node ? "both" : "none");
        return LB_OK;
    }
    if (family.node) {
        const char *names[LB_SHAPE_FAMILY_COUNT + 1];
        int index = 0;
        lb_get_family_names(names);
        if (lb_read_word(reader, place, "family", LB_REQUIRED, names, &index)) {
            shape->family = (lb_shape_family)index;
            shape->motion = lb_get_default_motion(shape->family);
        }
        lb_load_count(loader, place, "count", &shape->count);
    } else {
        lb_place list;
        const lb_place count = lb_place_at_key(place, "count");
        if (count.node) {
            lb_reader_fail_key(reader, &count, "a polynomial is one shape");
        }
        if (!lb_place_has_key(place, "motion")) {
            lb_reader_fail(reader, place, "no \"motion\" given, expected stretch, twist, y or z");
        }
        if (lb_read_sequence(reader, place, "polynomial", LB_REQUIRED, &list)) {
            const size_t length = lb_place_get_count(&list);
            double *numbers = lb_arena_take(&loader->scratch, length, sizeof *numbers);
            if (!numbers) {
                return LB_E_MEMORY;
            }
            shape->family = LB_SHAPE_POLYNOMIAL;
            if (lb_read_numbers_at(reader, &list, length, numbers)) {
                shape->coefficients = numbers;
                shape->coefficient_count = (int)length;
            }
        }
    }
    int motion = 0;
    if (lb_read_word(reader, place, "motion", LB_OPTIONAL, lb_motion_names, &motion)) {
        shape->motion = lb_motions[motion];
    }
    return LB_OK;
}

lb_status lb_load_shapes(lb_loader *loader, const lb_place *owner, const lb_modes_options *modes,
                         const lb_beam_shape **shapes, int *shape_count)
{
    lb_reader *reader = &loader->reader;
    const lb_place place = lb_place_at_key(owner, "shapes");
    const bool word = lb_place_get_kind(&place) == LB_DOC_STRING;
    const lb_place number = lb_place_at_key(owner, "modes");
    lb_place list;
    if (!word && !lb_read_sequence(reader, owner, "shapes", LB_REQUIRED, &list)) {
        return LB_OK;
    }
    const size_t count = word ? 1 : lb_place_get_count(&list);
    lb_beam_shape *read = lb_arena_take(&loader->scratch, count, sizeof *read);
    if (!read) {
        return LB_E_MEMORY;
    }
    if (word) {
        const char *names[LB_SHAPE_FAMILY_COUNT + 1];
        int index = 0;
        lb_get_family_names(names);
        if (!lb_read_word(reader, owner, "shapes", LB_REQUIRED, names, &index)) {
            return LB_OK;
        }
        if (!lb_is_number_at(reader, &number)) {
            lb_reader_fail(reader, &place, "no number of shapes given: say it by \"modes: N\"");
        }
        read[0] = (lb_beam_shape){.family = (lb_shape_family)index,
                                  .motion = lb_get_default_motion((lb_shape_family)index),
                                  .count = modes && modes->count > 0 ? modes->count : 1};
    } else if (number.node) {
        lb_reader_fail_key(reader, &number,
                           "\"modes\" is not for a list of shapes, which has its own counts");
    }
    if (!word && count == 0) {
        lb_reader_fail(reader, &place, "no shapes given, expected at least one");
        return LB_OK;
    }
    lb_status status = LB_OK;
    for (size_t i = 0; i < count && !word && status == LB_OK; ++i) {
        const lb_place entry = lb_place_at_index(&list, i);
        status = lb_load_shape_entry(loader, &entry, &read[i]);
    }
    *shapes = read;
    *shape_count = (int)count;
    return status;
}

// ---- damping -----------------------------------------------------------------------------------

static lb_status lb_load_damping_table(lb_loader *loader, const lb_place *damping,
                                       lb_damping_options *out)
{
    lb_place list;
    if (!lb_read_sequence(&loader->reader, damping, "table", LB_REQUIRED, &list)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&list);
    double(*rows)[2] = lb_arena_take(&loader->scratch, count, sizeof *rows);
    if (!rows) {
        return LB_E_MEMORY;
    }
    if (count == 0) {
        lb_reader_fail(&loader->reader, &list, "no rows given, expected [frequency, ratio]");
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place row = lb_place_at_index(&list, i);
        rows[i][0] = (double)i;
        rows[i][1] = 0.0;
        lb_read_numbers_at(&loader->reader, &row, 2, rows[i]);
    }
    out->table = (const double(*)[2])rows;
    out->table_count = (int)count;
    return LB_OK;
}

lb_status lb_load_damping(lb_loader *loader, const lb_place *owner, const lb_damping_options **out)
{
    lb_damping_options *damping = lb_arena_take(&loader->scratch, 1, sizeof *damping);
    if (!damping) {
        return LB_E_MEMORY;
    }
    *damping = lb_default_damping_options();
    *out = damping;
    static const char *const known[] = {"rayleigh", "table", NULL};
    lb_reader *reader = &loader->reader;
    const lb_place place = lb_place_at_key(owner, "damping");
    if (lb_is_number_at(reader, &place)) {
        lb_read_number_at(reader, &place, &damping->ratio);
        return LB_OK;
    }
    switch (lb_place_get_kind(&place)) {
    case LB_DOC_SEQUENCE: {
        const size_t count = lb_place_get_count(&place);
        double *ratios = lb_arena_take(&loader->scratch, count, sizeof *ratios);
        if (!ratios) {
            return LB_E_MEMORY;
        }
        if (count == 0) {
            lb_reader_fail(reader, &place, "no ratios given, expected one for each mode");
        } else if (lb_read_numbers_at(reader, &place, count, ratios)) {
            damping->ratios = ratios;
            damping->ratio_count = (int)count;
        }
        return LB_OK;
    }
    case LB_DOC_MAPPING:
        lb_read_mapping(reader, &place, known);
        if (lb_place_get_count(&place) != 1) {
            lb_reader_fail(reader, &place, "%zu keys given, expected rayleigh or table",
                           lb_place_get_count(&place));
            return LB_OK;
        }
        lb_read_numbers(reader, &place, "rayleigh", LB_OPTIONAL, 2, damping->rayleigh);
        return lb_place_has_key(&place, "table") ? lb_load_damping_table(loader, &place, damping)
                                                 : LB_OK;
    default:
        if (place.node) {
            lb_reader_fail_type(reader, &place, "a damping ratio, a list of them, or a mapping");
        }
        return LB_OK;
    }
}
