// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Points, coordinate systems and sets in bulk data, after the quick reference guides of Nastran. Data fields:
//
//     GRID        ID CP X1 X2 X3 CD; GRDSET - CP - - - CD: what blank fields of GRID are
//     CORD2R/C/S  CID RID A1 A2 A3 B1 B2 B3 C1 C2 C3: origin, a point on the z axis, a point in the xz plane
//     CORD1R/C/S  CID G1 G2 G3, twice: the same three points as grids
//     SPOINT      ID1 ID2 ..., or ID1 THRU ID2
//     EXTRN       ID C, ID C ...: the rows of the matrices of an external superelement, in their order
//     ASET, BSET, CSET, QSET      ID C, ID C ...; so do BNDFIX (BSET), BNDFREE (CSET) and SUPORT
//     ASET1, BSET1, CSET1, QSET1  C ID1 ID2 ..., or C ID1 THRU ID2; so do BNDFIX1 and BNDFRE1
//     SEBULK, SECONCT             number of the superelement in field 1; BEGIN SUPER = number
//
// Entries of other names are passed over: the matrices hold what they say.
#include <stdlib.h>
#include <string.h>

#include "nastran.h"

typedef lb_status read_entry(lb_nastran *data, lb_card_reader *reader);

// ---- points ------------------------------------------------------------------------------------

static lb_status read_grid(lb_nastran *data, lb_card_reader *reader)
{
    const lb_card *card = &reader->card;
    lb_bulk_grid grid = {.position_system = LB_GRID_DEFAULT,
                         .displacement_system = LB_GRID_DEFAULT,
                         .file = reader->file,
                         .line = card->line};
    if (!lb_get_card_integer(reader, 0, 1, 0, &grid.id) ||
        (!lb_is_card_field_blank(card, 1) &&
         !lb_get_card_integer(reader, 1, 0, 0, &grid.position_system)) ||
        !lb_get_card_number(reader, 2, 0.0, &grid.x[0]) ||
        !lb_get_card_number(reader, 3, 0.0, &grid.x[1]) ||
        !lb_get_card_number(reader, 4, 0.0, &grid.x[2]) ||
        (!lb_is_card_field_blank(card, 5) &&
         !lb_get_card_integer(reader, 5, 0, 0, &grid.displacement_system))) {
        return reader->status;
    }
    return lb_append(&data->grids, &data->grid_count, &data->grid_capacity, sizeof grid, &grid);
}

static lb_status read_grid_defaults(lb_nastran *data, lb_card_reader *reader)
{
    int CP, CD;
    if (!lb_get_card_integer(reader, 1, 0, 0, &CP) || !lb_get_card_integer(reader, 5, 0, 0, &CD)) {
        return reader->status;
    }
    if (data->has_grid_defaults &&
        (CP != data->default_position_system || CD != data->default_displacement_system)) {
        return lb_import_fail(data->import, reader->file, reader->card.line,
                              "a second GRDSET entry that differs from the first: keep one");
    }
    data->has_grid_defaults = true;
    data->default_position_system = CP;
    data->default_displacement_system = CD;
    return LB_OK;
}

// ---- coordinate systems ------------------------------------------------------------------------

static lb_status add_system(lb_nastran *data, lb_card_reader *reader, lb_bulk_system system)
{
    const char letter = reader->card.name[5];
    system.kind = letter == 'R' ? LB_RECTANGULAR : letter == 'C' ? LB_CYLINDRICAL : LB_SPHERICAL;
    system.file = reader->file;
    system.line = reader->card.line;
    return lb_append(&data->systems, &data->system_count, &data->system_capacity, sizeof system,
                     &system);
}

static lb_status read_system_by_points(lb_nastran *data, lb_card_reader *reader)
{
    lb_bulk_system system = {.id = 0};
    if (!lb_get_card_integer(reader, 0, 1, 0, &system.id) ||
        !lb_get_card_integer(reader, 1, 0, 0, &system.reference)) {
        return reader->status;
    }
    for (size_t i = 0; i < 9; ++i) {
        if (!lb_get_card_number(reader, 2 + i, 0.0, &system.points[i / 3][i % 3])) {
            return reader->status;
        }
    }
    return add_system(data, reader, system);
}

