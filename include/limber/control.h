// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Controllers (library limber-sim) close the loop around a simulation. Each samples sensors at its
// rate, compares with a desired motion and commands actuators, which are force elements of type
// LB_FORCE_ACTUATOR. docs/guide/control.md describes sensors and laws.
//
// A law of your own is a function:
//
//     static int hold(void *user, const lb_control_sample *sample, double *commands)
//     {
//         (void)user;
//         commands[0] = 20.0 * (sample->desired[0] - sample->position[0]) - 3.0 * sample->speed[0];
//         return 0;
//     }
//
// and a controller is added with it, here at 100 samples per second on the actuator "motor":
//
//     lb_law_options law = lb_default_law_options();
//     law.type = LB_LAW_CALLBACK;
//     law.callback = hold;
//     lb_channel_options channel = lb_default_channel_options();
//     channel.actuator = "motor";
//     lb_controller_options controller = lb_default_controller_options();
//     controller.name = "hold";
//     controller.rate = 100.0;
//     controller.channels = &channel;
//     controller.channel_count = 1;
//     controller.law = &law;
//     lb_add_controller(simulation, &controller, NULL);
//
// A law samples at n / rate from the start on. At a sample time it sees the state of that time, and its commands act from
// that time on, with every integrator alike; delays of sensors and the lag of actuators come on top. A sample at the time
// where lb_advance_simulation or lb_step_simulation ends is taken when the next one begins, the first by the first of them:
// a variable that the caller sets in between is what the law reads. Forces that read what a law has set see it from the
// sample on. Without a controller, lb_set_command commands an actuator directly.
//
// Sampling allocates nothing, and a callback runs in the thread of the simulation.
#ifndef LB_CONTROL_H
#define LB_CONTROL_H

#include "limber/simulate.h"

// ---- sensors -------------------------------------------------------------------------------------

/// What a sensor measures.
typedef enum lb_sensor_type {
    LB_SENSOR_SIGNAL,
    LB_SENSOR_TORQUE, ///< the force or torque of all elements that act at a hinge
    LB_SENSOR_STRAIN, ///< strain of the fibre between two nodes of a flexible body
    LB_SENSOR_TYPE_COUNT
} lb_sensor_type;

/// A sensor. Noise comes before rounding; before the first arrival a reading is zero. Start from
/// lb_default_sensor_options(). In an array, all elements have the size of the first.
typedef struct lb_sensor_options {
    size_t size;      ///< of this struct
    const char *name; ///< unique in its controller
    lb_sensor_type type;
    const char *signal; ///< signal: which
    const char *hinge;  ///< torque: a body, whose hinge is meant, or "base.2" for one of its speeds
    lb_node_name strain[2]; ///< strain: the nodes
    double offset[3];       ///< strain: where the fibre is beside the nodes, in their axes, m
    double rate;            ///< samples per second; 0 for the controller's
    double delay;           ///< s from a sample to its arrival at the controller
    double noise;           ///< standard deviation of normal noise
    double
        seed; ///< of the noise, 0 or above: sensors of one seed have the same noise; -1, the default: noise of
    ///< its own, made from the names of controller and sensor and the seed of the run
    double quantum; ///< readings are multiples of it; 0 for exact
} lb_sensor_options;

/// An exact sensor of a signal, at the controller's rate.
static inline lb_sensor_options lb_default_sensor_options(void)
{
    lb_sensor_options options = LB_ZEROES;
    options.size = sizeof options;
    options.seed = -1.0;
    return options;
}

// ---- channels ------------------------------------------------------------------------------------

/// How a desired motion goes from waypoint to waypoint, at rest in each.
typedef enum lb_profile {
    LB_PROFILE_CUBIC,   ///< starts and ends with zero speed
    LB_PROFILE_QUINTIC, ///< and zero acceleration; the default
    LB_PROFILE_SEPTIC,  ///< and zero jerk
    LB_PROFILE_COUNT
} lb_profile;

