// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of operators with vectors, one sweep each.
#include "base/symmetric.h"
#include "blocks.h"
#include "model/numbers.h"
#include "op_parts.h"

// ---- block-diagonal operators ------------------------------------------------------------------

// Where the blocks of an operator are, and their shape.
typedef struct shape {
    const double *block;
    int rows, columns;
    int at_row, at_column;
} shape;

static shape get_block(const lb_op_body *o, lb_op op)
{
    switch (op) {
    case LB_OP_H:
        return (shape){o->H, o->n, o->N, o->at_hinge, o->at};
    case LB_OP_D:
        return (shape){o->D, o->n, o->n, o->at_hinge, o->at_hinge};
    case LB_OP_G:
        return (shape){o->G, o->N, o->n, o->at, o->at_hinge};
    case LB_OP_M:
        return (shape){o->M, o->N, o->N, o->at, o->at};
    case LB_OP_P:
        return (shape){o->P, o->N, o->N, o->at, o->at};
    case LB_OP_TAU_BAR:
        return (shape){o->tau_bar, o->N, o->N, o->at, o->at};
    case LB_OP_UPSILON:
        return (shape){o->Upsilon, o->N, o->N, o->at, o->at};
    default:
        return (shape){o->R, o->N, o->N, o->at, o->at};
    }
}

static void apply_diagonal(const lb_op_work *w, lb_op op, int transposed, const double *x,
                           double *y)
{
    for (int k = 0; k < w->body_count; ++k) {
        const shape s = get_block(&w->bodies[k], op);
        if (transposed) {
            memset(y + s.at_column, 0, (size_t)s.columns * sizeof(double));
            lb_add_transposed_image(s.rows, s.columns, 1.0, s.block, x + s.at_row, y + s.at_column);
        } else {
            memset(y + s.at_row, 0, (size_t)s.rows * sizeof(double));
            lb_op_add_product(s.rows, s.columns, s.block, s.columns, x + s.at_column, y + s.at_row);
        }
    }
}

static void apply_D_inverse(const lb_op_work *w, const double *x, double *y)
{
    for (int k = 0; k < w->body_count; ++k) {
        const lb_op_body *o = &w->bodies[k];
        memcpy(y + o->at_hinge, x + o->at_hinge, (size_t)o->n * sizeof(double));
        lb_solve_ldl(o->n, o->D_factor, o->n, y + o->at_hinge);
    }
}

// ---- operators that follow the tree ------------------------------------------------------------

// E_Phi, E_Psi and K hand something of body k to its parent: Phi(p,k) L(k) x(k), with L the last
// six rows of I, of tau_bar or of G. The rest of Phi(p,k) is zero.
typedef struct junction {
    const lb_op_body *p; // NULL at a root, which hands nothing on
    const double *Phi;   // N(p) x 6
    const double *L;     // 6 x columns, NULL for [0, I]
    int columns;
    int at; // of the entry of k that L meets
} junction;

static junction get_junction(const lb_op_work *w, int k, lb_op op)
{
    const lb_op_body *o = &w->bodies[k], *p = o->parent < 0 ? NULL : &w->bodies[o->parent];
    const int m = o->N - 6;
    switch (op) {
    case LB_OP_K:
        return (junction){p, o->Phi, o->G + m * o->n, o->n, o->at_hinge};
    case LB_OP_E_PSI:
    case LB_OP_PSI:
        return (junction){p, o->Phi, o->tau_bar + m * o->N, o->N, o->at};
    default:
        return (junction){p, o->Phi, NULL, 6, o->at + m};
    }
}

// y(p) += Phi(p,k) L(k) x(k)
static void hand_inwards(const lb_op_work *w, int k, lb_op op, const double *x, double *y)
{
    const junction l = get_junction(w, k, op);
    double six[6] = {0};
    if (!l.p) {
        return;
    }
    if (l.L) {
        lb_op_add_product(6, l.columns, l.L, l.columns, x + l.at, six);
    } else {
        memcpy(six, x + l.at, sizeof six);
    }
    lb_op_add_product(l.p->N, 6, l.Phi, 6, six, y + l.p->at);
}