static lb_status read_systems_by_grids(lb_nastran *data, lb_card_reader *reader)
{
    for (size_t first = 0; first < 8; first += 4) {
        lb_bulk_system system = {.is_by_grids = true};
        if (first > 0 && lb_is_card_field_blank(&reader->card, first)) {
            break;
        }
        if (!lb_get_card_integer(reader, first, 1, 0, &system.id)) {
            return reader->status;
        }
        for (size_t i = 0; i < 3; ++i) {
            if (!lb_get_card_integer(reader, first + 1 + i, 1, 0, &system.grids[i])) {
                return reader->status;
            }
        }
        const lb_status status = add_system(data, reader, system);
        if (status) {
            return status;
        }
    }
    return LB_OK;
}

// ---- sets --------------------------------------------------------------------------------------

// Adds a range, and to a second list that need not be there.
static lb_status add_range(lb_bulk_ranges *ranges, lb_bulk_ranges *also, lb_bulk_range range)
{
    const lb_status status =
        lb_append(&ranges->all, &ranges->count, &ranges->capacity, sizeof range, &range);
    return status || !also ? status : add_range(also, NULL, range);
}

// Numbers from a field on: ID1 ID2 ..., with THRU between two of them.
static lb_status read_ids(lb_card_reader *reader, size_t first, unsigned components,
                          lb_bulk_ranges *ranges, lb_bulk_ranges *also)
{
    const lb_card *card = &reader->card;
    for (size_t i = first; i < card->field_count; ++i) {
        int from, to;
        if (lb_is_card_field_blank(card, i)) {
            continue;
        }
        if (!lb_get_card_integer(reader, i, 1, 0, &from)) {
            return reader->status;
        }
        to = from;
        if (lb_span_is(lb_get_card_field(card, i + 1).text, "THRU")) {
            i += 2;
            if (!lb_get_card_integer(reader, i, 1, 0, &to)) {
                return reader->status;
            }
        }
        if (to < from) {
            return lb_import_fail(reader->import, reader->file, lb_get_card_field(card, i).line,
                                  "%s: %d THRU %d: the second number must not be smaller",
                                  card->name, from, to);
        }
        if (add_range(ranges, also, (lb_bulk_range){from, to, components})) {
            return LB_E_MEMORY;
        }
    }
    return LB_OK;
}

static lb_status read_scalar_points(lb_nastran *data, lb_card_reader *reader)
{
    return read_ids(reader, 0, 1, &data->scalar_points, NULL);
}

static lb_bulk_ranges *find_generalized(lb_nastran *data, const lb_card *card)
{
    return card->name[0] == 'Q' ? &data->generalized : NULL;
}

// One set of components for many points.
static lb_status read_set_of_points(lb_nastran *data, lb_card_reader *reader)
{
    unsigned components;
    if (!lb_get_card_components(reader, 0, &components)) {
        return reader->status;
    }
    return read_ids(reader, 1, components, &data->analysis, find_generalized(data, &reader->card));
}

static lb_status read_set_of_pairs(lb_nastran *data, lb_card_reader *reader)
{
    const lb_card *card = &reader->card;
    lb_bulk_ranges *generalized = find_generalized(data, card);
    for (size_t i = 0; i < card->field_count; i += 2) {
        int id;
        unsigned components;
        if (lb_is_card_field_blank(card, i) && lb_is_card_field_blank(card, i + 1)) {
            continue;
        }
        if (!lb_get_card_integer(reader, i, 1, 0, &id) ||
            !lb_get_card_components(reader, i + 1, &components)) {
            return reader->status;
        }
        if (add_range(&data->analysis, generalized, (lb_bulk_range){id, id, components})) {
            return LB_E_MEMORY;
        }
    }
    return LB_OK;
}

