// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that a test writes and removes.
#ifndef LB_TEST_SCRATCH_H
#define LB_TEST_SCRATCH_H

#include <stdio.h>

enum { LB_SCRATCH_PATH_SIZE = 512 };

/// Opens a new file in TMPDIR or /tmp; NULL if that fails. The caller closes and removes it.
FILE *lb_open_scratch(char path[LB_SCRATCH_PATH_SIZE]);

#endif // LB_TEST_SCRATCH_H