// y(k) += L*(k) Phi*(p,k) x(p)
static void hand_outwards(const lb_op_work *w, int k, lb_op op, const double *x, double *y)
{
    const junction l = get_junction(w, k, op);
    double six[6] = {0};
    if (!l.p) {
        return;
    }
    lb_add_transposed_image(l.p->N, 6, 1.0, l.Phi, x + l.p->at, six);
    if (l.L) {
        lb_add_transposed_image(6, l.columns, 1.0, l.L, six, y + l.at);
    } else {
        for (int i = 0; i < 6; ++i) {
            y[l.at + i] += six[i];
        }
    }
}

// E_Phi x, E_Psi x, K x: one step towards the base                          (OPR-3), (OPR-11)
// and E_Phi* x, E_Psi* x, K* x: one step towards the tips
static void apply_step(const lb_op_work *w, lb_op op, int transposed, const double *x, double *y)
{
    memset(y, 0,
           (size_t)w->sizes[transposed && op == LB_OP_K ? LB_OP_SPACE_HINGE : LB_OP_SPACE_BODY] *
               sizeof(double));
    for (int k = 0; k < w->body_count; ++k) {
        if (transposed) {
            hand_outwards(w, k, op, x, y);
        } else {
            hand_inwards(w, k, op, x, y);
        }
    }
}

// Phi x and Psi x                                                           (OPR-4), (OPR-11)
//
//     y = x + E y:    y(p) = x(p) + sum over children k of  Phi(p,k) y(k)     tip to base
//     y = x + E* y:   y(k) = x(k) + Phi*(p,k) y(p)                            base to tip
//
// and with Psi(p,k) in place of Phi(p,k).
static void apply_sweep(const lb_op_work *w, lb_op op, int transposed, const double *x, double *y)
{
    memcpy(y, x, (size_t)w->sizes[LB_OP_SPACE_BODY] * sizeof(double));
    if (transposed) {
        for (int k = 0; k < w->body_count; ++k) {
            hand_outwards(w, k, op, y, y);
        }
    } else {
        for (int k = w->body_count - 1; k >= 0; --k) {
            hand_inwards(w, k, op, y, y);
        }
    }
}

// Phi^-1 = I - E_Phi, Psi^-1 = I - E_Psi
static void apply_sweep_inverse(const lb_op_work *w, lb_op op, int transposed, const double *x,
                                double *y)
{
    apply_step(w, op == LB_OP_PHI ? LB_OP_E_PHI : LB_OP_E_PSI, transposed, x, y);
    for (int i = 0; i < w->sizes[LB_OP_SPACE_BODY]; ++i) {
        y[i] = x[i] - y[i];
    }
}

// Omega = Psi* H* D^-1 H Psi                                                          (OPR-16)
static void apply_Omega(const lb_op_work *w, const double *x, double *y)
{
    double *body = w->vectors[0], *hinge = w->vectors[1];
    apply_sweep(w, LB_OP_PSI, 0, x, body);
    apply_diagonal(w, LB_OP_H, 0, body, y); // y is long enough for the hinge space
    apply_D_inverse(w, y, hinge);
    apply_diagonal(w, LB_OP_H, 1, hinge, body);
    apply_sweep(w, LB_OP_PSI, 1, body, y);
}

// ---- nodes, loops, centres of mass ---------------------------------------------------------------

// B x, forces at nodes as forces on bodies, and B* x, velocities of nodes                (OPR-22)
static void apply_B(const lb_op_work *w, int transposed, const double *x, double *y)
{
    memset(y, 0, (size_t)w->sizes[transposed ? LB_OP_SPACE_NODE : LB_OP_SPACE_BODY] * sizeof *y);
    for (int i = 0; i < w->pick_count; ++i) {
        const lb_op_pick *pick = &w->picks[i];
        const lb_op_body *o = pick->k < 0 ? NULL : &w->bodies[pick->k];
        if (o && transposed) {
            lb_op_add_product(6, o->N, pick->block, o->N, x + o->at, y + (ptrdiff_t)6 * i);
        } else if (o) {
            lb_add_transposed_image(6, o->N, 1.0, pick->block, x + (ptrdiff_t)6 * i, y + o->at);
        }
    }
}

