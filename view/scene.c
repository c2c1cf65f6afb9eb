// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The scene of a model: its nodes at rest, and where its shapes come from.
#include "view/scene.h"
#include "console.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- memory and remarks --------------------------------------------------------------------------

void *lb_cli_keep(lb_cli_scene *s, size_t count, size_t size)
{
    if (s->kept_count == s->kept_capacity) {
        const int capacity = 2 * s->kept_capacity + 16;
        void **kept = lb_cli_realloc(s->kept, (size_t)capacity * sizeof *kept);
        if (!kept) {
            return NULL;
        }
        s->kept = kept;
        s->kept_capacity = capacity;
    }
    void *memory = lb_cli_calloc(count + 1, size);
    if (memory) {
        s->kept[s->kept_count++] = memory;
    }
    return memory;
}

lb_cli_shape *lb_cli_add_shape(lb_cli_scene *s, lb_cli_shape_kind kind, int body)
{
    if (s->shape_count == s->shape_capacity) {
        const int capacity = 2 * s->shape_capacity + 16;
        lb_cli_shape *shapes = lb_cli_realloc(s->shapes, (size_t)capacity * sizeof *shapes);
        if (!shapes) {
            return NULL;
        }
        s->shapes = shapes;
        s->shape_capacity = capacity;
    }
    lb_cli_shape *shape = &s->shapes[s->shape_count++];
    *shape = (lb_cli_shape){
        .kind = kind, .body = body, .pose = lb_pose_identity(), .colour = {-1.0, 0.0, 0.0}};
    return shape;
}

void lb_cli_note(lb_cli_scene *s, const char *format, ...)
{
    if (s->notice_count < 8) {
        va_list list;
        va_start(list, format);
        vsnprintf(s->notices[s->notice_count++], sizeof s->notices[0], format, list);
        va_end(list);
    }
}

void lb_cli_free_scene(lb_cli_scene *s)
{
    for (int i = 0; i < s->kept_count; ++i) {
        free(s->kept[i]);
    }
    free(s->kept);
    free(s->shapes);
    *s = (lb_cli_scene){0};
}

// ---- nodes ---------------------------------------------------------------------------------------

int lb_cli_get_scene_node(const lb_cli_scene *s, int body, int node)
{
    const int count = lb_get_body_count(s->recording->model);
    return s->first_node[body == LB_GROUND ? count : body] + node;
}

static lb_pose read_pose(const lb_node_motion *motion)
{
    lb_pose X;
    X.R = lb_quat_to_mat3(lb_quat_from(motion->rotation));
    X.p = lb_vec3_from(motion->position);
    return X;
}

// Where nodes are in their body's frame: read off the model without deformation.
static bool place_nodes(lb_cli_scene *s)
{
    const lb_cli_recording *r = s->recording;
    const lb_model *model = r->model;
    const int body_count = lb_get_body_count(model);
    double *q = lb_cli_keep(s, (size_t)lb_get_q_count(model) + 1, sizeof *q);
    s->first_node = lb_cli_keep(s, (size_t)body_count + 2, sizeof *s->first_node);
    if (!q || !s->first_node) {
        return false;
    }
    lb_get_neutral_configuration(model, q);
    if (lb_compute_kinematics(model, r->work, q, NULL, NULL) < 0) {
        return false;
    }
    for (int i = 0; i <= body_count; ++i) {
        const int body = i == body_count ? LB_GROUND : i;
        s->first_node[i] = s->node_count;
        s->node_count += lb_get_node_count(model, body);
    }
    s->first_node[body_count + 1] = s->node_count;
    s->nodes = lb_cli_keep(s, (size_t)s->node_count, sizeof *s->nodes);
    if (!s->nodes) {
        return false;
    }
    double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300}, largest = 0.0;
    for (int i = 0; i <= body_count; ++i) {
        const int body = i == body_count ? LB_GROUND : i;
        lb_pose X_frame = lb_pose_identity();
        for (int k = 0; k < lb_get_node_count(model, body); ++k) {
            lb_node_motion motion;
            if (lb_compute_node_motion(model, r->work, body, k, &motion) < 0) {
                return false;
            }
            const lb_pose X = read_pose(&motion);
            X_frame = k == 0 ? X : X_frame;
            lb_cli_scene_node *node = &s->nodes[s->first_node[i] + k];
            const lb_pose back = lb_pose_inverse(&X_frame);
            *node = (lb_cli_scene_node){body, k, lb_pose_mul(&back, &X), -1};
            if (i < body_count && k > 0 && lb_get_mode_count(model, body) > 0) {
                node->flexible = s->flexible_count++;
            }
            for (int j = 0; j < 3; ++j) {
                low[j] = fmin(low[j], motion.position[j]);
                high[j] = fmax(high[j], motion.position[j]);
            }
        }
        if (i < body_count) {
            // a body without nodes reaches to its centre of mass at least
            double mass, com[3], inertia[6];
            lb_get_mass_properties(model, body, &mass, com, inertia);
            const lb_vec3 c =
                lb_vec3_add(X_frame.p, lb_mat3_mul_vec(&X_frame.R, lb_vec3_from(com)));
            const double p[3] = {c.x, c.y, c.z};
            for (int j = 0; j < 3; ++j) {
                low[j] = fmin(low[j], p[j]);
                high[j] = fmax(high[j], p[j]);
            }
            if (mass > 0.0) {
                largest = fmax(largest, sqrt((inertia[0] + inertia[1] + inertia[2]) / mass));
            }
        }
    }
    s->size = sqrt(pow(high[0] - low[0], 2) + pow(high[1] - low[1], 2) + pow(high[2] - low[2], 2));
    // nodes give the size; inertias alone where all bodies are in one place
    s->size = fmax(s->size, 0.8 * largest);
    s->size = s->size > 1e-9 && isfinite(s->size) ? s->size : 1.0;
    return true;
}

// ---- the whole -----------------------------------------------------------------------------------

// "runs/arm.h5" lies in "runs".
static char *get_folder(lb_cli_scene *s, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const size_t length = slash ? (size_t)(slash - path) : 0;
    char *folder = lb_cli_keep(s, length + 2, 1);
    if (folder) {
        memcpy(folder, path, length);
        folder[length] = 0;
        if (length == 0) {
            strcpy(folder, slash ? "/" : ".");
        }
    }
    return folder;
}

bool lb_cli_make_scene(const lb_cli_recording *recording, const char *result_path,
                       const char *mesh_folder, lb_cli_scene *s)
{
    *s = (lb_cli_scene){.recording = recording, .deformation = 1.0, .up = {0, 0, 1}};
    const lb_report report = lb_cli_make_report(NULL);
    const char *const others[] = {recording->folder[0] ? recording->folder : NULL, mesh_folder,
                                  recording->allow_files};
    int count = 0;
    s->folders[count++] =
        get_folder(s, recording->model_path ? recording->model_path : result_path);
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        if (others[i]) {
            s->folders[count++] = others[i];
        }
    }
    bool good = s->folders[0] && place_nodes(s);
    if (good) {
        const lb_status status =
            lb_cli_read_view(recording->document, recording->model, &report, s);
        if (status == LB_E_MODEL) {
            lb_cli_note(s, "the model's `view` has errors and is left aside");
            s->shape_count = s->trace_count = s->value_count = s->scale_count = 0;
            s->has_camera = false;
        }
        lb_cli_note_meshes(s);
        good = status != LB_E_MEMORY;
    }
    if (!good) {
        lb_cli_complain("the scene does not fit into memory");
        lb_cli_free_scene(s);
        return false;
    }
    lb_cli_invent_shapes(s);
    return true;
}