/// An actuator of a controller, what is measured at its hinge and what is desired there. Start from
/// lb_default_channel_options(). In an array, all elements have the size of the first.
typedef struct lb_channel_options {
    size_t size;                 ///< of this struct
    const char *actuator;        ///< name of the force
    const char *position_sensor; ///< measures the hinge's coordinate; NULL: the true one, sampled
    const char *speed_sensor;    ///< measures its speed; NULL: the true one, sampled
    bool speed_by_differences;   ///< in place of a sensor: differences of the position
    const lb_function_options
        *desired;                 ///< coordinate to follow, without jumps and kinks; NULL for none
    int waypoint_count;           ///< in place of `desired`: at least 2 if not zero
    const double *waypoint_times; ///< rising, s
    const double *waypoints;      ///< coordinates
    lb_profile profile;           ///< between waypoints
} lb_channel_options;

/// True position and speed, nothing desired.
static inline lb_channel_options lb_default_channel_options(void)
{
    lb_channel_options options = LB_ZEROES;
    options.size = sizeof options;
    options.profile = LB_PROFILE_QUINTIC;
    return options;
}

// ---- laws ----------------------------------------------------------------------------------------

/// What a law sees at one instant. Arrays are valid during the call only.
typedef struct lb_control_sample {
    size_t size;                        ///< of this struct, set by the library
    double t;                           ///< s
    double period;                      ///< s to the next sample
    int sensor_count;                   ///< in the order of adding
    const double *sensors;              ///< readings, after delay, noise and quantisation
    int channel_count;                  ///< actuators, in the order of adding
    const double *position, *speed;     ///< measured at the hinge of each actuator
    const double *desired;              ///< desired coordinate of each
    const double *desired_speed;        ///< its rate
    const double *desired_acceleration; ///< and the rate of that
} lb_control_sample;

/// A law of your own: fills one command per actuator.
///
/// @return 0, or anything else to fail: the run ends with LB_E_CALLBACK
typedef int (*lb_control_law)(void *user, const lb_control_sample *sample, double *commands);

/// Kinds of laws. docs/guide/control.md says what each does.
typedef enum lb_law_type {
    LB_LAW_PID,             ///< each hinge separately
    LB_LAW_COMPUTED_TORQUE, ///< by inverse dynamics
    LB_LAW_MATCHING,        ///< acceleration matching, US patent 5,546,508
    LB_LAW_CALLBACK,        ///< your own function
    LB_LAW_PROCESS,         ///< a program of its own
    LB_LAW_PLUGIN,          ///< a function of a shared library
    LB_LAW_LQR,             ///< linear-quadratic regulator with an observer
    LB_LAW_ATTITUDE,        ///< attitude of a body by its error quaternion
    LB_LAW_TYPE_COUNT
} lb_law_type;

/// What a law of computed torque knows of flexibility.
typedef enum lb_law_modes {
    LB_LAW_MODES_EXACT,     ///< the true modal state at each sample
    LB_LAW_MODES_ESTIMATED, ///< its own integration
    LB_LAW_MODES_RIGID      ///< nothing
} lb_law_modes;

/// Weights of a regulator that damps vibrations, in place of the gains kp and kd of computed torque and
/// acceleration matching. Start from lb_default_regulator_options().
typedef struct lb_regulator_options {
    size_t size;            ///< of this struct
    double position, speed; ///< of hinge errors and their rates
    double vibration;       ///< of the energy of the modes
    double effort;          ///< of hinge accelerations; 1 by default
} lb_regulator_options;

/// Weights still to be given; effort 1.
static inline lb_regulator_options lb_default_regulator_options(void)
{
    lb_regulator_options options = LB_ZEROES;
    options.size = sizeof options;
    options.effort = 1.0;
    return options;
}

