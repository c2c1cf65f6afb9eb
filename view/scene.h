// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a model looks like: shapes on bodies, and the nodes that deform them. The web page and the
// rendered clips are both made from it.
#ifndef LB_CLI_SCENE_H
#define LB_CLI_SCENE_H

#include "limber/spatial.h"
#include "view/recording.h"

typedef enum lb_cli_shape_kind {
    LB_CLI_BOX,      ///< size: edges along x, y, z
    LB_CLI_SPHERE,   ///< size[0]: radius
    LB_CLI_CYLINDER, ///< size[0]: radius, size[1]: length along z
    LB_CLI_TUBE,     ///< size[0]: radius; around lines between nodes
    LB_CLI_SHEET,    ///< triangles between nodes
    LB_CLI_MESH      ///< triangles between points of its own; size: edges of the box around them
} lb_cli_shape_kind;

typedef struct lb_cli_shape {
    lb_cli_shape_kind kind;
    int body;         ///< or LB_GROUND
    lb_pose pose;     ///< in the body's frame
    double size[3];   ///
    double colour[3]; ///< red, green, blue; the first negative for the viewer's choice
    int *nodes;       ///< tube: two a line, sheet: three a triangle: entries of the scene's nodes
    int node_count;   ///
    int *values;      ///< one per entry of nodes: entries of the scene's values; NULL for none
    int scale;        ///< of the values: entry of the scene's scales
    float *points;    ///< mesh: three a point
    int point_count;  ///
    int *corners;     ///< mesh: three a triangle
    int corner_count; ///
} lb_cli_shape;

/// A node of a body, undeformed.
typedef struct lb_cli_scene_node {
    int body, node; ///< in the model; body may be LB_GROUND
    lb_pose pose;   ///< in the body's frame
    int flexible;   ///< number among the nodes that deform, -1 if it does not
} lb_cli_scene_node;

/// A signal that colours a node of a shape.
typedef struct lb_cli_scene_value {
    const char *signal;
    int scale; ///< entry of the scene's scales
} lb_cli_scene_value;

/// A colour bar. Shapes with the same caption share it.
typedef struct lb_cli_scale {
    const char *caption;
    const char *unit; ///< "" if it is unknown, or if signals have different ones
    double low, high; ///< round numbers around all values of the run, set by lb_cli_fill_values
} lb_cli_scale;

/// Longest remark on what was left out.
enum { LB_CLI_NOTICE_SIZE = 600 };

typedef struct lb_cli_scene {
    const lb_cli_recording *recording;
    lb_cli_scene_node *nodes;
    int node_count, flexible_count;
    int *first_node;      ///< of each body; entry body_count is the ground
    lb_cli_shape *shapes; ///
    int shape_count, shape_capacity;
    lb_cli_scene_value *values;
    lb_cli_scale *scales;
    int value_count, scale_count;
    int *traces; ///< entries of nodes whose path is drawn
    int trace_count;
    double deformation;                  ///< factor on modal coordinates, 1 for what was recorded
    double size;                         ///< of the model at rest, m
    double from[3], to[3], up[3];        ///< the camera, where the model says
    bool has_camera;                     ///
    char notices[8][LB_CLI_NOTICE_SIZE]; ///< what was left out, for people
    int notice_count;
    const char
        *folders[5]; ///< where files of meshes are sought, the model's own first; NULL ends them
    int undrawn;     ///< meshes that could not be drawn
    char why_undrawn[LB_CLI_NOTICE_SIZE]; ///< the first of them
    void **kept;                          ///< memory to free
    int kept_count, kept_capacity;
} lb_cli_scene;

/// Builds the scene of a recording that has a model: `view` of the model file, which for a robot in URDF are its
/// visuals, and sensible shapes for the rest.
///
/// @param mesh_folder  where files of meshes are sought besides; may be NULL
/// @return false after saying why
bool lb_cli_make_scene(const lb_cli_recording *recording, const char *result_path,
                       const char *mesh_folder, lb_cli_scene *scene);
