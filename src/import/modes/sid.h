// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A file of standard input data (SID) as it was read, before anything is made of it.
#ifndef LB_SID_H
#define LB_SID_H

#include "import/modal_body.h"

/// One line m0(i, j) or m1(i, j, k).
typedef struct lb_sid_entry {
    int i, j, k; ///< from 1; k is 0 in m0
    int line;
    double value;
} lb_sid_entry;

/// A matrix that depends linearly on the modal coordinates: m0 + sum_q m1_q eta_q.
typedef struct lb_sid_matrix {
    int line; ///< of its name; 0 if the file does not have it
    long order, nrow, ncol, nq, structure;
    int first, count; ///< its entries
    double grain;     ///< the last digit of its entries: the largest
    bool has_m1;      ///< an entry of m1 that is not zero
} lb_sid_matrix;

enum { LB_SID_ZERO, LB_SID_DIAGONAL, LB_SID_SYMMETRIC, LB_SID_FULL, LB_SID_UNIT };

typedef struct lb_sid_node {
    const char *name;
    int line;
    lb_sid_matrix origin, phi, psi, AP, sigma;
} lb_sid_node;

typedef struct lb_sid {
    const lb_import_file *file;
    int mode_count;
    double mass;
    double *frequencies; ///< Hz, as the names of the modes tell them; zero where they do not
    lb_sid_matrix mdCM, J, Ct, Cr, Me, Gr, Ge, Oe, ksigma, Ke, De;
    int node_count;
    lb_sid_node *nodes;
    int entry_count;
    lb_sid_entry *entries;
} lb_sid;

/// Reads a file. What it means is not looked at, but every matrix has the size that it must have.
lb_status lb_parse_sid(lb_import *import, const lb_import_file *file, lb_sid *sid);

enum { LB_SID_MODE_IN_MIDDLE, LB_SID_MODE_LAST };

/// What makes a body of it.
typedef struct lb_sid_maker {
    lb_import *import;
    const lb_sid *sid;
    int n;
    int mode_place;   ///< which index of m1 is the mode
    bool is_trial;    ///< it is only tried
    double asymmetry; ///< of matrices that are said to be symmetric, then
    int Oe_column[6]; ///< of xx yy zz xy xz yz
    double *E, *B0, *S, *B, *S2;
} lb_sid_maker;

/// m0 or m1 of a matrix, row by row; m1 mode by mode. Zeros of this size, or more, if the file has no such matrix
/// or says that it is zero.
lb_status lb_take_sid_matrix(lb_sid_maker *maker, const lb_sid_matrix *matrix, bool is_m1, int nrow,
                             int ncol, double **out);

static inline bool lb_has_sid_order_1(const lb_sid_matrix *matrix)
{
    return matrix->line > 0 && (matrix->order >= 1 || matrix->has_m1);
}

/// Nodes with their shapes.
lb_status lb_make_sid_nodes(lb_sid_maker *maker, lb_flex_options *flex);

#endif // LB_SID_H
