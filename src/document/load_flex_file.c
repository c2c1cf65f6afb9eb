// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `flex: {file: panel.flex, ...}` of a body: a structure that was imported.
#include <math.h>
#include <string.h>

#include "limber/import.h"
#include "load.h"
#include "values.h"

// {tip: 340}: names for nodes by their numbers in the files that were imported.
static lb_status load_nodes(lb_loader *loader, const lb_place *place, lb_flex_file_options *options)
{
    lb_reader *reader = &loader->reader;
    lb_place list;
    if (!lb_find_kind(reader, place, "nodes", LB_OPTIONAL, LB_DOC_MAPPING,
                      "a mapping from names to numbers of nodes", &list)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&list);
    lb_named_node *nodes = lb_arena_take(&loader->scratch, count, sizeof *nodes);
    if (!nodes) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place entry = lb_place_at_pair(&list, i);
        int id = 0;
        lb_read_integer_at(reader, &entry, &id);
        nodes[i] = (lb_named_node){entry.key, id};
    }
    options->nodes = nodes;
    options->node_count = (int)count;
    return LB_OK;
}

// [root moment, element 12 (type 34) force 1]: names of quantities; none for an empty list.
static lb_status load_recovery(lb_loader *loader, const lb_place *place,
                               lb_flex_file_options *options)
{
    lb_reader *reader = &loader->reader;
    lb_place list;
    if (!lb_find_kind(reader, place, "recovery", LB_OPTIONAL, LB_DOC_SEQUENCE,
                      "a list of names of recovered quantities", &list)) {
        return LB_OK;
    }
    return lb_read_strings(reader, &loader->scratch, &list, "the name of a recovered quantity",
                           &options->recovery, &options->recovery_count);
}

// {count: 10} or {below: 40}, Hz.
static void load_modes(lb_loader *loader, const lb_place *place, lb_flex_file_options *options)
{
    static const char *const known[] = {"count", "below", NULL};
    lb_reader *reader = &loader->reader;
    const lb_place modes = lb_place_at_key(place, "modes"),
                   count = lb_place_at_key(&modes, "count");
    if (!modes.node || !lb_read_mapping(reader, &modes, known)) {
        return;
    }
    if (count.node && lb_read_integer_at(reader, &count, &options->mode_count) &&
        options->mode_count < 1) {
        lb_reader_fail(reader, &count, "%d found, expected at least 1", options->mode_count);
    }
    const lb_place below = lb_place_at_key(&modes, "below");
    if (below.node && lb_read_number_at(reader, &below, &options->below) &&
        !(options->below > 0.0)) {
        lb_reader_fail(reader, &below, "%.15g found, expected a frequency above 0 (Hz)",
                       options->below);
    }
}

static void load_scale(lb_loader *loader, const lb_place *place, lb_flex_file_options *options)
{
    static const char *const known[] = {"frequency", "mass", NULL};
    lb_reader *reader = &loader->reader;
    const lb_place scale = lb_place_at_key(place, "scale");
    if (scale.node && lb_read_mapping(reader, &scale, known)) {
        lb_read_number(reader, &scale, "frequency", LB_OPTIONAL, &options->frequency_factor);
        lb_read_number(reader, &scale, "mass", LB_OPTIONAL, &options->mass_factor);
    }
}

static lb_status load_options(lb_loader *loader, const lb_place *place, lb_fidelity *fidelity,
                              lb_flex_file_options *options)
{
    static const char *const known[] = {"file",  "modes", "damping",  "fidelity", "nodes",
                                        "scale", "hash",  "recovery", NULL};
    lb_reader *reader = &loader->reader;
    if (!lb_read_mapping(reader, place, known)) {
        return LB_OK;
    }
    load_modes(loader, place, options);
    load_scale(loader, place, options);
    if (lb_place_has_key(place, "fidelity")) {
        lb_load_fidelity(loader, place, fidelity);
        options->fidelity = fidelity;
    }
    lb_read_string(reader, place, "hash", LB_OPTIONAL, &options->hash);
    lb_status status = load_nodes(loader, place, options);
    status = status == LB_OK ? load_recovery(loader, place, options) : status;
    if (status == LB_OK && lb_place_has_key(place, "damping")) {
        status = lb_load_damping(loader, place, &options->damping);
    }
    return status;
}

lb_status lb_load_flex_reference(lb_loader *loader, const lb_place *place, lb_flex_options *flex)
{
    lb_reader *reader = &loader->reader;
    lb_flex_file_options options = lb_default_flex_file_options();
    lb_fidelity fidelity = LB_FIDELITY_CONSISTENT;
    const int errors = reader->error_count;
    const lb_place file = lb_place_at_key(place, "file");
    const char *name = lb_place_get_string(&file);
    if (!name) {
        lb_reader_fail_type(reader, &file, "the name of a body file");
    }
    lb_status status = load_options(loader, place, &fidelity, &options);
    char path[LB_PATH_SIZE];
    if (status == LB_OK && name) {
        status = lb_find_named_file(reader, &file, name, sizeof path, path);
        status = status == LB_E_MEMORY ? status : LB_OK; // what is wrong is reported
    }
    if (status != LB_OK || reader->error_count > errors) {
        return status;
    }
    lb_beam_place at = {loader, place};
    const lb_report report = {lb_emit_beam, &at};
    status =
        lb_load_flex_file(path, &options, &loader->scratch.allocator, &report, &loader->flex_body);
    if (status == LB_OK) {
        *flex = *lb_get_flex_options(loader->flex_body);
    }
    return status == LB_E_MEMORY ? status : LB_OK;
}
