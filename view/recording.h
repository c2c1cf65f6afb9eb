// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A recorded run with the model that made it: what pictures are drawn from.
#ifndef LB_CLI_RECORDING_H
#define LB_CLI_RECORDING_H

#include "console.h"
#include "limber/forces.h"
#include "limber/results.h"

/// Longest name of a signal.
enum { LB_CLI_SIGNAL_SIZE = 160 };

typedef struct lb_cli_recording {
    lb_results *results;
    long row_count;

    // the model that the file holds; all NULL if it cannot be loaded
    lb_document *document;
    lb_model *model;
    lb_work *work;
    lb_forces *forces;
    char folder
        [1024]; ///< files that the results keep, for as long as this is open; "" if there are none
    char why[256];           ///< why there is no model
    const char *model_path;  ///< the file that it was loaded from; NULL for the text in the results
    const char *allow_files; ///< a folder of which it may name files; NULL for none

    int q_table, v_table, a_table; ///< -1 if the file has none
    double *times;
} lb_cli_recording;

/// Opens results and loads the model that they hold. A model that cannot be loaded is no failure:
/// `model` is NULL then.
///
/// @param model_path  load this file instead of the text in the results; NULL for the text
/// @param allow_files  a folder besides its own of which the model may name files, or NULL
/// @return false after saying what is wrong
bool lb_cli_open_recording(const char *path, const char *model_path, const char *allow_files,
                           lb_cli_recording *recording);
void lb_cli_close_recording(lb_cli_recording *recording);

/// Opens the recording that the command line names: its first operand, and --model.
bool lb_cli_open_asked_recording(const lb_cli_arguments *arguments, lb_cli_recording *recording);

/// Whether a name is that of a model, not of results.
bool lb_cli_is_model(const char *path);

/// Opens a recording of the initial state of the model that is the first operand.
bool lb_cli_open_pose(const lb_cli_arguments *arguments, lb_cli_recording *recording);

/// All rows of a signal: a column of the file, or else anything that the signal grammar can ask of
/// the model, loads included unless there are loops; or an expression of such signals.
///
/// @param values  out: row_count
/// @return LB_CLI_DONE, or after saying what is wrong LB_CLI_USAGE if there is no such signal, and LB_CLI_FAILED if it
///         cannot be read or computed
int lb_cli_read_signal(const lb_cli_recording *recording, const char *name, double *values);

/// Whether a signal is among the columns of the results, as lb_cli_read_signal finds it there.
bool lb_cli_is_recorded(const lb_cli_recording *recording, const char *name);

/// Signals at some rows, computed from the recorded states.
///
/// @param values  out: one row after the other, `count` each
/// @return false if a row cannot be read, or a signal does not follow from it; nothing is said
bool lb_cli_compute_signals(const lb_cli_recording *recording, lb_signal *const *signals,
                            size_t count, long first, long row_count, double *values);

/// Whether a signal can be read: it is recorded, or it can be computed from the recorded states.
///
/// @param recording  without results (NULL) only the grammar is checked
/// @param why        out: what is wrong
bool lb_cli_has_signal(const lb_cli_recording *recording, const char *name, char why[256]);

/// Whether a text is more than one signal, by what is outside of quotes and brackets: operators and blanks, a hyphen or
/// slash behind the dot of a quantity, a number at the beginning.
bool lb_cli_is_expression(const char *text);

/// Unit of a signal, such as "rad/s": by its name, or as the model states it. Of an expression, if it is a sum, difference,
/// abs, min, max, hypot or clamp whose terms have the same; "" if it is a pure or unknown number.
const char *lb_cli_get_unit(const lb_cli_recording *recording, const char *name);

/// The same of a column whose table is known, -1 for none: a name is not sought among all others.
const char *lb_cli_get_column_unit(const lb_cli_recording *recording, int table, const char *name);

/// Positions of everything at one row, left in `work`; speeds as well if `with_v`.
///
/// @param q, v, a  buffers of q_count, v_count, v_count; v and a NULL to leave them out
bool lb_cli_move_to_row(const lb_cli_recording *recording, long row, double *q, double *v,
                        double *a);

#endif // LB_CLI_RECORDING_H
