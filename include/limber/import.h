// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Flexible bodies from finite-element programs (library limber-sim). Files of another program become a body
// file once, and models use that file as often as they like:
//
//     const char *files[] = {"panel.sti", "panel.mas", "panel.dof", "panel.inp"};
//     lb_import_options options = lb_default_import_options();
//     options.files = files;
//     options.file_count = 4;
//     options.length = 1e-3; // the files are in millimetres, tonnes and seconds
//     options.mass = 1e3;
//     lb_imported *panel;
//     if (lb_import_files(&options, NULL, &report, &panel) == LB_OK) {
//         puts(lb_get_import_report(panel));
//         lb_save_imported(panel, "panel.flex", &report);
//         lb_destroy_imported(panel);
//     }
//
//     lb_flex_body *loaded;
//     lb_status status = lb_load_flex_file("panel.flex", NULL, NULL, &report, &loaded);
//     lb_body_options body = lb_default_body_options();
//     body.flex = lb_get_flex_options(loaded); // then lb_add_body
//
// Formats are recognised by the content of files, not by their names: matrices of CalculiX, Abaqus and Ansys (Matrix
// Market), Nastran's DMIG, OUTPUT4 and EXTSEOUT, SID, MBDyn's *.fem, and tables of participation factors.
// Guide: "From finite elements to flight". Theory: "Import".
//
// The axes and the origin of the files are those of the body frame. Everything here allocates.
#ifndef LB_IMPORT_H
#define LB_IMPORT_H

#include "limber/beams.h"

// ---- import ------------------------------------------------------------------------------------

/// What a file is, where its content does not tell.
typedef enum lb_file_role {
    LB_FILE_ANY,
    LB_FILE_STIFFNESS,
    LB_FILE_MASS,
    LB_FILE_DAMPING,
    /// Quantities to recover, as the user wants them: lines `name, node, direction, coefficient`, of the same name to be
    /// added up: displacements times coefficients, in the units of the files. Directions are x y z rx ry rz.
    LB_FILE_ROWS,
    LB_FILE_ROLE_COUNT
} lb_file_role;

/// A node of a structure with a name for models. Frozen: a name and a number.
typedef struct lb_named_node {
    const char *name; ///< NULL: its number
    long id;          ///< its number in the files
} lb_named_node;

/// A matrix of geometric stiffness and the load that it is for. Frozen: two names.
///
/// The load is one of
///   - ax ay az: the body accelerates by one unit along an axis
///   - alphax alphay alphaz: it has a unit angular acceleration about an axis through the origin
///   - wxx wyy wzz wxy wxz wyz: it spins, and this product of the components of its spin is one, the others zero
///   - fx fy fz, an at sign and the number of a node: a unit force acts on this node
/// in the units and axes of the files. Theory: (IMP-9), (IMP-10).
typedef struct lb_geometric_file {
    const char *load;
    const char *file; ///< Matrix Market or lines `row column value`, rows as those of the stiffness
} lb_geometric_file;
/// How a node follows a set of nodes.
typedef enum lb_tie {
    LB_TIE_RIGID,   ///< the set moves as a rigid body, and the node with it: stiffness is added
    LB_TIE_AVERAGE, ///< the node has the mean rigid motion of the set, which stays as soft as it is
    LB_TIE_COUNT
} lb_tie;

/// A node with six degrees of freedom that is tied to a set of nodes, such as the nodes of a face of solid
/// elements. Start from lb_default_tied_node(). Sized.
typedef struct lb_tied_node {
    size_t size;
    const char *name;
    lb_tie tie;
    /// Numbers, ranges and names of sets, such as "12..40+77+TIP". Of a range, the numbers that exist. Sets are those
    /// that *NSET and *NODE define in the input files of CalculiX and Abaqus.
    const char *set;
    const double
        *position; ///< three, in the unit of length of the files; NULL: the middle of the set
} lb_tied_node;

/// Tied by averages, in the middle of the set. Name and set have to be given.
static inline lb_tied_node lb_default_tied_node(void)
{
    lb_tied_node node = LB_ZEROES;
    node.size = sizeof node;
    node.tie = LB_TIE_AVERAGE;
    return node;
}

