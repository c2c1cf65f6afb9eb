// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A document as a tree of places, each with its line and column, and how values are read from it:
//
//     const lb_place root = lb_get_document_root(document);
//     const lb_place run = lb_place_at_key(&root, "run");
//     lb_reader reader = lb_start_reader(document, &report);
//     double duration = 10.0;
//     lb_read_number(&reader, &run, "duration", LB_OPTIONAL, &duration);
//
// If a value is not what a function expects, the function reports what it found and what it expected, counts the error
// and leaves its output unchanged. So set defaults first and read on: one pass reports all errors of a file. Strings
// that are handed out live as long as the document. lb_set_parameter and lb_set_parameters lose its places.
#ifndef LB_PLACES_H
#define LB_PLACES_H

#include "limber/document.h"

// ---- a document -----------------------------------------------------------------------------------

/// The kind of a value.
typedef enum lb_doc_kind {
    LB_DOC_NULL,
    LB_DOC_BOOL,
    LB_DOC_NUMBER,
    LB_DOC_STRING,
    LB_DOC_SEQUENCE,
    LB_DOC_MAPPING
} lb_doc_kind;

/// A place in a document: a value, or where one could be. It points to the place around it, `up`, which must
/// stay where it is and live as long.
typedef struct lb_place {
    const struct lb_place *up; ///< NULL at the root
    const char *key;           ///< of an entry of a mapping; NULL in a sequence and at the root
    const struct lb_doc_node *node; ///< NULL if there is nothing
    size_t index;                   ///< in a sequence
} lb_place;

/// Where a parameter is used.
typedef struct lb_parameter_use {
    const char *file;
    int line;
} lb_parameter_use;

/// The name of the file, as it was given to lb_load_document or lb_load_document_text.
const char *lb_get_document_file(const lb_document *document);

/// The place of the whole document.
lb_place lb_get_document_root(const lb_document *document);

/// Lines that use a parameter, in the order of the document, each once. Texts such as signals count as well.
///
/// @param index  from 0 to lb_get_parameter_count() - 1
/// @param room   entries of `uses`
/// @param uses   out: the first of them
/// @return how many there are; `room + 1` stands for more than `room`
int lb_find_parameter_uses(const lb_document *document, int index, int room,
                           lb_parameter_use *uses);

/// Files that the document includes.
int lb_get_included_count(const lb_document *document);

/// The name of a file that the document includes; NULL for an index that does not exist.
const char *lb_get_included_file(const lb_document *document, int index);

/// Whether the text of the file alone says what the document holds: it includes nothing, and no parameter
/// was set.
bool lb_is_document_whole(const lb_document *document);

// ---- places -------------------------------------------------------------------------------------

/// The place of a key in a mapping. Nothing exists there if `up` is no mapping or does not have the key.
/// O(n) in the number of keys.
///
/// @param key  must live as long as the place
lb_place lb_place_at_key(const lb_place *up, const char *key);

/// The place of entry i of a mapping, in the order of the file.
///
/// @param i  below lb_place_get_count
lb_place lb_place_at_pair(const lb_place *up, size_t i);

/// The place of an element of a sequence.
///
/// @param index  below lb_place_get_count
lb_place lb_place_at_index(const lb_place *up, size_t index);

/// The number of items at a place where the format allows either one item or a list of items: 0 if
/// nothing exists there, the length of a list, otherwise 1.
size_t lb_place_count_items(const lb_place *place);

/// Item i at a place where the format allows either one item or a list of items.
///
/// @param i  below lb_place_count_items
lb_place lb_place_at_item(const lb_place *place, size_t i);

/// Whether there is a value at a place. A `null` in the file is a value.
bool lb_place_exists(const lb_place *place);

/// Whether `up` is a mapping that has a key.
bool lb_place_has_key(const lb_place *up, const char *key);

/// The key of an entry of a mapping; NULL in a sequence and at the root.
const char *lb_place_get_key(const lb_place *place);

/// The kind of the value at a place; LB_DOC_NULL if there is none.
lb_doc_kind lb_place_get_kind(const lb_place *place);

/// The number of elements of a sequence or of entries of a mapping; 0 for any other value.
size_t lb_place_get_count(const lb_place *place);

