// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of linear models.
#ifndef LB_LINEAR_INTERNAL_H
#define LB_LINEAR_INTERNAL_H

#include "limber/derivatives.h"
#include "limber/linear.h"
#include "limber/results.h"
#include "simulate/run/simulation.h"
#include "simulate/system/freedom.h"

// ---- point.c -----------------------------------------------------------------------------------

/// How a hinge is held: at rest or at a constant speed, or by a motion of the model.
enum { LB_HELD_STILL = 1, LB_HELD_MOVING };

/// A coordinate that a controller takes along a desired motion.
typedef struct lb_commanded {
    int q, v; ///< entries
    const struct lb_desired *desired;
} lb_commanded;

/// A point of operation, and what may deviate from it.
typedef struct lb_operating_point {
    double t;
    double *q, *v, *a;
    unsigned char *held;           ///< per body: not 0 if its hinge does not deviate
    unsigned char *guided;         ///< a flag a body: its hinge deviates as an input says
    const unsigned char *resting;  ///< a flag per entry of v: friction holds it; NULL for none
    int count;                     ///< coordinates that deviate
    int *coordinates;              ///< entries of v
    lb_freedom freedom;            ///< of these, independent ones: all but for loops
    double *S, *R_q, *R_v;         ///< count x free_count, with loops: see lb_follow_point
    double *loop_forces;           ///< 6 per slot: what holds the loops; NULL without loops
    char (*names)[LB_COLUMN_SIZE]; ///< per coordinate
    unsigned char *averaged;       ///< a flag a body over whose turns the equations are; or NULL
    lb_commanded
        *commanded; ///< those of hinges that controllers take along a motion that repeats itself
    int commanded_count;
    unsigned char *is_commanded; ///< a flag a body: its hinge is one of these
    bool steady;                 ///< balanced, or moving at constant speeds
    bool controlled;             ///< the simulation has controllers, open or not
    double unbalance;            ///< largest acceleration of those that are not given
    int unbalanced;              ///< its coordinate, -1 if all are zero up to round-off
} lb_operating_point;

/// Options of a caller, whose struct may be shorter, over the defaults.
///
/// @return LB_OK, or LB_E_VERSION with a message
lb_status lb_take_linear_options(lb_simulation *sim, const lb_linear_options *options,
                                 lb_linear_options *own);

/// Finds the point of the options.
///
/// @param guided  a flag a body: hinges that inputs drive; NULL for none
lb_status lb_find_point(lb_simulation *sim, const lb_linear_options *options,
                        const unsigned char *guided, lb_arena *arena, lb_operating_point *point);

/// A state beside a point of operation, for those who difference: scratch of theirs.
typedef struct lb_moved_state {
    int along; ///< 0: along an entry of the tangent of q, 1: of v, 2: of a
    int j;     ///< the entry
    double *q, *v, *a, *step;
} lb_moved_state;

/// Moves a state away from a point by `size`, and computes the forces there.
lb_status lb_move_point(lb_system *s, const lb_operating_point *point, const lb_moved_state *to,
                        double size);

/// The point that the motion comes to: driven hinges as their motions say, the others at constant speeds.
///
/// @param free  whether these move
/// @param only  a body that alone does, or -1
/// @return LB_OK; LB_E_OPEN where the loops do not follow
lb_status lb_look_ahead(lb_system *s, const lb_operating_point *point, double time, bool free,
                        int only, lb_arena *arena, lb_operating_point *ahead);

/// A point of a motion: driven hinges where their motions say, loops closed by the coordinates that depend at
/// `point`, the rest as given.
///
/// @param q, v  the state; quaternions of any length, and values of hinges that are driven
lb_status lb_place_point(lb_system *s, const lb_operating_point *point, double t, const double *q,
                         const double *v, lb_arena *arena, lb_operating_point *at);

/// Locks hinges, or lets them go, while loops are looked after by those who know locks only.
///
/// @param held  a flag a body
void lb_set_locks(lb_system *s, const unsigned char *held, bool on);

/// When all that was wanted of a point is there: loops with given motion move again.
///
/// @param record  what was made of the point, by lb_create_record
/// @return the record, or NULL after a failure, which frees it
void *lb_leave_point(lb_system *s, lb_status status, void *record);

