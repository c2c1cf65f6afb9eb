// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files and folders that are gone at the end of the program: see lb_find_scratch.
#ifndef LB_TEST_SCRATCH_H
#define LB_TEST_SCRATCH_H

#include <stdbool.h>
#include <stdio.h>

enum { LB_SCRATCH_PATH_SIZE = 512 };

/// Opens a new file, for writing and reading, in the scratch folder of the program; NULL if that fails. The caller closes it.
FILE *lb_open_scratch(char path[LB_SCRATCH_PATH_SIZE]);

/// Makes a folder there, which is empty; NULL if that fails.
const char *lb_make_scratch_folder(void);

/// Makes such a folder the current one: what is named by a relative path is then in it. False if that fails.
bool lb_enter_scratch_folder(void);

#endif // LB_TEST_SCRATCH_H
