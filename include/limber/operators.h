// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Spatial operators: the matrices of the theory of multibody dynamics. Each can be multiplied by a vector
// in O(N) without being formed, formed as a dense matrix, or used in an expression such as
//
//     H Phi M Phi* H*                              the mass matrix
//     (I - H Psi K)* D^-1 (I - H Psi K)            its inverse
//
// Theory: docs/theory/operators.md, whose equations are cited here.
//
// There are two spaces (OPR-1). A vector of the *body space* has mode_count + 6 numbers per body, bodies in
// the listed order: modal entries, an angular part and a linear part. They are in the body's own frame as
// the caller described it: its axes, and its origin, the node `origin`. A vector of the *hinge space*
// has the order of v. Motions and forces of the body space have the same shape. Phi and Psi carry forces
// towards the base; their transposes carry motions towards the tips.
//
//     lb_op_work *operators = lb_op_create_work(model);
//     lb_compute_operators(model, work, q, operators);
//     lb_op_apply(model, operators, LB_OP_PHI, LB_OP_TRANSPOSED, x, y);
//     lb_op_destroy_work(operators);
//
// Only lb_op_create_work and lb_op_parse allocate. Matrices are dense, row by row. Outputs must not
// overlap inputs. Functions of an operator or an expression are called lb_op_ and a verb.
#ifndef LB_OPERATORS_H
#define LB_OPERATORS_H

#include "limber/work.h"

/// The space of a vector.
typedef enum lb_op_space {
    LB_OP_SPACE_BODY,  ///< per body: modes, angular, linear
    LB_OP_SPACE_HINGE, ///< the order of v
    LB_OP_SPACE_NODE,  ///< per node that is picked: angular, linear, in world axes
    LB_OP_SPACE_LOOP,  ///< the rows of the loops whose nodes are picked
    LB_OP_SPACE_BLOCK, ///< per body, as many numbers as the blocks of lb_op_set_blocks have
    LB_OP_SPACE_ONE,   ///< a single number: vectors are matrices of one column
    LB_OP_SPACE_COUNT
} lb_op_space;

/// The operators, written rows by columns; body is B, hinge is H, node is N.
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
    LB_OP_B,       ///< B x N: forces at nodes that are picked; B* picks their velocities (OPR-22)
    LB_OP_J,       ///< N x H: B* Phi* H*, the Jacobian of these nodes            (OPR-23)
    LB_OP_LAMBDA,  ///< N x N: B* Omega B, their admittance                       (OPR-24)
    LB_OP_A,       ///< loop x N: A J v = 0 where loops are closed                (OPR-25)
    LB_OP_S,       ///< B x B: block diagonal, to the centres of mass             (OPR-26)
    LB_OP_PHI_A,   ///< block x block: influence of lb_op_set_blocks               (OPR-18)
    LB_OP_PSI_A,   ///< block x block: (I - Phi_A)^-1                             (OPR-18)
    LB_OP_BETA, ///< H x one: speeds v                         these six by lb_compute_operator_motion
    LB_OP_T,    ///< H x one: generalized forces
    LB_OP_A_M, ///< B x one: the acceleration of each body at zero generalized acceleration, less what its
               ///< parent carries over. Gravity is an upward acceleration of the ground (OPR-9)
    LB_OP_B_M, ///< B x one: gyroscopic, elastic and damping forces           (OPR-9)
    LB_OP_NU,  ///< H x one: D^-1 (T - H Psi (K T + P a_m + b_m))             (OPR-27)
    LB_OP_COUNT
} lb_op;

/// The operator itself, its transpose, its inverse, the symmetric square root of D, or several of these. D, Phi, Psi, S and
/// Psi_A have an inverse.
enum { LB_OP_PLAIN = 0, LB_OP_TRANSPOSED = 1, LB_OP_INVERTED = 2, LB_OP_SQUARE_ROOT = 4 };

// ---- workspace ---------------------------------------------------------------------------------

