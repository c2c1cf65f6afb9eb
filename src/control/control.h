// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of controllers share.
//
// Sensors sample at instants n / rate and hand a reading out `delay` later; controllers sample at
// instants of their own, read what has arrived, and give commands, which actuators hold until the
// next. Integration ends a step at every such instant.
#ifndef LB_CONTROL_INSIDE_H
#define LB_CONTROL_INSIDE_H

#include <stdint.h>

#include "limber/control.h"
#include "simulate/forces/forces.h"
#include "simulate/run/simulation.h"

// ---- what was added ----------------------------------------------------------------------------

/// Something is wrong with what was added, at "where.key". Formats as printf does.
#define LB_COMPLAIN(sim, where, ...)                                                               \
    lb_complain(&(sim)->faults, LB_SEVERITY_ERROR, where, __VA_ARGS__)

/// Room for "controllers[2].actuators[1].desired.waypoints[3]".
enum { LB_CONTROL_PATH_SIZE = 128 };

/// "where.list[i]"
void lb_write_item_path(char path[LB_CONTROL_PATH_SIZE], const char *where, const char *list,
                        int i);

/// Complains of a number that is not above zero, or not zero either, or not finite.
///
/// @return whether all is well
bool lb_check_positive(lb_simulation *sim, const char *where, const char *key, bool zero_too,
                       double number);

/// Copies options of a caller over the defaults, for all structs of limber/control.h; complains of a size
/// that is not known.
///
/// @return LB_OK or LB_E_VERSION
lb_status lb_take_controller_options(lb_simulation *sim, const char *where,
                                     const lb_controller_options *options,
                                     lb_controller_options *own);
lb_status lb_take_sensor_options(lb_simulation *sim, const char *where,
                                 const lb_sensor_options *options, lb_sensor_options *own);
lb_status lb_take_channel_options(lb_simulation *sim, const char *where,
                                  const lb_channel_options *options, lb_channel_options *own);
lb_status lb_take_law_options(lb_simulation *sim, const char *where, const lb_law_options *options,
                              lb_law_options *own);
lb_status lb_take_regulator_options(lb_simulation *sim, const char *where,
                                    const lb_regulator_options *options, lb_regulator_options *own);
lb_status lb_take_attitude_options(lb_simulation *sim, const char *where,
                                   const lb_attitude_options *options, lb_attitude_options *own);
lb_status lb_take_deformation_options(lb_simulation *sim, const char *where,
                                      const lb_deformation_options *options,
                                      lb_deformation_options *own);

// ---- sensors -----------------------------------------------------------------------------------

enum { LB_NO_SEED = -1 };

typedef struct lb_sensor {
    const char *name;
    lb_sensor_type type;
    lb_signal signal;
    const char *text;    ///< of the signal
    int v;               ///< torque: speed of the hinge
    int body, nodes[2];  ///< strain: between two nodes of a body,
    double offset[2][3]; ///< at these points, in their axes;
    double length;       ///< undeformed
    double rate, delay, noise, quantum;
    double sample_count; ///< samples taken; the next is due sample_count / rate after the start
    double seed;         ///< LB_NO_SEED for a stream of its own
    uint64_t random;     ///< state of the noise
    double *past;        ///< readings under way, a ring of pairs (time of arrival, reading)
    int past_count, oldest, newest_count;
    double reading;
} lb_sensor;

/// Makes a sensor; complains of what is wrong with it at `where`.
///
/// @param rate  of its controller
/// @return LB_OK (also after faults) or LB_E_MEMORY
lb_status lb_make_sensor(lb_simulation *sim, const char *where, double rate,
                         const lb_sensor_options *options, lb_sensor *sensor);
/// State of the noise of a sensor before its first draw.
uint64_t lb_get_noise_seed(const lb_simulation *sim, const char *controller,
                           const lb_sensor *sensor);
/// Finds the undeformed length of a strain sensor's fibre; changes the state of the system.
lb_status lb_start_sensor(lb_sensor *sensor, lb_system *system);
/// Samples a sensor at the state that lb_evaluate_system has seen.
///
/// @param loads  in and out: what sensors before it have computed at this state
lb_status lb_sample_sensor(lb_sensor *sensor, lb_system *system, double t, lb_load_memory *loads);
/// The latest reading that has arrived by t.
double lb_read_sensor(lb_sensor *sensor, double t);

// ---- desired motion ----------------------------------------------------------------------------

enum { LB_SHAPED_MODE_MAX = 3, LB_IMPULSE_MAX = 27 }; // three impulses a mode

typedef struct lb_controller lb_controller;