// J = B* Phi* H*                                                                        (OPR-23)
static void apply_J(const lb_op_work *w, int transposed, const double *x, double *y)
{
    double *one = w->vectors[0], *two = w->vectors[1];
    if (transposed) {
        apply_B(w, 0, x, one);
        apply_sweep(w, LB_OP_PHI, 0, one, two);
        apply_diagonal(w, LB_OP_H, 0, two, y);
    } else {
        apply_diagonal(w, LB_OP_H, 1, x, one);
        apply_sweep(w, LB_OP_PHI, 1, one, two);
        apply_B(w, 1, two, y);
    }
}

// Lambda = B* Omega B                                                                   (OPR-24)
static void apply_Lambda(const lb_op_work *w, const double *x, double *y)
{
    double *one = w->vectors[2], *two = w->vectors[3];
    apply_B(w, 0, x, one);
    apply_Omega(w, one, two);
    apply_B(w, 1, two, y);
}

// A x: what parts at loops, and A* x: forces of loops at their nodes                    (OPR-25)
static void apply_A(const lb_op_work *w, int transposed, const double *x, double *y)
{
    memset(y, 0, (size_t)w->sizes[transposed ? LB_OP_SPACE_NODE : LB_OP_SPACE_LOOP] * sizeof *y);
    for (int i = 0; i < w->closure_count; ++i) {
        const lb_op_closure *c = &w->closures[i];
        const ptrdiff_t node = (ptrdiff_t)12 * i;
        if (transposed) {
            lb_add_transposed_image(c->row_count, 12, 1.0, c->rows[0], x + c->at, y + node);
        } else {
            lb_add_image(c->row_count, 12, 1.0, c->rows[0], x + node, y + c->at);
        }
    }
}

// To the centres of mass                                                                (OPR-26)
//
//     S(k) = [ I   0   0 ]       s~ and p by the linear rows of M(k), over the mass;
//            [ 0   I   0 ]       a body without mass stays where it is
//            [ p  -s~  I ]
static void apply_S(const lb_op_work *w, int how, const double *x, double *y)
{
    const double sign = how & LB_OP_INVERTED ? -1.0 : 1.0;
    memcpy(y, x, (size_t)w->sizes[LB_OP_SPACE_BODY] * sizeof *y);
    for (int k = 0; k < w->body_count; ++k) {
        const lb_op_body *o = &w->bodies[k];
        const int m = o->N - 3; // modes and the angular part
        const double mass = o->M[m * o->N + m];
        for (int i = 0; i < 3 && mass > 0.0; ++i) {
            const double *row = o->M + (m + i) * o->N;
            const int linear = o->at + m + i;
            if (how & LB_OP_TRANSPOSED) {
                lb_add_scaled(m, sign / mass * x[linear], row, y + o->at);
            } else {
                y[linear] += sign / mass * lb_compute_dot(m, row, x + o->at);
            }
        }
    }
}

// ---- influence -----------------------------------------------------------------------------------

static void apply_influence(const lb_op_work *w, lb_op op, int how, const double *x, double *y)
{
    const int transposed = how & LB_OP_TRANSPOSED;
    const bool sums = op == LB_OP_PSI_A && !(how & LB_OP_INVERTED);
    const lb_influence kind = transposed
                                  ? (sums ? LB_INFLUENCE_BACKWARD_SUM : LB_INFLUENCE_BACKWARD)
                                  : (sums ? LB_INFLUENCE_FORWARD_SUM : LB_INFLUENCE_FORWARD);
    lb_apply_influence(w->model, w->block_size, w->blocks, kind, x, y);
    for (int i = 0; how & LB_OP_INVERTED && i < w->sizes[LB_OP_SPACE_BLOCK]; ++i) {
        y[i] = x[i] - y[i]; // Psi_A^-1 = I - Phi_A
    }
}

// ---- vectors and roots ---------------------------------------------------------------------------

static const double *get_vector(const lb_op_work *w, lb_op op)
{
    switch (op) {
    case LB_OP_BETA:
        return w->beta;
    case LB_OP_T:
        return w->T;
    case LB_OP_A_M:
        return w->a_m;
    case LB_OP_B_M:
        return w->b_m;
    default:
        return w->nu;
    }
}

