// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model file as a tree of values, each with its line and column (library limber-io): for whoever
// reads more of a file than the model that lb_load_model makes of it.
//
//     lb_document *document;
//     lb_load_document("arm.yaml", NULL, &report, &document);
//     lb_load_document_model(document, &report, &model);
//
//     const lb_place root = lb_get_document_root(document);
//     lb_reader reader = lb_start_reader(document, &report);
//     const lb_place run = lb_place_at_key(&root, "run");
//     double duration = 10.0;
//     lb_read_number(&reader, &run, "duration", LB_OPTIONAL, &duration);
//     if (reader.error_count > 0) ...
//     lb_destroy_document(document);
//
// Every reading function says what it found and what it expected when the two differ, counts the
// error, and leaves its output as it was: set defaults first and go on, so that all errors of a
// file come to light. Strings that are handed out live as long as the document.
#ifndef LB_DOCUMENT_H
#define LB_DOCUMENT_H

#include <stdbool.h>

#include "limber/io.h"

typedef struct lb_document lb_document;

/// Loads a document: YAML, JSON or URDF (as the model file that it stands for).
///
/// @param options   NULL for the defaults
/// @param report    receives errors; NULL to drop them
/// @param document  out: to be freed by lb_destroy_document; NULL on failure
/// @return LB_OK, LB_E_FILE, LB_E_SYNTAX, LB_E_MODEL (URDF), LB_E_MEMORY or LB_E_UNSUPPORTED
LB_API lb_status lb_load_document(const char *path, const lb_load_options *options,
                                  const lb_report *report, lb_document **document);

/// The same from text in memory, which is not kept.
///
/// @param name  stands for the file name in diagnostics and for LB_FORMAT_AUTO
LB_API lb_status lb_load_document_text(const char *text, size_t length, const char *name,
                                       lb_format format, const lb_load_options *options,
                                       const lb_report *report, lb_document **document);

/// Frees a document. NULL is fine.
LB_API void lb_destroy_document(lb_document *document);

/// The model of a document, as lb_load_model makes it of a file. Of the keys that are not the
/// model's (`signals`, `forces`, `initial`, `run`, `outputs`, `events`, `view`) it asks the kind only.
LB_API lb_status lb_load_document_model(const lb_document *document, const lb_report *report,
                                        lb_model **model);

/// Name of the file, as it was given.
LB_API const char *lb_get_document_file(const lb_document *document);

/// Where the memory of a document comes from: malloc and free, or what its options said.
LB_API lb_allocator lb_get_document_allocator(const lb_document *document);

// ---- values and places -------------------------------------------------------------------------

typedef enum lb_doc_kind {
    LB_DOC_NULL,
    LB_DOC_BOOL,
    LB_DOC_NUMBER,
    LB_DOC_STRING,
    LB_DOC_SEQUENCE,
    LB_DOC_MAPPING
} lb_doc_kind;

typedef struct lb_doc_node lb_doc_node;

/// A place in a document, and the way to it. `up` must outlive it.
typedef struct lb_place lb_place;
struct lb_place {
    const lb_place *up;      ///< NULL at the root
    const char *key;         ///< of a mapping; NULL in a sequence
    size_t index;            ///< of a sequence
    const lb_doc_node *node; ///< NULL if there is nothing
};

LB_API lb_place lb_get_document_root(const lb_document *document);

/// Entry of a mapping; the node is NULL if `up` is no mapping or lacks the key.
LB_API lb_place lb_place_at_key(const lb_place *up, const char *key);
/// Entry number i of a mapping, which must have it.
LB_API lb_place lb_place_at_pair(const lb_place *up, size_t i);
/// Entry of a sequence, which must have it.
LB_API lb_place lb_place_at_index(const lb_place *up, size_t index);

/// For keys that take one item or a list of items: the number of items, zero if absent, and item i.
LB_API size_t lb_place_count_items(const lb_place *place);
LB_API lb_place lb_place_at_item(const lb_place *place, size_t i);

/// Whether there is anything at a place.
LB_API bool lb_place_exists(const lb_place *place);
/// Key of an entry of a mapping; NULL in a sequence and at the root.
LB_API const char *lb_place_get_key(const lb_place *place);

