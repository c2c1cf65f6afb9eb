// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the events of a recorded run did, and its states with all that acts at them.
#ifndef LB_CLI_REPLAY_H
#define LB_CLI_REPLAY_H

#include "../src/command.h"
#include "view/recording.h"

// ---- events ------------------------------------------------------------------------------------

/// Called for each action of each event that happened: `{enable: FORCE}` has the key "enable", `make` and
/// `alter` have the name of their loop.
///
/// @param what  what stands under `make`; of others the whole action
typedef void lb_cli_action(void *user, double t, const char *key, const char *subject,
                           const lb_place *what);

/// Goes through the actions of events `first` and later, up to time `until`.
///
/// @return number of the first event that is later
int lb_cli_replay(const lb_cli_recording *recording, int first, double until, lb_cli_action *action,
                  void *user);

/// Such an action: events switch forces on and off.
///
/// @param forces  of which the action switches one, or none
void lb_cli_switch_force(void *forces, double t, const char *key, const char *subject,
                         const lb_place *what);

// ---- loads that were not recorded --------------------------------------------------------------

/// The state at a row, and room for what is computed of it.
typedef struct lb_cli_acting {
    const lb_cli_recording *recording;
    double *q, *v, *a;     ///< the state of the row
    double *tau;           ///< v_count: scratch
    double *given;         ///< likewise
    unsigned char *driven; ///< scratch, one flag per body
    bool *enabled;         ///< forces as the model has them, to be put back
    int event;             ///< next to come
} lb_cli_acting;

/// Makes room. Needs a model.
///
/// @return false if there is no memory
bool lb_cli_start_acting(const lb_cli_recording *recording, lb_cli_acting *acting);

/// Frees it, and switches forces back.
void lb_cli_end_acting(lb_cli_acting *acting);

/// Goes to a row, none before the one that it is at: events switch forces, forces are computed
/// (lb_get_applied_loads), and the dynamics are those of the recorded accelerations. Forces of loops are not known.
///
/// @return false after saying what is wrong
bool lb_cli_act(lb_cli_acting *acting, long row);

/// A signal at all rows, such as a reaction or a section. Not for models with loops.
///
/// @param values  out: row_count
/// @return false after saying what is wrong
bool lb_cli_compute_load(const lb_cli_recording *recording, const char *name,
                         const lb_signal *signal, double *values);

#endif // LB_CLI_REPLAY_H
