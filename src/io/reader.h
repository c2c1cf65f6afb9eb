// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Typed values out of a document. Every function says what it found and what it expected when the
// two differ, counts the error, and leaves its output as it was: the caller sets defaults first
// and goes on, so that all errors of a file come to light.
#ifndef LB_READER_H
#define LB_READER_H

#include "io/doc.h"

typedef struct lb_reader {
    const char *file;
    lb_report report; ///< emit may be NULL
    int error_count;
} lb_reader;

/// A place in the document, and the way to it.
typedef struct lb_place lb_place;
struct lb_place {
    const lb_place *up;      ///< NULL at the root
    const char *key;         ///< of a mapping; NULL in a sequence
    size_t index;            ///< of a sequence
    const lb_doc_node *node; ///< NULL if there is nothing
};

typedef enum lb_need { LB_OPTIONAL, LB_REQUIRED } lb_need;

/// Entry of a mapping; the node is NULL if `up` is no mapping or lacks the key.
lb_place lb_place_at_key(const lb_place *up, const char *key);
/// Entry number i of a mapping, which must have it.
lb_place lb_place_at_pair(const lb_place *up, size_t i);
/// Entry of a sequence, which must have it.
lb_place lb_place_at_index(const lb_place *up, size_t index);
/// "bodies[2].hinge.axis"
lb_text lb_place_get_path(const lb_place *place);
/// Follows a path from a place as far as it goes. Keys may themselves hold dots and brackets.
const lb_doc_node *lb_place_follow(const lb_place *place, const char *path);

/// An error at a place: at its value, or at what surrounds it if it is absent.
void lb_reader_fail(lb_reader *reader, const lb_place *place, const char *format, ...)
    LB_PRINTF(3, 4);
/// "expected a number, found ..."
void lb_reader_fail_type(lb_reader *reader, const lb_place *place, const char *expected);
/// An error at the key of an entry that is there but should not be.
void lb_reader_fail_key(lb_reader *reader, const lb_place *entry, const char *format, ...)
    LB_PRINTF(3, 4);

/// Checks that a place is a mapping with none but the known keys (which end in NULL).
bool lb_read_mapping(lb_reader *reader, const lb_place *place, const char *const *known);

// Each reads one entry of a mapping. True if it is there and right.
bool lb_read_string(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                    const char **text);
bool lb_read_number(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                    double *number);
/// A list of exactly `count` numbers.
bool lb_read_numbers(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                     size_t count, double *numbers);
/// One of a list of words, which end in NULL.
bool lb_read_word(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                  const char *const *words, int *index);
/// A list; `place` gets where it is.
bool lb_read_sequence(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                      lb_place *place);

// The same for a place itself.
bool lb_read_number_at(lb_reader *reader, const lb_place *place, double *number);
bool lb_read_numbers_at(lb_reader *reader, const lb_place *place, size_t count, double *numbers);
bool lb_read_integer_at(lb_reader *reader, const lb_place *place, int *integer);

#endif // LB_READER_H
