// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear models (library limber-sim): natural modes of the whole system, and state-space models for
// control, about a state, an equilibrium or a steady motion.
//
//     lb_linear_options options = lb_default_linear_options();
//     options.about = LB_ABOUT_EQUILIBRIUM;
//     lb_modes *modes;
//     lb_compute_modes(simulation, &options, &modes);
//     printf("%g Hz\n", modes->modes[0].frequency);
//     lb_destroy_modes(modes);
//
// A model is linear in small deviations from its point: xi of the configuration along its manifold
// (q = q0 (+) xi, see lb_integrate_configuration) and dv of the speeds, both in the order of v. Force
// elements of the simulation are part of it. Hinges may be held, by a lock, by a motion of the model
// or by a constant spin; what is held does not deviate and is left out. The coordinates that remain
// are the `coordinates` below; states are their xi, then their dv.
//
// With loops, some of these coordinates follow from others; states are those of the independent ones.
// The loops must be closed at the state that is given, and its speeds agree with them, to 1e-6:
// LB_E_ARGUMENT if not. Where hinges are locked or spin, dependent speeds follow from the others. At a
// singular position, where loops hold something for an instant only: LB_E_SINGULAR.
//
// Everything here allocates. Failures are explained by lb_get_simulation_message. docs/guide/linear.md
// shows the use, docs/theory/linear.md derives it.
#ifndef LB_LINEAR_H
#define LB_LINEAR_H

#include "limber/simulate.h"

// ---- the point ---------------------------------------------------------------------------------

/// What a linear model is about.
typedef enum lb_about {
    LB_ABOUT_STATE,       ///< the state as it is, whether or not it accelerates
    LB_ABOUT_REST,        ///< its configuration, with all speeds zero
    LB_ABOUT_EQUILIBRIUM, ///< the equilibrium at rest nearest to its configuration
    LB_ABOUT_STEADY ///< the steady motion with its speeds: all accelerations are zero, and stay so
} lb_about;

/// How to linearise. Start from lb_default_linear_options().
typedef struct lb_linear_options {
    size_t size; ///< of this struct, set by lb_default_linear_options
    lb_about about;
    double t;                    ///< at which functions of time are read, s
    const double *q, *v;         ///< the state; NULL for the simulation's initial one
    const unsigned char *locked; ///< a flag a body: its hinge is held, at rest; NULL for none
    int spin;          ///< entry of v that is driven at a constant speed; -1 for none. Its
                       ///< hinge is held at that motion, other speeds of it being zero;
                       ///< the point is then steady, and other speeds of the state count
                       ///< for LB_ABOUT_STEADY only
    double spin_speed; ///< rad/s or m/s
    int input_count;   ///< for lb_linearize: see lb_linear
    const char *const *inputs;
    int output_count;
    const char *const *outputs; ///< signals, see limber/signals.h
} lb_linear_options;

/// About the initial state as it is, at t = 0; nothing locked, no spin, no inputs and outputs.
LB_API lb_linear_options lb_default_linear_options(void);

/// Entry of v by name: "hub" for a hinge of one speed, "base.2" for one of several.
///
/// @param message  out: what is wrong with it
/// @return LB_OK or LB_E_ARGUMENT
LB_API lb_status lb_find_speed(const lb_model *model, const char *text, int *entry,
                               char message[256]);

// ---- modes -------------------------------------------------------------------------------------

typedef enum lb_mode_kind {
    LB_MODE_RIGID,       ///< moves without resistance: eigenvalue zero
    LB_MODE_OSCILLATION, ///< a pair of conjugate eigenvalues; that with a positive imaginary part
    LB_MODE_APERIODIC    ///< a real eigenvalue
} lb_mode_kind;

typedef struct lb_mode {
    lb_mode_kind kind;
    double eigenvalue[2]; ///< real and imaginary part, rad/s
    double frequency;     ///< |eigenvalue| / 2 pi, Hz: the undamped natural frequency
    double damping;       ///< -real part / |eigenvalue|; 1 or -1 of a real one, 0 of a rigid mode
    double effective[6];  ///< effective masses, see below
} lb_mode;

/// Natural modes, rigid ones first, then by frequency.
typedef struct lb_modes {
    int mode_count;
    int coordinate_count;
    int symmetric;            ///< non-zero: undamped and at rest, so that shapes are real
    const int *coordinates;   ///< entries of v
    const char *const *names; ///< of the coordinates, as signals where there is one: "arm.angle"
    const lb_mode *modes;
    /// Shapes: mode_count x coordinate_count x 2, real and imaginary part of the deviation xi of each
    /// coordinate. Scaled to a modal mass of 1, the largest part real and positive.
    const double *shapes;
    /// Shares of the coordinates in a mode, mode_count x coordinate_count: the squares of their
    /// amplitudes weighed by their inertias, scaled so that they add up to 1.
    const double *shares;
    /// Effective masses of a mode are the squares of the momentum that it has at unit modal speed,
    /// over its modal mass: linear x y z (kg), angular about the world's origin x y z (kg m^2). Their
    /// sums over all modes are those of the part of the system that moves against what is held. Of
    /// shapes that are not real they are by the same formula, and need not add up.
    double effective_sums[6];
    double mass;             ///< of the whole system
    double inertia[3];       ///< of the whole system about the world's axes
    const double *q, *v, *a; ///< the point, a its accelerations
    double unbalance;        ///< largest acceleration of the point that is not meant, see `a`
    const char *unbalanced;  ///< where that is: a name; "" if the point is balanced
} lb_modes;

