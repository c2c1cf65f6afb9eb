// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the model loader share.
#ifndef LB_LOAD_H
#define LB_LOAD_H

#include "limber/beams.h"
#include "places.h"
#include "reader.h"
#include "values.h"

/// Materials and sections by name: of a file, or in line.
typedef struct lb_library {
    const char *file;
    lb_place root;
    lb_doc doc;
    bool owned;     ///< `doc` is there
    lb_arena names; ///< of the file
} lb_library;

enum { LB_LIBRARY_MOST = 16 };

/// A body whose finite elements are to be written.
typedef struct lb_export {
    const char *body, *folder;
    bool is_found; ///< such a body has been there
    lb_status status;
} lb_export;

typedef struct lb_loader {
    lb_reader reader;
    lb_builder *builder;
    lb_arena scratch;        ///< emptied after each body
    const lb_place *context; ///< what is being handed to the builder
    bool is_urdf;            ///< paths are to be those of the robot
    bool gives_up;           ///< too many errors: bodies are no longer built
    lb_library libraries[LB_LIBRARY_MOST];
    int library_count;
    lb_place library_place;
    lb_flex_body *flex_body; ///< of the body being loaded; NULL for none
    const char *body;        ///< name of the body being loaded
    lb_export *export;       ///< NULL for none
} lb_loader;

/// Reads `flex` into memory of the scratch pool. What is wrong in it is reported, and something
/// harmless put in its place, so that the builder can look at the rest.
///
/// @param flex  out: node_count is zero if there is nothing to hand on
/// @return LB_OK, also after errors, or LB_E_MEMORY
lb_status lb_load_flex(lb_loader *loader, const lb_place *place, lb_flex_options *flex);

/// The same of `beam` and `frame`; what they need lives in loader->flex_body, to be destroyed.
lb_status lb_load_beam(lb_loader *loader, const lb_place *place, lb_flex_options *flex);
lb_status lb_load_frame(lb_loader *loader, const lb_place *place, lb_flex_options *flex);

/// The same of a `flex` that names a body file.
lb_status lb_load_flex_reference(lb_loader *loader, const lb_place *place, lb_flex_options *flex);

/// Reads `fidelity`.
void lb_load_fidelity(lb_loader *loader, const lb_place *owner, lb_fidelity *fidelity);

/// Reads the libraries that the model names, and checks them.
lb_status lb_load_libraries(lb_loader *loader, const lb_place *root);
void lb_free_libraries(lb_loader *loader);

/// Reads `name`. A place without one is called by its path, until the errors end the loading.
lb_status lb_load_name(lb_loader *loader, const lb_place *place, const char **name);

/// A text that has become a document.
typedef struct lb_source {
    const char *file;
    lb_format format; ///< never LB_FORMAT_AUTO
    lb_instruction_set instructions;
    const char *allow_files; ///< as in lb_load_options
    lb_export *export;       ///< NULL for none
} lb_source;

/// The options of a caller who may know fewer of them, or none. LB_E_VERSION for a newer one (reported).
lb_status lb_take_options(const lb_load_options *options, const lb_report *report,
                          lb_load_options *taken);
lb_report lb_take_report(const lb_report *report);

/// Starts a document, without a tree.
lb_doc lb_start_doc(const lb_allocator *allocator);
void lb_free_doc(lb_doc *doc);

/// Makes the tree of a text; completes the source.
///
/// @param doc   its pool initialised, and freed on failure
/// @param text  NULL for that of the file that the source names
lb_status lb_parse_document(lb_doc *doc, const char *text, size_t length,
                            const lb_load_options *options, const lb_report *report,
                            lb_source *source);

/// The same with everything that it includes, with the parameters of the options, and repeated.
///
/// @param doc  started, and freed on failure
lb_status lb_read_document(lb_doc *doc, const char *text, size_t length,
                           const lb_load_options *options, const lb_report *report,
                           lb_source *source);

/// Makes the model of a document. What is wrong with it is reported.
lb_status lb_build_document(const lb_doc *doc, const lb_source *source, const lb_report *report,
                            lb_model **model);

/// Makes what lb_load_document_sketch makes.
lb_status lb_sketch_document(const lb_doc *doc, const lb_source *source,
                             lb_half_known_name *half_known, void *user, lb_model **model);

/// An error of a file as a whole.
void lb_emit_plain(const lb_report *report, const char *file, const char *message);

/// Adds the closure constraints of a model file, those that events make included.
lb_status lb_load_loops(lb_loader *loader, const lb_place *root);

// ---- load_changes.c ----------------------------------------------------------------------------

/// Whether an action is the first that makes a loop of this name.
bool lb_is_first_make(const lb_place *root, const lb_place *make, const char *name);

/// What a loop may become: bodies that it may come to join, and terms of a coupler, for the builder.
lb_status lb_load_reach(lb_loader *loader, const lb_place *root, lb_loop_options *loop);

/// Where a path of the builder, "loops[3].a", stands in the file, if it is of a loop that is made.
///
/// @param translated  out: the path in the file
/// @return NULL if it is not
const lb_doc_node *lb_locate_made(const lb_place *root, const char *path, lb_text *translated);

// ---- beams and frames --------------------------------------------------------------------------

/// Reads a material or section at a place: a mapping, or a name of the library or, for materials, of
/// the built-in table. What is wrong is reported; false if nothing came of it.
bool lb_load_material(lb_loader *loader, const lb_place *place, lb_material *material);
bool lb_load_section(lb_loader *loader, const lb_place *place, lb_section *section);

/// Reads `section` or `stations`, of which one must be there unless there is a default.
lb_status lb_load_sections(lb_loader *loader, const lb_place *owner, const lb_section *fallback,
                           const lb_section **section, const lb_station **stations,
                           int *station_count);

/// Reads `modes`: a number, or a mapping.
///
/// @param modes  out: never NULL after success
lb_status lb_load_modes(lb_loader *loader, const lb_place *owner, bool is_beam,
                        const lb_modes_options **modes);
/// Reads `shapes`: a family's name, whose number of shapes is that of `modes`, or a list.
lb_status lb_load_shapes(lb_loader *loader, const lb_place *owner, const lb_modes_options *modes,
                         const lb_beam_shape **shapes, int *shape_count);
/// Reads `damping`: a ratio, a list of them, or {rayleigh: [a, b]} or {table: [[f, ratio], ...]}.
///
/// @param damping  out: never NULL after success
lb_status lb_load_damping(lb_loader *loader, const lb_place *owner,
                          const lb_damping_options **damping);

/// Reads a number that must be positive; false if it is absent or wrong.
bool lb_load_positive(lb_loader *loader, const lb_place *owner, const char *key, lb_need need,
                      double *number);
/// Reads an integer from 1 on.
bool lb_load_count(lb_loader *loader, const lb_place *owner, const char *key, int *count);

/// Where in the document a body of beams is described.
typedef struct lb_beam_place {
    lb_loader *loader;
    const lb_place *place;
} lb_beam_place;

/// Receives what is reported about a body of beams, and hands it on with line and column.
///
/// @param user  lb_beam_place
void lb_emit_beam(void *user, const lb_diagnostic *diagnostic);

#endif // LB_LOAD_H
