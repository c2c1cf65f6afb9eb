// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Body files, *.flex: HDF5 with these datasets in its root group. n modes, N nodes, k of them with names.
// Numbers are of 64 bits; SI units; axes and origin of the files that were imported.
//
//     format                  "limber flexible body"
//     version                 1 (int32)
//     content_hash            SHA-256 of all that follows, but the reports, as 64 digits
//     source_format           in words, such as "CalculiX matrices"
//     source_names            of the files, without folders
//     source_hashes           SHA-256 of each
//     units                   [3] of the files: m, kg, s
//     report                  what was found and checked
//     report_json             the same as JSON
//     inertia_order           0, 1 or 2 (int32)
//     mass                    kg
//     h0                      [3] first moment
//     S0                      [6] inertia about the origin: xx yy zz xy xz yz
//     M_ff  E  B0             [n, n] [n, 3] [n, 3]
//     B  S  S2                [n, n, 3] [n, 6] [n, n, 6]; absent if not known
//     stiffness  damping      [n, n]; damping may be absent
//     node_ids                [N] (int64)
//     node_positions          [N, 3]
//     node_rotations          [N, 4] unit quaternions w x y z: node axes to body axes
//     node_shapes             [N, n, 6] rotation, translation, body axes
//     node_checks             [N] (int64) FNV-1a of 64 bits of the bytes of each node's shapes
//     recovery                a group, if the files have rows of recovery: for each matrix, such as MEF1, [rows, n],
//                             and MEF1_rows, their names; in the units of the files
//     kept_nodes  kept_names  [k] (int32) index of a node, and its name for models
//     used_hash               SHA-256 of the arrays that models use, and of content_hash: see LB_FLEX_USED
//
// The integrals are those of lb_flex_integrals. A model reads only the shapes of its nodes, and compares these with
// their checks, and all else with used_hash: a damaged file is found without being read as a whole.
#ifndef LB_FLEX_FILE_H
#define LB_FLEX_FILE_H

#include <stdint.h>

#include "modal_body.h"

#define LB_FLEX_FORMAT "limber flexible body"
enum { LB_FLEX_VERSION = 1, LB_FLEX_NAME_SIZE = 64, LB_FLEX_HASH_SIZE = 65 };

/// What used_hash is made of, in this order: the name of each array that is there, with its zero, and its bytes.
#define LB_FLEX_USED                                                                               \
    {                                                                                              \
        "inertia_order", "mass", "h0", "S0", "M_ff", "E", "B0", "B", "S", "S2", "stiffness",       \
            "damping", "node_ids", "node_positions", "node_rotations", "node_checks",              \
            "kept_nodes", "kept_names", "content_hash", NULL                                       \
    }

/// The check of the shapes of a node.
static inline int64_t lb_check_node_shape(const double *shape, size_t count)
{
    const unsigned char *bytes = (const unsigned char *)shape;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count * sizeof *shape; ++i) {
        hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    return (int64_t)hash;
}

/// What a body file holds, besides the body: the nodes that have names come first in body.flex.nodes.
typedef struct lb_flex_content {
    const lb_modal_body *body;
    const long *node_ids;
    int kept_count; ///< nodes that have names for models
    int source_count;
    const char *const *source_names;
    const char *const *source_hashes;
    double units[3];
    const char *report, *json;
} lb_flex_content;

lb_status lb_write_flex_file(const lb_flex_content *content, const char *path,
                             const lb_report *report);

/// Finds out whether a file is one of HDF5, as body files are.
///
/// @return LB_OK or LB_E_MEMORY
lb_status lb_probe_flex_file(const char *path, bool *is);

/// Reads a body file with all of its nodes. What it holds lives as long as `body`.
///
/// @param body  out: to be freed by lb_destroy_flex_body; NULL on failure
/// @return as lb_load_flex_file
lb_status lb_read_whole_flex_file(const char *path, const lb_allocator *allocator,
                                  const lb_report *report, lb_flex_content *content,
                                  lb_flex_body **body);

#endif // LB_FLEX_FILE_H
