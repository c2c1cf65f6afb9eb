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
//     printf("%g Hz\n", modes->frequencies[0]);
//     lb_destroy_modes(modes);
//
// A linear model describes small deviations from its point: xi of the configuration along its manifold
// (q = q0 (+) xi, see lb_integrate_configuration) and dv of the speeds, both in the order of v. The
// force elements of the simulation are part of it. A hinge may be held by a lock, by a motion of the
// model or by a constant spin. What is held does not deviate and is left out. The coordinates that
// remain are the `coordinates` below; the states are their xi, followed by their dv.
//
// With loops, some of these coordinates depend on others; the states are those of the independent ones.
// The given state must close the loops, and its speeds must agree with them, to 1e-6: otherwise the
// functions return LB_E_ARGUMENT. Where hinges are locked or spin, dependent speeds follow from the
// others. At a singular position, where the loops hold something for an instant only, the functions
// return LB_E_SINGULAR.
//
// Everything here allocates and is meant for set-up: call it before lb_start_simulation. The cost grows
// with the cube of the number of coordinates. lb_get_simulation_message explains failures.
// docs/guide/linear.md shows the use, docs/theory/linear.md derives the equations.
#ifndef LB_LINEAR_H
#define LB_LINEAR_H

#include "limber/simulate.h"

// ---- the point ---------------------------------------------------------------------------------

/// What a linear model is about.
typedef enum lb_about {
    LB_ABOUT_STATE,       ///< the state as it is, whether or not it accelerates
    LB_ABOUT_REST,        ///< its configuration, with all speeds zero
    LB_ABOUT_EQUILIBRIUM, ///< the equilibrium at rest nearest to its configuration
    LB_ABOUT_STEADY ///< the steady motion with its speeds: all accelerations are and stay zero
} lb_about;

/// What a linear model has of the controllers of a simulation (limber/control.h).
typedef enum lb_control_model {
    LB_CONTROL_OPEN,       ///< nothing: the commands of all controllers stay as they are
    LB_CONTROL_CONTINUOUS, ///< all: dx/dt = A x + B u, with approximations of delays and holds
    LB_CONTROL_DISCRETE    ///< all: x(t + period) = A x(t) + B u, exact from sample to sample
} lb_control_model;

/// How to linearise. Start from lb_default_linear_options; NULL in its place means the defaults.
typedef struct lb_linear_options {
    size_t size; ///< of this struct, set by lb_default_linear_options
    lb_about about;
    double t;                    ///< at which functions of time are read, s
    const double *q, *v;         ///< the state; NULL for the initial state of the simulation
    const unsigned char *locked; ///< one flag per body: its hinge is held at rest; NULL for none
    int spin; ///< entry of v that is driven at a constant speed; -1 for none. Its hinge is held
              ///< at that motion, with its other speeds zero. The point is then steady, and
              ///< the other speeds of the state count for LB_ABOUT_STEADY only
    double spin_speed;         ///< rad/s or m/s
    int input_count;           ///< for lb_linearize
    const char *const *inputs; ///< see lb_linear
    int output_count;
    const char *const *outputs; ///< signals, see limber/signals.h
    /// Point about which angular effective masses and the inertia of lb_modes are, m, world axes.
    double about_point[3];
    /// Controllers. lb_compute_modes takes the discrete model for either closed one.
    lb_control_model control;
    int open_count; ///< feedbacks that are cut at the actuator
    const char *const
        *open;      ///< "attitude" for a controller, "attitude.motor x" for one actuator of it,
                    ///< "all" for all controllers unless one has that name
    int pade_order; ///< of delays and holds in the continuous model, 1 to 6
    /// Above zero: not of the equations at the point, but over a motion that begins near it and repeats itself
    /// after this time, s, along which they change: multipliers and exponents of Floquet. Below zero: the
    /// period is found, of `spin`, of hinges that are driven at constant speeds, and of sines and pulses, also in expressions. `about` is
    /// then LB_ABOUT_STATE. Theory: (FLQ-1)..(FLQ-5).
    double period;
} lb_linear_options;

/// Default options: about the initial state as it is, at t = 0; nothing locked, no spin, no inputs and
/// outputs; effective masses about the origin of the world; controllers are left out. Order 2 of delays.
static inline lb_linear_options lb_default_linear_options(void)
{
    lb_linear_options options = LB_ZEROES;
    options.size = sizeof options;
    options.spin = -1;
    options.pade_order = 2;
    return options;
}

