// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the readers of `view` in a model file share.
#ifndef LB_CLI_SCENE_READ_H
#define LB_CLI_SCENE_READ_H

#include "../src/command.h"
#include "view/scene.h"

enum { LB_CLI_NO_VALUE = -1 };

typedef struct lb_cli_reading {
    lb_reader reader;
    const lb_model *model;
    lb_cli_scene *scene; ///< NULL to check only
    bool short_of_memory;
    const lb_cli_recording *recording; ///< what signals are read from
    /// of a shape that has values, for each node of its body: the value, or LB_CLI_NO_VALUE
    int *value_of;
    bool *is_drawn; ///< likewise: whether the shape has the node
} lb_cli_reading;

/// Reads the signals that colour a shape into `value_of`.
///
/// @param by_nodes  whether the shape is one that nodes span
/// @return false if there are none, or no memory
bool lb_cli_read_shape_values(lb_cli_reading *reading, const lb_place *at, int body, bool by_nodes,
                              int *scale);

/// Hands the values to the nodes of the shape. One that colours nothing is a mistake.
void lb_cli_spread_values(lb_cli_reading *reading, const lb_place *at, int body,
                          lb_cli_shape *shape);

#endif // LB_CLI_SCENE_READ_H