/// Whether an entry of v belongs to a hinge that an input drives.
bool lb_is_guided(const lb_model *model, const lb_operating_point *point, int entry);

// ---- commanded.c -------------------------------------------------------------------------------

/// Finds the hinges that controllers take along motions that repeat themselves.
lb_status lb_find_commanded(const lb_simulation *sim, lb_arena *arena, lb_operating_point *point);

/// Their coordinates, speeds and accelerations as they are desired at the time of the point.
void lb_follow_commands(lb_operating_point *point);

// ---- tangent.c ---------------------------------------------------------------------------------

/// The linearised equations of motion of the tree, all coordinates deviating:
///
///     M da + C dv + K xi = forces of inputs,   d(xi)/dt = dv + N xi                     (LIN-1)
///
/// each v_count x v_count, row by row. Seen from frames that move along with free bodies: dv of these is
/// what lb_carry_along says, xi and the eigenvalues are the same.                       (LIN-17)
typedef struct lb_tangent {
    double *M, *C, *K, *N;
    double *K_error, *C_error; ///< how far entries of K and C are known                (LIN-18)
} lb_tangent;

/// Whether a body is free in space, so that a uniform motion of it changes nothing.
bool lb_is_carried(const lb_system *s, const lb_operating_point *point, int body);

/// Speeds and accelerations seen from frames that move along with bodies that are free in space, each
/// uniformly with its own velocity.                                                     (LIN-17)
void lb_carry_along(const lb_system *s, const lb_operating_point *point, const double *v,
                    const double *a, double *v_b, double *a_b);

/// Z of dv = dv' + Z xi, v_count x v_count: dv' is seen from these frames; and its rate, part of the
/// equations where bodies turn on their way, or else not.                               (LIN-17)
typedef struct lb_carry {
    double *Z, *turning, *straight;
} lb_carry;

lb_status lb_take_carry(lb_arena *arena, int n, lb_carry *carry);
void lb_form_carry(const lb_system *s, const lb_operating_point *point, lb_carry *carry);

lb_status lb_take_tangent(lb_arena *arena, int n, lb_tangent *tangent);

/// Fills it at a point.
lb_status lb_compute_tangent(lb_system *s, const lb_operating_point *point, lb_tangent *tangent);

/// The same without a look at round-off: nothing is cleared, the errors are zero.
lb_status lb_compute_plain_tangent(lb_system *s, const lb_operating_point *point,
                                   lb_tangent *tangent);

/// The same along a motion, about which these frames change their speed with the bodies.       (FLQ-1)
lb_status lb_compute_moving_tangent(lb_system *s, const lb_operating_point *point,
                                    lb_tangent *tangent);

/// [I 0; f Z I] A [I 0; -f Z I] for n x n Z with Z Z = 0 and 2 n x 2 n A: f = 1 leaves the frames, -1
/// goes back to them.                                                                   (LIN-17)
void lb_carry_matrix(int n, double f, const double *Z, const double *A, double *out);

// ---- change.c ----------------------------------------------------------------------------------

/// By what the equations of small deviations change along the motion, so that poles of the frozen ones do not say
/// what becomes of them. Theory: (STB-4).
///
/// @param frozen  the equations of the independent coordinates at the point
/// @param what    out: "" or the name of a coordinate, from the arena
lb_status lb_find_change(lb_simulation *sim, const lb_operating_point *point,
                         const lb_tangent *frozen, lb_arena *arena, const char **what);

// ---- average.c ---------------------------------------------------------------------------------

/// Averages the equations over the turns of wheels that are balanced but for little, and flags these in the
/// point. Theory: (STB-5).
///
/// @param frozen  in and out: of the independent coordinates
/// @param names   out: of the wheels, from the arena; "" for none
lb_status lb_average_wheels(lb_system *s, lb_operating_point *point, lb_tangent *frozen,
                            lb_arena *arena, const char **names);

// ---- reduce.c ----------------------------------------------------------------------------------

