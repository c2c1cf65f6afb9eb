// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files and folders that a test writes and removes.
#ifndef LB_TEST_SCRATCH_H
#define LB_TEST_SCRATCH_H

#include <stdbool.h>
#include <stdio.h>

enum { LB_SCRATCH_PATH_SIZE = 512 };

/// Opens a new file in TMPDIR or /tmp; NULL if that fails. The caller closes and removes it.
FILE *lb_open_scratch(char path[LB_SCRATCH_PATH_SIZE]);

/// Makes a folder there the current one, and removes it with all that is in it at the end of the program. What is named
/// by a relative path is then in it. False if that fails.
bool lb_enter_scratch_folder(void);

#endif // LB_TEST_SCRATCH_H
