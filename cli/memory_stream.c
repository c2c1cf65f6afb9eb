// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // fopencookie
#include "memory_stream.h"

#include <stdlib.h>
#include <string.h>

#include "console.h"

static ssize_t append(void *user, const char *bytes, size_t count)
{
    lb_cli_memory *m = user;
    if (count >= m->room - m->size) {
        const size_t room = 2 * (m->size + count + 1);
        m->text = lb_cli_realloc(m->text, room);
        m->room = room;
    }
    memcpy(m->text + m->size, bytes, count);
    m->size += count;
    m->text[m->size] = '\0';
    return (ssize_t)count;
}

void lb_cli_open_memory(lb_cli_memory *memory)
{
    const cookie_io_functions_t functions = {.write = append};
    *memory = (lb_cli_memory){.text = lb_cli_calloc(1, 1), .room = 1};
    memory->stream = fopencookie(memory, "w", functions);
    if (!memory->stream) {
        lb_cli_run_out();
    }
}

void lb_cli_close_memory(lb_cli_memory *memory)
{
    fclose(memory->stream);
}
