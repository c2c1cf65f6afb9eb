// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A stream into memory that grows, for texts that must be whole before anyone sees them. open_memstream would lose
// what does not fit without a word: no result of its stream tells.
#ifndef LB_CLI_MEMORY_STREAM_H
#define LB_CLI_MEMORY_STREAM_H

#include <stdbool.h>
#include <stdio.h>

typedef struct lb_cli_memory {
    FILE *stream;
    char *text; ///< of `size` bytes, and a zero behind them; to be freed by the caller
    size_t size, room;
} lb_cli_memory;

/// Starts an empty text.
void lb_cli_open_memory(lb_cli_memory *memory);

/// Ends the text.
void lb_cli_close_memory(lb_cli_memory *memory);

#endif // LB_CLI_MEMORY_STREAM_H