/// The string at a place; NULL if the value is not a string.
const char *lb_place_get_string(const lb_place *place);

/// Called by lb_visit_actions for each action of an event. Return false to end the visit.
///
/// @param event    name of the event; NULL if it has none
/// @param key      what the action does, such as "enable" in `{enable: FORCE}`
/// @param subject  what it acts on, such as FORCE; for `make` and `alter`, the name of the loop
/// @param what     for `make`, the description of the loop; otherwise the whole action
typedef bool lb_action_visitor(void *user, const char *event, const char *key, const char *subject,
                               const lb_place *what);

/// Calls a function for each action of the events of a document, in order. Actions that are not well
/// formed are skipped.
///
/// @param root  of the document
/// @param user  handed to `visit`
void lb_visit_actions(const lb_place *root, lb_action_visitor *visit, void *user);

/// Converts the number at the beginning of a text. The grammar is that of JSON and does not depend on the
/// locale.
///
/// @param number  out: to be used only if the result is not 0
/// @return the number of bytes that were used; 0 if there is no number, or none that is finite
size_t lb_convert_number(const char *text, double *number);

// ---- reading values -----------------------------------------------------------------------------

/// Reads values and reports what is wrong with them. Start from lb_start_reader().
typedef struct lb_reader {
    int error_count; ///< errors so far; warnings are not counted
    lb_report report;
    const char *file;                 ///< its name
    const char *allowed;              ///< the folder of `allow_files`; NULL or empty: none
    const struct lb_context *context; ///< of the document; NULL: names mean nothing
} lb_reader;

/// A reader for values of a document, without errors so far. It needs no clean-up.
///
/// @param report  receives what is wrong; copied; NULL to drop it
lb_reader lb_start_reader(const lb_document *document, const lb_report *report);

/// The name of a file that a value of the document names, as seen from the folder of the document. It must
/// be there or below, or in `allow_files` of the lb_load_options; a file elsewhere is reported as an error.
///
/// @param place  where it is named
/// @param path   the name
/// @param size   bytes of `file`, 4096 or more for any that a system opens
/// @param file   out: what to open
/// @return LB_OK, LB_E_FILE (reported) or LB_E_MEMORY
lb_status lb_find_named_file(lb_reader *reader, const lb_place *place, const char *path,
                             size_t size, char *file);

/// Whether a missing value is an error.
typedef enum lb_need { LB_OPTIONAL, LB_REQUIRED } lb_need;

/// Reports an error at a value, or at the value around it if nothing exists there. The message is formatted
/// as by printf.
void lb_reader_fail(lb_reader *reader, const lb_place *place, const char *format, ...)
    LB_PRINTF(3, 4);

/// Reports that a value is of the wrong kind, "expected EXPECTED, found ...", or that it is missing.
///
/// @param expected  such as "a number"
void lb_reader_fail_type(lb_reader *reader, const lb_place *place, const char *expected);

/// Reports an error at the key of an entry, such as a key that should not be there. The message is formatted
/// as by printf.
///
/// @param entry  an entry of a mapping, which must exist
void lb_reader_fail_key(lb_reader *reader, const lb_place *entry, const char *format, ...)
    LB_PRINTF(3, 4);

/// Checks that a value is a mapping and has only known keys. An unknown key is reported together with the
/// known ones.
///
/// @param place  must exist
/// @param known  ends in NULL
/// @return whether it is a mapping
bool lb_read_mapping(lb_reader *reader, const lb_place *place, const char *const *known);

/// Reads a string at a key of a mapping.
///
/// @param text  out: lives as long as the document
/// @return whether it is there and right
bool lb_read_string(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                    const char **text);

/// Reads true or false at a key of a mapping.
///
/// @return whether it is there and right
bool lb_read_bool(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                  bool *truth);

/// Reads a number at a key of a mapping.
///
/// @return whether it is there and right
bool lb_read_number(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                    double *number);

/// Reads a list of exactly `count` numbers at a key of a mapping: all of them, or none.
///
/// @return whether it is there and right
bool lb_read_numbers(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                     size_t count, double *numbers);

/// Finds a list at a key of a mapping.
///
/// @param place  out: where the list is, or would be; always set
/// @return whether it is there and a list
bool lb_read_sequence(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                      lb_place *place);

#endif // LB_PLACES_H