/// How dependent coordinates, speeds and accelerations follow the independent ones, y, w and z, about
/// a point with loops whose T, state and accelerations are known:                       (LIN-14)
///
///     xi = T y,   dv = T w + S y,   da = T z + R_v w + R_q y
///
/// Fills S, R_q and R_v, which it takes from the arena unless they are there.
lb_status lb_follow_point(lb_system *s, lb_arena *arena, lb_operating_point *point);

/// The tangent of the independent coordinates, free_count x free_count.                  (LIN-15)
lb_status lb_reduce(const lb_operating_point *point, int n, const lb_tangent *whole,
                    lb_arena *arena, lb_tangent *part);

/// x = T y, pairs of real and imaginary parts; and y = X'x, plain numbers, X being T, S, R_q or R_v.
void lb_expand(const lb_operating_point *point, const double *y, double *x);
void lb_gather(const lb_operating_point *point, const double *X, const double *x, double *y);

/// A = [N I; -M^-1 K, -M^-1 C], 2 n x 2 n, and B = [0; M^-1 G].                        (LIN-5)
///
/// @param G  n x m; B is 2 n x m. Both NULL for m = 0
/// @return LB_OK, LB_E_MEMORY, or LB_E_SINGULAR if M is singular
lb_status lb_form_system_matrix(int n, const double *M, const double *C, const double *K,
                                const double *N, int m, const double *G, lb_arena *arena, double *A,
                                double *B);

// ---- closed/closed_rest.c ----------------------------------------------------------------------

/// Makes the equilibrium under what controllers command the initial configuration, for lb_trim_simulation. Laws keep what
/// they remember there.
///
/// @return LB_OK, LB_NEWS_STOP if no controller acts, or a failure with a message: then nothing is changed
lb_status lb_rest_under_control(lb_simulation *sim);

// ---- closed/sampled_response.c -----------------------------------------------------------------

/// A loop as it samples: what flows between samples, x' = F x + B u, y = C x + D u, and what jumps at the beginning of each
/// piece of a period.
typedef struct lb_sampled_loop {
    int n, flowing, m, p; ///< states, those that flow, inputs, outputs
    int piece_count;
    double period, *times; ///< piece_count + 1, the last one the period, s
    double *F, *B, *C, *D; ///< flowing x flowing, flowing x m, p x flowing, p x m
    double *J, *E;         ///< per piece: n x (n + m), flowing x flowing
    double *A;             ///< n x n over a period
    double *W;             ///< per piece and output: squares of exp(F t) seen by c and by c F
    int pole_count;
    const double *poles; ///< pairs
} lb_sampled_loop;

/// Takes W, which only squares need.
lb_status lb_complete_sampled(lb_arena *arena, lb_sampled_loop *sampled);

/// Answers to exp(i w t): the part of each output at that frequency, and means of squares. Theory: (CLL-8).
///
/// @param response  out: as of lb_compute_response; NULL for nothing
/// @param squares   out: count x p x m x 2: of the output, at all frequencies that sampling makes of one, and of its rate;
///                  NULL for nothing
/// @return LB_OK, LB_E_MEMORY, or LB_E_SINGULAR if one is infinite: its entries are NaN
lb_status lb_evaluate_sampled(const lb_sampled_loop *sampled, int count, const double *frequencies,
                              double *response, double *squares);

/// Means of squares under white noise of a density, one-sided, 1/Hz, and of rates: 2 p, infinite where they are. Theory: (CLL-9).
///
/// @return LB_OK, LB_E_MEMORY, or LB_E_SINGULAR if there is a motion that does not decay
lb_status lb_answer_sampled_noise(const lb_sampled_loop *sampled, int input, double density,
                                  double *squares);

// ---- rigid.c -----------------------------------------------------------------------------------

/// Null space of a square matrix, and what solves equations beside it.
typedef struct lb_null_space {
    int n;
    int count;
    double *right, *left; ///< count rows of n each: K x = 0 and y'K = 0; neither is normalized
    double *right_error, *left_error;              ///< how far their entries are known
    double *U, *Vt, *sigma, *row, *column, *super; ///< of the matrix with factors
} lb_null_space;

lb_status lb_take_null_space(lb_arena *arena, int n, lb_null_space *null);