/// Finds an entry of v by name: "hub" for a hinge of one speed, "base.2" for one of several. Does not
/// allocate.
///
/// @param report  receives what is wrong with the name; NULL to drop it
/// @return the entry, or LB_NOT_FOUND
LB_API int lb_find_speed(const lb_model *model, const char *text, const lb_report *report);

// ---- modes -------------------------------------------------------------------------------------

/// Kinds of modes.
typedef enum lb_mode_kind {
    LB_MODE_RIGID,       ///< moves without resistance: eigenvalue zero
    LB_MODE_OSCILLATION, ///< a pair of conjugate eigenvalues; the one with positive imaginary part
    LB_MODE_APERIODIC    ///< a real eigenvalue
} lb_mode_kind;

/// Natural modes, rigid ones first, then by frequency. One array per quantity; matrices are row by row.
typedef struct lb_modes {
    size_t size; ///< of this struct, set by the library
    int mode_count;
    int coordinate_count;
    bool symmetric;            ///< undamped and at rest, so that shapes are real
    const int *coordinates;    ///< entries of v
    const char *const *names;  ///< of the coordinates, as signals where there is one: "arm.angle"
    const lb_mode_kind *kinds; ///< of the modes
    const double *eigenvalues; ///< mode_count x 2, real and imaginary part, rad/s
    const double *frequencies; ///< |eigenvalue| / 2 pi, Hz: the undamped natural frequencies
    /// Damping ratios: -real part / |eigenvalue|; 1 or -1 for a real eigenvalue, 0 for a rigid mode.
    const double *dampings;
    /// Shapes, mode_count x coordinate_count x 2: real and imaginary part of the deviation xi of each
    /// coordinate. Scaled to a modal mass of 1, the largest part real and positive.
    const double *shapes;
    /// Shares of the coordinates in a mode, mode_count x coordinate_count: the squares of their
    /// amplitudes weighted by their inertias, scaled so that they add up to 1.
    const double *shares;
    /// Effective masses, mode_count x 6: linear x y z (kg), angular about `about_point` of the options
    /// x y z (kg m^2). Without damping and spin, the square of the momentum that a mode has at unit modal
    /// speed, over its modal mass. Otherwise the part of a mode in the whole, by which damping that
    /// does not couple modes changes nothing; where it couples them strongly, a part may be negative. Of
    /// modes of equal frequency only the sum means something. Theory: (LIN-8), (LIN-21).
    const double *effective;
    /// Their sums over all modes, damped or not: the mass and inertia of the part of the system that
    /// moves against what is held.
    double effective_sums[6];
    double mass;       ///< of the whole system, kg
    double inertia[3]; ///< of the whole system about axes of the world through that point, kg m^2
    const double *q, *v, *a; ///< the point; a: its accelerations
    double unbalance;        ///< largest acceleration at the point that should be zero
    const char *unbalanced;  ///< its coordinate; "" if the point is balanced
    /// How controllers are in it: open or discrete. With a closed feedback the modes are the poles of the
    /// discrete model as log(z) / period, shapes are those at the samples, a mode of a controller alone has
    /// the shape zero, and effective masses are NaN. Theory: (CLL-2).
    lb_control_model control;
    double period;                     ///< of the discrete model, s; 0 without controllers
    int feedback_count;                ///< one per actuator of each controller
    const char *const *feedbacks;      ///< "controller.actuator"
    const unsigned char *closed;       ///< one flag per feedback
    const char *const *feedback_notes; ///< why nothing passes; "" if that needs no words
    bool stable;                       ///< no mode grows by itself, see lb_linear
    double growth[2];                  ///< the eigenvalue that grows fastest, zero if none does
    const char *changes;               ///< see lb_linear
    /// Over a motion that repeats itself: instants, s from its start, and there the periodic part
    /// p of each mode, x = p(t) exp(s t): instant_count x mode_count x coordinate_count x 2. 0 and NULL without
    /// `period`. Theory: (FLQ-6).
    int instant_count;
    const double *instants, *turns;
    const double *multipliers; ///< mode_count x 2: exp(s period); NULL without `period`
    double moved;              ///< see lb_linear
    const char *moved_name;
    int lost_count; ///< eigenvalues left out: they decay within one period to less than is known. Theory: (FLQ-7)
} lb_modes;