static lb_status read_external_rows(lb_nastran *data, lb_card_reader *reader)
{
    const lb_card *card = &reader->card;
    for (size_t i = 0; i < card->field_count; i += 2) {
        lb_bulk_row row = {.file = reader->file, .line = lb_get_card_field(card, i).line};
        unsigned components;
        if (lb_is_card_field_blank(card, i) && lb_is_card_field_blank(card, i + 1)) {
            continue;
        }
        if (!lb_get_card_integer(reader, i, 1, 0, &row.id) ||
            !lb_get_card_components(reader, i + 1, &components)) {
            return reader->status;
        }
        for (; row.component <= 6; ++row.component) {
            if (components & 1u << row.component &&
                lb_append(&data->rows, &data->row_count, &data->row_capacity, sizeof row, &row)) {
                return LB_E_MEMORY;
            }
        }
    }
    return LB_OK;
}

static int compare_ranges(const void *a, const void *b)
{
    const lb_bulk_range *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

void lb_merge_bulk_ranges(lb_bulk_ranges *ranges)
{
    if (ranges->count == 0) {
        return;
    }
    qsort(ranges->all, ranges->count, sizeof *ranges->all, compare_ranges);
    size_t last = 0;
    for (size_t i = 1; i < ranges->count; ++i) {
        lb_bulk_range *joined = &ranges->all[last];
        if (ranges->all[i].from <= joined->to + 1) {
            joined->to = ranges->all[i].to > joined->to ? ranges->all[i].to : joined->to;
        } else {
            ranges->all[++last] = ranges->all[i];
        }
    }
    ranges->count = last + 1;
}

// The first of ascending numbers that is not smaller; `stride` bytes are between them.
static size_t find_place(const int *ids, size_t stride, size_t count, long id)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ids[middle * (stride / sizeof *ids)] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool lb_has_bulk_point(const lb_bulk_ranges *ranges, int id)
{
    const size_t at =
        ranges->count ? find_place(&ranges->all->to, sizeof *ranges->all, ranges->count, id) : 0;
    return at < ranges->count && ranges->all[at].from <= id;
}

const unsigned *lb_find_range_components(lb_import *import, const lb_bulk_ranges *ranges,
                                         const int *ids, size_t count)
{
    // how many ranges start at a point, less how many end there, for each component
    int(*change)[7];
    unsigned *components;
    if (!LB_IMPORT_TAKE(import, change, count + 1) || !LB_IMPORT_TAKE(import, components, count)) {
        return NULL;
    }
    for (size_t i = 0; i < ranges->count; ++i) {
        const lb_bulk_range *range = &ranges->all[i];
        const size_t from = find_place(ids, sizeof *ids, count, range->from);
        const size_t to = find_place(ids, sizeof *ids, count, range->to + 1L);
        for (int k = 0; k < 7; ++k) {
            const int has = (int)(range->components >> k & 1u);
            change[from][k] += has;
            change[to][k] -= has;
        }
    }
    int depth[7] = {0};
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 7; ++k) {
            depth[k] += change[i][k];
            components[i] |= (unsigned)(depth[k] > 0) << k;
        }
    }
    return components;
}

// ---- superelements -----------------------------------------------------------------------------

static lb_status set_superelement(lb_nastran *data, lb_card_reader *reader, int id)
{
    if (id == 0) {
        return LB_OK; // the residual structure
    }
    if (data->superelement && data->superelement != id) {
        return lb_import_fail(data->import, reader->file, reader->card.line,
                              "superelement %d here, and superelement %d in %s: import them one by "
                              "one, each with its own files",
                              id, data->superelement, data->superelement_file->path);
    }
    data->superelement = id;
    data->superelement_file = reader->file;
    return LB_OK;
}

static lb_status read_superelement(lb_nastran *data, lb_card_reader *reader)
{
    int id;
    if (!lb_get_card_integer(reader, 0, 0, -1, &id)) {
        return reader->status;
    }
    return set_superelement(data, reader, id);
}