/// The blocks of all operators at one configuration, and scratch memory; one per thread. Opaque.
typedef struct lb_op_work lb_op_work;

/// Makes a workspace in memory of the model's allocator. Free it with lb_op_destroy_work. The model must
/// outlive it.
///
/// @return NULL if memory runs out
LB_API lb_op_work *lb_op_create_work(const lb_model *model);

/// Frees a workspace of lb_op_create_work. Does nothing for NULL.
LB_API void lb_op_destroy_work(lb_op_work *operators);

/// The length of a vector of a space: v_count in the hinge space.
LB_API int lb_op_get_size(const lb_op_work *operators, lb_op_space space);

/// A node of a body. Frozen: that is what a node is.
typedef struct lb_op_node {
    int body, node;
} lb_op_node;

/// Picks nodes for B, J and Lambda, six entries each. Those of the loops that hold in a workspace, both ends of each, make A
/// as well: all but couplers, which join coordinates and no nodes. Allocates. Call lb_compute_operators next.
///
/// @param work   whose loops are meant; not read if nodes are given
/// @param nodes  NULL for those of the loops
/// @return LB_OK; LB_E_ARGUMENT for a node that does not exist; LB_E_UNSUPPORTED for loops with a coupler among them;
///         LB_E_MEMORY. After a failure nothing is picked
LB_API lb_status lb_op_pick_nodes(const lb_model *model, const lb_work *work, lb_op_work *operators,
                                  int count, const lb_op_node *nodes);

/// The node of entries 6 i to 6 i + 5 of the node space.
LB_API lb_op_node lb_op_get_node(const lb_op_work *operators, int i);

/// Sets the block-diagonal matrix A of the influence operators Phi_A and Psi_A. Theory: (OPR-18) to (OPR-20).
/// Allocates.
///
/// @param block_size  k: vectors have k numbers per body, in the listed order
/// @param blocks      k x k numbers per body, in the listed order; those of bodies on the ground are not read
/// @return LB_OK; LB_E_NUMBER if a block that is read is not finite; LB_E_ARGUMENT for a block size below 1; LB_E_MEMORY
LB_API lb_status lb_op_set_blocks(const lb_model *model, lb_op_work *operators, int block_size,
                                  const double *blocks);

/// Computes the blocks of all operators at a configuration. Leaves positions in `work`. O(N), if the
/// number of modes per body is bounded. Theory: (OPR-3), (OPR-5), (OPR-6), (OPR-8), (OPR-10), (OPR-17).
///
/// @param q  configuration
/// @return LB_OK or LB_NEWS_INDEFINITE; LB_E_NUMBER; LB_E_SINGULAR if some D is singular (lb_get_bad_inertia says where).
///         E_Phi, Phi, H, M, R and others that need no articulated bodies can be used even then
LB_API lb_status lb_compute_operators(const lb_model *model, lb_work *work, const double *q,
                                      lb_op_work *operators);

/// Computes the vectors of a motion: beta, T, a_m, b_m and, unless some D is singular, nu. With these
///
///     T = M a + c,   c = H Phi (M Phi* a_m + b_m)                                       (OPR-9)
///     a = (I - H Psi K)* nu - K* Psi* a_m                                        (OPR-15), (OPR-27)
///
/// Needs lb_compute_operators at the same q. Leaves positions and velocities in `work`. O(N).
///
/// @param q, v  the state
/// @param tau   T; NULL for zero
/// @return LB_OK, LB_E_NUMBER, or LB_E_STAGE before lb_compute_operators
LB_API lb_status lb_compute_operator_motion(const lb_model *model, lb_work *work, const double *q,
                                            const double *v, const double *tau,
                                            lb_op_work *operators);

// ---- products ----------------------------------------------------------------------------------

