// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The directions in which the elements of an input file act:
//
//   *ELEMENT, TYPE=type     number, nodes ...; goes on in the next line if it ends with a comma
//
// From the list of elements in the manual of Abaqus: those whose nodes have translations, rotations or both.
#include "matrices.h"

// Directions of the nodes of an element, one bit each; 0 if the type is not in the list.
static unsigned get_directions(lb_span type)
{
    static const struct {
        unsigned directions;
        const char *const types[24];
    } kinds[] = {
        // three translations
        {7, {"C3D4",   "C3D5",   "C3D6",   "C3D8",  "C3D8R", "C3D8I",  "C3D8S", "C3D10",
             "C3D10R", "C3D10M", "C3D10I", "C3D15", "C3D20", "C3D20R", "C3D27", "C3D27R",
             "SC6R",   "SC8R",   "T3D2",   "T3D3",  "MASS",  NULL}},
        {7, {"M3D3", "M3D4", "M3D4R", "M3D6", "M3D8", "M3D8R", "M3D9", "M3D9R", NULL}},
        // three rotations
        {56, {"ROTARYI", NULL}},
        // all six
        {63, {"S3", "S3R", "S3RS", "S4", "S4R", "S4RS", "S8R", "STRI3", "B31", "B32", "B33", NULL}},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        if (lb_is_one_of(type, kinds[i].types)) {
            return kinds[i].directions;
        }
    }
    return 0;
}

static lb_status add_element_line(lb_import *import, const lb_structure *structure,
                                  const lb_import_file *file, const lb_deck_cursor *at,
                                  bool is_first, unsigned mask, unsigned char *directions)
{
    lb_span rest = at->lines.line, field;
    for (int i = 0; lb_next_field(&rest, ",", &field); ++i) {
        long id;
        if ((is_first && i == 0) || field.length == 0) {
            continue; // number of the element
        }
        const int node = lb_get_integer(field, &id) ? lb_find_grid(import, structure, id) : -1;
        if (node < 0) {
            return lb_import_fail(import, file, at->line, "there is no node '%s'",
                                  lb_make_excerpt(field).text);
        }
        directions[node] |= (unsigned char)mask;
    }
    return LB_OK;
}

lb_status lb_find_deck_directions(lb_import *import, const lb_structure *structure,
                                  unsigned char *directions)
{
    lb_status status = lb_index_grids(import, structure);
    for (int i = 0; i < import->file_count && !status; ++i) {
        const lb_import_file *file = &import->files[i];
        if (!lb_is_deck(file)) {
            continue;
        }
        unsigned mask = 0;
        bool is_first = true;
        lb_deck_cursor at = {.lines = lb_start_lines(file)};
        while (!status && lb_next_deck_line(&at)) {
            if (!at.is_keyword) {
                if (mask) {
                    status =
                        add_element_line(import, structure, file, &at, is_first, mask, directions);
                }
                is_first = !lb_ends_in_comma(at.lines.line);
                continue;
            }
            mask = 0;
            is_first = true;
            if (lb_is_same_word(at.keyword, "ELEMENT")) {
                const lb_span *type = lb_find_deck_parameter(&at, "TYPE");
                mask = type ? get_directions(*type) : 0;
                if (!mask) {
                    status = lb_import_fail(
                        import, file, at.line,
                        "the directions of elements of type '%s' are not known here: write the "
                        "matrices with FORMAT=MATRIX INPUT, which names them",
                        lb_make_excerpt(type ? *type : (lb_span){"", 0}).text);
                }
            }
        }
    }
    return status;
}
