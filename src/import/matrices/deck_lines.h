// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines of the input files of Abaqus and CalculiX.
#ifndef LB_DECK_LINES_H
#define LB_DECK_LINES_H

#include "import/source.h"

enum { LB_DECK_PARAMETERS = 12 };

typedef struct lb_deck_parameter {
    lb_span name, value;
} lb_deck_parameter;

/// Goes through an input file. Start from {.lines = lb_start_lines(file)}.
typedef struct lb_deck_cursor {
    lb_lines lines;
    int line;        ///< number of the line, the first one of a keyword
    bool is_keyword; ///< else data
    lb_span keyword; ///< the last one, without its asterisk
    int parameter_count;
    lb_deck_parameter parameters[LB_DECK_PARAMETERS]; ///< of the keyword
} lb_deck_cursor;

/// Goes to the next line that is neither a comment nor empty; of a keyword, all that belongs to it is read. False
/// behind the last.
bool lb_next_deck_line(lb_deck_cursor *at);

/// Value of a parameter of the keyword; NULL if it has none of that name.
///
/// @param name  in capital letters, without blanks
const lb_span *lb_find_deck_parameter(const lb_deck_cursor *at, const char *name);

/// Whether data go on in the next line.
bool lb_ends_in_comma(lb_span line);

/// Whether a span is one of these words (capital letters, no blanks), which NULL ends.
bool lb_is_one_of(lb_span span, const char *const *words);

#endif // LB_DECK_LINES_H