/// Multiplies a vector by an operator without forming it: y = A x. O(N).
///
/// @param how  LB_OP_PLAIN, or a combination of LB_OP_TRANSPOSED, LB_OP_INVERTED and LB_OP_SQUARE_ROOT
/// @param x    of the column space of A
/// @param y    out: of the row space of A
/// @return LB_OK; LB_E_STAGE before lb_compute_operators, or before what gives A its nodes, blocks or motion;
///         LB_E_NUMBER if x is not finite; LB_E_SINGULAR if a D that A needs was singular, or is indefinite where its root is
///         meant; LB_E_UNSUPPORTED for an inverse or a root that is not known
LB_API lb_status lb_op_apply(const lb_model *model, lb_op_work *operators, lb_op op, int how,
                             const double *x, double *y);

// ---- expressions -------------------------------------------------------------------------------

/// A parsed expression. It can be used with any model, and by several threads at once. Opaque.
typedef struct lb_op_expression lb_op_expression;

/// Parses an expression. Factors of a product are written side by side; `+` and `-` add; numbers scale; `I`
/// is the identity of whatever size fits; parentheses or brackets group. A `*` (or ^T) right after an
/// operator or parenthesis is its transpose; ^-1, or inv(...), its inverse; ^1/2 and ^-1/2 belong to D. Names are those of
/// docs/guide/operators.md; phi, psi, E_phi, E_psi, M_m, taubar, upsilon and omega are accepted as well.
///
/// Inverses: of D, Phi, Psi, S and Psi_A; of products of these; of what the lemmas of the theory invert in O(N), such as
/// I + H Phi K and H Phi M Phi* H*; and of any square expression on nodes or rows of loops, whose matrix is formed.
/// Allocates by malloc.
///
/// @param report      receives the mistake: line 1, the column (in characters, from 1) and a sentence; NULL
///                    to drop it
/// @param expression  out: to be freed by lb_op_destroy_expression; NULL on failure
/// @return LB_OK; LB_E_SYNTAX if the text is not well formed; LB_E_ARGUMENT if sizes do not fit;
///         LB_E_UNSUPPORTED if it is too long (96 terms) or too deep (16 parentheses), or has an inverse or a root that is not known;
///         LB_E_MEMORY
LB_API lb_status lb_op_parse(const char *text, const lb_report *report,
                             lb_op_expression **expression);

/// Frees an expression. NULL is fine.
LB_API void lb_op_destroy_expression(lb_op_expression *expression);

/// The spaces of an expression A: in y = A x, y is of the space of its rows, x of that of its columns. Frozen:
/// it is complete.
typedef struct lb_op_spaces {
    lb_op_space rows, columns;
} lb_op_spaces;

/// The spaces of an expression.
LB_API lb_op_spaces lb_op_get_spaces(const lb_op_expression *expression);

/// How many numbers of scratch memory lb_op_apply_expression and lb_op_form_expression need, with the nodes and blocks
/// that are set.
LB_API size_t lb_op_get_scratch_count(const lb_op_work *operators,
                                      const lb_op_expression *expression);

/// Multiplies a vector by an expression without forming it: y = A x. Needs lb_compute_operators. O(N) for
/// each operator in the expression.
///
/// @param scratch  lb_op_get_scratch_count numbers, which need no values
/// @param x        of the column space of the expression
/// @param y        out: of its row space
/// @return as lb_op_apply; LB_E_NUMBER also if a product overflows; LB_E_SINGULAR also if a matrix that is inverted is
LB_API lb_status lb_op_apply_expression(const lb_model *model, lb_op_work *operators,
                                        const lb_op_expression *expression, double *scratch,
                                        const double *x, double *y);

/// Forms an expression as a dense matrix. Needs lb_compute_operators. O(N^2) for each operator in the
/// expression.
///
/// @param scratch  lb_op_get_scratch_count numbers, which need no values
/// @param A        out: rows x columns numbers, row by row
/// @return as lb_op_apply_expression
LB_API lb_status lb_op_form_expression(const lb_model *model, lb_op_work *operators,
                                       const lb_op_expression *expression, double *scratch,
                                       double *A);

#endif // LB_OPERATORS_H
