// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of this folder share: the variables of an FMU, and how its files are made.
#ifndef LB_MAKE_FMU_H
#define LB_MAKE_FMU_H

#include <stddef.h>

#include "export/freeze/page.h"
#include "limber/base.h"
#include "limber/fmu.h"
#include "limber/freeze.h"

// ---- variables ---------------------------------------------------------------------------------

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

/// Parameters of the integrator, which come first and are fixed: step and tolerance.
enum { LB_FMU_SETTINGS = 2 };

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

/// Frees all variables.
void lb_clear_variables(lb_fmu_variables *variables);

/// Units that variables may have, one after the other, with their exponents of kg, m, s and rad.
///
/// @return false behind the last
bool lb_get_unit(int index, const char **name, int exponents[4]);

// ---- texts that are written for each model -----------------------------------------------------

/// What the texts are about.
typedef struct lb_fmu_plan {
    const lb_model *model;
    const lb_fmu_options *options;
    const lb_fmu_variables *variables;
    const lb_fmu_extras *extras;
    const lb_frozen *frozen;    ///< that of the extras, or of the model alone
    const char *token;          ///< GUID or instantiation token, in braces
    const char *const *sources; ///< C files, one after the other; ends in NULL
    bool drifts;                ///< quaternions leave unit length, or loops open, as time goes by
    bool drives;                ///< motions drive hinges
} lb_fmu_plan;

/// modelDescription.xml
void lb_write_description(lb_page *page, const lb_fmu_plan *plan);

/// sources/buildDescription.xml
void lb_write_build(lb_page *page, const lb_fmu_plan *plan);

/// documentation/index.html
void lb_write_documentation(lb_page *page, const lb_fmu_plan *plan);

/// sources/fmu_model.h: the numbers and functions that sources/fmu_core.h asks for.
void lb_write_model_header(lb_page *page, const lb_fmu_plan *plan);

/// sources/fmu_tape.h: the operations that sources/fmu_derive.h differentiates.
void lb_write_tapes(lb_page *page, const lb_fmu_plan *plan);

// ---- files and the zip archive that they become ------------------------------------------------

typedef struct lb_fmu_file {
    char *name, *bytes; ///< with a closing zero behind each
    size_t size;
} lb_fmu_file;

typedef struct lb_fmu_files {
    lb_fmu_file *items;
    int count, capacity;
} lb_fmu_files;

/// Adds a copy of a file.
///
/// @return LB_OK or LB_E_MEMORY
lb_status lb_put_file(lb_fmu_files *files, const char *name, const void *bytes, size_t size);

/// Frees all files.
void lb_clear_files(lb_fmu_files *files);

/// Writes a zip archive whose files are stored as they are, dated 1980-01-01.
///
/// @param archive  out: to be freed by free()
/// @return LB_OK, LB_E_MEMORY, or LB_E_UNSUPPORTED if it would not fit into 4 GB
lb_status lb_form_zip(const lb_fmu_files *files, unsigned char **archive, size_t *size);

// ---- all of them -------------------------------------------------------------------------------

/// Copies the caller's options and checks all but start values.
lb_status lb_take_fmu_options(const lb_fmu_options *options, const lb_report *report,
                              lb_fmu_options *own);

/// Writes the files of an FMU.
///
/// @param options  whole and checked
lb_status lb_make_fmu(const lb_model *model, const lb_fmu_options *options,
                      const lb_fmu_extras *extras, const lb_report *report, lb_fmu **fmu);

// ---- texts that are built in -------------------------------------------------------------------

extern const unsigned char lb_fmu_core[], lb_fmu_values[], lb_fmu_derive[], lb_fmu_events[],
    lb_fmu_step[], lb_fmu_fmi2[], lb_fmu_fmi3[], lb_fmu_header2[], lb_fmu_header3[],
    lb_fmu_licence[];
extern const size_t lb_fmu_core_size, lb_fmu_values_size, lb_fmu_derive_size, lb_fmu_events_size,
    lb_fmu_step_size, lb_fmu_fmi2_size, lb_fmu_fmi3_size, lb_fmu_header2_size, lb_fmu_header3_size,
    lb_fmu_licence_size;

#endif // LB_MAKE_FMU_H