/// Files and what to make of them. Start from lb_default_import_options(). Sized.
typedef struct lb_import_options {
    size_t size;
    const char *const *files; ///< all files of one structure, in any order; or one body file
    int file_count;
    const lb_file_role *roles; ///< one for each file; NULL: recognised by their content
    double length;             ///< unit of length of the files, m
    double mass;               ///< unit of mass, kg
    double time;               ///< unit of time, s
    const long *clamp; ///< nodes that do not move in the body frame; none: modes of the free body
    int clamp_count;
    int mode_count; ///< normal modes at most; 0: as many as there are, up to 50
    double below;   ///< Hz: no normal mode above; 0 for no limit
    /// Nodes that models can use by name without asking for them; none, nor ties: all that have rotations.
    const lb_named_node *nodes;
    int node_count;
    /// Geometric stiffness for unit loads, so that the body stiffens as it moves. A Matrix Market file among
    /// `files` with the comment line `% geometric stiffness, load LOAD` counts as one of these.
    const lb_geometric_file *geometric;
    int geometric_count;
    /// Nodes that are tied to sets. Models can use them by name.
    const lb_tied_node *ties;
    int tie_count;
    // In the lists below each entry is a name of `nodes` or `ties`, or the number of a node as text.
    const char *const *held; ///< clamped, besides those in `clamp`
    int held_count;
    /// Where other bodies are attached. The modes are those with all interfaces held, with the static shapes of
    /// unit displacements of the interfaces (Craig and Bampton).
    const char *const *interfaces;
    int interface_count;
    /// Residual modes: the static response to unit forces and moments on these nodes becomes exact.
    const char *const *residuals;
    int residual_count;
    /// Called between the steps of an import: what is being done, in one word, and which part of it is complete, from
    /// 0 to 1. Factors of large matrices take seconds between two calls. Anything but 0 ends the import with
    /// LB_E_CALLBACK. NULL: not called.
    int (*progress)(void *user, const char *what, double done);
    void *user; ///< handed to `progress`
} lb_import_options;

/// SI units, modes of the free body. Files have to be given.
static inline lb_import_options lb_default_import_options(void)
{
    lb_import_options options = LB_ZEROES;
    options.size = sizeof options;
    options.length = 1.0;
    options.mass = 1.0;
    options.time = 1.0;
    return options;
}

/// A structure that has been imported. Opaque.
typedef struct lb_imported lb_imported;

/// Reads the files of a structure, checks them, and finds modes and inertia. Theory: (IMP-1) to (IMP-10). A body
/// file, alone and with the default options, gives what was imported when it was made, its report included.
///
/// Modes of large structures are counted: one that is missing or wrong is an error. Theory: (BM-16) to (BM-18).
///
/// @param allocator  NULL for malloc and free (LAPACK, MUMPS and SuperLU always use these)
/// @param report     receives errors and warnings with file and line; NULL to drop them
/// @param imported   out: to be freed by lb_destroy_imported; NULL on failure
/// @return LB_OK; LB_E_FILE if a file cannot be read; LB_E_SYNTAX if it is wrong; LB_E_UNSUPPORTED if it
///         has what Limber cannot use; LB_E_ARGUMENT for wrong options; LB_E_CALLBACK if `progress` ended it;
///         LB_E_VERSION; LB_E_MEMORY. All but the last three are reported
LB_API lb_status lb_import_files(const lb_import_options *options, const lb_allocator *allocator,
                                 const lb_report *report, lb_imported **imported);

/// Frees an imported structure. NULL is allowed.
LB_API void lb_destroy_imported(lb_imported *imported);

/// What was found and checked, as text for a reader. It lives as long as the structure.
LB_API const char *lb_get_import_report(const lb_imported *imported);

/// The same as JSON.
LB_API const char *lb_get_import_json(const lb_imported *imported);

/// The body in the form that lb_add_body takes. Nodes without names come last and count as mass points, without
/// mass. It lives as long as the structure.
LB_API const lb_flex_options *lb_get_imported_options(const lb_imported *imported);

/// Writes a body file, *.flex. It appears when it is complete. Format: docs/guide/import.md.
///
/// @param report  receives one sentence on failure; NULL to drop it
/// @return LB_OK, LB_E_FILE, LB_E_MEMORY, LB_E_MODEL if no node has a name,
/// or LB_E_ARGUMENT for what was read from a body file
LB_API lb_status lb_save_imported(const lb_imported *imported, const char *path,
                                  const lb_report *report);

// ---- export ------------------------------------------------------------------------------------

