// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A flexible body read from a file of another program, with what was said about it.
#ifndef LB_TEST_MODAL_SAMPLE_H
#define LB_TEST_MODAL_SAMPLE_H

#include "heard.h"
#include "import/modal_body.h"

/// Must not be copied: the options of the body point to its integrals.
typedef struct lb_modal_sample {
    lb_import import;
    lb_import_file file;
    lb_heard heard;
    lb_modal_body body;
    lb_status status;
    char *text;
} lb_modal_sample;

/// The whole of a file, to be freed; NULL if there is no such file.
char *lb_read_text(const char *path, size_t *length);

/// Reads a text with the one reader that knows it; ends the test if there is none, or more than one.
void lb_import_text(lb_modal_sample *imported, const char *text, size_t length);

/// Reads a file of test/data/fe/modes.
void lb_import_sample(lb_modal_sample *imported, const char *name);

/// Reads the beam of Wallrapp's format, which is not among the sources; skips the test if it is not there.
void lb_import_beam_of_others(lb_modal_sample *imported);

void lb_free_sample(lb_modal_sample *imported);

#endif // LB_TEST_MODAL_SAMPLE_H
