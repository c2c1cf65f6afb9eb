// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of linear models.
#ifndef LB_LINEAR_INTERNAL_H
#define LB_LINEAR_INTERNAL_H

#include "limber/linear.h"
#include "limber/results.h"
#include "simulate/sim.h"
#include "simulate/store.h"

/// An empty store over malloc and free.
lb_store lb_make_store(void);

/// `count` zeroed doubles of a store; NULL if memory is out.
double *lb_take_numbers(lb_store *store, size_t count);

// ---- point.c -----------------------------------------------------------------------------------

/// How a hinge is held: at rest or at a constant speed, or by a motion of the model.
enum { LB_HELD_STILL = 1, LB_HELD_MOVING };

/// A point of operation, and what may deviate from it.
typedef struct lb_operating_point {
    double t;
    double *q, *v, *a;
    unsigned char *held;           ///< per body: not 0 if its hinge does not deviate
    unsigned char *guided;         ///< a flag a body: its hinge deviates as an input says
    int count;                     ///< coordinates that deviate
    int *coordinates;              ///< entries of v
    char (*names)[LB_COLUMN_SIZE]; ///< per coordinate
    bool steady;                   ///< balanced, or moving at constant speeds
    double unbalance;              ///< largest acceleration of those that are not given
    int unbalanced;                ///< its coordinate, -1 if all are zero up to round-off
} lb_operating_point;

/// Finds the point of the options.
///
/// @param guided  a flag a body: hinges that inputs drive; NULL for none
lb_status lb_find_point(lb_simulation *sim, const lb_linear_options *options,
                        const unsigned char *guided, lb_store *store, lb_operating_point *point);

/// "arm.angle", "panel.eta.0", "base.q.3", "ball.turn.x": the deviation of an entry of v; "arm.rate"
/// and so on, its speed.
void lb_name_coordinate(const lb_model *model, int entry, bool speed, char name[LB_COLUMN_SIZE]);

// ---- tangent.c ---------------------------------------------------------------------------------

/// The linearised equations of motion of the tree, all coordinates deviating:
///
///     M da + C dv + K xi = forces of inputs,   d(xi)/dt = dv + N xi                     (LIN-1)
///
/// each v_count x v_count, row by row.
typedef struct lb_tangent {
    double *M, *C, *K, *N;
} lb_tangent;

lb_status lb_take_tangent(lb_store *store, int n, lb_tangent *tangent);

/// Fills it at a point.
lb_status lb_compute_tangent(lb_system *s, const lb_operating_point *point, lb_tangent *tangent);

/// The part of a matrix that belongs to the point's coordinates: count x count.
void lb_restrict(const lb_operating_point *point, int n, const double *whole, double *part);

// ---- spectrum.c --------------------------------------------------------------------------------

/// Eigenvalues of A = [N I; P R] with states (xi, dv), n each.
typedef struct lb_spectrum {
    int count; ///< 2 n
    double *real, *imaginary;
    double *right,
        *left;       ///< vectors as LAPACK has them: columns, pairs side by side; count x count
    int zero_count;  ///< the first so many are zero, exactly
    int rigid_count; ///< of these, independent shapes
    double *rigid;   ///< rigid_count rows of `count`: orthonormal vectors with A x = 0
} lb_spectrum;

/// Ascending by absolute value.                                                         (LIN-5)
///
/// @param A          2 n x 2 n
/// @param scale      n: roots of the diagonal of the mass matrix, by which coordinates are weighed
///                   where small is told from zero
/// @param with_left  left vectors as well
/// @return LB_OK, LB_E_MEMORY, or LB_E_NUMBER if the eigenvalues do not converge
lb_status lb_compute_spectrum(int n, const double *A, const double *scale, bool with_left,
                              lb_store *store, lb_spectrum *spectrum);

/// A stiffness below this share of the largest, by coordinates of unit inertia, is none.
double lb_get_zero_share(int n);

#endif // LB_LINEAR_INTERNAL_H
