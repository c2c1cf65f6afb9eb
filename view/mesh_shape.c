// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Meshes that a model names: where their files are, whether they may be opened, and their place in the scene.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../src/command.h"
#include "console.h"
#include "view/scene.h"

// Whether a file is in one of the folders that options named.
static bool is_permitted(const char *const *folders, const char *file)
{
    bool inside = false;
    for (int i = 1; folders[0] && folders[i] && !inside; ++i) {
        inside = lb_is_in_folder(file, folders[i]);
        if (errno == ENOMEM) {
            lb_cli_run_out();
        }
    }
    return inside;
}

bool lb_cli_find_mesh(const char *const *folders, const char *name, size_t size, char *file,
                      char why[LB_CLI_NOTICE_SIZE])
{
    snprintf(why, LB_CLI_NOTICE_SIZE,
             "there is no such file; --meshes DIR names another folder to look in");
    for (int i = 0; folders[i]; ++i) {
        bool inside = false;
        const lb_status status = lb_find_mesh_file(folders[i], name, size, file, &inside);
        if (status == LB_E_MEMORY) {
            lb_cli_run_out();
        }
        if (status == LB_OK && (inside || is_permitted(folders, file))) {
            return true;
        }
        if (status == LB_OK) {
            snprintf(why, LB_CLI_NOTICE_SIZE,
                     "it is %.300s, outside of the folder of the model; permit its folder by "
                     "--meshes DIR",
                     file);
        }
    }
    return false;
}

// Scales the points of a mesh, and moves its origin to the middle of the box around them, whose edges are its size.
static void fit(lb_cli_shape *shape, const double scale[3])
{
    double middle[3];
    for (int k = 0; k < 3; ++k) {
        double low = 1e300, high = -1e300;
        for (int i = k; i < 3 * shape->point_count; i += 3) {
            low = fmin(low, shape->points[i] * scale[k]);
            high = fmax(high, shape->points[i] * scale[k]);
        }
        middle[k] = 0.5 * (low + high);
        shape->size[k] = high - low;
        for (int i = k; i < 3 * shape->point_count; i += 3) {
            shape->points[i] = (float)(shape->points[i] * scale[k] - middle[k]);
        }
    }
    shape->pose.p =
        lb_vec3_add(shape->pose.p, lb_mat3_mul_vec(&shape->pose.R, lb_vec3_from(middle)));
}

bool lb_cli_add_mesh(lb_cli_scene *scene, const char *name, const double scale[3],
                     const lb_cli_shape *like)
{
    char file[4096], why[LB_CLI_NOTICE_SIZE];
    lb_cli_shape parts[LB_CLI_PART_MAX];
    int count = 0;
    if (lb_cli_find_mesh_format(name) == LB_CLI_MESH_UNKNOWN) {
        snprintf(why, sizeof why, "it is no STL, OBJ or Collada file (.stl, .obj, .dae)");
    } else if (lb_cli_find_mesh(scene->folders, name, sizeof file, file, why)) {
        count = lb_cli_read_mesh(scene, file, parts);
        snprintf(why, sizeof why, "no triangles can be read from it");
    }
    if (count == 0 && scene->undrawn++ == 0) {
        snprintf(scene->why_undrawn, sizeof scene->why_undrawn, "%.120s: %.380s", name, why);
    }
    for (int i = 0; i < count; ++i) {
        lb_cli_shape *shape = lb_cli_add_shape(scene, LB_CLI_MESH, like->body);
        if (!shape) {
            return false;
        }
        *shape = parts[i];
        shape->body = like->body;
        shape->pose = like->pose;
        if (shape->colour[0] < 0.0) {
            memcpy(shape->colour, like->colour, sizeof shape->colour);
        }
        fit(shape, scale);
    }
    return true;
}

void lb_cli_note_meshes(lb_cli_scene *scene)
{
    if (scene->undrawn > 0) {
        lb_cli_note(scene, "%d mesh%s not drawn%s %s", scene->undrawn,
                    scene->undrawn == 1 ? " is" : "es are", scene->undrawn == 1 ? ":" : ", such as",
                    scene->why_undrawn);
    }
}
