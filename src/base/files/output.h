// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Output files. A file appears under its name when it is complete, and not before:
//
//     lb_output *output;
//     if (lb_open_output("table.csv", &report, &output) == LB_OK) {
//         if (write(lb_get_output_descriptor(output), "t,x\n", 4) == 4) {
//             lb_finish_output(output, true, &report);
//         } else {
//             lb_drop_output(output, errno, &report);
//         }
//     }
//
// Until then it has a private name in the same folder, ".limber-" and sixteen digits. After a failure, what
// was there before is still there. All commands and functions that write files do it in this way.
#ifndef LB_OUTPUT_H
#define LB_OUTPUT_H

#include <stdbool.h>

#include "limber/base.h"

/// A file that is being written.
typedef struct lb_output lb_output;

/// Opens a file to be written. What is at `path` may be a regular file that the caller may write to, or a
/// symbolic link to one, which stays a link. A folder, a device, a named pipe or a socket is refused.
///
/// @param report  receives one sentence on failure; NULL to drop it
/// @param output  out: to be given to lb_finish_output or lb_drop_output; NULL on failure
/// @return LB_OK, LB_E_FILE or LB_E_MEMORY
lb_status lb_open_output(const char *path, const lb_report *report, lb_output **output);

/// The file descriptor to write to. lb_finish_output and lb_drop_output close it.
int lb_get_output_descriptor(const lb_output *output);

/// The private name of the file, for other programs that write it.
const char *lb_get_output_name(const lb_output *output);

/// Waits until the file is on the disk and gives it its name. Frees `output` in any case. On failure the
/// file is removed.
///
/// @param replace  whether a file of this name is replaced
/// @param report   receives one sentence on failure, except for LB_E_ARGUMENT; NULL to drop it
/// @return LB_OK, LB_E_FILE, or LB_E_ARGUMENT if there is a file and `replace` is false
lb_status lb_finish_output(lb_output *output, bool replace, const lb_report *report);

/// Removes the file and frees `output`. NULL is allowed.
///
/// @param error   the value of errno after the write that failed, to be reported; 0 to report nothing
/// @param report  receives one sentence for an error; NULL to drop it
void lb_drop_output(lb_output *output, int error, const lb_report *report);

#endif // LB_OUTPUT_H
