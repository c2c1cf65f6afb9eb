// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of the search for an equilibrium.
#ifndef LB_TRIM_H
#define LB_TRIM_H

#include "limber/simulate.h"
#include "simulate/system/freedom.h"

/// Seeks the configuration nearest to q in which all forces balance at constant speeds.  (TRM-1)
///
/// @param held  a flag a body: its hinge is held, whatever that takes; NULL for none. Hinges that are
///              driven by motion are held as well
/// @param v     in and out: with loops, dependent speeds follow the others and the configuration
/// @param q     in and out; both stay if nothing is found
/// @return as lb_trim_simulation
lb_status lb_find_balance(lb_system *system, double t, double *v, const unsigned char *held,
                          double *q, lb_trim *trim);

/// Lets a simulation start from its equilibrium, as lb_trim_simulation finds it when it is started.
void lb_trim_at_start(lb_simulation *sim);

/// One search. Of the freedom there is one, which goes where r is looked at.
typedef struct lb_search {
    lb_system *s;
    lb_arena arena;
    lb_freedom freedom;
    double t;
    const unsigned char *holding; // hinges that are held besides, a flag a body; or NULL
    int *coordinates;             // entries of v that move
    double *q, *next;
    double *v, *v_next;          // constant but for dependent ones
    double *r, *r_next;          // m
    double *force;               // tau - c, all of it
    double *c, *xi;              // v_count
    double *J, *N, *y, *W;       // m x m, m
    int *pivot;                  // m
    double *K, *C, *M, *dq, *dv; // v_count x v_count
    double *S, *product;         // count x m
    double *T;                   // that of the freedom at q, likewise
    double *f, *velocity_dq;     // of loops: 6 a slot, and that x v_count
    double scale;                // largest force met
    double *floor;  // m: forces that rounding of coordinates leaves; 0 before J is known
    double *newton; // m
    double *favour; // of coordinates: see change_coordinates
    bool is_stuck;  // where it ended, no small move changes what is left
    lb_derivative_work *scratch;
} lb_search;

/// Memory for a search in a system.
lb_status lb_take_search(lb_search *x, lb_system *system);

/// The coordinates that nothing holds, from x->q and x->v.
lb_status lb_list_balanced(lb_search *x);

/// Speeds that the loops give, and r, at a configuration for which x->freedom was made. (TRM-1), (TRM-2)
lb_status lb_evaluate_balance(lb_search *x, const double *q, double *v, double *r);

/// J at x->q, of which x->force and x->freedom are. Leaves the mass matrix in x->M.
lb_status lb_differentiate_search(lb_search *x);

#endif // LB_TRIM_H
