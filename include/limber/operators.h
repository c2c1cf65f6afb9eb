// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Spatial operators: the matrices of the theory of multibody dynamics, as O(N) products with
// vectors, formed densely on request, or put together by an expression such as
//
//     H Phi M Phi* H*                              the mass matrix
//     (I - H Psi K)* D^-1 (I - H Psi K)            its inverse
//
// Theory: docs/theory/operators.md, whose tags are cited here.
//
// Two spaces (OPR-1). A vector of the *body space* stacks, for each body in the listed order, its
// modal entries, then an angular and a linear part: mode_count + 6 numbers. The frame is the body's
// own as the caller described it: its axes, and its origin, the node `origin`. A vector of the
// *hinge space* follows the order of v. Motions and forces of the body space have the same shape;
// Phi and Psi carry forces towards the base, their transposes carry motions towards the tips.
//
//     lb_op_work *operators = lb_op_create_work(model);
//     lb_compute_operators(model, work, q, operators);
//     lb_op_apply(model, operators, LB_OP_PHI, LB_OP_TRANSPOSED, x, y);
//
// From lb_compute_operators on nothing allocates. Matrices are dense, row by row. Outputs do not
// alias inputs.
#ifndef LB_OPERATORS_H
#define LB_OPERATORS_H

#include "limber/work.h"

/// What a vector is a vector of.
typedef enum lb_op_space {
    LB_OP_SPACE_BODY, ///< per body: modes, angular, linear
    LB_OP_SPACE_HINGE ///< the order of v
} lb_op_space;

/// The operators, written rows by columns; body is B, hinge is H.
typedef enum lb_op {
    LB_OP_E_PHI,   ///< B x B: what a body hands to its parent                    (OPR-3)
    LB_OP_PHI,     ///< B x B: (I - E_Phi)^-1                                     (OPR-4)
    LB_OP_H,       ///< H x B: hinge and modal forces out of forces               (OPR-5)
    LB_OP_M,       ///< B x B: block diagonal, modal mass matrices M_m            (OPR-6)
    LB_OP_P,       ///< B x B: block diagonal, articulated-body inertias          (OPR-10)
    LB_OP_D,       ///< H x H: block diagonal, H P H*                             (OPR-10)
    LB_OP_G,       ///< B x H: block diagonal, P H* D^-1                          (OPR-10)
    LB_OP_K,       ///< B x H: E_Phi G                                            (OPR-11)
    LB_OP_TAU_BAR, ///< B x B: block diagonal, I - G H                            (OPR-10)
    LB_OP_E_PSI,   ///< B x B: E_Phi tau_bar                                      (OPR-11)
    LB_OP_PSI,     ///< B x B: (I - E_Psi)^-1                                     (OPR-11)
    LB_OP_UPSILON, ///< B x B: block diagonal of Omega                            (OPR-17)
    LB_OP_OMEGA,   ///< B x B: Psi* H* D^-1 H Psi, the admittance of all frames   (OPR-16)
    LB_OP_R,       ///< B x B: block diagonal, composite-body inertias            (OPR-8)
    LB_OP_COUNT
} lb_op;

/// How an operator is meant: any combination. Inverses exist of D, Phi and Psi.
enum { LB_OP_PLAIN = 0, LB_OP_TRANSPOSED = 1, LB_OP_INVERTED = 2 };

/// "E_Phi" and so on, as it is written in expressions.
LB_API const char *lb_op_get_name(lb_op op);

/// Space of the rows (columns) of an operator, taken plain.
LB_API lb_op_space lb_op_get_row_space(lb_op op);
LB_API lb_op_space lb_op_get_column_space(lb_op op);

/// Length of a vector of a space.
LB_API int lb_op_get_size(const lb_model *model, lb_op_space space);

// ---- workspace ---------------------------------------------------------------------------------

/// The blocks of all operators at one configuration, and scratch. One per thread.
typedef struct lb_op_work lb_op_work;

/// Bytes that lb_op_init_work needs, alignment included: any address will do.
LB_API size_t lb_op_get_work_size(const lb_model *model);

/// Makes a workspace in the caller's memory. @return LB_OK, or LB_E_MEMORY if `size` is too small
LB_API lb_status lb_op_init_work(const lb_model *model, void *memory, size_t size,
                                 lb_op_work **operators);

/// The same with memory of the model's allocator; NULL if it is out.
LB_API lb_op_work *lb_op_create_work(const lb_model *model);
LB_API void lb_op_destroy_work(const lb_model *model, lb_op_work *operators);

/// First entry of a body in a vector of a space.
LB_API int lb_op_get_offset(const lb_op_work *operators, lb_op_space space, int body);

/// Computes the blocks of all operators, O(N) for a bounded number of modes a body. Leaves
/// positions in `work`. Theory: (OPR-3), (OPR-5), (OPR-6), (OPR-8), (OPR-10), (OPR-17).
///
/// @return LB_OK or LB_NEWS_INDEFINITE; LB_E_SINGULAR if some D is singular (see lb_get_trouble),
///         when E_Phi, Phi, H, M and R are there nevertheless
LB_API lb_status lb_compute_operators(const lb_model *model, lb_work *work, const double *q,
                                      lb_op_work *operators);