// A vector as a matrix of one column.
static void apply_vector(const lb_op_work *w, lb_op op, int transposed, const double *x, double *y)
{
    const double *vector = get_vector(w, op);
    const int count = w->sizes[lb_op_get_rows((int)op, LB_OP_PLAIN)];
    if (transposed) {
        y[0] = lb_compute_dot(count, vector, x);
    } else {
        memset(y, 0, (size_t)count * sizeof *y);
        lb_add_scaled(count, x[0], vector, y);
    }
}

static lb_status form_roots(lb_op_work *w)
{
    for (int k = 0; k < w->body_count && !(w->has & LB_OP_HAS_ROOTS); ++k) {
        const lb_op_body *o = &w->bodies[k];
        memcpy(w->block, o->D, (size_t)(o->n * o->n) * sizeof(double));
        if (!lb_form_root(o->n, w->block, w->other_block, o->D_root)) {
            return LB_E_SINGULAR;
        }
    }
    w->has |= LB_OP_HAS_ROOTS;
    return LB_OK;
}

// D^1/2 x, and D^-1/2 x = D^-1 D^1/2 x
static lb_status apply_root(lb_op_work *w, int inverted, const double *x, double *y)
{
    const lb_status status = form_roots(w);
    double *half = inverted ? w->vectors[0] : y;
    memset(half, 0, (size_t)w->sizes[LB_OP_SPACE_HINGE] * sizeof *half);
    for (int k = 0; k < w->body_count && status >= 0; ++k) {
        const lb_op_body *o = &w->bodies[k];
        lb_op_add_product(o->n, o->n, o->D_root, o->n, x + o->at_hinge, half + o->at_hinge);
    }
    if (inverted && status >= 0) {
        apply_D_inverse(w, half, y);
    }
    return status;
}

// ---- the whole table ---------------------------------------------------------------------------

// What of the blocks an operator needs.
static unsigned get_need(lb_op op)
{
    switch (op) {
    case LB_OP_E_PHI:
    case LB_OP_PHI:
    case LB_OP_H:
    case LB_OP_M:
    case LB_OP_R:
    case LB_OP_B:
    case LB_OP_J:
    case LB_OP_A:
    case LB_OP_S:
    case LB_OP_PHI_A:
    case LB_OP_PSI_A:
        return LB_OP_HAS_PLAIN;
    case LB_OP_BETA:
    case LB_OP_T:
    case LB_OP_A_M:
    case LB_OP_B_M:
        return LB_OP_HAS_PLAIN | LB_OP_HAS_MOTION;
    case LB_OP_NU:
        return LB_OP_HAS_ARTICULATED | LB_OP_HAS_MOTION;
    default:
        return LB_OP_HAS_ARTICULATED;
    }
}

// Whether nodes, loops or blocks that an operator needs are set.
static bool is_set(const lb_op_work *w, lb_op op)
{
    const int space = lb_op_get_rows((int)op, LB_OP_PLAIN);
    const bool on_nodes = op == LB_OP_B || space == LB_OP_SPACE_NODE;
    return (!on_nodes || w->pick_count > 0) && (op != LB_OP_A || w->closure_count > 0) &&
           (space != LB_OP_SPACE_BLOCK || w->blocks);
}