// BEGIN SUPER = 101, BEGIN BULK SUPER 101, BEGIN BULK
static lb_status read_begin(lb_nastran *data, lb_card_reader *reader)
{
    lb_span rest = reader->card.whole, word;
    while (lb_next_field(&rest, " =\t", &word)) {
        if (!lb_span_is(word, "SUPER")) {
            continue;
        }
        long id;
        while (lb_next_field(&rest, " =\t", &word)) {
            if (lb_get_integer(word, &id) && id >= 0 && id <= LB_NASTRAN_LARGEST_ID) {
                return set_superelement(data, reader, (int)id);
            }
        }
        return lb_import_fail(data->import, reader->file, reader->card.line,
                              "BEGIN SUPER: the number of the superelement expected");
    }
    return LB_OK;
}

static lb_status refuse_include(lb_nastran *data, lb_card_reader *reader)
{
    return lb_import_fail(data->import, reader->file, reader->card.line,
                          "INCLUDE is not followed: give that file as well, and take this line "
                          "out, or paste the file here");
}

static lb_status refuse_replication(lb_nastran *data, lb_card_reader *reader)
{
    return lb_import_fail(data->import, reader->file, reader->card.line,
                          "lines with = repeat the entry before them, which is not supported: let "
                          "Nastran write the entries out (ECHO=PUNCH)");
}

static lb_status note_resequencing(lb_nastran *data, lb_card_reader *reader)
{
    data->resequenced = reader->file;
    return LB_OK;
}

// ---- all entries -------------------------------------------------------------------------------

static const struct {
    const char *name;
    read_entry *read;
} entries[] = {
    {"GRID", read_grid},
    {"GRDSET", read_grid_defaults},
    {"CORD2R", read_system_by_points},
    {"CORD2C", read_system_by_points},
    {"CORD2S", read_system_by_points},
    {"CORD1R", read_systems_by_grids},
    {"CORD1C", read_systems_by_grids},
    {"CORD1S", read_systems_by_grids},
    {"SPOINT", read_scalar_points},
    {"ASET", read_set_of_pairs},
    {"BSET", read_set_of_pairs},
    {"CSET", read_set_of_pairs},
    {"QSET", read_set_of_pairs},
    {"ASET1", read_set_of_points},
    {"BSET1", read_set_of_points},
    {"CSET1", read_set_of_points},
    {"QSET1", read_set_of_points},
    {"BNDFIX", read_set_of_pairs},
    {"BNDFREE", read_set_of_pairs},
    {"SUPORT", read_set_of_pairs},
    {"BNDFIX1", read_set_of_points},
    {"BNDFRE1", read_set_of_points},
    {"EXTRN", read_external_rows},
    {"SEBULK", read_superelement},
    {"SECONCT", read_superelement},
    {"SEQGP", note_resequencing},
    {"DMIG", lb_read_dmig},
    {"DTI", lb_read_row_labels},
};

static read_entry *find_entry(const char *name)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; ++i) {
        if (strcmp(name, entries[i].name) == 0) {
            return entries[i].read;
        }
    }
    return NULL;
}

lb_status lb_read_bulk_data(lb_nastran *data, const lb_import_file *file)
{
    lb_status status = LB_OK;
    read_entry *read = NULL; // of the last entry
    lb_card_reader reader = lb_start_cards(data->import, file);
    data->bulk_file = file;
    while (!status && lb_next_card(&reader)) {
        const lb_span line = reader.card.whole;
        // words that are longer than a field, or alone on their line
        if (lb_span_starts(line, "ENDDATA")) {
            break;
        }
        if (lb_span_starts(line, "BEGIN")) {
            status = read_begin(data, &reader);
        } else if (lb_span_starts(line, "INCLUDE")) {
            status = refuse_include(data, &reader);
        } else if (!lb_span_starts(line, "=")) {
            read = find_entry(reader.card.name);
            status = read ? read(data, &reader) : LB_OK;
        } else if (read) {
            status = refuse_replication(data, &reader);
        }
    }
    status = status ? status : reader.status;
    lb_free_cards(&reader);
    return status;
}
