// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From the document that a file holds to the one that is loaded: `include` is replaced by what other files
// hold, `repeat` by its items, and `parameters` have values.
#ifndef LB_EXPAND_H
#define LB_EXPAND_H

#include <stdint.h>

#include "base/formula/terms.h"
#include "base/names.h"
#include "document/load.h"
#include "document/places.h"

#define LB_TOO_LARGE "the document does not fit into memory"
#define LB_TOO_LONG "the formula is too long"

/// An entry of `parameters`.
typedef struct lb_parameter_entry {
    const char *name;
    const lb_doc_node *given; ///< a number, or the text of a formula
    size_t index;             ///< among the entries
    double value, low, high;
    const char *unit, *note; ///< "" if there is none
    bool is_set;             ///< by the caller, not by the file
    int state;               ///< of its evaluation
} lb_parameter_entry;

/// Copies that a `repeat` has made, side by side.
typedef struct lb_copies {
    const lb_doc_node *items; ///< of the container; NULL until that is complete
    const size_t *starts;     ///< where each copy begins in it, and where the last one ends
    size_t count;
    const char *index;
    size_t self, outer; ///< its number, and that of those around it; LB_NO_COPIES for none
} lb_copies;

#define LB_NO_COPIES SIZE_MAX

/// What names and marks of a document mean.
struct lb_context {
    const char *const *files; ///< by the numbers in its nodes; the first is its own
    lb_parameter_entry *parameters;
    int parameter_count;
    lb_names names;          ///< of the parameters
    const lb_copies *copies; ///< by place
    size_t copies_count;
    const lb_parameter_value *paths; ///< numbers that were set by the path of their key
    int path_count;
};

/// The index of a `repeat`, and those around it.
typedef struct lb_index {
    const struct lb_index *up;
    const char *name;
    double value;
} lb_index;

/// What a text is where a number is expected.
typedef enum lb_formula_kind {
    LB_FORMULA_NONE, ///< no formula: it has neither a name nor an operator
    LB_FORMULA_WRONG,
    LB_FORMULA_PARAMETERS,
    LB_FORMULA_INDEX ///< with an index of a `repeat`
} lb_formula_kind;

/// Evaluates a formula of parameters and indices.
///
/// @param context  may be NULL
/// @param index    the innermost; NULL for none
/// @param scan     out: what is wrong with LB_FORMULA_WRONG
lb_formula_kind lb_evaluate_text(const lb_context *context, const lb_index *index, const char *text,
                                 double *value, lb_scan *scan);

/// Replaces the key `include` of a document by what the files hold that it names.
///
/// @return LB_OK, LB_E_FILE, LB_E_SYNTAX, LB_E_MODEL (all reported) or LB_E_MEMORY
lb_status lb_merge_includes(lb_doc *doc, const lb_source *source, const lb_load_options *options,
                            const lb_report *report);

/// Makes doc->root and doc->context from doc->raw: gives parameters their values and repeats what is to be
/// repeated. May be called again with other values.
///
/// @return LB_OK, LB_E_MODEL (reported) or LB_E_MEMORY
lb_status lb_expand_document(lb_doc *doc, const lb_source *source, const lb_parameter_value *values,
                             int value_count, const lb_report *report);

/// Reads `parameters` of doc->raw into the context, and evaluates them.
lb_status lb_read_parameters(lb_doc *doc, lb_reader *reader, lb_context *context,
                             const lb_parameter_value *values, int value_count);

/// Whether a value is for a path, such as "initial.arm.angle", and not for a parameter of that name.
bool lb_is_path(const lb_context *context, const lb_parameter_value *value);

/// Sets the numbers of doc->root whose paths are among the values, and keeps them in the context. Keys that are
/// missing on the way are made; whoever reads the document says which of them it does not know.
///
/// @return LB_OK, LB_E_MODEL (reported) or LB_E_MEMORY
lb_status lb_set_paths(lb_doc *doc, lb_reader *reader, lb_context *context,
                       const lb_parameter_value *values, int value_count);

/// What lb_find_parameter_uses finds, outside of one key of the document.
///
/// @param skipped  the key; NULL for none
int lb_find_uses(const lb_doc *doc, const char *file, const char *name, const char *skipped,
                 int room, lb_parameter_use *uses);

/// Copies a document with its `repeat`s written out.
lb_status lb_expand_repeats(lb_doc *doc, lb_reader *reader, lb_context *context);

/// Adds to a message what the number at a node was made of, and the indices of the copies that it is in:
/// ' ("2*k" is 6, k = 3 of line 4) (i = 2)'.
///
/// @param way  the nodes from the root to the one that the message is about
void lb_explain_way(const lb_context *context, const lb_doc_node *const *way, int count,
                    lb_text *message);

#endif // LB_EXPAND_H