lb_status lb_op_apply(const lb_model *model, lb_op_work *operators, lb_op op, int how,
                      const double *x, double *y)
{
    (void)model;
    const int transposed = how & LB_OP_TRANSPOSED, inverted = how & LB_OP_INVERTED;
    if ((unsigned)op >= LB_OP_COUNT ||
        how & ~(LB_OP_TRANSPOSED | LB_OP_INVERTED | LB_OP_SQUARE_ROOT)) {
        return LB_E_ARGUMENT;
    }
    if ((inverted && !lb_op_has_inverse((int)op)) || (how & LB_OP_SQUARE_ROOT && op != LB_OP_D)) {
        return LB_E_UNSUPPORTED;
    }
    const unsigned missing = get_need(op) & ~operators->has;
    if (missing || !is_set(operators, op)) {
        return operators->has && missing == LB_OP_HAS_ARTICULATED ? LB_E_SINGULAR : LB_E_STAGE;
    }
    if (!lb_are_finite(lb_op_get_length(operators, lb_op_get_columns((int)op, how)), x)) {
        return LB_E_NUMBER;
    }
    switch (op) {
    case LB_OP_E_PHI:
    case LB_OP_E_PSI:
    case LB_OP_K:
        apply_step(operators, op, transposed, x, y);
        break;
    case LB_OP_PHI:
    case LB_OP_PSI:
        (inverted ? apply_sweep_inverse : apply_sweep)(operators, op, transposed, x, y);
        break;
    case LB_OP_OMEGA:
        apply_Omega(operators, x, y);
        break;
    case LB_OP_B:
        apply_B(operators, transposed, x, y);
        break;
    case LB_OP_J:
        apply_J(operators, transposed, x, y);
        break;
    case LB_OP_LAMBDA:
        apply_Lambda(operators, x, y);
        break;
    case LB_OP_A:
        apply_A(operators, transposed, x, y);
        break;
    case LB_OP_S:
        apply_S(operators, how, x, y);
        break;
    case LB_OP_PHI_A:
    case LB_OP_PSI_A:
        apply_influence(operators, op, how, x, y);
        break;
    case LB_OP_BETA:
    case LB_OP_T:
    case LB_OP_A_M:
    case LB_OP_B_M:
    case LB_OP_NU:
        apply_vector(operators, op, transposed, x, y);
        break;
    default:
        if (how & LB_OP_SQUARE_ROOT) {
            return apply_root(operators, inverted, x, y);
        }
        if (inverted) {
            apply_D_inverse(operators, x, y);
        } else {
            apply_diagonal(operators, op, transposed, x, y);
        }
    }
    return LB_OK;
}

// ---- formed ------------------------------------------------------------------------------------

lb_status lb_op_form_by_columns(lb_op_work *operators, int rows, int columns,
                                lb_op_product *product, void *user, double *A)
{
    double *unit = operators->vectors[4], *column = operators->vectors[5];
    memset(unit, 0, (size_t)columns * sizeof(double));
    for (int j = 0; j < columns; ++j) {
        unit[j] = 1.0;
        const lb_status status = product(user, unit, column);
        unit[j] = 0.0;
        if (status < LB_OK) {
            return status;
        }
        for (ptrdiff_t i = 0; i < rows; ++i) {
            A[i * columns + j] = column[i];
        }
    }
    return LB_OK;
}

typedef struct single {
    const lb_model *model;
    lb_op_work *operators;
    lb_op op;
    int how;
} single;

static lb_status apply_single(void *user, const double *x, double *y)
{
    const single *s = user;
    return lb_op_apply(s->model, s->operators, s->op, s->how, x, y);
}

lb_status lb_op_form(const lb_model *model, lb_op_work *operators, lb_op op, int how, double *A)
{
    if ((unsigned)op >= LB_OP_COUNT) {
        return LB_E_ARGUMENT;
    }
    single s = {model, operators, op, how};
    return lb_op_form_by_columns(
        operators, lb_op_get_length(operators, lb_op_get_rows((int)op, how)),
        lb_op_get_length(operators, lb_op_get_columns((int)op, how)), apply_single, &s, A);
}

// Mass matrix H Phi M Phi* H* by columns                                      (OPR-7), (OPR-21)
//
//     1. J(:,i) = Phi* H*(:,i)   2. Q(:,i) = M J(:,i)   3. column i of the mass matrix: J* Q(:,i)
//
// Step 3 applies J* = H Phi rather than multiply it out, so that a column costs O(N).
//
// Source: Concurrent Dynamics International 2018, "Computing System Mass Matrix", with Phi* for
// their Psi_D and H* for their G.
static lb_status apply_mass_matrix(void *user, const double *unit, double *column)
{
    const lb_op_work *w = user;
    double *J = w->vectors[0], *Q = w->vectors[1];
    apply_diagonal(w, LB_OP_H, 1, unit, Q);
    apply_sweep(w, LB_OP_PHI, 1, Q, J);
    apply_diagonal(w, LB_OP_M, 0, J, Q);
    apply_sweep(w, LB_OP_PHI, 0, Q, J);
    apply_diagonal(w, LB_OP_H, 0, J, column);
    return LB_OK;
}

lb_status lb_compute_mass_matrix_by_columns(const lb_model *model, lb_op_work *operators, double *M)
{
    if (!(operators->has & LB_OP_HAS_PLAIN)) {
        return LB_E_STAGE;
    }
    return lb_op_form_by_columns(operators, model->v_count, model->v_count, apply_mass_matrix,
                                 operators, M);
}
