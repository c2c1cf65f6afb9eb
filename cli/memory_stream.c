// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // fopencookie
#include "memory_stream.h"

#include <stdlib.h>
#include <string.h>

#include "console.h"

// A result of zero marks the stream as broken.
static ssize_t append(void *user, const char *bytes, size_t count)
{
    lb_cli_memory *m = user;
    if (count >= m->room - m->size) {
        const size_t room = 2 * (m->size + count + 1);
        char *larger = lb_cli_realloc(m->text, room);
        if (!larger) {
            return 0;
        }
        m->text = larger;
        m->room = room;
    }
    memcpy(m->text + m->size, bytes, count);
    m->size += count;
    m->text[m->size] = '\0';
    return (ssize_t)count;
}

bool lb_cli_open_memory(lb_cli_memory *memory)
{
    const cookie_io_functions_t functions = {.write = append};
    *memory = (lb_cli_memory){.text = lb_cli_calloc(1, 1), .room = 1};
    memory->stream = memory->text ? fopencookie(memory, "w", functions) : NULL;
    if (!memory->stream) {
        free(memory->text);
        lb_cli_run_out();
    }
    return memory->stream != NULL;
}

bool lb_cli_close_memory(lb_cli_memory *memory)
{
    const bool broken = fflush(memory->stream) != 0 || ferror(memory->stream);
    const bool closed = fclose(memory->stream) == 0;
    if (broken || !closed) {
        lb_cli_run_out();
    }
    return !broken && closed;
}