/// A deformation that a law is to follow beside the motion of its hinges: the displacement of a node of a
/// flexible body along a direction, or its turn about one, against the frame of the body. Start from
/// lb_default_deformation_options(). In an array, all elements have the size of the first.
typedef struct lb_deformation_options {
    size_t size;         ///< of this struct
    lb_node_name node;   ///< of the model of the law
    double direction[3]; ///< in the axes of the body; of any length
    bool turn;           ///< its turn about `direction`, rad; else its displacement, m
    const lb_function_options *desired; ///< to follow, without jumps and kinks
    int waypoint_count;                 ///< in place of `desired`: at least 2 if not zero
    const double *waypoint_times;       ///< rising, s
    const double *waypoints;            ///< m or rad
    lb_profile profile;                 ///< between waypoints
    double kp, kd;                      ///< 1/s^2, 1/s: what it asks for if it is off; 0 by default
    double
        weight; ///< of its acceleration beside those of the hinges, which have weight 1; 1 by default
} lb_deformation_options;

/// Weight 1, no feedback; node, direction and desired deformation are still to be given.
static inline lb_deformation_options lb_default_deformation_options(void)
{
    lb_deformation_options options = LB_ZEROES;
    options.size = sizeof options;
    options.profile = LB_PROFILE_QUINTIC;
    options.weight = 1.0;
    return options;
}

/// What a law of attitude measures, follows and gives. Matrices are row by row, and torques in the axes of the body.
/// (ATT-4) to (ATT-6). Start from lb_default_attitude_options().
typedef struct lb_attitude_options {
    size_t size;       ///< of this struct
    lb_node_name node; ///< whose true attitude and rate are sampled, as far as no sensors are named
    const char *const *attitude_sensors; ///< four: the quaternion w x y z from body to world axes
    const char *const *rate_sensors;     ///< three: the angular velocity in body axes, rad/s
    const double *kp; ///< 3 x 3, N m: of the vector part of the error quaternion, half an angle
    const double *kd; ///< 3 x 3, N m s: of the error of the rate
    const double *inertia;        ///< 3 x 3, kg m^2: for the feed-forward; NULL for none
    const double *distribution;   ///< channels x 3: commands for a torque; NULL: three commands
    int waypoint_count;           ///< 0: the world axes are desired; 1: an attitude to keep
    const double *waypoint_times; ///< rising, s; not read if there is only one
    const double *waypoints;      ///< unit quaternions w x y z from desired to world axes
    lb_profile profile;           ///< between waypoints, along the shorter turn
} lb_attitude_options;

/// The world axes are desired; what is measured and both gains are still to be given.
static inline lb_attitude_options lb_default_attitude_options(void)
{
    lb_attitude_options options = LB_ZEROES;
    options.size = sizeof options;
    options.profile = LB_PROFILE_QUINTIC;
    return options;
}

/// A law. Each type reads the fields that name it. Gains are arrays of one number per channel; NULL is
/// zero. Strings and arrays are copied. Start from lb_default_law_options().
typedef struct lb_law_options {
    size_t size; ///< of this struct
    lb_law_type type;

    const double *kp, *kd;        ///< pid, computed torque, matching
    const double *ki;             ///< pid
    const double *inertia;        ///< pid: feedforward, kg m^2 or kg
    const double *integral_limit; ///< pid: of the integral's share; NULL for none

    const lb_regulator_options *regulator; ///< computed torque, matching: in place of kp and kd
    lb_law_modes modes;                    ///< computed torque
    bool integrated;                       ///< matching: hinges are integrated, not measured
    int sweep_count;                       ///< matching: 1 to 100; 2 by default

    lb_control_law callback; ///< callback; NULL: to be given by lb_set_control_callback
    void *user;              ///< callback: handed to it

    const char *const *command; ///< process: program and arguments
    int command_count;          ///< process: how many strings these are
    double timeout;             ///< process: s to wait for an answer; 1 by default
    const char *library;        ///< plugin: file
    const char *function;       ///< plugin: "limber_control" by default

    bool
        about_initial; ///< lqr: about the equilibrium nearest to the initial configuration, not to the
                       ///< neutral one
    double position, speed, vibration; ///< lqr: weights of hinges, their speeds, modes
    double effort;                     ///< lqr: weight of commands; 1 by default
    double process_noise;              ///< lqr: intensity; 1 by default
    double sensor_noise;               ///< lqr: intensity; 1e-6 by default

    const lb_deformation_options *deformations; ///< computed torque, matching: to follow as well
    int deformation_count;                      ///< how many these are
    const lb_model
        *model; ///< computed torque, matching: what the law takes the system for, matched by the
                ///< names of bodies; NULL: the model of the simulation. Must outlive the simulation
    lb_forces *
        model_forces; ///< with `model`: elements of that model, whose forces the law allows for; NULL
                      ///< for none. Must outlive the simulation, which alone may use them meanwhile
    const lb_attitude_options *attitude; ///< attitude
    bool gain_matrices; ///< pid: kp, ki, kd and inertia are square matrices, row by row
} lb_law_options;

