// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of a function that moves coordinates: what steps on the configuration manifold take.
#ifndef LB_WRITE_MOVE_H
#define LB_WRITE_MOVE_H

#include "export/freeze/page.h"
#include "limber/model.h"

/// Whether a model has quaternions.
bool lb_has_quaternions(const lb_model *model);

/// Writes NAME_move(d, q), which adds d to q as lb_integrate_configuration does. With quaternions it calls
/// NAME_rotation.
///
/// @param kind  in front of its type, such as "static"
/// @param real  the type of numbers
void lb_write_move(lb_page *page, const lb_model *model, const char *name, const char *kind,
                   const char *real);

/// Writes statements that give the quaternions of q unit length.
///
/// @param root  name of the square root
void lb_write_unit_quaternions(lb_page *page, const lb_model *model, const char *real,
                               const char *root);

#endif // LB_WRITE_MOVE_H
