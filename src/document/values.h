// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading values from a document: what document/places.h does not have, since only the library uses it.
#ifndef LB_VALUES_H
#define LB_VALUES_H

#include "base/arena.h"
#include "document/places.h"
#include "limber/build.h"

/// Called by lb_load_document_sketch with the name of a body or loop of which too little could be read to
/// check what refers to it. NULL if a name itself could not be read.
typedef void lb_half_known_name(void *user, const char *name);

/// Makes a stand-in for the model of a document that has errors. It has the bodies, hinges, nodes and loops of
/// the document by name, so that what refers to them can be checked. It has neither their masses nor their
/// places: nothing should be computed with it. Allocates.
///
/// @param half_known  called for names to which not all is known; may be called more than once for a name; NULL
///               for none
/// @param user   handed to `half_known`
/// @param model  out: to be freed by lb_destroy_model; NULL on failure
/// @return LB_OK; LB_E_MODEL if the document is no mapping; LB_E_MEMORY or LB_E_UNSUPPORTED
lb_status lb_load_document_sketch(const lb_document *document, lb_half_known_name *half_known,
                                  void *user, lb_model **model);

/// The root that a place was reached from, by way of the places around it: the place itself if it is one.
const lb_place *lb_place_get_root(const lb_place *place);

/// The line and column of a value, from 1. If nothing exists at the place, those of the value around it.
void lb_place_get_mark(const lb_place *place, int *line, int *column);

/// Whether a parameter acts on anything beside one key of the document, such as "initial". Texts count as well.
///
/// @param name  of a parameter, or a path such as "bodies.arm.mass", which acts where it leads
/// @param use   out: the first place beside the key; line 0 for a path
bool lb_is_parameter_used_beside(const lb_document *document, const char *name, const char *key,
                                 lb_parameter_use *use);

/// Reports a warning at a value, or at the value around it if nothing exists there. Warnings are not
/// counted. The message is formatted as by printf.
void lb_reader_warn(lb_reader *reader, const lb_place *place, const char *format, ...)
    LB_PRINTF(3, 4);

/// Passes on what a builder or a simulation reported, with file, line and column of its path in the
/// document. Errors are counted.
///
/// @param root        of the document
/// @param diagnostic  its path starts at the root, such as "forces[2].stiffness"
void lb_reader_relay(lb_reader *reader, const lb_place *root, const lb_diagnostic *diagnostic);

/// The known word that is closest to another word, for "did you mean ...?". NULL if none is close.
///
/// @param known  ends in NULL
const char *lb_find_similar(const char *word, const char *const *known);

/// Reads an angle at a key of a mapping: a number of radians, or a string such as "45 deg" or "0.5 rad".
///
/// @param angle  out: rad
/// @return whether it is there and right
bool lb_read_angle(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                   double *angle);

/// Reads one of several words at a key of a mapping.
///
/// @param words  end in NULL
/// @param index  out: of the word
/// @return whether it is there and right
bool lb_read_word(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                  const char *const *words, int *index);

/// Reads a number at a place, which must exist.
///
/// @return whether it is right
bool lb_read_number_at(lb_reader *reader, const lb_place *place, double *number);

/// Reads an angle at a place, which must exist: a number of radians, or a string such as "45 deg".
///
/// @param angle  out: rad
/// @return whether it is right
bool lb_read_angle_at(lb_reader *reader, const lb_place *place, double *angle);

/// Reads a list of exactly `count` numbers at a place, which must exist: all of them, or none.
///
/// @return whether it is right
bool lb_read_numbers_at(lb_reader *reader, const lb_place *place, size_t count, double *numbers);

/// Finds a value at a key of a mapping.
///
/// @param place  out: where it is, or would be
/// @return whether it is there
bool lb_find_value(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                   lb_place *place);

/// The same for a value of one kind; `expected` is what is said of any other.
bool lb_find_kind(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                  lb_doc_kind kind, const char *expected, lb_place *place);

/// Reads a whole number at a key of a mapping; at a place, which must exist.
///
/// @return whether it is there and right
bool lb_read_integer(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                     int *integer);
bool lb_read_integer_at(lb_reader *reader, const lb_place *place, int *integer);

/// Reads a list of exactly `count` places, such as [time, value].
///
/// @param expected  what is said of anything else
/// @return whether it is one
bool lb_read_tuple(lb_reader *reader, const lb_place *list, size_t count, const char *expected,
                   lb_place *places);

/// Reads the strings of a list.
///
/// @param expected  such as "the name of a node"
/// @param strings   out: in memory of the arena, "" in place of an entry that is not a string, which is reported
/// @return LB_OK or LB_E_MEMORY
lb_status lb_read_strings(lb_reader *reader, lb_arena *arena, const lb_place *list,
                          const char *expected, const char *const **strings, int *count);

/// Reads `terms` of a coupler, [{body, coordinate, factor}, ...], if they are there.
///
/// @param terms  out: in memory of the arena
/// @return LB_OK, also after errors, or LB_E_MEMORY
lb_status lb_read_terms(lb_reader *reader, lb_arena *arena, const lb_place *loop, lb_need need,
                        const lb_coupler_term **terms, int *count);

/// Reads the type of a loop.
///
/// @return whether it is there and right
bool lb_read_loop_type(lb_reader *reader, const lb_place *loop, lb_need need, lb_loop_type *type);

#endif // LB_VALUES_H
