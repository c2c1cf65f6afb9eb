// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the scene library share among themselves.
#ifndef LB_SCENE_PARTS_H
#define LB_SCENE_PARTS_H

#include "scenes.h"

/// Zeroed memory, or the end of the program.
void *lb_scene_allocate(size_t count, size_t size);

/// A physically possible inertia (xx yy zz xy xz yz) of something of that mass and half width.
void lb_draw_inertia(lb_random *random, double mass, double size, double inertia[6]);

/// A random flexible body of lb_tree_options.
lb_scene_flex *lb_draw_scene_flex(lb_random *random, const lb_tree_options *options);
void lb_destroy_scene_flex(lb_scene_flex *flex);

/// Hands a closure constraint to a builder.
lb_status lb_add_scene_loop(lb_builder *builder, const lb_scene *scene, int loop);

#endif // LB_SCENE_PARTS_H