/// Computes the natural modes about a point, or with controllers the poles of the closed loop. `inputs` and
/// `outputs` of the options are not used.
///
/// Undamped systems at rest are solved by a symmetric eigenproblem, all others by a general one.
/// Theory: (LIN-1)..(LIN-6).
///
/// @param modes  out: to be freed by lb_destroy_modes; NULL on failure
/// @return LB_OK; LB_E_ARGUMENT for bad options; LB_E_VERSION for options of a newer version;
///         LB_E_EQUILIBRIUM if there is no equilibrium or the motion is not steady; LB_E_SINGULAR,
///         LB_E_UNSUPPORTED, LB_E_MEMORY, or what evaluation fails with
LB_API lb_status lb_compute_modes(lb_simulation *simulation, const lb_linear_options *options,
                                  lb_modes **modes);

/// Frees modes. NULL does nothing.
LB_API void lb_destroy_modes(lb_modes *modes);

/// Computes the displacement of a node in a mode. O(bodies); does not allocate.
///
/// @param mode          index into the arrays of lb_modes
/// @param displacement  out: 6 x 2, rotation (rad) and translation (m) in world axes, rotation first;
///                      real and imaginary part of each
/// @return LB_OK, or LB_E_ARGUMENT if there is no such mode, body or node
LB_API lb_status lb_compute_mode_displacement(lb_simulation *simulation, const lb_modes *modes,
                                              int mode, int body, int node,
                                              double displacement[12]);

/// Frequencies over a range of spin speeds. Modes of different speeds are joined into lines by the
/// likeness of their shapes.
typedef struct lb_campbell {
    size_t size; ///< of this struct, set by the library
    int speed_count, line_count;
    const double *speeds;      ///< rad/s
    const double *frequencies; ///< speed_count x line_count, Hz; NaN where a line has no mode
    const double *dampings;    ///< damping ratios, in the same order
} lb_campbell;

/// Computes modes at each of several speeds of `spin`, which the options must give. Costs as much as
/// lb_compute_modes at each speed. Controllers must be left out: LB_E_UNSUPPORTED otherwise. Theory: (LIN-7).
///
/// @param speeds    speed_count spin speeds, rad/s or m/s; `spin_speed` of the options is not used
/// @param campbell  out: to be freed by lb_destroy_campbell; NULL on failure
/// @return as lb_compute_modes, or LB_E_NUMBER for a speed that is not finite; the message names the speed
LB_API lb_status lb_compute_campbell(lb_simulation *simulation, const lb_linear_options *options,
                                     int speed_count, const double *speeds, lb_campbell **campbell);

/// Frees what lb_compute_campbell made. NULL does nothing.
LB_API void lb_destroy_campbell(lb_campbell *campbell);

// ---- state-space models ------------------------------------------------------------------------

