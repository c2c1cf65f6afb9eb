// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The report of an import as one page with pictures, for a browser or for paper.
#ifndef LB_CLI_IMPORT_PAGE_H
#define LB_CLI_IMPORT_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "limber/build.h"

/// Writes the page: one file without scripts that loads nothing.
///
/// @param name    of what was imported, for the title
/// @param report  what lb_get_import_json gives; may have a member "comparison"
/// @param flex    nodes and shapes
/// @return false if memory is out
void lb_cli_write_import_page(FILE *out, const char *name, const json_t *report,
                              const lb_flex_options *flex);

// ---- pictures: SVG inside the page -------------------------------------------------------------

enum { LB_CLI_MODES_DRAWN = 12 };

/// Whether any node moves in a mode that would be drawn.
bool lb_cli_has_shapes(const lb_flex_options *flex);

/// The nodes of a body as they are drawn, the same for all modes.
typedef struct lb_cli_cloud {
    const lb_flex_options *flex;
    int count;               ///< nodes that are drawn
    int *nodes;              ///< which
    int line_count;          ///< between neighbouring nodes; none if there are many nodes
    int (*lines)[2];         ///< nodes at both ends
    double scale, left, top; ///< to the picture
    double amplitude;        ///< largest displacement that is drawn, m
    double dot;              ///< diameter of a node
} lb_cli_cloud;

/// Chooses nodes, lines and scale.
///
/// @param cloud  out: to be freed by lb_cli_free_cloud
void lb_cli_make_cloud(const lb_flex_options *flex, lb_cli_cloud *cloud);
void lb_cli_free_cloud(lb_cli_cloud *cloud);

/// Draws a mode; the first picture of a page also holds what the others refer to.
void lb_cli_draw_mode(FILE *out, const lb_cli_cloud *cloud, int mode);

/// Draws over frequency: sums of effective masses, or marks if there are none.
///
/// @param count      modes
/// @param effective  by mode, parts of the whole along x y z and about x y z; NULL if there are none
void lb_cli_draw_spectrum(FILE *out, int count, const double *frequencies,
                          const double (*effective)[6]);

/// Draws a matrix of MAC, rows x columns.
void lb_cli_draw_mac(FILE *out, int rows, int columns, const double *mac);

/// Colours of the six directions x y z rx ry rz.
extern const char *const lb_cli_direction_colours[6];

#endif // LB_CLI_IMPORT_PAGE_H
