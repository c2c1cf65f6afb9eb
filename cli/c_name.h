// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#ifndef LB_CLI_C_NAME_H
#define LB_CLI_C_NAME_H

/// A name of C from that of a file: `7 dof-arm.c` gives `m7_dof_arm`. Folders and the ending are left out, what C has no
/// room for becomes _, and at most 40 characters are kept.
///
/// @return NULL if memory ran out, which is said; freed by the caller
char *lb_cli_make_c_name(const char *path);

#endif // LB_CLI_C_NAME_H