/// @param E  n x n: how far entries of K are known
/// @return LB_OK, or LB_E_NUMBER if LAPACK gives up
lb_status lb_find_null_space(int n, const double *K, const double *E, lb_null_space *null);

/// x with K x = b, for b in the range of K.
void lb_solve_beside(const lb_null_space *null, const double *b, double *x);

// ---- spectrum.c --------------------------------------------------------------------------------

/// Eigenvalues of A = [N I; P R] with states (xi, dv), n each.
typedef struct lb_spectrum {
    int count; ///< 2 n
    double *real, *imaginary;
    double *right,
        *left;       ///< vectors as LAPACK has them: columns, pairs side by side; count x count.
                     ///< Of zeros, `right` has a basis of what they span, `left` nothing
    int zero_count;  ///< the first so many are zero, exactly
    int rigid_count; ///< of these, independent shapes
    double *rigid;   ///< rigid_count rows of `count`: vectors with A x = 0
} lb_spectrum;

/// Ascending by absolute value.                                                         (LIN-5)
///
/// @param t  the matrices that A is made of, n x n each
/// @param A  2 n x 2 n
/// @return LB_OK, LB_E_MEMORY, or LB_E_NUMBER if the eigenvalues do not converge
lb_status lb_compute_spectrum(int n, const lb_tangent *t, const double *A, lb_arena *arena,
                              lb_spectrum *spectrum);

// ---- growth.c ----------------------------------------------------------------------------------

/// Whether a complex matrix whose entries are known to E may be singular. Theory: (STB-1).
///
/// @param S  n x n, lost
lb_status lb_may_be_singular(int n, double _Complex *S, const double *E, bool *may);

/// The one judgement of stability: which of some poles grows fastest. Rates that round-off may have made are
/// zero in the spectra already.
///
/// @param values  pairs
/// @param growth  out: the pole, zero if none grows
/// @return whether one grows
bool lb_find_growth(int count, const double *values, double growth[2]);

// ---- path.c ------------------------------------------------------------------------------------

/// Modes whose damping ratio is below this have none: it is what round-off leaves of zero.
#define LB_UNDAMPED 1e-12

/// What of a continuous model in the frames of lb_enter_frame lies between its inputs and outputs: motions that
/// do not decay, and that no input moves or no output sees, are left out. Zeros stay. Theory: (STB-3).
lb_status lb_take_path(const lb_linear *linear, lb_arena *arena, lb_linear *own);

/// Which pole of a continuous model in these frames grows on the way from inputs to outputs; zero if none does.
lb_status lb_find_continuous_growth(const lb_linear *framed, double growth[2]);

// ---- response.c --------------------------------------------------------------------------------

/// As lb_compute_response, for what lb_take_path has left.
lb_status lb_evaluate_response(const lb_linear *linear, int count, const double *frequencies,
                               double *response);

/// A and C of a linear model with speeds seen from frames that move along with free bodies. (LIN-17)
///
/// @return false without memory
bool lb_enter_frame(const lb_linear *linear, lb_arena *arena, lb_linear *own);

// ---- inputs.c ----------------------------------------------------------------------------------

typedef enum lb_input_kind { LB_INPUT_NODE, LB_INPUT_HINGE, LB_INPUT_MOTION } lb_input_kind;

typedef struct lb_input {
    lb_input_kind kind;
    int entry; ///< of v: LB_INPUT_HINGE, LB_INPUT_MOTION
    int body;  ///< whose node or hinge it is
    int node;
    int component; ///< of moment and force
    lb_axes axes;
} lb_input;

/// What the text of an input means; LB_E_SYNTAX with a message of the system.
lb_status lb_find_input(lb_system *s, const char *text, lb_input *input);

// ---- outputs.c ---------------------------------------------------------------------------------

/// Derivatives of an output by xi, v and a, all entries of v.
typedef struct lb_output_rows {
    double *q, *v, *a;
} lb_output_rows;

/// A signal that an output reads, and the slope of the output by it.
typedef struct lb_output_leaf {
    const lb_signal *signal;
    double slope;
    bool alone; ///< it is the output itself
} lb_output_leaf;

