// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Levels of inputs over the frequency, off the command line: "INPUT=LEVEL".
#ifndef LB_CLI_PROFILE_H
#define LB_CLI_PROFILE_H

#include "commands.h"

/// Inputs with their levels, in the order in which they are given.
typedef struct lb_cli_profiles {
    int count;
    char **inputs;
    int *point_counts; ///< of each input; 1 for a level at all frequencies
    int point_count;   ///< of all
    double *frequencies, *levels;
} lb_cli_profiles;

/// Reads all values of an option: INPUT=X, INPUT=F:X,F:X,... or INPUT=FILE with a frequency in Hz and a
/// level in each line. To be freed, also after errors.
///
/// @return LB_CLI_DONE, or another exit status after saying why
int lb_cli_read_profiles(const lb_cli_arguments *arguments, const char *option,
                         lb_cli_profiles *profiles);

void lb_cli_free_profiles(lb_cli_profiles *profiles);

#endif // LB_CLI_PROFILE_H
