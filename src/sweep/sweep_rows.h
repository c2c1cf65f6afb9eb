// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines of files of rows. The first line names the sweep; each of the others is a row:
//
//     limber-sweep-rows 1 HASH
//     CHECKSUM INDEX STATUS OUTPUT...            after success: 16 hexadecimal digits per output
//     CHECKSUM INDEX STATUS MESSAGE              after a failure
//
// Numbers are written as their bits, so that what is read is what was computed, whatever the locale. The checksum is
// of what follows it, without the end of the line.
#ifndef LB_SWEEP_ROWS_H
#define LB_SWEEP_ROWS_H

#include "sweep.h"

/// FNV-1a of some bytes.
uint32_t lb_compute_line_checksum(const char *text, size_t length);

/// Room for the first line.
enum { LB_ROWS_HEADER = 96 };

/// Writes the first line, with its end.
///
/// @return its length
size_t lb_format_rows_header(const lb_sweep *sweep, char line[LB_ROWS_HEADER]);

/// Room for any other line.
size_t lb_get_row_room(const lb_sweep *sweep);

/// What is said of a file that belongs to another sweep, and of one that is none.
extern const char lb_other_rows[], lb_no_file[];

/// Reports what is wrong with a file or folder.
///
/// @return `status`
lb_status lb_complain_of_rows(const lb_report *report, const char *path, lb_status status,
                              const char *message);

#endif // LB_SWEEP_ROWS_H
