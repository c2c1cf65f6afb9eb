// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Beams for tests: bodies of them, models of one body, and what can be asked of both.
#ifndef LB_TEST_BEAMS_H
#define LB_TEST_BEAMS_H

#include "check.h"
#include "limber/beams.h"

/// The beam of the tables of frequencies: 1 m, square of 0.1 m, E = 210 GPa, nu = 0.3, rho = 7850.
lb_beam_options lb_make_square_beam(void);

/// Creates a body and ends the test, saying why, if that fails.
lb_flex_body *lb_make_beam(const lb_beam_options *options);
lb_flex_body *lb_make_frame(const lb_frame_options *options);

/// Frequency of mode r, rad/s, of orthonormal modes.
double lb_get_frequency(const lb_flex_body *body, int r);

/// A node of the body, by name; ends the test if there is none.
lb_flex_summary lb_summarize_body(const lb_flex_body *body);
const lb_flex_node *lb_get_flex_node(const lb_flex_body *body, const char *name);

/// A model of this body alone, on a hinge to the ground; the body is destroyed.
lb_model *lb_make_beam_model(lb_flex_body *body, lb_hinge_type hinge, const double axis[3]);

/// Frequencies (rad/s, rising) of a model's modes while the last coordinates of v, its hinge or
/// hinges, are driven at given speeds: linearised about an undeformed state, by differences of the
/// bias.
///
/// @param speeds  v_count - mode_count numbers, the last ones of v
/// @param count   how many are wanted
void lb_find_spinning(const lb_model *model, int mode_count, const double *speeds, int count,
                      double *omega);

#endif // LB_TEST_BEAMS_H
