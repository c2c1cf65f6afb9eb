// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a web page are written with: JSON, blocks of numbers, and remarks on what was left out.
#ifndef LB_CLI_PAGE_WRITER_H
#define LB_CLI_PAGE_WRITER_H

#include <jansson.h>

#include "view/page.h"
#include "view/recording.h"

/// Numbers of one block, which the page decodes at once.
enum { LB_CLI_BLOCK_SIZE = 1 << 18 };

typedef struct lb_cli_writer {
    FILE *out;
    const lb_cli_page *page;
    json_t *notices;
    int block_count;
    long row_stride; ///< of plots
    long row_count;  ///< kept
    bool is_second;  ///< of two runs: it may lack signals that the first has
    bool good;       ///
} lb_cli_writer;

void lb_cli_add_notice(lb_cli_writer *w, const char *format, ...) LB_PRINTF(2, 3);

void lb_cli_write_json(lb_cli_writer *w, const char *id, const json_t *value);

/// @return the number of the block, under which the page finds it
int lb_cli_write_block(lb_cli_writer *w, const void *data, size_t size);

/// Writes a long array in several blocks.
///
/// @return their numbers
json_t *lb_cli_write_floats(lb_cli_writer *w, const float *values, size_t count);

/// The recorded tables but for the time, column after column, every row_stride-th row.
json_t *lb_cli_write_tables(lb_cli_writer *w);

/// Adds the signals that were asked for on the command line and are not recorded.
///
/// @param asked  out: names of all that were asked for
/// @return false after saying why
bool lb_cli_write_signals(lb_cli_writer *w, json_t *tables, json_t *asked);

/// The scene and its motion.
json_t *lb_cli_write_model(lb_cli_writer *w);

/// A text. Names may be cut within a character: what is not UTF-8 becomes question marks.
json_t *lb_cli_make_text(const char *text);

/// A number; null if it is not finite.
json_t *lb_cli_make_number(double x);
json_t *lb_cli_make_numbers(const double *x, int count);

/// The events of a run: time, name, and what each did, such as ["release grip"].
json_t *lb_cli_make_event_list(const lb_cli_recording *recording);

/// The audit as the command line prints it: [label, text] for each line. Null if there is none.
json_t *lb_cli_make_audit_lines(const lb_results *results);

#endif // LB_CLI_PAGE_WRITER_H