void lb_cli_free_scene(lb_cli_scene *scene);

/// Entry of a node of a body in the scene.
int lb_cli_get_scene_node(const lb_cli_scene *scene, int body, int node);

// ---- for those who add shapes --------------------------------------------------------------------

/// Memory that lives as long as the scene; NULL if there is none.
void *lb_cli_keep(lb_cli_scene *scene, size_t count, size_t size);
/// A new shape at the body's origin; NULL if there is no memory.
lb_cli_shape *lb_cli_add_shape(lb_cli_scene *scene, lb_cli_shape_kind kind, int body);
/// A remark on what was left out. Beyond eight they are dropped.
void lb_cli_note(lb_cli_scene *scene, const char *format, ...) LB_PRINTF(2, 3);

/// Reads `view` of a document. Errors are reported.
///
/// @param scene   NULL to check only
/// @return LB_OK, LB_E_MODEL or LB_E_MEMORY
lb_status lb_cli_read_view(const lb_document *document, const lb_model *model,
                           const lb_report *report, lb_cli_scene *scene);
/// Adds a mesh that the model names, scaled and placed like a shape; one that cannot be drawn is counted. Colours of
/// the file are kept, the shape's colour is for what has none.
///
/// @param name  as in the model: a path, or package://NAME/...
/// @return false without memory
bool lb_cli_add_mesh(lb_cli_scene *scene, const char *name, const double scale[3],
                     const lb_cli_shape *like);
/// Says how many meshes could not be drawn, and why the first could not.
void lb_cli_note_meshes(lb_cli_scene *scene);
/// Finds the file of a mesh that the model names, if it may be opened.
///
/// @param folders  where it is sought, the model's own first; NULL ends them
/// @param why      out: what is wrong, on failure
bool lb_cli_find_mesh(const char *const *folders, const char *name, size_t size, char *file,
                      char why[LB_CLI_NOTICE_SIZE]);

/// By the ending of a name.
typedef enum lb_cli_mesh_format {
    LB_CLI_MESH_STL,
    LB_CLI_MESH_OBJ,
    LB_CLI_MESH_COLLADA,
    LB_CLI_MESH_UNKNOWN
} lb_cli_mesh_format;

lb_cli_mesh_format lb_cli_find_mesh_format(const char *path);

/// Parts of one mesh that are told apart; the last one takes the rest.
enum { LB_CLI_PART_MAX = 32 };

/// Triangles of an STL file (binary or text), OBJ or Collada file.
///
/// @param parts  out: shapes at the origin; several for a file with several colours
/// @return how many; 0 if it cannot be read, of which nothing is said
int lb_cli_read_mesh(lb_cli_scene *scene, const char *path, lb_cli_shape parts[LB_CLI_PART_MAX]);
/// The same from the text of a Collada file, `length` bytes and a zero byte behind them.
int lb_cli_parse_collada(lb_cli_scene *scene, const char *text, size_t length,
                         lb_cli_shape parts[LB_CLI_PART_MAX]);
/// The same from the text of an STL or OBJ file.
///
/// @param is_obj  OBJ, not STL
/// @param text    `length` bytes and a zero byte behind them
bool lb_cli_parse_mesh(lb_cli_scene *scene, bool is_obj, const char *text, size_t length,
                       lb_cli_shape *shape);
/// Shapes for bodies that have none.
void lb_cli_invent_shapes(lb_cli_scene *scene);

// ---- small mathematics ---------------------------------------------------------------------------

/// Rotation whose z axis has this direction.
lb_mat3 lb_cli_turn_z_to(lb_vec3 direction);
/// Principal axes (columns) and moments of a symmetric matrix, by Jacobi rotations.
void lb_cli_find_principal(lb_sym3 S, lb_mat3 *axes, double moments[3]);
/// Turns by the angle |r| about r.
lb_mat3 lb_cli_turn_by(lb_vec3 r);

#endif // LB_CLI_SCENE_H
