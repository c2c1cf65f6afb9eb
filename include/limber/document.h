// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model file as a tree of values, each with its line and column (library limber-sim). Use it to read
// more from a file than the model that lb_load_model makes of it:
//
//     lb_document *document = NULL;
//     lb_model *model = NULL;
//     lb_status status = lb_load_document("arm.yaml", NULL, &report, &document);
//     if (status == LB_OK) {
//         status = lb_load_document_model(document, &report, &model);
//     }
//     if (status == LB_OK) {
//         const lb_place root = lb_get_document_root(document);
//         const lb_place run = lb_place_at_key(&root, "run");
//         lb_reader reader = lb_start_reader(document, &report);
//         double duration = 10.0;
//         lb_read_number(&reader, &run, "duration", LB_OPTIONAL, &duration);
//         if (reader.error_count > 0) {
//             status = LB_E_MODEL;
//         }
//     }
//     lb_destroy_model(model);
//     lb_destroy_document(document);
//
// If a value is not what a function expects, the function reports what it found and what it expected,
// counts the error and leaves its output unchanged. So set defaults first and read on: one pass reports
// all errors of a file. Strings that are handed out live as long as the document.
//
// Only loading allocates.
#ifndef LB_DOCUMENT_H
#define LB_DOCUMENT_H

#include <stdbool.h>

#include "limber/io.h"

/// A file that was read: its tree of values. Opaque.
typedef struct lb_document lb_document;

/// Loads a document from a file: YAML, JSON or URDF. A URDF file becomes the model file that says the
/// same.
///
/// @param path      file name
/// @param options   NULL for the defaults
/// @param report    receives errors; NULL to drop them
/// @param document  out: to be freed by lb_destroy_document; NULL on failure
/// @return LB_OK, LB_E_FILE, LB_E_SYNTAX, LB_E_MODEL (URDF only), LB_E_MEMORY, LB_E_UNSUPPORTED or
///         LB_E_VERSION
LB_API lb_status lb_load_document(const char *path, const lb_load_options *options,
                                  const lb_report *report, lb_document **document);

/// Loads a document from text in memory, which may be freed afterwards.
///
/// @param length    bytes of text; it need not end in a zero byte
/// @param name      used as file name in diagnostics and for LB_FORMAT_AUTO; NULL for ""
/// @param options   NULL for the defaults
/// @param report    receives errors; NULL to drop them
/// @param document  out: to be freed by lb_destroy_document; NULL on failure
/// @return as lb_load_document, except LB_E_FILE
LB_API lb_status lb_load_document_text(const char *text, size_t length, const char *name,
                                       lb_format format, const lb_load_options *options,
                                       const lb_report *report, lb_document **document);

/// Frees a document. NULL is fine. Places, readers and strings of it must not be used afterwards.
LB_API void lb_destroy_document(lb_document *document);

/// Makes the model of a document, as lb_load_model makes it of a file. Of the keys that do not describe
/// the model (`signals`, `forces`, `initial`, `run`, `outputs`, `events`, `view`) only the kind of value is
/// checked.
///
/// @param report  receives errors and warnings; NULL to drop them
/// @param model   out: to be freed by lb_destroy_model; NULL on failure. It does not need the document
/// @return LB_OK, LB_E_MODEL, LB_E_MEMORY or LB_E_UNSUPPORTED
LB_API lb_status lb_load_document_model(const lb_document *document, const lb_report *report,
                                        lb_model **model);

/// Called by lb_load_document_sketch with the name of a body or loop of which too little could be read to
/// check what refers to it. NULL if a name itself could not be read.
typedef void lb_vague_name(void *user, const char *name);

/// Makes a stand-in for the model of a document that has errors. It has the bodies, hinges, nodes and loops of
/// the document by name, so that what refers to them can be checked. It has neither their masses nor their
/// places: nothing should be computed with it. Allocates.
///
/// @param vague  called for names to which not all is known; may be called more than once for a name; NULL
///               for none
/// @param user   handed to `vague`
/// @param model  out: to be freed by lb_destroy_model; NULL on failure
/// @return LB_OK; LB_E_MODEL if the document is no mapping; LB_E_MEMORY or LB_E_UNSUPPORTED
LB_API lb_status lb_load_document_sketch(const lb_document *document, lb_vague_name *vague,
                                         void *user, lb_model **model);

