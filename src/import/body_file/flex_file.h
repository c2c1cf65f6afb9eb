// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Body files, *.flex: HDF5 with these datasets in its root group. n modes, N nodes, k of them with names.
// Numbers are of 64 bits; SI units; axes and origin of the files that were imported.
//
//     format                  "limber flexible body"
//     version                 1, or 2 with second_nodes or one of G2 and T2 (int32)
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
//     G2  T2                  [n, n, 3] [n, n, 9]; absent if not known
//     stiffness  damping      [n, n]; damping may be absent
//     node_ids                [N] (int64)
//     node_positions          [N, 3]
//     node_rotations          [N, 4] unit quaternions w x y z: node axes to body axes
//     node_shapes             [N, n, 6] rotation, translation, body axes
//     node_checks             [N] (int64) FNV-1a of 64 bits of the bytes of each node's shapes
//     recovery_names          [Q] names of quantities such as stresses; absent if there are none
//     recovery_modes          [Q, n] these per modal coordinate, in the units of the imported files
//     recovery_static         [Q, 12 + 6 f] their static response to the 12 loads of inertia of lb_flex_recovery, and to
//                             moment and force at the first f nodes, per SI unit of the load; absent if not known
//     recovery_checks         [Q] (int64) FNV-1a of 64 bits of each name, its row of modes and its static row
//     second_nodes            [j] (int32) index of each node whose second-order displacement is known; absent for none
//     second_order            [j, n (n + 1) / 2, 3] for the pairs of modes 0 0, 0 1, ... 0 n-1, 1 1, ..., body axes
//     kept_nodes  kept_names  [k] (int32) index of a node, and its name for models
//     used_hash               SHA-256 of the arrays that models use, and of content_hash: see LB_FLEX_USED
//
// The integrals are those of lb_flex_integrals. A model reads only the shapes of its nodes, and compares these with
// their checks, and all else with used_hash: a damaged file is found without being read as a whole.
#ifndef LB_FLEX_FILE_H
#define LB_FLEX_FILE_H

#include <stdint.h>
#include <string.h>

#include "import/modal_body.h"

#define LB_FLEX_FORMAT "limber flexible body"
enum {
    LB_FLEX_VERSION = 2,
    LB_FLEX_NAME_SIZE = 64,
    LB_FLEX_HASH_SIZE = 65,
    LB_FLEX_ROW_NAME_SIZE = 96
};

/// What used_hash is made of, in this order: the name of each array that is there, with its zero, and its bytes.
#define LB_FLEX_USED                                                                               \
    {                                                                                              \
        "inertia_order", "mass", "h0", "S0", "M_ff", "E", "B0", "B", "S", "S2", "G2", "T2",        \
            "stiffness", "damping", "node_ids", "node_positions", "node_rotations", "node_checks", \
            "second_nodes", "second_order", "kept_nodes", "kept_names", "content_hash", NULL       \
    }

/// FNV-1a, going on from a hash.
static inline uint64_t lb_go_on_hashing(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    return hash;
}

/// The check of the shapes of a node.
static inline int64_t lb_check_node_shape(const double *shape, size_t count)
{
    return (int64_t)lb_go_on_hashing(14695981039346656037u, shape, count * sizeof *shape);
}

/// The check of a recovered quantity.
///
/// @param response  may be NULL
static inline int64_t lb_check_recovery_row(const char *name, const double *modes, size_t n,
                                            const double *response, size_t width)
{
    uint64_t hash = lb_go_on_hashing(14695981039346656037u, name, strlen(name));
    hash = lb_go_on_hashing(hash, modes, n * sizeof *modes);
    return (int64_t)(response ? lb_go_on_hashing(hash, response, width * sizeof *response) : hash);
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

/// Writes a file that appears when it is complete. What is wrong is reported.
lb_status lb_write_bytes(const void *bytes, size_t size, const char *path, const lb_report *report);

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