/// A PID law without gains.
static inline lb_law_options lb_default_law_options(void)
{
    lb_law_options options = LB_ZEROES;
    options.size = sizeof options;
    options.sweep_count = 2;
    options.timeout = 1.0;
    options.effort = 1.0;
    options.process_noise = 1.0;
    options.sensor_noise = 1e-6;
    return options;
}

// ---- controllers ---------------------------------------------------------------------------------

/// How a desired motion is split so that vibrations cancel.
typedef enum lb_shaping_type {
    LB_SHAPING_NONE,
    LB_SHAPING_ZV, ///< zero vibration
    LB_SHAPING_ZVD ///< and zero derivative of it: longer, and forgives errors of the frequency
} lb_shaping_type;

/// A controller. Strings and arrays are read by lb_add_controller and not kept. Start from
/// lb_default_controller_options().
typedef struct lb_controller_options {
    size_t size;      ///< of this struct
    const char *name; ///< unique
    double rate;      ///< samples per second, from t = 0 on
    const lb_sensor_options *sensors;
    int sensor_count;
    const lb_channel_options *channels;
    int channel_count; ///< at least 1
    lb_shaping_type shaping;
    int shaped_modes; ///< how many of the slowest modes are cancelled, 1 to 3; 1 by default
    const lb_law_options *law;
} lb_controller_options;

/// No sensors, no shaping; name, rate, channels and law are still to be given.
static inline lb_controller_options lb_default_controller_options(void)
{
    lb_controller_options options = LB_ZEROES;
    options.size = sizeof options;
    options.shaped_modes = 1;
    return options;
}

/// Adds a controller. Its actuators and the signals of its sensors must have been added. Allocates.
///
/// @param controller  out: its index in the order of adding, also after LB_E_MODEL; may be NULL
/// @return LB_OK, LB_E_MODEL if something is wrong with it (reported), LB_E_ARGUMENT if the simulation
///         has been used already, LB_E_VERSION or LB_E_MEMORY
LB_API lb_status lb_add_controller(lb_simulation *simulation, const lb_controller_options *options,
                                   int *controller);

/// Gives the controller of that name, whose law must be of type `callback`, its function. Before
/// lb_start_simulation only.
///
/// @return LB_OK or LB_E_ARGUMENT; lb_get_simulation_message says why
LB_API lb_status lb_set_control_callback(lb_simulation *simulation, const char *name,
                                         lb_control_law law, void *user);

/// Commands an actuator that no controller commands, from the present time on until the next command. Its dead
/// zone, limits, rate limit and lag act on it. Before the start: from the start on. Integration restarts if the command
/// is another than before.
///
/// @param actuator  name of the force
/// @return LB_OK; LB_E_ARGUMENT if there is no such actuator, or a controller commands it; LB_E_NUMBER
LB_API lb_status lb_set_command(lb_simulation *simulation, const char *actuator, double command);

#endif // LB_CONTROL_H