/// The name of the file, as it was given to lb_load_document or lb_load_document_text.
LB_API const char *lb_get_document_file(const lb_document *document);

/// The allocator that the memory of a document comes from: malloc and free, or that of its options.
LB_API lb_allocator lb_get_document_allocator(const lb_document *document);

// ---- values and places -------------------------------------------------------------------------

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
///
/// Frozen: its size never changes. Its contents are private; use the functions below.
typedef struct lb_place {
    const void *inside[3];
    size_t number;
} lb_place;

/// The place of the whole document.
LB_API lb_place lb_get_document_root(const lb_document *document);

/// The place of a key in a mapping. Nothing exists there if `up` is no mapping or does not have the key.
/// O(n) in the number of keys.
///
/// @param key  must live as long as the place
LB_API lb_place lb_place_at_key(const lb_place *up, const char *key);

/// The place of entry i of a mapping, in the order of the file.
///
/// @param i  below lb_place_get_count
LB_API lb_place lb_place_at_pair(const lb_place *up, size_t i);

/// The place of an element of a sequence.
///
/// @param index  below lb_place_get_count
LB_API lb_place lb_place_at_index(const lb_place *up, size_t index);

/// The number of items at a place where the format allows either one item or a list of items: 0 if
/// nothing exists there, the length of a list, otherwise 1.
LB_API size_t lb_place_count_items(const lb_place *place);

/// Item i at a place where the format allows either one item or a list of items.
///
/// @param i  below lb_place_count_items
LB_API lb_place lb_place_at_item(const lb_place *place, size_t i);

/// The root that a place was reached from, by way of the places around it: the place itself if it is one.
LB_API const lb_place *lb_place_get_root(const lb_place *place);

/// Whether there is a value at a place. A `null` in the file is a value.
LB_API bool lb_place_exists(const lb_place *place);

/// Whether `up` is a mapping that has a key.
LB_API bool lb_place_has_key(const lb_place *up, const char *key);

/// The key of an entry of a mapping; NULL in a sequence and at the root.
LB_API const char *lb_place_get_key(const lb_place *place);

/// The kind of the value at a place; LB_DOC_NULL if there is none.
LB_API lb_doc_kind lb_place_get_kind(const lb_place *place);

/// The number of elements of a sequence or of entries of a mapping; 0 for any other value.
LB_API size_t lb_place_get_count(const lb_place *place);

/// The string at a place; NULL if the value is not a string.
LB_API const char *lb_place_get_string(const lb_place *place);

/// The line and column of a value, from 1. If nothing exists at the place, those of the value around it.
LB_API void lb_place_get_mark(const lb_place *place, int *line, int *column);

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
LB_API void lb_visit_actions(const lb_place *root, lb_action_visitor *visit, void *user);

/// Converts the number at the beginning of a text. The grammar is that of JSON and does not depend on the
/// locale.
///
/// @param number  out: to be used only if the result is not 0
/// @return the number of bytes that were used; 0 if there is no number, or none that is finite
LB_API size_t lb_convert_number(const char *text, double *number);

// ---- parameters --------------------------------------------------------------------------------

/// An entry of `parameters`. Start from {.size = sizeof x}. Sized.
typedef struct lb_parameter {
    size_t size;
    const char *name;
    double value;
    double low, high;    ///< its range; infinite if it has none
    const char *unit;    ///< a label; "" for none
    const char *note;    ///< "" for none
    const char *formula; ///< of its value; NULL for a number, also for one that was set
    const char *file;    ///< where it is defined
    int line;
} lb_parameter;

/// Entries of `parameters`, with those of included files.
LB_API int lb_get_parameter_count(const lb_document *document);

/// What is known of a parameter. Texts live as long as the document.
///
/// @param index      from 0 to lb_get_parameter_count() - 1
/// @param parameter  out
/// @return LB_OK; LB_E_ARGUMENT for another index; LB_E_VERSION
LB_API lb_status lb_get_parameter(const lb_document *document, int index, lb_parameter *parameter);

