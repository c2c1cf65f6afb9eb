// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Parts that beams and frames share: sections and materials, by name or in line; modes; damping.
#ifndef LB_LOAD_SHARED_H
#define LB_LOAD_SHARED_H

#include "limber/beams.h"
#include "load.h"
#include "places.h"

/// Reads a material or section at a place: a mapping, or a name of the library or, for materials, of
/// the built-in table. What is wrong is reported; false if nothing came of it.
bool lb_load_material(lb_loader *loader, const lb_place *place, lb_material *material);
bool lb_load_section(lb_loader *loader, const lb_place *place, lb_section *section);

/// Reads `section` or `stations`, of which one must be there unless there is a default.
lb_status lb_load_sections(lb_loader *loader, const lb_place *owner, const lb_section *fallback,
                           const lb_section **section, const lb_station **stations,
                           int *station_count);

/// Reads `modes`: a number, or a mapping.
///
/// @param modes  out: never NULL after success
lb_status lb_load_modes(lb_loader *loader, const lb_place *owner, bool is_beam,
                        const lb_modes_options **modes);
/// Reads `shapes`: a family's name, whose number of shapes is that of `modes`, or a list.
lb_status lb_load_shapes(lb_loader *loader, const lb_place *owner, const lb_modes_options *modes,
                         const lb_beam_shape **shapes, int *shape_count);
/// Reads `damping`: a ratio, a list of them, or {rayleigh: [a, b]} or {table: [[f, ratio], ...]}.
///
/// @param damping  out: never NULL after success
lb_status lb_load_damping(lb_loader *loader, const lb_place *owner,
                          const lb_damping_options **damping);

/// Reads a number that must be positive; false if it is absent or wrong.
bool lb_load_positive(lb_loader *loader, const lb_place *owner, const char *key, lb_need need,
                      double *number);
/// Reads an integer from 1 on.
bool lb_load_count(lb_loader *loader, const lb_place *owner, const char *key, int *count);

/// Where in the document a body of beams is described.
typedef struct lb_beam_place {
    lb_loader *loader;
    const lb_place *place;
} lb_beam_place;

/// Receives what is reported about a body of beams, and hands it on with line and column.
///
/// @param user  lb_beam_place
void lb_emit_beam(void *user, const lb_diagnostic *diagnostic);

#endif // LB_LOAD_SHARED_H