/// Natural modes about a point. `inputs` and `outputs` of the options are not looked at.
///
/// Undamped systems at rest by a symmetric eigenproblem, all others by a general one. Theory:
/// (LIN-1)..(LIN-6).
///
/// @param modes  out: to be freed by lb_destroy_modes; NULL on failure
/// @return LB_OK; LB_E_ARGUMENT for bad options; LB_E_STEP where there is no equilibrium or the motion
///         is not steady; LB_E_SINGULAR, LB_E_UNSUPPORTED, LB_E_MEMORY, or what evaluation fails with
LB_API lb_status lb_compute_modes(lb_simulation *simulation, const lb_linear_options *options,
                                  lb_modes **modes);
LB_API void lb_destroy_modes(lb_modes *modes);

/// Displacement of a node in a mode: turn (rad) and shift (m) in world axes, angular first, real and
/// imaginary part of each: 6 x 2.
LB_API lb_status lb_compute_mode_displacement(lb_simulation *simulation, const lb_modes *modes,
                                              int mode, int body, int node,
                                              double displacement[12]);

/// Frequencies over a range of spin speeds, each line tracked by its shape.
typedef struct lb_campbell {
    int speed_count, line_count;
    const double *speeds;      ///< rad/s
    const double *frequencies; ///< speed_count x line_count, Hz; NaN where a line has no mode
    const double *damping;     ///< likewise
} lb_campbell;

/// Modes at each of the speeds of the options' spin, which must be given. Theory: (LIN-7).
LB_API lb_status lb_compute_campbell(lb_simulation *simulation, const lb_linear_options *options,
                                     int speed_count, const double *speeds, lb_campbell **campbell);
LB_API void lb_destroy_campbell(lb_campbell *campbell);

// ---- state-space models ------------------------------------------------------------------------

/// dx/dt = A x + B u,  y - y0 = C x + D u, of small deviations from a point. Matrices are row by row.
///
/// x holds the deviations xi of the coordinates, then those of their speeds. Inputs are
///
///     panel/n1.force.x   panel/n1.torque.z   a force (N) or torque (N m) at a node, world axes
///     link.motor         base.motor.2        a force or torque at a hinge, beside what acts there
///     link.motion        base.motion.2       an acceleration of a hinge, which is then driven: its
///                                            coordinates and speeds follow from it alone
///     servo              thruster.x          a motor of the model by its name; a component of a force
///     scan               feed.0              or torque, in its own axes; the acceleration of a motion
///
/// and add to what the model does by itself. Outputs are signals (limber/signals.h); those of
/// accelerations make D.
typedef struct lb_linear {
    int coordinate_count;
    int state_count; ///< twice that
    int input_count, output_count;
    const double *A;                            ///< state_count x state_count
    const double *B;                            ///< state_count x input_count
    const double *C;                            ///< output_count x state_count
    const double *D;                            ///< output_count x input_count
    const char *const *states;                  ///< names: "arm.angle", ..., "arm.rate", ...
    const char *const *inputs, *const *outputs; ///< as they were given
    const int *coordinates;                     ///< entries of v, with loops the independent ones
    const double *output_values;                ///< y0
    double t;
    int q_count, v_count;
    const double *q, *v, *a; ///< the point, a its accelerations
    double unbalance;        ///< largest acceleration of the point, see lb_modes
    const char *unbalanced;
    /// Eigenvalues of A, rad/s, real and imaginary parts: state_count x 2, ascending by size, zeros
    /// exactly zero and pairs side by side, the positive imaginary part first.
    const double *eigenvalues;
    int zero_count; ///< how many are zero
    /// How much each state takes part in each eigenvalue: state_count (of eigenvalues) x state_count,
    /// rows that add up to 1; zero for eigenvalues that are zero. Theory: (LIN-11).
    const double *participation;
} lb_linear;

/// Linearises about the point of the options. Theory: (LIN-1), (LIN-5), (LIN-9), (LIN-10); with loops
/// (LIN-13)..(LIN-15).
///
/// @param linear  out: to be freed by lb_destroy_linear; NULL on failure
/// @return as lb_compute_modes; LB_E_SYNTAX for an input or output that is not understood
LB_API lb_status lb_linearize(lb_simulation *simulation, const lb_linear_options *options,
                              lb_linear **linear);
LB_API void lb_destroy_linear(lb_linear *linear);

/// Frequency response G = C (i w - A)^-1 B + D at some frequencies. Theory: (LIN-12).
///
/// @param frequencies  Hz
/// @param response     out: count x output_count x input_count x 2, real and imaginary part
/// @return LB_OK, LB_E_MEMORY, or LB_E_SINGULAR at a frequency that is an undamped natural one: its
///         entries are NaN, the others are there
LB_API lb_status lb_compute_response(const lb_linear *linear, int count, const double *frequencies,
                                     double *response);

/// Files that other programs read.
typedef enum lb_linear_format {
    LB_LINEAR_MAT, ///< MATLAB, version 5
    LB_LINEAR_HDF5
} lb_linear_format;

/// Writes A, B, C, D, names, the point, eigenvalues and, if given, a frequency response.
///
/// @param frequencies  NULL for none
/// @param response     of lb_compute_response
/// @param message      out: what is wrong, on failure
/// @return LB_OK, LB_E_FILE or LB_E_MEMORY
LB_API lb_status lb_save_linear(const lb_linear *linear, int count, const double *frequencies,
                                const double *response, const char *path, lb_linear_format format,
                                char message[256]);

#endif // LB_LINEAR_H