/// Writes the finite elements of a beam into a folder, which is made if there is none: stiffness.mtx, mass.mtx and
/// geometric-LOAD.mtx for all loads of lb_geometric_file, forces at the named nodes included, in Matrix Market
/// form; rows.txt, the node and direction of each row; nodes.txt, the coordinates. All motions are in them,
/// whichever the modes are. lb_import_files reads them back. Theory: (BM-19). Allocates.
///
/// @param report  receives errors; NULL to drop them
/// @return LB_OK, LB_E_FILE, LB_E_MODEL for wrong options, LB_E_VERSION or LB_E_MEMORY
LB_API lb_status lb_write_beam_matrices(const lb_beam_options *options, const char *folder,
                                        const lb_report *report);

/// Writes the finite elements of a frame, as lb_write_beam_matrices does.
LB_API lb_status lb_write_frame_matrices(const lb_frame_options *options, const char *folder,
                                         const lb_report *report);

// ---- comparison --------------------------------------------------------------------------------

/// Compares masses, centres, inertias, frequencies and mode shapes of two structures.
///
/// Shapes are compared by the modal assurance criterion (MAC) of the translations of nodes that have the same
/// number in both, for the first 100 modes. Each mode has at most one partner: of the pairs that are left, the
/// one with the largest MAC comes next, down to a MAC of 0.4. With fewer than three common nodes, modes are paired
/// by their number. The cost grows with the number of common nodes times both numbers of modes. Allocates.
///
/// @param names   of the two, for the report
/// @param report  out: text for a reader, with the first 12 modes; to be freed by free(); NULL on failure
/// @param json    out: all modes that were compared, as JSON; to be freed by free(); NULL on failure
/// @return LB_OK or LB_E_MEMORY
LB_API lb_status lb_compare_imported(const lb_imported *first, const lb_imported *second,
                                     const char *const names[2], char **report, char **json);

// ---- use ---------------------------------------------------------------------------------------

/// How a model uses a body file. Start from lb_default_flex_file_options(). Sized.
typedef struct lb_flex_file_options {
    size_t size;
    int mode_count; ///< the lowest ones; 0 for all
    double below;   ///< Hz, of frequencies times frequency_factor: no mode above; 0 for no limit
    const lb_damping_options *damping; ///< NULL: as in the file
    const lb_fidelity *fidelity;       ///< NULL: the highest order of inertia that the file has
    double frequency_factor;           ///< on all frequencies
    double mass_factor;                ///< on mass and inertia; frequencies stay
    /// Nodes besides those that the file has by name.
    const lb_named_node *nodes;
    int node_count;
    const char *hash; ///< what lb_get_flex_hash must give, or NULL
    /// Recovered quantities that the body shall have, by name; NULL: all that the file has.
    const char *const *recovery;
    int recovery_count;
} lb_flex_file_options;

/// All modes, damping as in the file, factors of one.
static inline lb_flex_file_options lb_default_flex_file_options(void)
{
    lb_flex_file_options options = LB_ZEROES;
    options.size = sizeof options;
    options.frequency_factor = 1.0;
    options.mass_factor = 1.0;
    return options;
}

/// Makes a flexible body from a body file. Of the nodes only those that are used are read.
///
/// @param options    NULL for the defaults
/// @param allocator  NULL for malloc and free
/// @param report     receives errors and warnings; paths in it are relative to the options, such as "modes"
/// @param body       out: to be freed by lb_destroy_flex_body; NULL on failure
/// @return LB_OK; LB_E_FILE (not there, damaged); LB_E_MODEL for wrong options; LB_E_UNSUPPORTED for a newer
///         format; LB_E_VERSION; LB_E_MEMORY. All but the last are reported
LB_API lb_status lb_load_flex_file(const char *path, const lb_flex_file_options *options,
                                   const lb_allocator *allocator, const lb_report *report,
                                   lb_flex_body **body);

/// SHA-256 of the content of a body file, which is stored in it, as 64 digits.
///
/// @param body  from lb_load_flex_file
/// @return "" for a body of another origin
LB_API const char *lb_get_flex_hash(const lb_flex_body *body);

/// The same without reading the body.
///
/// @param report  receives one sentence on failure; NULL to drop it
/// @param hash    out: 64 digits and a zero byte
/// @return LB_OK, LB_E_FILE, LB_E_UNSUPPORTED or LB_E_MEMORY
LB_API lb_status lb_read_flex_hash(const char *path, const lb_report *report, char hash[65]);

#endif // LB_IMPORT_H
