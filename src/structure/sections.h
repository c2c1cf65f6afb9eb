// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sections, materials and shapes of beams by their names in model files, and what follows from a section.
#ifndef LB_SECTIONS_H
#define LB_SECTIONS_H

#include "limber/beams.h"

/// Name of a built-in material.
///
/// @return NULL if there is no such index: count from 0 up to it to list all
const char *lb_get_material_name(int index);

/// Name of a section type as in a model file, such as "tube".
const char *lb_get_section_type_name(lb_section_type type);

/// Name of a family of shapes as in a model file, such as "clamped-free-bar".
const char *lb_get_shape_family_name(lb_shape_family family);

/// Computes the properties of a section; the result has type LB_SECTION_GENERAL. Shear areas are
/// 5/6 of the area for a rectangle, Cowper's for a tube, the walls' areas for a box, and for an I
/// the area of the web along z and 5/6 of that of the flanges along y. A general section keeps its
/// own, zero if unknown. Does not allocate.
///
/// @param material    for Poisson's ratio
/// @param where       path of the section in reports
/// @param report      receives mistakes; NULL to drop them
/// @param properties  out; set `size` before
/// @return LB_OK; LB_E_MODEL for a mistake; LB_E_VERSION if a struct is from a newer version
///         (reported)
lb_status lb_compute_section(const lb_section *section, const lb_material *material,
                             const char *where, const lb_report *report, lb_section *properties);

/// Describes the finite-element model behind a body. Does not allocate.
///
/// @param summary  out; set `size` before
/// @return LB_OK, or LB_E_VERSION if `summary` is from a newer version
lb_status lb_get_flex_summary(const lb_flex_body *body, lb_flex_summary *summary);

#endif // LB_SECTIONS_H