/// dx/dt = A x + B u,  y - y0 = C x + D u, for small deviations from a point. Matrices are row by row.
///
/// x holds the deviations xi of the coordinates, then those of their speeds. Inputs u are
///
///     panel/n1.force.x   panel/n1.torque.z   a force (N) or torque (N m) at a node, world axes
///     link.motor         base.motor.2        a force or torque at a hinge, added to what acts there
///     link.motion        base.motion.2       an acceleration of a hinge, which is then driven: its
///                                            coordinates and speeds follow from it alone
///     servo              thruster.x          a motor of the model by its name; a component of a force
///     scan               feed.0              or torque, in its own axes; the acceleration of a motion
///     slew.elbow.desired slew.elbow.command  of a closed feedback: the coordinate that controller `slew`
///                                            desires at actuator `elbow`, or what is added to its command
///
/// and add to what the model does by itself. Outputs y are signals (limber/signals.h); only those that
/// depend on accelerations have entries in D.
typedef struct lb_linear {
    size_t size; ///< of this struct, set by the library
    int coordinate_count;
    int state_count; ///< twice that; with controllers their states behind
    int input_count, output_count;
    const double *A;                            ///< state_count x state_count
    const double *B;                            ///< state_count x input_count
    const double *C;                            ///< output_count x state_count
    const double *D;                            ///< output_count x input_count
    const char *const *states;                  ///< names: "arm.angle", ..., "arm.rate", ...
    const char *const *inputs, *const *outputs; ///< as they were given
    const int *coordinates;                     ///< entries of v, with loops the independent ones
    const double *output_values;                ///< y0
    double t;                                   ///< of the point, s
    int q_count, v_count;
    const double *q, *v, *a; ///< the point; a: its accelerations
    double unbalance;        ///< largest acceleration at the point that should be zero
    const char *unbalanced;  ///< its coordinate; "" if the point is balanced
    /// Eigenvalues of A, rad/s, real and imaginary parts: state_count x 2, ascending by size, zeros
    /// exactly zero and pairs side by side, the positive imaginary part first.
    const double *eigenvalues;
    int zero_count; ///< how many are zero
    /// How much each state takes part in each eigenvalue: state_count (of eigenvalues) x state_count.
    /// Each row adds up to 1; rows of eigenvalues that are zero are zero. Theory: (LIN-11).
    const double *participation;
    /// Z and its rate, coordinate_count x coordinate_count each: of a body that is free in space, dv - Z xi
    /// are its speeds seen from a frame that moves along with it uniformly. In these speeds A, less the
    /// rate of Z in its lower left quarter, is as at rest, and the eigenvalues are of that. The rate is
    /// zero unless the body spins while it flies straight on. Theory: (LIN-17).
    const double *carry, *carry_rate;
    /// How controllers are in it. A discrete model is x(t + period) = A x + B u with u held over a period; x is
    /// what it is just before a sample, y just after it.
    lb_control_model control;
    double period; ///< of a discrete model, s; 0 for a continuous one
    /// Of a discrete model: the eigenvalues z of A, state_count x 2, in the order of `eigenvalues`, which are
    /// log(z) / period; -infinity for z = 0. NULL for a continuous one. Theory: (CLL-2).
    const double *multipliers;
    int feedback_count;                ///< one per actuator of each controller
    const char *const *feedbacks;      ///< "controller.actuator"
    const unsigned char *closed;       ///< one flag per feedback
    const char *const *feedback_notes; ///< why nothing passes; "" if that needs no words
    int parameter_count;               ///< of the file that the simulation was loaded from
    const char *const *parameters;     ///< their names
    const double *parameter_values;
    /// No pole grows: motions without resistance and those without damping do not, and a rate that round-off
    /// of the equations may have made is zero. With sampled controllers the exact discrete model is judged,
    /// also where this is the continuous one, whose own poles then may say otherwise. Theory: (STB-1).
    bool stable;
    double growth[2]; ///< the pole that grows fastest, rad/s, real and imaginary part; or zero
    /// A coordinate that moves on and changes the equations as it does, or a force that does so by itself, as in
    /// "thrust, a function of time", so that these are frozen ones: their poles then do not say whether deviations grow.
    /// "" if they stay as they are. Theory: (STB-4).
    const char *changes;
    /// Wheels over whose turns the equations are averaged, "wheel x, wheel y": they are balanced but for little.
    /// "" for none. Theory: (STB-5).
    const char *averaged;
    /// Over a motion that repeats itself, x(t + period) = A x(t) + B u as a discrete model: the coordinate that its
    /// start moved most from the state that was given, and by how much; "" if the state was the start.
    bool is_periodic;
    double moved;
    const char *moved_name;
    /// The loop as it samples, for responses of a continuous model with controllers; NULL otherwise.
    const struct lb_sampled_loop *sampled;
} lb_linear;

/// Linearises the simulation about the point of the options. Theory: (LIN-1), (LIN-5), (LIN-9),
/// (LIN-10); with loops (LIN-13)..(LIN-15); with controllers (CLL-1)..(CLL-4).
///
/// @param linear  out: to be freed by lb_destroy_linear; NULL on failure
/// @return as lb_compute_modes; LB_E_SYNTAX for an input or output that is not understood;
///         LB_E_UNSUPPORTED for a controller that has no linear model
LB_API lb_status lb_linearize(lb_simulation *simulation, const lb_linear_options *options,
                              lb_linear **linear);

/// Frees a linear model. NULL does nothing.
LB_API void lb_destroy_linear(lb_linear *linear);