typedef struct lb_shaping {
    int mode_count; ///< how many of the slowest
    int order;      ///< 0 zero vibration, 1 also its derivative
    /// Sets the impulses of all channels at the start of a run; NULL: not shaped.
    lb_status (*start)(lb_simulation *sim, lb_controller *controller);
} lb_shaping;

typedef struct lb_desired {
    bool given;
    lb_function function;
    // shaped: a sum of delayed copies
    int impulse_count;
    double weights[LB_IMPULSE_MAX], delays[LB_IMPULSE_MAX];
} lb_desired;

/// Makes the desired motion of a channel: a function of time, or waypoints.
///
/// @param where  of the channel
/// @return LB_OK (also after faults), LB_E_VERSION or LB_E_MEMORY
lb_status lb_make_desired(lb_simulation *sim, const char *where, const lb_channel_options *options,
                          lb_desired *desired);

/// Coordinate, speed, acceleration at t.
void lb_evaluate_desired(const lb_desired *desired, double t, double out[3]);

// ---- controllers -------------------------------------------------------------------------------

/// Where a measured coordinate or speed comes from, unless it is the index of a sensor.
enum { LB_MEASURED_TRULY = -1, LB_MEASURED_BY_DIFFERENCES = -2 };

typedef struct lb_channel {
    int actuator; ///< index of the force
    int body, q, v;
    int position_sensor, speed_sensor;
    double last_position;
    lb_desired desired;
} lb_channel;

typedef struct lb_law lb_law;
typedef struct lb_memory lb_memory;

struct lb_controller {
    const char *name;
    char path[LB_CONTROL_PATH_SIZE];     ///< "controllers[2]"
    char law_path[LB_CONTROL_PATH_SIZE]; ///< "controllers[2].law"
    double rate, sample_count;
    lb_sensor *sensors;
    lb_channel *channels;
    lb_control_sample sample; ///< of the last instant; its arrays are writable through those below
    double *readings, *position, *speed, *desired[3], *commands;
    lb_shaping shaping;
    const lb_law *law;
    bool is_designed; ///< at the start, by the system as it is there
    void *own;        ///< the law's
    void *owned;      ///< freed with the controller by `release`: the model of its law, say
    void (*release)(void *owned);
};

struct lb_control {
    int count, capacity;
    lb_controller *controllers;
    double *at_start; ///< what they remember before the first sample
};

/// A law about a sample, for small deviations of what it reads and remembers:
///
///     memory+ = M memory + N read,   commands = C memory + D read                       (CLL-1)
///
/// `read` is, in this order: the readings of its sensors; the coordinates of its channels as measured, then
/// their speeds; the desired coordinates; and where the law reads the state, xi and dv of the whole system,
/// v_count each.
typedef struct lb_law_slopes {
    int memory_count, read_count;
    double *M, *N, *C, *D; ///< row by row
    double *drift;         ///< memory_count: what the memory gains from this sample to the next
    char (*names)[LB_COLUMN_SIZE]; ///< of the memory, to be put behind that of the controller
    const double *scales;          ///< given: sizes of what is read, for differences
    bool
        is_kept; ///< given: at the memory as it is, which laws that estimate take to this state otherwise
} lb_law_slopes;

/// A kind of law. One file each; all are listed in design/add_controller.c.
struct lb_law {
    const char *name;   ///< as in a model file
    bool needs_desired; ///< of every channel
    bool
        needs_channels; ///< `make` may only be called if nothing is wrong with sensors and channels
    /// Makes what it keeps in `own`, from options; complains of what is wrong with them at `law_path`.
    /// Sensors and channels are there and sound.
    lb_status (*make)(lb_simulation *sim, const lb_law_options *options, lb_controller *controller);
    /// Sets up what depends on the whole simulation, once nothing can be added any more; may be NULL.
    lb_status (*complete)(lb_simulation *sim, lb_controller *controller);
    /// At the start of a run, t = 0; may be NULL.
    lb_status (*start)(lb_simulation *sim, lb_controller *controller);
    /// Fills `commands` from `sample`.
    lb_status (*update)(lb_simulation *sim, lb_controller *controller);
    void (*destroy)(lb_controller *controller); ///< may be NULL
    /// Hands all that it keeps from sample to sample to lb_remember, as much before the start as
    /// after it; NULL if that is not in its hands.
    void (*remember)(lb_memory *memory, const lb_simulation *sim, lb_controller *controller);
    bool reads_state; ///< not only what is measured
    /// Numbers that it remembers and that a linear model must have as states; NULL for none.
    int (*count_states)(const lb_simulation *sim, const lb_controller *controller);
    /// Derivatives at the sample that `controller` and the system hold, after the start. Fills `commands`
    /// and leaves the memory as it was. NULL: what it does is not in our hands.
    lb_status (*differentiate)(lb_simulation *sim, lb_controller *controller,
                               lb_law_slopes *slopes);
    /// Takes the memory to where it is after many samples at this state. NULL: it has nothing of the state.
    lb_status (*settle)(lb_simulation *sim, lb_controller *controller);
    /// Adds to the numbers of count_states, within their limits; NULL if there are never any.
    void (*move_memory)(lb_controller *controller, const double *by);
    const char *const *columns; ///< what else is recorded of it, up to NULL; may be NULL
    /// The values of these columns at the last sample.
    const double *(*get_shown)(const lb_controller *controller);
};

