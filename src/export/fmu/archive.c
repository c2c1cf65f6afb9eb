// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "make_fmu.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

lb_status lb_put_file(lb_fmu_files *files, const char *name, const void *bytes, size_t size)
{
    if (files->count == files->capacity) {
        const int capacity = files->capacity ? 2 * files->capacity : 16;
        lb_fmu_file *items = realloc(files->items, (size_t)capacity * sizeof *items);
        if (!items) {
            return LB_E_MEMORY;
        }
        files->items = items;
        files->capacity = capacity;
    }
    lb_fmu_file *file = &files->items[files->count];
    file->size = size;
    file->name = malloc(strlen(name) + 1);
    file->bytes = malloc(size + 1);
    if (!file->name || !file->bytes) {
        free(file->name);
        free(file->bytes);
        return LB_E_MEMORY;
    }
    strcpy(file->name, name);
    if (size) {
        memcpy(file->bytes, bytes, size);
    }
    file->bytes[size] = 0;
    ++files->count;
    return LB_OK;
}

void lb_clear_files(lb_fmu_files *files)
{
    for (int i = 0; i < files->count; ++i) {
        free(files->items[i].name);
        free(files->items[i].bytes);
    }
    free(files->items);
    *files = (lb_fmu_files){.items = NULL};
}

// ---- zip ---------------------------------------------------------------------------------------

// The check sum of zip: polynomial division by 0xedb88320, bits reversed.
static uint32_t compute_check(const char *bytes, size_t size)
{
    uint32_t table[256], check = 0xffffffffu;
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t x = i;
        for (int bit = 0; bit < 8; ++bit) {
            x = (x >> 1) ^ (x & 1 ? 0xedb88320u : 0);
        }
        table[i] = x;
    }
    for (size_t i = 0; i < size; ++i) {
        check = (check >> 8) ^ table[(check ^ (unsigned char)bytes[i]) & 0xff];
    }
    return ~check;
}

static unsigned char *put_number(unsigned char *at, uint32_t x, int bytes)
{
    for (int i = 0; i < bytes; ++i) {
        *at++ = (unsigned char)(x >> (8 * i));
    }
    return at;
}

static unsigned char *put_bytes(unsigned char *at, const char *bytes, size_t size)
{
    if (size) {
        memcpy(at, bytes, size);
    }
    return at + size;
}

enum { LOCAL_SIZE = 30, ENTRY_SIZE = 46, END_SIZE = 22 };

// What the head of a file and its entry in the directory have in common: version needed 1.0, no flags, stored, the
// first day that zip knows.
static unsigned char *put_facts(unsigned char *at, const lb_fmu_file *file)
{
    at = put_number(at, 10, 2);
    at = put_number(at, 0, 2);
    at = put_number(at, 0, 2);
    at = put_number(at, 0, 2);
    at = put_number(at, 0x21, 2);
    at = put_number(at, compute_check(file->bytes, file->size), 4);
    at = put_number(at, (uint32_t)file->size, 4);
    at = put_number(at, (uint32_t)file->size, 4);
    at = put_number(at, (uint32_t)strlen(file->name), 2);
    return put_number(at, 0, 2);
}

lb_status lb_form_zip(const lb_fmu_files *files, unsigned char **archive, size_t *size)
{
    size_t total = END_SIZE;
    *archive = NULL;
    *size = 0;
    for (int i = 0; i < files->count; ++i) {
        const size_t name = strlen(files->items[i].name), room = files->items[i].size;
        if (name > 0xffff || room > 0xffffffffu || total > 0xffffffffu || files->count > 0xffff) {
            return LB_E_UNSUPPORTED;
        }
        total += room + 2 * name + LOCAL_SIZE + ENTRY_SIZE;
    }
    if (total > 0xffffffffu) {
        return LB_E_UNSUPPORTED;
    }
    unsigned char *start = malloc(total), *at = start;
    uint32_t *offsets = calloc((size_t)files->count + 1, sizeof *offsets);
    if (!start || !offsets) {
        free(start);
        free(offsets);
        return LB_E_MEMORY;
    }
    for (int i = 0; i < files->count; ++i) {
        const lb_fmu_file *file = &files->items[i];
        offsets[i] = (uint32_t)(at - start);
        at = put_number(at, 0x04034b50, 4);
        at = put_facts(at, file);
        at = put_bytes(at, file->name, strlen(file->name));
        at = put_bytes(at, file->bytes, file->size);
    }
    const uint32_t directory = (uint32_t)(at - start);
    for (int i = 0; i < files->count; ++i) {
        const lb_fmu_file *file = &files->items[i];
        at = put_number(at, 0x02014b50, 4);
        at = put_number(at, 0x0314, 2); // made by version 2.0 on Unix, for the permissions below
        at = put_facts(at, file);
        at = put_number(at, 0, 4); // no comment, first disk
        at = put_number(at, 0, 2);
        at = put_number(at, 0100644u << 16, 4);
        at = put_number(at, offsets[i], 4);
        at = put_bytes(at, file->name, strlen(file->name));
    }
    const uint32_t end = (uint32_t)(at - start);
    at = put_number(at, 0x06054b50, 4);
    at = put_number(at, 0, 4);
    at = put_number(at, (uint32_t)files->count, 2);
    at = put_number(at, (uint32_t)files->count, 2);
    at = put_number(at, end - directory, 4);
    at = put_number(at, directory, 4);
    at = put_number(at, 0, 2);
    free(offsets);
    *archive = start;
    *size = (size_t)(at - start);
    return LB_OK;
}
