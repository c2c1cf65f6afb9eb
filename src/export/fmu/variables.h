// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The variables of an FMU: names, units, start values. Their order is that of the value references.
#ifndef LB_FMU_VARIABLES_H
#define LB_FMU_VARIABLES_H

#include "export/freeze/page.h"
#include "limber/fmu.h"
#include "limber/freeze.h"

/// Kinds of variables, in the order of the value references, behind the time.
typedef enum lb_fmu_kind {
    LB_FMU_STATE,
    LB_FMU_RATE, ///< of the states, in their order
    LB_FMU_INPUT,
    LB_FMU_OUTPUT,
    LB_FMU_PARAMETER,
    LB_FMU_INDICATOR,
    LB_FMU_KIND_COUNT
} lb_fmu_kind;

/// What an event does.
typedef struct lb_fmu_event {
    int direction; ///< +1 rising, -1 falling, 0 both
    bool once, ends;
} lb_fmu_event;

typedef struct lb_fmu_variable {
    lb_fmu_kind kind;
    lb_page name, description;
    const char *unit; ///< NULL for a plain number
    double start;
    double low, high; ///< of a parameter; infinite if it has no range
    int entry;        ///< of an input: entry of tau, or of u
    bool is_force;    ///< of an input: of tau
    bool is_tunable;  ///< of a parameter
    double nominal;   ///< of a state: its value when the model has moved by its own size
    bool is_carried;  ///< of a state: position or velocity of the model as a whole
    int depends_on;   ///< of a rate: the only state that it depends on, linearly; -1 for all
} lb_fmu_variable;

typedef struct lb_fmu_variables {
    lb_fmu_variable *items;
    int count, capacity;
    int counts[LB_FMU_KIND_COUNT];
    bool out_of_memory;
} lb_fmu_variables;

/// What a simulation adds to its model. All zero for a model alone.
typedef struct lb_fmu_extras {
    const lb_frozen *frozen;    ///< NULL: the model alone is frozen
    const lb_fmu_event *events; ///< by event of the simulation; stops come behind them
    int event_count;
    bool controlled; ///< controllers are frozen
    const unsigned char
        *inside; ///< by actuator, which come first in u: a controller commands it; NULL for none
    int actuator_count;
    const char *const *units;    ///< by entry of u: NULL for none
    const unsigned char *driven; ///< by speed: a motion drives it; NULL for none
} lb_fmu_extras;

/// Lists the variables of a model, and of the simulation around it.
///
/// @return LB_OK or LB_E_MEMORY; either way to be cleared by lb_clear_variables
lb_status lb_list_variables(const lb_model *model, const lb_fmu_options *options,
                            const lb_fmu_extras *extras, lb_fmu_variables *variables);

/// Unit of a hinge that has the speed v: of its coordinate (0), speed (1), acceleration (2) or force (3). NULL for modes.
const char *lb_get_hinge_unit(const lb_model *model, int v, int what);

/// Sets the nominal values of the states that are listed.
///
/// @return LB_OK or LB_E_MEMORY
lb_status lb_set_nominals(const lb_model *model, lb_fmu_variables *variables);

/// Frees all variables.
void lb_clear_variables(lb_fmu_variables *variables);

/// Value reference of the first variable of a kind.
int lb_get_first_reference(const lb_fmu_variables *variables, lb_fmu_kind kind);

/// Units that variables may have, one after the other, with their exponents of kg, m, s and rad.
///
/// @return false behind the last
bool lb_get_unit(int index, const char **name, int exponents[4]);

#endif // LB_FMU_VARIABLES_H
