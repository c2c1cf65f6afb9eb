// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Binary OUTPUT4 files, after the DMAP guide of NX Nastran (module OUTPUT4) and files of NX, MSC and pyYeti.
// The records are those of Fortran: each has its length in bytes before and behind it, as a number of four bytes.
//
//     header   NCOL NROW FORM TYPE, one word each, and a name of two words. It has 24 bytes where a word has
//              four, 48 where it has eight; this tells the order of bytes too.
//     column   ICOL IROW N, then N words: numbers from row IROW on, or strings if IROW is 0.
//     string   as in text files, see there; a word is four or eight bytes.
//     end      a column NCOL+1.
//
// Types 1 and 3 have numbers of one word, so that they are doubles where a word has eight bytes. Types 2 and
// 4 have doubles, of two words, or of one of eight bytes.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "nastran.h"

enum { BIG_ROWS = 65536, MARK = 4 };

typedef struct op4_bytes {
    lb_nastran *data;
    const lb_import_file *file;
    const unsigned char *next, *end;
    bool is_big_endian;
    size_t word; // bytes
    long record; // number of the present one, from 1
    const unsigned char *at;
    size_t left; // bytes of the record from `at` on
    lb_nastran_matrix *matrix;
    bool has_big_strings;
    long type;
} op4_bytes;

static uint64_t get_bits(const unsigned char *at, size_t bytes, bool is_big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes; ++i) {
        bits |= (uint64_t)at[i] << 8 * (is_big_endian ? bytes - 1 - i : i);
    }
    return bits;
}

// The next word of the record; there must be one.
static long take_word(op4_bytes *bytes)
{
    const uint64_t bits = get_bits(bytes->at, bytes->word, bytes->is_big_endian);
    bytes->at += bytes->word;
    bytes->left -= bytes->word;
    if (bytes->word == 4) {
        const uint32_t low = (uint32_t)bits;
        int32_t value;
        memcpy(&value, &low, sizeof value);
        return value;
    }
    int64_t value;
    memcpy(&value, &bits, sizeof value);
    return (long)value;
}

static bool take_number(op4_bytes *bytes, size_t size, double *value)
{
    const uint64_t bits = get_bits(bytes->at, size, bytes->is_big_endian);
    bytes->at += size;
    bytes->left -= size;
    if (size == sizeof(float)) {
        const uint32_t low = (uint32_t)bits;
        float single;
        memcpy(&single, &low, sizeof single);
        *value = single;
    } else {
        memcpy(value, &bits, sizeof *value);
    }
    return *value - *value == 0.0;
}

// Tells the order of bytes and their number in a word by the length of the first record.
static bool find_dialect(const lb_import_file *file, op4_bytes *bytes)
{
    const unsigned char *at = (const unsigned char *)file->text;
    for (int i = 0; i < 2; ++i) {
        const size_t length = file->length < MARK ? 0 : (size_t)get_bits(at, MARK, i);
        if ((length == 24 || length == 48) && file->length >= length + 2 * MARK &&
            get_bits(at + MARK + length, MARK, i) == length) {
            *bytes = (op4_bytes){.file = file,
                                 .next = at,
                                 .end = at + file->length,
                                 .is_big_endian = i,
                                 .word = length / 6};
            return true;
        }
    }
    return false;
}

bool lb_is_op4_binary(const lb_import_file *file)
{
    op4_bytes bytes;
    if (!find_dialect(file, &bytes)) {
        return false;
    }
    const long type =
        (long)get_bits(bytes.next + MARK + 3 * bytes.word, bytes.word, bytes.is_big_endian);
    return type >= 1 && type <= 4;
}

static lb_status next_record(op4_bytes *bytes)
{
    ++bytes->record;
    const size_t left = (size_t)(bytes->end - bytes->next);
    const char *of = bytes->matrix ? bytes->matrix->name : "";
    if (left < MARK) {
        return lb_import_fail(bytes->data->import, bytes->file, 0,
                              "record %ld: the file ends in the middle of matrix %s: it was cut "
                              "off; write or copy it again",
                              bytes->record, of);
    }
    const size_t length = (size_t)get_bits(bytes->next, MARK, bytes->is_big_endian);
    if (left < 2 * MARK || length > left - 2 * MARK) {
        return lb_import_fail(bytes->data->import, bytes->file, 0,
                              "record %ld (matrix %s) should have %zu bytes, but the file has %zu "
                              "more: it was cut off; write or copy it again",
                              bytes->record, of, length, left - MARK);
    }
    if (get_bits(bytes->next + MARK + length, MARK, bytes->is_big_endian) != length) {
        return lb_import_fail(bytes->data->import, bytes->file, 0,
                              "record %ld (matrix %s) has another length at its end than at its "
                              "beginning: the file is damaged (was it copied as text?)",
                              bytes->record, of);
    }
    bytes->at = bytes->next + MARK;
    bytes->left = length;
    bytes->next += length + 2 * MARK;
    return LB_OK;
}