/// The vectors that go with the operators in M a + c = tau, both of the body space: a_m, the
/// acceleration at zero generalized acceleration less what the parent's carries over, gravity as an
/// upward acceleration of the ground in it; and b_m, gyroscopic, elastic and damping forces:
///
///     c = H Phi (M Phi* a_m + b_m)                                                      (OPR-9)
///
/// Needs lb_compute_operators of the same q. Leaves positions and velocities in `work`.
LB_API lb_status lb_compute_operator_bias(const lb_model *model, lb_work *work, const double *q,
                                          const double *v, lb_op_work *operators, double *a_m,
                                          double *b_m);

// ---- products ----------------------------------------------------------------------------------

/// y = A x without forming A, O(N).
///
/// @param how  LB_OP_PLAIN, or a combination of LB_OP_TRANSPOSED and LB_OP_INVERTED
/// @return LB_OK; LB_E_STAGE before lb_compute_operators; LB_E_SINGULAR if a D that A needs was
///         singular; LB_E_UNSUPPORTED for an inverse that is not of D, Phi or Psi
LB_API lb_status lb_op_apply(const lb_model *model, lb_op_work *operators, lb_op op, int how,
                             const double *x, double *y);

/// A itself, column by column: rows x columns numbers.
LB_API lb_status lb_op_form(const lb_model *model, lb_op_work *operators, lb_op op, int how,
                            double *A);

/// The mass matrix by columns, O(N^2): J = Phi* H*, Q = M J, then J* Q. Theory: (OPR-21).
LB_API lb_status lb_compute_mass_matrix_by_columns(const lb_model *model, lb_op_work *operators,
                                                   double *M);

// ---- expressions -------------------------------------------------------------------------------

enum {
    LB_OP_TERM_MAX = 96, ///< operators, numbers, sums and products in one expression
    LB_OP_DEPTH_MAX = 16 ///< parentheses inside one another
};

/// One operand, product or sum of an expression.
typedef struct lb_op_term {
    int kind;     ///< internal
    int op, how;  ///< of an operator
    double scale; ///< a number; the sign of a term
    int first;    ///< operand that is applied first, or -1
    int next;     ///< the operand after this one, or -1
    int rows, columns;
    int column; ///< where it starts in the text
} lb_op_term;

/// A parsed expression: a plain value of the caller's, for any model.
typedef struct lb_op_expression {
    int rows, columns; ///< lb_op_space
    int root, term_count;
    lb_op_term terms[LB_OP_TERM_MAX];
} lb_op_expression;

/// Parses an expression. Products are written side by side; `+` and `-` add; numbers scale; `I` is
/// the identity of whatever size fits; parentheses or brackets group. A `*` (or ^T) right after an
/// operator or parenthesis is its transpose; ^-1, or inv(...), its inverse. Names are those of
/// lb_op_get_name, and some spellings more: phi, psi, E_phi, E_psi, M_m, taubar, upsilon, omega.
///
/// @param report  receives the mistake: line 1, the column (in characters, from 1) and a sentence
/// @return LB_OK, LB_E_SYNTAX if it is not well formed, LB_E_ARGUMENT if sizes do not fit,
///         LB_E_UNSUPPORTED if it is too long or too deep, or asks for an inverse there is none of
LB_API lb_status lb_op_parse(const char *text, const lb_report *report,
                             lb_op_expression *expression);

/// Numbers of scratch that the next two functions need.
LB_API size_t lb_op_get_scratch_count(const lb_model *model, const lb_op_expression *expression);

/// y = A x for an expression A: O(N) for each operator in it.
LB_API lb_status lb_op_apply_expression(const lb_model *model, lb_op_work *operators,
                                        const lb_op_expression *expression, double *scratch,
                                        const double *x, double *y);

/// A itself, column by column.
LB_API lb_status lb_op_form_expression(const lb_model *model, lb_op_work *operators,
                                       const lb_op_expression *expression, double *scratch,
                                       double *A);

// ---- influence operators -----------------------------------------------------------------------

/// The four operators that a block-diagonal A = diag(A_i) and the tree make. Theory: (OPR-18) to
/// (OPR-20).
typedef enum lb_influence {
    LB_INFLUENCE_FORWARD,      ///< Phi_A: to each body A_i times its parent's entry
    LB_INFLUENCE_BACKWARD,     ///< Phi_A': to each body the sum of A_j' times its children's
    LB_INFLUENCE_FORWARD_SUM,  ///< Psi_A = (I - Phi_A)^-1, base to tip
    LB_INFLUENCE_BACKWARD_SUM, ///< Psi_A', tip to base
    LB_INFLUENCE_COUNT
} lb_influence;

/// y = Phi_A x and its kin, O(N), for blocks of any size and any numbers in them.
///
/// @param block_size  k: x and y hold k numbers a body, in the listed order
/// @param A           k x k for each body in the listed order; those of bodies on the ground are
///                    not read
/// @return LB_OK, or LB_E_ARGUMENT for a block size below 1 or an unknown kind
LB_API lb_status lb_apply_influence(const lb_model *model, int block_size, const double *A,
                                    lb_influence kind, const double *x, double *y);

#endif // LB_OPERATORS_H