/// Derivatives of what reads some signals, none of them loads, at the point.
lb_status lb_add_output_slopes(lb_system *s, const lb_operating_point *point,
                               lb_derivative_work *scratch, int count, const lb_output_leaf *leaves,
                               lb_arena *arena, lb_output_rows *rows);

/// Value of a signal at the point, and its derivatives.
///
/// Analytic, but for signals that are a function of the caller and quantities of the whole system: these are
/// differenced (FRC-15). LB_E_NUMBER where there is no derivative, LB_E_STAGE of loads:
/// forces of loops and hinges.
lb_status lb_differentiate_output(lb_system *s, const lb_operating_point *point,
                                  lb_derivative_work *scratch, const lb_signal *signal,
                                  lb_arena *arena, double *value, lb_output_rows *rows);

/// How the forces of loops change with states and inputs: 6 a slot x (states, then inputs). (LIN-16)
///
/// @param t       the tangent of the tree
/// @param A, B    of the independent coordinates
/// @param forces  input_count x v_count: generalized forces of a unit of each input; zero for motions
/// @param rows    out: from the arena
lb_status lb_differentiate_loop_forces(lb_system *s, const lb_operating_point *point,
                                       const lb_tangent *t, const double *A, const double *B,
                                       int input_count, const double *forces, lb_arena *arena,
                                       double **rows);

/// Forces of the elements at the point: generalized ones in tau of the system.
lb_status lb_compute_point_forces(lb_system *s, const lb_operating_point *point);

/// Value of a signal that reads loads, by the dynamics at the point, and what it reads.
///
/// @param leaves  out: from the arena
lb_status lb_find_output_leaves(lb_system *s, const lb_operating_point *point,
                                const lb_signal *signal, lb_arena *arena, double *value,
                                lb_output_leaf **leaves, int *count);

// ---- outputs_loads.c ---------------------------------------------------------------------------

/// What a load depends on besides the state and its accelerations.
typedef struct lb_load_rows {
    double *loops;  ///< derivatives by the forces of loops, 6 a slot; NULL without loops
    double *inputs; ///< and by inputs, directly
} lb_load_rows;

/// Adds the slopes of a load, times that of the leaf. Analytic, but for what loads from outside and forces
/// of loops carry, which are differenced by the state (FRC-15). Theory: (LIN-23).
///
/// @param rows   in and out
/// @param other  in and out
/// @return LB_OK; LB_E_NUMBER for the norm of nothing, where the leaf is alone
lb_status lb_add_load_slopes(lb_system *s, const lb_operating_point *point,
                             lb_derivative_work *scratch, const lb_output_leaf *leaf,
                             int input_count, const lb_input *inputs, lb_arena *arena,
                             lb_output_rows *rows, lb_load_rows *other);

/// The same of a recovered quantity by mode acceleration, differenced by q, v and a (FRC-15). Theory: (RCV-2).
lb_status lb_add_corrected_slopes(lb_system *s, const lb_operating_point *point,
                                  const lb_output_leaf *leaf, int input_count,
                                  const lb_input *inputs, lb_arena *arena, lb_output_rows *rows,
                                  lb_load_rows *other);

// ---- linearize.c -------------------------------------------------------------------------------

/// Inputs and outputs behind those that the options name, for controllers. Outputs without a text are
/// theirs.
typedef struct lb_ports {
    int first_input;
    const int *
        entries; ///< of v: where a unit of these inputs acts; nothing follows where a hinge is held
    int first_output;
    lb_status (*differentiate)(void *user, lb_system *s, const lb_operating_point *point,
                               lb_derivative_work *scratch, int output, double *value,
                               lb_output_rows *rows);
    void *user;
} lb_ports;

/// A and B of the independent coordinates at a point of a motion, from the arena.              (FLQ-1)
///
/// @param ports  NULL for none
lb_status lb_form_moving_plant(lb_system *s, const lb_linear_options *options,
                               const lb_ports *ports, const lb_operating_point *at, lb_arena *arena,
                               double **A, double **B);

/// A linear model without controllers.
lb_status lb_fill_plant(lb_simulation *sim, const lb_linear_options *options, const lb_ports *ports,
                        lb_arena *arena, lb_linear *linear);

#endif // LB_LINEAR_INTERNAL_H
