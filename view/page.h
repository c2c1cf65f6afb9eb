// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The web page of a recording: the viewer with the data put in, one file.
#ifndef LB_CLI_PAGE_H
#define LB_CLI_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "view/motion.h"

typedef struct lb_cli_page {
    const lb_cli_recording *recording;
    lb_cli_scene *scene;         ///< NULL if there is no model
    const lb_cli_motion *motion; ///< likewise
    const char *source;          ///< name of the results
    json_t *modes;               ///< mode shapes; NULL for none
    char *const *signals;        ///< to plot at first; computed if they are not recorded
    int signal_count;
    bool is_pose; ///< a model in its initial pose, not a run
} lb_cli_page;

/// One run, or two that are compared.
typedef struct lb_cli_pages {
    const lb_cli_page *runs[2];
    int count;
} lb_cli_pages;

/// Mode shapes for a page, from the JSON that `limber modes` writes.
///
/// @param path  of the file, for messages
/// @return NULL after saying why
json_t *lb_cli_parse_modes(const char *path, const char *text, size_t length);

/// @return false after saying why
bool lb_cli_write_page(FILE *out, const lb_cli_pages *pages);

/// The viewer's page, with `<!--limber:data-->` where the data go; cmake/LimberEmbed.cmake makes it.
extern const unsigned char lb_cli_viewer[];
extern const size_t lb_cli_viewer_size;

/// Serves `text` as HTML at / on the loopback interface until Ctrl-C, and says where.
///
/// @param port   0 for any that is free
/// @param ready  called with the address once it answers; may be NULL
/// @return false after saying why
bool lb_cli_serve_page(const char *text, size_t size, int port, void (*ready)(const char *address));

#endif // LB_CLI_PAGE_H
