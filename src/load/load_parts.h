// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Parts that several keys of a document share: functions of time, nodes. They check the form (keys,
// types, lengths) and fill options; what these mean is checked by whoever takes them, and what it
// reports is given the line and column of its path.
#ifndef LB_LOAD_PARTS_H
#define LB_LOAD_PARTS_H

#include "base/arena.h"
#include "document/places.h"
#include "document/reader.h"
#include "limber/forces.h"

/// Where something is read from, and memory that lasts until it has been handed on.
typedef struct lb_part_loader {
    lb_reader *reader;
    const lb_place *root;
    lb_arena scratch; ///< freed by lb_end_part_loader
} lb_part_loader;

/// A report that relays to the reader of a loader, with the lines of the document.
lb_report lb_get_relay(lb_part_loader *loader);

void lb_end_part_loader(lb_part_loader *loader);

/// The value of a key if it is a sequence, or a mapping, and otherwise nothing. For keys whose kind was checked
/// with the model.
static inline lb_place lb_find_part(const lb_place *up, const char *key, lb_doc_kind kind)
{
    const lb_place place = lb_place_at_key(up, key);
    return lb_place_get_kind(&place) == kind ? place : (lb_place){up, key, NULL, 0};
}

/// Reads a function of time from a place, which must be there.
///
/// @param motion    numbers may be angles, such as "30 deg"
/// @param options   out
/// @return LB_OK, LB_E_MODEL after errors of form, which are reported, or LB_E_MEMORY
lb_status lb_read_function(lb_part_loader *loader, const lb_place *place, bool motion,
                           lb_function_options *options);

/// Reads a number where zero stands for none in the options of a program, and is a mistake in a file.
void lb_read_nonzero(lb_reader *reader, const lb_place *up, const char *key, double *number);

/// Reads a list of `count` functions, or one function where one will do.
///
/// @param options  out: an array in the scratch memory; NULL after errors
lb_status lb_read_functions(lb_part_loader *loader, const lb_place *place, bool motion,
                            size_t count, lb_function_options **options);

/// Reads a node: "panel/n1", or {body: panel, node: n1}.
///
/// @return whether the form is right
bool lb_read_node_name(lb_part_loader *loader, const lb_place *place, lb_node_name *name);

/// Adds what `signals` of the document says to a set, which reports to lb_get_relay. Errors are reported.
///
/// @return LB_OK (also after errors) or LB_E_MEMORY
lb_status lb_read_signals(lb_part_loader *loader, lb_signals *signals);

/// The same with `signals` and `forces`.
lb_status lb_read_forces(lb_part_loader *loader, lb_forces *forces);

/// Reports that memory is out if that is what the status says.
void lb_report_lack(const lb_document *document, const lb_report *report, lb_status status);

#endif // LB_LOAD_PARTS_H