/// What there is at a place; LB_DOC_NULL also if there is nothing.
LB_API lb_doc_kind lb_place_get_kind(const lb_place *place);
/// Elements of a sequence, pairs of a mapping, zero of anything else.
LB_API size_t lb_place_get_count(const lb_place *place);
/// The string at a place, or NULL if there is none.
LB_API const char *lb_place_get_string(const lb_place *place);
/// Line and column, from 1; of what surrounds it if there is nothing.
LB_API void lb_place_get_mark(const lb_place *place, int *line, int *column);

/// Called for an action of an event: `{enable: FORCE}` has the key "enable" and the subject FORCE, `make`
/// and `alter` have the name of their loop. False ends the visit.
///
/// @param event  its name; NULL if it has none
/// @param what   what stands under `make`; of others the whole action
typedef bool lb_action_visitor(void *user, const char *event, const char *key, const char *subject,
                               const lb_place *what);

/// Visits all actions of `events`, in order. What is not of their form is passed over.
LB_API void lb_visit_actions(const lb_place *root, lb_action_visitor *visit, void *user);

/// Converts the number at the beginning of a text, by the grammar of JSON and whatever the locale.
///
/// @return how many bytes it has; zero if there is none, or none that is finite
LB_API size_t lb_convert_number(const char *text, double *number);

// ---- typed values ------------------------------------------------------------------------------

typedef struct lb_reader {
    const char *file;
    lb_report report; ///< emit may be NULL
    int error_count;
} lb_reader;

/// @param report  copied; NULL to drop what is found
LB_API lb_reader lb_start_reader(const lb_document *document, const lb_report *report);

typedef enum lb_need { LB_OPTIONAL, LB_REQUIRED } lb_need;

/// An error at a place: at its value, or at what surrounds it if it is absent.
LB_API void lb_reader_fail(lb_reader *reader, const lb_place *place, const char *format, ...)
    LB_PRINTF(3, 4);
/// "expected a number, found ..."
LB_API void lb_reader_fail_type(lb_reader *reader, const lb_place *place, const char *expected);
/// An error at the key of an entry that is there but should not be.
LB_API void lb_reader_fail_key(lb_reader *reader, const lb_place *entry, const char *format, ...)
    LB_PRINTF(3, 4);
/// A warning, which is not counted.
LB_API void lb_reader_warn(lb_reader *reader, const lb_place *place, const char *format, ...)
    LB_PRINTF(3, 4);

/// Passes on what a builder, a simulation or another checker of the library reported, with the file,
/// line and column of its path in the document. Errors are counted.
///
/// @param root        of the document
/// @param diagnostic  its path counts from the root, such as "forces[2].stiffness"
LB_API void lb_reader_relay(lb_reader *reader, const lb_place *root,
                            const lb_diagnostic *diagnostic);

/// Checks that a place is a mapping with none but the known keys (which end in NULL).
LB_API bool lb_read_mapping(lb_reader *reader, const lb_place *place, const char *const *known);

/// The known word (they end in NULL) that was perhaps meant by another; NULL if none is close.
LB_API const char *lb_find_similar(const char *word, const char *const *known);

// Each reads one entry of a mapping. True if it is there and right.
LB_API bool lb_read_string(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                           const char **text);
LB_API bool lb_read_bool(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                         bool *truth);
LB_API bool lb_read_number(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                           double *number);
/// A number of radians, or a string such as "45 deg" or "0.5 rad".
LB_API bool lb_read_angle(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                          double *angle);
/// A list of exactly `count` numbers.
LB_API bool lb_read_numbers(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                            size_t count, double *numbers);
/// One of a list of words, which end in NULL.
LB_API bool lb_read_word(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                         const char *const *words, int *index);
/// A list; `place` gets where it is.
LB_API bool lb_read_sequence(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                             lb_place *place);

// The same for a place itself, which must be there.
LB_API bool lb_read_number_at(lb_reader *reader, const lb_place *place, double *number);
LB_API bool lb_read_angle_at(lb_reader *reader, const lb_place *place, double *angle);
LB_API bool lb_read_numbers_at(lb_reader *reader, const lb_place *place, size_t count,
                               double *numbers);
LB_API bool lb_read_integer_at(lb_reader *reader, const lb_place *place, int *integer);

#endif // LB_DOCUMENT_H