// ---- law_slopes.c ------------------------------------------------------------------------------

/// Derivatives of a law by differences of its update.                                   (DER-9)
///
/// @param memory  slopes->memory_count numbers that the law keeps
/// @param sizes   of these
/// @return LB_OK, LB_E_MEMORY, LB_E_NUMBER if there is no derivative, or what the update fails with
lb_status lb_difference_law(lb_simulation *sim, lb_controller *controller, double *const *memory,
                            const double *sizes, lb_law_slopes *slopes);

/// Which of what a law reads is of a channel: 0 its coordinate, 1 its speed, 2 the desired coordinate.
static inline int lb_find_read(const lb_controller *controller, int order, int channel)
{
    return controller->sample.sensor_count + order * controller->sample.channel_count + channel;
}

/// Begins a controller behind the last one: it has its paths, and is not counted yet.
lb_status lb_begin_controller(lb_simulation *sim, lb_controller **controller);

/// Gives a controller its name. Complains if there is none, or if another has it.
lb_status lb_name_controller(lb_simulation *sim, const char *name, lb_controller *controller);

/// Makes sensors and channels of a controller, whose rate is known, and the arrays of its samples.
lb_status lb_make_parts(lb_simulation *sim, const lb_controller_options *options,
                        lb_controller *controller);

/// Counts a controller that was begun, or drops it after a failure.
lb_status lb_end_controller(lb_simulation *sim, lb_controller *controller, lb_status status);

/// Hands something to the last controller, which frees it at its end.
void lb_give_to_controller(lb_simulation *sim, void *owned, void (*release)(void *owned));

/// Uses up the index of a controller that is wrong in a way that cannot be put into options, so that
/// others are counted as in the file and its name is known.
///
/// @param name  NULL if it has none
lb_status lb_reserve_controller(lb_simulation *sim, const char *name);

// ---- memory ------------------------------------------------------------------------------------

typedef enum lb_memory_task { LB_MEMORY_COUNT, LB_MEMORY_SAVE, LB_MEMORY_RESTORE } lb_memory_task;

/// One pass over all that controllers remember.
struct lb_memory {
    lb_memory_task task;
    int count;       ///< numbers so far
    double *numbers; ///< kept ones; NULL while they are only counted
};

/// Counts, keeps or brings back numbers.
void lb_remember(lb_memory *memory, int count, double *numbers);

/// As the sampler of a simulation asks.
int lb_count_memory(const lb_simulation *sim);
void lb_save_memory(const lb_simulation *sim, double *numbers);
/// Brings back what lb_save_memory has saved.
void lb_recall_memory(lb_simulation *sim, double *numbers);
/// The same for a run that is taken up again: refuses laws whose memory is their own.
lb_status lb_restore_memory(lb_simulation *sim, double *numbers);

/// The controllers of a simulation.
extern const lb_sampler lb_controllers;

extern const lb_law lb_law_pid, lb_law_computed_torque, lb_law_matching, lb_law_callback,
    lb_law_process, lb_law_plugin, lb_law_attitude;

/// Adds sensors of the true motion to the options of a controller whose law of attitude names none.
///
/// @param options  sensors and their number are replaced where it is so
/// @return LB_OK (also after faults), LB_E_VERSION or LB_E_MEMORY
lb_status lb_add_attitude_sensors(lb_simulation *sim, const lb_controller *controller,
                                  lb_controller_options *options);

/// The configuration in which the desired motion ends: the initial one with the channels moved.
void lb_find_desired_end(const lb_simulation *sim, const lb_controller *controller, double *q);

/// Copies `count` gains of a law; complains of one that is not finite. NULL leaves them.
///
/// @param infinite_too  infinity is fine
void lb_copy_gains(lb_simulation *sim, const lb_controller *controller, const char *key,
                   bool infinite_too, int count, const double *gains, double *numbers);

#endif // LB_CONTROL_INSIDE_H