static lb_status fail_in_column(op4_bytes *bytes, long column, long words)
{
    return lb_import_fail(
        bytes->data->import, bytes->file, 0,
        "record %ld: column %ld of matrix %s says that it has %ld words, which does not agree with "
        "the length of the record or of its strings: the file is damaged",
        bytes->record, column, bytes->matrix->name, words);
}

// Numbers of one run; the record has this many.
static lb_status read_run(op4_bytes *bytes, long column, long row, size_t size, size_t count)
{
    lb_nastran_matrix *matrix = bytes->matrix;
    char where[32];
    snprintf(where, sizeof where, "record %ld: ", bytes->record);
    const lb_status status =
        lb_start_op4_run(bytes->data, matrix, 0, where, column, row, (long)count);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < count; ++i) {
        double value;
        if (!take_number(bytes, size, &value)) {
            return lb_import_fail(bytes->data->import, bytes->file, 0,
                                  "record %ld: a number in column %ld of matrix %s is not finite",
                                  bytes->record, column, matrix->name);
        }
        if (lb_append(&matrix->values, &matrix->value_count, &matrix->value_capacity, sizeof value,
                      &value)) {
            return LB_E_MEMORY;
        }
    }
    return LB_OK;
}

static lb_status read_strings(op4_bytes *bytes, long column, long words, size_t size,
                              size_t words_per_number)
{
    const size_t head = bytes->has_big_strings ? 2 : 1;
    long words_left = words;
    while (words_left > 0) {
        if (bytes->left < head * bytes->word) {
            return fail_in_column(bytes, column, words);
        }
        const long first = take_word(bytes);
        const long row = bytes->has_big_strings ? take_word(bytes) : first % BIG_ROWS;
        const long length = bytes->has_big_strings ? first : first / BIG_ROWS;
        // so far it counts itself
        if (length < 2 || length - 1 > words_left - (long)head ||
            (size_t)(length - 1) % words_per_number != 0 ||
            (size_t)(length - 1) / words_per_number > bytes->left / size) {
            return fail_in_column(bytes, column, words);
        }
        words_left -= length - 1 + (long)head;
        const lb_status status =
            read_run(bytes, column, row, size, (size_t)(length - 1) / words_per_number);
        if (status) {
            return status;
        }
    }
    return bytes->left ? fail_in_column(bytes, column, words) : LB_OK;
}

static lb_status read_column(op4_bytes *bytes, long column, long row, long words)
{
    const size_t size = bytes->type % 2 ? bytes->word : sizeof(double);
    if (words < 0 || (size_t)words > bytes->left / 4) {
        return fail_in_column(bytes, column, words);
    }
    // a double of eight-byte words counts as one word or as two
    size_t words_per_number = size / bytes->word;
    if (bytes->type % 2 == 0 && bytes->word == sizeof(double) &&
        (size_t)words * bytes->word != bytes->left) {
        words_per_number = 2;
    }
    if (row <= 0) {
        return read_strings(bytes, column, words, size, words_per_number);
    }
    const size_t count = (size_t)words / words_per_number;
    return count * words_per_number != (size_t)words || count * size != bytes->left
               ? fail_in_column(bytes, column, words)
               : read_run(bytes, column, row, size, count);
}

static lb_status read_header(op4_bytes *bytes)
{
    bytes->matrix = NULL;
    lb_status status = next_record(bytes);
    if (status) {
        return status;
    }
    if (bytes->left != 6 * bytes->word) {
        return lb_import_fail(
            bytes->data->import, bytes->file, 0,
            "record %ld has %zu bytes; the header of a matrix with %zu bytes was expected",
            bytes->record, bytes->left, 6 * bytes->word);
    }
    const long columns = take_word(bytes), rows = take_word(bytes), form = take_word(bytes);
    bytes->type = take_word(bytes);
    bytes->has_big_strings = rows < 0 || rows >= BIG_ROWS;
    status = lb_add_nastran_matrix(bytes->data, bytes->file, 0,
                                   (lb_span){(const char *)bytes->at, bytes->left}, &bytes->matrix);
    return status ? status
                  : lb_set_op4_size(bytes->data, bytes->matrix, 0, columns,
                                    rows < 0 && rows >= -LB_NASTRAN_LARGEST_SIZE ? -rows : rows,
                                    form, bytes->type);
}

lb_status lb_read_op4_binary(lb_nastran *data, const lb_import_file *file)
{
    op4_bytes bytes;
    if (!find_dialect(file, &bytes)) {
        return lb_import_fail(data->import, file, 0, "record 1: this is not an OUTPUT4 file");
    }
    bytes.data = data;
    while (bytes.next < bytes.end) {
        lb_status status = read_header(&bytes);
        long column = 0;
        while (!status && column <= bytes.matrix->columns) {
            status = next_record(&bytes);
            if (!status && bytes.left < 3 * bytes.word) {
                status = fail_in_column(&bytes, 0, 0);
            }
            if (status) {
                break;
            }
            column = take_word(&bytes);
            const long row = take_word(&bytes), words = take_word(&bytes);
            status =
                column > bytes.matrix->columns ? LB_OK : read_column(&bytes, column, row, words);
        }
        if (status) {
            return status;
        }
    }
    return LB_OK;
}