/// Where a parameter is used. Frozen: its size never changes.
typedef struct lb_parameter_use {
    const char *file;
    int line;
} lb_parameter_use;

/// Lines that use a parameter, in the order of the document, each once. Texts such as signals count as well.
///
/// @param index  from 0 to lb_get_parameter_count() - 1
/// @param room   entries of `uses`
/// @param uses   out: the first of them
/// @return how many there are; `room + 1` stands for more than `room`
LB_API int lb_find_parameter_uses(const lb_document *document, int index, int room,
                                  lb_parameter_use *uses);

/// Whether a parameter acts on anything beside one key of the document, such as "initial". Texts count as well.
///
/// @param name  of a parameter, or a path such as "bodies.arm.mass", which acts where it leads
/// @param use   out: the first place beside the key; line 0 for a path
LB_API bool lb_is_parameter_used_beside(const lb_document *document, const char *name,
                                        const char *key, lb_parameter_use *use);

/// Gives a parameter another value, or a number that is named by the path of its key: "initial.arm.angle",
/// "bodies.arm.mass", "gravity.2". Items of lists go by their `name`, or by their number from 0. A parameter of that
/// name goes first. Keys that the file does not have are added. The document is then what the file would be with
/// that value: models and simulations that are loaded from now on have it. Nothing is read again. Places in the
/// document are lost.
///
/// @param report  receives errors; NULL to drop them
/// @return LB_OK; LB_E_MODEL if there is no such parameter, or if it or one that depends on it is out of its
///         range (reported; the document is as before); LB_E_MEMORY
LB_API lb_status lb_set_parameter(lb_document *document, const char *name, double value,
                                  const lb_report *report);

/// Gives parameters these values and all others those of the file, also where something else was set before.
/// As lb_set_parameter otherwise, but ranges are checked once all have their values.
///
/// @param values  of two for one parameter the last counts; NULL if value_count is 0
/// @return as lb_set_parameter, or LB_E_ARGUMENT for a negative count
LB_API lb_status lb_set_parameters(lb_document *document, const lb_parameter_value *values,
                                   int value_count, const lb_report *report);

/// Files that the document includes.
LB_API int lb_get_included_count(const lb_document *document);

/// The name of a file that the document includes; NULL for an index that does not exist.
LB_API const char *lb_get_included_file(const lb_document *document, int index);

/// Whether the text of the file alone says what the document holds: it includes nothing, and no parameter
/// was set.
LB_API bool lb_is_document_whole(const lb_document *document);

/// Writes the document as text: with what it includes, repeated items written out, and parameters with the
/// values that were set.
///
/// @param format  LB_FORMAT_YAML or LB_FORMAT_JSON
/// @param text    out: ends with a zero byte; to be released by lb_get_document_allocator()
/// @param length  out: without the zero byte
/// @return LB_OK, LB_E_ARGUMENT for another format, or LB_E_MEMORY
LB_API lb_status lb_format_document(const lb_document *document, lb_format format, char **text,
                                    size_t *length);

// ---- reading values ----------------------------------------------------------------------------

/// Reads values and reports what is wrong with them. Start from lb_start_reader().
///
/// Frozen: its size never changes. Read `error_count`; the rest is private.
typedef struct lb_reader {
    int error_count; ///< errors so far; warnings are not counted
    lb_report report;
    const void *inside[3];
} lb_reader;

/// A reader for values of a document, without errors so far. It needs no clean-up.
///
/// @param report  receives what is wrong; copied; NULL to drop it
LB_API lb_reader lb_start_reader(const lb_document *document, const lb_report *report);

/// The name of a file that a value of the document names, as seen from the folder of the document. It must
/// be there or below, or in `allow_files` of the lb_load_options; a file elsewhere is reported as an error.
///
/// @param place  where it is named
/// @param path   the name
/// @param size   bytes of `file`, 4096 or more for any that a system opens
/// @param file   out: what to open
/// @return LB_OK, LB_E_FILE (reported) or LB_E_MEMORY
LB_API lb_status lb_find_named_file(lb_reader *reader, const lb_place *place, const char *path,
                                    size_t size, char *file);

