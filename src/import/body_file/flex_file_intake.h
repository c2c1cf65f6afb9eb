// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A body file that is being read: what those who read it for a model and as a whole have in common. All failures
// are reported, apart from lack of memory.
#ifndef LB_FLEX_FILE_INTAKE_H
#define LB_FLEX_FILE_INTAKE_H

#include "base/hdf5/hdf5_reader.h"
#include "flex_file.h"
#include "import/reduce/reduction.h"

typedef struct lb_flex_intake {
    lb_hdf5_reader reader;
    const char *path;
    const char *key;        ///< where a model names the file; "" outside of models
    const char *hash;       ///< that the file must have; NULL for any
    lb_fe_context *context; ///< of the body; all arrays are in its arena
    int n;                  ///< modes of the file
    lb_inertia_order order;
    uint64_t node_count;
    lb_hdf5_array ids, positions, rotations, shapes, checks;
    lb_hdf5_array kept, names; ///< of the nodes that have names
    int second_count;          ///< nodes with second-order displacements
    const int *second_nodes;   ///< which
    const double *second;      ///< their displacements, by pairs
} lb_flex_intake;

/// Reports what is wrong with the file.
///
/// @return LB_E_FILE
lb_status lb_fail_flex_file(const lb_flex_intake *in, const char *format, ...) LB_PRINTF(2, 3);

/// Reports why the reader failed.
///
/// @return LB_E_MEMORY (not reported), LB_E_UNSUPPORTED or LB_E_FILE
lb_status lb_fail_flex_reader(const lb_flex_intake *in, lb_status status);

/// Finds an array of this kind and shape.
///
/// @param dims  one length per dimension; -1 stands for any
lb_status lb_find_flex_array(lb_flex_intake *in, const char *name, lb_hdf5_kind kind, int rank,
                             const int64_t dims[3], bool is_optional, lb_hdf5_array *array);

/// Some numbers of an array of doubles.
lb_status lb_read_flex_numbers_at(lb_flex_intake *in, const char *name, const lb_hdf5_array *array,
                                  uint64_t first, uint64_t count, double *values);

/// A whole array of doubles; NULL in *values if it is absent and may be.
lb_status lb_read_flex_numbers(lb_flex_intake *in, const char *name, int rank, int rows,
                               int columns, int depth, bool is_optional, double **values);

/// A string without line breaks.
lb_status lb_read_flex_text(lb_flex_intake *in, const char *name, const char **text);

/// A string of an array of strings, or the only one.
lb_status lb_read_flex_item(lb_flex_intake *in, const char *name, const lb_hdf5_array *array,
                            uint64_t index, const char **text);

/// Which quantities of a file are read, and for what body.
typedef struct lb_flex_recovery_request {
    const char *const *names; ///< NULL for all
    int name_count;
    int mode_count;      ///< modes that the body has
    const int *modes;    ///< which ones of the file
    const int *node_of;  ///< by node of the body: its index in the file
    double mass, square; ///< factors of masses and of squared frequencies
} lb_flex_recovery_request;

/// Reads recovered quantities, with what the modes of the body leave out of their static response. (RCV-6)
///
/// @param flex  in: the body with its nodes, integrals and stiffness; out: its recovery
lb_status lb_read_flex_recovery(lb_flex_intake *in, const lb_flex_recovery_request *request,
                                lb_flex_options *flex);

/// Opens the file and reads what it is: its version, its hash and the number of its modes.
lb_status lb_open_flex_file(lb_flex_intake *in, const char **hash);

/// Reads integrals, stiffness and damping, as they are in the file. Whoever reads them may change them.
lb_status lb_read_flex_inertia(lb_flex_intake *in, lb_flex_options *flex);

/// Whether a matrix has nothing beside its diagonal but rounding.
bool lb_is_diagonal(int n, const double *A);

/// Finds the nodes, and those that have names.
lb_status lb_find_flex_nodes(lb_flex_intake *in);

/// The index and the name of one of the nodes that have names.
lb_status lb_read_flex_name(lb_flex_intake *in, uint64_t i, int32_t *node, const char **name);

/// Second-order displacements of a node of the file, for some of its modes; nothing if it has none.
lb_status lb_get_flex_second(const lb_flex_intake *in, uint64_t node, int mode_count,
                             const int *modes, lb_flex_node *out);

/// Compares the shapes of a node, in all modes of the file, with their check.
lb_status lb_check_flex_shape(lb_flex_intake *in, uint64_t node, const double *shape);

/// Compares what models use with its hash. To be called last, so that a file that another program wrote gets words
/// that say more.
lb_status lb_check_flex_used(lb_flex_intake *in);

/// An empty body, or NULL if memory is out.
lb_flex_body *lb_make_flex_body(const lb_allocator *allocator, const lb_report *report);

#endif // LB_FLEX_FILE_INTAKE_H