/// Computes the frequency response G = C (i w - A)^-1 B + D, of a discrete model C (z - A)^-1 B + D with
/// z = exp(i w period). Theory: (LIN-12). With controllers, the part of the outputs at the frequency of the input, of the loop
/// as it samples. Theory: (CLL-8). Solves one complex system of state_count equations per frequency.
///
/// @param count        number of frequencies
/// @param frequencies  Hz
/// @param response     out: count x output_count x input_count x 2, real and imaginary part
/// @return LB_OK, LB_E_MEMORY, LB_E_UNSUPPORTED for a model over a period, LB_E_NUMBER for a frequency that is not finite, or LB_E_SINGULAR if a frequency is an undamped natural one: its entries
///         are NaN, the others are valid
LB_API lb_status lb_compute_response(const lb_linear *linear, int count, const double *frequencies,
                                     double *response);

/// Margins of stability, one feedback cut at its actuator at a time with all others closed. One array per
/// quantity, feedback_count entries each; frequencies in Hz. A margin that does not exist is infinite, or 0
/// for `gain_down`, and its frequency is NaN; a gain that may change a millionfold has none. Of an open feedback all
/// are NaN.
typedef struct lb_margins {
    size_t size; ///< of this struct, set by the library
    bool stable; ///< the loop with all feedbacks closed, see lb_linear; otherwise it has no margins
    double period;
    int feedback_count;                        ///< one per actuator of each controller
    const char *const *feedbacks;              ///< "controller.actuator"
    const unsigned char *closed;               ///< one flag per feedback
    const char *const *feedback_notes;         ///< why nothing passes; "" if that needs no words
    const double *gain_up, *gain_up_frequency; ///< smallest factor above 1 at which the loop swings
    const double *gain_down, *gain_down_frequency; ///< largest factor below 1
    const double *phase, *phase_frequency;         ///< smallest turn of phase, rad
    const double *delay, *delay_frequency;         ///< smallest further delay, s
    double growth[2];    ///< the pole that grows fastest, rad/s, real and imaginary part; or zero
    const char *changes; ///< see lb_linear
} lb_margins;

/// Computes the margins of all closed feedbacks from the exact discrete model; `control` of the options
/// need not be set. Theory: (CLL-5). Solves two generalized eigenproblems of twice the number of states
/// per feedback.
///
/// @param margins  out: to be freed by lb_destroy_margins; NULL on failure
/// @return as lb_linearize
LB_API lb_status lb_compute_margins(lb_simulation *simulation, const lb_linear_options *options,
                                    lb_margins **margins);

/// Frees margins. NULL does nothing.
LB_API void lb_destroy_margins(lb_margins *margins);

/// Computes the response L of a loop that is cut at an actuator, all others closed, from the exact discrete
/// model: what comes back for what is sent, with the sign changed, so that the closed loop swings where
/// L = -1. Theory: (CLL-5). Solves one complex system per frequency.
///
/// @param feedback     "controller.actuator", closed
/// @param count        number of frequencies
/// @param frequencies  Hz; above half the sampling rate L repeats itself
/// @param response     out: count x 2, real and imaginary part; NaN at a pole
/// @return as lb_compute_margins; LB_E_NUMBER for a frequency that is not finite
LB_API lb_status lb_compute_loop_response(lb_simulation *simulation,
                                          const lb_linear_options *options, const char *feedback,
                                          int count, const double *frequencies, double *response);

/// Formats of files that other programs read.
typedef enum lb_linear_format {
    LB_LINEAR_MAT, ///< MATLAB, version 5
    LB_LINEAR_HDF5
} lb_linear_format;

/// Writes A, B, C, D, names, the point, eigenvalues, parameters and, if given, a frequency response to a
/// file. An existing file is replaced.
///
/// @param count        number of frequencies
/// @param frequencies  Hz; NULL for none
/// @param response     of lb_compute_response at these frequencies
/// @param report       receives what is wrong; NULL to drop it
/// @return LB_OK, LB_E_FILE or LB_E_MEMORY
LB_API lb_status lb_save_linear(const lb_linear *linear, int count, const double *frequencies,
                                const double *response, const char *path, lb_linear_format format,
                                const lb_report *report);

#endif // LB_LINEAR_H