/// Whether a missing value is an error.
typedef enum lb_need { LB_OPTIONAL, LB_REQUIRED } lb_need;

/// Reports an error at a value, or at the value around it if nothing exists there. The message is formatted
/// as by printf.
LB_API void lb_reader_fail(lb_reader *reader, const lb_place *place, const char *format, ...)
    LB_PRINTF(3, 4);

/// Reports that a value is of the wrong kind, "expected EXPECTED, found ...", or that it is missing.
///
/// @param expected  such as "a number"
LB_API void lb_reader_fail_type(lb_reader *reader, const lb_place *place, const char *expected);

/// Reports an error at the key of an entry, such as a key that should not be there. The message is formatted
/// as by printf.
///
/// @param entry  an entry of a mapping, which must exist
LB_API void lb_reader_fail_key(lb_reader *reader, const lb_place *entry, const char *format, ...)
    LB_PRINTF(3, 4);

/// Reports a warning at a value, or at the value around it if nothing exists there. Warnings are not
/// counted. The message is formatted as by printf.
LB_API void lb_reader_warn(lb_reader *reader, const lb_place *place, const char *format, ...)
    LB_PRINTF(3, 4);

/// Passes on what a builder or a simulation reported, with file, line and column of its path in the
/// document. Errors are counted.
///
/// @param root        of the document
/// @param diagnostic  its path starts at the root, such as "forces[2].stiffness"
LB_API void lb_reader_relay(lb_reader *reader, const lb_place *root,
                            const lb_diagnostic *diagnostic);

/// Checks that a value is a mapping and has only known keys. An unknown key is reported together with the
/// known ones.
///
/// @param place  must exist
/// @param known  ends in NULL
/// @return whether it is a mapping
LB_API bool lb_read_mapping(lb_reader *reader, const lb_place *place, const char *const *known);

/// The known word that is closest to another word, for "did you mean ...?". NULL if none is close.
///
/// @param known  ends in NULL
LB_API const char *lb_find_similar(const char *word, const char *const *known);

/// Reads a string at a key of a mapping.
///
/// @param text  out: lives as long as the document
/// @return whether it is there and right
LB_API bool lb_read_string(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                           const char **text);

/// Reads true or false at a key of a mapping.
///
/// @return whether it is there and right
LB_API bool lb_read_bool(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                         bool *truth);

/// Reads a number at a key of a mapping.
///
/// @return whether it is there and right
LB_API bool lb_read_number(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                           double *number);

/// Reads an angle at a key of a mapping: a number of radians, or a string such as "45 deg" or "0.5 rad".
///
/// @param angle  out: rad
/// @return whether it is there and right
LB_API bool lb_read_angle(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                          double *angle);

/// Reads a list of exactly `count` numbers at a key of a mapping: all of them, or none.
///
/// @return whether it is there and right
LB_API bool lb_read_numbers(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                            size_t count, double *numbers);

/// Reads one of several words at a key of a mapping.
///
/// @param words  end in NULL
/// @param index  out: of the word
/// @return whether it is there and right
LB_API bool lb_read_word(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                         const char *const *words, int *index);

/// Finds a list at a key of a mapping.
///
/// @param place  out: where the list is, or would be; always set
/// @return whether it is there and a list
LB_API bool lb_read_sequence(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                             lb_place *place);

/// Reads a number at a place, which must exist.
///
/// @return whether it is right
LB_API bool lb_read_number_at(lb_reader *reader, const lb_place *place, double *number);

/// Reads an angle at a place, which must exist: a number of radians, or a string such as "45 deg".
///
/// @param angle  out: rad
/// @return whether it is right
LB_API bool lb_read_angle_at(lb_reader *reader, const lb_place *place, double *angle);

/// Reads a list of exactly `count` numbers at a place, which must exist: all of them, or none.
///
/// @return whether it is right
LB_API bool lb_read_numbers_at(lb_reader *reader, const lb_place *place, size_t count,
                               double *numbers);

/// Reads a whole number at a place, which must exist.
///
/// @return whether it is right
LB_API bool lb_read_integer_at(lb_reader *reader, const lb_place *place, int *integer);

#endif // LB_DOCUMENT_H
