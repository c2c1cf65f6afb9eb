// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the events of a recorded run did, from the names in the results and the actions in the model.
#ifndef LB_CLI_REPLAY_H
#define LB_CLI_REPLAY_H

#include "../src/command.h"
#include "view/recording.h"

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

#endif // LB_CLI_REPLAY_H
